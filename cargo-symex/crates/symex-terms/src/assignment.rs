//! Assignments of values to variables and of addresses to objects, under which terms are evaluated.

use super::node::{ObjectId, Var};
use std::sync::Arc;

/// Assignment of values to variables. It is total: a variable without an entry is 0. Cheap to
/// clone.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Assignment {
    values: Arc<Vec<u128>>,
}

impl Assignment {
    /// Returns the value of a variable.
    pub fn get(&self, var: Var) -> u128 {
        self.values.get(var.0 as usize).copied().unwrap_or(0)
    }

    /// Sets the value of a variable; bits above its width must be zero.
    pub fn set(&mut self, var: Var, value: u128) {
        let at = var.0 as usize;
        if at >= self.values.len() {
            if value == 0 {
                return;
            }
            Arc::make_mut(&mut self.values).resize(at + 1, 0);
        } else if self.values[at] == value {
            return;
        }
        Arc::make_mut(&mut self.values)[at] = value;
    }

    /// Reports whether both give every variable the same value. Quick when they share their
    /// storage.
    pub fn is_same(&self, other: &Assignment) -> bool {
        Arc::ptr_eq(&self.values, &other.values) || self.values == other.values
    }
}

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
