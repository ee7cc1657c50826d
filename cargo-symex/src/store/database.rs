//! The database file: an SQLite database of values by key, each with a hash over key and value.
//!
//! SQLite's transactions handle killed processes and concurrent access. Nothing is flushed to the
//! disk, which costs more than it is worth here: the hashes detect what a crash of the machine
//! damages, and a damaged file is replaced by an empty one. Only a process that has the file alone
//! does that, as told by a lock on a file beside it, because a journal that another process has
//! open would be taken for one of the new file.
//!
//! The file has at most [`MOST_BYTES`]. Room is made when it is opened, and while a run lasts only
//! among verdicts, which are read first; so nothing that is read later is removed while the run
//! lasts.

use super::Hash;
use super::failure::{DatabaseFailure, DatabaseResult};
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params,
};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Version of the tables. A file of another version is emptied.
const VERSION: i32 = 1;
/// Maximal size of the file in bytes.
pub(super) const MOST_BYTES: u64 = 64 << 20;
/// Share of [`MOST_BYTES`] that is kept when a run begins.
const KEPT: (u64, u64) = (3, 4);
const PAGE: u64 = 4096;
/// Time to wait for another process to end its transaction.
const PATIENCE: Duration = Duration::from_secs(5);
/// Age in seconds of the last recorded use from which on a use is recorded again.
const STALE: i64 = 3600;

const FILE: &str = "store.sqlite";
const LOCK: &str = "lock";

const TABLES: &str = "
    CREATE TABLE verdicts (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE answers (number INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE NOT NULL,
                          value BLOB NOT NULL, used INTEGER NOT NULL);
    CREATE TABLE tools (stamp TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL);";

/// An open database.
pub(super) struct Database {
    connection: Connection,
    folder: PathBuf,
    /// Lock shared by all processes that have the file open. `None` if the system has no locks.
    lock: Option<File>,
}

/// A stored value, and whether its last recorded use is old.
pub(super) struct StoredValue {
    pub value: Vec<u8>,
    /// Whether the last recorded use is so long ago that a use is to be recorded again.
    pub stale: bool,
}

impl Database {
    /// Opens the database in a folder, or creates it. Also tells whether it was damaged and
    /// replaced.
    pub fn open(folder: &Path) -> DatabaseResult<(Self, bool)> {
        let unusable = |error: std::io::Error| DatabaseFailure::Unusable(error.to_string());
        std::fs::create_dir_all(folder).map_err(unusable)?;
        let lock = lock(folder)?;
        match connect(folder) {
            Ok(connection) => {
                let database = Database {
                    connection,
                    folder: folder.to_owned(),
                    lock,
                };
                Ok((database, false))
            }
            Err(DatabaseFailure::Damaged) => Ok((anew(folder, lock)?, true)),
            Err(other) => Err(other),
        }
    }

    /// Replaces a damaged database by an empty one.
    pub fn anew(self) -> DatabaseResult<Self> {
        let Database {
            connection,
            folder,
            lock,
        } = self;
        drop(connection);
        anew(&folder, lock)
    }

    /// Removes the least recently used values, until there is room for this run.
    pub fn make_room(&mut self) -> DatabaseResult<()> {
        let enough = MOST_BYTES / KEPT.1 * KEPT.0;
        // Each iteration removes at least a quarter of the values, but perhaps the smaller ones
        // first.
        for _ in 0..16 {
            if self.bytes()? <= enough {
                break;
            }
            let transaction = self.begin()?;
            remove_oldest(&transaction, "verdicts")?;
            remove_oldest(&transaction, "answers")?;
            transaction.commit()?;
        }
        Ok(())
    }

    /// Returns the number of bytes in use.
    fn bytes(&self) -> DatabaseResult<u64> {
        let number = |pragma: &str| -> DatabaseResult<u64> {
            let number: i64 =
                self.connection
                    .query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))?;
            Ok(u64::try_from(number).unwrap_or(0))
        };
        Ok(number("page_count")?.saturating_sub(number("freelist_count")?) * PAGE)
    }

    /// Reports whether the file has almost reached its maximal size. A full disk gives the same
    /// error.
    pub fn is_at_its_bound(&self) -> bool {
        self.bytes().is_ok_and(|bytes| bytes > MOST_BYTES / 8 * 7)
    }

    fn begin(&mut self) -> DatabaseResult<Transaction<'_>> {
        // A transaction that begins by reading may find that it cannot go on to write.
        let behaviour = TransactionBehavior::Immediate;
        Ok(self.connection.transaction_with_behavior(behaviour)?)
    }

    /// Returns a verdict.
    pub fn verdict(&self, key: &Hash) -> DatabaseResult<Option<StoredValue>> {
        let sql = "SELECT value, used FROM verdicts WHERE key = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement
            .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found(key, row)
    }

    /// Stores verdicts; a newer one replaces an older one.
    pub fn put_verdicts(&mut self, values: &[(Hash, Vec<u8>)]) -> DatabaseResult<()> {
        let put = |database: &mut Self| -> DatabaseResult<()> {
            let transaction = database.begin()?;
            for (key, value) in values {
                transaction
                    .prepare_cached("INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3)")?
                    .execute(params![key, sealed(key, value), now()])?;
            }
            Ok(transaction.commit()?)
        };
        match put(self) {
            Err(DatabaseFailure::Full) => {
                let transaction = self.begin()?;
                remove_oldest(&transaction, "verdicts")?;
                transaction.commit()?;
                put(self)?;
            }
            other => other?,
        }
        // A damaged index takes a value and does not find it again.
        for (key, _) in values {
            self.verdict(key)?.ok_or(DatabaseFailure::Damaged)?;
        }
        Ok(())
    }

    /// Records that verdicts were used.
    pub fn touch_verdicts(&mut self, keys: &[Hash]) -> DatabaseResult<()> {
        let transaction = self.begin()?;
        touch(&transaction, "verdicts", keys)?;
        Ok(transaction.commit()?)
    }

    /// Returns the greatest number of an answer; 0 if there is none.
    pub fn last_answer(&self) -> DatabaseResult<i64> {
        let sql = "SELECT coalesce(max(number), 0) FROM answers";
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// Returns an answer with a number up to `last`.
    pub fn answer(&self, key: &Hash, last: i64) -> DatabaseResult<Option<StoredValue>> {
        let sql = "SELECT value, used FROM answers WHERE key = ?1 AND number <= ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = statement
            .query_row(params![key, last], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        found(key, row)
    }

    /// Stores answers whose keys have none yet, and records that others were used.
    pub fn put_answers<'a>(
        &mut self,
        values: impl Iterator<Item = (&'a Hash, &'a Vec<u8>)>,
        used: &[Hash],
    ) -> DatabaseResult<()> {
        let transaction = self.begin()?;
        for (key, value) in values {
            transaction
                .prepare_cached(
                    "INSERT OR IGNORE INTO answers (key, value, used) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![key, sealed(key, value), now()])?;
        }
        touch(&transaction, "answers", used)?;
        Ok(transaction.commit()?)
    }

    /// Returns the stored value for an executable.
    pub fn tool(&self, stamp: &str) -> DatabaseResult<Option<Vec<u8>>> {
        let sql = "SELECT value FROM tools WHERE stamp = ?1";
        let value: Option<Vec<u8>> = self
            .connection
            .query_row(sql, [stamp], |row| row.get(0))
            .optional()?;
        let key = blake3::hash(stamp.as_bytes());
        value.map(|value| opened(key.as_bytes(), value)).transpose()
    }

    /// Stores the value for this executable, and removes those of others.
    pub fn put_tool(&mut self, stamp: &str, value: &[u8]) -> DatabaseResult<()> {
        let key = blake3::hash(stamp.as_bytes());
        let transaction = self.begin()?;
        transaction.execute("DELETE FROM tools", [])?;
        transaction.execute(
            "INSERT INTO tools VALUES (?1, ?2)",
            params![stamp, sealed(key.as_bytes(), value)],
        )?;
        Ok(transaction.commit()?)
    }
}

/// Returns the value of a row, if its hash is correct.
fn found(key: &Hash, row: Option<(Vec<u8>, i64)>) -> DatabaseResult<Option<StoredValue>> {
    let Some((value, used)) = row else {
        return Ok(None);
    };
    Ok(Some(StoredValue {
        value: opened(key, value)?,
        stale: now().saturating_sub(used) >= STALE,
    }))
}

fn touch(transaction: &Transaction<'_>, table: &str, keys: &[Hash]) -> DatabaseResult<()> {
    let sql = format!("UPDATE {table} SET used = ?2 WHERE key = ?1");
    for key in keys {
        transaction
            .prepare_cached(&sql)?
            .execute(params![key, now()])?;
    }
    Ok(())
}

fn remove_oldest(transaction: &Transaction<'_>, table: &str) -> DatabaseResult<()> {
    let quarter = format!("SELECT count(*) / 4 + 1 FROM {table}");
    let oldest = format!("SELECT key FROM {table} ORDER BY used, key LIMIT ({quarter})");
    let sql = format!("DELETE FROM {table} WHERE key IN ({oldest})");
    transaction.execute(&sql, [])?;
    Ok(())
}

/// Returns the seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() as i64)
}

fn seal(key: &Hash, value: &[u8]) -> Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    *hasher.update(value).finalize().as_bytes()
}

/// Returns a value with a hash that reveals damage, or another key's value.
fn sealed(key: &Hash, value: &[u8]) -> Vec<u8> {
    let mut sealed = seal(key, value).to_vec();
    sealed.extend_from_slice(value);
    sealed
}

fn opened(key: &Hash, mut sealed: Vec<u8>) -> DatabaseResult<Vec<u8>> {
    if sealed.len() < size_of::<Hash>() {
        return Err(DatabaseFailure::Damaged);
    }
    let value = sealed.split_off(size_of::<Hash>());
    if sealed == seal(key, &value) {
        Ok(value)
    } else {
        Err(DatabaseFailure::Damaged)
    }
}

/// Takes the lock that all processes with the file open share.
fn lock(folder: &Path) -> DatabaseResult<Option<File>> {
    let path = folder.join(LOCK);
    let options = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    // A folder that cannot be written may still be readable.
    let Ok(file) = options.or_else(|_| File::open(&path)) else {
        return Ok(None);
    };
    // A process that replaces the file holds the lock only briefly.
    for _ in 0..100 {
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Ok(()) => return Ok(Some(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => std::thread::sleep(Duration::from_millis(10)),
            Err(_) => return Ok(None),
        }
    }
    Err(DatabaseFailure::Unusable(
        "another process has it for itself".to_owned(),
    ))
}

/// Removes a damaged database and creates a new one, if no other process has it open.
fn anew(folder: &Path, lock: Option<File>) -> DatabaseResult<Database> {
    let Some(lock) = lock else {
        return Err(DatabaseFailure::Unusable(
            "it is damaged and cannot be locked".to_owned(),
        ));
    };
    let alone = flock(&lock, FlockOperation::NonBlockingLockExclusive);
    if alone.is_err() {
        return Err(DatabaseFailure::Unusable(
            "it is damaged and in use".to_owned(),
        ));
    }
    for ending in ["-journal", "-wal", "-shm", ""] {
        match std::fs::remove_file(folder.join(format!("{FILE}{ending}"))) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(DatabaseFailure::Unusable(format!(
                    "it is damaged, and {error}"
                )));
            }
            _ => {}
        }
    }
    let connection = connect(folder)?;
    let shared = flock(&lock, FlockOperation::NonBlockingLockShared);
    shared.map_err(|error| DatabaseFailure::Unusable(error.to_string()))?;
    Ok(Database {
        connection,
        folder: folder.to_owned(),
        lock: Some(lock),
    })
}

fn connect(folder: &Path) -> DatabaseResult<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(folder.join(FILE), flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = {PAGE};
         PRAGMA synchronous = OFF;
         PRAGMA temp_store = MEMORY;
         PRAGMA trusted_schema = OFF;
         PRAGMA cell_size_check = ON;"
    ))?;
    let most = MOST_BYTES / PAGE;
    let _: i64 = connection.query_row(&format!("PRAGMA max_page_count = {most}"), [], |row| {
        row.get(0)
    })?;
    if version(&connection)? != VERSION {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been quicker.
        if version(&transaction)? != VERSION {
            empty(&transaction)?;
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

fn version(connection: &Connection) -> DatabaseResult<i32> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Removes all tables that another version has left.
fn empty(connection: &Connection) -> DatabaseResult<()> {
    let sql = "SELECT type, name FROM sqlite_schema
               WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let all: Vec<(String, String)> = rows.collect::<Result<_, _>>()?;
    for (kind, name) in all {
        let name = name.replace('"', "\"\"");
        connection.execute_batch(&format!("DROP {kind} \"{name}\""))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "database_tests.rs"]
mod tests;
