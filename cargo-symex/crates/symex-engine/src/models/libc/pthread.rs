//! Models of POSIX threads for a single thread: locks are always free unless the thread itself
//! holds them, and waiting for another thread is a deadlock.
//!
//! A lock's state is kept in the program's own object: the first word, as a count. That is enough,
//! for the program only ever sees the initial value (zero) and what is written here.

use super::{errno, time};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, Res};
use crate::models::table::{Row, row};
use crate::state::State;
use std::rc::Rc;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::{FindingKind, Unsupported};

pub const ROWS: &[Row] = &[
    row("pthread_self", this_thread),
    row("pthread_equal", equal),
    row("pthread_create", threads),
    row("pthread_join", threads),
    row("pthread_detach", threads),
    row("pthread_exit", threads),
    row("pthread_setname_np", zero),
    row("pthread_getname_np", zero),
    row("pthread_atfork", zero),
    row("pthread_setcancelstate", zero),
    row("pthread_sigmask", zero),
    row("pthread_attr_init", zero),
    row("pthread_attr_destroy", zero),
    row("pthread_attr_setstacksize", zero),
    row("pthread_getattr_np", no_attributes),
    row("pthread_mutexattr_init", attribute_init),
    row("pthread_mutexattr_destroy", zero),
    row("pthread_mutexattr_settype", attribute_type),
    row("pthread_mutex_init", mutex_init),
    row("pthread_mutex_destroy", zero),
    row("pthread_mutex_lock", mutex_lock),
    row("pthread_mutex_trylock", mutex_trylock),
    row("pthread_mutex_timedlock", mutex_timedlock),
    row("pthread_mutex_unlock", mutex_unlock),
    row("pthread_spin_init", spin_init),
    row("pthread_spin_destroy", zero),
    row("pthread_spin_lock", spin_lock),
    row("pthread_spin_unlock", mutex_unlock),
    row("pthread_rwlock_init", spin_init),
    row("pthread_rwlock_destroy", zero),
    row("pthread_rwlock_rdlock", read_lock),
    row("pthread_rwlock_tryrdlock", try_read_lock),
    row("pthread_rwlock_wrlock", write_lock),
    row("pthread_rwlock_trywrlock", try_write_lock),
    row("pthread_rwlock_unlock", rw_unlock),
    row("pthread_condattr_init", zero),
    row("pthread_condattr_destroy", zero),
    row("pthread_condattr_setclock", zero),
    row("pthread_cond_init", zero),
    row("pthread_cond_destroy", zero),
    row("pthread_cond_signal", zero),
    row("pthread_cond_broadcast", zero),
    row("pthread_cond_wait", wait),
    row("pthread_cond_timedwait", timed_wait),
    row("pthread_key_create", key_create),
    row("pthread_key_delete", zero),
    row("pthread_getspecific", get_specific),
    row("pthread_setspecific", set_specific),
    row("pthread_once", once),
    row("sem_init", sem_init),
    row("sem_destroy", zero),
    row("sem_post", sem_post),
    row("sem_wait", sem_wait),
    row("sem_trywait", sem_trywait),
];

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

fn this_thread(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(1)
}

fn equal(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (a, b) = (m.term(st, c.arg(0), 64), m.term(st, c.arg(1), 64));
    let same = m.pool.eq(a, b);
    let wide = m.pool.zext(same, 32);
    Flow::value(m.pool.value(wide))
}

fn threads(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::NoModel(format!("{} (threads)", c.name)).into())
}

/// Fails to return the attributes of a thread: callers then do without (std looks for its stack's
/// guard).
fn no_attributes(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(errno::ENOSYS)
}

fn deadlock(what: &str) -> Res<Flow> {
    let message = format!("deadlock: {what}");
    Err(Fault::new(FindingKind::Hang, message).into())
}

/// A word of a synchronisation object.
struct SyncWord {
    object: ObjectId,
    offset: u64,
    value: u64,
}

fn word(m: &mut Executor, st: &mut State, ptr: Value, at: u64) -> Res<SyncWord> {
    let ptr = m.offset_pointer(st, ptr, at);
    let (object, offset) = m.check_range(st, ptr, 4, Access::Write)?;
    let value = st.memory.load(&mut m.pool, object, offset, 32);
    let value = m.concretise(st, value, 32)?;
    Ok(SyncWord {
        object,
        offset,
        value,
    })
}

fn set(m: &mut Executor, st: &mut State, w: &SyncWord, value: u64) {
    st.memory
        .store(&mut m.pool, w.object, w.offset, 32, Value::Int(value));
}

/// Offset of glibc's field of the kind in a mutex, which begins with the count of locks.
const KIND_OFFSET: u64 = 16;
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;

fn attribute_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.store(st, c.arg(0), 32, 0, Value::Int(0))?;
    Flow::int(0)
}

fn attribute_type(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let kind = m.concretise(st, c.arg(1), 32)?;
    m.store(st, c.arg(0), 32, 0, Value::Int(kind))?;
    Flow::int(0)
}

fn mutex_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const SIZE: u64 = 40;
    let kind = match c.arg(1) {
        Value::Int(0) => 0,
        attribute => {
            let kind = m.load(st, attribute, 32, 0)?;
            m.concretise(st, kind, 32)?
        }
    };
    let (object, offset) = m.check_range(st, c.arg(0), SIZE, Access::Write)?;
    st.memory
        .fill(&mut m.pool, object, offset, SIZE, Value::Int(0));
    let at = offset + KIND_OFFSET;
    st.memory
        .store(&mut m.pool, object, at, 32, Value::Int(kind));
    Flow::int(0)
}

/// Takes a mutex, or returns the error number why it cannot.
fn take(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<(), u64>> {
    let kind = word(m, st, c.arg(0), KIND_OFFSET)?.value & 3;
    let count = word(m, st, c.arg(0), 0)?;
    if count.value > 0 && kind == ERROR_CHECKING {
        return Ok(Err(errno::EDEADLK));
    }
    if count.value > 0 && kind != RECURSIVE {
        return Ok(Err(errno::EBUSY));
    }
    set(m, st, &count, count.value + 1);
    Ok(Ok(()))
}

fn mutex_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match take(m, st, c)? {
        Ok(()) => Flow::int(0),
        Err(errno::EBUSY) => deadlock("a mutex is locked twice by one thread"),
        Err(code) => Flow::int(code),
    }
}

fn mutex_trylock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match take(m, st, c)? {
        Ok(()) => Flow::int(0),
        Err(_) => Flow::int(errno::EBUSY),
    }
}

/// `pthread_mutex_timedlock(mutex, time)`: the only thread waits for itself until then.
fn mutex_timedlock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match take(m, st, c)? {
        Ok(()) => Flow::int(0),
        Err(errno::EBUSY) => wait_until(m, st, c.arg(1)),
        Err(code) => Flow::int(code),
    }
}

fn mutex_unlock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = word(m, st, c.arg(0), 0)?;
    set(m, st, &count, count.value.saturating_sub(1));
    Flow::int(0)
}

fn spin_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.store(st, c.arg(0), 32, 0, Value::Int(0))?;
    Flow::int(0)
}

fn spin_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = word(m, st, c.arg(0), 0)?;
    if count.value > 0 {
        return deadlock("a spin lock is locked twice by one thread");
    }
    set(m, st, &count, 1);
    Flow::int(0)
}

/// State of a read-write lock that is locked for writing; otherwise the state is the number of
/// readers.
const WRITER: u64 = u32::MAX as u64;

fn try_read(m: &mut Executor, st: &mut State, c: &Call) -> Res<bool> {
    let count = word(m, st, c.arg(0), 0)?;
    if count.value == WRITER {
        return Ok(false);
    }
    set(m, st, &count, count.value + 1);
    Ok(true)
}

fn read_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if try_read(m, st, c)? {
        return Flow::int(0);
    }
    deadlock("a lock held for writing is locked again by the same thread")
}

fn try_read_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let free = try_read(m, st, c)?;
    Flow::int(if free { 0 } else { errno::EBUSY })
}

fn try_write(m: &mut Executor, st: &mut State, c: &Call) -> Res<bool> {
    let count = word(m, st, c.arg(0), 0)?;
    if count.value != 0 {
        return Ok(false);
    }
    set(m, st, &count, WRITER);
    Ok(true)
}

fn write_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if try_write(m, st, c)? {
        return Flow::int(0);
    }
    deadlock("a lock is locked for writing while the same thread holds it")
}

fn try_write_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let free = try_write(m, st, c)?;
    Flow::int(if free { 0 } else { errno::EBUSY })
}

fn rw_unlock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = word(m, st, c.arg(0), 0)?;
    let left = match count.value {
        0 | WRITER => 0,
        n => n - 1,
    };
    set(m, st, &count, left);
    Flow::int(0)
}

fn wait(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    deadlock("the only thread waits for a condition variable")
}

/// `pthread_cond_timedwait(condition, mutex, time)`, with an absolute time.
fn timed_wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    wait_until(m, st, c.arg(2))
}

/// Waits in vain until an absolute time.
fn wait_until(m: &mut Executor, st: &mut State, end: Value) -> Res<Flow> {
    match time::wait(m, st, end, time::Until::Either)? {
        true => Flow::int(errno::ETIMEDOUT),
        false => Flow::int(errno::EINVAL),
    }
}

/// Performs `pthread_key_create`. Destructors of keys are not run, since the thread does not end.
fn key_create(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (object, offset) = m.check_range(st, c.arg(0), 4, Access::Write)?;
    let keys = &mut Rc::make_mut(&mut st.world).thread_keys;
    // Key 0 is left out: std does not like it.
    if keys.is_empty() {
        keys.push(Value::NULL);
    }
    let key = keys.len() as u64;
    keys.push(Value::NULL);
    st.memory
        .store(&mut m.pool, object, offset, 32, Value::Int(key));
    Flow::int(0)
}

fn get_specific(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let key = m.concretise(st, c.arg(0), 32)? as usize;
    Flow::value(
        st.world
            .thread_keys
            .get(key)
            .copied()
            .unwrap_or(Value::NULL),
    )
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

/// `pthread_once(control, routine)`: unsupported, since a model cannot call back and then return a
/// value of its own.
fn once(_: &mut Executor, _: &mut State, c: &Call) -> Res<Flow> {
    Err(Unsupported::NoModel(format!("{} (calls back)", c.name)).into())
}

fn sem_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let n = m.concretise(st, c.arg(2), 32)?;
    m.store(st, c.arg(0), 32, 0, Value::Int(n))?;
    Flow::int(0)
}

fn sem_post(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = word(m, st, c.arg(0), 0)?;
    set(m, st, &count, count.value + 1);
    Flow::int(0)
}

fn sem_wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = word(m, st, c.arg(0), 0)?;
    if count.value == 0 {
        return deadlock("the only thread waits for a semaphore");
    }
    set(m, st, &count, count.value - 1);
    Flow::int(0)
}

fn sem_trywait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = word(m, st, c.arg(0), 0)?;
    if count.value == 0 {
        return errno::fail(m, st, c, errno::EAGAIN);
    }
    set(m, st, &count, count.value - 1);
    Flow::int(0)
}
