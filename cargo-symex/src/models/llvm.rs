//! LLVM's intrinsics that the translation leaves as calls. The rest of such a name is types, so rows go by prefix.

use super::math;
use super::table::{Row, always};
use crate::exec::Machine;
use crate::exec::end::{Fault, Res};
use crate::exec::model::{Call, Flow};
use crate::expr::Value;
use crate::outcome::FindingKind;
use crate::state::State;

/// Rows by prefix; the first that fits counts.
pub const PREFIXES: &[Row] = &[
    always("llvm.trap", trap),
    always("llvm.ubsantrap", ubsan_trap),
    always("llvm.debugtrap", nothing),
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
    always("llvm.lround.", math::to_integer),
    always("llvm.llround.", math::to_integer),
    always("llvm.lrint.", math::to_integer),
    always("llvm.llrint.", math::to_integer),
];

fn trap(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "trap").into())
}

/// clang's `-fsanitize-trap`: the argument says which check failed.
fn ubsan_trap(_: &mut Machine, _: &mut State, c: &Call) -> Res<Flow> {
    let message = match c.arg(0) {
        Value::Int(n) => format!("undefined behaviour (check {n})"),
        _ => "undefined behaviour".to_string(),
    };
    Err(Fault::new(FindingKind::Undefined, message).into())
}

fn nothing(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

fn first(_: &mut Machine, _: &mut State, c: &Call) -> Res<Flow> {
    Flow::value(c.arg(0))
}

fn null(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

/// Advances with the instructions of the path.
fn cycles(_: &mut Machine, st: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(st.steps)
}

/// To nearest, ties to even.
fn rounding(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(1)
}
