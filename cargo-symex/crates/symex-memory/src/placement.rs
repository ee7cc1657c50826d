//! Placement: assigns concrete base addresses, deterministic, never reused, one region for each
//! kind of object.
//!
//! Invariant: between two objects of a region there are at least [`GAP`] bytes that belong to none,
//! so that the end of one is never the start of another; addresses in a region ascend in order of
//! allocation.

use super::object::ObjectKind;

/// Bytes kept free behind each object.
pub(super) const GAP: u64 = 16;

/// Region of the address space, by the kind of its objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum AddressRegion {
    Functions,
    Globals,
    Heap,
    Stack,
}

/// First address of each region, all above the greatest offset for which the simplifier relies on
/// objects not wrapping around the address space (2^40). Each region ends where the next begins,
/// the last at the end of a process's half of 47 bits.
const STARTS: [u64; 4] = [
    0x0200_0000_0000,
    0x0400_0000_0000,
    0x1000_0000_0000,
    0x7000_0000_0000,
];
const END: u64 = 0x8000_0000_0000;

impl AddressRegion {
    pub const ALL: [AddressRegion; 4] = [
        AddressRegion::Functions,
        AddressRegion::Globals,
        AddressRegion::Heap,
        AddressRegion::Stack,
    ];

    /// Returns the region for a kind of object.
    pub fn of(kind: ObjectKind) -> AddressRegion {
        match kind {
            ObjectKind::Function => AddressRegion::Functions,
            ObjectKind::Global | ObjectKind::Constant => AddressRegion::Globals,
            ObjectKind::Heap(_) => AddressRegion::Heap,
            ObjectKind::Stack => AddressRegion::Stack,
        }
    }

    /// Returns the region that an address belongs to.
    pub fn containing(address: u64) -> Option<AddressRegion> {
        if address >= END {
            return None;
        }
        AddressRegion::ALL
            .into_iter()
            .rev()
            .find(|r| address >= STARTS[*r as usize])
    }
}

/// Next free address of each region.
#[derive(Clone)]
pub(super) struct Placement {
    next: [u64; 4],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { next: STARTS }
    }
}

impl Placement {
    /// Goes beyond what another placement has reserved.
    pub fn join(&mut self, other: &Placement) {
        for (next, other) in self.next.iter_mut().zip(other.next) {
            *next = (*next).max(other);
        }
    }

    /// Reserves an address for an object; `None` if the region has not enough room left.
    pub fn place(&mut self, kind: ObjectKind, size: u64, align_log2: u8) -> Option<u64> {
        let region = AddressRegion::of(kind) as usize;
        let align = 1u64.checked_shl(u32::from(align_log2))?;
        let address = self.next[region].checked_next_multiple_of(align)?;
        let next = address
            .checked_add(size)?
            .checked_add(GAP)?
            .checked_next_multiple_of(16)?;
        let end = STARTS.get(region + 1).copied().unwrap_or(END);
        if next > end {
            return None;
        }
        self.next[region] = next;
        Some(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_aligned_and_apart() {
        let mut p = Placement::default();
        let mut end = 0;
        for i in 0..200u64 {
            let align = (i % 13) as u8;
            let a = p
                .place(ObjectKind::Heap(crate::Allocator::C), i * 7 % 50, align)
                .unwrap();
            assert_eq!(a % (1 << align), 0);
            assert!(a >= end + GAP);
            assert_eq!(AddressRegion::containing(a), Some(AddressRegion::Heap));
            end = a + i * 7 % 50;
        }
    }

    #[test]
    fn a_region_that_is_full_says_so() {
        let mut p = Placement::default();
        assert_eq!(
            p.place(ObjectKind::Heap(crate::Allocator::C), u64::MAX, 0),
            None
        );
        assert_eq!(
            p.place(ObjectKind::Heap(crate::Allocator::C), 1 << 47, 0),
            None
        );
        assert_eq!(p.place(ObjectKind::Heap(crate::Allocator::C), 8, 64), None);
        assert!(
            p.place(ObjectKind::Heap(crate::Allocator::C), 10 << 30, 4)
                .is_some()
        );
        assert_eq!(AddressRegion::containing(0), None);
        assert_eq!(AddressRegion::containing(u64::MAX), None);
    }
}
