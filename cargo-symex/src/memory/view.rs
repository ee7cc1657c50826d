//! What symbolic offsets see of an object.
use crate::expr::{Expr, Pool};

/// Arrays of an object.
#[derive(Clone, Default)]
pub(super) struct Arrays {}

/// One array.
pub(super) enum View {}

impl Arrays {
    pub fn region_range(&self) -> Option<(u64, u64)> {
        None
    }
    pub fn region_at(&self, _: u64) -> Option<&View> {
        None
    }
}

impl View {
    pub fn load_at(&self, _: &mut Pool, _: u64, _: usize) -> (Expr, usize) {
        match *self {}
    }
    pub fn rest_of_element(&self, _: u64) -> usize {
        match *self {}
    }
    pub fn surely_init(&self, _: u64) -> bool {
        match *self {}
    }
}
