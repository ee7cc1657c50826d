//! A hash map of a hash table, which is given hashes: computed in both ways that libraries have.

use hashbrown::HashTable;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

/// Map from keys to values.
pub struct Map<K, V> {
    table: HashTable<(K, V)>,
    hasher: RandomState,
}

impl<K: Hash + Eq, V> Default for Map<K, V> {
    fn default() -> Self {
        Map {
            table: HashTable::new(),
            hasher: RandomState::new(),
        }
    }
}

impl<K: Hash + Eq, V> Map<K, V> {
    /// Inserts a value and returns the one that the key had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = self.hasher.hash_one(&key);
        if let Some((_, old)) = self.table.find_mut(hash, |(other, _)| *other == key) {
            return Some(std::mem::replace(old, value));
        }
        let hasher = &self.hasher;
        self.table
            .insert_unique(hash, (key, value), |(key, _)| hash_by_hand(hasher, key));
        None
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        let hash = hash_by_hand(&self.hasher, key);
        let entry = self.table.find(hash, |(other, _)| other == key);
        entry.map(|(_, value)| value)
    }

    /// Returns the entries, in the order in which they lie in the table.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.table.iter()
    }
}

fn hash_by_hand<K: Hash>(hasher: &RandomState, key: &K) -> u64 {
    let mut hasher = hasher.build_hasher();
    key.hash(&mut hasher);
    hasher.finish()
}
