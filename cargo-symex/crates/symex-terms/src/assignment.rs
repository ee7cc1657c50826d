//! Values for variables and addresses: what turns a term into a number.

use super::node::{ObjectId, Var};
use std::sync::Arc;

/// Values of variables. Total: a variable without an entry is 0. Cheap to clone.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Assignment {
    values: Arc<Vec<u128>>,
}

impl Assignment {
    /// The value of a variable.
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

    /// Do both give every variable the same value? Quick when they share their storage.
    pub fn is_same(&self, other: &Assignment) -> bool {
        Arc::ptr_eq(&self.values, &other.values) || self.values == other.values
    }
}

/// No object is at an address below.
pub const LOWEST_ADDRESS: u64 = 1 << 40;

/// Every object ends below.
pub const ADDRESSES_END: u64 = 1 << 47;

/// The hidden concrete base address of each object of a path: the right-hand sides of the address
/// constraints `α = c` of the relocatable addressing model, section 2.2.
pub trait AddressMap {
    /// Base address of an object; objects keep theirs after they were freed.
    ///
    /// No two objects have the same, and they are at least [`LOWEST_ADDRESS`] and below
    /// [`ADDRESSES_END`].
    fn address(&self, object: ObjectId) -> u64;

    /// Bytes that an object takes at most; `None`: not known. Where they are known, objects lie
    /// apart: one past the end of one is not the start of another, and all end below
    /// [`ADDRESSES_END`].
    fn size(&self, _object: ObjectId) -> Option<u64> {
        None
    }
}

/// For terms that hold no base addresses.
pub struct NoAddresses;

impl AddressMap for NoAddresses {
    fn address(&self, object: ObjectId) -> u64 {
        unreachable!("a term without base addresses was said to hold {object:?}")
    }
}
