//! Layout of the arrays for reads at symbolic offsets: elements as narrow as the access, as coarse
//! as its offsets allow.

use super::offset::{AccessFootprint, OffsetRange, Window};
use super::reader::Reader;
use super::symbolic_length_write::Covered;
use super::view::View;
use std::ops::Range;
use symex_terms::Pool;

/// Element layout of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ElementLayout {
    elem_log2: u32,
    stride_log2: u32,
    /// Number of elements of one access.
    parts: u64,
}

impl ElementLayout {
    /// Computes the layout of an access of `n` bytes, over these writes of symbolic length.
    pub fn of(writes: &[Covered], reach: OffsetRange, n: u64) -> ElementLayout {
        let range = reach.bytes(n);
        // Elements over a write of symbolic length are no wider than its grains: then they are
        // covered or not as a whole.
        let grains = writes
            .iter()
            .filter(|w| w.range.start < range.end && range.start < w.range.end)
            .map(|w| w.grain.trailing_zeros());
        let elem_log2 = grains.fold(reach.granule(n), u32::min);
        let stride_log2 = if n == 1 << elem_log2 {
            reach.align_log2
        } else {
            elem_log2
        };
        ElementLayout {
            elem_log2,
            stride_log2,
            parts: n >> elem_log2,
        }
    }

    /// Returns the bytes that a view for the access covers.
    pub fn footprint(&self, reach: OffsetRange) -> AccessFootprint {
        AccessFootprint {
            reach,
            bytes: self.parts << self.elem_log2,
            stride_log2: self.stride_log2,
        }
    }

    /// Reports whether the access can use an existing view.
    pub fn fits(&self, view: &View, window: &Window) -> bool {
        let Window {
            reach,
            bounds,
            strict,
        } = window;
        (view.elem_log2, view.stride_log2) == (self.elem_log2, self.stride_log2)
            && view.lo <= reach.min
            && (!strict || bounds.start <= view.lo && view.end() <= bounds.end)
            && (reach.min - view.lo).trailing_zeros() >= self.stride_log2
            && ((reach.max - view.lo) >> self.stride_log2) + self.parts <= view.count
    }

    /// Builds a view of a reader's contents around the offsets of the access, within a range that
    /// is available to it.
    pub fn build(
        &self,
        pool: &mut Pool,
        reader: &Reader<'_>,
        writes: &[Covered],
        window: &Window,
        free: Range<u64>,
    ) -> View {
        let bounds = &window.bounds;
        let room = bounds.start.max(free.start)..bounds.end.min(free.end);
        let bytes = self.parts << self.elem_log2;
        let reach = window.reach.rounded(bytes, self.stride_log2, room);
        let count = ((reach.max - reach.min) >> self.stride_log2) + self.parts;
        let shape = (self.elem_log2, self.stride_log2);
        View::layered(pool, reader, reach.min, shape, count, writes)
    }
}
