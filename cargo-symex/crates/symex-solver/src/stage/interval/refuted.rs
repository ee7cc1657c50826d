//! Unsatisfiable cores of earlier queries: goals with the constraints that alone exclude them.
//!
//! The constraints of a path grow by one at a time, and code that reads the same text repeatedly
//! asks the same goals again. Constraints that have excluded a goal once exclude it wherever they
//! occur together, whatever else is there (*unsatisfiable cores*, as solvers under assumptions give
//! them: N. Een and N. Soerensson, "Temporal induction by incremental SAT solving", 2003, sec. 3).

use crate::Query;
use rustc_hash::FxHashMap;
use symex_terms::Expr;

/// Greatest number of cores kept of a goal. The most recently useful one is kept longest.
const MAX_SETS: usize = 24;
/// Number of cores at which the memory is cleared.
const CAPACITY: usize = 200_000;

/// Memory of unsatisfiable cores: see the module.
#[derive(Default)]
pub(super) struct Refuted {
    /// By goal: sets of constraints, each of which excludes it, latest first.
    sets: FxHashMap<Expr, Vec<Box<[Expr]>>>,
    len: usize,
}

impl Refuted {
    /// Reports whether the goal is known to be excluded by some of the constraints.
    pub fn has(&mut self, query: &Query) -> bool {
        let Some(sets) = self.sets.get_mut(&query.goal) else {
            return false;
        };
        let are_there = |set: &[Expr]| set.iter().all(|c| query.constraints.contains(c));
        match sets.iter().position(|set| are_there(set)) {
            None => false,
            Some(at) => {
                sets[..=at].rotate_right(1);
                true
            }
        }
    }

    /// Returns the constraints that excluded a goal when it was looked up last.
    #[cfg(test)]
    pub fn latest(&self, goal: Expr) -> &[Expr] {
        &self.sets[&goal][0]
    }

    /// Remembers that these constraints exclude the goal.
    pub fn learn(&mut self, goal: Expr, constraints: Box<[Expr]>) {
        if self.len >= CAPACITY {
            *self = Refuted::default();
        }
        let sets = self.sets.entry(goal).or_default();
        if sets.len() >= MAX_SETS {
            sets.pop();
            self.len -= 1;
        }
        sets.insert(0, constraints);
        self.len += 1;
    }
}
