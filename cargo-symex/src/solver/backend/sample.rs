//! Satisfying a query by chance: where values are mixed as by a hash, one input in some hundred gives the wanted bits,
//! and trying is quicker than reasoning.

use crate::expr::{Assignment, Pool, Var};
use crate::solver::Query;
use crate::splitmix::Random;

/// Assignments tried for a query.
const TRIES: u32 = 2048;
/// Variables that are changed together, at most: the bytes of one number or of a short text.
const TOGETHER: u64 = 8;

/// An assignment that satisfies the query, found by changing some values of those given.
pub(super) fn sample(pool: &mut Pool, query: &Query, near: &[&Assignment]) -> Option<Assignment> {
    let vars = query.vars(pool);
    if vars.is_empty() {
        return None;
    }
    // The same query gets the same answer.
    let mut random = Random::new(vars.len() as u64);
    for round in 0..TRIES as usize {
        let mut tried = near[round % near.len()].clone();
        let first = random.below(vars.len() as u64) as usize;
        let together = 1 + random.below(TOGETHER) as usize;
        let kind = random.below(4);
        for v in vars.iter().skip(first).take(together) {
            let value = match kind {
                0 => tried.get(vars[random.below(vars.len() as u64) as usize]),
                1 => u128::from(random.below(4)),
                _ => u128::from(random.bits()) << 64 | u128::from(random.bits()),
            };
            tried.set(*v, value & mask(pool, *v));
        }
        if query.holds(pool, &tried) {
            return Some(tried);
        }
    }
    None
}

fn mask(pool: &Pool, v: Var) -> u128 {
    u128::MAX >> (128 - pool.var_info(v).width)
}
