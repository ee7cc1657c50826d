//! The query cache for queries that differ in the names of inputs: one piece of code checks digit
//! after digit of a number, field after field of a record, byte after byte of a text [FGM III-C].
//!
//! It comes behind the stages that are quicker than computing a canonical name.
//!
//! Pays on records that are checked one after another by conditions that only Z3 decides, such as a
//! product of two words.

use super::canonical_cache::CanonicalCache;
use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use symex_terms::Pool;

/// The renaming cache stage: see the module.
#[derive(Default)]
pub struct RenamingCache {
    cache: CanonicalCache,
}

impl Stage for RenamingCache {
    fn name(&self) -> &'static str {
        "renaming cache"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return self.cache.pass();
        }
        self.cache.look_up(pool, query)
    }

    fn after(&mut self, _pool: &mut Pool, _query: &Query, answer: &Answer) {
        self.cache.learn(answer);
    }

    fn is_cache(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}
