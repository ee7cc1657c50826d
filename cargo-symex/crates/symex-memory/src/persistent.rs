//! A growing vector whose clones share their items: a clone copies one pointer per 2048 of them.

use super::footprint::Footprint;
use super::radix::Radix;
use std::rc::Rc;

const LEAF_LOG2: usize = 5;
const LEAF: usize = 1 << LEAF_LOG2;

/// A persistent growing vector.
#[derive(Clone)]
pub(super) struct PersistentVec<T> {
    leaves: Radix<[T; LEAF]>,
    len: usize,
}

impl<T> Default for PersistentVec<T> {
    fn default() -> Self {
        PersistentVec {
            leaves: Radix::default(),
            len: 0,
        }
    }
}

impl<T: Clone + Default> PersistentVec<T> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the item at a position, if there is one.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&T> {
        if at >= self.len {
            return None;
        }
        let leaf = self.leaves.get(at >> LEAF_LOG2)?;
        Some(&leaf[at & (LEAF - 1)])
    }

    /// Returns the item at a position for writing, if there is one.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        if at >= self.len {
            return None;
        }
        let leaf = self.leaves.get_mut(at >> LEAF_LOG2)?;
        Some(&mut leaf[at & (LEAF - 1)])
    }

    /// Returns the number of items at the beginning that this vector has in common with another,
    /// both being copies of one vector to which items were added.
    pub fn common(&self, other: &PersistentVec<T>, same: impl Fn(&T, &T) -> bool) -> usize {
        let most = self.len.min(other.len);
        for leaf in self.leaves.apart(&other.leaves) {
            let first = leaf << LEAF_LOG2;
            for at in first..(first + LEAF).min(most) {
                if let (Some(a), Some(b)) = (self.get(at), other.get(at))
                    && !same(a, b)
                {
                    return at;
                }
            }
        }
        most
    }

    /// Adds the items to a footprint, without their indirect contents.
    pub fn measure(&self, into: &mut Footprint) {
        self.leaves.measure(into, |_, _, _| {});
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: T) {
        let at = self.len;
        let leaf = self
            .leaves
            .place(at >> LEAF_LOG2)
            .get_or_insert_with(|| Rc::new(std::array::from_fn(|_| T::default())));
        Rc::make_mut(leaf)[at & (LEAF - 1)] = item;
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
