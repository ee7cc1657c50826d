//! The address-aware query cache: answers do not depend on where objects lie \[AAQC\].
//!
//! Before bases are replaced by addresses, a query is looked up by its canonical name, in which
//! bases are distinguished only by the sizes and alignments of their objects. So paths that
//! allocated in another order, or more objects, share their answers, under every memory model.
//!
//! Queries that may depend on the placement are left to the stages behind `address`: all that
//! `agnostic` cannot prove to be address-agnostic, such as the order of two objects in ill-behaved
//! programs, or the position of an address among objects. The paper leaves out all queries that the
//! executor asks for itself; here only those that search for addresses are left out, since the
//! others pass the same proof. Unlike the paper's cache this one answers with an assignment.
//!
//! Pays on paths with the same queries about objects that other paths have at other addresses,
//! after more or fewer allocations.

use super::canonical_cache::{CanonicalCache, named};
use super::{Stage, StageOutcome};
use crate::address_agnostic::{Proofs, Sizes};
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use symex_terms::{Canonical, Expr, Pool};

/// Number of names at which the memory is cleared.
const CAPACITY: usize = 20_000;

/// The address-aware cache stage: see the module.
#[derive(Default)]
pub struct AddressAwareCache {
    proofs: Proofs,
    /// Canonical names of earlier queries, by their terms, with the sizes of the objects in them.
    /// Paths repeat queries, and computing the name takes longer than all else here.
    names: FxHashMap<Vec<Expr>, (Sizes, Option<Canonical>)>,
    cache: CanonicalCache,
}

impl AddressAwareCache {
    /// Returns the canonical name of a query.
    fn name_of(&mut self, pool: &mut Pool, query: &Query) -> Option<Canonical> {
        let mut terms = query.constraints.to_vec();
        terms.push(query.goal);
        if let Some((sizes, name)) = self.names.get(&terms)
            && sizes.fit(query)
        {
            return name.clone();
        }
        let name = named(pool, query);
        if self.names.len() >= CAPACITY {
            self.names.clear();
        }
        let sizes = Sizes::of(pool, query, terms.iter().copied());
        self.names.insert(terms, (sizes, name.clone()));
        name
    }
}

impl Stage for AddressAwareCache {
    fn name(&self) -> &'static str {
        "address-aware cache"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        // Looking for the objects at an address is about placement, and mostly not worth the proof.
        let about_addresses = query.purpose.is_internal() && pool.has_base(query.goal);
        if about_addresses || !query.has_base(pool) || !self.proofs.is_address_agnostic(pool, query)
        {
            return self.cache.pass();
        }
        let name = self.name_of(pool, query);
        self.cache.look_up_named(pool, query, name)
    }

    fn after(&mut self, _pool: &mut Pool, _query: &Query, answer: &Answer) {
        self.cache.learn(answer);
    }

    fn is_cache(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}
