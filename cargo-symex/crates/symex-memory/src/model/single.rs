//! The single model: accesses the one object that the path's own assignment picks, as concolic
//! testers do. Never complete.

use super::{AccessRequest, MemoryModel, Plan};

pub(super) struct Single;

impl MemoryModel for Single {
    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Single
    }
}
