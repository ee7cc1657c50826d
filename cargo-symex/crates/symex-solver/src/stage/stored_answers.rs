//! Stage with the answers of earlier runs, by the canonical names of queries \[Green\].
//!
//! It comes just before the most expensive stages: a store on a disk is slower than most stages,
//! and answers of those need not be stored. A stored assignment is checked before it is used.
//! `Unsat` is trusted: the owner of the store ensures that answers come from this very build of the
//! tool, and that damaged ones are not returned.
//!
//! Pays from the second run on, on queries that take long in the later stages, such as the roots
//! that `box_search` decides.

use super::canonical_cache::{CachedAnswer, named};
use super::{Stage, StageOutcome};
use crate::{Answer, AnswerStore, Query};
use symex_terms::{Canonical, Pool};

/// The stored answers stage: see the module.
#[derive(Default)]
pub struct StoredAnswers {
    store: Option<Box<dyn AnswerStore>>,
    /// Name of the query that is on its way to the later stages.
    pending: Option<Canonical>,
}

impl Stage for StoredAnswers {
    fn name(&self) -> &'static str {
        "stored answers"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        self.pending = None;
        let Some(store) = &mut self.store else {
            return StageOutcome::Pass;
        };
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let Some(named) = named(pool, query) else {
            return StageOutcome::Pass;
        };
        let stored = store.get(&named.key);
        let kept: Option<CachedAnswer> = stored.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        match kept.and_then(|kept| kept.answer(pool, query, &named)) {
            Some(answer) => StageOutcome::Answer(answer),
            None => {
                self.pending = Some(named);
                StageOutcome::Pass
            }
        }
    }

    fn after(&mut self, _pool: &mut Pool, _query: &Query, answer: &Answer) {
        let (Some(named), Some(store)) = (self.pending.take(), &mut self.store) else {
            return;
        };
        let kept = CachedAnswer::of(answer, &named);
        if let Some(Ok(bytes)) = kept.map(|kept| postcard::to_stdvec(&kept)) {
            store.put(&named.key, &bytes);
        }
    }

    fn is_cache(&self) -> bool {
        true
    }

    fn keep_answers(&mut self, store: &mut Option<Box<dyn AnswerStore>>) {
        self.store = store.take();
    }

    fn reset(&mut self) {
        self.pending = None;
    }
}
