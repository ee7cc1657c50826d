//! Index of objects by address.
//!
//! Addresses in a region ascend in order of allocation and are never reused, so an append-only list
//! of ids per region is the ordered map. The caller checks whether the object found is alive.

use super::persistent::PersistentVec;
use super::placement::AddressRegion;
use symex_terms::ObjectId;

/// Object ids by region, in order of address.
#[derive(Clone, Default)]
pub(super) struct ByAddress {
    regions: [PersistentVec<u32>; 4],
}

impl ByAddress {
    /// Adds an object that lies above all others of its region.
    pub fn push(&mut self, region: AddressRegion, id: ObjectId) {
        self.regions[region as usize].push(id.0);
    }

    /// Returns all ids of a region in order.
    pub fn ids(&self, region: AddressRegion) -> Vec<ObjectId> {
        let ids = &self.regions[region as usize];
        let id = |i: usize| ids.get(i).map(|i| ObjectId(*i));
        (0..ids.len()).filter_map(id).collect()
    }

    /// Removes a region's objects.
    pub fn clear(&mut self, region: AddressRegion) {
        self.regions[region as usize] = PersistentVec::default();
    }

    /// Returns the object with the greatest base address that is at most `address`.
    pub fn at_or_below(&self, address: u64, base: impl Fn(ObjectId) -> u64) -> Option<ObjectId> {
        let ids = &self.regions[AddressRegion::containing(address)? as usize];
        let id = |i: usize| ids.get(i).map(|i| ObjectId(*i));
        let (mut lo, mut hi) = (0, ids.len());
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            if base(id(mid)?) <= address {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        id(lo.checked_sub(1)?)
    }
}
