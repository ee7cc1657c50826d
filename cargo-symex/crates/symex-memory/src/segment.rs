//! Segments: containers that hold the bytes of several objects, so that a pointer to any of them
//! needs one access [SMM 2.2; RAM 2.3.2].
//!
//! A segment is no object: it has no address, and no lifetime that a program could see. Its members
//! keep identity, size, address and liveness; only the place of their bytes changes. Code that
//! accesses bytes asks [`AddressSpace::held`] for their [`Holder`]; slots of contents are found by
//! holders alone.
//!
//! Two paths that move the same objects together make two segments. The paper gives the second the
//! address and the array of the first, so that queries about both are the same and the caches of
//! the solver know the answers [RAM 2.3.3, "Reusing Segments"]. Here terms have offsets in segments
//! instead of addresses of segments, and arrays are known by their contents: a new segment with the
//! same contents has the same arrays. To measure the benefit this can be switched off: each segment
//! then has a name of its own for its arrays.

use super::address_space::AddressSpace;
use super::contents::{Contents, PAGE};
use super::footprint::Footprint;
use super::object::Initial;
use super::object_table::ObjectSlot;
use std::collections::BTreeMap;
use std::rc::Rc;
use symex_terms::{ArrayName, ObjectId, Pool};
use symex_types::outcome::stats::MemoryStats;

/// Number of a segment of a path, from 0 in order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegmentId(u32);

/// Holder of bytes: an object, or a segment with several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Holder {
    Object(ObjectId),
    Segment(SegmentId),
}

/// Statistics of moving objects into segments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Moved {
    /// Number of segments that were made.
    pub segments: u64,
    /// Number of objects that were moved into a segment, or from one to another.
    pub objects: u64,
    /// Bytes and members of the largest segment that now holds some of the objects.
    pub largest: u64,
    pub members: u64,
}

impl Moved {
    /// Adds the numbers to the statistics.
    pub fn tell(&self, stats: &mut MemoryStats) {
        stats.segments = self.segments;
        stats.moved_objects = self.objects;
        stats.largest_segment = self.largest;
        stats.most_members = self.members;
    }

    /// Adds the statistics of another move.
    pub fn add(&mut self, other: Moved) {
        self.segments += other.segments;
        self.objects += other.objects;
        self.largest = self.largest.max(other.largest);
        self.members = self.members.max(other.members);
    }
}

/// Size of an object, in bytes, up to which it gets a power of two of bytes, at a multiple of it:
/// for a read of one field of each, the table then has one element per member.
const SMALL: u64 = 64;

/// Alignment of larger objects in a segment.
const ALIGN: u64 = 16;

/// Least size of an object, in bytes, that begins at a page, so that pages are shared instead of
/// copied.
const PAGES: u64 = 4 * PAGE as u64;

/// Returns the bytes that an object takes in a segment, and the alignment of its offset.
fn footprint(size: u64) -> (u64, u64) {
    match size {
        0..=SMALL => {
            let room = size.next_power_of_two().max(8);
            (room, room)
        }
        PAGES.. => (size.next_multiple_of(ALIGN), PAGE as u64),
        _ => (size.next_multiple_of(ALIGN), ALIGN),
    }
}

/// Map of a segment: the object to which each byte belongs.
#[derive(Clone, Default)]
pub(super) struct Members {
    /// Members by offset: the object, and the bytes that it takes.
    at: BTreeMap<u64, (ObjectId, u64)>,
    /// Lengths of the gaps below `end`, which belong to no object, by offset. Gaps are not empty
    /// and do not touch.
    gaps: BTreeMap<u64, u64>,
    end: u64,
    array_name: ArrayName,
}

impl Members {
    /// Returns the member to which a byte belongs, and the byte's offset in it.
    pub fn owner(&self, offset: u64) -> Option<(ObjectId, u64)> {
        let (at, (object, room)) = self.at.range(..=offset).next_back()?;
        (offset - at < *room).then_some((*object, offset - at))
    }

    /// Returns the name of the segment's arrays.
    pub fn array_name(&self) -> ArrayName {
        self.array_name
    }

    /// Finds an offset for a new member: the smallest gap that fits [SMM 3], else behind the last
    /// member.
    fn place(&self, size: u64) -> u64 {
        let (room, align) = footprint(size);
        let fits = |(at, len): (&u64, &u64)| {
            let start = at.next_multiple_of(align);
            (start + room <= at + len).then_some((*len, start))
        };
        let gap = self.gaps.iter().filter_map(fits).min();
        gap.map_or(self.end.next_multiple_of(align), |(_, start)| start)
    }

    /// Returns the offset of the last byte if an object were added.
    fn end_with(&self, size: u64) -> u64 {
        let end = self.place(size).saturating_add(footprint(size).0);
        end.max(self.end)
    }

    fn add(&mut self, object: ObjectId, size: u64) -> u64 {
        let (start, (room, _)) = (self.place(size), footprint(size));
        let end = start + room;
        match self.gaps.range(..=start).next_back() {
            Some((&at, &len)) if end <= at + len => {
                self.gaps.remove(&at);
                self.free_range(at, start);
                self.free_range(end, at + len);
            }
            _ => {
                self.free_range(self.end, start);
                self.end = end;
            }
        }
        self.at.insert(start, (object, room));
        start
    }

    fn remove(&mut self, offset: u64) {
        let Some((_, room)) = self.at.remove(&offset) else {
            return;
        };
        let (mut start, mut end) = (offset, offset + room);
        if let Some((&at, &len)) = self.gaps.range(..start).next_back()
            && at + len == start
        {
            self.gaps.remove(&at);
            start = at;
        }
        if let Some(len) = self.gaps.remove(&end) {
            end += len;
        }
        if end == self.end {
            self.end = start;
        } else {
            self.free_range(start, end);
        }
    }

    fn free_range(&mut self, start: u64, end: u64) {
        if start < end {
            self.gaps.insert(start, end - start);
        }
    }
}

#[derive(Clone)]
struct Segment {
    slot: ObjectSlot,
    members: Rc<Members>,
}

/// The segments of a path.
#[derive(Clone, Default)]
pub(super) struct Segments(Rc<Vec<Option<Rc<Segment>>>>);

impl Segments {
    /// Reports whether these are the segments of another path, unchanged.
    pub fn are_shared_with(&self, other: &Segments) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.is_empty() && other.0.is_empty()
    }

    /// Adds the segments to a footprint.
    pub fn measure(&self, into: &mut Footprint) {
        let Some(shared) = into.node(&self.0, false) else {
            return;
        };
        for segment in self.0.iter().flatten() {
            let Some(shared) = into.node(segment, shared) else {
                continue;
            };
            segment.slot.measure(into, shared);
            into.node(&segment.members, shared);
        }
    }

    fn get(&self, id: SegmentId) -> &Segment {
        let segment = self.0.get(id.0 as usize).and_then(Option::as_ref);
        segment.expect("a segment lives as long as it has members")
    }

    fn get_mut(&mut self, id: SegmentId) -> &mut Segment {
        let all = Rc::make_mut(&mut self.0);
        let segment = all.get_mut(id.0 as usize).and_then(Option::as_mut);
        Rc::make_mut(segment.expect("a segment lives as long as it has members"))
    }

    fn add(&mut self, array_name: ArrayName) -> SegmentId {
        let segment = Segment {
            slot: ObjectSlot {
                live: true,
                contents: Contents::growing(),
                ..ObjectSlot::default()
            },
            members: Rc::new(Members {
                array_name,
                ..Members::default()
            }),
        };
        Rc::make_mut(&mut self.0).push(Some(Rc::new(segment)));
        SegmentId(self.0.len() as u32 - 1)
    }

    /// Removes a member; a segment without members ends.
    pub fn remove(&mut self, id: SegmentId, offset: u64) {
        let members = Rc::make_mut(&mut self.get_mut(id).members);
        members.remove(offset);
        if members.at.is_empty() {
            Rc::make_mut(&mut self.0)[id.0 as usize] = None;
        }
    }

    pub fn slot(&self, id: SegmentId) -> &ObjectSlot {
        &self.get(id).slot
    }

    pub fn slot_mut(&mut self, id: SegmentId) -> &mut ObjectSlot {
        &mut self.get_mut(id).slot
    }

    pub fn members(&self, id: SegmentId) -> &Members {
        &self.get(id).members
    }

    /// Returns another handle of the member map.
    pub fn shared_members(&self, id: SegmentId) -> Rc<Members> {
        self.get(id).members.clone()
    }

    /// Returns the approximate bytes of the segments, shared parts included.
    pub fn bytes(&self) -> usize {
        let of = |segment: &Rc<Segment>| {
            let members = segment.members.at.len() + segment.members.gaps.len();
            size_of::<Segment>() + 48 * members + segment.slot.contents.bytes()
        };
        self.0.iter().flatten().map(of).sum()
    }
}

impl AddressSpace {
    /// Returns the holder of the bytes of an object, and the offset of its first byte there.
    #[inline]
    pub(super) fn held(&self, id: ObjectId) -> (Holder, u64) {
        match self.table.get(id).map(|slot| &slot.contents) {
            Some(Contents::Within(segment, at)) => (Holder::Segment(*segment), *at),
            _ => (Holder::Object(id), 0),
        }
    }

    /// Returns the slot of a live holder.
    pub(super) fn slot(&self, holder: Holder) -> Option<&ObjectSlot> {
        match holder {
            Holder::Object(id) => self.table.get(id).filter(|slot| slot.live),
            Holder::Segment(id) => Some(self.segments.slot(id)),
        }
    }

    pub(super) fn slot_mut(&mut self, holder: Holder) -> Option<&mut ObjectSlot> {
        match holder {
            Holder::Object(id) => self.table.get_mut(id).filter(|slot| slot.live),
            Holder::Segment(id) => Some(self.segments.slot_mut(id)),
        }
    }

    /// Returns the segment that holds the bytes of an object, if one does, and the offset of the
    /// first byte.
    pub fn segment_of(&self, id: ObjectId) -> Option<(SegmentId, u64)> {
        match self.held(id) {
            (Holder::Segment(segment), at) => Some((segment, at)),
            _ => None,
        }
    }

    /// Reports whether the bytes of an object can be moved into a segment.
    pub fn can_move(&self, id: ObjectId) -> bool {
        let slot = self.table.get(id);
        slot.is_some_and(|slot| slot.live && !matches!(slot.contents, Contents::Opaque))
    }

    /// Reports whether an access of `bytes` bytes to several members of a segment would split
    /// pointers that members hold. Memory written at symbolic offsets is kept in elements as narrow
    /// as the narrowest access, and a pointer in pieces has lost its object.
    pub fn cuts_pointers(&self, pool: &Pool, segment: SegmentId, bytes: u64, store: bool) -> bool {
        let slot = self.segments.slot(segment);
        let arrays = slot.arrays.as_deref().filter(|a| a.has_regions());
        if bytes.is_multiple_of(8) || !store && arrays.is_none() {
            return false;
        }
        if arrays.is_some_and(|a| a.any_pointers(pool)) {
            return true;
        }
        let end = self.segments.members(segment).end;
        slot.contents.holds_pointer(pool, 0..end)
    }

    /// Moves the bytes of an object out of its segment.
    pub fn take_apart(&mut self, pool: &mut Pool, id: ObjectId) {
        let from = self.held(id);
        let (Holder::Segment(segment), at) = from else {
            return;
        };
        let size = self.object(id).size;
        let slot = self.table.get_mut(id).expect("the object is alive");
        slot.contents = Contents::new(size, &Initial::Uninit);
        slot.dirty = true;
        self.copy_held(pool, (Holder::Object(id), 0), from, size);
        self.segments.remove(segment, at);
    }

    /// Moves objects together: into one segment as long as that has at most `most` bytes, then into
    /// another (an overflow segment [SMM 2.2]). Segments that hold some of them are united, as far
    /// as `most` permits. An object that is larger, or alone, stays where it is. Objects that
    /// cannot be moved are left out.
    pub fn unite(&mut self, pool: &mut Pool, objects: &[ObjectId], most: u64) -> Moved {
        let mut segments: Vec<SegmentId> = Vec::new();
        let mut alone: Vec<ObjectId> = Vec::new();
        for object in objects.iter().filter(|object| self.can_move(**object)) {
            match self.segment_of(*object) {
                Some((segment, _)) if !segments.contains(&segment) => segments.push(segment),
                None if footprint(self.object(*object).size).0 <= most => alone.push(*object),
                _ => {}
            }
        }
        let mut moved = Moved::default();
        self.unite_segments(pool, &mut segments, most, &mut moved);
        for object in alone {
            if self.segment_of(object).is_some() {
                continue;
            }
            let size = self.object(object).size;
            let open = segments.iter().copied();
            let fits = |s: &SegmentId| self.segments.members(*s).end_with(size) <= most;
            let into = open.into_iter().find(fits).unwrap_or_else(|| {
                moved.segments += 1;
                let name = if self.apart {
                    pool.fresh_array_name()
                } else {
                    ArrayName::default()
                };
                let new = self.segments.add(name);
                segments.push(new);
                new
            });
            self.move_into(pool, object, into);
            moved.objects += 1;
        }
        for segment in segments {
            let members = self.segments.members(segment);
            moved.largest = moved.largest.max(members.end);
            moved.members = moved.members.max(members.at.len() as u64);
        }
        moved
    }

    /// Moves the members of smaller segments into the largest that has room for them all. The
    /// remaining segments stay in `segments`.
    fn unite_segments(
        &mut self,
        pool: &mut Pool,
        segments: &mut Vec<SegmentId>,
        most: u64,
        moved: &mut Moved,
    ) {
        let end = |m: &Self, s: SegmentId| m.segments.members(s).end;
        segments.sort_by_key(|s| (std::cmp::Reverse(end(self, *s)), *s));
        let mut kept: Vec<SegmentId> = Vec::new();
        for segment in std::mem::take(segments) {
            let members = self.segments.members(segment);
            let of: Vec<ObjectId> = members.at.values().map(|(object, _)| *object).collect();
            let sizes: Vec<u64> = of.iter().map(|o| self.object(*o).size).collect();
            let room: u64 = sizes.iter().map(|size| footprint(*size).0 + ALIGN).sum();
            let into = kept.iter().find(|k| end(self, **k) + room <= most);
            let Some(into) = into.copied() else {
                kept.push(segment);
                continue;
            };
            moved.objects += of.len() as u64;
            for object in of {
                self.move_into(pool, object, into);
            }
        }
        *segments = kept;
    }

    /// Moves the bytes of one object into a segment.
    fn move_into(&mut self, pool: &mut Pool, object: ObjectId, segment: SegmentId) {
        let size = self.object(object).size;
        let from = self.held(object);
        let members = Rc::make_mut(&mut self.segments.get_mut(segment).members);
        let at = members.add(object, size);
        let to = (Holder::Segment(segment), at);
        self.copy_held(pool, to, from, size);
        if let (Holder::Segment(old), offset) = from {
            self.segments.remove(old, offset);
        }
        let slot = self.table.get_mut(object).expect("the object is alive");
        slot.contents = Contents::Within(segment, at);
        (slot.arrays, slot.records, slot.dirty) = (None, None, false);
        let writes = slot.writes.take();
        for write in writes.iter().flat_map(|writes| writes.iter()) {
            let write = write.moved(pool, at);
            self.remember(to.0, write);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{object, var};
    use crate::{Checked, Initial};
    use symex_terms::{Array, Kind, Value};
    use symex_types::config::MemoryConfig;

    /// Returns the array of a read from either of two objects, after they were moved together.
    fn read(m: &mut AddressSpace, pool: &mut Pool, objects: [ObjectId; 2], input: u32) -> Array {
        m.unite(pool, &objects, u64::MAX);
        let (segment, _) = m.segment_of(objects[0]).expect("they were moved");
        let index = var(pool, input, 5);
        let index = pool.zext(index, 64);
        let places = objects.map(|id| Checked::new(id, Value::Expr(index)));
        let read = m.load_member(pool, segment, &places, index, 8).exact;
        let Value::Expr(read) = read else {
            panic!("depends on the index: {read:?}");
        };
        let Kind::Select { array, .. } = pool.kind(read) else {
            panic!("is not read from an array: {:?}", pool.kind(read));
        };
        array
    }

    #[test]
    fn segments_of_two_paths_have_the_same_arrays_unless_they_are_to_be_apart() {
        for reuse_segments in [true, false] {
            let config = MemoryConfig {
                reuse_segments,
                ..MemoryConfig::default()
            };
            let (mut m, pool) = (AddressSpace::new(Rc::default(), &config), &mut Pool::new());
            let objects = [7, 9].map(|byte| {
                let bytes: Vec<u8> = (0..16).map(|i| i * byte).collect();
                object(&mut m, 16, Initial::Bytes(bytes.into()))
            });
            let mut other = m.clone();
            let (a, b) = (
                read(&mut m, pool, objects, 0),
                read(&mut other, pool, objects, 0),
            );
            assert_eq!(a == b, reuse_segments);
            assert_eq!(pool.array_kind(a), pool.array_kind(b));
            // What was split off later has the segment of its path.
            assert_eq!(read(&mut m.clone(), pool, objects, 1), a);
            for memory in [&mut m, &mut other] {
                memory.store(pool, objects[0], 0, 8, Value::Int(1));
            }
            let (a, b) = (
                read(&mut m, pool, objects, 0),
                read(&mut other, pool, objects, 0),
            );
            assert_eq!(a == b, reuse_segments);
        }
    }

    #[test]
    fn gaps_are_used_again() {
        let mut members = Members::default();
        let ids: Vec<ObjectId> = (1..=6).map(ObjectId).collect();
        let at: Vec<u64> = ids.iter().map(|id| members.add(*id, 24)).collect();
        assert_eq!(at, [0, 32, 64, 96, 128, 160]);
        assert_eq!(members.owner(40), Some((ids[1], 8)));
        for gone in [1, 3, 2] {
            members.remove(at[gone]);
        }
        assert_eq!(members.gaps, BTreeMap::from([(32, 96)]));
        assert_eq!(members.owner(40), None);
        members.remove(at[5]);
        assert_eq!(members.end, 160);
        // What is too large for the gap goes behind the last.
        assert_eq!(members.add(ids[5], 200), 160);
        assert_eq!(members.add(ids[1], 32), 32);
        // The smallest gap that fits.
        members.remove(0);
        assert_eq!(members.gaps, BTreeMap::from([(0, 32), (64, 64)]));
        assert_eq!(members.add(ids[0], 5), 0);
        assert_eq!(members.add(ids[2], 64), 64);
        assert_eq!(members.gaps, BTreeMap::from([(8, 24)]));
        for at in [64, 0, 160, 128, 32] {
            members.remove(at);
        }
        assert_eq!((members.end, members.gaps.len()), (0, 0));
    }
}
