//! Models of POSIX threads: their start and end, their attributes, values of their own, and what is
//! done once for all of them.

use super::errno;
use super::pthread::Word;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::threads::{Status, ThreadId, Wait};
use smallvec::SmallVec;
use std::rc::Rc;
use symex_program::Ordering;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("pthread_self", this_thread),
    row("pthread_equal", equal),
    row("pthread_create", create),
    row("pthread_join", join),
    row("pthread_detach", detach),
    row("pthread_exit", exit),
    row("pthread_setname_np", zero),
    row("pthread_getname_np", zero),
    row("pthread_atfork", zero),
    row("pthread_setcancelstate", zero),
    row("pthread_sigmask", zero),
    row("pthread_attr_init", attributes_init),
    row("pthread_attr_destroy", zero),
    row("pthread_attr_setstacksize", zero),
    row("pthread_attr_setguardsize", zero),
    row("pthread_attr_setdetachstate", set_detached),
    row("pthread_getattr_np", no_attributes),
    row("pthread_key_create", key_create),
    row("pthread_key_delete", key_delete),
    row("pthread_getspecific", get_specific),
    row("pthread_setspecific", set_specific),
    row("pthread_once", once),
];

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

/// Returns the number by which a program knows a thread: it is never 0.
fn number(thread: ThreadId) -> u64 {
    u64::from(thread.0) + 1
}

/// Returns the thread that a program knows by this number.
fn thread(m: &mut Executor, st: &mut State, number: Value) -> Res<ThreadId> {
    let number = m.concretise(st, number, 64)?;
    Ok(ThreadId(number.wrapping_sub(1) as u32))
}

fn this_thread(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(number(st.thread()))
}

fn equal(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (a, b) = (m.term(st, c.arg(0), 64), m.term(st, c.arg(1), 64));
    let same = m.pool.eq(a, b);
    let wide = m.pool.zext(same, 32);
    Flow::value(m.pool.value(wide))
}

/// Bytes of glibc's attributes of a thread; whether it is detached is kept at their beginning.
const ATTRIBUTES_SIZE: u64 = 56;

fn attributes_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (object, offset) = m.check_range(st, c.arg(0), ATTRIBUTES_SIZE, Access::Write)?;
    let zero = Value::Int(0);
    st.memory
        .fill(&mut m.pool, object, offset, ATTRIBUTES_SIZE, zero);
    Flow::int(0)
}

/// `pthread_attr_setdetachstate(attributes, detached)`.
fn set_detached(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let detached = m.concretise(st, c.arg(1), 32)?;
    m.store(st, c.arg(0), 32, 0, Value::Int(detached))?;
    Flow::int(0)
}

/// Fails to return the attributes of a thread: callers then do without (std looks for its stack's
/// guard).
fn no_attributes(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(errno::ENOSYS)
}

/// `pthread_create(number, attributes, function, argument)`.
fn create(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let function = m.call_target(st, c.arg(2))?;
    if m.program.function(function).body.is_none() {
        let name = m.program.function(function).display.clone();
        return Err(Unsupported::NoModel(format!("{name} (as a thread)")).into());
    }
    let detached = match c.arg(1) {
        Value::Int(0) => false,
        attributes => {
            let detached = m.load(st, attributes, 32, 0)?;
            m.concretise(st, detached, 32)? != 0
        }
    };
    let (object, offset) = m.check_range(st, c.arg(0), 8, Access::Write)?;
    let params = m.program.function(function).params.len();
    let started = m.start_thread(st, function, &[c.arg(3)][..params.min(1)])?;
    if let Some(thread) = st.threads.as_mut().and_then(|all| all.get_mut(started)) {
        thread.detached = detached;
    }
    let number = Value::Int(number(started));
    st.memory.store(&mut m.pool, object, offset, 64, number);
    Flow::int(0)
}

/// `pthread_join(number, result)`.
fn join(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.woken(st);
    let thread = thread(m, st, c.arg(0))?;
    let joining = st.thread();
    if thread == joining {
        return Flow::int(errno::EDEADLK);
    }
    let known = st.threads.as_ref().and_then(|all| all.get(thread));
    match known.map(|thread| (thread.detached, thread.status)) {
        None => return Flow::int(errno::ESRCH),
        Some((true, _)) => return Flow::int(errno::EINVAL),
        Some((false, Status::Ended)) => {}
        Some((false, _)) => {
            m.wait(st, Wait::End(thread), None)?;
        }
    }
    let out = match c.arg(1) {
        Value::Int(0) => None,
        out => Some(m.check_range(st, out, 8, Access::Write)?),
    };
    let result = m.joined(st, thread);
    if let Some((object, offset)) = out {
        st.memory.store(&mut m.pool, object, offset, 64, result);
    }
    Flow::int(0)
}

fn detach(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let thread = thread(m, st, c.arg(0))?;
    match st.threads.as_mut().and_then(|all| all.get_mut(thread)) {
        None => Flow::int(errno::ESRCH),
        Some(thread) if thread.detached => Flow::int(errno::EINVAL),
        Some(thread) => {
            thread.detached = true;
            Flow::int(0)
        }
    }
}

/// `pthread_exit(result)`.
fn exit(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if st.thread() == ThreadId::MAIN {
        let what = "the first thread ends before the process (pthread_exit)";
        return Err(Unsupported::Model(what.into()).into());
    }
    if let Some((function, argument)) = m.next_destructor(st)? {
        return Ok(Flow::First(function, SmallVec::from_slice(&[argument])));
    }
    m.leave_thread(st, c.arg(0))?;
    Flow::void()
}

/// `pthread_key_create(key, destructor)`.
fn key_create(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (object, offset) = m.check_range(st, c.arg(0), 4, Access::Write)?;
    let world = Rc::make_mut(&mut st.world);
    // Key 0 is left out: std does not like it.
    if world.key_destructors.is_empty() {
        world.key_destructors.push(Value::NULL);
    }
    let key = world.key_destructors.len() as u64;
    world.key_destructors.push(c.arg(1));
    world
        .thread_keys
        .resize(world.key_destructors.len(), Value::NULL);
    st.memory
        .store(&mut m.pool, object, offset, 32, Value::Int(key));
    Flow::int(0)
}

/// Performs `pthread_key_delete`: destructors are not called any more.
fn key_delete(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let key = m.concretise(st, c.arg(0), 32)? as usize;
    if let Some(destructor) = Rc::make_mut(&mut st.world).key_destructors.get_mut(key) {
        *destructor = Value::NULL;
    }
    Flow::int(0)
}

fn get_specific(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let key = m.concretise(st, c.arg(0), 32)? as usize;
    let value = st.world.thread_keys.get(key).copied();
    Flow::value(value.unwrap_or(Value::NULL))
}

fn set_specific(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let key = m.concretise(st, c.arg(0), 32)? as usize;
    match Rc::make_mut(&mut st.world).thread_keys.get_mut(key) {
        Some(slot) => {
            *slot = c.arg(1);
            Flow::int(0)
        }
        None => Flow::int(errno::EINVAL),
    }
}

/// `pthread_once(control, routine)`: the control word is 0 at first, the number of the thread that
/// calls the routine while it does, and 1 from then on.
fn once(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const DONE: u64 = 1;
    m.woken(st);
    let control = Word::read(m, st, c.arg(0), 0, Ordering::Acquire)?;
    let mine = number(st.thread()) + DONE;
    match control.value {
        0 => {
            let routine = m.call_target(st, c.arg(1))?;
            control.set(m, st, mine, Ordering::Relaxed)?;
            return Ok(Flow::First(routine, SmallVec::new()));
        }
        DONE => {}
        running if running == mine => {
            control.set(m, st, DONE, Ordering::Release)?;
            control.wake(m, st, u64::MAX);
        }
        _ => {
            control.wait(m, st, None)?;
        }
    }
    Flow::int(0)
}
