//! Answers what needs no search: constants, a goal that is a constraint or the negation of one, and a hint that
//! satisfies the goal as it is.

use super::{Stage, Step};
use crate::{Answer, Query};
use symex_terms::{Expr, Kind, Pool, UnOp};

/// See the module.
pub struct Trivial;

impl Stage for Trivial {
    fn name(&self) -> &'static str {
        "trivial"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        let is = |e: Expr, value| pool.as_const(e) == Some(value);
        if is(query.goal, 0) || query.constraints.iter().any(|c| is(*c, 0)) {
            return Step::Answer(Answer::Unsat);
        }
        if query
            .constraints
            .iter()
            .any(|c| negates(pool, *c, query.goal))
        {
            return Step::Answer(Answer::Unsat);
        }
        if query.holds(pool, query.hint) {
            return Step::Answer(Answer::Sat(query.hint.clone()));
        }
        if query
            .constraints
            .iter()
            .any(|c| pool.as_const(*c).is_some())
        {
            let left = query
                .constraints
                .iter()
                .copied()
                .filter(|c| pool.as_const(*c).is_none())
                .collect();
            return Step::Rewrite(left, query.goal);
        }
        Step::Pass
    }
}

/// Is one of two terms the negation of the other, as written?
fn negates(pool: &Pool, a: Expr, b: Expr) -> bool {
    let negated = |e| match pool.kind(e) {
        Kind::Un(UnOp::Not, inner) => Some(inner),
        _ => None,
    };
    negated(a) == Some(b) || negated(b) == Some(a)
}
