//! Objects: their identity, and the request that makes one. Their liveness and their contents are
//! elsewhere.

use std::rc::Rc;
use symex_program::LocId;
use symex_terms::{Expr, ObjectId};

/// Kind of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    Stack,
    Heap(Allocator),
    Global,
    /// Read-only global.
    Constant,
    /// A function; its contents cannot be accessed.
    Function,
}

impl ObjectKind {
    /// Reports whether an object of this kind is a heap object.
    pub fn is_heap(self) -> bool {
        matches!(self, ObjectKind::Heap(_))
    }
}

/// Allocator of a heap object, which is the one that has to free it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Allocator {
    /// `malloc` and its kin.
    C,
    /// The system's pages (`mmap`).
    System,
    /// Rust's default allocator (`std::alloc::alloc`).
    Rust,
}

/// A size that depends on inputs. The path condition keeps it within the room that the object has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// Size in bytes, a term of 64 bits.
    pub term: Expr,
    /// Lower bound of the size.
    pub least: u64,
}

/// Identity of an object, which never changes and survives the object's end.
#[derive(Clone, Debug)]
pub struct Object {
    pub id: ObjectId,
    /// Size in bytes; if there is a `length`, its maximum.
    pub size: u64,
    /// The size, if it depends on inputs.
    pub length: Option<Length>,
    /// Alignment: base addresses are multiples of `1 << align_log2`.
    pub align_log2: u8,
    pub kind: ObjectKind,
    /// Allocation site: place in the program where it was allocated.
    pub site: LocId,
    /// Number of its birth, if the memory model asks for births.
    pub birth: u32,
    /// The hidden concrete base address.
    pub address: u64,
}

impl Default for Object {
    fn default() -> Self {
        Object {
            id: ObjectId(0),
            size: 0,
            length: None,
            align_log2: 0,
            kind: ObjectKind::Function,
            site: LocId(0),
            birth: 0,
            address: 0,
        }
    }
}

/// Initial contents.
#[derive(Clone, Debug)]
pub enum Initial {
    Uninit,
    Zero,
    /// Bytes shared with the program; zeros beyond the end.
    Bytes(Rc<[u8]>),
}

/// A request to allocate an object.
#[derive(Clone, Debug)]
pub struct NewObject {
    /// Size to reserve, in bytes.
    pub size: u64,
    /// The size, if it depends on inputs.
    pub length: Option<Length>,
    pub align_log2: u8,
    pub kind: ObjectKind,
    pub site: LocId,
    /// Number of its birth (`model::Births`), 0 if unknown.
    pub birth: u32,
    pub initial: Initial,
}
