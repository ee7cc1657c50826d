//! Models of LLVM's intrinsics that the translation leaves as calls. Rows are by prefix, because
//! the rest of such a name is types.

use super::math;
use super::table::{Row, always};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::{Fault, Res};
use crate::state::State;
use std::rc::Rc;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::LocId;
use symex_terms::Value;
use symex_types::outcome::FindingKind;

/// Rows by prefix; the first match counts.
pub const PREFIXES: &[Row] = &[
    always("llvm.trap", trap),
    always("llvm.ubsantrap", ubsan_trap),
    always("llvm.debugtrap", breakpoint),
    always("llvm.x86.sse2.pause", nothing),
    always("llvm.x86.sse2.lfence", nothing),
    always("llvm.x86.sse2.mfence", nothing),
    always("llvm.x86.sse.sfence", nothing),
    always("llvm.prefetch", nothing),
    always("llvm.donothing", nothing),
    always("llvm.sideeffect", nothing),
    always("llvm.clear_cache", nothing),
    always("llvm.dbg.", nothing),
    always("llvm.var.annotation", nothing),
    always("llvm.ptr.annotation", first),
    always("llvm.annotation", first),
    always("llvm.launder.invariant.group", first),
    always("llvm.strip.invariant.group", first),
    always("llvm.invariant.start", null),
    always("llvm.invariant.end", nothing),
    always("llvm.experimental.noalias.scope.decl", nothing),
    always("llvm.thread.pointer", thread_pointer),
    always("llvm.returnaddress", null),
    always("llvm.frameaddress", null),
    always("llvm.addressofreturnaddress", null),
    always("llvm.readcyclecounter", cycles),
    always("llvm.readsteadycounter", cycles),
    always("llvm.get.rounding", rounding),
    always("llvm.powi.", math::powi),
    always("llvm.pow.", math::by_intrinsic),
    always("llvm.sinh.", math::by_intrinsic),
    always("llvm.sin.", math::by_intrinsic),
    always("llvm.cosh.", math::by_intrinsic),
    always("llvm.cos.", math::by_intrinsic),
    always("llvm.tanh.", math::by_intrinsic),
    always("llvm.tan.", math::by_intrinsic),
    always("llvm.asin.", math::by_intrinsic),
    always("llvm.acos.", math::by_intrinsic),
    always("llvm.atan.", math::by_intrinsic),
    always("llvm.atan2.", math::by_intrinsic),
    always("llvm.exp.", math::by_intrinsic),
    always("llvm.exp2.", math::by_intrinsic),
    always("llvm.exp10.", math::by_intrinsic),
    always("llvm.log.", math::by_intrinsic),
    always("llvm.log2.", math::by_intrinsic),
    always("llvm.log10.", math::by_intrinsic),
    always("llvm.ldexp.", math::ldexp),
    always("llvm.frexp.", math::frexp_pair),
    always("llvm.modf.", math::modf_pair),
    always("llvm.sincos.", math::sincos_pair),
    always("llvm.lround.", math::to_integer),
    always("llvm.llround.", math::to_integer),
    always("llvm.lrint.", math::to_integer),
    always("llvm.llrint.", math::to_integer),
];

fn breakpoint(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "a breakpoint, where no debugger is").into())
}

fn trap(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "trap").into())
}

/// Returns the meaning of a trap of clang's undefined behaviour sanitizer, by its number
/// (`SanitizerHandler` in clang). One check may stand for several rules, and the text then names
/// all of them.
fn check(number: u64) -> (FindingKind, &'static str) {
    use FindingKind::*;
    match number {
        0 => (ArithmeticOverflow, "overflow of a signed addition"),
        1 => (UnreachableReached, "unreachable code reached"),
        3 => (
            DivisionByZero,
            "division by zero, or of the smallest value by -1",
        ),
        5 => (
            ArithmeticOverflow,
            "a floating-point value does not fit the type it is converted to",
        ),
        7 => (
            ArithmeticOverflow,
            "an implicit conversion changes the value",
        ),
        8 => (
            Undefined,
            "a builtin function was called with a value that it forbids",
        ),
        10 => (Undefined, "a value that its type does not have was read"),
        11 => (
            Undefined,
            "the end of a function was reached without a return",
        ),
        12 => (ArithmeticOverflow, "overflow of a signed multiplication"),
        13 => (
            ArithmeticOverflow,
            "negation of the smallest value of a signed integer type",
        ),
        14 | 16 => (Undefined, "null passed where the declaration forbids it"),
        15 | 17 => (Undefined, "null returned where the declaration forbids it"),
        18 => (OutOfBounds, "array index out of bounds"),
        19 => (
            Undefined,
            "arithmetic on a pointer leaves the address space, or begins at null",
        ),
        20 => (
            ShiftTooFar,
            "shift by a negative amount or by the width or more, or of a value that does not fit",
        ),
        21 => (ArithmeticOverflow, "overflow of a signed subtraction"),
        22 => (
            Undefined,
            "access through a null or misaligned pointer, or one to too small an object",
        ),
        23 => (Undefined, "a pointer is not aligned as was promised"),
        24 => (
            Undefined,
            "the length of a variable-length array is not positive",
        ),
        _ => (Undefined, "undefined behaviour"),
    }
}

/// Performs a trap of clang's `-fsanitize-trap`: the argument identifies the failed check.
fn ubsan_trap(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    let (kind, message) = match c.arg(0) {
        Value::Int(number) => check(number),
        _ => (FindingKind::Undefined, "undefined behaviour"),
    };
    Err(Fault::new(kind, message).into())
}

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

fn first(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Flow::value(c.arg(0))
}

fn null(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

/// Returns the control block of the one thread: by the ABI its first word is its address, which
/// programs use as the thread's identity.
fn thread_pointer(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    if let Some(object) = st.world.thread {
        return Flow::value(Value::Ptr(object, 0));
    }
    let object = st.memory.allocate(NewObject {
        size: 8,
        length: None,
        align_log2: 6,
        kind: ObjectKind::Global,
        site: LocId::default(),
        birth: 0,
        initial: Initial::Zero,
    });
    let address = Value::Ptr(object, 0);
    st.memory.store(&mut m.pool, object, 0, 64, address);
    Rc::make_mut(&mut st.world).thread = Some(object);
    Flow::value(address)
}

/// Returns a cycle counter, which advances with the instructions of the path.
fn cycles(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(st.steps)
}

/// Returns the rounding mode: to nearest, ties to even.
fn rounding(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(1)
}
