//! The query cache: remembers the answers to whole queries, by the set of constraints and the goal.
//!
//! Invariant: entries are free of base addresses, so that an answer holds under any address map;
//! only the values of the query's own variables are kept. `Unknown` is not remembered.
//!
//! Pays on conditions that a program repeats, in a loop or on sibling paths: the stages up to the
//! next cache are spared.

use super::{Stage, StageOutcome};
use crate::query::merge;
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use symex_terms::{Assignment, Expr, Pool, Var};

/// Number of entries at which the cache is cleared.
const CAPACITY: usize = 200_000;

type QueryKey = (Box<[Expr]>, Expr);

/// The query cache stage: see the module.
#[derive(Default)]
pub struct QueryCache {
    answers: FxHashMap<QueryKey, Cached>,
    /// Key of the query that is on its way to the later stages.
    pending: Option<QueryKey>,
}

enum Cached {
    Sat(Box<[(Var, u128)]>),
    Unsat,
}

impl Stage for QueryCache {
    fn name(&self) -> &'static str {
        "query cache"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        self.pending = None;
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let mut constraints = query.constraints.to_vec();
        constraints.sort_unstable();
        constraints.dedup();
        let key = (constraints.into_boxed_slice(), query.goal);
        match self.answers.get(&key) {
            Some(Cached::Unsat) => StageOutcome::Answer(Answer::Unsat),
            Some(Cached::Sat(values)) => {
                StageOutcome::Answer(Answer::Sat(merge(query.hint, values)))
            }
            None => {
                self.pending = Some(key);
                StageOutcome::Pass
            }
        }
    }

    fn after(&mut self, pool: &mut Pool, query: &Query, answer: &Answer) {
        let Some(key) = self.pending.take() else {
            return;
        };
        let cached = match answer {
            Answer::Sat(a) => Cached::Sat(values(pool, query, a)),
            Answer::Unsat => Cached::Unsat,
            Answer::Unknown(_) => return,
        };
        if self.answers.len() >= CAPACITY {
            self.answers.clear();
        }
        self.answers.insert(key, cached);
    }

    fn is_cache(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

fn values(pool: &Pool, query: &Query, assignment: &Assignment) -> Box<[(Var, u128)]> {
    query
        .vars(pool)
        .into_iter()
        .map(|v| (v, assignment.get(v)))
        .collect()
}
