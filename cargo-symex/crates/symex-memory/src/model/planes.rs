//! The model of memory planes \[SOP\]: no forks, and no work for each object either. A write
//! through a pointer to several objects is one record, among which reads choose. The records are in
//! `records`; to the executor the model is merging.

use super::{AccessRequest, MemoryModel, Plan, Representation};
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
    fn plan(&mut self, _request: &AccessRequest<'_>) -> Plan {
        Plan::Merge
    }

    fn representation(&self) -> Representation {
        self.representation
    }
}
