//! Tags of the pointers that lie in memory: which of the references that a rule of aliasing tells
//! apart a stored pointer is. The contents say where it points.
//!
//! A tag is lost where it may be wrong: where any byte of the pointer is written, by whatever
//! means.

use super::address_space::AddressSpace;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use symex_terms::ObjectId;

/// Size of a pointer in bytes.
const POINTER: u64 = 8;

/// A pointer's tag, by which the rules of aliasing tell pointers to one place apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Tag(pub u32);

impl Tag {
    /// The tag of a pointer whose way was not followed.
    pub const UNKNOWN: Tag = Tag(0);
    /// The tag of the pointer that an object was allocated as, whichever object that is.
    pub const ROOT: Tag = Tag(1);
    /// The tag of a pointer made of an integer: it may be any whose address was exposed.
    pub const WILD: Tag = Tag(2);
    /// The first tag of a single reference.
    pub const FIRST: Tag = Tag(3);
}

/// Tags of one object's pointers, by offset.
type InObject = Rc<BTreeMap<u64, Tag>>;

/// Tags of all pointers in memory. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub(super) struct PointerTags(Rc<BTreeMap<ObjectId, InObject>>);

impl PointerTags {
    /// Returns the tag of a pointer that was stored at an offset and not overwritten.
    pub fn get(&self, object: ObjectId, offset: u64) -> Tag {
        let tag = self.0.get(&object).and_then(|tags| tags.get(&offset));
        tag.copied().unwrap_or(Tag::UNKNOWN)
    }

    /// Sets the tag of the pointer at an offset.
    pub fn set(&mut self, object: ObjectId, offset: u64, tag: Tag) {
        if tag == Tag::UNKNOWN {
            return self.overwrite(object, offset, POINTER);
        }
        let tags = Rc::make_mut(&mut self.0).entry(object).or_default();
        Rc::make_mut(tags).insert(offset, tag);
    }

    /// Forgets the pointers that a write of some bytes touches.
    pub fn overwrite(&mut self, object: ObjectId, offset: u64, len: u64) {
        let touched = touched_by(offset, len);
        let Some(tags) = self.0.get(&object) else {
            return;
        };
        if tags.range(touched.clone()).next().is_none() {
            return;
        }
        let Some(tags) = Rc::make_mut(&mut self.0).get_mut(&object) else {
            return;
        };
        Rc::make_mut(tags).retain(|at, _| !touched.contains(at));
    }

    /// Copies the tags of the pointers that lie in a range as a whole.
    pub fn copy(&mut self, to: (ObjectId, u64), from: (ObjectId, u64), len: u64) {
        let end = from.1.saturating_add(len);
        let whole = from.1..end.saturating_sub(POINTER - 1).max(from.1);
        let tags = self.0.get(&from.0);
        let moved: Vec<(u64, Tag)> = tags
            .map(|tags| tags.range(whole).map(|(at, tag)| (*at, *tag)).collect())
            .unwrap_or_default();
        self.overwrite(to.0, to.1, len);
        for (at, tag) in moved {
            self.set(to.0, to.1 + (at - from.1), tag);
        }
    }

    /// Forgets the pointers in an object.
    pub fn forget(&mut self, object: ObjectId) {
        if self.0.contains_key(&object) {
            Rc::make_mut(&mut self.0).remove(&object);
        }
    }

    /// Forgets all pointers.
    pub fn clear(&mut self) {
        self.0 = Rc::default();
    }

    /// Iterates over all tags, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = Tag> + '_ {
        self.0.values().flat_map(|tags| tags.values().copied())
    }
}

/// Returns the offsets of the pointers that a write of some bytes touches.
fn touched_by(offset: u64, len: u64) -> Range<u64> {
    offset.saturating_sub(POINTER - 1)..offset.saturating_add(len)
}

impl AddressSpace {
    /// Begins to track the tags of pointers in memory.
    pub fn track_pointer_tags(&mut self) {
        self.tags.get_or_insert_default();
    }

    /// Returns the tag of the pointer at an offset, as far as it is known.
    pub fn pointer_tag(&self, id: ObjectId, offset: u64) -> Tag {
        let tags = self.tags.as_ref();
        tags.map_or(Tag::UNKNOWN, |tags| tags.get(id, offset))
    }

    /// Sets the tag of the pointer that was stored at an offset, if tags are tracked.
    pub fn set_pointer_tag(&mut self, id: ObjectId, offset: u64, tag: Tag) {
        if let Some(tags) = &mut self.tags {
            tags.set(id, offset, tag);
        }
    }

    /// Iterates over the tags of all pointers in memory.
    pub fn pointer_tags(&self) -> impl Iterator<Item = Tag> + '_ {
        self.tags.iter().flat_map(|tags| tags.iter())
    }

    /// Forgets the tags in an object: it is written at an offset that is not known.
    pub(super) fn forget_pointer_tags(&mut self, id: ObjectId) {
        if let Some(tags) = &mut self.tags {
            tags.forget(id);
        }
    }

    /// Forgets all tags: one of several objects is written.
    pub(super) fn forget_all_pointer_tags(&mut self) {
        if let Some(tags) = &mut self.tags {
            tags.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ObjectId = ObjectId(1);
    const B: ObjectId = ObjectId(2);

    #[test]
    fn a_write_to_any_byte_of_a_pointer_takes_its_tag() {
        for (at, len, stays) in [(0, 8, true), (8, 1, false), (15, 1, false), (16, 8, true)] {
            let mut tags = PointerTags::default();
            tags.set(A, 8, Tag(5));
            tags.overwrite(A, at, len);
            assert_eq!(tags.get(A, 8) == Tag(5), stays, "{at} {len}");
        }
    }

    #[test]
    fn a_copy_brings_whole_pointers_and_replaces_what_was_there() {
        let mut tags = PointerTags::default();
        tags.set(A, 0, Tag(2));
        tags.set(A, 8, Tag(3));
        tags.set(B, 4, Tag(4));
        tags.set(B, 24, Tag(5));
        let before = tags.clone();
        tags.copy((B, 8), (A, 0), 15);
        let found = [4, 8, 16, 24].map(|at| tags.get(B, at));
        assert_eq!(found, [Tag::UNKNOWN, Tag(2), Tag::UNKNOWN, Tag(5)]);
        assert_eq!(before.get(B, 4), Tag(4));
        tags.copy((A, 4), (A, 0), 16);
        assert_eq!(
            [0, 4, 12].map(|at| tags.get(A, at)),
            [Tag::UNKNOWN, Tag(2), Tag(3)]
        );
        tags.forget(A);
        assert_eq!(tags.get(A, 4), Tag::UNKNOWN);
    }
}
