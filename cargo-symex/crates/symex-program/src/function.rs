//! Functions: code, edges, call sites and constants.

use super::{FuncId, GlobalId, Inst, LocId, Operand, Slot};
use serde::{Deserialize, Serialize};

/// A function, defined or declared.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Function {
    /// Symbol name.
    pub name: String,
    /// Readable name: demangled and without its hash, or the symbol name.
    pub display: String,
    pub params: Vec<Param>,
    /// Widths in bits of the scalar leaves of the return value.
    pub returns: Vec<u32>,
    /// Leaves that are floats, which are passed in other registers than integers.
    pub floats: Marks,
    /// Leaves that are a lane of the same vector as the leaf before, and share its register.
    pub joined: Marks,
    pub variadic: bool,
    pub body: Option<Body>,
    /// Whether the function never returns (LLVM's `noreturn`).
    pub noreturn: bool,
    /// Whether the function is compiled from Rust, by its debug information.
    pub rust: bool,
}

/// Bit sets that mark leaves of the arguments and of the results. Of more than 64 leaves, only the
/// first 64 can be marked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Marks {
    pub args: u64,
    pub results: u64,
}

/// A scalar leaf of a parameter. Parameter leaf `i` arrives in slot `i`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Param {
    /// Width in bits.
    pub width: u32,
    /// Size and alignment in bytes of a `byval` parameter: the callee gets a private copy of the
    /// bytes behind the pointer.
    pub byval: Option<(u64, u64)>,
    /// What the signature says of the argument, if that says anything.
    pub claim: Option<ParamClaim>,
}

impl Param {
    /// Returns a leaf of which nothing is known but its width in bits.
    pub fn of_width(width: u32) -> Self {
        Param {
            width,
            byval: None,
            claim: None,
        }
    }
}

/// What the signature of a Rust function says of an argument. Callers that know the function have
/// checked it; a call through a pointer of another type has not. The argument is initialised in any
/// case.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ParamClaim {
    /// The integers that its type has: from the first up to but not including the second, wrapping
    /// around.
    pub range: Option<(u64, u64)>,
    /// Number of bytes behind a reference, and its alignment as a power of two.
    pub reference: Option<(u64, u8)>,
}

/// The code of a defined function.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Body {
    /// Instructions of all blocks, entry block first; each block ends in a terminator
    /// ([`Inst::is_terminator`]).
    pub code: Vec<Inst>,
    /// Location of each instruction.
    pub locs: Vec<LocId>,
    /// First instruction of each block, ascending.
    pub blocks: Vec<u32>,
    /// Number of slots of a frame, parameters first.
    pub slots: u32,
    pub edges: Vec<Edge>,
    /// Moves of all edges. The moves of one edge are carried out in sequence (the translation has
    /// broken cycles with temporary slots).
    pub moves: Vec<(Slot, Operand)>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<Switch>,
    pub landing_pads: Vec<LandingPad>,
    /// Constants that operands refer to.
    pub constants: Vec<Constant>,
    /// Operand lists of `Ret`, each a range of this vector.
    pub operands: Vec<Operand>,
    /// Targets of `Inst::IndirectBr`: lists of (block index, edge).
    pub indirect: Vec<Vec<(u32, u32)>>,
}

impl Body {
    /// Returns the moves of an edge, in order.
    #[inline]
    pub fn moves_of(&self, edge: &Edge) -> &[(Slot, Operand)] {
        &self.moves[edge.moves.0 as usize..edge.moves.1 as usize]
    }

    /// Returns the operands of a [`Inst::Ret`], one per leaf of the result.
    #[inline]
    pub fn results(&self, first: u32, count: u32) -> &[Operand] {
        &self.operands[first as usize..(first + count) as usize]
    }
}

/// A control-flow edge with the moves that replace the target's phis.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Edge {
    /// Index of the target's first instruction.
    pub target: u32,
    /// Index of the target block.
    pub block: u32,
    /// Range in [`Body::moves`].
    pub moves: (u32, u32),
}

/// A call or invoke.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallSite {
    pub callee: Callee,
    /// One operand per scalar leaf of the arguments, with its width in bits.
    pub args: Vec<(Operand, u32)>,
    /// `byval` sizes of pointer arguments passed at the call: (leaf index, bytes, align). Variadic
    /// and indirect calls need them; for others the callee's parameters state them, too.
    pub byval: Vec<(u32, u64, u64)>,
    /// Offsets, in bytes, of the variable arguments (the last leaves of `args`) in the area that a
    /// `va_list` walks through. A `byval` argument lies there itself, not its address.
    pub variable: Vec<u64>,
    /// First of the consecutive slots that receive the results.
    pub dst: Slot,
    /// Widths in bits of the results' leaves.
    pub returns: Vec<u32>,
    /// Whether the results are used.
    pub used: bool,
    /// Leaves that are floats.
    pub floats: Marks,
    /// Leaves that are a lane of the same vector as the leaf before.
    pub joined: Marks,
    /// Whether the call site says that the callee does not unwind (Rust's `extern "C"`).
    pub nounwind: bool,
    /// Edge to take on return; `None` for a plain call (fall through to the next instruction).
    pub normal: Option<u32>,
    /// Edge to take when the callee unwinds. `None`: unwinding continues through this frame.
    pub unwind: Option<u32>,
}

/// Callee of a call site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    /// Call through a pointer.
    Indirect(Operand),
    /// Inline assembly, with its text. It is never executed, only reported.
    InlineAsm(String),
}

/// A multi-way branch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Switch {
    /// Value and edge, in the program's order.
    pub cases: Vec<(u128, u32)>,
    pub default: u32,
}

/// Returns the selector that a landing pad delivers for a `catch` clause (type info, or `None` for
/// one that catches everything). Selector 0 stands for cleanup only. Code compares it with
/// `llvm.eh.typeid.for`, which is translated to this number.
pub fn selector(clause: Option<GlobalId>) -> u32 {
    clause.map_or(1, |g| g.0 + 2)
}

/// Clauses of a landing pad.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LandingPad {
    pub cleanup: bool,
    /// `catch` clauses: the type info, or `None` for null, which catches everything.
    pub catches: Vec<Option<GlobalId>>,
    /// Whether there are filter clauses (C++ exception specifications).
    pub filters: bool,
}

/// A constant operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Constant {
    /// An integer of up to 64 bits, zero above the width.
    Int(u64),
    /// Value and width of an integer of more than 64 bits.
    Wide(u128, u32),
    /// Address of a global plus a wrapping offset in bytes.
    Global(GlobalId, u64),
    /// Address of a function.
    Function(FuncId),
    /// Address of a block of a function (computed goto).
    Block(FuncId, u32),
    Undef,
}
