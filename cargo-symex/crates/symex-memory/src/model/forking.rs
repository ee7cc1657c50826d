//! The forking model: a path per object. This is KLEE's model, and the baseline of the papers [RAM
//! 1].

use super::{AccessRequest, MemoryModel, Plan};

pub(super) struct Forking;

impl MemoryModel for Forking {
    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Fork
    }
}
