//! Stage that replaces base addresses by their values [RAM 2.2], so that no later stage meets a
//! base. A query that becomes constant by that is answered.
//!
//! Paths mostly agree on addresses, so results are kept until a query comes with other addresses. A
//! stage that answers independently of addresses \[AAQC\] belongs before this one.
//!
//! Pays on comparisons of pointers: most are constant once the addresses are substituted, and the
//! caches know the rest.

use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use symex_terms::{AddressSubstitution, Expr, ObjectId, Pool, Symbol};

/// Number of results at which the memory is cleared.
const MAX_RESULTS: usize = 500_000;

/// The address substitution stage: see the module.
#[derive(Default)]
pub struct Address {
    memo: AddressSubstitution,
    /// Addresses under which the results hold.
    addresses: FxHashMap<ObjectId, u64>,
}

impl Address {
    /// Clears the memory unless it holds for the bases of some terms.
    fn prepare(&mut self, pool: &Pool, query: &Query, terms: &[Expr]) {
        let mut bases: Vec<ObjectId> = Vec::new();
        let mut last: &[Symbol] = &[];
        for term in terms {
            let support = pool.support(*term);
            if !std::ptr::eq(support, last) {
                last = support;
                bases.extend(support.iter().filter_map(|s| match s {
                    Symbol::Base(object) => Some(*object),
                    Symbol::Var(_) => None,
                }));
            }
        }
        let differs = |object: &ObjectId| {
            let known = self.addresses.get(object);
            known.is_some_and(|a| *a != query.addresses.address(*object))
        };
        if self.memo.len() >= MAX_RESULTS || bases.iter().any(differs) {
            *self = Self::default();
        }
        for object in bases {
            let address = query.addresses.address(object);
            self.addresses.insert(object, address);
        }
    }
}

impl Stage for Address {
    fn name(&self) -> &'static str {
        "address"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let mut terms: Vec<Expr> = query.constraints.to_vec();
        terms.push(query.goal);
        let with_base: Vec<Expr> = terms
            .iter()
            .copied()
            .filter(|e| pool.has_base(*e))
            .collect();
        if with_base.is_empty() {
            return StageOutcome::Pass;
        }
        self.prepare(pool, query, &with_base);
        for term in &mut terms {
            *term = pool.substitute_addresses_with(*term, query.addresses, &mut self.memo);
        }
        if terms.iter().any(|term| pool.as_const(*term) == Some(0)) {
            return StageOutcome::Answer(Answer::Unsat);
        }
        let goal = terms.pop().expect("it was put last");
        if pool.as_const(goal) == Some(1) && query.holds(pool, query.hint) {
            return StageOutcome::Answer(Answer::Sat(query.hint.clone()));
        }
        terms.retain(|term| pool.as_const(*term) != Some(1));
        StageOutcome::Rewrite(terms, goal)
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}
