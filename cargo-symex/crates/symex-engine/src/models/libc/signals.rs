//! Models of signals. None comes from outside; a signal that the program raises itself has the
//! effect it asked for: none, the default, or a call of its own function.

use super::errno::{self, EINVAL};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, Res};
use crate::models::table::{Row, row};
use crate::state::State;
use smallvec::SmallVec;
use std::rc::Rc;
use symex_terms::Value;
use symex_types::outcome::{FindingKind, Unsupported};

pub const ROWS: &[Row] = &[
    row("signal", signal),
    row("__sysv_signal", signal),
    row("bsd_signal", signal),
    row("sigaction", sigaction),
    row("sigprocmask", sigprocmask),
    row("sigaltstack", zero),
    row("sigemptyset", sigemptyset),
    row("sigfillset", sigfillset),
    row("sigaddset", sigaddset),
    row("sigdelset", sigdelset),
    row("sigismember", sigismember),
    row("siginterrupt", zero),
    row("__libc_current_sigrtmin", least_of_program),
    row("__libc_current_sigrtmax", most),
    row("raise", raise),
    row("kill", kill),
];

const DEFAULT: Value = Value::Int(0);
const IGNORE: Value = Value::Int(1);

/// Greatest signal number.
const MOST: u64 = 64;

/// Size of a set of signals, in bytes.
const SET: u64 = 128;

/// Process id of the analysed program.
const PROCESS: u64 = 1;

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

/// Returns the least number of a signal that programs may use: the C library has two for itself.
fn least_of_program(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(34)
}

fn most(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(MOST)
}

/// Returns the number of a signal whose handler a program may set.
fn settable(m: &mut Executor, st: &mut State, value: Value) -> Res<Option<u32>> {
    const KILL: u64 = 9;
    const STOP: u64 = 19;
    let number = m.concretise(st, value, 32)?;
    let valid = (1..=MOST).contains(&number) && number != KILL && number != STOP;
    Ok(valid.then_some(number as u32))
}

/// Returns the handler of a signal.
fn handler(st: &State, number: u32) -> Value {
    let known = st.world.handlers.get(&number);
    known.copied().unwrap_or(DEFAULT)
}

fn set_handler(st: &mut State, number: u32, handler: Value) {
    let world = Rc::make_mut(&mut st.world);
    world.handlers.insert(number, handler);
}

/// `signal(number, handler)`: returns the old one.
fn signal(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some(number) = settable(m, st, c.arg(0))? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let old = handler(st, number);
    set_handler(st, number, c.arg(1));
    Flow::value(old)
}

/// `sigaction(number, new, old)`.
fn sigaction(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// Size of `struct sigaction`, which begins with the handler.
    const SIZE: u64 = 152;
    let Some(number) = settable(m, st, c.arg(0))? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let new = match c.arg(1) {
        Value::NULL => None,
        action => Some(m.load(st, action, 64, 3)?),
    };
    if c.arg(2) != Value::NULL {
        let (object, at) = m.check_range(st, c.arg(2), SIZE, Access::Write)?;
        let old = handler(st, number);
        st.memory.fill(&mut m.pool, object, at, SIZE, Value::Int(0));
        st.memory.store(&mut m.pool, object, at, 64, old);
    }
    if let Some(new) = new {
        set_handler(st, number, new);
    }
    Flow::int(0)
}

/// `sigprocmask(how, new, old)`: no effect, since no signal comes that could be blocked.
fn sigprocmask(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if c.arg(2) != Value::NULL {
        m.fill(st, c.arg(2), Value::Int(0), Value::Int(SET))?;
    }
    Flow::int(0)
}

fn sigemptyset(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.fill(st, c.arg(0), Value::Int(0), Value::Int(SET))?;
    Flow::int(0)
}

fn sigfillset(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.fill(st, c.arg(0), Value::Int(0xff), Value::Int(SET))?;
    Flow::int(0)
}

/// Returns the byte of a set that contains a signal, and its bit there.
fn member(m: &mut Executor, st: &mut State, c: &Call) -> Res<Option<(Value, u32)>> {
    let number = m.concretise(st, c.arg(1), 32)?;
    if !(1..=MOST).contains(&number) {
        return Ok(None);
    }
    let place = m.offset_pointer(st, c.arg(0), (number - 1) / 8);
    Ok(Some((place, (number - 1) as u32 % 8)))
}

fn change(m: &mut Executor, st: &mut State, c: &Call, present: bool) -> Res<Flow> {
    let Some((place, bit)) = member(m, st, c)? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let old = m.load(st, place, 8, 0)?;
    let old = m.concretise(st, old, 8)?;
    let new = if present {
        old | 1 << bit
    } else {
        old & !(1 << bit)
    };
    m.store(st, place, 8, 0, Value::Int(new))?;
    Flow::int(0)
}

fn sigaddset(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    change(m, st, c, true)
}

fn sigdelset(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    change(m, st, c, false)
}

fn sigismember(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some((place, bit)) = member(m, st, c)? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let byte = m.load(st, place, 8, 0)?;
    let byte = m.concretise(st, byte, 8)?;
    Flow::int(byte >> bit & 1)
}

fn raise(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let number = m.concretise(st, c.arg(0), 32)?;
    deliver(m, st, c, number)
}

/// `kill(process, number)`: there is one process.
fn kill(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let process = m.concretise(st, c.arg(0), 32)?;
    let number = m.concretise(st, c.arg(1), 32)?;
    if process > PROCESS {
        return Err(Unsupported::NoModel("kill (other processes)".into()).into());
    }
    deliver(m, st, c, number)
}

fn deliver(m: &mut Executor, st: &mut State, c: &Call, number: u64) -> Res<Flow> {
    const CHILD: u64 = 17;
    const CONTINUE: u64 = 18;
    const URGENT: u64 = 23;
    const WINDOW: u64 = 28;
    if number > MOST {
        return errno::fail(m, st, c, EINVAL);
    }
    // The handler has run, and the call is performed anew.
    if st.world.delivering.last() == Some(&st.stack.depth) {
        Rc::make_mut(&mut st.world).delivering.pop();
        return Flow::int(0);
    }
    match handler(st, number as u32) {
        _ if number == 0 => Flow::int(0),
        DEFAULT if [CHILD, CONTINUE, URGENT, WINDOW].contains(&number) => Flow::int(0),
        DEFAULT => Err(Fault::new(FindingKind::Abort, format!("raise({number})")).into()),
        IGNORE => Flow::int(0),
        handler => {
            let function = m.call_target(st, handler)?;
            let params = m.program.function(function).params.len();
            if params > 1 {
                return Err(
                    Unsupported::Model("a handler of a signal that is told more".into()).into(),
                );
            }
            let args = [Value::Int(number)].into_iter().take(params);
            let depth = st.stack.depth;
            Rc::make_mut(&mut st.world).delivering.push(depth);
            Ok(Flow::First(function, args.collect::<SmallVec<_>>()))
        }
    }
}
