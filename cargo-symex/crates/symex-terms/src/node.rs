//! Handles and nodes of the expression graph.
//!
//! Every term is a bit-vector of 1 to 128 bits; a truth value is a bit-vector of one bit. Handles
//! are small integers into one [`Pool`](super::Pool): equal handles of one pool are equal terms,
//! and handles of two pools must never meet. Nodes are immutable. How nodes are made (and
//! simplified) is in `build` and `simplify`.

use super::op::{BinOp, FCast, UnOp};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Number of bits of a term, 1 to 128.
pub type Width = u32;

/// Greatest width of a term, in bits.
pub const MAX_WIDTH: Width = 128;

/// Handle of a term. Ordering is by creation and so is deterministic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Expr(pub(super) NonZeroU32);

impl Expr {
    /// Returns the position in the pool, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Handle of an array term: a map from a 64-bit element index to a bit-vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Array(pub(super) NonZeroU32);

impl Array {
    /// Returns the position in the pool, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Name that distinguishes tables with the same elements: such tables are one array exactly if they
/// have the same name. Most have the default name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ArrayName(pub(super) u32);

/// A symbolic variable: (part of) an input, or an uninitialised value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

/// Identity of a memory object within one path. Its symbolic base address is the term
/// [`Kind::Base`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

/// The structure of a term. Operands are handles of the same pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Constant; bits above the width are zero.
    Const(u128),
    Var(Var),
    /// Symbolic base address (64 bits) of an object whose address is a multiple of `1 <<
    /// align_log2`.
    Base {
        object: ObjectId,
        align_log2: u8,
    },
    Un(UnOp, Expr),
    Bin(BinOp, Expr, Expr),
    /// Concatenation, `hi` above `lo`.
    Concat {
        hi: Expr,
        lo: Expr,
    },
    /// Slice of the bits from `lo` upwards, as many as the node is wide.
    Extract {
        of: Expr,
        lo: Width,
    },
    ZExt(Expr),
    SExt(Expr),
    /// If-then-else; `cond` is one bit wide.
    Ite {
        cond: Expr,
        then: Expr,
        other: Expr,
    },
    /// Element of an array. An index past the array's length has an unspecified (but fixed) value:
    /// the builder of the term has constrained the index.
    Select {
        array: Array,
        index: Expr,
    },
    FCast(FCast, Expr),
    /// Fused multiply-add `a * b + c`.
    Fma(Expr, Expr, Expr),
}

impl Kind {
    /// Reports whether the operator computes or compares floats.
    pub fn is_float(&self) -> bool {
        match self {
            Kind::Bin(op, ..) => op.is_float(),
            Kind::Un(op, _) => op.is_float(),
            Kind::FCast(..) | Kind::Fma(..) => true,
            _ => false,
        }
    }
}

/// The structure of an array term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ArrayKind {
    /// Fixed contents, one term per element.
    Table(std::sync::Arc<[Expr]>),
    /// `array` with the element at `index` replaced by `value`.
    Store {
        array: Array,
        index: Expr,
        value: Expr,
    },
}

/// A symbol on which a term may depend: a variable or a base address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    Var(Var),
    Base(ObjectId),
}

/// Origin of a variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// Part `part` (an element index) of input number `input` of the path, with the user's name for
    /// it.
    Input { input: u32, part: u32 },
    /// Contents of memory that was never written: `object` at byte `offset`, or a register that
    /// LLVM calls undef (no object).
    Uninit {
        object: Option<ObjectId>,
        offset: u64,
    },
    /// Result of a function that no term expresses: application `number` of the run.
    Result { number: u32 },
}

/// Description of a variable. Requests with equal descriptions give the same variable, so the
/// inputs of sibling paths coincide.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct VarInfo {
    pub name: std::sync::Arc<str>,
    pub width: Width,
    pub origin: Origin,
}
