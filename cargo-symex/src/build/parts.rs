//! Parts of programs on disk, in a directory that all projects of a user share: what the libraries of crates came to, by what they
//! were made from.
//!
//! A folder for each library, a file for each part. A file is written under a temporary name and renamed, so that whoever
//! finds it finds it whole; damage that a disk does later is told by a hash inside. What cannot be read or written is not
//! there, and is made again: this is a cache, and nothing else.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::bitcode::link::Shelf;

/// Parts of one library; the one used longest ago goes.
const MOST_PARTS: usize = 8;
/// Bytes of all of it; what was used longest ago goes.
const MOST_BYTES: u64 = 1 << 30;
/// Ends the names of parts.
const PART: &str = "part";
/// The name of the file that says that a library cannot be linked by itself.
const WHOLE: &str = "whole";

/// The parts in a directory.
pub struct PartShelf {
    directory: PathBuf,
    /// Is what is there to be used?
    is_read: bool,
}

/// A file with when it was last used.
struct Kept {
    used: SystemTime,
    size: u64,
    path: PathBuf,
}

impl PartShelf {
    /// The directory need not be there. With `is_read` false nothing is found in it.
    pub fn new(directory: PathBuf, is_read: bool) -> Self {
        PartShelf { directory, is_read }
    }

    fn folder(&self, key: &str) -> PathBuf {
        self.directory.join(key)
    }

    /// Writes a file whole, or not at all.
    fn write(&self, key: &str, name: &str, contents: &[u8]) -> std::io::Result<()> {
        let folder = self.folder(key);
        std::fs::create_dir_all(&folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        std::io::Write::write_all(&mut file, contents)?;
        file.persist(folder.join(name))?;
        Ok(())
    }

    /// Removes what was used longest ago where all of it is more than it may be.
    fn forget_old(&self) {
        let Ok(folders) = std::fs::read_dir(&self.directory) else {
            return;
        };
        let mut all: Vec<Kept> = folders
            .flatten()
            .flat_map(|folder| files(&folder.path()))
            .collect();
        all.sort_by(|a, b| b.used.cmp(&a.used));
        let mut bytes = 0;
        for kept in all {
            bytes += kept.size;
            if bytes > MOST_BYTES {
                let _ = std::fs::remove_file(&kept.path);
                // Only an empty one goes.
                let _ = kept.path.parent().map(std::fs::remove_dir);
            }
        }
    }
}

/// The files of a folder; one that cannot be read has none.
fn files(folder: &Path) -> Vec<Kept> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let data = entry.metadata().ok()?;
            Some(Kept {
                used: data.modified().ok()?,
                size: data.len(),
                path: entry.path(),
            })
        })
        .collect()
}

/// The parts among the files of a folder, the one used last first.
fn parts_of(folder: &Path) -> Vec<Kept> {
    let mut parts = files(folder);
    parts.retain(|kept| kept.path.extension().is_some_and(|end| end == PART));
    parts.sort_by(|a, b| (b.used, &b.path).cmp(&(a.used, &a.path)));
    parts
}

impl Shelf for PartShelf {
    fn parts(&self, key: &str) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        let kept = self.is_read.then(|| parts_of(&self.folder(key)));
        let parts = kept.unwrap_or_default().into_iter();
        Box::new(parts.filter_map(|kept| {
            let bytes = std::fs::read(&kept.path).ok()?;
            let file = std::fs::File::options().append(true).open(&kept.path);
            // When it was used decides what goes first, and nothing else.
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
            Some(bytes)
        }))
    }

    fn keep(&self, key: &str, part: &[u8]) {
        let name = format!("{}.{PART}", &blake3::hash(part).to_hex()[..16]);
        if self.write(key, &name, part).is_err() {
            return;
        }
        for old in parts_of(&self.folder(key)).into_iter().skip(MOST_PARTS) {
            let _ = std::fs::remove_file(old.path);
        }
        self.forget_old();
    }

    fn is_whole(&self, key: &str) -> bool {
        self.is_read && self.folder(key).join(WHOLE).exists()
    }

    fn note_whole(&self, key: &str) {
        let _ = self.write(key, WHOLE, b"");
    }
}
