//! The index behind hash-consing: from a node's hash to its handle. Nodes stay where the pool keeps
//! them, so that an entry takes nine bytes.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// An index of handles by the hashes of what they stand for.
#[derive(Default)]
pub struct UniqueTable {
    entries: HashTable<TableEntry>,
}

struct TableEntry {
    hash: u32,
    handle: u32,
}

impl UniqueTable {
    /// An empty index.
    pub fn new() -> UniqueTable {
        UniqueTable::default()
    }

    /// The hash that entries are filed under.
    #[inline]
    pub fn hash(key: &impl Hash) -> u32 {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        // The upper half of a product depends on every bit below.
        (hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }

    /// The handle (not 0) that is filed under this hash and is the right one.
    #[inline]
    pub fn find(&self, hash: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let equal = |entry: &TableEntry| entry.hash == hash && is_it(entry.handle);
        self.entries
            .find(wide(hash), equal)
            .map(|entry| entry.handle)
    }

    /// Files a handle, which must not be there.
    pub fn insert(&mut self, hash: u32, handle: u32) {
        debug_assert_ne!(handle, 0);
        let entry = TableEntry { hash, handle };
        self.entries
            .insert_unique(wide(hash), entry, |entry| wide(entry.hash));
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.entries.allocation_size()
    }
}

/// A hash for the table, which takes the place from the low bits and a tag from the high ones.
#[inline]
fn wide(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

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
