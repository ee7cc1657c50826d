//! Instructions on scalars. One is at most 24 bytes; operands are slots or constants.

use serde::{Deserialize, Serialize};

/// Index of a register in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Slot(pub u32);

/// Operand of an instruction: a slot, or (with the top bit set) an index in the function's
/// constants.
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

    /// Returns the slot, or as the error the index of the constant.
    #[inline(always)]
    pub fn decode(self) -> Result<Slot, u32> {
        if self.0 & CONSTANT_BIT == 0 {
            Ok(Slot(self.0))
        } else {
            Err(self.0 & !CONSTANT_BIT)
        }
    }
}

/// Binary operators whose operands and result have one width (floats are their bits). Shifts by the
/// width or more, `MinInt / -1` and division by zero are left to the executor to report.
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
    /// IEEE minNum/maxNum: with one NaN operand, the result is the other operand.
    FMinNum,
    FMaxNum,
    /// IEEE minimum/maximum: a NaN operand gives NaN, and -0 < +0.
    FMinimum,
    FMaximum,
    FCopySign,
    /// Pointer masking: `ptr & mask`. (Three-way comparison is [`Inst::ThreeWay`], since its result
    /// has a width of its own.)
    PtrMask,
}

/// Unary operators whose result has the width of the operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Un {
    Popcount,
    Clz,
    Ctz,
    ByteSwap,
    BitReverse,
    /// Absolute value of an integer. The smallest value gives itself.
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

/// Comparison of floats. With a NaN operand, ordered comparisons are false and unordered ones true.
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

/// Conversions. The widths are in the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Cast {
    Trunc,
    ZExt,
    SExt,
    /// Conversions between float widths 16, 32, 64, 80, 128.
    FTrunc,
    FExt,
    FToUInt,
    FToSInt,
    /// Saturating conversions; NaN gives 0.
    FToUIntSat,
    FToSIntSat,
    UIntToF,
    SIntToF,
}

/// Arithmetic operators that also give an overflow flag.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Overflow {
    UAdd,
    SAdd,
    USub,
    SSub,
    UMul,
    SMul,
}

/// Operators of atomic read-modify-write instructions.
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

/// Ordering of a memory access or fence among those of other threads. LLVM's `unordered` counts as
/// [`Relaxed`](Ordering::Relaxed).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Ordering {
    /// Not atomic: an access that another thread's access must not meet.
    Plain,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Ordering {
    /// Reports whether what other threads did before they released is seen afterwards.
    pub fn acquires(self) -> bool {
        matches!(
            self,
            Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst
        )
    }

    /// Reports whether threads that acquire later see what this one did before.
    pub fn releases(self) -> bool {
        matches!(
            self,
            Ordering::Release | Ordering::AcqRel | Ordering::SeqCst
        )
    }
}

/// A condition that the operation which follows demands of its operands, as the language defines
/// the operation only where it holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Demand {
    /// An addition does not overflow.
    Addition,
    /// A subtraction does not overflow.
    Subtraction,
    /// A multiplication does not overflow.
    Multiplication,
    /// A shift to the left loses no bits.
    LossyShift,
    /// The distance of a shift is less than the width.
    ShiftDistance,
    /// A division has no remainder.
    Exact,
    /// Two numbers have no set bit in common.
    Disjoint,
    /// A float is in the range of the integer type that it is converted to.
    FloatToInteger,
    /// A number is not zero.
    NonZero,
    /// A number is not the smallest one of its type.
    NotSmallest,
    /// A float is neither infinite nor NaN.
    Finite,
    /// A number is not negative.
    NonNegative,
    /// Arithmetic on a pointer is by no more bytes than an object can have.
    Distance,
    /// A copy is of no more bytes than an object can have.
    CopyLength,
    /// A pointer is not null where its type has no null, as a reference or a `Box`.
    NonNull,
}

/// An instruction on scalars. `w` is a width in bits (1 to 128); pointers have 64 bits.
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
    /// Funnel shift of `a:b` by `c` modulo the width: gives the upper half for a left shift, the
    /// lower half for a right one.
    FunnelShift {
        left: bool,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// Fused multiply-add of floats: `a * b + c`, rounded once.
    Fma {
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
        c: Operand,
    },
    /// Arithmetic with overflow flag: `dst` receives the result, the next slot the flag.
    Overflow {
        op: Overflow,
        w: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// Three-way comparison: -1, 0 or 1 of width `to`.
    ThreeWay {
        signed: bool,
        w: u8,
        to: u8,
        dst: Slot,
        a: Operand,
        b: Operand,
    },
    /// Test whether the float belongs to a class of `mask` (LLVM's `is.fpclass` bits).
    FClass {
        w: u8,
        dst: Slot,
        a: Operand,
        mask: u16,
    },
    /// Extraction of the bits `lo..lo+to` of an operand of width `w`.
    Extract {
        w: u8,
        to: u8,
        lo: u8,
        dst: Slot,
        a: Operand,
    },
    /// Concatenation with `hi` above `lo`.
    Concat {
        whi: u8,
        wlo: u8,
        dst: Slot,
        hi: Operand,
        lo: Operand,
    },
    /// LLVM's `freeze`: an arbitrary but fixed value instead of undef.
    Freeze {
        w: u8,
        dst: Slot,
        a: Operand,
    },
    /// Pointer arithmetic: `base + sext(index) * scale`, wrapping; the index has `w` bits.
    PtrAdd {
        w: u8,
        dst: Slot,
        base: Operand,
        index: Operand,
        scale: i32,
    },
    /// Allocation of a stack object of `size * count` bytes; `count` has 64 bits.
    Alloca {
        dst: Slot,
        size: u32,
        align_log2: u8,
        count: Operand,
        /// Does the object's lifetime begin later, with a [`Inst::Lifetime`]?
        scoped: bool,
    },
    /// Load of `w` bits (in the bytes they need). `align_log2` is the alignment that the program
    /// promises.
    Load {
        w: u8,
        align_log2: u8,
        /// Must the value not depend on uninitialised memory?
        defined: bool,
        order: Ordering,
        dst: Slot,
        ptr: Operand,
    },
    /// Store of `w` bits, zero-extended to whole bytes.
    Store {
        w: u8,
        align_log2: u8,
        order: Ordering,
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
    /// Fill of memory with a byte; `value` has 8 bits.
    MemSet {
        dst: Operand,
        value: Operand,
        len: Operand,
    },
    /// Atomic read-modify-write; `dst` receives the old value.
    AtomicRmw {
        op: Rmw,
        w: u8,
        order: Ordering,
        dst: Slot,
        ptr: Operand,
        value: Operand,
    },
    /// Compare and exchange: `dst` receives the old value, the next slot whether it was equal.
    CmpXchg {
        w: u8,
        /// Ordering where the values are equal, and where they are not.
        orders: [Ordering; 2],
        dst: Slot,
        ptr: Operand,
        expected: Operand,
        new: Operand,
    },
    /// Ordering of the accesses before it and after it among those of other threads.
    Fence {
        order: Ordering,
    },
    /// Hint of a loop that waits for another thread.
    Pause,
    /// Address of the running thread's own copy of a thread-local variable, given by the address of
    /// the variable.
    ThreadLocal {
        dst: Slot,
        a: Operand,
    },
    /// LLVM's `load.relative`: `base + sext(load i32 (base + offset))`.
    LoadRelative {
        dst: Slot,
        base: Operand,
        offset: Operand,
    },
    /// Assumption: undefined behaviour unless the condition holds.
    Assume {
        cond: Operand,
    },
    /// Undefined behaviour unless the condition holds, which the operation behind it demands.
    CheckDemand {
        cond: Operand,
        demand: Demand,
    },
    /// The value is one of its type's: it is in `low..high`, wrapping around.
    CheckRange {
        w: u8,
        a: Operand,
        low: Operand,
        high: Operand,
    },
    /// The value does not depend on uninitialised memory.
    CheckDefined {
        w: u8,
        a: Operand,
    },
    /// The pointer is a valid reference to `bytes` bytes: not null, aligned, and to memory that is
    /// there.
    CheckReference {
        align_log2: u8,
        /// Whether null will do, because nothing says that it is a reference.
        nullable: bool,
        ptr: Operand,
        bytes: Operand,
    },
    /// Arithmetic from `base` to `ptr` stays inside one object, or gets to its end.
    CheckInBounds {
        base: Operand,
        ptr: Operand,
    },
    /// Start or end of the lifetime of a stack object: its contents become uninitialised.
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
    /// Start of C's variable arguments; `list` points to the target's `va_list`.
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
    /// Next variable argument, of `w` bits, by LLVM's own instruction (rare; front ends expand it).
    VaArg {
        w: u8,
        dst: Slot,
        list: Operand,
    },
    /// LLVM's `objectsize`: size of the object behind a pointer as far as known, else -1 (or 0 with
    /// `min`).
    ObjectSize {
        w: u8,
        dst: Slot,
        ptr: Operand,
        min: bool,
    },
    /// Call: index in [`Body::calls`](super::Body::calls). Ends its block if the call site has a
    /// `normal` edge.
    Call {
        site: u32,
    },
    /// Receipt of the exception in flight: pointer in `dst`, selector in the next slot.
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
    /// Return: range in [`Body::operands`](super::Body::operands), one operand per leaf of the
    /// result.
    Ret {
        first: u32,
        count: u32,
    },
    /// Continuation of unwinding.
    Resume {
        exception: Operand,
        selector: Operand,
    },
    Unreachable,
    /// Operation that the executor does not support: index in
    /// [`Program::reasons`](super::Program::reasons). It may stand anywhere in a block.
    Unsupported {
        reason: u32,
    },
}

const _: () = assert!(size_of::<Inst>() <= 24);

impl Inst {
    /// Reports whether control never falls through. (A call does not count: see its site.)
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
