//! A persistent table of numbered leaves that clones share: the common part of the vector of
//! objects and of the table of their contents.
//!
//! A clone copies one pointer per 64 leaves; the first write after it copies one node of 64
//! pointers and one leaf, later writes nothing. (crates.io has general persistent vectors; none
//! reads in three plain loads and writes in place without hashing or rebalancing, which is what
//! every access to memory needs.)

use super::footprint::Footprint;
use std::rc::Rc;

const NODE_LOG2: usize = 6;
const NODE: usize = 1 << NODE_LOG2;

/// Pointers to 64 leaves.
type LeafPointers<L> = [Option<Rc<L>>; NODE];

/// A persistent table of leaves.
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
    /// Returns the leaf of a number, if there is one.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&L> {
        self.root.get(number >> NODE_LOG2)?[number & (NODE - 1)].as_deref()
    }

    /// Returns the leaf of a number for writing, if there is one; shared parts are copied first.
    #[inline]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut L>
    where
        L: Clone,
    {
        let pointers = Rc::make_mut(self.root.get_mut(number >> NODE_LOG2)?);
        pointers[number & (NODE - 1)].as_mut().map(Rc::make_mut)
    }

    /// Returns the entry of a leaf, empty or not, for writing.
    pub fn place(&mut self, number: usize) -> &mut Option<Rc<L>> {
        let at = number >> NODE_LOG2;
        while self.root.len() <= at {
            self.root.push(Rc::new(std::array::from_fn(|_| None)));
        }
        &mut Rc::make_mut(&mut self.root[at])[number & (NODE - 1)]
    }

    /// Iterates over all leaves with their numbers, in order.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &L)> {
        self.root.iter().enumerate().flat_map(|(at, pointers)| {
            let leaves = pointers.iter().enumerate();
            leaves.filter_map(move |(low, leaf)| Some(((at << NODE_LOG2) | low, leaf.as_deref()?)))
        })
    }

    /// Returns the numbers of the leaves that this table does not share with another, in order.
    pub fn apart(&self, other: &Radix<L>) -> Vec<usize> {
        let mut apart = Vec::new();
        for at in 0..self.root.len().max(other.root.len()) {
            let (a, b) = (self.root.get(at), other.root.get(at));
            if let (Some(a), Some(b)) = (a, b)
                && Rc::ptr_eq(a, b)
            {
                continue;
            }
            for low in 0..NODE {
                let leaf = |pointers: Option<&Rc<LeafPointers<L>>>| -> *const L {
                    let leaf = pointers.and_then(|pointers| pointers[low].as_ref());
                    leaf.map_or(std::ptr::null(), Rc::as_ptr)
                };
                if !std::ptr::eq(leaf(a), leaf(b)) {
                    apart.push((at << NODE_LOG2) | low);
                }
            }
        }
        apart
    }

    /// Adds nodes and leaves to a footprint. `inside` adds the contents of a leaf, and is told
    /// whether the leaf has several holders.
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

    /// Returns the bytes of nodes and leaves, shared ones included, without the leaves' indirect
    /// contents.
    pub fn bytes(&self) -> usize {
        self.root.len() * size_of::<LeafPointers<L>>() + self.leaves().count() * size_of::<L>()
    }
}
