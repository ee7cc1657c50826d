//! Models of what the crate psm has in assembly: stacker, and parsers that use it, continue on
//! another stack where theirs is nearly used up. The stack of such a path has no end, so nothing
//! has to be switched.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use smallvec::SmallVec;
use std::rc::Rc;
use symex_terms::Value;

/// Rows of psm's functions.
pub const ROWS: &[Row] = &[
    row("rust_psm_on_stack", on_stack),
    row("rust_psm_replace_stack", replace_stack),
    row("rust_psm_stack_direction", direction),
    row("rust_psm_stack_pointer", pointer),
];

/// `rust_psm_stack_direction() -> u8`: towards lower addresses.
fn direction(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    const DESCENDING: u64 = 2;
    Flow::int(DESCENDING)
}

/// `rust_psm_stack_pointer() -> *mut u8`: above all that may be taken for the end of a stack.
fn pointer(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    const HIGH: u64 = 0x7fff_ffff_f000;
    extend(st);
    Flow::int(HIGH)
}

/// `rust_psm_on_stack(data, result, callback, stack)`.
fn on_stack(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    call_back(m, st, c.arg(2), &[c.arg(0), c.arg(1)])
}

/// `rust_psm_replace_stack(data, callback, stack) -> !`.
fn replace_stack(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    call_back(m, st, c.arg(1), &[c.arg(0)])
}

/// Notes that the path continues on other stacks.
fn extend(st: &mut State) {
    if !st.world.extends_stack {
        Rc::make_mut(&mut st.world).extends_stack = true;
    }
}

fn call_back(m: &mut Executor, st: &mut State, function: Value, args: &[Value]) -> Res<Flow> {
    extend(st);
    let function = m.call_target(st, function)?;
    Ok(Flow::Enter(function, SmallVec::from_slice(args)))
}
