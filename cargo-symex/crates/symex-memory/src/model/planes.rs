//! No paths at all, and no work for each object either: a write through a pointer to several is one record, which reads choose
//! among [SOP]. How memory keeps records is in `memory::planes`; to the executor it is merging.

use super::{Keep, MemoryModel, Plan, Request};
use symex_types::config::{MemoryConfig, PlanesKind};

pub(super) struct Planes {
    keep: Keep,
}

impl Planes {
    pub fn new(config: &MemoryConfig) -> Planes {
        Planes {
            keep: match config.planes {
                PlanesKind::Boosted => Keep::Records,
                PlanesKind::Naive => Keep::AllRecords,
            },
        }
    }
}

impl MemoryModel for Planes {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Merge
    }

    fn keep(&self) -> Keep {
        self.keep
    }
}
