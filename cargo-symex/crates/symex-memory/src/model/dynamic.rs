//! Dynamic segments [RAM 2.3.2]: objects are moved into one segment when one pointer may refer to
//! them, and no others are.
//!
//! With contexts [RAM 2.3.3], all live objects that were allocated in the same context as one of
//! them are moved along: by the same last `k` calls, and the call of the allocator. The objects of
//! later pointers are then there already. The paper needs contexts to ask the solver less, and then
//! a query that no object was missed. Here the pointer's own term names all objects, so none can be
//! missed, and the one query that checks all offsets at once suffices.

use super::birth::Births;
use super::{AccessRequest, MemoryModel, Plan, Union};
use crate::AddressSpace;
use std::collections::BTreeSet;
use symex_terms::ObjectId;
use symex_types::config::MemoryConfig;

pub(super) struct Dynamic {
    threshold: u64,
    /// Number of last calls that allocations of objects moved along must have in common.
    contexts: Option<u32>,
}

impl Dynamic {
    pub fn new(config: &MemoryConfig) -> Dynamic {
        Dynamic {
            threshold: config.segment_threshold,
            contexts: config.context_depth,
        }
    }
}

impl MemoryModel for Dynamic {
    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Segment
    }

    fn born_in_calls(&self) -> Option<usize> {
        self.contexts.map(|calls| calls as usize + 1)
    }

    fn together(
        &mut self,
        memory: &AddressSpace,
        _births: &Births,
        accessed: &[ObjectId],
    ) -> Vec<Union> {
        let mut objects = accessed.to_vec();
        if self.contexts.is_some() {
            let of_heap = |id: &ObjectId| memory.object(*id).kind.is_heap();
            let context = |id: &ObjectId| memory.object(*id).birth;
            let accessed_heap = accessed.iter().filter(|id| of_heap(id));
            let contexts: BTreeSet<u32> = accessed_heap.map(context).collect();
            let mut others = memory.live();
            others.retain(|id| of_heap(id) && contexts.contains(&context(id)));
            objects.extend(others);
        }
        vec![Union {
            objects,
            most: self.threshold,
        }]
    }
}
