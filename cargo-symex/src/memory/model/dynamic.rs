//! Segments on demand [RAM 2.3.2]: objects are moved together when one pointer may refer to them, and no others are.

use super::{MemoryModel, Plan, Request, Union};
use crate::config::MemoryConfig;
use crate::expr::ObjectId;
use crate::memory::AddressSpace;

pub(super) struct Dynamic {
    threshold: u64,
}

impl Dynamic {
    pub fn new(config: &MemoryConfig) -> Dynamic {
        Dynamic {
            threshold: config.segment_threshold,
        }
    }
}

impl MemoryModel for Dynamic {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Segment
    }

    fn together(&mut self, _memory: &AddressSpace, accessed: &[ObjectId]) -> Vec<Union> {
        vec![Union {
            objects: accessed.to_vec(),
            most: self.threshold,
        }]
    }
}
