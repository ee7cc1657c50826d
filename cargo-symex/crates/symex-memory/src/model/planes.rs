//! No paths at all, and no work for each object either: a write through a pointer to several is one record, which reads choose
//! among [SOP]. How memory keeps records is in `memory::planes`; to the executor it is merging.

use super::{MemoryModel, Plan, Request};

pub(super) struct Planes;

impl MemoryModel for Planes {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Merge
    }
}
