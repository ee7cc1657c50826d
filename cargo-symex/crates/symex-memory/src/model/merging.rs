//! The merging model: no forks; every access goes to all objects at once [RAM 1, "merging"], as an
//! if-then-else of values for loads and as conditional stores.

use super::{MemoryModel, Plan, Request};

pub(super) struct Merging;

impl MemoryModel for Merging {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Merge
    }
}
