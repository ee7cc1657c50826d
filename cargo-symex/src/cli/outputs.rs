//! The files and folders that options name for reports: no two may be the same, since one report
//! would overwrite the other.

use crate::pipeline::error::CommandError;
use crate::report::coverage::CoverageReport;
use crate::report::profile::ProfileReport;
use std::path::{Component, Path, PathBuf};

/// What the reports of a command are written to.
#[derive(Default)]
pub(super) struct Outputs<'a> {
    all: Vec<Output<'a>>,
}

struct Output<'a> {
    /// The option that names it.
    option: &'static str,
    path: &'a Path,
    /// Whether it is a folder, with a page `index.html`.
    is_folder: bool,
}

impl<'a> Outputs<'a> {
    /// Adds the file of an option, if it was given.
    pub fn file(mut self, option: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.all.extend(path.map(|path| Output {
            option,
            path,
            is_folder: false,
        }));
        self
    }

    /// Adds the folder of an option, if it was given.
    pub fn folder(mut self, option: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.all.extend(path.map(|path| Output {
            option,
            path,
            is_folder: true,
        }));
        self
    }

    /// Adds those of `--coverage` and `--profiling`.
    pub fn forms(self, coverage: &'a [CoverageReport], profiling: &'a [ProfileReport]) -> Self {
        let with_coverage = coverage.iter().fold(self, |all, form| match form {
            CoverageReport::Summary => all,
            CoverageReport::Lcov(file) => all.file("--coverage lcov=", Some(file)),
            CoverageReport::Json(file) => all.file("--coverage json=", Some(file)),
            CoverageReport::Html(folder) => all.folder("--coverage html=", Some(folder)),
        });
        profiling
            .iter()
            .fold(with_coverage, |all, form| match form {
                ProfileReport::Summary => all,
                ProfileReport::FlameGraph(_, file) => {
                    all.file("--profiling flamegraph=", Some(file))
                }
                ProfileReport::Folded(_, file) => all.file("--profiling folded=", Some(file)),
                ProfileReport::Pprof(file) => all.file("--profiling pprof=", Some(file)),
            })
    }

    /// Fails, with both options, if two reports would be written to the same place.
    pub fn check(&self) -> Result<(), CommandError> {
        let files: Vec<PathBuf> = self.all.iter().map(Output::written).collect();
        let resolved: Vec<PathBuf> = files.iter().map(|file| resolved(file)).collect();
        for (number, second) in self.all.iter().enumerate() {
            let mut earlier = resolved[..number].iter();
            let Some(same) = earlier.position(|first| {
                let second = &resolved[number];
                // A folder cannot be where a file is to be.
                first == second || first.starts_with(second) || second.starts_with(first)
            }) else {
                continue;
            };
            if is_special(&files[number]) {
                continue;
            }
            let first = &self.all[same];
            let what = match (first.is_folder, second.is_folder) {
                (false, false) => "a file each",
                (true, true) => "a folder each",
                _ => "places of their own",
            };
            return Err(CommandError::usage(format!(
                "failed to write {}: {} and {} need {what}",
                files[number].display(),
                first.option,
                second.option
            )));
        }
        Ok(())
    }
}

impl Output<'_> {
    /// Returns the file that is written.
    fn written(&self) -> PathBuf {
        match self.is_folder {
            true => self.path.join("index.html"),
            false => self.path.to_owned(),
        }
    }
}

/// Reports whether a path is that of a device or a pipe, which takes several reports.
fn is_special(path: &Path) -> bool {
    let metadata = std::fs::metadata(path);
    metadata.is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Returns the path of a file without links and dots, as far as its folders are there.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = path.ancestors().find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some((real, path.strip_prefix(above).ok()?))
    });
    let Some((mut real, rest)) = known else {
        return path;
    };
    for part in rest.components() {
        match part {
            Component::ParentDir => {
                real.pop();
            }
            part => real.push(part),
        }
    }
    real
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_by_several_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("real")).unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        let at = |path: &str| root.join(path);
        let pairs = [
            ("x", "x", false),
            ("x", "none/../x", false),
            ("./x", "real/../x", false),
            ("real/x", "link/x", false),
            ("x", "x/y", false),
            ("x", "y", true),
            ("real/x", "x", true),
        ];
        for (first, second, is_fine) in pairs {
            let (first, second) = (at(first), at(second));
            let outputs = Outputs::default()
                .file("--junit", Some(&first))
                .file("--sarif", Some(&second));
            assert_eq!(outputs.check().is_ok(), is_fine, "{first:?} {second:?}");
        }
    }

    #[test]
    fn a_page_is_a_file_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (page, file) = (
            folder.path().join("page"),
            folder.path().join("page/index.html"),
        );
        let other = folder.path().join("page/junit.xml");
        let check = |file: &PathBuf| {
            let outputs = Outputs::default().folder("--html", Some(&page));
            outputs.file("--junit", Some(file)).check()
        };
        let error = check(&file).unwrap_err();
        let told = format!(
            "failed to write {}: --html and --junit need places of their own",
            file.display()
        );
        assert_eq!(error.message, told);
        assert!(check(&page).is_err(), "the folder is no file");
        assert!(check(&other).is_ok());
        let forms = [
            CoverageReport::Lcov(other.clone()),
            CoverageReport::Html(page.clone()),
        ];
        let error = Outputs::default()
            .folder("--html", Some(&page))
            .forms(&forms, &[])
            .check();
        let error = error.unwrap_err().message;
        assert!(
            error.ends_with("--html and --coverage html= need a folder each"),
            "{error}"
        );
    }

    #[test]
    fn a_device_takes_several() {
        let null = PathBuf::from("/dev/null");
        let outputs = Outputs::default().file("--junit", Some(&null));
        assert!(outputs.file("--sarif", Some(&null)).check().is_ok());
    }
}
