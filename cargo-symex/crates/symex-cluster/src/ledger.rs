//! The ledger of a run: which regions have been given away and which have a record.

use crate::exchange::{Record, Region, RegionId, Told};
use std::collections::{BTreeMap, BTreeSet};

/// Which regions of a run are open: given away, and without a record. Records come in any order,
/// and more than once.
#[derive(Default)]
pub struct Ledger {
    /// The open regions.
    open: BTreeMap<RegionId, Region>,
    /// The regions with a record.
    closed: BTreeSet<RegionId>,
    /// Those of them that were given up, as far as it is known what they are.
    lost: BTreeMap<RegionId, Option<Region>>,
}

impl Ledger {
    /// Makes the ledger of a run with these regions.
    pub fn new(roots: &[Region]) -> Self {
        let mut ledger = Ledger::default();
        roots.iter().for_each(|root| ledger.add(root));
        ledger
    }

    fn add(&mut self, region: &Region) {
        if let Some(lost) = self.lost.get_mut(&region.id) {
            *lost = Some(region.clone());
        } else if !self.closed.contains(&region.id) {
            self.open.insert(region.id, region.clone());
        }
    }

    /// Enters the record of a region. Returns what was found out, if it is the first time that the
    /// record comes.
    pub fn enter(&mut self, id: RegionId, record: Record) -> Option<Vec<u8>> {
        if !self.closed.insert(id) {
            return None;
        }
        let region = self.open.remove(&id);
        match record.what {
            Told::Explored { found, children } => {
                children.iter().for_each(|child| self.add(child));
                Some(found)
            }
            Told::Lost(_) => {
                self.lost.insert(id, region);
                None
            }
        }
    }

    /// Reports whether all regions have a record.
    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the number of regions without a record.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Returns the number of regions with one.
    pub fn closed(&self) -> usize {
        self.closed.len()
    }

    /// Returns the number of regions that were recorded as lost.
    pub fn lost(&self) -> usize {
        self.lost.len()
    }

    /// Iterates over the regions that are not explored: the open ones, and those that are lost.
    pub fn unexplored(&self) -> impl Iterator<Item = &Region> {
        self.open.values().chain(self.lost.values().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(name: u8) -> Region {
        Region::new(None, vec![name])
    }

    fn record(children: &[u8]) -> Record {
        let children = children.iter().map(|name| region(*name)).collect();
        Record {
            by: String::new(),
            what: Told::Explored {
                found: vec![1],
                children,
            },
        }
    }

    #[test]
    fn records_in_any_order_close_the_ledger() {
        let ids = [0, 1, 2].map(|name| region(name).id);
        let mut ledger = Ledger::new(&[region(0)]);
        assert!(!ledger.is_closed());
        assert!(ledger.enter(ids[2], record(&[])).is_some());
        assert!(ledger.enter(ids[0], record(&[1, 2])).is_some());
        assert_eq!((ledger.open(), ledger.closed()), (1, 2));
        assert!(ledger.enter(ids[0], record(&[1, 2])).is_none());
        assert!(ledger.enter(ids[1], record(&[])).is_some());
        assert!(ledger.is_closed());
    }

    #[test]
    fn a_lost_region_is_closed_and_unexplored() {
        let mut ledger = Ledger::new(&[region(0)]);
        let lost = Record {
            by: String::new(),
            what: Told::Lost("it failed".to_owned()),
        };
        assert!(ledger.enter(region(0).id, lost).is_none());
        assert!(ledger.is_closed());
        assert_eq!(ledger.lost(), 1);
        assert!(ledger.unexplored().eq([&region(0)]));
    }
}
