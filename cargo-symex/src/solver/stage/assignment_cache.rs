//! The counterexample cache: tries the assignments of recent answers by evaluation, and knows sets of terms that
//! cannot hold together, which condemn every larger set.
//!
//! Sibling paths share their inputs' variables, so an assignment found on one often serves the other.

use super::{Stage, Step};
use crate::expr::{Assignment, Expr, Pool};
use crate::solver::query::merge;
use crate::solver::{Answer, Query};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Assignments to try.
const ASSIGNMENTS: usize = 12;
/// Unsatisfiable sets at which their memory starts anew.
const SETS: usize = 50_000;

/// See the module.
#[derive(Default)]
pub struct AssignmentCache {
    /// The most recent first.
    recent: VecDeque<Assignment>,
    /// Sorted sets by their newest term.
    unsat: FxHashMap<Expr, Vec<Box<[Expr]>>>,
    sets: usize,
}

impl Stage for AssignmentCache {
    fn name(&self) -> &'static str {
        "assignment cache"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        if query.has_base(pool) {
            return Step::Pass;
        }
        let all = terms(query);
        let condemned = |newest: &Expr| {
            self.unsat
                .get(newest)
                .is_some_and(|sets| sets.iter().any(|s| is_subset(s, &all)))
        };
        if all.iter().any(condemned) {
            return Step::Answer(Answer::Unsat);
        }
        let Some(at) = self.recent.iter().position(|a| query.holds(pool, a)) else {
            return Step::Pass;
        };
        let found = self.recent.remove(at).expect("a position in it");
        let values: Vec<_> = query
            .vars(pool)
            .into_iter()
            .map(|v| (v, found.get(v)))
            .collect();
        self.recent.push_front(found);
        Step::Answer(Answer::Sat(merge(query.hint, &values)))
    }

    fn after(&mut self, pool: &mut Pool, query: &Query, answer: &Answer) {
        match answer {
            Answer::Sat(a) if !self.recent.contains(a) => {
                self.recent.truncate(ASSIGNMENTS - 1);
                self.recent.push_front(a.clone());
            }
            Answer::Unsat if !query.has_base(pool) => {
                if self.sets >= SETS {
                    self.unsat.clear();
                    self.sets = 0;
                }
                let set = terms(query);
                let newest = *set.last().expect("it holds the goal");
                self.sets += 1;
                self.unsat
                    .entry(newest)
                    .or_default()
                    .push(set.into_boxed_slice());
            }
            _ => {}
        }
    }

    fn is_cache(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Constraints and goal as a sorted set.
fn terms(query: &Query) -> Vec<Expr> {
    let mut all = query.constraints.to_vec();
    all.push(query.goal);
    all.sort_unstable();
    all.dedup();
    all
}

/// Is every element of one sorted set in the other?
fn is_subset(small: &[Expr], large: &[Expr]) -> bool {
    let mut rest = large.iter();
    small
        .iter()
        .all(|e| rest.by_ref().find(|l| *l >= e) == Some(e))
}
