//! Merging the memories of two paths: where they differ, and one memory in place of both.
//!
//! Both are copies of one memory, changed since. What they share is not looked at, so that the cost
//! depends on what was written.

use super::address_space::AddressSpace;
use super::contents::{Contents, ContentsPiece, PAGE};
use super::object::Object;
use super::object_table::ObjectSlot;
use super::regions::Arrays;
use std::rc::Rc;
use symex_terms::{Expr, ObjectId, Pool, Symbol, Value, Width};

/// Bytes of an object in which two memories differ, a few of them at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Difference {
    pub object: ObjectId,
    pub offset: u64,
    /// Width in bits.
    pub width: Width,
    /// Contents in either memory.
    pub values: [Value; 2],
}

/// Greatest number of bytes of one difference.
const LONGEST: u64 = 8;

/// What tells two memories apart.
#[derive(Clone, Debug)]
pub struct Differences {
    pub places: Vec<Difference>,
    /// Number of ids that mean the same object in both. Objects with later ids have ended in both.
    common: usize,
}

impl Differences {
    /// Reports whether a term mentions an object that only one of the memories knows.
    pub fn mentions_foreign(&self, pool: &Pool, term: Expr) -> bool {
        let foreign = |symbol: &Symbol| match symbol {
            Symbol::Base(object) => object.0 as usize >= self.common,
            Symbol::Var(_) => false,
        };
        pool.support(term).iter().any(foreign)
    }

    /// Reports whether a value mentions an object that only one of the memories knows.
    pub fn is_foreign(&self, pool: &Pool, value: Value) -> bool {
        match value {
            Value::Ptr(object, _) => object.0 as usize >= self.common,
            Value::Expr(term) => self.mentions_foreign(pool, term),
            Value::Int(_) | Value::Undef => false,
        }
    }
}

fn is_same(a: &Object, b: &Object) -> bool {
    (
        a.id,
        a.size,
        a.length,
        a.align_log2,
        a.kind,
        a.site,
        a.birth,
        a.address,
    ) == (
        b.id,
        b.size,
        b.length,
        b.align_log2,
        b.kind,
        b.site,
        b.birth,
        b.address,
    )
}

fn is_shared<T>(a: &Option<Rc<T>>, b: &Option<Rc<T>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Reports whether the bytes of two states of an object lie in the same regions. Arrays without
/// regions are views of the contents alone: they tell nothing apart.
fn have_same_regions(a: &Option<Rc<Arrays>>, b: &Option<Rc<Arrays>>) -> bool {
    let has_none = |arrays: &Option<Rc<Arrays>>| arrays.as_ref().is_none_or(|a| !a.has_regions());
    is_shared(a, b) || has_none(a) && has_none(b)
}

/// Returns the length of a cell, if the piece is a whole one.
fn whole(piece: ContentsPiece<'_>) -> Option<u64> {
    match piece {
        ContentsPiece::Cell {
            skip: 0,
            len,
            whole,
            ..
        } if len == whole => Some(whole as u64),
        _ => None,
    }
}

/// Reports whether a piece has `len` bytes at least, and is no cell that these would cut.
fn is_uncut(piece: ContentsPiece<'_>, len: u64) -> bool {
    match piece {
        ContentsPiece::Cell { .. } => whole(piece) == Some(len),
        _ => piece.len() as u64 >= len,
    }
}

impl AddressSpace {
    /// Returns the bytes in which this memory and another differ; `None` if there are more than
    /// `most` such places, or if they differ in anything else: an object that lives in one of them
    /// only, or what is known of an object.
    pub fn differences(
        &self,
        pool: &mut Pool,
        other: &AddressSpace,
        most: usize,
    ) -> Option<Differences> {
        if !self.segments.are_shared_with(&other.segments)
            || self.tags.is_some()
            || other.tags.is_some()
        {
            return None;
        }
        let common = self.identities.common(&other.identities, is_same);
        let mut places = Vec::new();
        for id in self.table.apart(&other.table) {
            let of = |memory: &AddressSpace| memory.table.get(id).is_some_and(|slot| slot.live);
            match [of(self), of(other)] {
                [false, false] => continue,
                [true, true] if (id.0 as usize) < common => {}
                _ => return None,
            }
            let (Some(a), Some(b)) = (self.table.get(id), other.table.get(id)) else {
                return None;
            };
            if !a.is_like(b) {
                return None;
            }
            // Out of its scope it has no contents, whether the scope has begun before or not.
            if a.out_of_scope {
                continue;
            }
            self.bytes_apart(pool, other, id, most, &mut places)?;
        }
        Some(Differences { places, common })
    }

    /// Adds the places in which an object's bytes differ.
    fn bytes_apart(
        &self,
        pool: &mut Pool,
        other: &AddressSpace,
        id: ObjectId,
        most: usize,
        places: &mut Vec<Difference>,
    ) -> Option<()> {
        let (a, b) = (
            &self.table.get(id)?.contents,
            &other.table.get(id)?.contents,
        );
        if a.are_shared_with(b) {
            return Some(());
        }
        let size = self.object(id).size;
        let mut at = 0;
        while at < size {
            if a.shares_page(b, at) {
                at = (at / PAGE as u64 + 1) * PAGE as u64;
                continue;
            }
            let (mine, theirs) = (a.piece(at, size - at), b.piece(at, size - at));
            let len = mine.len().min(theirs.len()) as u64;
            let (start, end) = match (mine, theirs) {
                (ContentsPiece::Empty(_), ContentsPiece::Empty(_)) => {
                    at += len;
                    continue;
                }
                (ContentsPiece::Bytes(x), ContentsPiece::Bytes(y)) => {
                    let differ = x.iter().zip(y).position(|(x, y)| x != y);
                    let Some(first) = differ.map(|first| at + first as u64) else {
                        at += len;
                        continue;
                    };
                    let most = (at + len).min(first.next_multiple_of(LONGEST).max(first + 1));
                    let last = (first..most).rev().find(|i| {
                        let i = (i - at) as usize;
                        x[i] != y[i]
                    });
                    (first, last.unwrap_or(first) + 1)
                }
                (x, y) if x == y => {
                    at += len;
                    continue;
                }
                // A cell in both or in one: as a whole, where the other does not cut it.
                (x, y) => {
                    let longest = whole(x).max(whole(y)).unwrap_or(1);
                    let len = match is_uncut(x, longest) && is_uncut(y, longest) {
                        true => longest,
                        false => 1,
                    };
                    (at, at + len)
                }
            };
            let width = (8 * (end - start)) as Width;
            let values = [self, other].map(|memory| memory.load(pool, id, start, width));
            if values[0] != values[1] {
                places.push(Difference {
                    object: id,
                    offset: start,
                    width,
                    values,
                });
            }
            if places.len() > most {
                return None;
            }
            at = end;
        }
        Some(())
    }

    /// Makes this memory that of a path in place of two, the other of which had `other`: what the
    /// bytes at the places where they differ are now is stored by the caller.
    pub fn join(&mut self, other: &AddressSpace) {
        for id in self.table.apart(&other.table) {
            let Some(theirs) = other.table.get(id).filter(|slot| slot.live) else {
                continue;
            };
            let (writes, dirty) = (theirs.writes.clone(), theirs.dirty);
            if let Some(slot) = self.table.get_mut(id).filter(|slot| slot.live) {
                slot.dirty |= dirty;
                if !is_shared(&slot.writes, &writes) {
                    slot.writes = None;
                }
            }
        }
        if other.identities.len() > self.identities.len() {
            self.identities = other.identities.clone();
            self.freed = other.freed.clone();
            self.by_address = other.by_address.clone();
        }
        self.placement.join(&other.placement);
        self.order = self.order.max(other.order);
    }
}

impl ObjectSlot {
    /// Reports whether the path knows the same of the object as another, but for its bytes.
    fn is_like(&self, other: &ObjectSlot) -> bool {
        (
            self.readable,
            self.writable,
            self.align_log2,
            self.by_address,
        ) == (
            other.readable,
            other.writable,
            other.align_log2,
            other.by_address,
        ) && self.out_of_scope == other.out_of_scope
            && (self.out_of_scope
                || have_same_regions(&self.arrays, &other.arrays)
                    && is_shared(&self.records, &other.records))
            && match (&self.contents, &other.contents) {
                (Contents::Within(a, at), Contents::Within(b, bt)) => (a, at) == (b, bt),
                (Contents::Within(..), _) | (_, Contents::Within(..)) => false,
                _ => true,
            }
    }
}
