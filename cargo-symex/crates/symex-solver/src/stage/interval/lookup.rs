//! Reads of arrays at a partially known index.

use std::sync::Arc;
use symex_terms::Domain;
use symex_terms::{Expr, Pool, Width};

/// Number of elements whose common domain is kept.
const BLOCK: usize = 16;

/// Elements of a table of constants.
pub(super) struct Constants {
    values: Vec<u128>,
    width: Width,
    /// Hull of each block of elements.
    blocks: Vec<Domain>,
}

/// Elements of the table below all stores.
#[derive(Clone)]
pub(super) enum Elements {
    Constants(Arc<Constants>),
    /// Nodes, one per element.
    Nodes(Arc<[u32]>),
}

/// The array that a select reads.
pub(super) struct Lookup {
    /// Index and value of each store, the newest first.
    pub stores: Vec<(u32, u32)>,
    pub elements: Elements,
}

impl Elements {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self {
            Elements::Constants(table) => table.values.len(),
            Elements::Nodes(nodes) => nodes.len(),
        }
    }
}

impl Constants {
    /// Collects the values of a table, if all are constant.
    pub fn new(pool: &Pool, elements: &[Expr]) -> Option<Constants> {
        let width = pool.width(elements[0]);
        let values: Option<Vec<u128>> = elements.iter().map(|e| pool.as_const(*e)).collect();
        let values = values?;
        let hull = |block: &[u128]| {
            let first = Domain::constant(width, block[0]);
            let hull = |d: Domain, v: &u128| d.hull(&Domain::constant(width, *v));
            block.iter().fold(first, hull)
        };
        let blocks = values.chunks(BLOCK).map(hull).collect();
        Some(Constants {
            values,
            width,
            blocks,
        })
    }

    /// Returns the hull of the elements from `first` to `last`.
    pub fn hull(&self, first: usize, last: usize) -> Domain {
        let mut all = Domain::constant(self.width, self.values[first]);
        let mut at = first + 1;
        while at <= last {
            if at.is_multiple_of(BLOCK) && at + BLOCK <= last + 1 {
                all = all.hull(&self.blocks[at / BLOCK]);
                at += BLOCK;
            } else {
                all = all.hull(&Domain::constant(self.width, self.values[at]));
                at += 1;
            }
        }
        all
    }

    /// Returns the first and the last index between two at which an element is in a domain.
    pub fn places(&self, d: &Domain, first: usize, last: usize) -> Option<(usize, usize)> {
        let fits = |at: usize| d.allows(self.values[at], self.width);
        let mut low = first;
        while low <= last && !fits(low) {
            let block = low.is_multiple_of(BLOCK) && self.blocks[low / BLOCK].excludes(d);
            low += if block { BLOCK } else { 1 };
        }
        if low > last {
            return None;
        }
        let mut high = last;
        while !fits(high) {
            let block = high % BLOCK == BLOCK - 1 && self.blocks[high / BLOCK].excludes(d);
            // `low` fits, so that this ends there at the latest.
            high -= if block { BLOCK } else { 1 };
        }
        Some((low, high))
    }
}
