//! A growing vector whose clones share their items: three levels, the last two behind `Rc`.
//!
//! A clone copies one pointer per 2048 items; the first write after it copies one node of 64 pointers and one of 32
//! items, later writes nothing. (crates.io has general persistent vectors; none reads in three plain loads and
//! writes in place without hashing or rebalancing, which is what the object table needs.)

use super::footprint::Footprint;
use std::rc::Rc;

const LEAF_LOG2: usize = 5;
const LEAF: usize = 1 << LEAF_LOG2;
const INNER_LOG2: usize = 6;
const INNER: usize = 1 << INNER_LOG2;

/// 32 items.
#[derive(Clone)]
struct Leaf<T>([T; LEAF]);

#[derive(Clone)]
struct Inner<T>([Option<Rc<Leaf<T>>>; INNER]);

/// The vector.
#[derive(Clone)]
pub(super) struct PersistentVec<T> {
    root: Vec<Rc<Inner<T>>>,
    len: usize,
}

impl<T> Default for PersistentVec<T> {
    fn default() -> Self {
        PersistentVec {
            root: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Clone + Default> PersistentVec<T> {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The item at a position, if there is one.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&T> {
        if at >= self.len {
            return None;
        }
        let inner = self.root.get(at >> (LEAF_LOG2 + INNER_LOG2))?;
        let leaf = inner.0[(at >> LEAF_LOG2) & (INNER - 1)].as_ref()?;
        Some(&leaf.0[at & (LEAF - 1)])
    }

    /// The same for writing.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        if at >= self.len {
            return None;
        }
        let inner = Rc::make_mut(self.root.get_mut(at >> (LEAF_LOG2 + INNER_LOG2))?);
        let leaf = inner.0[(at >> LEAF_LOG2) & (INNER - 1)].as_mut()?;
        Some(&mut Rc::make_mut(leaf).0[at & (LEAF - 1)])
    }

    /// Counts the items, without what they hold.
    pub fn measure(&self, into: &mut Footprint) {
        for inner in &self.root {
            let Some(shared) = into.node(inner, false) else {
                continue;
            };
            for leaf in inner.0.iter().flatten() {
                into.node(leaf, shared);
            }
        }
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: T) {
        let at = self.len;
        let top = at >> (LEAF_LOG2 + INNER_LOG2);
        if top == self.root.len() {
            self.root
                .push(Rc::new(Inner(std::array::from_fn(|_| None))));
        }
        let leaf = &mut Rc::make_mut(&mut self.root[top]).0[(at >> LEAF_LOG2) & (INNER - 1)];
        let leaf = leaf.get_or_insert_with(|| Rc::new(Leaf(std::array::from_fn(|_| T::default()))));
        Rc::make_mut(leaf).0[at & (LEAF - 1)] = item;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_do_not_see_each_other() {
        let mut a = PersistentVec::default();
        for i in 0..5000u32 {
            a.push(i);
        }
        let mut b = a.clone();
        for i in 0..3000 {
            a.push(i + 100_000);
            b.push(i + 200_000);
        }
        for i in 0..5000usize {
            assert_eq!(a.get(i), Some(&(i as u32)));
            assert_eq!(b.get(i), Some(&(i as u32)));
        }
        for i in 0..3000usize {
            assert_eq!(a.get(5000 + i), Some(&(i as u32 + 100_000)));
            assert_eq!(b.get(5000 + i), Some(&(i as u32 + 200_000)));
        }
        assert_eq!(a.get(8000), None);
        assert_eq!(a.len(), 8000);
    }
}
