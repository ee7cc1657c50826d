//! Regions: the ranges of an object where something was stored at a symbolic offset, each an array that is the truth.
//!
//! They are disjoint. An access joins those that it may reach, and no others, so that arrays that nothing connects stay
//! small: two tables in one struct are two regions, and so are the parts of a split object [RAM 2.4].
//!
//! What is written at known offsets lies on top of a region until a symbolic access reaches that region and moves it into
//! the array.

use super::address_space::AddressSpace;
use super::contents::Piece;
use super::offset::Reach;
use super::segment::Holder;
use super::view::View;
use crate::expr::Pool;
use std::ops::Range;
use std::rc::Rc;

/// Arrays of an object.
#[derive(Clone, Default)]
pub(super) struct Arrays {
    /// Ascending, and no two overlap.
    regions: Vec<Region>,
    /// Views of the contents as they are, outside of the regions.
    pub cached: Vec<View>,
}

#[derive(Clone)]
struct Region {
    view: View,
    /// May something lie on top of it?
    overlaid: bool,
}

impl Arrays {
    pub fn has_regions(&self) -> bool {
        !self.regions.is_empty()
    }

    /// The region that an offset is in.
    pub fn region_at(&self, at: u64) -> Option<&View> {
        let next = self.regions.partition_point(|r| r.view.lo <= at);
        let region = self.regions.get(next.checked_sub(1)?)?;
        (at < region.view.end()).then_some(&region.view)
    }

    /// First offset of the next region that begins behind an offset.
    pub fn next_region(&self, at: u64) -> Option<u64> {
        let next = self.regions.partition_point(|r| r.view.lo <= at);
        self.regions.get(next).map(|r| r.view.lo)
    }

    /// The range around one that is in no region which belongs to none either.
    pub fn between_regions(&self, range: &Range<u64>) -> Range<u64> {
        let found = self.overlapping(range);
        debug_assert!(found.is_empty());
        let before = found
            .start
            .checked_sub(1)
            .map(|i| self.regions[i].view.end());
        let after = self.regions.get(found.start).map(|r| r.view.lo);
        before.unwrap_or(0)..after.unwrap_or(u64::MAX)
    }

    /// The regions that a range overlaps.
    pub fn regions_in<'a>(
        &'a self,
        range: &Range<u64>,
    ) -> impl Iterator<Item = &'a View> + use<'a> {
        self.regions[self.overlapping(range)]
            .iter()
            .map(|r| &r.view)
    }

    /// May a pointer be kept in a region?
    pub fn any_pointers(&self, pool: &Pool) -> bool {
        let mut regions = self.regions.iter();
        regions.any(|r| pool.array_has_base(r.view.values))
    }

    fn overlapping(&self, range: &Range<u64>) -> Range<usize> {
        let first = self
            .regions
            .partition_point(|r| r.view.end() <= range.start);
        let rest = &self.regions[first..];
        first..first + rest.partition_point(|r| r.view.lo < range.end)
    }

    /// Puts a region in place of all that it overlaps.
    fn put(&mut self, view: View) {
        let over = self.overlapping(&(view.lo..view.end()));
        let overlaid = false;
        self.regions.splice(over, [Region { view, overlaid }]);
    }
}

impl AddressSpace {
    pub(super) fn arrays_mut(&mut self, id: Holder) -> &mut Arrays {
        let slot = self.slot_mut(id).expect("the object is alive");
        Rc::make_mut(slot.arrays.get_or_insert_default())
    }

    /// Brings the arrays of a range up to date with what was written at known offsets.
    pub(super) fn settle(&mut self, pool: &mut Pool, id: Holder, range: &Range<u64>) {
        if self.slot(id).expect("the object is alive").dirty {
            let slot = self.slot_mut(id).expect("the object is alive");
            slot.dirty = false;
            slot.arrays = slot.arrays.take().filter(|a| a.has_regions());
            if let Some(arrays) = &mut slot.arrays {
                let arrays = Rc::make_mut(arrays);
                arrays.cached.clear();
                arrays.regions.iter_mut().for_each(|r| r.overlaid = true);
            }
        }
        let slot = self.slot(id).expect("the object is alive");
        let Some(arrays) = &slot.arrays else { return };
        let overlaid = arrays.regions[arrays.overlapping(range)].iter();
        let overlaid: Vec<View> = overlaid
            .filter(|r| r.overlaid)
            .map(|r| r.view.clone())
            .collect();
        for view in overlaid {
            let range = view.lo..view.end();
            match self.settled(pool, id, view) {
                Some(view) => self.arrays_mut(id).put(view),
                None => {
                    let arrays = self.arrays_mut(id);
                    let gone = arrays.overlapping(&range);
                    arrays.regions.drain(gone);
                }
            }
        }
    }

    /// A region with what lies on top of it; `None` if that is all of it: the contents are the truth again.
    fn settled(&mut self, pool: &mut Pool, id: Holder, mut view: View) -> Option<View> {
        let reader = self.reader(id).expect("the object is alive");
        let (lo, end) = (view.lo, view.end());
        let mut holes = false;
        let mut written = Vec::new();
        let mut at = lo;
        while at < end {
            let piece = reader.contents.piece(at, end - at);
            let n = piece.len() as u64;
            match piece {
                Piece::Empty(_) => holes = true,
                _ => {
                    let (first, last) = (view.position(at).0, view.position(at + n - 1).0);
                    let next = written.last().map_or(0, |i: &u64| i + 1);
                    written.extend(first.max(next)..=last);
                }
            }
            at += n;
        }
        if !holes {
            return None;
        }
        self.counters.absorbed(written.len());
        for i in &written {
            view.absorb(pool, &reader, *i);
        }
        if !written.is_empty() {
            self.hollow(pool, id, lo, end - lo);
        }
        Some(view)
    }

    /// Makes the bytes of a region empty, so that they show the array.
    fn hollow(&mut self, pool: &mut Pool, id: Holder, lo: u64, len: u64) {
        if let Some(mut w) = self.writer(pool, id, lo, len) {
            w.erase(lo, len);
        }
        if let Some(slot) = self.slot_mut(id) {
            slot.dirty = false;
        }
    }

    /// A region that holds all that an access of `n` bytes may reach, with elements that fit it. What it may reach is
    /// settled.
    pub(super) fn grow_region(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        reach: Reach,
        n: u64,
    ) -> View {
        let mut elem = reach.granule(n);
        let (mut lo, mut end) = (reach.min, reach.max + n);
        let reader = self.reader(id).expect("the object is alive");
        let reached = reader.arrays.iter().flat_map(|a| a.regions_in(&(lo..end)));
        let mut reached: Vec<View> = reached.cloned().collect();
        for view in &reached {
            elem = elem
                .min(view.elem_log2)
                .min((lo ^ view.lo).trailing_zeros());
        }
        for view in &mut reached {
            if elem < view.elem_log2 {
                view.narrow(pool, elem);
            }
            (lo, end) = (lo.min(view.lo), end.max(view.end()));
        }
        let view = match &reached[..] {
            [] => View::build(pool, &reader, lo, elem, elem, (end - lo) >> elem),
            [view] if (lo, end) == (view.lo, view.end()) => {
                self.arrays_mut(id).put(view.clone());
                return view.clone();
            }
            several => View::join(pool, &reader, several, lo, end),
        };
        self.counters.array(view.count);
        self.hollow(pool, id, lo, end - lo);
        self.arrays_mut(id).put(view.clone());
        view
    }

    /// Keeps what was stored in a region.
    pub(super) fn put_region(&mut self, id: Holder, view: View) {
        let arrays = self.arrays_mut(id);
        arrays.put(view);
        arrays.cached.clear();
    }
}

#[cfg(test)]
impl AddressSpace {
    /// The regions of what holds an object that is alive: first offset, and the one behind.
    pub(super) fn regions_of(&self, id: crate::expr::ObjectId) -> Vec<(u64, u64)> {
        let slot = self.slot(self.held(id).0).expect("it is alive");
        let arrays = slot.arrays.iter().flat_map(|a| &a.regions);
        arrays.map(|r| (r.view.lo, r.view.end())).collect()
    }
}
