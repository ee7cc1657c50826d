//! Regions: the bytes of an object where something was stored at a symbolic offset, each an array
//! that holds the current values.
//!
//! Regions have no byte in common. An access joins those that it may reach, and no others, so that
//! unrelated arrays stay small: two tables in one struct are two regions, and so are the parts of a
//! split object [RAM 2.4].
//!
//! Stores to one field of the structs in an array, at offsets that are a struct apart, make a
//! region of that field alone: a counter beside a pointer does not split the pointer, which would
//! lose the object that it points to. Interleaved regions have one stride and form one *band*.
//! Where an access fits none of them (it reaches several fields, a part of one, or has a smaller
//! stride), the band becomes one region without gaps.
//!
//! Writes at known offsets lie on top of a region until a symbolic access reaches that region and
//! moves them into the array.

use super::address_space::AddressSpace;
use super::contents::ContentsPiece;
use super::layout::ElementLayout;
use super::offset::{AccessFootprint, OffsetRange};
use super::segment::Holder;
use super::view::View;
use std::ops::Range;
use std::rc::Rc;
use symex_terms::Pool;

/// Regions and cached views of an object.
#[derive(Clone, Default)]
pub(super) struct Arrays {
    /// Bands, ascending and without overlap.
    bands: Vec<Band>,
    /// Views of the current contents, outside of the regions.
    pub cached: Vec<View>,
}

/// A band: regions with one stride, from the first byte of any to the last of any.
#[derive(Clone)]
struct Band {
    lo: u64,
    end: u64,
    /// Regions, at least one.
    regions: Vec<Region>,
}

#[derive(Clone)]
struct Region {
    view: View,
    /// Whether writes may lie on top of it.
    overlaid: bool,
}

impl Band {
    fn of(regions: Vec<Region>) -> Option<Band> {
        let lo = regions.iter().map(|r| r.view.lo).min()?;
        let end = regions.iter().map(|r| r.view.end()).max()?;
        debug_assert!(
            regions
                .iter()
                .all(|r| r.view.stride_log2 == regions[0].view.stride_log2)
        );
        Some(Band { lo, end, regions })
    }

    fn stride_log2(&self) -> u32 {
        self.regions[0].view.stride_log2
    }
}

impl Arrays {
    pub fn has_regions(&self) -> bool {
        !self.bands.is_empty()
    }

    /// Returns the region that contains an offset.
    pub fn region_at(&self, at: u64) -> Option<&View> {
        let next = self.bands.partition_point(|b| b.lo <= at);
        let band = self.bands.get(next.checked_sub(1)?)?;
        let mut views = band.regions.iter().map(|r| &r.view);
        views.find(|view| view.contains(at))
    }

    /// Returns the first offset behind one, itself in no region, that is in a region.
    pub fn next_region(&self, at: u64) -> Option<u64> {
        let next = self.bands.partition_point(|b| b.end <= at);
        let band = self.bands.get(next)?;
        let starts = band.regions.iter().map(|r| r.view.next_from(at));
        starts.flatten().min()
    }

    /// Returns the range around an access that touches no region, in which similar accesses touch
    /// none either.
    pub fn between_regions(&self, access: &AccessFootprint) -> Range<u64> {
        let range = access.range();
        let mut free = 0..u64::MAX;
        for view in self.views().filter(|view| view.meets(access)) {
            if view.end() <= range.start {
                free.start = free.start.max(view.end());
            } else if range.end <= view.lo {
                free.end = free.end.min(view.lo);
            }
        }
        free
    }

    /// Reports whether an access may touch a region.
    pub fn is_touched(&self, by: &AccessFootprint) -> bool {
        let mut bands = self.bands[self.overlapping(&by.range())].iter();
        bands.any(|b| b.regions.iter().any(|r| r.view.is_touched(by)))
    }

    /// Returns the ranges of the bands that a range overlaps.
    pub fn bands_in<'a>(
        &'a self,
        range: &Range<u64>,
    ) -> impl Iterator<Item = Range<u64>> + use<'a> {
        self.bands[self.overlapping(range)]
            .iter()
            .map(|b| b.lo..b.end)
    }

    /// Reports whether a pointer may be stored in a region.
    pub fn any_pointers(&self, pool: &Pool) -> bool {
        self.views().any(|view| pool.array_has_base(view.values))
    }

    fn views(&self) -> impl Iterator<Item = &View> {
        self.bands
            .iter()
            .flat_map(|b| b.regions.iter().map(|r| &r.view))
    }

    fn overlapping(&self, range: &Range<u64>) -> Range<usize> {
        let first = self.bands.partition_point(|b| b.end <= range.start);
        let rest = &self.bands[first..];
        first..first + rest.partition_point(|b| b.lo < range.end)
    }

    /// Inserts regions in place of all that they touch. They form one band, with the regions of it
    /// that they do not touch.
    fn put(&mut self, views: Vec<View>) {
        let touched: Vec<AccessFootprint> = views.iter().map(View::footprint).collect();
        self.replace(&touched, views);
    }

    /// Removes a region.
    fn remove(&mut self, view: &View) {
        self.replace(&[view.footprint()], Vec::new());
    }

    /// Replaces regions with touched bytes by others, or by none.
    fn replace(&mut self, touched: &[AccessFootprint], by: Vec<View>) {
        let lo = touched.iter().map(|f| f.range().start).min().unwrap_or(0);
        let end = touched.iter().map(|f| f.range().end).max().unwrap_or(0);
        let over = self.overlapping(&(lo..end));
        let mut regions: Vec<Region> = self
            .bands
            .drain(over.clone())
            .flat_map(|b| b.regions)
            .filter(|r| !touched.iter().any(|f| r.view.is_touched(f)))
            .collect();
        let overlaid = false;
        regions.extend(by.into_iter().map(|view| Region { view, overlaid }));
        self.bands.splice(over.start..over.start, Band::of(regions));
    }
}

impl AddressSpace {
    pub(super) fn arrays_mut(&mut self, id: Holder) -> &mut Arrays {
        let slot = self.slot_mut(id).expect("the object is alive");
        Rc::make_mut(slot.arrays.get_or_insert_default())
    }

    /// Updates the arrays of a range by the writes at known offsets that lie on top.
    pub(super) fn settle(&mut self, pool: &mut Pool, id: Holder, range: &Range<u64>) {
        if self.slot(id).expect("the object is alive").dirty {
            let slot = self.slot_mut(id).expect("the object is alive");
            slot.dirty = false;
            slot.arrays = slot.arrays.take().filter(|a| a.has_regions());
            if let Some(arrays) = &mut slot.arrays {
                let arrays = Rc::make_mut(arrays);
                arrays.cached.clear();
                let regions = arrays.bands.iter_mut().flat_map(|b| &mut b.regions);
                regions.for_each(|r| r.overlaid = true);
            }
        }
        let slot = self.slot(id).expect("the object is alive");
        let Some(arrays) = &slot.arrays else { return };
        let reached = arrays.bands[arrays.overlapping(range)].iter();
        let overlaid: Vec<View> = reached
            .flat_map(|b| &b.regions)
            .filter(|r| r.overlaid)
            .map(|r| r.view.clone())
            .collect();
        for view in overlaid {
            match self.settled(pool, id, view.clone()) {
                Some(view) => self.arrays_mut(id).put(vec![view]),
                None => self.arrays_mut(id).remove(&view),
            }
        }
    }

    /// Moves the writes on top of a region into it; `None` if they cover all of it, and the
    /// contents hold the current values again.
    fn settled(&mut self, pool: &mut Pool, id: Holder, mut view: View) -> Option<View> {
        let reader = self.reader(id).expect("the object is alive");
        let (lo, end) = (view.lo, view.end());
        let mut holes = false;
        let mut written = Vec::new();
        let mut at = lo;
        while at < end {
            let piece = reader.contents.piece(at, end - at);
            let n = piece.len() as u64;
            let elements = view.elements_in(&(at..at + n));
            match piece {
                ContentsPiece::Empty(_) => holes |= !elements.is_empty(),
                _ => {
                    let next = written.last().map_or(0, |i: &u64| i + 1);
                    written.extend(elements.start.max(next)..elements.end);
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
            self.hollow(pool, id, &view);
        }
        Some(view)
    }

    /// Empties the contents at the bytes of a region, so that they show the array.
    fn hollow(&mut self, pool: &mut Pool, id: Holder, view: &View) {
        let mut erase = |lo: u64, len: u64| {
            if let Some(mut w) = self.writer(pool, id, lo, len) {
                w.erase(lo, len);
            }
        };
        if view.stride_log2 == view.elem_log2 {
            erase(view.lo, view.end() - view.lo);
        } else {
            for i in 0..view.count {
                erase(view.lo + (i << view.stride_log2), view.elem());
            }
        }
        if let Some(slot) = self.slot_mut(id) {
            slot.dirty = false;
        }
    }

    /// Returns a region that holds all that an access of `n` bytes may reach, with elements that
    /// fit it. The bytes that it may reach have no writes on top.
    pub(super) fn grow_region(
        &mut self,
        pool: &mut Pool,
        id: Holder,
        reach: OffsetRange,
        n: u64,
    ) -> View {
        let reader = self.reader(id).expect("the object is alive");
        let access = ElementLayout::of(&[], reach, n).footprint(reach);
        let reached = reader.arrays.map_or(&[][..], |a| {
            let over = a.overlapping(&access.range());
            &a.bands[over]
        });
        let mut views = match fields(reached, &access) {
            Some((stride_log2, fields)) => {
                let [ours, others @ ..] = &fields[..] else {
                    unreachable!("the first is that of the access")
                };
                let (lo, end) = ours.span();
                if let [view] = ours.views[..]
                    && (view.lo, view.end(), view.stride_log2) == (lo, end, stride_log2)
                {
                    let view = view.clone();
                    self.arrays_mut(id).put(vec![view.clone()]);
                    return view;
                }
                let others = others.iter().filter(|field| {
                    let mut views = field.views.iter();
                    views.any(|view| view.stride_log2 != stride_log2)
                });
                [ours]
                    .into_iter()
                    .chain(others)
                    .map(|field| {
                        let (lo, end) = field.span();
                        let count = ((end - field.bytes - lo) >> stride_log2) + 1;
                        let shape = (lo, field.bytes.trailing_zeros(), stride_log2);
                        View::unite(pool, &reader, &field.views, shape, count)
                    })
                    .collect()
            }
            None => {
                let joined = reached.iter().flat_map(|b| &b.regions);
                let joined: Vec<&View> = joined.map(|r| &r.view).collect();
                let elem = joined.iter().fold(reach.granule(n), |elem, view| {
                    let apart = (reach.min ^ view.lo).trailing_zeros();
                    elem.min(view.elem_log2).min(apart)
                });
                let lo = joined.iter().map(|v| v.lo).fold(reach.min, u64::min);
                let ends = joined.iter().map(|v| v.end());
                let end = ends.fold(access.range().end, u64::max);
                let shape = (lo, elem, elem);
                vec![View::unite(
                    pool,
                    &reader,
                    &joined,
                    shape,
                    (end - lo) >> elem,
                )]
            }
        };
        for view in &views {
            self.counters.array(view.count);
            self.hollow(pool, id, view);
        }
        self.arrays_mut(id).put(views.clone());
        views.swap_remove(0)
    }

    /// Replaces a region by its state after a store.
    pub(super) fn put_region(&mut self, id: Holder, view: View) {
        let arrays = self.arrays_mut(id);
        arrays.put(vec![view]);
        arrays.cached.clear();
    }
}

/// Regions of one field of structs, and an access to it.
struct FieldRegions<'a> {
    /// Size of the field in bytes.
    bytes: u64,
    /// An offset of the field, which may be in no region.
    at: u64,
    /// Range that an access reaches; empty when it goes to another field.
    reached: Range<u64>,
    views: Vec<&'a View>,
}

impl FieldRegions<'_> {
    /// Returns the range from the first byte of its regions, and of the accessed bytes, to the
    /// last.
    fn span(&self) -> (u64, u64) {
        let reached = Some(&self.reached).filter(|r| !r.is_empty());
        let starts = self.views.iter().map(|v| v.lo);
        let ends = self.views.iter().map(|v| v.end());
        let lo = starts.chain(reached.map(|r| r.start)).min();
        let end = ends.chain(reached.map(|r| r.end)).max();
        (lo.unwrap_or(self.at), end.unwrap_or(self.at))
    }

    fn overlaps(&self, other: &FieldRegions<'_>, stride: u64) -> bool {
        let behind = other.at.wrapping_sub(self.at) & (stride - 1);
        behind < self.bytes || stride - behind < other.bytes
    }
}

/// Returns the fields to which an access and the regions that it may reach belong, that of the
/// access first, and the distance of the structs, as a power of two. `None`: the access or a region
/// is not of a single field.
fn fields<'a>(
    reached: &'a [Band],
    access: &AccessFootprint,
) -> Option<(u32, Vec<FieldRegions<'a>>)> {
    let strides = reached.iter().map(Band::stride_log2);
    let stride_log2 = strides.fold(access.stride_log2, u32::min);
    let stride = 1u64 << stride_log2;
    if !access.bytes.is_power_of_two() {
        return None;
    }
    let mut fields = vec![FieldRegions {
        bytes: access.bytes,
        at: access.reach.min,
        reached: access.range(),
        views: Vec::new(),
    }];
    for region in reached.iter().flat_map(|b| &b.regions) {
        let view = &region.view;
        let is_same = |f: &&mut FieldRegions<'_>| {
            f.bytes == view.elem() && (f.at ^ view.lo).is_multiple_of(stride)
        };
        match fields.iter_mut().find(is_same) {
            Some(field) => field.views.push(view),
            None => fields.push(FieldRegions {
                bytes: view.elem(),
                at: view.lo,
                reached: 0..0,
                views: vec![view],
            }),
        }
    }
    let is_apart = |(i, field): (usize, &FieldRegions<'_>)| {
        field.bytes <= stride && !fields[..i].iter().any(|f| f.overlaps(field, stride))
    };
    fields
        .iter()
        .enumerate()
        .all(is_apart)
        .then_some((stride_log2, fields))
}

#[cfg(test)]
impl AddressSpace {
    /// Returns the bytes of each region of a live object's holder.
    pub(super) fn bytes_of_regions(&self, id: symex_terms::ObjectId) -> Vec<Vec<u64>> {
        let slot = self.slot(self.held(id).0).expect("it is alive");
        let arrays = slot.arrays.iter().flat_map(|a| a.views());
        let bytes = |view: &View| {
            (view.lo..view.end())
                .filter(|at| view.contains(*at))
                .collect()
        };
        arrays.map(bytes).collect()
    }

    /// Returns the regions of a live object's holder: first offset, and the one behind.
    pub(super) fn regions_of(&self, id: symex_terms::ObjectId) -> Vec<(u64, u64)> {
        let slot = self.slot(self.held(id).0).expect("it is alive");
        let arrays = slot.arrays.iter().flat_map(|a| a.views());
        let mut ranges: Vec<(u64, u64)> = arrays.map(|view| (view.lo, view.end())).collect();
        ranges.sort_unstable();
        ranges
    }
}
