//! The runs that were recorded in a target directory: a file of JSON lines for each, named by its
//! number. The last few are kept. Beside them is a list of accepted findings.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{ErrorKind, Result, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Number of runs that are kept.
const KEPT: usize = 10;

/// Ending of the files.
const ENDING: &str = "json";

/// File with the ids of the findings that were accepted, one a line.
const ACCEPTED: &str = "accepted";

/// The directory with the recorded runs of a workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Runs {
    directory: PathBuf,
}

impl Runs {
    /// Returns the runs of a workspace, where `target_dir` is the directory in which this tool
    /// builds. Several workspaces may share one; then each has a folder of its own.
    pub fn of(target_dir: &Path, workspace: &Path) -> Self {
        let runs = target_dir.join("runs");
        let directory = match target_dir.starts_with(workspace) {
            true => runs,
            false => {
                let hash = blake3::hash(workspace.as_os_str().as_encoded_bytes()).to_hex();
                runs.join(&hash[..16])
            }
        };
        Runs { directory }
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Records a run under the number after the last one, and removes the oldest. Returns its
    /// number. A reader never finds half of it.
    pub fn add(&self, text: &str) -> Result<u64> {
        fs::create_dir_all(&self.directory)?;
        let mut file = tempfile::Builder::new()
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(&self.directory)?;
        file.as_file_mut().write_all(text.as_bytes())?;
        let mut number = self.numbers()?.last().copied().unwrap_or(0) + 1;
        // Another run may end at the same time.
        loop {
            match file.persist_noclobber(self.file(number)) {
                Ok(_) => break,
                Err(failed) if failed.error.kind() == ErrorKind::AlreadyExists => {
                    file = failed.file;
                    number += 1;
                }
                Err(failed) => return Err(failed.error),
            }
        }
        let numbers = self.numbers()?;
        for old in &numbers[..numbers.len().saturating_sub(KEPT)] {
            match fs::remove_file(self.file(*old)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(number)
    }

    /// Returns the numbers of the runs, the oldest first.
    pub fn numbers(&self) -> Result<Vec<u64>> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let path = Path::new(&name);
            if path.extension().is_some_and(|ending| ending == ENDING) {
                let stem = path.file_stem().and_then(|stem| stem.to_str());
                numbers.extend(stem.and_then(|stem| stem.parse::<u64>().ok()));
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the ids of the findings that were accepted in a review.
    pub fn accepted(&self) -> Result<BTreeSet<String>> {
        let text = match fs::read_to_string(self.directory.join(ACCEPTED)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeSet::new()),
            text => text?,
        };
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Remembers that a finding was accepted.
    pub fn accept(&self, id: &str) -> Result<()> {
        let mut ids = self.accepted()?;
        ids.insert(id.to_owned());
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        fs::write(self.directory.join(ACCEPTED), lines)
    }

    /// Returns the file of a run.
    pub fn file(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number}.{ENDING}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_runs_are_kept() {
        let target = tempfile::tempdir().unwrap();
        let runs = Runs::of(target.path(), Path::new("/elsewhere"));
        assert!(runs.numbers().unwrap().is_empty());
        for number in 1..=KEPT as u64 + 3 {
            assert_eq!(runs.add(&format!("run {number}")).unwrap(), number);
        }
        let kept: Vec<u64> = (4..=KEPT as u64 + 3).collect();
        assert_eq!(runs.numbers().unwrap(), kept);
        assert_eq!(fs::read_to_string(runs.file(4)).unwrap(), "run 4");
        let files = fs::read_dir(runs.directory()).unwrap().count();
        assert_eq!(files, KEPT, "nothing else is left");
    }

    #[test]
    fn what_was_looked_at_is_remembered_and_is_no_run() {
        let target = tempfile::tempdir().unwrap();
        let runs = Runs::of(target.path(), Path::new("/elsewhere"));
        assert!(runs.accepted().unwrap().is_empty());
        runs.add("a run").unwrap();
        for id in ["b", "a", "b"] {
            runs.accept(id).unwrap();
        }
        let ids: Vec<String> = runs.accepted().unwrap().into_iter().collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(runs.numbers().unwrap(), [1]);
    }

    #[test]
    fn runs_that_end_at_the_same_time_have_numbers_of_their_own() {
        let target = tempfile::tempdir().unwrap();
        let runs = Runs::of(target.path(), Path::new("/elsewhere"));
        let numbers: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| runs.add("run"))).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap().unwrap())
                .collect()
        });
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), numbers.len(), "{numbers:?}");
    }

    #[test]
    fn workspaces_with_one_target_directory_are_told_apart() {
        let (a, b) = (Path::new("/a"), Path::new("/b"));
        assert_eq!(
            Runs::of(Path::new("/a/target/symex"), a).directory(),
            Path::new("/a/target/symex/runs")
        );
        let shared = Path::new("/shared/symex");
        assert_ne!(Runs::of(shared, a), Runs::of(shared, b));
    }
}
