//! The single model: accesses the one object that the path's own assignment picks, as concolic
//! testers do. Never complete.

use super::{MemoryModel, Plan, Request};

pub(super) struct Single;

impl MemoryModel for Single {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Single
    }
}
