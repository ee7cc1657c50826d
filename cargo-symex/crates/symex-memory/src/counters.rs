//! Counts of events inside the memory of all states of a run.

use std::cell::Cell;
use std::rc::Rc;
use symex_types::outcome::stats::{MemoryStats, SIZE_CLASSES, UpdateStats, size_class};

/// Counters that states share, so that they need not be passed through every access.
#[derive(Default)]
pub struct Counters {
    reads: [Cell<u64>; SIZE_CLASSES.len() + 1],
    writes: [Cell<u64>; SIZE_CLASSES.len() + 1],
    arrays: Cell<u64>,
    elements: Cell<u64>,
    layers: Cell<u64>,
    pages: Cell<u64>,
    copies: Cell<u64>,
    absorbed: Cell<u64>,
    stores: Cell<u64>,
    ranges: Cell<u64>,
}

fn count(cell: &Cell<u64>, by: u64) {
    cell.set(cell.get() + by);
}

impl Counters {
    pub(super) fn read(&self, size: u64) {
        count(&self.reads[size_class(size)], 1);
    }

    pub(super) fn write(&self, size: u64) {
        count(&self.writes[size_class(size)], 1);
    }

    /// Counts a new array, with its elements.
    pub(super) fn array(&self, elements: u64) {
        count(&self.arrays, 1);
        count(&self.elements, elements);
    }

    /// Counts contents of an object that became a layer below records.
    pub(super) fn layer(&self) {
        count(&self.layers, 1);
    }

    /// Counts a page of an object made by a write.
    pub(super) fn page(&self) {
        count(&self.pages, 1);
    }

    /// Returns a block for writing. A block with several holders is copied first, and the copy is
    /// counted.
    #[inline]
    pub(super) fn own<'a, T: Clone>(&self, block: &'a mut Rc<T>) -> &'a mut T {
        if Rc::strong_count(block) > 1 {
            count(&self.copies, 1);
        }
        Rc::make_mut(block)
    }

    /// Counts elements, written at known offsets, that were moved into an array.
    pub(super) fn absorbed(&self, elements: usize) {
        count(&self.absorbed, elements as u64);
    }

    /// Counts elements stored in an array at symbolic offsets.
    pub(super) fn stored(&self, elements: u64) {
        count(&self.stores, elements);
    }

    /// Counts a write whose length is a term.
    pub(super) fn range(&self) {
        count(&self.ranges, 1);
    }

    /// Copies the counts to the statistics.
    pub fn tell(&self, stats: &mut MemoryStats) {
        stats.symbolic_reads = self.reads.each_ref().map(Cell::get);
        stats.symbolic_writes = self.writes.each_ref().map(Cell::get);
        stats.arrays = self.arrays.get();
        stats.array_elements = self.elements.get();
        stats.records.layers = self.layers.get();
        stats.updates = UpdateStats {
            pages: self.pages.get(),
            copies: self.copies.get(),
            absorbed: self.absorbed.get(),
            stores: self.stores.get(),
            ranges: self.ranges.get(),
        };
    }
}
