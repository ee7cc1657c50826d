//! A cache of answers by the canonical names of queries: the answer to one query serves all queries
//! that differ from it in names alone.
//!
//! An assignment is carried over along the bijection of the variables, and is checked on the new
//! query; `Unsat` rests on the proof that the two queries are the same ([`Pool::canonical`]).

use super::StageOutcome;
use crate::query::merge;
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use symex_terms::{Canonical, Expr, ObjectId, Pool};

/// Number of entries at which the memory is cleared.
const CAPACITY: usize = 200_000;
/// Greatest number of nodes of a query that is given a name: naming a larger one would take longer
/// than most solvers do.
const MAX_PARTS: usize = 20_000;

/// Cache of the answers of one worker.
#[derive(Default)]
pub(super) struct CanonicalCache {
    answers: FxHashMap<[u8; 32], CachedAnswer>,
    /// Name of the query that is on its way to the later stages.
    pending: Option<Canonical>,
}

/// A cached answer.
#[derive(Serialize, Deserialize)]
pub(super) enum CachedAnswer {
    /// Values of the variables, in the order of their canonical numbers.
    Sat(Vec<u128>),
    Unsat,
}

impl CachedAnswer {
    /// Converts the answer to a query of this name to a cache entry; `None` for `Unknown`.
    pub(super) fn of(answer: &Answer, named: &Canonical) -> Option<CachedAnswer> {
        match answer {
            Answer::Sat(a) => Some(CachedAnswer::Sat(
                named.vars.iter().map(|v| a.get(*v)).collect(),
            )),
            Answer::Unsat => Some(CachedAnswer::Unsat),
            Answer::Unknown(_) => None,
        }
    }

    /// Returns the answer to a query of this name; `None` if the assignment does not satisfy it.
    pub(super) fn answer(
        &self,
        pool: &mut Pool,
        query: &Query,
        named: &Canonical,
    ) -> Option<Answer> {
        match self {
            CachedAnswer::Unsat => Some(Answer::Unsat),
            CachedAnswer::Sat(values) => carried_over(pool, query, named, values),
        }
    }
}

impl CanonicalCache {
    /// Looks up the answer to a query that equals this one except for names.
    pub(super) fn look_up(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let named = named(pool, query);
        self.look_up_named(pool, query, named)
    }

    /// Looks up a query as [`CanonicalCache::look_up`] does, given its name, if it has one.
    pub(super) fn look_up_named(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        named: Option<Canonical>,
    ) -> StageOutcome {
        self.pending = None;
        let Some(named) = named else {
            return StageOutcome::Pass;
        };
        let kept = self.answers.get(&named.key);
        match kept.and_then(|kept| kept.answer(pool, query, &named)) {
            Some(answer) => StageOutcome::Answer(answer),
            None => {
                self.pending = Some(named);
                StageOutcome::Pass
            }
        }
    }

    /// Passes the query without remembering it.
    pub(super) fn pass(&mut self) -> StageOutcome {
        self.pending = None;
        StageOutcome::Pass
    }

    /// Remembers the answer to the query that was looked up last.
    pub(super) fn learn(&mut self, answer: &Answer) {
        let Some(named) = self.pending.take() else {
            return;
        };
        let Some(kept) = CachedAnswer::of(answer, &named) else {
            return;
        };
        if self.answers.len() >= CAPACITY {
            self.answers.clear();
        }
        self.answers.insert(named.key, kept);
    }
}

/// Returns the canonical name of a query, if it is not too large.
pub(super) fn named(pool: &mut Pool, query: &Query) -> Option<Canonical> {
    let mut terms: Vec<Expr> = query.constraints.to_vec();
    terms.push(query.goal);
    let size = |object: ObjectId| query.addresses.size(object);
    pool.canonical(&terms, &size, MAX_PARTS)
}

/// Makes an answer from the values of the corresponding variables in another query.
fn carried_over(
    pool: &mut Pool,
    query: &Query,
    named: &Canonical,
    values: &[u128],
) -> Option<Answer> {
    if values.len() != named.vars.len() {
        return None;
    }
    let values: Vec<_> = named
        .vars
        .iter()
        .copied()
        .zip(values.iter().copied())
        .collect();
    let assignment = merge(query.hint, &values);
    query
        .holds(pool, &assignment)
        .then_some(Answer::Sat(assignment))
}
