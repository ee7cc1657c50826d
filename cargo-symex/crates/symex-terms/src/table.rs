//! The unique table of hash-consing: an index from a node's hash to its handle. Nodes stay in the
//! pool, so an entry takes nine bytes.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// An index of handles by the hashes of their nodes.
#[derive(Default)]
pub struct UniqueTable {
    entries: HashTable<TableEntry>,
}

struct TableEntry {
    hash: u32,
    handle: u32,
}

impl UniqueTable {
    /// Makes an empty index.
    pub fn new() -> UniqueTable {
        UniqueTable::default()
    }

    /// Returns the hash under which entries are stored.
    #[inline]
    pub fn hash(key: &impl Hash) -> u32 {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The upper half of a product depends on every bit below.
        (hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }

    /// Finds the handle (not 0) that has this hash and satisfies `is_it`.
    #[inline]
    pub fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let equal = |entry: &TableEntry| entry.hash == hash && is_it(entry.handle);
        self.entries
            .find(wide(hash), equal)
            .map(|entry| entry.handle)
    }

    /// Inserts a handle, which must not be present.
    pub fn insert(&mut self, hash: u32, handle: u32) {
        debug_assert_ne!(handle, 0);
        let entry = TableEntry { hash, handle };
        self.entries
            .insert_unique(wide(hash), entry, |entry| wide(entry.hash));
    }

    /// Returns the bytes taken.
    pub fn bytes(&self) -> usize {
        self.entries.allocation_size()
    }

    /// Returns the bytes of the table that will soon take this one's place: 0 unless this one is
    /// nearly full.
    pub fn imminent_bytes(&self) -> usize {
        let left = self.entries.capacity() - self.entries.len();
        match left < self.entries.capacity() / 32 {
            true => 2 * self.bytes(),
            false => 0,
        }
    }
}

/// Widens a hash for the table, which takes the position from the low bits and a tag from the high
/// ones.
#[inline]
fn wide(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_foreseen() {
        let mut table = UniqueTable::new();
        let mut foreseen = 0;
        for key in 0..1_000_000u64 {
            let before = table.bytes();
            table.insert(UniqueTable::hash(&key), key as u32 + 1);
            if before > 1 << 16 && table.bytes() > before {
                assert_eq!(foreseen.max(1) / table.bytes(), 1, "{before}");
            }
            foreseen = table.imminent_bytes();
        }
    }

    #[test]
    fn what_was_filed_is_found() {
        let mut table = UniqueTable::new();
        let keys: Vec<(u64, u32)> = (0..100_000u64).map(|i| (i * i, i as u32 % 7)).collect();
        for (i, k) in keys.iter().enumerate() {
            let h = UniqueTable::hash(k);
            assert_eq!(table.find(h, |x| keys[x as usize - 1] == *k), None);
            table.insert(h, i as u32 + 1);
        }
        for (i, k) in keys.iter().enumerate() {
            let found = table.find(UniqueTable::hash(k), |x| keys[x as usize - 1] == *k);
            assert_eq!(found, Some(i as u32 + 1));
        }
    }
}
