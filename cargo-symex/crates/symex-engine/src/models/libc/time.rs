//! Models of clocks. They begin at a fixed time and advance by a microsecond each time the program
//! reads them, which a path then reports, and by the time that it sleeps.

use super::errno;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::threads::Wait;
use std::rc::Rc;
use symex_terms::Value;

pub const ROWS: &[Row] = &[
    row("clock_gettime", clock_gettime),
    row("clock_getres", clock_getres),
    row("gettimeofday", gettimeofday),
    row("time", time),
    row("clock", clock),
    row("nanosleep", nanosleep),
    row("clock_nanosleep", clock_nanosleep),
    row("usleep", usleep),
    row("sleep", sleep),
    row("sched_yield", yields),
    row("alarm", zero),
    row("tzset", zero),
];

const SECOND: u64 = 1_000_000_000;
const STEP: u64 = 1000;
/// Start of the wall clock: 2024-01-01 00:00:00 UTC.
pub const EPOCH: u64 = 1_704_067_200;
/// Start of the monotonic clock in seconds, so that a program may subtract a while from it.
const UPTIME: u64 = 100_000;
/// Numbers of the clocks that show the wall clock's time.
const WALL_CLOCKS: [u64; 3] = [0, 5, 11];

fn zero(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

fn yields(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    m.yield_in_call(st)?;
    Flow::int(0)
}

/// Advances the clocks by nanoseconds.
fn advance(st: &mut State, by: u64) -> u64 {
    let world = Rc::make_mut(&mut st.world);
    world.clock = world.clock.wrapping_add(by);
    world.clock
}

/// Reads the clock: returns the nanoseconds that have passed.
fn look(m: &mut Executor, st: &mut State) -> u64 {
    outside_world::take_unless_std(m, st, outside_world::CLOCK);
    advance(st, STEP)
}

/// Stores seconds and a fraction, both of 64 bits.
fn store_time(m: &mut Executor, st: &mut State, at: (symex_terms::ObjectId, u64), s: u64, f: u64) {
    let (object, offset) = at;
    st.memory
        .store(&mut m.pool, object, offset, 64, Value::Int(s));
    st.memory
        .store(&mut m.pool, object, offset + 8, 64, Value::Int(f));
}

fn clock_gettime(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let which = m.concretise(st, c.arg(0), 32)?;
    let out = m.check_range(st, c.arg(1), 16, Access::Write)?;
    let base = if WALL_CLOCKS.contains(&which) {
        EPOCH
    } else {
        UPTIME
    };
    let now = look(m, st);
    store_time(m, st, out, base + now / SECOND, now % SECOND);
    Flow::int(0)
}

fn clock_getres(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if c.arg(1) != Value::NULL {
        let out = m.check_range(st, c.arg(1), 16, Access::Write)?;
        store_time(m, st, out, 0, 1);
    }
    Flow::int(0)
}

fn gettimeofday(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let out = m.check_range(st, c.arg(0), 16, Access::Write)?;
    let now = look(m, st);
    store_time(m, st, out, EPOCH + now / SECOND, now % SECOND / 1000);
    Flow::int(0)
}

fn time(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let out = match c.arg(0) {
        Value::Int(0) => None,
        ptr => Some(m.check_range(st, ptr, 8, Access::Write)?),
    };
    let seconds = EPOCH + look(m, st) / SECOND;
    if let Some((object, offset)) = out {
        st.memory
            .store(&mut m.pool, object, offset, 64, Value::Int(seconds));
    }
    Flow::int(seconds)
}

/// Performs `clock`: microseconds of processor time.
fn clock(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(look(m, st) / 1000)
}

/// Meaning of a `timespec` that says until when to wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// A duration from now on.
    Passed,
    /// A time of the wall clock.
    Wall,
    /// A time of the clock that counts from the system's start.
    Monotonic,
    /// A time of one of the two clocks, whichever it suits.
    Either,
}

impl Until {
    /// Returns the time of the path's clock to which a time in nanoseconds refers.
    pub fn end(self, st: &State, time: u64) -> u64 {
        let start = match self {
            Until::Passed => None,
            Until::Wall => Some(EPOCH),
            Until::Monotonic => Some(UPTIME),
            Until::Either if time < EPOCH * SECOND => Some(UPTIME),
            Until::Either => Some(EPOCH),
        };
        let now = st.world.clock;
        match start {
            None => now.saturating_add(time),
            Some(start) => time.saturating_sub(start * SECOND).max(now),
        }
    }
}

/// Stores a duration in nanoseconds as a `timespec`.
pub fn store_duration(m: &mut Executor, st: &mut State, to: (symex_terms::ObjectId, u64), by: u64) {
    store_time(m, st, to, by / SECOND, by % SECOND);
}

/// Reads a `timespec` behind a pointer as nanoseconds; `None` if it is not one.
pub fn duration(m: &mut Executor, st: &mut State, request: Value) -> Res<Option<u64>> {
    let seconds = m.load(st, request, 64, 0)?;
    let fraction = m.offset_pointer(st, request, 8);
    let fraction = m.load(st, fraction, 64, 0)?;
    let seconds = m.concretise(st, seconds, 64)?;
    let fraction = m.concretise(st, fraction, 64)?;
    let is_one = fraction < SECOND && (seconds as i64) >= 0;
    Ok(is_one.then(|| seconds.saturating_mul(SECOND).saturating_add(fraction)))
}

/// Returns the time of the path's clock to which a `timespec` behind a pointer refers; `None` if it
/// is not one.
pub fn end(m: &mut Executor, st: &mut State, request: Value, until: Until) -> Res<Option<u64>> {
    let time = duration(m, st, request)?;
    Ok(time.map(|time| until.end(st, time)))
}

/// Sleeps until the time to which a `timespec` behind a pointer refers. False: it is not one.
fn sleep_until(m: &mut Executor, st: &mut State, request: Value, until: Until) -> Res<bool> {
    if m.woken(st).is_some() {
        return Ok(true);
    }
    let Some(end) = end(m, st, request, until)? else {
        return Ok(false);
    };
    m.wait(st, Wait::Time, Some(end))?;
    Ok(true)
}

/// Sleeps for nanoseconds.
fn sleep_for(m: &mut Executor, st: &mut State, by: u64) -> Res<Flow> {
    if m.woken(st).is_none() {
        let end = st.world.clock.saturating_add(by);
        m.wait(st, Wait::Time, Some(end))?;
    }
    Flow::int(0)
}

fn nanosleep(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if sleep_until(m, st, c.arg(0), Until::Passed)? {
        Flow::int(0)
    } else {
        errno::fail(m, st, c, errno::EINVAL)
    }
}

/// `clock_nanosleep(clock, flags, request, remain)`.
fn clock_nanosleep(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const ABSOLUTE: u64 = 1;
    let which = m.concretise(st, c.arg(0), 32)?;
    let until = match m.concretise(st, c.arg(1), 32)? & ABSOLUTE {
        0 => Until::Passed,
        _ if WALL_CLOCKS.contains(&which) => Until::Wall,
        _ => Until::Monotonic,
    };
    if sleep_until(m, st, c.arg(2), until)? {
        Flow::int(0)
    } else {
        Flow::int(errno::EINVAL)
    }
}

fn usleep(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let n = m.concretise(st, c.arg(0), 32)?;
    sleep_for(m, st, n * 1000)
}

fn sleep(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let n = m.concretise(st, c.arg(0), 32)?;
    sleep_for(m, st, n * SECOND)
}
