//! Handles and nodes of the expression graph.
//!
//! Every term is a bit-vector of 1 to 128 bits; a truth value is a bit-vector of one bit. Handles are small
//! integers into one [`Pool`](super::Pool): equal handles of one pool are equal terms, and handles of two pools
//! must never meet. Nodes are immutable. How nodes are made (and simplified) is in `build` and `simplify`.

use std::num::NonZeroU32;

/// Number of bits of a term, 1 to 128.
pub type Width = u32;

/// The widest term there is, in bits.
pub const MAX_WIDTH: Width = 128;

/// Handle of a term. Ordering is by creation and so is deterministic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Expr(pub(super) NonZeroU32);

impl Expr {
    /// Position in the pool, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Handle of an array term: a map from a 64-bit element index to a bit-vector.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Array(pub(super) NonZeroU32);

impl Array {
    /// Position in the pool, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Tells tables with the same elements apart: they are one array exactly if they have the same name. Most have the default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ArrayName(pub(super) u32);

/// A symbolic variable (an input, or an uninitialised value).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Var(pub u32);

/// Identity of a memory object within one path; its symbolic base address is the term [`Kind::Base`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectId(pub u32);

/// Operators of one operand whose result has the operand's width, except where stated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum UnOp {
    /// Bitwise complement.
    Not,
    /// Number of set bits.
    Popcount,
    /// Leading zeros; the width for zero.
    Clz,
    /// Trailing zeros; the width for zero.
    Ctz,
    /// IEEE square root of a float given by its bits.
    FSqrt,
    /// IEEE rounding to an integral float.
    FRound(Rounding),
    /// Is it a NaN? One bit wide.
    FIsNan,
}

impl UnOp {
    /// Is the operand a float, of 16, 32, 64, 80 or 128 bits?
    pub fn is_float(self) -> bool {
        matches!(self, UnOp::FSqrt | UnOp::FRound(_) | UnOp::FIsNan)
    }
}

/// Direction of rounding to an integral value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    NearestEven,
    /// To nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    Zero,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
}

/// Operators of two operands of one width. Comparisons, predicates and float comparisons are one bit wide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Division by zero gives all ones (SMT-LIB).
    UDiv,
    /// Division by zero gives 1 for negative and all ones for other dividends (SMT-LIB).
    SDiv,
    /// Remainder by zero gives the dividend (SMT-LIB).
    URem,
    /// Sign follows the dividend; remainder by zero gives the dividend (SMT-LIB).
    SRem,
    And,
    Or,
    Xor,
    /// Shifting by the width or more gives 0 (SMT-LIB).
    Shl,
    /// Shifting by the width or more gives 0 (SMT-LIB).
    LShr,
    /// Shifting by the width or more gives the sign in each bit (SMT-LIB).
    AShr,
    Eq,
    ULt,
    ULe,
    SLt,
    SLe,
    /// Does the unsigned product need more bits?
    UMulO,
    /// Does the signed product need more bits?
    SMulO,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// C's `fmod`: sign of the dividend, truncated quotient.
    FRem,
    /// IEEE equality: false with a NaN, true for the two zeros.
    FEq,
    FLt,
    FLe,
}

impl BinOp {
    /// Is the result one bit wide?
    pub fn is_predicate(self) -> bool {
        use BinOp::*;
        matches!(
            self,
            Eq | ULt | ULe | SLt | SLe | UMulO | SMulO | FEq | FLt | FLe
        )
    }

    /// Are the operands floats, of 16, 32, 64, 80 or 128 bits?
    pub fn is_float(self) -> bool {
        use BinOp::*;
        matches!(self, FAdd | FSub | FMul | FDiv | FRem | FEq | FLt | FLe)
    }

    /// May the operands be swapped?
    pub fn is_commutative(self) -> bool {
        use BinOp::*;
        matches!(
            self,
            Add | Mul | And | Or | Xor | Eq | UMulO | SMulO | FAdd | FMul | FEq
        )
    }
}

/// Conversions between integers and IEEE floats of 16, 32, 64, 80 or 128 bits, all given by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FCast {
    /// Float to signed integer, truncating and saturating; NaN gives 0.
    ToSigned,
    /// Float to unsigned integer, truncating and saturating; NaN gives 0.
    ToUnsigned,
    /// Signed integer to float, to nearest even.
    FromSigned,
    /// Unsigned integer to float, to nearest even.
    FromUnsigned,
    /// Float to float, to nearest even.
    Float,
}

/// What a term is. Operands are handles of the same pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A value; bits above the width are zero.
    Const(u128),
    Var(Var),
    /// Symbolic base address (64 bits) of an object whose address is a multiple of `1 << align_log2`.
    Base {
        object: ObjectId,
        align_log2: u8,
    },
    Un(UnOp, Expr),
    Bin(BinOp, Expr, Expr),
    /// `hi` above `lo`.
    Concat {
        hi: Expr,
        lo: Expr,
    },
    /// The bits from `lo` upwards, as many as the node is wide.
    Extract {
        of: Expr,
        lo: Width,
    },
    ZExt(Expr),
    SExt(Expr),
    /// `cond` is one bit wide.
    Ite {
        cond: Expr,
        then: Expr,
        other: Expr,
    },
    /// Element of an array. An index past the array's length has an unspecified (but fixed) value: whoever builds
    /// the term has constrained the index.
    Select {
        array: Array,
        index: Expr,
    },
    FCast(FCast, Expr),
    /// Fused multiply-add `a * b + c`.
    Fma(Expr, Expr, Expr),
}

/// What an array term is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ArrayKind {
    /// Fixed contents.
    Table(std::sync::Arc<[Expr]>),
    /// `array` with the element at `index` replaced by `value`.
    Store {
        array: Array,
        index: Expr,
        value: Expr,
    },
}

/// One symbol on which a term may depend.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    Var(Var),
    Base(ObjectId),
}

/// Why a variable exists.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// Part `part` (an element index) of the `draw`-th input of the path, with the user's name for it.
    Input { draw: u32, part: u32 },
    /// The content of memory that nobody wrote: `object` at byte `offset`, or a register LLVM calls undef (no object).
    Uninit {
        object: Option<ObjectId>,
        offset: u64,
    },
}

/// Description of a variable. Two requests with equal descriptions are the same variable, which is what makes the
/// inputs of sibling paths coincide.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VarInfo {
    pub name: std::sync::Arc<str>,
    pub width: Width,
    pub origin: Origin,
}
