//! Store of program parts on disk: linked and translated libraries of crates, keyed by their
//! inputs, in a directory that all projects of a user share.
//!
//! Each library has a folder and each part a file. A file is written under a temporary name and
//! renamed, so that a file that is found is complete; a hash inside detects later damage by the
//! disk. A file that cannot be read or written counts as absent and is made again: this is only a
//! cache.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::cache::write_whole;
use symex_bitcode::link::Shelf;
use symex_program::join;
use symex_program::part::Part;

/// Maximal number of parts of one library; more than that are merged into one.
const MOST_PARTS: usize = 8;
/// Maximal size of the store in bytes; the least recently used parts are removed first.
const MOST_BYTES: u64 = 1 << 30;
/// The file-name extension of parts.
const PART: &str = "part";
/// The name of the file that marks a library that cannot be linked separately.
const WHOLE: &str = "whole";

/// The parts in a directory.
pub struct PartShelf {
    directory: PathBuf,
    /// Whether existing parts are read.
    is_read: bool,
    /// Whether old parts were removed already. Listing the whole store for each new part would take
    /// too long.
    has_room: Cell<bool>,
}

/// A file and the time of its last use.
struct KeptFile {
    used: SystemTime,
    size: u64,
    path: PathBuf,
}

impl PartShelf {
    /// Creates a store in a directory, which need not exist. With `is_read` false no existing part
    /// is found.
    pub fn new(directory: PathBuf, is_read: bool) -> Self {
        PartShelf {
            directory,
            is_read,
            has_room: Cell::new(false),
        }
    }

    fn folder(&self, key: &str) -> PathBuf {
        self.directory.join(key)
    }

    /// Writes a file completely or not at all.
    fn write(&self, key: &str, name: &str, contents: &[u8]) -> std::io::Result<()> {
        let folder = self.folder(key);
        std::fs::create_dir_all(&folder)?;
        write_whole(&folder.join(name), contents)
    }

    /// Merges several parts into one; `None` if one of them cannot be read.
    fn merge(&self, key: &str, parts: &[KeptFile]) -> Option<()> {
        let read = |kept: &KeptFile| Part::load(std::fs::read(&kept.path).ok()?).ok();
        let read: Vec<Part> = parts.iter().map(read).collect::<Option<_>>()?;
        let merged = Part::save(join::merge(read).ok()?).ok()?;
        let name = name_of(&merged);
        self.write(key, &name, &merged).ok()?;
        for old in parts.iter().filter(|kept| !kept.path.ends_with(&name)) {
            let _ = std::fs::remove_file(&old.path);
        }
        Some(())
    }

    /// Removes the least recently used parts while the store is larger than `most` bytes.
    fn forget_old(&self, most: u64) {
        let Ok(folders) = std::fs::read_dir(&self.directory) else {
            return;
        };
        let mut all: Vec<KeptFile> = folders
            .flatten()
            .flat_map(|folder| files(&folder.path()))
            .collect();
        all.sort_by_key(|kept| std::cmp::Reverse(kept.used));
        let mut bytes = 0;
        for kept in all {
            bytes += kept.size;
            if bytes > most {
                let _ = std::fs::remove_file(&kept.path);
                // This removes the directory only if it is empty.
                let _ = kept.path.parent().map(std::fs::remove_dir);
            }
        }
    }
}

/// Returns the file name of a part.
fn name_of(part: &[u8]) -> String {
    format!("{}.{PART}", &blake3::hash(part).to_hex()[..16])
}

/// Returns the files of a folder; empty if the folder cannot be read.
fn files(folder: &Path) -> Vec<KeptFile> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let data = entry.metadata().ok()?;
            Some(KeptFile {
                used: data.modified().ok()?,
                size: data.len(),
                path: entry.path(),
            })
        })
        .collect()
}

/// Returns the parts among the files of a folder, the most recently used first.
fn parts_of(folder: &Path) -> Vec<KeptFile> {
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
            // Failure is ignored: the time of use only decides which parts are removed first.
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
            Some(bytes)
        }))
    }

    fn keep(&self, key: &str, part: &[u8]) {
        if self.write(key, &name_of(part), part).is_err() {
            return;
        }
        let parts = parts_of(&self.folder(key));
        if parts.len() > MOST_PARTS && self.merge(key, &parts).is_none() {
            for old in parts.iter().skip(MOST_PARTS) {
                let _ = std::fs::remove_file(&old.path);
            }
        }
        if !self.has_room.replace(true) {
            self.forget_old(MOST_BYTES);
        }
    }

    fn is_whole(&self, key: &str) -> bool {
        self.is_read && self.folder(key).join(WHOLE).exists()
    }

    fn note_whole(&self, key: &str) {
        let _ = self.write(key, WHOLE, b"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_program::{Body, FuncId, Function, Inst, Loc, LocId, LocTable, Program, text};

    const KEY: &str = "library";

    /// Returns a part with one function.
    fn part(name: &str) -> Vec<u8> {
        let function = Function {
            name: name.to_owned(),
            display: name.to_owned(),
            body: Some(Body {
                code: vec![Inst::Unreachable],
                locs: vec![LocId(1)],
                blocks: vec![0],
                ..Body::default()
            }),
            ..Function::default()
        };
        let texts = |text: &str| vec![String::new(), text.to_owned()];
        let place = Loc {
            file: 1,
            line: 7,
            column: 3,
            scope: 1,
            inlined_at: None,
        };
        let program = Program {
            locs: LocTable {
                locs: vec![Loc::default(), place],
                files: texts("lib.rs"),
                scopes: texts(name),
                ..LocTable::default()
            },
            functions: vec![function],
            function_names: [(name.to_owned(), FuncId(0))].into_iter().collect(),
            ..Program::default()
        };
        Part::save(program).expect("it can be written")
    }

    fn defined(shelf: &PartShelf, name: &str) -> bool {
        let mut parts = shelf.parts(KEY);
        parts.any(|bytes| Part::load(bytes).expect("it can be read").defines(name))
    }

    #[test]
    fn many_parts_become_one_and_nothing_is_lost() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let shelf = PartShelf::new(directory.path().join("not/there/yet"), true);
        let names: Vec<String> = (0..MOST_PARTS * 3).map(|n| format!("f{n}")).collect();
        for name in &names {
            shelf.keep(KEY, &part(name));
            assert!(parts_of(&shelf.folder(KEY)).len() <= MOST_PARTS);
        }
        assert!(names.iter().all(|name| defined(&shelf, name)));
        let parts: Vec<Part> = shelf
            .parts(KEY)
            .map(|bytes| Part::load(bytes).unwrap())
            .collect();
        let all = join::merge(parts).expect("they fit");
        for function in &all.functions {
            let place = format!("lib.rs:7:3 {}", function.name);
            let code = text::function(&all, function, true);
            assert!(code.contains(&place), "{code}");
        }
        assert!(!defined(&shelf, "g"));
        assert_eq!(shelf.parts("another library").count(), 0);
        assert_eq!(
            PartShelf {
                is_read: false,
                ..shelf
            }
            .parts(KEY)
            .count(),
            0
        );
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let shelf = PartShelf::new(directory.path().to_owned(), true);
        let long_ago = SystemTime::now() - std::time::Duration::from_secs(3600);
        for name in ["old", "used", "new"] {
            shelf.keep(name, &part(name));
        }
        for name in ["old", "used"] {
            let kept = parts_of(&shelf.folder(name)).remove(0).path;
            let file = std::fs::File::options().append(true).open(kept);
            file.and_then(|file| file.set_modified(long_ago))
                .expect("its time is set");
        }
        assert_eq!(shelf.parts("used").count(), 1);
        let size = part("old").len() as u64;
        shelf.forget_old(2 * size + size / 2);
        let left = ["old", "used", "new"].map(|name| shelf.parts(name).count());
        assert_eq!(left, [0, 1, 1]);
        assert!(!shelf.folder("old").exists());
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_is_no_error() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let shelf = PartShelf::new(file.path().to_owned(), true);
        shelf.keep(KEY, &part("f"));
        shelf.note_whole(KEY);
        assert!(shelf.parts(KEY).next().is_none() && !shelf.is_whole(KEY));
    }
}
