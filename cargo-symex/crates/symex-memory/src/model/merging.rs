//! The merging model: no forks; every access goes to all objects at once [RAM 1, "merging"], as an
//! if-then-else of values for loads and as conditional stores.

use super::{AccessRequest, MemoryModel, Plan};

pub(super) struct Merging;

impl MemoryModel for Merging {
    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Merge
    }
}
