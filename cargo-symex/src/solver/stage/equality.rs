//! Uses what the constraints say outright: a term equal to a constant is that constant in the goal, and a constraint
//! that occurs inside the goal is true there.
//!
//! The constraints stay as they are, so the rewritten query has the same solutions. Goals share large parts, and paths
//! grow by a constraint at a time, so what the parts became is remembered for a few paths.

use super::{Stage, Step};
use crate::expr::{BinOp, Expr, Kind, Pool, Substitution, UnOp};
use crate::solver::{Answer, Query};

/// Paths whose substitutions are remembered.
const PATHS: usize = 4;
/// Results at which the substitution of a path starts anew.
const MAX_RESULTS: usize = 500_000;

/// See the module.
#[derive(Default)]
pub struct Equality {
    /// The most recent first.
    recent: Vec<Known>,
}

/// What a path says outright, in its order.
#[derive(Default)]
struct Known {
    pairs: Vec<(Expr, Expr)>,
    substitution: Substitution,
}

impl Equality {
    /// The substitution by some pairs: a remembered one that has them, or the first of them.
    fn by(&mut self, pool: &Pool, pairs: Vec<(Expr, Expr)>) -> &mut Substitution {
        let fits = |k: &Known| {
            k.substitution.len() < MAX_RESULTS && !k.pairs.is_empty() && pairs.starts_with(&k.pairs)
        };
        let best = (0..self.recent.len())
            .filter(|i| fits(&self.recent[*i]))
            .max_by_key(|i| self.recent[*i].pairs.len());
        let mut known = match best {
            Some(at) => self.recent.remove(at),
            None => Known::default(),
        };
        if known.pairs.len() < pairs.len() {
            let new = &pairs[known.pairs.len()..];
            known.substitution.extend(pool, new);
            known.pairs = pairs;
        }
        self.recent.truncate(PATHS - 1);
        self.recent.insert(0, known);
        &mut self.recent[0].substitution
    }
}

impl Stage for Equality {
    fn name(&self) -> &'static str {
        "equality"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        let (yes, no) = (pool.bool(true), pool.bool(false));
        let mut pairs = Vec::new();
        for c in query.constraints {
            match pool.kind(*c) {
                Kind::Const(_) => continue,
                Kind::Un(UnOp::Not, inner) => pairs.push((inner, no)),
                Kind::Bin(BinOp::Eq, a, b) => {
                    // Later equalities of one term agree with the first, or the constraints would not be satisfiable.
                    pairs.extend(equation(pool, a, b));
                }
                _ => {}
            }
            pairs.push((*c, yes));
        }
        if !pairs.iter().any(|(k, _)| pool.may_occur(*k, query.goal)) {
            return Step::Pass;
        }
        let goal = pool.substitute_with(query.goal, self.by(pool, pairs));
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

    fn reset(&mut self) {
        *self = Self::default();
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
