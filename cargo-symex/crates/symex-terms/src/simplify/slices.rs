//! Slices that were made lately. A slice of bitwise operators becomes operators of slices, down to
//! where there is nothing to gain: of terms that share much, as rounds of a hash, this is the same
//! few slices again and again, and exponentially many without a memory.

use crate::node::{Expr, Width};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Number of slices that are remembered; a power of two. One takes the place of another.
const MOST: usize = 1 << 16;

/// Term, lowest bit, number of bits.
type Slice = (Expr, Width, Width);

/// What slices of terms came to. What is forgotten is made again.
#[derive(Default)]
pub(super) struct Slices {
    /// Empty until the first.
    known: Vec<Option<(Slice, Expr)>>,
}

impl Slices {
    /// Returns what a slice came to, if it is remembered.
    pub fn get(&self, slice: Slice) -> Option<Expr> {
        let (of, result) = (*self.known.get(place(slice))?)?;
        (of == slice).then_some(result)
    }

    /// Remembers what a slice came to.
    pub fn put(&mut self, slice: Slice, result: Expr) {
        if self.known.is_empty() {
            self.known.resize(MOST, None);
        }
        self.known[place(slice)] = Some((slice, result));
    }
}

fn place(slice: Slice) -> usize {
    FxBuildHasher.hash_one(slice) as usize & (MOST - 1)
}
