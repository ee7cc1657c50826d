//! Relocation of objects to other addresses: a base is a symbol everywhere else, so only the number
//! changes [RAM 2.2].

use super::address_space::AddressSpace;
use super::by_address::ByAddress;
use super::placement::{AddressRegion, Placement};
use symex_terms::{AddressMap, ObjectId};

/// Modulus of the address bits that a move [`To::Alike`] keeps.
const KEPT: u64 = 1024;

/// New address of an object: behind all others of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum To {
    /// Further than necessary, by this many times its alignment.
    Steps(u64),
    /// With the same low bits.
    Alike,
}

/// New addresses of some objects.
#[derive(Clone)]
pub struct Relocation {
    moves: Vec<(ObjectId, u64)>,
    placement: Placement,
}

impl Relocation {
    /// Returns the objects with their new addresses.
    pub fn moves(&self) -> &[(ObjectId, u64)] {
        &self.moves
    }
}

impl AddressSpace {
    /// Finds addresses behind all other objects, in this order; `None` if there is no room.
    pub fn relocation(&self, objects: &[(ObjectId, To)]) -> Option<Relocation> {
        let mut found = Relocation {
            moves: Vec::with_capacity(objects.len()),
            placement: self.placement.clone(),
        };
        for (object, to) in objects {
            let address = self.place_again(&mut found.placement, *object, *to)?;
            found.moves.push((*object, address));
        }
        Some(found)
    }

    fn place_again(&self, placement: &mut Placement, object: ObjectId, to: To) -> Option<u64> {
        let o = self.object(object);
        let align = 1u64.checked_shl(u32::from(o.align_log2))?;
        let skip = match to {
            To::Steps(steps) => steps.checked_mul(align)?,
            To::Alike => {
                let first = placement.clone().place(o.kind, o.size, o.align_log2)?;
                o.address.wrapping_sub(first) % KEPT
            }
        };
        Some(placement.place(o.kind, o.size.checked_add(skip)?, o.align_log2)? + skip)
    }

    /// Moves objects.
    pub fn relocate(&mut self, to: &Relocation) {
        self.placement = to.placement.clone();
        for (object, address) in &to.moves {
            let region = AddressRegion::of(self.object(*object).kind);
            if let Some(object) = self.identities.get_mut(object.0 as usize) {
                object.address = *address;
            }
            if self.is_by_address(*object) {
                self.align_by_address(*object);
            }
            self.by_address.move_to_end(region, *object);
        }
    }
}

/// Addresses of a path of which some objects are elsewhere.
pub struct Relocated<'a> {
    pub memory: &'a AddressSpace,
    /// New addresses of these objects.
    pub moves: &'a [(ObjectId, u64)],
}

impl AddressMap for Relocated<'_> {
    fn address(&self, object: ObjectId) -> u64 {
        let moved = self.moves.iter().find(|(moved, _)| *moved == object);
        moved.map_or_else(|| self.memory.address(object), |(_, address)| *address)
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        self.memory.size(object)
    }
}

impl ByAddress {
    /// Moves an object of a region above all others of it in the index.
    fn move_to_end(&mut self, region: AddressRegion, id: ObjectId) {
        let ids = self.ids(region);
        self.clear(region);
        for other in ids.into_iter().filter(|other| *other != id) {
            self.push(region, other);
        }
        self.push(region, id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::new_object;
    use super::super::{Initial, NewObject, ObjectKind};
    use super::*;
    use symex_terms::{Pool, Value};

    #[test]
    fn only_the_address_changes() {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let [a, b] = [24, 8].map(|size| {
            m.allocate(NewObject {
                align_log2: 4,
                ..new_object(size, ObjectKind::Heap(crate::Allocator::C), Initial::Zero)
            })
        });
        m.store(pool, a, 8, 64, Value::Ptr(b, 3));
        let before = m.address(a);
        assert!(before < m.address(b));
        let fork = m.clone();
        let to = m.relocation(&[(a, To::Steps(3))]).unwrap();
        let seen = Relocated {
            memory: &m,
            moves: to.moves(),
        };
        let address = seen.address(a);
        assert_eq!(seen.address(b), m.address(b));
        m.relocate(&to);
        assert_eq!(m.address(a), address);
        assert!(m.address(b) < address && address.is_multiple_of(16));
        assert_eq!(m.load(pool, a, 8, 64), Value::Ptr(b, 3));
        assert_eq!(m.find(address + 5), Some((a, 5)));
        assert_eq!(m.find(m.address(b) + 7), Some((b, 7)));
        assert_eq!(m.find(before), None);
        assert_eq!(fork.find(before), Some((a, 0)));
        // Several keep their order, and those that are to their low bits.
        let low = m.address(b) % KEPT;
        let to = m.relocation(&[(a, To::Steps(0)), (b, To::Alike)]).unwrap();
        m.relocate(&to);
        assert!(address + 24 <= m.address(a) && m.address(a) + 24 <= m.address(b));
        assert_eq!(m.address(b) % KEPT, low);
    }
}
