//! Stages of the chain: each may answer a query, or replace it by an equisatisfiable one, before
//! the back end sees it.
//!
//! There is one stage per file; the one that names a solver library, `cegar`, is among the back
//! ends. A stage never calls another of the chain: a query walks along the list (`walk`) until one
//! answers, and then backwards, so that those that passed may learn from the answer. (`case_split`
//! and `mixed_radix` have lists of their own.) The list, and the reasons for its order, are in
//! `chain`.

pub mod address;
pub mod address_aware_cache;
pub mod assignment_cache;
pub mod bdd;
pub mod box_search;
pub mod brute_force;
pub mod cancellation;
mod canonical_cache;
pub mod case_split;
pub mod comparison_graph;
pub mod congruence;
pub mod equality;
pub mod interval;
pub mod linear;
mod linear_form;
mod local;
pub mod mixed_radix;
pub mod query_cache;
pub mod renaming_cache;
mod set_trie;
pub mod small_domain;
pub mod stored_answers;
pub mod tabulation;
pub mod value_list;
mod visit;
pub mod walk;

use super::{Answer, AnswerStore, InterruptHandle, Query};
use mixed_radix::SplitQuery;
use std::time::{Duration, Instant};
use symex_terms::{Expr, Pool, connected};

/// Outcome of a stage's look at a query.
pub enum StageOutcome {
    /// No answer: the next stage is tried.
    Pass,
    /// The answer to the query.
    Answer(Answer),
    /// Constraints and goal of another query that has a solution exactly if this one has. Its
    /// solutions are solutions of this one, with the hint's values for inputs that no longer occur.
    Rewrite(Vec<Expr>, Expr),
    /// The query with other inputs in place of some, of which it is satisfiable exactly if this one
    /// is.
    Split(Box<SplitQuery>),
}

/// Limit of a query that may take long.
pub(super) struct QueryLimit {
    interrupt: InterruptHandle,
    deadline: Option<Instant>,
    timeout: Duration,
}

impl Default for QueryLimit {
    fn default() -> Self {
        QueryLimit {
            interrupt: InterruptHandle::new(),
            deadline: None,
            timeout: Duration::MAX,
        }
    }
}

impl QueryLimit {
    /// Sets the limits that [`Stage::bound`] receives.
    fn set(&mut self, interrupt: &InterruptHandle, deadline: Option<Instant>, timeout: Duration) {
        self.interrupt = interrupt.clone();
        self.deadline = deadline;
        self.timeout = timeout;
    }

    /// Returns the time at which a query that starts now ends.
    fn end(&self) -> Option<Instant> {
        let end = Instant::now().checked_add(self.timeout);
        self.deadline.into_iter().chain(end).min()
    }

    fn is_over(&self, end: Option<Instant>) -> bool {
        self.interrupt.is_raised() || end.is_some_and(|end| end <= Instant::now())
    }
}

/// One stage of the chain.
pub trait Stage: Send {
    /// Returns the stage's name in the statistics.
    fn name(&self) -> &'static str;

    /// Examines a query before the later stages: answers, rewrites or passes it.
    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome;

    /// Reports whether it passed the last query for the back end to have a glance at it first, and
    /// is to be asked again if that is not enough.
    fn waits(&self) -> bool {
        false
    }

    /// Examines the last query again, after the back end had a glance at it.
    fn after_glance(&mut self, _pool: &mut Pool, _query: &Query) -> StageOutcome {
        StageOutcome::Pass
    }

    /// Learns the answer to a query that it passed or rewrote (the query is as it came in).
    fn after(&mut self, _pool: &mut Pool, _query: &Query, _answer: &Answer) {}

    /// Reports whether it answers from memory, so that a validating chain checks its answers.
    fn is_cache(&self) -> bool {
        false
    }

    /// Returns for how many of the queries that it examined it asked a solver.
    fn asked_solver(&self) -> u64 {
        0
    }

    /// Returns the work that it has done, if it counts any, in units of some 0.2 us (in which Z3
    /// counts, too). It is counted and never timed: the same queries in the same order take the
    /// same work.
    fn work(&self) -> u64 {
        0
    }

    /// Sets what ends long work: a handle, the end of the run, and the timeout of one query.
    fn bound(
        &mut self,
        _interrupt: &InterruptHandle,
        _deadline: Option<Instant>,
        _timeout: Duration,
    ) {
    }

    /// Takes the store of earlier answers, if this is the stage that uses it.
    fn keep_answers(&mut self, _store: &mut Option<Box<dyn AnswerStore>>) {}

    /// Forgets everything, since the pool is another one.
    fn reset(&mut self) {}
}

/// Makes the list of a stage that asks others: those that decide most queries in no time, and some
/// more.
fn quick(more: impl IntoIterator<Item = Box<dyn Stage>>) -> Vec<Box<dyn Stage>> {
    let mut stages: Vec<Box<dyn Stage>> = vec![
        Box::new(query_cache::QueryCache::default()),
        Box::new(equality::Equality::default()),
        Box::new(small_domain::SmallDomain::default()),
        Box::new(comparison_graph::ComparisonGraph),
        Box::new(interval::IntervalStage::glance()),
    ];
    stages.extend(more);
    stages
}

/// Returns the constraints that share symbols with a goal, directly or through others; `None` if
/// the hint does not satisfy the rest, so that the rest cannot be left out.
fn relevant(pool: &mut Pool, query: &Query, constraints: &[Expr], goal: Expr) -> Option<Vec<Expr>> {
    let (own, others) = connected(pool, constraints, goal);
    let satisfied = |c: &Expr| pool.eval(*c, query.hint, query.addresses) == 1;
    others.iter().all(satisfied).then_some(own)
}

/// Returns what is left of a query whose goal the constraints make this one. Of them, those are
/// left that are relevant to it, as it may depend on fewer symbols.
fn with_goal(pool: &mut Pool, query: &Query, goal: Expr) -> StageOutcome {
    match pool.as_const(goal) {
        Some(0) => return StageOutcome::Answer(Answer::Unsat),
        // The hint satisfies the constraints, and they the goal.
        Some(_) if query.holds(pool, query.hint) => {
            return StageOutcome::Answer(Answer::Sat(query.hint.clone()));
        }
        _ => {}
    }
    let all = |query: &Query| query.constraints.to_vec();
    let left = match pool.support(goal) == pool.support(query.goal) {
        true => all(query),
        false => relevant(pool, query, query.constraints, goal).unwrap_or_else(|| all(query)),
    };
    StageOutcome::Rewrite(left, goal)
}

#[cfg(test)]
pub(crate) mod test_queries;
#[cfg(test)]
mod tests;
