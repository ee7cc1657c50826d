//! Flat memory: one segment for all memory [SMM 2.1, "flat memory"], a baseline for comparison
//! only.
//!
//! The papers' flat model allocates everything in one array from the start. Here everything is
//! moved there at the first access that needs it, and objects allocated since at the next: until
//! then no access could tell the difference. Constants and functions are left out, and objects so
//! large that copying them would dominate the measurement.

use super::birth::Births;
use super::{AccessRequest, MemoryModel, Plan, Union};
use crate::{AddressSpace, ObjectKind};
use symex_terms::ObjectId;

/// Size of the largest object that is moved, in bytes.
const LARGEST: u64 = 1 << 20;

pub(super) struct Flat;

impl MemoryModel for Flat {
    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Segment
    }

    fn together(
        &mut self,
        memory: &AddressSpace,
        _births: &Births,
        _accessed: &[ObjectId],
    ) -> Vec<Union> {
        let mut objects = memory.live();
        objects.retain(|id| {
            let object = memory.object(*id);
            object.size <= LARGEST
                && !matches!(object.kind, ObjectKind::Constant | ObjectKind::Function)
        });
        vec![Union {
            objects,
            most: u64::MAX,
        }]
    }
}
