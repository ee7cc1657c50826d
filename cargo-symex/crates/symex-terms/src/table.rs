//! The index behind hash-consing: from a node's hash to its handle. Nodes stay where the pool keeps
//! them, so that an entry takes eight bytes.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Open addressing with linear probing. An entry is the hash above the handle; 0 is a free slot.
pub struct UniqueTable {
    slots: Vec<u64>,
    used: usize,
}

impl Default for UniqueTable {
    fn default() -> UniqueTable {
        UniqueTable {
            slots: vec![0; 1024],
            used: 0,
        }
    }
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
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            if (slot >> 32) as u32 == hash && is_it(slot as u32) {
                return Some(slot as u32);
            }
            at = (at + 1) & mask;
        }
    }

    /// Files a handle, which must not be there.
    pub fn insert(&mut self, hash: u32, handle: u32) {
        debug_assert_ne!(handle, 0);
        if self.used * 2 >= self.slots.len() {
            let bigger = vec![0; self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, bigger);
            for slot in old.into_iter().filter(|s| *s != 0) {
                self.place(slot);
            }
        }
        self.place((hash as u64) << 32 | handle as u64);
        self.used += 1;
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    /// Bytes taken.
    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }
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
