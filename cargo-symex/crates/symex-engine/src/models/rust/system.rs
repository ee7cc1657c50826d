//! Models of std's requests to the system that need no real work, or whose code must not be
//! followed.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::outside_world;
use crate::models::table::{Row, always};
use crate::state::State;

/// Rows of std's system layer.
pub const ROWS: &[Row] = &[
    always("core::hint::black_box", identity),
    always("core::hint::spin_loop", yields),
    always("std::env::vars_os", variables),
    always("std::env::args", arguments),
    always("std::env::args_os", arguments),
    always("std::thread::yield_now", yields),
    always("std::thread::functions::yield_now", yields),
    always("std::sys::thread_local::guard::enable", nothing),
    always(
        "std::sys::thread_local::destructors::register",
        at_thread_exit,
    ),
    always(
        "std::sys::thread_local::destructors::list::register",
        at_thread_exit,
    ),
    always(
        "std::sys::thread_local::destructors::linux_like::register",
        at_thread_exit,
    ),
];

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

/// Executes the function's own code, on a list that is empty unless the settings say otherwise.
fn variables(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    if m.config.world.variables.is_empty() {
        outside_world::take(m, st, outside_world::ENVIRONMENT);
    }
    Ok(Flow::Body)
}

fn arguments(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    outside_world::take(m, st, outside_world::ARGUMENTS);
    Ok(Flow::Body)
}

/// Returns the arguments, if the call returns them in registers.
fn identity(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    if c.args.len() == c.returns.len() && c.args.iter().zip(c.returns).all(|(a, r)| a.1 == *r) {
        return Ok(Flow::Return(c.args.iter().map(|a| a.0).collect()));
    }
    Ok(Flow::Body)
}

fn yields(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    m.yield_in_call(st)?;
    Flow::void()
}

/// Registers the destructor of a thread-local variable, of `(variable, function)`.
fn at_thread_exit(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.at_thread_exit(st, c.arg(1), c.arg(0));
    Flow::void()
}
