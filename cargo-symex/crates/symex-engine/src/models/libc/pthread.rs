//! Models of POSIX locks, condition variables, semaphores and barriers.
//!
//! Their state is kept in the program's own object, in a form of our own. That is enough, for the
//! program only ever sees the initial value (zero) and what is written here. A thread that waits
//! repeats its call when it is woken.

use super::{errno, time};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, Res};
use crate::exec::threads::{Atomic, deadlock};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::threads::{Wait, Woken};
use symex_program::Ordering;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::FindingKind;

pub const ROWS: &[Row] = &[
    row("pthread_mutexattr_init", attribute_init),
    row("pthread_mutexattr_destroy", zero),
    row("pthread_mutexattr_settype", attribute_type),
    row("pthread_mutex_init", mutex_init),
    row("pthread_mutex_destroy", zero),
    row("pthread_mutex_lock", mutex_lock),
    row("pthread_mutex_trylock", mutex_trylock),
    row("pthread_mutex_timedlock", mutex_timedlock),
    row("pthread_mutex_unlock", mutex_unlock),
    row("pthread_spin_init", word_init),
    row("pthread_spin_destroy", zero),
    row("pthread_spin_lock", spin_lock),
    row("pthread_spin_trylock", try_write_lock),
    row("pthread_spin_unlock", rw_unlock),
    row("pthread_rwlock_init", word_init),
    row("pthread_rwlock_destroy", zero),
    row("pthread_rwlock_rdlock", read_lock),
    row("pthread_rwlock_tryrdlock", try_read_lock),
    row("pthread_rwlock_wrlock", write_lock),
    row("pthread_rwlock_trywrlock", try_write_lock),
    row("pthread_rwlock_unlock", rw_unlock),
    row("pthread_condattr_init", zero),
    row("pthread_condattr_destroy", zero),
    row("pthread_condattr_setclock", zero),
    row("pthread_cond_init", condition_init),
    row("pthread_cond_destroy", zero),
    row("pthread_cond_signal", signal),
    row("pthread_cond_broadcast", broadcast),
    row("pthread_cond_wait", wait),
    row("pthread_cond_timedwait", timed_wait),
    row("pthread_barrier_init", barrier_init),
    row("pthread_barrier_destroy", zero),
    row("pthread_barrier_wait", barrier_wait),
    row("sem_init", sem_init),
    row("sem_destroy", zero),
    row("sem_post", sem_post),
    row("sem_wait", sem_wait),
    row("sem_timedwait", sem_timedwait),
    row("sem_trywait", sem_trywait),
];

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

/// A word of a synchronisation object.
#[derive(Clone, Copy)]
pub(super) struct Word {
    object: ObjectId,
    offset: u64,
    pub value: u64,
}

impl Word {
    /// Reads a word, at a distance in bytes behind a pointer.
    pub fn read(
        m: &mut Executor,
        st: &mut State,
        ptr: Value,
        at: u64,
        order: Ordering,
    ) -> Res<Word> {
        let ptr = m.offset_pointer(st, ptr, at);
        let (object, offset) = checked(m, st, ptr, Access::Read, order)?;
        let value = st.memory.load(&mut m.pool, object, offset, 32);
        let value = m.concretise(st, value, 32)?;
        Ok(Word {
            object,
            offset,
            value,
        })
    }

    /// Changes the word.
    pub fn set(self, m: &mut Executor, st: &mut State, value: u64, order: Ordering) -> Res<()> {
        checked(
            m,
            st,
            Value::Ptr(self.object, self.offset),
            Access::Write,
            order,
        )?;
        st.memory
            .store(&mut m.pool, self.object, self.offset, 32, Value::Int(value));
        Ok(())
    }

    /// Takes a lock: sees what was done before it was last released.
    fn take(self, m: &mut Executor, st: &mut State, value: u64) -> Res<()> {
        let ptr = Value::Ptr(self.object, self.offset);
        checked(m, st, ptr, Access::Read, Ordering::Acquire)?;
        self.set(m, st, value, Ordering::Relaxed)
    }

    /// Lets the thread wait until it is woken at this word.
    pub fn wait(self, m: &mut Executor, st: &mut State, until: Option<u64>) -> Res<Woken> {
        m.wait(st, Wait::Address(self.object, self.offset), until)
    }

    /// Wakes the threads that wait at this word, at most so many.
    pub fn wake(self, m: &mut Executor, st: &mut State, most: u64) {
        m.wake(st, self.object, self.offset, most);
    }
}

/// Checks an atomic access to a word.
fn checked(
    m: &mut Executor,
    st: &mut State,
    ptr: Value,
    access: Access,
    order: Ordering,
) -> Res<(ObjectId, u64)> {
    let atomic = Atomic {
        order,
        modifies: true,
    };
    m.atomically(st, atomic, |m, st| m.check_range(st, ptr, 4, access))
}

/// Reports whether there is but one thread.
fn is_alone(st: &State) -> bool {
    st.threads.is_none()
}

fn dead(what: &str) -> Res<Flow> {
    Err(deadlock(what).into())
}

/// Offset of the number of the owner, from 1, in a mutex, which begins with the count of locks.
const OWNER_OFFSET: u64 = 8;
/// Offset of glibc's field of the kind in a mutex.
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

/// Result of an attempt to take a mutex.
enum Taken {
    Yes,
    /// The thread holds it already; the error number if the mutex checks for that.
    Itself(Option<u64>),
    /// Another thread holds it: the word to wait at.
    ByOther(Word),
}

/// Takes a mutex if it is free.
fn take(m: &mut Executor, st: &mut State, mutex: Value) -> Res<Taken> {
    let me = u64::from(st.thread().0) + 1;
    let kind = Word::read(m, st, mutex, KIND_OFFSET, Ordering::Relaxed)?.value & 3;
    let count = Word::read(m, st, mutex, 0, Ordering::Relaxed)?;
    let owner = Word::read(m, st, mutex, OWNER_OFFSET, Ordering::Relaxed)?;
    match (count.value, owner.value == me, kind) {
        (0, ..) => {
            owner.set(m, st, me, Ordering::Relaxed)?;
            count.take(m, st, 1)?;
            Ok(Taken::Yes)
        }
        (locks, true, RECURSIVE) => {
            count.set(m, st, locks + 1, Ordering::Relaxed)?;
            Ok(Taken::Yes)
        }
        (_, true, ERROR_CHECKING) => Ok(Taken::Itself(Some(errno::EDEADLK))),
        (_, true, _) => Ok(Taken::Itself(None)),
        (_, false, _) => Ok(Taken::ByOther(count)),
    }
}

/// Takes a mutex, waiting until it is free.
fn take_or_wait(m: &mut Executor, st: &mut State, mutex: Value) -> Res<u64> {
    m.preempt(st);
    match take(m, st, mutex)? {
        Taken::Yes => Ok(0),
        Taken::Itself(Some(code)) => Ok(code),
        Taken::Itself(None) => Err(deadlock("a mutex is locked twice by one thread").into()),
        Taken::ByOther(word) => {
            word.wait(m, st, None)?;
            Ok(errno::EDEADLK)
        }
    }
}

fn mutex_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.woken(st);
    let code = take_or_wait(m, st, c.arg(0))?;
    Flow::int(code)
}

fn mutex_trylock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.preempt(st);
    match take(m, st, c.arg(0))? {
        Taken::Yes => Flow::int(0),
        Taken::Itself(_) | Taken::ByOther(_) => Flow::int(errno::EBUSY),
    }
}

/// `pthread_mutex_timedlock(mutex, time)`.
fn mutex_timedlock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if m.woken(st) == Some(Woken::TimedOut) {
        return Flow::int(errno::ETIMEDOUT);
    }
    let word = match take(m, st, c.arg(0))? {
        Taken::Yes => return Flow::int(0),
        Taken::Itself(Some(code)) => return Flow::int(code),
        // It waits for itself until then.
        Taken::Itself(None) => Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?,
        Taken::ByOther(word) => word,
    };
    match time::end(m, st, c.arg(1), time::Until::Either)? {
        None => Flow::int(errno::EINVAL),
        end => {
            word.wait(m, st, end)?;
            Flow::int(errno::ETIMEDOUT)
        }
    }
}

/// Gives a mutex back.
fn give_back(m: &mut Executor, st: &mut State, mutex: Value) -> Res<u64> {
    let me = u64::from(st.thread().0) + 1;
    let count = Word::read(m, st, mutex, 0, Ordering::Relaxed)?;
    let owner = Word::read(m, st, mutex, OWNER_OFFSET, Ordering::Relaxed)?;
    if count.value == 0 || owner.value != me {
        let kind = Word::read(m, st, mutex, KIND_OFFSET, Ordering::Relaxed)?.value & 3;
        if kind == ERROR_CHECKING || kind == RECURSIVE {
            return Ok(errno::EPERM);
        }
        if count.value == 0 {
            return Ok(0);
        }
        let message = "a mutex is unlocked by a thread that has not locked it";
        return Err(Fault::new(FindingKind::Undefined, message).into());
    }
    let left = count.value.saturating_sub(1);
    count.set(m, st, left, Ordering::Release)?;
    if left == 0 {
        count.wake(m, st, 1);
    }
    Ok(0)
}

fn mutex_unlock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.preempt(st);
    let code = give_back(m, st, c.arg(0))?;
    Flow::int(code)
}

fn word_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.store(st, c.arg(0), 32, 0, Value::Int(0))?;
    Flow::int(0)
}

/// State of a read-write lock that is locked for writing, and of a spin lock that is locked;
/// otherwise the state is the number of readers.
const WRITER: u64 = u32::MAX as u64;

/// Takes a lock for reading, or for writing, if that is possible: the word to wait at if not.
fn try_lock(m: &mut Executor, st: &mut State, lock: Value, write: bool) -> Res<Result<(), Word>> {
    let count = Word::read(m, st, lock, 0, Ordering::Relaxed)?;
    let next = match (count.value, write) {
        (0, true) => WRITER,
        (readers, false) if readers != WRITER => readers + 1,
        _ => return Ok(Err(count)),
    };
    count.take(m, st, next)?;
    Ok(Ok(()))
}

/// Takes a lock, waiting until it is free. `alone` says what is wrong if there is no other thread.
fn lock(m: &mut Executor, st: &mut State, c: &Call, write: bool, alone: &str) -> Res<Flow> {
    m.woken(st);
    m.preempt(st);
    match try_lock(m, st, c.arg(0), write)? {
        Ok(()) => Flow::int(0),
        Err(_) if is_alone(st) => dead(alone),
        Err(word) => {
            word.wait(m, st, None)?;
            Flow::int(errno::EDEADLK)
        }
    }
}

fn spin_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    lock(m, st, c, true, "a spin lock is locked twice by one thread")
}

fn read_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let alone = "a lock held for writing is locked again by the same thread";
    lock(m, st, c, false, alone)
}

fn write_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let alone = "a lock is locked for writing while the same thread holds it";
    lock(m, st, c, true, alone)
}

fn try_read_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.preempt(st);
    let free = try_lock(m, st, c.arg(0), false)?.is_ok();
    Flow::int(if free { 0 } else { errno::EBUSY })
}

fn try_write_lock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.preempt(st);
    let free = try_lock(m, st, c.arg(0), true)?.is_ok();
    Flow::int(if free { 0 } else { errno::EBUSY })
}

fn rw_unlock(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.preempt(st);
    let count = Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?;
    let left = match count.value {
        0 | WRITER => 0,
        n => n - 1,
    };
    count.set(m, st, left, Ordering::Release)?;
    count.wake(m, st, u64::MAX);
    Flow::int(0)
}

fn condition_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const SIZE: u64 = 48;
    let (object, offset) = m.check_range(st, c.arg(0), SIZE, Access::Write)?;
    let zero = Value::Int(0);
    st.memory.fill(&mut m.pool, object, offset, SIZE, zero);
    Flow::int(0)
}

fn signal(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    wake_waiting(m, st, c, 1)
}

fn broadcast(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    wake_waiting(m, st, c, u64::MAX)
}

/// Wakes threads that wait for a condition variable, at most so many.
fn wake_waiting(m: &mut Executor, st: &mut State, c: &Call, most: u64) -> Res<Flow> {
    m.preempt(st);
    let word = Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?;
    word.wake(m, st, most);
    Flow::int(0)
}

/// `pthread_cond_wait(condition, mutex)`.
fn wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if is_alone(st) {
        return dead("the only thread waits for a condition variable");
    }
    wait_for_condition(m, st, c, None)
}

/// `pthread_cond_timedwait(condition, mutex, time)`, with an absolute time.
fn timed_wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match time::end(m, st, c.arg(2), time::Until::Either)? {
        None => Flow::int(errno::EINVAL),
        end => wait_for_condition(m, st, c, end),
    }
}

/// Gives the mutex back and waits; when woken, takes it again.
fn wait_for_condition(m: &mut Executor, st: &mut State, c: &Call, until: Option<u64>) -> Res<Flow> {
    let woken = match m.woken(st) {
        Some(woken) => woken,
        None => {
            let word = Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?;
            let code = give_back(m, st, c.arg(1))?;
            if code != 0 {
                return Flow::int(code);
            }
            word.wait(m, st, until)?
        }
    };
    if let Some(threads) = &mut st.threads {
        // It may wait again, for the mutex.
        threads.current_mut().timed_out |= woken == Woken::TimedOut;
    }
    let code = take_or_wait(m, st, c.arg(1))?;
    let late = match &mut st.threads {
        Some(threads) => std::mem::take(&mut threads.current_mut().timed_out),
        None => woken == Woken::TimedOut,
    };
    Flow::int(if code == 0 && late {
        errno::ETIMEDOUT
    } else {
        code
    })
}

/// Offset of the number of threads that have arrived in a barrier, which begins with the number for
/// which it waits.
const ARRIVED_OFFSET: u64 = 4;

/// `pthread_barrier_init(barrier, attributes, count)`.
fn barrier_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let count = m.concretise(st, c.arg(2), 32)?;
    if count == 0 {
        return Flow::int(errno::EINVAL);
    }
    let arrived = m.offset_pointer(st, c.arg(0), ARRIVED_OFFSET);
    m.store(st, c.arg(0), 32, 0, Value::Int(count))?;
    m.store(st, arrived, 32, 0, Value::Int(0))?;
    Flow::int(0)
}

/// Waits until as many threads have come as the barrier is for; tells one of them that it is the
/// one.
fn barrier_wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// `PTHREAD_BARRIER_SERIAL_THREAD`.
    const LAST: u64 = 0xffff_ffff;
    if m.woken(st).is_some() {
        Word::read(m, st, c.arg(0), ARRIVED_OFFSET, Ordering::Acquire)?;
        return Flow::int(0);
    }
    m.preempt(st);
    let count = Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?;
    let arrived = Word::read(m, st, c.arg(0), ARRIVED_OFFSET, Ordering::Acquire)?;
    if arrived.value + 1 >= count.value {
        arrived.set(m, st, 0, Ordering::Release)?;
        arrived.wake(m, st, u64::MAX);
        return Flow::int(LAST);
    }
    arrived.set(m, st, arrived.value + 1, Ordering::Release)?;
    arrived.wait(m, st, None)?;
    Flow::int(0)
}

fn sem_init(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let n = m.concretise(st, c.arg(2), 32)?;
    m.store(st, c.arg(0), 32, 0, Value::Int(n))?;
    Flow::int(0)
}

fn sem_post(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.preempt(st);
    let count = Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?;
    count.set(m, st, count.value + 1, Ordering::Release)?;
    count.wake(m, st, 1);
    Flow::int(0)
}

/// Takes one from a semaphore if it is not 0; its word.
fn sem_take(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<(), Word>> {
    m.preempt(st);
    let count = Word::read(m, st, c.arg(0), 0, Ordering::Relaxed)?;
    if count.value == 0 {
        return Ok(Err(count));
    }
    count.take(m, st, count.value - 1)?;
    Ok(Ok(()))
}

fn sem_wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.woken(st);
    if let Err(word) = sem_take(m, st, c)? {
        if is_alone(st) {
            return dead("the only thread waits for a semaphore");
        }
        word.wait(m, st, None)?;
    }
    Flow::int(0)
}

/// `sem_timedwait(semaphore, time)`.
fn sem_timedwait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if m.woken(st) == Some(Woken::TimedOut) {
        return errno::fail(m, st, c, errno::ETIMEDOUT);
    }
    let Err(word) = sem_take(m, st, c)? else {
        return Flow::int(0);
    };
    match time::end(m, st, c.arg(1), time::Until::Wall)? {
        None => errno::fail(m, st, c, errno::EINVAL),
        end => {
            word.wait(m, st, end)?;
            errno::fail(m, st, c, errno::ETIMEDOUT)
        }
    }
}

fn sem_trywait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match sem_take(m, st, c)? {
        Ok(()) => Flow::int(0),
        Err(_) => errno::fail(m, st, c, errno::EAGAIN),
    }
}
