//! Removes a regression test that a run has added, unless it was edited since.

use super::fuzz_target;
use super::property_test;
use super::test_case::{self, Written};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What became of a test that was to be removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Removal {
    Removed,
    /// It is not there as it was written, and stays.
    Edited,
}

/// A regression test in its file, as a report names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    pub path: PathBuf,
    pub name: String,
    /// Empty if the file was made for it.
    pub text: String,
}

impl Test {
    /// Returns the test that was written, or was there already.
    pub fn of(written: &Written) -> Option<Self> {
        match written.clone() {
            Written::Written { path, name, text } | Written::Known { path, name, text } => {
                Some(Test { path, name, text })
            }
            Written::NotWritten { .. } => None,
        }
    }

    /// Returns the text of its file, as it is and without the test; `None` if it is not there as it
    /// was written.
    pub fn texts(&self) -> Option<(String, String)> {
        let all = std::fs::read_to_string(&self.path).ok()?;
        let rest = without(&all, &self.text)?;
        Some((all, rest))
    }

    /// Removes it, and its file if there is nothing else in it. Fails with the file and the reason.
    pub fn remove(&self) -> Result<Removal, String> {
        let failed = |error: std::io::Error| {
            let path = self.path.display();
            format!("failed to remove `{}` from {path}: {error}", self.name)
        };
        if self.text.is_empty() {
            return match fuzz_target::is_unchanged(&self.path) {
                true => remove_file(&self.path).map_err(failed),
                false => Ok(Removal::Edited),
            };
        }
        let Some((_, rest)) = self.texts() else {
            return Ok(Removal::Edited);
        };
        if rest.trim().is_empty() || test_case::is_bare(&rest) || property_test::is_bare(&rest) {
            return remove_file(&self.path).map_err(failed);
        }
        std::fs::write(&self.path, rest).map_err(failed)?;
        Ok(Removal::Removed)
    }
}

/// Removes a file, and the folders that this leaves empty.
fn remove_file(path: &Path) -> std::io::Result<Removal> {
    const FOLDERS: [&str; 3] = ["symex-regressions", "proptest-regressions", "artifacts"];
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let is_own = |folder: &&Path| {
        let mut names = folder.iter().filter_map(|name| name.to_str());
        names.any(|name| FOLDERS.contains(&name))
    };
    for folder in path.ancestors().skip(1).take_while(is_own) {
        if std::fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(Removal::Removed)
}

/// Returns a text without some of its lines, and without one empty line before them; `None` if they
/// are not in it.
fn without(all: &str, lines: &str) -> Option<String> {
    let is_whole = |at: &usize| {
        let (before, after) = (&all[..*at], &all[at + lines.len()..]);
        let starts = before.is_empty() || before.ends_with('\n');
        starts && (after.is_empty() || after.starts_with('\n'))
    };
    let mut places = all.match_indices(lines).map(|(at, _)| at);
    let at = places.find(is_whole)?;
    let before = &all[..at];
    let before = match before.ends_with("\n\n") {
        true => &before[..before.len() - 1],
        false => before,
    };
    let after = &all[at + lines.len()..];
    Some(format!(
        "{before}{}",
        after.strip_prefix('\n').unwrap_or(after)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::TestHarness;

    #[test]
    fn lines_are_removed_as_they_were_added() {
        let all = "// A\n\n#[test]\nfn a() {}\n\n#[test]\nfn b() {}\n";
        let rest = without(all, "#[test]\nfn a() {}");
        assert_eq!(rest.as_deref(), Some("// A\n\n#[test]\nfn b() {}\n"));
        let rest = without(all, "#[test]\nfn b() {}");
        assert_eq!(rest.as_deref(), Some("// A\n\n#[test]\nfn a() {}\n"));
        assert_eq!(without(all, "fn c() {}"), None);
        assert_eq!(without("xpt 00\n", "pt 00"), None);
        assert_eq!(without("pt 00\npt 01", "pt 01").as_deref(), Some("pt 00\n"));
    }

    #[test]
    fn the_last_test_takes_its_file_along_and_an_edited_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/lib.rs"), "").unwrap();
        let harness = TestHarness {
            function: "parses".into(),
            module: "krate::tests".into(),
            file: "src/lib.rs".into(),
            manifest_dir: root.to_owned(),
            regressions: Some("symex-regressions/src/lib/tests/parses.rs".into()),
            ..TestHarness::default()
        };
        let add = |call: &str| {
            let test = test_case::compose(&harness, call, "panic: no").unwrap();
            Test::of(&test_case::write(&harness, test)).unwrap()
        };
        let (first, second) = (add("parses(1)"), add("parses(2)"));
        let file = first.path.clone();
        assert_eq!(first.remove(), Ok(Removal::Removed));
        let left = std::fs::read_to_string(&file).unwrap();
        assert!(
            left.contains(&second.text) && !left.contains(&first.text),
            "{left}"
        );
        assert_eq!(first.remove(), Ok(Removal::Edited), "it is not there");
        std::fs::write(&file, left.replace("parses(2)", "parses(3)")).unwrap();
        assert_eq!(second.remove(), Ok(Removal::Edited));
        std::fs::write(&file, left).unwrap();
        assert_eq!(second.remove(), Ok(Removal::Removed));
        assert!(!root.join("symex-regressions").exists());
    }

    #[test]
    fn an_input_of_a_fuzz_target_is_removed_if_it_is_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let artifacts = folder.path().join("artifacts/target");
        std::fs::create_dir_all(&artifacts).unwrap();
        // The SHA-1 of no bytes.
        let path = artifacts.join("crash-da39a3ee5e6b4b0d3255bfef95601890afd80709");
        let test = Test {
            path: path.clone(),
            name: "crash".into(),
            text: String::new(),
        };
        std::fs::write(&path, "x").unwrap();
        assert_eq!(test.remove(), Ok(Removal::Edited));
        std::fs::write(&path, "").unwrap();
        assert_eq!(test.remove(), Ok(Removal::Removed));
        assert!(!folder.path().join("artifacts").exists());
    }
}
