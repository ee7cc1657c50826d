//! What is counted inside the memory of all states of a run.

use crate::outcome::stats::{MemoryStats, SIZE_CLASSES, size_class};
use std::cell::Cell;

/// Counts that states share, so that they need not be handed through every access.
#[derive(Default)]
pub struct Counters {
    reads: [Cell<u64>; SIZE_CLASSES.len() + 1],
    writes: [Cell<u64>; SIZE_CLASSES.len() + 1],
    arrays: Cell<u64>,
    elements: Cell<u64>,
    layers: Cell<u64>,
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

    /// An array of so many elements was made.
    pub(super) fn array(&self, elements: u64) {
        count(&self.arrays, 1);
        count(&self.elements, elements);
    }

    /// The contents of an object became a layer below records.
    pub(super) fn layer(&self) {
        count(&self.layers, 1);
    }

    /// Puts the counts where they are told.
    pub fn tell(&self, stats: &mut MemoryStats) {
        stats.symbolic_reads = self.reads.each_ref().map(Cell::get);
        stats.symbolic_writes = self.writes.each_ref().map(Cell::get);
        stats.arrays = self.arrays.get();
        stats.array_elements = self.elements.get();
        stats.planes.layers = self.layers.get();
    }
}
