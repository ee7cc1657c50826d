//! Table of the contents of live objects, by their dense ids, written in place when not shared.
//!
//! A clone copies one pointer per 1024 ids. A leaf whose 16 objects have all ended is dropped (the
//! newest leaf is reused instead), so that short-lived stack objects leave nothing here; their
//! identities are kept elsewhere.

use super::contents::Contents;
use super::footprint::Footprint;
use super::radix::Radix;
use super::records::Records;
use super::regions::Arrays;
use super::symbolic_length_write::Covered;
use std::rc::Rc;
use symex_terms::ObjectId;

const LEAF_LOG2: usize = 4;
const LEAF: usize = 1 << LEAF_LOG2;

/// Slot of an object: a live object, or the place of one.
#[derive(Clone, Default)]
pub(super) struct ObjectSlot {
    /// Number of bytes that may be read: the (least possible) size while alive, else 0.
    pub readable: u64,
    /// Number of bytes that may be written: the (least possible) size while alive and writable,
    /// else 0.
    pub writable: u64,
    /// Alignment that the path may rely on, as a power of two.
    pub align_log2: u8,
    /// Whether that is the alignment of the address, and not the one that was asked for.
    pub by_address: bool,
    pub live: bool,
    /// Whether a local variable is out of its scope, which begins after its frame or ends before.
    pub out_of_scope: bool,
    /// Whether it was written since `arrays` was made.
    pub dirty: bool,
    pub contents: Contents,
    /// Arrays for accesses at symbolic offsets.
    pub arrays: Option<Rc<Arrays>>,
    /// Last writes of symbolic length. They are hints only: the bytes may have been overwritten.
    pub writes: Option<Rc<Vec<Covered>>>,
    /// Writes at symbolic addresses that are kept as records. There is no region then.
    pub records: Option<Rc<Records>>,
}

impl ObjectSlot {
    /// Reports whether a constant offset is aligned wherever the object may lie.
    #[inline]
    pub fn is_aligned(&self, offset: u64, align_log2: u8) -> bool {
        align_log2 == 0 || align_log2 <= self.align_log2 && offset & ((1 << align_log2) - 1) == 0
    }

    /// Adds the parts outside of the slot to a footprint. `shared`: the slot's owner has several
    /// holders.
    pub fn measure(&self, into: &mut Footprint, shared: bool) {
        self.contents.measure(into, shared);
        if let Some(arrays) = &self.arrays {
            into.node(arrays, shared);
        }
        if let Some(writes) = &self.writes {
            into.node(writes, shared);
        }
        if let Some(records) = &self.records
            && let Some(shared) = into.node(records, shared)
        {
            records.measure(into, shared);
        }
    }
}

#[derive(Clone)]
struct TableLeaf {
    live: u32,
    slots: [ObjectSlot; LEAF],
}

/// The slots of all live objects.
#[derive(Clone, Default)]
pub(super) struct ObjectTable {
    leaves: Radix<TableLeaf>,
    /// An id in the leaf of the newest object.
    newest: u32,
}

/// Returns the number of an object's leaf, and its index there.
#[inline]
fn split(id: ObjectId) -> (usize, usize) {
    let id = id.0 as usize;
    (id >> LEAF_LOG2, id & (LEAF - 1))
}

impl ObjectTable {
    /// Returns the slot of an object, unless it and all its neighbours have ended.
    #[inline]
    pub fn get(&self, id: ObjectId) -> Option<&ObjectSlot> {
        let (number, low) = split(id);
        Some(&self.leaves.get(number)?.slots[low])
    }

    /// Returns the slot of an object for writing; shared parts are copied first.
    #[inline]
    pub fn get_mut(&mut self, id: ObjectId) -> Option<&mut ObjectSlot> {
        let (number, low) = split(id);
        Some(&mut self.leaves.get_mut(number)?.slots[low])
    }

    /// Inserts a new live object.
    pub fn insert(&mut self, id: ObjectId, slot: ObjectSlot) {
        let (number, low) = split(id);
        let ended = self.leave_newest(id);
        let leaf = self.leaves.place(number).get_or_insert_with(|| {
            ended.unwrap_or_else(|| {
                Rc::new(TableLeaf {
                    live: 0,
                    slots: std::array::from_fn(|_| ObjectSlot::default()),
                })
            })
        });
        let leaf = Rc::make_mut(leaf);
        debug_assert!(!leaf.slots[low].live && slot.live);
        leaf.live += 1;
        leaf.slots[low] = slot;
    }

    /// Takes the newest leaf if all objects in it have ended and the id belongs to another.
    fn leave_newest(&mut self, id: ObjectId) -> Option<Rc<TableLeaf>> {
        let newest = ObjectId(std::mem::replace(&mut self.newest, id.0));
        let (number, _) = split(newest);
        if number == split(id).0 || self.leaves.get(number)?.live > 0 {
            return None;
        }
        self.leaves.place(number).take()
    }

    /// Ends an object and drops its contents; reports whether it was alive.
    pub fn remove(&mut self, id: ObjectId) -> bool {
        if !self.get(id).is_some_and(|s| s.live) {
            return false;
        }
        let (number, low) = split(id);
        let is_newest = number == split(ObjectId(self.newest)).0;
        let place = self.leaves.place(number);
        let Some(leaf) = place else {
            return false;
        };
        let leaf = Rc::make_mut(leaf);
        let slot = &mut leaf.slots[low];
        (slot.readable, slot.writable, slot.live) = (0, 0, false);
        slot.contents = Contents::Opaque;
        slot.arrays = None;
        slot.writes = None;
        slot.records = None;
        leaf.live -= 1;
        if leaf.live == 0 && !is_newest {
            *place = None;
        }
        true
    }

    /// Iterates over all live objects in order of id.
    pub fn live(&self) -> impl Iterator<Item = (ObjectId, &ObjectSlot)> {
        self.leaves.leaves().flat_map(|(number, leaf)| {
            let slots = leaf.slots.iter().enumerate();
            slots.filter(|(_, s)| s.live).map(move |(low, s)| {
                let id = (number << LEAF_LOG2) | low;
                (ObjectId(id as u32), s)
            })
        })
    }

    /// Returns the ids of the objects whose slots this table does not share with another, in order.
    pub fn apart(&self, other: &ObjectTable) -> Vec<ObjectId> {
        let leaves = self.leaves.apart(&other.leaves).into_iter();
        let ids = leaves.flat_map(|leaf| (leaf << LEAF_LOG2)..((leaf + 1) << LEAF_LOG2));
        ids.map(|id| ObjectId(id as u32)).collect()
    }

    /// Adds the table and the contents of all objects to a footprint.
    pub fn measure(&self, into: &mut Footprint) {
        self.leaves.measure(into, |leaf, into, shared| {
            for slot in leaf.slots.iter().filter(|slot| slot.live) {
                slot.measure(into, shared);
            }
        });
    }

    /// Returns the approximate bytes of the table itself, shared parts included.
    pub fn bytes(&self) -> usize {
        self.leaves.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live() -> ObjectSlot {
        ObjectSlot {
            live: true,
            ..ObjectSlot::default()
        }
    }

    #[test]
    fn ended_leaves_are_dropped_and_forks_are_apart() {
        let mut a = ObjectTable::default();
        for i in 1..=5000 {
            a.insert(ObjectId(i), live());
        }
        let b = a.clone();
        let full = a.bytes();
        for i in 1..=4990 {
            assert!(a.remove(ObjectId(i)));
            assert!(!a.remove(ObjectId(i)));
        }
        assert!(a.bytes() * 10 < full);
        assert_eq!(
            a.live().map(|(i, _)| i.0).collect::<Vec<_>>(),
            (4991..=5000).collect::<Vec<_>>()
        );
        assert_eq!(b.live().count(), 5000);
        assert!(a.get(ObjectId(7)).is_none());
        assert!(b.get(ObjectId(7)).is_some_and(|s| s.live));
    }
}
