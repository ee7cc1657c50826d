//! Part of a query's values, where they are too many to try them all.
//!
//! Inputs beyond the first few that the goal depends on keep the values that satisfy the
//! constraints. Of the others small boxes at random places are tried: values next to each other
//! tell apart what they are mixed to, and many places what depends on the size of a value. The
//! places follow from the number of values that are tried.

use super::boxes::{MAX_INPUTS, ValueBox};
use super::candidates::{Candidates, MAX_WIDTH};
use crate::Query;
use crate::stage::local::with_others_fixed;
use crate::stage::visit::are_more_than;
use symex_terms::{Expr, Pool, Symbol, Var};
use symex_types::splitmix::Random;

/// Greatest number of terms in which the other inputs' values are written: what is left must be a
/// fraction of that, and to write millions of terms takes longer than to search.
const MAX_TERMS: usize = 40_000;
/// Number of boxes.
const BOXES: u64 = 64;

/// Returns the conditions of a query on few of its inputs, which decide it if the others have the
/// hint's values; `None` if the goal depends on none of those that can be tried, or if the
/// conditions have too many terms.
pub(super) fn conditions(pool: &mut Pool, query: &Query) -> Option<Vec<Expr>> {
    let varied: Vec<Var> = pool
        .support(query.goal)
        .iter()
        .filter_map(|symbol| match symbol {
            Symbol::Var(var) if pool.var_info(*var).width <= MAX_WIDTH => Some(*var),
            _ => None,
        })
        .take(MAX_INPUTS)
        .collect();
    if varied.is_empty() {
        return None;
    }
    let mut conditions = query.constraints.to_vec();
    conditions.push(query.goal);
    if are_more_than(pool, &conditions, MAX_TERMS) {
        return None;
    }
    Some(with_others_fixed(pool, &conditions, query.hint, &varied))
}

/// Returns boxes at random places within one, with about so many combinations of values in all.
pub(super) fn boxes(inputs: &[Candidates], whole: &ValueBox, combinations: u64) -> Vec<ValueBox> {
    let mut random = Random::new(combinations);
    let each = (combinations / BOXES).max(1);
    let mut boxes = Vec::new();
    for _ in 0..BOXES {
        let mut part = *whole;
        while part.combinations(inputs.len()) > each {
            part.keep_half(inputs.len(), random.bits() & 1 == 0);
        }
        boxes.push(part);
    }
    boxes
}
