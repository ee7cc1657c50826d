//! Values of registers: concrete where possible, otherwise terms.
//!
//! Invariant: a value has the width that the instruction using it says; it does not carry one.
//! Concrete words of up to 64 bits are never terms, wider constants always are (a constant term). A
//! pointer with a known object and a concrete offset is never a term. This form makes the concrete
//! fast path a single comparison.

use super::node::{Expr, ObjectId};

/// Value of a register, or result of a load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Concrete word; bits above the width are zero.
    Int(u64),
    /// Pointer, a 64-bit word: base address of the object plus a (wrapping) offset in bytes.
    Ptr(ObjectId, u64),
    /// Any other term.
    Expr(Expr),
    /// LLVM's undef or poison.
    Undef,
}

impl From<u8> for Value {
    fn from(byte: u8) -> Value {
        Value::Int(byte.into())
    }
}

impl Value {
    /// The null pointer, and the integer zero.
    pub const NULL: Value = Value::Int(0);
}
