//! Answers of earlier runs, by the canonical names of queries [Green].
//!
//! Next to what costs most: a store on a disk is slower than most stages, and what they answer need not be stored. An assignment
//! is tried before it is believed. `Unsat` is believed as it is: who keeps the store sees to it that answers come from
//! this very tool, and that damaged ones do not come at all.

use super::canonical_cache::{carried_over, named};
use super::{Stage, Step};
use crate::expr::{Canonical, Pool};
use crate::solver::{Answer, AnswerStore, Query};
use serde::{Deserialize, Serialize};

/// See the module.
#[derive(Default)]
pub struct StoredAnswers {
    store: Option<Box<dyn AnswerStore>>,
    /// The query that is on its way to the later stages.
    pending: Option<Canonical>,
}

/// What is stored of an answer.
#[derive(Serialize, Deserialize)]
enum Stored {
    /// Values of the variables, in the order of their canonical numbers.
    Sat(Vec<u128>),
    Unsat,
}

impl Stage for StoredAnswers {
    fn name(&self) -> &'static str {
        "stored answers"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        self.pending = None;
        let Some(store) = &mut self.store else {
            return Step::Pass;
        };
        if query.has_base(pool) {
            return Step::Pass;
        }
        let Some(named) = named(pool, query) else {
            return Step::Pass;
        };
        let stored = store.get(&named.key);
        let stored = stored.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let answer = match stored {
            Some(Stored::Unsat) => Some(Answer::Unsat),
            Some(Stored::Sat(values)) => carried_over(pool, query, &named, &values),
            None => None,
        };
        match answer {
            Some(answer) => Step::Answer(answer),
            None => {
                self.pending = Some(named);
                Step::Pass
            }
        }
    }

    fn after(&mut self, _pool: &mut Pool, _query: &Query, answer: &Answer) {
        let (Some(named), Some(store)) = (self.pending.take(), &mut self.store) else {
            return;
        };
        let stored = match answer {
            Answer::Sat(a) => Stored::Sat(named.vars.iter().map(|v| a.get(*v)).collect()),
            Answer::Unsat => Stored::Unsat,
            Answer::Unknown(_) => return,
        };
        if let Ok(bytes) = postcard::to_stdvec(&stored) {
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
