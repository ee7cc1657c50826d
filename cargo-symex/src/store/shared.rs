//! The store of one run, shared by its threads. Failures are handled here: a failed read finds
//! nothing, a failed write keeps nothing, and only the first failure is reported.

use super::database::{Database, StoredValue};
use super::failure::{DatabaseFailure, DatabaseResult};
use super::{Hash, tool};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The results stored by earlier runs, to which this run adds its own.
pub struct Store {
    folder: PathBuf,
    tool: Hash,
    /// Number of the last answer that existed when the run began. Later answers are ignored, even
    /// those of other processes.
    last_answer: i64,
    open: Mutex<OpenDatabase>,
}

struct OpenDatabase {
    /// The open database; `None` if it is not to be used in this run any more.
    database: Option<Database>,
    /// Whether the database can be written.
    writable: bool,
    warning: Option<String>,
    warned: bool,
}

impl Store {
    /// Opens the store in a folder for a run of the tool in `executable`. If that fails, the store
    /// is and stays empty, and has a warning.
    pub fn open(folder: &Path, executable: &Path) -> Self {
        let mut open = OpenDatabase {
            database: None,
            writable: true,
            warning: None,
            warned: false,
        };
        match Database::open(folder) {
            Ok((database, damaged)) => {
                if damaged {
                    open.warn(folder, DAMAGED);
                }
                open.database = Some(database);
            }
            Err(failure) => open.give_up(folder, &failure),
        }
        let mut store = Store {
            folder: folder.to_owned(),
            tool: [0; 32],
            last_answer: 0,
            open: Mutex::new(open),
        };
        store.write(Database::make_room);
        store.tool = store.identify(executable);
        store.last_answer = store.read(Database::last_answer).unwrap_or(0);
        store
    }

    /// Returns the identity of this build of the tool, the solver included.
    pub fn tool(&self) -> &Hash {
        &self.tool
    }

    /// Returns a warning for the user, once in a run.
    pub fn warning(&self) -> Option<String> {
        let mut open = self.lock();
        let warning = open.warning.take();
        // One line is enough, whatever comes after.
        if open.warned {
            return None;
        }
        open.warned = warning.is_some();
        warning
    }

    /// Returns the hash of the executable. Computing it takes as long as a small harness, so it is
    /// stored by size and time.
    fn identify(&self, executable: &Path) -> Hash {
        let stamp = tool::stamp(executable).unwrap_or_default();
        let known = self.read(|database| database.tool(&stamp)).flatten();
        let known = known.and_then(|bytes| Hash::try_from(bytes).ok());
        let identity = known.or_else(|| {
            let identity = tool::identity(executable).ok()?;
            self.write(|database| database.put_tool(&stamp, &identity));
            Some(identity)
        });
        match identity {
            Some(identity) => tool::with_solver(&identity),
            None => {
                let mut open = self.lock();
                let failure = "the executable of cargo-symex cannot be read".to_owned();
                open.give_up(&self.folder, &DatabaseFailure::Unusable(failure));
                [0; 32]
            }
        }
    }

    pub(super) fn verdict(&self, key: &Hash) -> Option<StoredValue> {
        self.read(|database| database.verdict(key)).flatten()
    }

    pub(super) fn put_verdicts(&self, values: &[(Hash, Vec<u8>)]) {
        self.write(|database| database.put_verdicts(values));
    }

    pub(super) fn touch_verdicts(&self, keys: &[Hash]) {
        if !keys.is_empty() {
            self.write(|database| database.touch_verdicts(keys));
        }
    }

    pub(super) fn answer(&self, key: &Hash) -> Option<StoredValue> {
        if self.last_answer == 0 {
            return None;
        }
        self.read(|database| database.answer(key, self.last_answer))
            .flatten()
    }

    pub(super) fn put_answers(&self, values: &BTreeMap<Hash, Vec<u8>>, used: &[Hash]) {
        self.write(|database| database.put_answers(values.iter(), used));
    }

    fn lock(&self) -> MutexGuard<'_, OpenDatabase> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, read: impl FnOnce(&Database) -> DatabaseResult<T>) -> Option<T> {
        let mut open = self.lock();
        let result = read(open.database.as_ref()?);
        result
            .map_err(|failure| open.failed(&self.folder, &failure))
            .ok()
    }

    /// Writes to the database, or to a new one if the old one turns out to be damaged.
    fn write(&self, write: impl Fn(&mut Database) -> DatabaseResult<()>) {
        let mut open = self.lock();
        if !open.writable {
            return;
        }
        let Some(database) = &mut open.database else {
            return;
        };
        match write(database) {
            Ok(()) => {}
            // There will be room again when the next run begins.
            Err(DatabaseFailure::Full) if database.is_at_its_bound() => {}
            Err(DatabaseFailure::Damaged) => {
                open.failed(&self.folder, &DatabaseFailure::Damaged);
                if let Some(Err(failure)) = open.database.as_mut().map(write) {
                    open.give_up(&self.folder, &failure);
                }
            }
            Err(failure) => {
                open.writable = false;
                let what = format!("cannot be written: {}", text(&failure));
                open.warn(&self.folder, &what);
            }
        }
    }
}

const DAMAGED: &str = "was damaged, and is started anew";

fn text(failure: &DatabaseFailure) -> &str {
    match failure {
        DatabaseFailure::Damaged => "it is damaged",
        DatabaseFailure::Full => "the disk is full",
        DatabaseFailure::Unusable(why) => why,
    }
}

impl OpenDatabase {
    fn warn(&mut self, folder: &Path, what: &str) {
        let folder = folder.display();
        self.warning
            .get_or_insert_with(|| format!("the cache of verdicts in {folder} {what}"));
    }

    fn give_up(&mut self, folder: &Path, failure: &DatabaseFailure) {
        self.database = None;
        self.warn(folder, &format!("cannot be used: {}", text(failure)));
    }

    /// Handles a failure other than one of writing.
    fn failed(&mut self, folder: &Path, failure: &DatabaseFailure) {
        if *failure != DatabaseFailure::Damaged {
            return self.give_up(folder, failure);
        }
        match self.database.take().map(Database::anew) {
            Some(Ok(database)) => {
                self.database = Some(database);
                self.warn(folder, DAMAGED);
            }
            Some(Err(failure)) => self.give_up(folder, &failure),
            None => {}
        }
    }
}
