//! Stage that simplifies the goal by the constraints: a term equal to a constant is replaced by the
//! constant, a constraint that occurs inside the goal is true there, and an input below a bound has
//! no bits above it. Inputs are bytes, and most of the bytes of an index are zero once its bound is
//! known, so the simplified goal is decided on few bits.
//!
//! The constraints stay as they are, so the rewritten query has the same solutions; constraints
//! that no longer share an input with the goal are left out, as the hint satisfies them. Goals
//! share large parts, and paths grow by a constraint at a time, so results for subterms are
//! remembered for a few paths.
//!
//! Pays on sizes and indices that a path has fixed: the simplified goal is mostly a constant, where
//! Z3 would be asked.

use super::{Stage, StageOutcome, with_goal};
use crate::Query;
use symex_terms::{BinOp, Expr, Kind, Pool, Substitution, UnOp, Width};

/// Number of paths whose substitutions are remembered.
const PATHS: usize = 4;
/// Number of results at which the substitution of a path is cleared.
const MAX_RESULTS: usize = 500_000;

/// The equality substitution stage: see the module.
#[derive(Default)]
pub struct Equality {
    /// Substitutions of recent paths, most recent first.
    recent: Vec<KnownEqualities>,
}

/// Equalities of a path, in its order, with their substitution.
#[derive(Default)]
struct KnownEqualities {
    pairs: Vec<(Expr, Expr)>,
    substitution: Substitution,
}

impl Equality {
    /// Returns the substitution by some pairs: a remembered one whose pairs are a prefix of these,
    /// extended, or a new one.
    fn by(&mut self, pool: &Pool, pairs: Vec<(Expr, Expr)>) -> &mut Substitution {
        let fits = |k: &KnownEqualities| {
            k.substitution.len() < MAX_RESULTS && !k.pairs.is_empty() && pairs.starts_with(&k.pairs)
        };
        let best = (0..self.recent.len())
            .filter(|i| fits(&self.recent[*i]))
            .max_by_key(|i| self.recent[*i].pairs.len());
        let mut known = match best {
            Some(at) => self.recent.remove(at),
            None => KnownEqualities::default(),
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

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let (yes, no) = (pool.bool(true), pool.bool(false));
        let mut pairs = Vec::new();
        for c in query.constraints {
            match pool.kind(*c) {
                Kind::Const(_) => continue,
                Kind::Un(UnOp::Not, inner) => pairs.push((inner, no)),
                Kind::Bin(BinOp::Eq, a, b) => {
                    // Later equalities of one term agree with the first, or the constraints would
                    // not be satisfiable.
                    if let Some((term, value)) = equation(pool, a, b) {
                        pairs.push((term, value));
                        inputs_of(pool, term, value, &mut pairs);
                    }
                }
                Kind::Bin(BinOp::ULt, a, b) => {
                    if let Some(end) = pool.as_const(b).filter(|end| *end > 0) {
                        bits_below(pool, a, end - 1, &mut pairs);
                    }
                }
                _ => {}
            }
            pairs.push((*c, yes));
        }
        if !pairs.iter().any(|(k, _)| pool.may_occur(*k, query.goal)) {
            return StageOutcome::Pass;
        }
        let goal = pool.substitute_with(query.goal, self.by(pool, pairs));
        if goal == query.goal {
            return StageOutcome::Pass;
        }
        with_goal(pool, query, goal)
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Derives the values of the inputs of which a term is composed, from the term's value. The
/// equality of the term itself is not added.
fn inputs_of(pool: &mut Pool, e: Expr, value: Expr, pairs: &mut Vec<(Expr, Expr)>) {
    let mut part = |pool: &mut Pool, e: Expr, from: Width| {
        let value = pool.extract(value, from, pool.width(e));
        if matches!(pool.kind(e), Kind::Var(_)) {
            pairs.push((e, value));
        }
        inputs_of(pool, e, value, pairs);
    };
    match pool.kind(e) {
        Kind::ZExt(inner) => part(pool, inner, 0),
        Kind::Concat { hi, lo } => {
            let w = pool.width(lo);
            part(pool, hi, w);
            part(pool, lo, 0);
        }
        _ => {}
    }
}

/// Derives the inputs of which a term is composed, if it is at most `most`: zero, or an extension
/// of their low bits.
fn bits_below(pool: &mut Pool, e: Expr, most: u128, pairs: &mut Vec<(Expr, Expr)>) {
    let width = pool.width(e);
    let bits = (128 - most.leading_zeros()).min(width);
    if bits == width {
        return;
    }
    match pool.kind(e) {
        Kind::Var(_) if bits == 0 => {
            let zero = pool.constant(width, 0);
            pairs.push((e, zero));
        }
        Kind::Var(_) => {
            let low = pool.extract(e, 0, bits);
            let low = pool.zext(low, width);
            pairs.push((e, low));
        }
        Kind::ZExt(inner) => bits_below(pool, inner, most, pairs),
        Kind::Concat { hi, lo } => {
            let w = pool.width(lo);
            bits_below(pool, hi, most >> w, pairs);
            if most >> w == 0 {
                bits_below(pool, lo, most, pairs);
            }
        }
        _ => {}
    }
}

/// Returns the term that an equation sets to a constant, with the constant.
fn equation(pool: &Pool, a: Expr, b: Expr) -> Option<(Expr, Expr)> {
    match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(_)) => Some((a, b)),
        (Some(_), None) => Some((b, a)),
        _ => None,
    }
}
