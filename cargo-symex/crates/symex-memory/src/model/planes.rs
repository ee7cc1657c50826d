//! No paths at all, and no work for each object either: a write through a pointer to several is one
//! record, which reads choose among [SOP]. How memory keeps records is in `records`; to the
//! executor it is merging.

use super::{MemoryModel, Plan, Representation, Request};
use symex_types::config::{MemoryConfig, PlanesKind};

pub(super) struct Planes {
    representation: Representation,
}

impl Planes {
    pub fn new(config: &MemoryConfig) -> Planes {
        Planes {
            representation: match config.planes {
                PlanesKind::Boosted => Representation::Records,
                PlanesKind::Naive => Representation::AllRecords,
            },
        }
    }
}

impl MemoryModel for Planes {
    fn plan(&mut self, _request: &Request<'_>) -> Plan {
        Plan::Merge
    }

    fn representation(&self) -> Representation {
        self.representation
    }
}
