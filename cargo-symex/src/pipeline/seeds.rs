//! The corpus of a fuzz target, where libFuzzer, honggfuzz and AFL have it, as a source of inputs
//! for its exploration.

use crate::harness::{HarnessKind, TestHarness};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symex_engine::{GivenInputs, InputSource};

/// Greatest number of files that are followed.
const MOST_FILES: usize = 10_000;

/// The files of a corpus that are not longer than the inputs of the exploration.
pub(super) struct Seeds {
    inputs: Vec<GivenInputs>,
}

impl Seeds {
    /// Reads the corpus of a fuzz target; `None` for other harnesses, or if it is empty.
    pub fn of(harness: &TestHarness, most: u64) -> Option<Self> {
        if harness.kind != HarnessKind::FuzzTarget {
            return None;
        }
        let target = Path::new(&harness.target);
        let folders = [
            Path::new("corpus").join(target),
            Path::new("hfuzz_workspace").join(target).join("input"),
            PathBuf::from("in"),
        ];
        let folders = folders.map(|folder| harness.manifest_dir.join(folder));
        let mut inputs: Vec<_> = folders
            .iter()
            .flat_map(|folder| read(folder, most))
            .collect();
        inputs.truncate(MOST_FILES);
        (!inputs.is_empty()).then_some(Seeds { inputs })
    }
}

/// Returns the contents of the files of a folder, in the order of their names.
fn read(folder: &Path, most: u64) -> Vec<GivenInputs> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let fits = |entry: &std::fs::DirEntry| {
        entry
            .metadata()
            .is_ok_and(|data| data.is_file() && data.len() <= most)
    };
    let mut files: Vec<_> = entries.filter(fits).map(|entry| entry.path()).collect();
    files.sort();
    files.truncate(MOST_FILES);
    let contents = files.iter().filter_map(|file| std::fs::read(file).ok());
    contents.map(|bytes| vec![bytes]).collect()
}

impl InputSource for Seeds {
    fn start(&mut self) {}

    fn take(&mut self, _most: Duration) -> Option<Vec<GivenInputs>> {
        Some(std::mem::take(&mut self.inputs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_fit_are_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("b", "two"), ("a", "one"), ("c", "too long")] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        std::fs::create_dir(folder.path().join("d")).unwrap();
        let read = read(folder.path(), 3);
        assert_eq!(read, [vec![b"one".to_vec()], vec![b"two".to_vec()]]);
        assert!(super::read(&folder.path().join("none"), 3).is_empty());
    }
}
