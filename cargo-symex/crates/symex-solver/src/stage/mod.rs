//! Stages: each may answer a query, or replace it by one that has a solution if it has, before the
//! back end sees it.
//!
//! One stage a file; the one that names a solver library, `cegar`, is among the back ends. A stage
//! never calls another of the chain: a query walks along the list (`walk`) until one answers, and
//! then backwards, so that those who passed may learn from the answer. (`case_split` has a list of
//! its own.) The list, and the reasons for its order, are in `chain`.

pub mod address;
pub mod address_aware_cache;
pub mod assignment_cache;
pub mod bdd;
pub mod box_search;
mod canonical_cache;
pub mod case_split;
pub mod comparison_graph;
pub mod congruence;
pub mod equality;
pub mod interval;
pub mod query_cache;
pub mod renaming_cache;
mod set_trie;
pub mod small_domain;
pub mod stored_answers;
pub mod walk;

use super::{Answer, AnswerStore, InterruptHandle, Query};
use std::time::{Duration, Instant};
use symex_terms::{Expr, Pool, connected};

/// The outcome of a stage's look at a query.
pub enum Step {
    /// Nothing: the next stage shall try.
    Pass,
    /// The answer.
    Answer(Answer),
    /// Another query that has a solution exactly if this one has, and whose solutions are some of
    /// this one's, with the hint's values for inputs that no longer occur: its constraints and
    /// goal.
    Rewrite(Vec<Expr>, Expr),
}

/// When to give up a query that may take long.
pub(super) struct Limit {
    interrupt: InterruptHandle,
    deadline: Option<Instant>,
    timeout: Duration,
}

impl Default for Limit {
    fn default() -> Self {
        Limit {
            interrupt: InterruptHandle::new(),
            deadline: None,
            timeout: Duration::MAX,
        }
    }
}

impl Limit {
    /// Sets the limits that [`Stage::bound`] is told.
    fn set(&mut self, interrupt: &InterruptHandle, deadline: Option<Instant>, timeout: Duration) {
        self.interrupt = interrupt.clone();
        self.deadline = deadline;
        self.timeout = timeout;
    }

    /// The time at which a query that begins now ends.
    fn end(&self) -> Option<Instant> {
        let end = Instant::now().checked_add(self.timeout);
        self.deadline.into_iter().chain(end).min()
    }

    fn is_over(&self, end: Option<Instant>) -> bool {
        self.interrupt.is_raised() || end.is_some_and(|end| end <= Instant::now())
    }
}

/// One link of the chain.
pub trait Stage: Send {
    /// The row of the statistics.
    fn name(&self) -> &'static str;

    /// Looks at a query.
    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step;

    /// Sees the answer to a query that it passed or rewrote (the query is as it came in).
    fn after(&mut self, _pool: &mut Pool, _query: &Query, _answer: &Answer) {}

    /// Does it answer from memory, so that a validating chain shall check what it says?
    fn is_cache(&self) -> bool {
        false
    }

    /// For how many of the queries that it has looked at it asked a solver.
    fn asked_solver(&self) -> u64 {
        0
    }

    /// The work that it has done, if it counts any, in units of some 0.2 us (in which Z3 counts,
    /// too). Counted and never timed: the same queries in the same order take the same work.
    fn work(&self) -> u64 {
        0
    }

    /// Gets what ends long work: a handle, the end of the run, and the time for one query.
    fn bound(
        &mut self,
        _interrupt: &InterruptHandle,
        _deadline: Option<Instant>,
        _timeout: Duration,
    ) {
    }

    /// Gets the answers of earlier runs, if it is the stage that uses them.
    fn keep_answers(&mut self, _store: &mut Option<Box<dyn AnswerStore>>) {}

    /// Forgets everything: the pool is another one.
    fn reset(&mut self) {}
}

/// Those of some constraints that share symbols with a goal, directly or through others; `None` if
/// the hint does not satisfy the rest, so that these cannot be left out.
fn relevant(pool: &mut Pool, query: &Query, constraints: &[Expr], goal: Expr) -> Option<Vec<Expr>> {
    let (own, others) = connected(pool, constraints, goal);
    let satisfied = |c: &Expr| pool.eval(*c, query.hint, query.addresses) == 1;
    others.iter().all(satisfied).then_some(own)
}

#[cfg(test)]
mod tests;
