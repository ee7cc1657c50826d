//! The instructions. One is at most 24 bytes; operands are slots or constants.

use serde::{Deserialize, Serialize};

/// A register of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Slot(pub u32);

/// A slot, or (with the top bit set) an index in the function's constants.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Operand(u32);

const CONSTANT_BIT: u32 = 1 << 31;

impl Operand {
    pub fn slot(s: Slot) -> Self {
        assert!(s.0 < CONSTANT_BIT);
        Operand(s.0)
    }

    pub fn constant(index: u32) -> Self {
        assert!(index < CONSTANT_BIT);
        Operand(index | CONSTANT_BIT)
    }

    /// Either the slot or the index of the constant.
    #[inline(always)]
    pub fn decode(self) -> Result<Slot, u32> {
        if self.0 & CONSTANT_BIT == 0 {
            Ok(Slot(self.0))
        } else {
            Err(self.0 & !CONSTANT_BIT)
        }
    }
}

/// Two operands and a result of one width (floats are their bits). Shifts by the width or more,
/// `MinInt / -1` and division by zero are left to the executor to report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    UMin,
    UMax,
    SMin,
    SMax,
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
    UShlSat,
    SShlSat,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    /// IEEE minNum/maxNum: a NaN operand gives the other one.
    FMinNum,
    FMaxNum,
    /// A NaN operand gives NaN, and -0 < +0.
    FMinimum,
    FMaximum,
    FCopySign,
    /// Two-bit-or-wider result -1, 0, 1 of the *destination's* width is in [`Inst::ThreeWay`]; not
    /// here. Pointer masking: `ptr & mask`.
    PtrMask,
}

/// Operators of one operand whose result has its width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Un {
    Popcount,
    Clz,
    Ctz,
    ByteSwap,
    BitReverse,
    /// Absolute value of an integer; the smallest value gives itself.
    Abs,
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    /// Rounds to nearest even (`rint`, `nearbyint`, `roundeven`).
    FRint,
    /// Rounds to nearest, ties away from zero.
    FRound,
}

/// Comparison of integers or pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Cmp {
    Eq,
    Ne,
    ULt,
    ULe,
    UGt,
    UGe,
    SLt,
    SLe,
    SGt,
    SGe,
}

/// Comparison of floats: ordered ones are false with a NaN, unordered ones true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FCmp {
    False,
    OEq,
    OGt,
    OGe,
    OLt,
    OLe,
    ONe,
    Ord,
    Uno,
    UEq,
    UGt,
    UGe,
    ULt,
    ULe,
    UNe,
    True,
}

/// Conversions. Widths are in the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Cast {
    Trunc,
    ZExt,
    SExt,
    /// Float widths 16, 32, 64, 80, 128.
    FTrunc,
    FExt,
    FToUInt,
    FToSInt,
    /// Saturating, NaN to 0.
    FToUIntSat,
    FToSIntSat,
    UIntToF,
    SIntToF,
}

/// Arithmetic with an overflow flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Overflow {
    UAdd,
    SAdd,
    USub,
    SSub,
    UMul,
    SMul,
}

/// Read-modify-write operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Rmw {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    SMax,
    SMin,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
    USubCond,
    USubSat,
}

/// An instruction on scalars. `w` is a width in bits (1 to 128), pointers are 64 bits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Inst {
    Move {
        dst: Slot,
        a: Operand,
    },
    Bin {
        op: Bin,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    Un {
        op: Un,
        w: u8,
        dst: Slot,
        a: Operand,
    },
    Cmp {
        op: Cmp,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    FCmp {
        op: FCmp,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    Cast {
        op: Cast,
        from: u8,
        to: u8,
        dst: Slot,
        a: Operand,
    },
    Select {
        w: u8,
        dst: Slot,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// Funnel shift of `a:b` by `c` modulo the width; the upper half of a left shift, the lower of
    /// a right one.
    FunnelShift {
        left: bool,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// `a * b + c` of floats, rounded once.
    Fma {
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// `dst` takes the result, the next slot the flag.
    Overflow {
        op: Overflow,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// -1, 0 or 1 of width `to`.
    ThreeWay {
        signed: bool,
        w: u8,
        to: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// Does the float belong to a class of `mask` (LLVM's `is.fpclass` bits)?
    FClass {
        w: u8,
        dst: Slot,
        a: Operand,
        mask: u16,
    },
    /// Bits `lo..lo+to` of an operand of width `w`.
    Extract {
        w: u8,
        to: u8,
        lo: u8,
        dst: Slot,
        a: Operand,
    },
    /// `hi` above `lo`.
    Concat {
        whi: u8,
        wlo: u8,
        dst: Slot,
        hi: Operand,
        lo: Operand,
    },
    /// An arbitrary but fixed value instead of undef.
    Freeze {
        w: u8,
        dst: Slot,
        a: Operand,
    },
    /// `base + sext(index) * scale`, wrapping; the index has `w` bits.
    PtrAdd {
        w: u8,
        dst: Slot,
        base: Operand,
        index: Operand,
        scale: i32,
    },
    /// A stack object of `size * count` bytes; `count` has 64 bits.
    Alloca {
        dst: Slot,
        size: u32,
        align_log2: u8,
        count: Operand,
    },
    /// Loads `w` bits (in the bytes they need). `align_log2` is what the program promises.
    Load {
        w: u8,
        align_log2: u8,
        dst: Slot,
        ptr: Operand,
    },
    /// Stores `w` bits, zero-extended to whole bytes.
    Store {
        w: u8,
        align_log2: u8,
        ptr: Operand,
        value: Operand,
    },
    MemCpy {
        dst: Operand,
        src: Operand,
        len: Operand,
    },
    MemMove {
        dst: Operand,
        src: Operand,
        len: Operand,
    },
    /// `value` has 8 bits.
    MemSet {
        dst: Operand,
        value: Operand,
        len: Operand,
    },
    /// `dst` takes the old value.
    AtomicRmw {
        op: Rmw,
        w: u8,
        dst: Slot,
        ptr: Operand,
        value: Operand,
    },
    /// `dst` takes the old value, the next slot whether it was equal.
    CmpXchg {
        w: u8,
        dst: Slot,
        ptr: Operand,
        expected: Operand,
        new: Operand,
    },
    /// LLVM's `load.relative`: `base + sext(load i32 (base + offset))`.
    LoadRelative {
        dst: Slot,
        base: Operand,
        offset: Operand,
    },
    /// Undefined behaviour unless the condition holds.
    Assume {
        cond: Operand,
    },
    /// Begin and end of the life of a stack object: its contents become uninitialised.
    Lifetime {
        ptr: Operand,
        start: bool,
    },
    StackSave {
        dst: Slot,
    },
    StackRestore {
        a: Operand,
    },
    /// C's variable arguments; `list` points to the target's `va_list`.
    VaStart {
        list: Operand,
    },
    VaEnd {
        list: Operand,
    },
    VaCopy {
        dst: Operand,
        src: Operand,
    },
    /// Next variable argument of `w` bits by LLVM's own instruction (rare; front ends expand it).
    VaArg {
        w: u8,
        dst: Slot,
        list: Operand,
    },
    /// Size of the object behind a pointer as far as known, else -1 (or 0 with `min`).
    ObjectSize {
        w: u8,
        dst: Slot,
        ptr: Operand,
        min: bool,
    },
    /// Index in [`Body::calls`](super::Body::calls). Ends its block if the call site has a `normal`
    /// edge.
    Call {
        site: u32,
    },
    /// Takes the exception in flight: pointer in `dst`, selector in the next slot.
    LandingPad {
        dst: Slot,
        pad: u32,
    },
    // Terminators.
    Br {
        edge: u32,
    },
    CondBr {
        cond: Operand,
        then: u32,
        other: u32,
    },
    Switch {
        w: u8,
        value: Operand,
        table: u32,
    },
    IndirectBr {
        target: Operand,
        table: u32,
    },
    /// Range in [`Body::operands`](super::Body::operands), one per leaf of the result.
    Ret {
        first: u32,
        count: u32,
    },
    /// Goes on unwinding.
    Resume {
        exception: Operand,
        selector: Operand,
    },
    Unreachable,
    /// Something the executor cannot do; index in [`Program::reasons`](super::Program::reasons).
    /// May stand anywhere.
    Unsupported {
        reason: u32,
    },
}

const _: () = assert!(size_of::<Inst>() <= 24);

impl Inst {
    /// Does control never fall through? (A call does not count: see its site.)
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Inst::Br { .. }
                | Inst::CondBr { .. }
                | Inst::Switch { .. }
                | Inst::IndirectBr { .. }
                | Inst::Ret { .. }
                | Inst::Resume { .. }
                | Inst::Unreachable
                | Inst::Unsupported { .. }
        )
    }
}
