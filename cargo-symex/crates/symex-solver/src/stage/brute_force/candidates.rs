//! The values of an input that are tried.
//!
//! They are what the query's conditions plainly leave: a range of numbers, signed or not, perhaps a
//! power of two apart; or all values of those bits of the input that the query reads at all.

use super::plan::Terms;
use crate::stage::interval;
use rustc_hash::FxHashMap;
use symex_terms::{Domain, Expr, Kind, Pool, Var, Width, mask};

/// Greatest width of an input.
pub(super) const MAX_WIDTH: Width = 64;

/// The values of an input that are tried: `first`, and so on in steps of a power of two, modulo two
/// to the width.
#[derive(Clone, Copy, Debug)]
pub(in crate::stage) struct Candidates {
    pub var: Var,
    /// The term of the variable.
    pub term: Expr,
    pub width: Width,
    pub first: u64,
    /// Number of values, at least one; one too few where a word does not hold it.
    pub count: u64,
    /// Distance between two values, as a power of two.
    pub shift: Width,
}

impl Candidates {
    /// Returns the value number `at`.
    pub fn value(&self, at: u64) -> u64 {
        self.first.wrapping_add(at << self.shift) & mask(self.width) as u64
    }

    /// Makes the candidates of a variable from what it may be.
    pub fn of_domain(var: Var, term: Expr, width: Width, domain: &Domain) -> Candidates {
        Candidates::new(var, term, width, domain, mask(width))
    }

    /// Makes the candidates of a variable from what it may be, and from the bits of it that are
    /// read.
    fn new(var: Var, term: Expr, width: Width, domain: &Domain, read: u128) -> Candidates {
        let known = domain.zero | domain.one;
        let shift = known.trailing_ones().min(width - 1);
        // From the least number on that has the known low bits.
        let range = |min: i128, max: i128| {
            let missing = (domain.one as i128).wrapping_sub(min) as u128 & mask(shift);
            let steps = (max.wrapping_sub(min) as u128).saturating_sub(missing) >> shift;
            let first = (min as u128).wrapping_add(missing) & mask(width);
            (first, steps + 1, shift)
        };
        let unsigned = range(domain.min as i128, domain.max as i128);
        let signed = range(domain.smin, domain.smax);
        let lowest = read.trailing_zeros().min(width - 1);
        let bits = (128 - read.leading_zeros()).saturating_sub(lowest);
        let slice = (0, 1u128 << bits.min(127), lowest);
        let all = [unsigned, signed, slice].into_iter();
        let (first, count, shift) = all.min_by_key(|c| c.1).unwrap_or(unsigned);
        Candidates {
            var,
            term,
            width,
            first: first as u64,
            count: u64::try_from(count).unwrap_or(u64::MAX),
            shift,
        }
    }
}

/// What the conditions leave of a query's inputs.
pub(super) enum Inputs {
    /// Some values of each.
    Some(Vec<Candidates>),
    /// Nothing: there is no solution.
    None,
}

/// Returns the candidates of all variables; `None` if some are too wide.
pub(super) fn inputs(pool: &Pool, terms: &Terms) -> Option<Inputs> {
    let mut vars = Vec::new();
    let mut read: FxHashMap<Expr, u128> = FxHashMap::default();
    for condition in &terms.conditions {
        read.insert(*condition, u128::MAX);
    }
    for e in &terms.all {
        if let Kind::Var(var) = pool.kind(*e) {
            vars.push((var, *e));
        }
        let bits = match pool.kind(*e) {
            Kind::Extract { lo, .. } => mask(pool.width(*e)) << lo,
            _ => u128::MAX,
        };
        terms.operands(pool, *e, |part| *read.entry(part).or_default() |= bits);
    }
    if vars.iter().any(|(_, e)| pool.width(*e) > MAX_WIDTH) {
        return None;
    }
    vars.sort_unstable();
    let of: Vec<Expr> = vars.iter().map(|(_, e)| *e).collect();
    let Some(domains) = interval::domains(pool, &terms.conditions, &of) else {
        return Some(Inputs::None);
    };
    let candidates = vars.iter().zip(&domains).map(|((var, e), domain)| {
        let width = pool.width(*e);
        Candidates::new(*var, *e, width, domain, read[e] & mask(width))
    });
    Some(Inputs::Some(candidates.collect()))
}
