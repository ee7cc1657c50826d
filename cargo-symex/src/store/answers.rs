//! The solver's stored answers, as the stages of one harness read and write them.

use super::{Hash, Store};
use std::collections::BTreeMap;
use std::sync::Arc;
use symex_solver::AnswerStore;

/// Maximal size of the new answers of one harness, in bytes of keys and values. Later answers are
/// not kept.
const MOST_BYTES: usize = 8 << 20;

/// The answers that were stored when the run began; new ones are collected, and written together at
/// the end of the harness.
pub struct Answers {
    store: Arc<Store>,
    collected: BTreeMap<Hash, Vec<u8>>,
    bytes: usize,
    /// Keys whose use is to be recorded.
    used: Vec<Hash>,
}

impl Answers {
    /// Creates a view of a store's answers, without any of this run.
    pub fn new(store: Arc<Store>) -> Self {
        Answers {
            store,
            collected: BTreeMap::new(),
            bytes: 0,
            used: Vec::new(),
        }
    }

    /// Returns the key of an answer for this build of the tool only: another build may name queries
    /// differently, or be wrong.
    fn of_this_tool(&self, key: &Hash) -> Hash {
        *blake3::Hasher::new()
            .update(self.store.tool())
            .update(key)
            .finalize()
            .as_bytes()
    }

    /// Writes the collected answers in one transaction.
    pub fn commit(&mut self) {
        let collected = std::mem::take(&mut self.collected);
        let used = std::mem::take(&mut self.used);
        if !(collected.is_empty() && used.is_empty()) {
            self.store.put_answers(&collected, &used);
        }
    }
}

impl AnswerStore for Answers {
    fn get(&mut self, key: &Hash) -> Option<Vec<u8>> {
        let key = self.of_this_tool(key);
        let found = self.store.answer(&key)?;
        if found.stale {
            self.used.push(key);
        }
        Some(found.value)
    }

    fn put(&mut self, key: &Hash, value: &[u8]) {
        let key = self.of_this_tool(key);
        let bytes = size_of::<Hash>() + value.len();
        if self.bytes + bytes <= MOST_BYTES && !self.collected.contains_key(&key) {
            self.bytes += bytes;
            self.collected.insert(key, value.to_vec());
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        // After a panic of the tool, nothing is stored.
        if !std::thread::panicking() {
            self.commit();
        }
    }
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
