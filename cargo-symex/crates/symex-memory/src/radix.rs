//! A table of leaves by number whose clones share them: what is common to the vector of objects and
//! to the table of what they hold.
//!
//! A clone copies one pointer per 64 leaves; the first write after it copies one node of 64
//! pointers and one leaf, later writes nothing. (crates.io has general persistent vectors; none
//! reads in three plain loads and writes in place without hashing or rebalancing, which is what
//! every access to memory needs.)

use super::footprint::Footprint;
use std::rc::Rc;

const NODE_LOG2: usize = 6;
const NODE: usize = 1 << NODE_LOG2;

/// The pointers to 64 leaves.
type LeafPointers<L> = [Option<Rc<L>>; NODE];

/// The table.
#[derive(Clone)]
pub(super) struct Radix<L> {
    root: Vec<Rc<LeafPointers<L>>>,
}

impl<L> Default for Radix<L> {
    fn default() -> Self {
        Radix { root: Vec::new() }
    }
}

impl<L> Radix<L> {
    /// The leaf of a number, if there is one.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&L> {
        self.root.get(number >> NODE_LOG2)?[number & (NODE - 1)].as_deref()
    }

    /// The leaf of a number for writing, if there is one; what is shared is copied first.
    #[inline]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut L>
    where
        L: Clone,
    {
        let pointers = Rc::make_mut(self.root.get_mut(number >> NODE_LOG2)?);
        pointers[number & (NODE - 1)].as_mut().map(Rc::make_mut)
    }

    /// The place of a leaf, with or without one.
    pub fn place(&mut self, number: usize) -> &mut Option<Rc<L>> {
        let at = number >> NODE_LOG2;
        while self.root.len() <= at {
            self.root.push(Rc::new(std::array::from_fn(|_| None)));
        }
        &mut Rc::make_mut(&mut self.root[at])[number & (NODE - 1)]
    }

    /// All leaves with their numbers, in order.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &L)> {
        self.root.iter().enumerate().flat_map(|(at, pointers)| {
            let leaves = pointers.iter().enumerate();
            leaves.filter_map(move |(low, leaf)| Some(((at << NODE_LOG2) | low, leaf.as_deref()?)))
        })
    }

    /// Counts nodes and leaves. `inside` counts what a leaf holds, and is told whether the leaf has
    /// several holders.
    pub fn measure(&self, into: &mut Footprint, mut inside: impl FnMut(&L, &mut Footprint, bool)) {
        for pointers in &self.root {
            let Some(shared) = into.node(pointers, false) else {
                continue;
            };
            for leaf in pointers.iter().flatten() {
                if let Some(shared) = into.node(leaf, shared) {
                    inside(leaf, into, shared);
                }
            }
        }
    }

    /// Bytes of nodes and leaves, shared ones included, without what leaves hold elsewhere.
    pub fn bytes(&self) -> usize {
        self.root.len() * size_of::<LeafPointers<L>>() + self.leaves().count() * size_of::<L>()
    }
}
