//! What explorations have left, one file each: a hash over the rest, then what the engine wrote.
//!
//! A file replaces the one before it as a whole, so that a process that is killed leaves one or the
//! other. A file that cannot be read, or is damaged, counts as absent; one that cannot be written
//! is not, and all that is lost is the work.

use super::{Hash, Keys};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use symex_engine::Remainder;

/// Maximal size of a file, in bytes.
const MOST_BYTES: usize = 256 << 20;

/// Maximal size of all files together, in bytes.
const MOST_BYTES_TOGETHER: u64 = 1 << 30;

/// Returns what an exploration has left.
pub fn get(folder: &Path, keys: &Keys) -> Option<Remainder> {
    let key = key_of(folder, keys)?;
    let bytes = std::fs::read(path(folder, &key)).ok()?;
    let (hash, bytes) = bytes.split_first_chunk::<32>()?;
    let is_whole = *seal(&key, bytes).as_bytes() == *hash;
    is_whole.then(|| Remainder::from_bytes(bytes))?
}

/// Reports whether an exploration has left something.
pub fn exists(folder: &Path, keys: &Keys) -> bool {
    key_of(folder, keys).is_some()
}

/// Stores what an exploration has left. Where the placement of objects in memory mattered, it is
/// stored under the key over the whole program, and an empty file under the narrower key says so.
pub fn put(folder: &Path, keys: &Keys, remainder: &Remainder) {
    let Some(bytes) = remainder
        .to_bytes()
        .filter(|bytes| bytes.len() <= MOST_BYTES)
    else {
        return;
    };
    let keep = || -> Option<()> {
        let narrow = keys
            .reached
            .filter(|_| !remainder.has_looked_at_addresses());
        let key = narrow.or_else(|| keys.whole())?;
        let sealed = [seal(&key, &bytes).as_bytes(), &bytes[..]].concat();
        write(folder, &key, &sealed).ok()?;
        match keys.reached.filter(|narrow| *narrow != key) {
            Some(narrow) => write(folder, &narrow, &[]).ok(),
            None => Some(()),
        }
    };
    // What is lost otherwise is the work: the exploration begins anew.
    let _ = keep();
}

/// Removes what an exploration has left, since it is explored now.
pub fn remove(folder: &Path, keys: &Keys) {
    if let Some(key) = key_of(folder, keys) {
        for key in keys.reached.into_iter().chain([key]) {
            let _ = std::fs::remove_file(path(folder, &key));
        }
    }
}

/// Returns the key of the file with what an exploration has left, if there is one.
fn key_of(folder: &Path, keys: &Keys) -> Option<Hash> {
    let size = |key: &Hash| Some(path(folder, key).metadata().ok()?.len());
    if let Some(narrow) = keys.reached
        && size(&narrow)? > 0
    {
        return Some(narrow);
    }
    // The key over the whole program is computed only if there may be such a file.
    let whole = folder.exists().then(|| keys.whole())??;
    size(&whole).map(|_| whole)
}

fn write(folder: &Path, key: &Hash, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    make_room(folder, bytes.len() as u64)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, bytes)?;
    file.persist(path(folder, key))?;
    Ok(())
}

/// Removes the oldest files until there is room for so many bytes.
fn make_room(folder: &Path, bytes: u64) -> std::io::Result<()> {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // Other runs write here as well, and what they have just begun to write is soon renamed.
        if let Ok(meta) = entry.metadata() {
            files.push((meta.modified()?, meta.len(), entry.path()));
        }
    }
    files.sort();
    let mut total = bytes + files.iter().map(|file| file.1).sum::<u64>();
    for (_, size, path) in files {
        if total <= MOST_BYTES_TOGETHER {
            break;
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => total -= size,
        }
    }
    Ok(())
}

fn path(folder: &Path, key: &Hash) -> PathBuf {
    folder.join(blake3::Hash::from_bytes(*key).to_hex().as_str())
}

fn seal(key: &Hash, bytes: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_derive_key("cargo symex: what an exploration has left");
    hasher.update(key).update(bytes);
    hasher.finalize()
}
