//! Coverage of source: which files are asked about, and what an exploration has run of them.

use std::path::{Path, PathBuf};
use symex_engine::{Entry, coverage};
use symex_program::Program;
use symex_types::outcome::coverage::{Marks, SourceCoverage};

/// The source files whose coverage is asked about. The standard library is never among them.
#[derive(Clone, Debug)]
pub enum Sources {
    /// Those of packages with these folders, but not what is generated in the target directory.
    Packages {
        folders: Vec<PathBuf>,
        target_dir: PathBuf,
    },
    /// Those below a folder.
    Below(PathBuf),
    /// Those of dependencies as well.
    All,
}

impl Sources {
    /// Reports whether a file is asked about.
    fn want(&self, file: &str) -> bool {
        let file = Path::new(file);
        match self {
            Sources::All => true,
            Sources::Below(folder) => file.starts_with(folder),
            Sources::Packages {
                folders,
                target_dir,
            } => {
                let package = || {
                    let mut above = file.ancestors().skip(1);
                    above.find(|folder| folder.join("Cargo.toml").exists())
                };
                !file.starts_with(target_dir)
                    && folders.iter().any(|folder| file.starts_with(folder))
                    && package().is_some_and(|package| folders.iter().any(|one| one == package))
            }
        }
    }

    /// Returns the coverage of these files by an exploration of a program that has left these
    /// marks.
    pub(super) fn coverage(
        &self,
        program: &Program,
        entry: &Entry,
        marks: &Marks,
    ) -> Option<SourceCoverage> {
        coverage::of_source(program, &entry.functions(), marks, |file| self.want(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_belongs_to_the_nearest_package() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for file in [
            "Cargo.toml",
            "src/lib.rs",
            "vendor/other/Cargo.toml",
            "vendor/other/src/lib.rs",
            "target/out/generated.rs",
        ] {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let own = Sources::Packages {
            folders: vec![root.to_owned()],
            target_dir: root.join("target"),
        };
        let wanted =
            |sources: &Sources, file: &str| sources.want(root.join(file).to_str().unwrap());
        assert!(wanted(&own, "src/lib.rs"));
        assert!(!wanted(&own, "vendor/other/src/lib.rs"));
        assert!(!wanted(&own, "target/out/generated.rs"));
        assert!(!own.want("/elsewhere/src/lib.rs"));
        assert!(wanted(&Sources::All, "vendor/other/src/lib.rs"));
        assert!(wanted(
            &Sources::Below(root.to_owned()),
            "vendor/other/src/lib.rs"
        ));
    }
}
