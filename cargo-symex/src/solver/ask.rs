//! The questions the engine asks, in terms of one `check`.

use super::{Answer, Purpose, Query, Solver};
use crate::expr::{AddressMap, Assignment, Expr, PathCondition, Pool};

/// A path's view of the solver: its condition, its addresses, and an assignment that satisfies the condition.
pub struct Ask<'a> {
    pub solver: &'a mut dyn Solver,
    pub condition: &'a PathCondition,
    pub addresses: &'a dyn AddressMap,
    pub assignment: &'a Assignment,
}

impl Ask<'_> {
    /// May `goal` hold on this path? `Sat` carries a full assignment of the path with the goal added.
    /// Tries the path's own assignment first.
    pub fn may_be_true(&mut self, pool: &mut Pool, goal: Expr, purpose: Purpose) -> Answer {
        if let Some(v) = pool.as_const(goal) {
            return if v == 1 {
                Answer::Sat(self.assignment.clone())
            } else {
                Answer::Unsat
            };
        }
        if pool.eval(goal, self.assignment, self.addresses) == 1 {
            return Answer::Sat(self.assignment.clone());
        }
        let constraints = self.condition.slice(pool, goal);
        self.solver.check(
            pool,
            &Query {
                constraints: &constraints,
                goal,
                addresses: self.addresses,
                hint: self.assignment,
                purpose,
            },
        )
    }

    /// Must `goal` hold on this path? The answer is that of its negation: `Unsat` means yes, `Sat` is a counterexample.
    pub fn counterexample(&mut self, pool: &mut Pool, goal: Expr, purpose: Purpose) -> Answer {
        let negated = pool.not(goal);
        self.may_be_true(pool, negated, purpose)
    }
}
