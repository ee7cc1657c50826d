//! Replaces base addresses by their values [RAM 2.2]: no later stage meets a base.
//!
//! A stage that answers independently of addresses [AAQC] belongs before this one.

use super::{Stage, Step};
use crate::expr::{AddressSubstitution, Pool};
use crate::solver::Query;

/// See the module.
pub struct Address;

impl Stage for Address {
    fn name(&self) -> &'static str {
        "address"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        if !pool.has_base(query.goal) && !query.constraints.iter().any(|c| pool.has_base(*c)) {
            return Step::Pass;
        }
        let mut memo = AddressSubstitution::default();
        let mut replace = |e| pool.substitute_addresses_with(e, query.addresses, &mut memo);
        Step::Rewrite(
            query.constraints.iter().map(|c| replace(*c)).collect(),
            replace(query.goal),
        )
    }
}
