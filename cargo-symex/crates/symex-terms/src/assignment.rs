//! Assignments of values to variables and of addresses to objects, under which terms are evaluated.

use super::node::{ObjectId, Var};
use smallvec::SmallVec;
use std::sync::Arc;

/// Assignment of values to variables. It is total: a variable without an entry is 0. Cheap to
/// clone, and what differs little from another shares most of its storage: there are as many as
/// states, and a run may have tens of thousands of variables.
#[derive(Clone, Default, Debug)]
pub struct Assignment {
    /// Values of the variables by their numbers; all of a missing page are 0.
    pages: Arc<Vec<Option<Arc<Page>>>>,
}

/// Number of variables in a page. A change copies a page, and the list of pages.
const PAGE: usize = 64;

/// Number of variables that are compared at a time.
const BLOCK: usize = 8;

type Page = [u128; PAGE];

impl Assignment {
    /// Returns the value of a variable.
    #[inline]
    pub fn get(&self, var: Var) -> u128 {
        let at = var.0 as usize;
        match self.pages.get(at / PAGE) {
            Some(Some(page)) => page[at % PAGE],
            _ => 0,
        }
    }

    /// Sets the value of a variable; bits above its width must be zero.
    pub fn set(&mut self, var: Var, value: u128) {
        if self.get(var) == value {
            return;
        }
        let at = var.0 as usize;
        let pages = Arc::make_mut(&mut self.pages);
        if at / PAGE >= pages.len() {
            pages.resize(at / PAGE + 1, None);
        }
        let page = pages[at / PAGE].get_or_insert_with(|| Arc::new([0; PAGE]));
        Arc::make_mut(page)[at % PAGE] = value;
    }

    /// Returns the variables to which another assignment gives another value, ascending, with the
    /// values of this one. Quick where they share their storage.
    pub fn changes_from(&self, other: &Assignment) -> SmallVec<[(Var, u128); 1]> {
        let mut changes = SmallVec::new();
        if Arc::ptr_eq(&self.pages, &other.pages) {
            return changes;
        }
        static NONE: Page = [0; PAGE];
        for number in 0..self.pages.len().max(other.pages.len()) {
            let new = self.pages.get(number).and_then(Option::as_ref);
            let old = other.pages.get(number).and_then(Option::as_ref);
            let (new, old): (&Page, &Page) = match (new, old) {
                (Some(new), Some(old)) if Arc::ptr_eq(new, old) => continue,
                (new, old) => (new.map_or(&NONE, |p| p), old.map_or(&NONE, |p| p)),
            };
            for (block, (new, old)) in new.chunks(BLOCK).zip(old.chunks(BLOCK)).enumerate() {
                if new == old {
                    continue;
                }
                for (at, (new, old)) in new.iter().zip(old).enumerate() {
                    if new != old {
                        let var = number * PAGE + block * BLOCK + at;
                        changes.push((Var(var as u32), *new));
                    }
                }
            }
        }
        changes
    }

    /// Reports whether both give every variable the same value. Quick when they share their
    /// storage.
    pub fn is_same(&self, other: &Assignment) -> bool {
        if Arc::ptr_eq(&self.pages, &other.pages) {
            return true;
        }
        let page = |of: &'_ Assignment, n: usize| of.pages.get(n).cloned().flatten();
        let count = self.pages.len().max(other.pages.len());
        (0..count).all(|n| match (page(self, n), page(other, n)) {
            (Some(one), Some(other)) => Arc::ptr_eq(&one, &other) || one == other,
            (Some(page), None) | (None, Some(page)) => page.iter().all(|value| *value == 0),
            (None, None) => true,
        })
    }
}

impl PartialEq for Assignment {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Eq for Assignment {}

/// Lowest address of an object.
pub const LOWEST_ADDRESS: u64 = 1 << 40;

/// Address below which every object ends.
pub const ADDRESSES_END: u64 = 1 << 47;

/// The hidden concrete base address of each object of a path: the right-hand sides of the address
/// constraints `α = c` of the relocatable addressing model, section 2.2.
pub trait AddressMap {
    /// Returns the base address of an object, which it keeps after it was freed.
    ///
    /// No two objects have the same base address, and all are at least [`LOWEST_ADDRESS`] and below
    /// [`ADDRESSES_END`].
    fn address(&self, object: ObjectId) -> u64;

    /// Returns the greatest number of bytes that an object may take; `None` if unknown. Objects of
    /// known size lie apart: one past the end of one is not the start of another, and all end below
    /// [`ADDRESSES_END`].
    fn size(&self, _object: ObjectId) -> Option<u64> {
        None
    }
}

/// Address map for terms without base addresses.
pub struct NoAddresses;

impl AddressMap for NoAddresses {
    fn address(&self, object: ObjectId) -> u64 {
        unreachable!("a term without base addresses was said to hold {object:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_were_set_last() {
        let mut random = 7_u64;
        let mut expected = vec![0; 1000];
        let mut assignment = Assignment::default();
        let mut earlier = Vec::new();
        for step in 0..5000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (at, value) = ((random >> 33) % 1000, u128::from(random >> 60));
            assignment.set(Var(at as u32), value);
            expected[at as usize] = value;
            if step % 500 == 0 {
                earlier.push((assignment.clone(), expected.clone()));
            }
        }
        let last = assignment.clone();
        earlier.push((assignment, expected));
        for (assignment, expected) in earlier {
            let values = (0..1000).map(|at| assignment.get(Var(at)));
            assert!(values.eq(expected));
            let mut last = last.clone();
            for (var, value) in assignment.changes_from(&last) {
                assert_ne!(last.get(var), value);
                last.set(var, value);
            }
            assert_eq!(last, assignment);
        }
    }

    #[test]
    fn what_was_never_set_is_zero() {
        let (mut one, mut other) = (Assignment::default(), Assignment::default());
        one.set(Var(500), 0);
        assert_eq!((one.get(Var(500)), one.pages.len()), (0, 0));
        one.set(Var(500), 3);
        assert_ne!(one, other);
        one.set(Var(500), 0);
        assert_eq!(one, other);
        other.set(Var(3), 1);
        assert_ne!(one, other);
        one.set(Var(3), 1);
        assert!(one.is_same(&other) && one == other);
    }
}
