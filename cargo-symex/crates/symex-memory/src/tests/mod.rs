//! Tests of memory as a whole, and helpers that the tests of its parts share.

mod differential;
mod symbolic;

use super::{AddressSpace, Initial, NewObject, ObjectKind};
use symex_program::LocId;
use symex_terms::{Expr, ObjectId, Origin, Pool, VarInfo, Width};

/// Makes the request for an object of `size` bytes.
pub(super) fn new_object(size: u64, kind: ObjectKind, initial: Initial) -> NewObject {
    NewObject {
        size,
        length: None,
        align_log2: 3,
        kind,
        site: LocId(0),
        birth: 0,
        initial,
    }
}

/// Allocates an object on the heap.
pub(super) fn object(m: &mut AddressSpace, size: u64, initial: Initial) -> ObjectId {
    m.allocate(new_object(
        size,
        ObjectKind::Heap(crate::Allocator::C),
        initial,
    ))
}

/// Makes a variable that is a whole input.
pub(super) fn var(pool: &mut Pool, input: u32, width: Width) -> Expr {
    pool.var(VarInfo {
        name: "x".into(),
        width,
        origin: Origin::Input { input, part: 0 },
    })
}
