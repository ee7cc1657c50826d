//! Models of panics. An uncaught panic ends the path at once, at the location it names, without
//! printing; the destructors that run behind it are a matter of `exec::path::unwinding`. A caught
//! panic is executed for real, except for printing.

use super::{panic_message, proptest};
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::{Event, Fault, Res};
use crate::exec::path::trace::{source, user_location};
use crate::exec::path::unwinding::{THROWN, of_second};
use crate::exec::{EntryKind, Executor};
use crate::models::peek;
use crate::models::table::{Row, always};
use crate::state::{Panic, State};
use std::rc::Rc;
use symex_program::{CallSite, Callee, FuncId, Inst, Program};
use symex_terms::Value;
use symex_types::outcome::{EarlierEvent, FindingKind};

/// Functions by which programs abort.
const ABORTS: [&str; 2] = ["std::process::abort", "core::intrinsics::abort"];

/// Rows of `core::panicking`, `std::panicking` and related functions.
pub const ROWS: &[Row] = &[
    always("core::panicking::panic_fmt", panic_fmt),
    always("core::panicking::panic_bounds_check", bounds_check),
    always("core::panicking::panic", panic_text),
    always("core::panicking::panic_explicit", panic_explicit),
    always("core::panicking::panic_nounwind", nounwind_text),
    always("core::panicking::panic_nounwind_nobacktrace", nounwind_text),
    always("core::panicking::panic_nounwind_fmt", nounwind_fmt),
    always("core::panicking::panic_cannot_unwind", cannot_unwind),
    always("core::panicking::panic_in_cleanup", in_cleanup),
    always(
        "core::panicking::panic_misaligned_pointer_dereference",
        misaligned,
    ),
    always("core::panicking::panic_null_pointer_dereference", null),
    always(
        "core::panicking::panic_null_reference_constructed",
        null_reference,
    ),
    always(
        "core::panicking::panic_invalid_enum_construction",
        invalid_enum,
    ),
    always("core::option::unwrap_failed", option_unwrap),
    always("core::option::expect_failed", panic_text),
    always("std::panicking::begin_panic", begin_panic),
    always("std::rt::begin_panic", begin_panic),
    always("std::panicking::panic_with_hook", with_hook),
    always("std::panicking::rust_panic_with_hook", with_hook),
    always("std::panicking::begin_panic_handler", panic_handler),
    always("__rustc::rust_begin_unwind", panic_handler),
    always("std::panicking::resume_unwind", resume),
    always("std::panicking::rust_panic_without_hook", resume),
    always("__rustc::rust_panic", resume),
    always("__rustc::__rust_start_panic", resume),
    always("std::panicking::default_hook", nothing),
    always("std::panicking::set_hook", set_hook),
    always("std::panicking::take_hook", take_hook),
    always(
        "std::panicking::panic_count::is_zero_slow_path",
        no_panic_here,
    ),
    always(ABORTS[0], abort),
    always(ABORTS[1], abort),
    always("std::sys::abort_internal", abort),
    always("std::sys::pal::unix::abort_internal", abort),
    always("std::process::abort_internal", abort),
];

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

/// Returns the last argument, a `&Location` by convention of `#[track_caller]`.
fn last(c: &Call) -> Value {
    c.args.last().map_or(Value::Undef, |a| a.0)
}

/// Makes a fault at the location given by a `&Location`.
fn fault(
    m: &mut Executor,
    st: &State,
    kind: FindingKind,
    message: String,
    location: Value,
) -> Fault {
    let mut fault = Fault::new(kind, message);
    fault.at = peek::location(m, st, location);
    fault
}

/// Performs a panic that unwinds: ends the path if nothing catches it, else executes its own code.
/// In a fuzz target, and under a hook that aborts, it ends the path in any case, in the case of a
/// property if the runner catches it.
fn unwinding(
    m: &mut Executor,
    st: &mut State,
    location: Value,
    message: impl FnOnce(&mut Executor, &State) -> Option<String>,
) -> Res<Flow> {
    if !ends_process(m, st) && !ends_path(m, st)? {
        // Of another thread's panic, `join` tells no more than that there was one.
        if st.threads.is_some()
            && let Some(text) = message(m, st)
        {
            raise(m, st, text);
        }
        return Ok(Flow::Body);
    }
    let message = message(m, st).unwrap_or_else(|| "panic".to_string());
    uncaught(m, st, message, location)
}

/// Reports whether a panic ends the process before anything can catch it.
fn ends_process(m: &Executor, st: &State) -> bool {
    m.entry_kind == EntryKind::FuzzTarget || st.world.hook_aborts
}

/// Executes the function's own code, and looks at the new hook, of `(data, vtable)`.
fn set_hook(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// Offset of `Fn::call` in a table of methods: behind the destructor, size and alignment, and
    /// the methods of `FnOnce` and `FnMut`.
    const CALL: u64 = 40;
    let hook = peek::load(m, st, c.arg(1), CALL, 64);
    let hook_aborts = match hook {
        Some(Value::Ptr(object, 0)) => m
            .function_of(object)
            .is_some_and(|id| aborts(m.program, id)),
        _ => false,
    };
    Rc::make_mut(&mut st.world).hook_aborts = hook_aborts;
    Ok(Flow::Body)
}

/// Executes the function's own code, which puts the default hook in place.
fn take_hook(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    Rc::make_mut(&mut st.world).hook_aborts = false;
    Ok(Flow::Body)
}

/// Reports whether a function ends in an abort, whatever it does before.
fn aborts(program: &Program, function: FuncId) -> bool {
    let Some(body) = &program.function(function).body else {
        return false;
    };
    let returns = body
        .code
        .iter()
        .any(|inst| matches!(inst, Inst::Ret { .. }));
    let is_abort = |site: &CallSite| match site.callee {
        Callee::Direct(id) => ABORTS.contains(&program.function(id).display.as_str()),
        _ => false,
    };
    !returns && body.calls.iter().any(is_abort)
}

/// Records a panic that begins, with its message: the function that is told of it does not have it.
fn raise(m: &Executor, st: &mut State, message: String) {
    st.raised = Some(Panic {
        at: user_location(m.program, st),
        thread: st.thread(),
        text: Some(message.into()),
    });
}

/// Records a panic that has begun and does not end the path.
fn note(m: &Executor, st: &mut State) {
    let thread = st.thread();
    let raised = st.raised.take().filter(|panic| panic.thread == thread);
    let panic = raised.unwrap_or_else(|| Panic {
        at: user_location(m.program, st),
        thread,
        text: None,
    });
    let latest = st.panics[1].replace(panic);
    st.panics[0] = latest;
}

/// Adds a panic to what happened before a fault, if there was one.
fn tell(fault: &mut Fault, kind: EarlierEvent, panic: Option<&Panic>) {
    fault.earlier.extend(panic.map(|panic| Event {
        kind,
        at: panic.at,
        text: panic.text.clone(),
    }));
}

/// Performs a panic that nothing catches, or a runner. It ends the path, unless the harness expects
/// it: then destructors are part of the path.
fn uncaught(m: &mut Executor, st: &mut State, message: String, location: Value) -> Res<Flow> {
    if st.unwinds_here() {
        return Err(of_second(&message).into());
    }
    let mut fault = fault(m, st, FindingKind::Panic, message, location);
    // That of a thread comes back from `join`, without its place.
    let [_, latest] = &st.panics;
    let other = latest.as_ref().filter(|panic| panic.thread != st.thread());
    tell(&mut fault, EarlierEvent::OtherThreadPanicked, other);
    fault.unwinds = !ends_process(m, st) && !proptest::catches(m, st);
    if fault.unwinds && m.outcomes.is_expected(&fault) {
        note(m, st);
        m.begin_unwinding(st);
        return Ok(Flow::Unwind(THROWN));
    }
    Err(fault.into())
}

/// Reports whether no panic is on its way, of which the standard library has not heard if it is one
/// that ends the path.
fn no_panic_here(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    match st.unwinds_here() {
        true => Flow::value(Value::Int(0)),
        false => Ok(Flow::Body),
    }
}

/// Reports whether a panic ends the path: nothing catches it, or a runner that takes it for a
/// failure.
fn ends_path(m: &Executor, st: &State) -> Res<bool> {
    Ok(!m.would_be_caught(st)? || proptest::catches(m, st))
}

/// Formats the arguments of a call that has `others` more: two words, or one before Rust 1.93.
fn formatted(m: &mut Executor, st: &State, c: &Call, others: usize) -> Option<String> {
    match c.args.len().saturating_sub(others) {
        1 => panic_message::old_arguments(m, st, c.arg(0)),
        _ => panic_message::arguments(m, st, c.arg(0), c.arg(1)),
    }
}

/// Performs a panic of `(arguments, location)`.
fn panic_fmt(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    unwinding(m, st, last(c), |m, st| formatted(m, st, c, 1))
}

/// Performs a panic of `(text, length, …, location)`.
fn panic_text(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    unwinding(m, st, last(c), |m, st| {
        let len = peek::word(m, st, c.arg(1), 64);
        peek::text(m, st, c.arg(0), len)
    })
}

/// Performs a failed bounds check of `(index, length, location)`.
fn bounds_check(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    unwinding(m, st, last(c), |m, st| {
        let index = peek::word(m, st, c.arg(0), 64);
        let len = peek::word(m, st, c.arg(1), 64);
        Some(format!(
            "index out of bounds: the len is {len} but the index is {index}"
        ))
    })
}

fn panic_explicit(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    unwinding(m, st, last(c), |_, _| Some("explicit panic".into()))
}

fn option_unwrap(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    unwinding(m, st, last(c), |_, _| {
        Some("called `Option::unwrap()` on a `None` value".into())
    })
}

/// Performs a panic of `(payload…, location)`.
fn begin_panic(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    unwinding(m, st, last(c), |m, st| {
        // A payload of `&str` comes as pointer and length; others have no text.
        if c.args.len() != 3 {
            return None;
        }
        let len = peek::word(m, st, c.arg(1), 64);
        peek::text(m, st, c.arg(0), len)
    })
}

/// Performs a panic of `(payload, vtable, location, flags…)`. Each that is executed for real comes
/// here once, whichever function it began with.
fn with_hook(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flow = unwinding(m, st, c.arg(2), |_, _| None)?;
    if matches!(flow, Flow::Body) {
        note(m, st);
    }
    Ok(flow)
}

/// Performs the handler called by `panic_fmt`, of `(&PanicInfo)`; reached only where something
/// catches.
fn panic_handler(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    unwinding(m, st, Value::Undef, |_, _| None)
}

/// Performs a resumed panic, which has no location, and of which no hook is told.
fn resume(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    if !ends_path(m, st)? {
        return Ok(Flow::Body);
    }
    let message = "a resumed panic that nothing catches".to_owned();
    uncaught(m, st, message, Value::Undef)
}

/// Performs a panic that cannot unwind, whose kind depends on its text.
fn nounwind(m: &mut Executor, st: &State, text: Option<String>, location: Value) -> Res<Flow> {
    let text = text.unwrap_or_else(|| "a panic that cannot unwind".to_string());
    if !text.starts_with("unsafe precondition(s) violated") {
        return Err(fault(m, st, FindingKind::Abort, text, location).into());
    }
    // What follows says the same of each of these checks.
    let text = text.lines().next().unwrap_or_default().to_owned();
    Err(fault(m, st, FindingKind::InvalidAssume, text, location).into())
}

/// Performs a panic without unwinding, of `(text, length, location)`.
fn nounwind_text(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = peek::word(m, st, c.arg(1), 64);
    let text = peek::text(m, st, c.arg(0), len);
    nounwind(m, st, text, last(c))
}

/// Performs a panic without unwinding, of `(arguments, no backtrace, location)`.
fn nounwind_fmt(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let text = formatted(m, st, c, 2);
    nounwind(m, st, text, last(c))
}

/// Performs the abort of a panic that comes to a function which cannot unwind.
fn cannot_unwind(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let fault = behind_panic(m, st, "panic in a function that cannot unwind", last(c));
    Err(fault.into())
}

/// Performs the abort of a panic that leaves a destructor while another unwinds.
fn in_cleanup(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mut fault = behind_panic(m, st, "panic in a destructor during cleanup", last(c));
    tell(&mut fault, EarlierEvent::Panic, st.panics[0].as_ref());
    Err(fault.into())
}

/// Makes the fault of an abort to which the latest panic has led: at its place, for the call names
/// one where nothing is wrong.
fn behind_panic(m: &mut Executor, st: &State, text: &'static str, location: Value) -> Fault {
    let [_, latest] = &st.panics;
    Fault {
        at: latest
            .as_ref()
            .and_then(|panic| source(m.program, panic.at))
            .or_else(|| peek::location(m, st, location)),
        ..Fault::new(FindingKind::Abort, text)
    }
}

/// Performs a misaligned pointer panic, of `(required alignment, address, location)`.
fn misaligned(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let required = peek::word(m, st, c.arg(0), 64);
    let address = peek::word(m, st, c.arg(1), 64);
    let text = format!(
        "misaligned pointer dereference: address must be a multiple of {required:#x} but is {address:#x}"
    );
    Err(fault(m, st, FindingKind::Misaligned, text, last(c)).into())
}

fn null(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let text = "null pointer dereference occurred".to_string();
    Err(fault(m, st, FindingKind::NullAccess, text, last(c)).into())
}

fn null_reference(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let text = "null reference produced".to_string();
    Err(fault(m, st, FindingKind::NullAccess, text, last(c)).into())
}

fn invalid_enum(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let value = peek::word(m, st, c.arg(0), c.args.first().map_or(64, |a| a.1));
    let text = format!("trying to construct an enum from an invalid value {value:#x}");
    Err(fault(m, st, FindingKind::InvalidAssume, text, last(c)).into())
}

/// Performs an abort, which may be because of the latest panic, though something has caught it.
fn abort(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    let mut fault = Fault::new(FindingKind::Abort, "the program aborts");
    tell(&mut fault, EarlierEvent::Panic, st.panics[1].as_ref());
    Err(fault.into())
}
