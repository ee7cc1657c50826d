//! Uses what the constraints say outright: a term equal to a constant is that constant in the goal, and a constraint
//! that occurs inside the goal is true there.
//!
//! The constraints stay as they are, so the rewritten query has the same solutions.

use super::{Stage, Step};
use crate::expr::{BinOp, Expr, Kind, Pool, UnOp};
use crate::solver::{Answer, Query};
use rustc_hash::FxHashMap;

/// See the module.
pub struct Equality;

impl Stage for Equality {
    fn name(&self) -> &'static str {
        "equality"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        let (yes, no) = (pool.bool(true), pool.bool(false));
        let mut known = FxHashMap::default();
        for c in query.constraints {
            match pool.kind(*c) {
                Kind::Const(_) => continue,
                Kind::Un(UnOp::Not, inner) => {
                    known.insert(inner, no);
                }
                Kind::Bin(BinOp::Eq, a, b) => {
                    // Later equalities of one term agree with the first, or the constraints would not be satisfiable.
                    if let Some((term, constant)) = equation(pool, a, b) {
                        known.insert(term, constant);
                    }
                }
                _ => {}
            }
            known.insert(*c, yes);
        }
        let goal = pool.substitute(query.goal, &known);
        if goal == query.goal {
            return Step::Pass;
        }
        match pool.as_const(goal) {
            Some(0) => Step::Answer(Answer::Unsat),
            // The hint satisfies the constraints, and they the goal.
            Some(_) if query.holds(pool, query.hint) => {
                Step::Answer(Answer::Sat(query.hint.clone()))
            }
            _ => Step::Rewrite(query.constraints.to_vec(), goal),
        }
    }
}

/// The term that an equation sets to a constant.
fn equation(pool: &Pool, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
    match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(_)) => Some((a, b)),
        (Some(_), None) => Some((b, a)),
        _ => None,
    }
}
