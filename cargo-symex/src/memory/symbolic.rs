//! Accesses at symbolic offsets.
use super::AddressSpace;
use crate::expr::{Expr, ObjectId, Pool, Value, Width};

impl AddressSpace {
    /// Loads `width` bits at a symbolic 64-bit offset, which the path condition keeps in bounds.
    pub fn load_symbolic(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
    ) -> Value {
        let _ = (pool, id, offset, width);
        todo!()
    }

    /// Stores at a symbolic 64-bit offset, which the path condition keeps in bounds.
    pub fn store_symbolic(
        &mut self,
        pool: &mut Pool,
        id: ObjectId,
        offset: Expr,
        width: Width,
        value: Value,
    ) {
        let _ = (pool, id, offset, width, value);
        todo!()
    }
}
