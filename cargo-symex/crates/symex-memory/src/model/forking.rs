//! The forking model: a path per object. This is KLEE's model, and the baseline of the papers [RAM
//! 1].

use super::{MemoryModel, Plan, Request};

pub(super) struct Forking;

impl MemoryModel for Forking {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Fork
    }
}
