//! Models of waiting for files: `poll`, `epoll`, the counters of `eventfd`, and timers.
//!
//! Where nothing is ready the other threads run, and time passes until the call's timeout once all
//! threads wait.

use super::descriptors::{CLOSE_ON_EXEC, NON_BLOCKING, made, open_with_flags};
use super::transfer::open_node;
use super::{Errno, files};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EBADF, EEXIST, EINVAL, ENOENT, EPERM};
use crate::models::libc::time;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{Description, FileKind, Files, NodeId};
use crate::state::readiness::{END, ERROR, HANG_UP, IN, Interest, OUT, Timer, UNASKED};
use crate::state::threads::{Wait, Woken};
use std::rc::Rc;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("poll", poll),
    row("__poll_chk", poll),
    row("ppoll", ppoll),
    row("epoll_create", epoll_create),
    row("epoll_create1", epoll_create1),
    row("epoll_ctl", epoll_ctl),
    row("epoll_wait", epoll_wait),
    row("epoll_pwait", epoll_wait),
    row("epoll_pwait2", epoll_pwait2),
    row("eventfd", eventfd),
    row("timerfd_create", timerfd_create),
    row("timerfd_settime", timerfd_settime),
    row("timerfd_gettime", timerfd_gettime),
];

const MILLISECOND: u64 = 1_000_000;

/// How long a call waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Forever,
    /// Until a time of the path's clock, in nanoseconds.
    Until(u64),
}

impl Patience {
    /// Returns that of a number of milliseconds, which is negative for ever.
    fn of_milliseconds(m: &mut Executor, st: &mut State, timeout: Value) -> Res<Patience> {
        let timeout = m.concretise(st, timeout, 32)? as u32 as i32;
        Ok(match u64::try_from(timeout) {
            Ok(timeout) => Patience::Until(st.world.clock.saturating_add(timeout * MILLISECOND)),
            Err(_) => Patience::Forever,
        })
    }

    /// Returns that of a `timespec` behind a pointer, which is null for ever.
    fn of_timespec(
        m: &mut Executor,
        st: &mut State,
        timeout: Value,
    ) -> Res<Result<Patience, Errno>> {
        if timeout == Value::NULL {
            return Ok(Ok(Patience::Forever));
        }
        let end = time::end(m, st, timeout, time::Until::Passed)?;
        Ok(end.map(Patience::Until).ok_or(EINVAL))
    }

    /// Waits, since nothing is ready, and returns whether to look again: the time is not over. A
    /// timer expires at `alarm`, if there is one. `woken` says why the call goes on that has waited
    /// before.
    pub(super) fn wait(
        self,
        m: &mut Executor,
        st: &mut State,
        woken: Option<Woken>,
        alarm: Option<u64>,
    ) -> Res<bool> {
        let until = match self {
            _ if woken == Some(Woken::TimedOut) => return Ok(false),
            Patience::Until(time) if time <= st.world.clock => return Ok(false),
            Patience::Until(time) => alarm.map_or(time, |alarm| alarm.min(time)),
            Patience::Forever => match alarm {
                Some(alarm) => alarm,
                None => {
                    m.wait_for_files(st, "the only process waits for a file to become ready")?;
                    return Ok(true);
                }
            },
        };
        m.wait(st, Wait::Files, Some(until))?;
        Ok(true)
    }
}

/// `poll(entries, count, timeout)`.
fn poll(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let patience = Patience::of_milliseconds(m, st, c.arg(2))?;
    poll_for(m, st, c, patience)
}

/// `ppoll(entries, count, timeout, signals)`.
fn ppoll(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match Patience::of_timespec(m, st, c.arg(2))? {
        Ok(patience) => poll_for(m, st, c, patience),
        Err(code) => errno::fail(m, st, c, code),
    }
}

fn poll_for(m: &mut Executor, st: &mut State, c: &Call, patience: Patience) -> Res<Flow> {
    const ENTRY: u64 = 8;
    const EVENTS: u64 = 4;
    const EVENTS_SEEN: u64 = 6;
    let mut woken = m.woken(st);
    let count = m.concretise(st, c.arg(1), 64)?;
    let list = match count {
        0 => None,
        _ => {
            let len = count.saturating_mul(ENTRY);
            Some(m.check_range(st, c.arg(0), len, Access::Write)?)
        }
    };
    let mut asked = Vec::new();
    for i in 0..count {
        let Some((object, offset)) = list else { break };
        let at = offset + i * ENTRY;
        let number = st.memory.load(&mut m.pool, object, at, 32);
        let number = m.concretise(st, number, 32)?;
        let events = st.memory.load(&mut m.pool, object, at + EVENTS, 16);
        asked.push((number, m.concretise(st, events, 16)?));
    }
    let (seen, ready) = loop {
        let seen = asked.iter().map(|one| ready(m, st, one.0, one.1));
        let seen: Vec<u64> = seen.collect();
        let ready = seen.iter().filter(|seen| **seen != 0).count();
        if ready > 0 {
            break (seen, ready);
        }
        let alarm = alarm(st, asked.iter().map(|one| one.0));
        if !patience.wait(m, st, woken.take(), alarm)? {
            break (seen, ready);
        }
    };
    for (i, seen) in seen.into_iter().enumerate() {
        let Some((object, offset)) = list else { break };
        let at = offset + i as u64 * ENTRY + EVENTS_SEEN;
        st.memory
            .store(&mut m.pool, object, at, 16, Value::Int(seen));
    }
    Flow::int(ready as u64)
}

/// Returns the next time at which one of some descriptors becomes ready by itself.
pub(super) fn alarm(st: &State, descriptors: impl Iterator<Item = u64>) -> Option<u64> {
    let files = &st.world.files;
    let open = descriptors.filter_map(|number| files.description_of(number));
    open.filter_map(|id| files.alarm(id)).min()
}

/// Returns the events that `poll` reports for a descriptor.
pub(super) fn ready(m: &mut Executor, st: &mut State, number: u64, events: u64) -> u64 {
    const INVALID: u64 = 0x20;
    if (number as u32 as i32) < 0 {
        return 0;
    }
    let Some(id) = st.world.files.description_of(number) else {
        return INVALID;
    };
    if st.world.files.description(id).node == Files::INPUT {
        outside_world::take_stdin(m, st);
    }
    st.world.files.readiness(id, st.world.clock) & (events | UNASKED)
}

/// `epoll_create(size)`: any size that is positive.
fn epoll_create(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if m.concretise(st, c.arg(0), 32)? as u32 as i32 <= 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    make(m, st, c, FileKind::Watch(Rc::default()), 0)
}

/// `epoll_create1(flags)`.
fn epoll_create1(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flags = m.concretise(st, c.arg(0), 32)?;
    if flags & !CLOSE_ON_EXEC != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    make(m, st, c, FileKind::Watch(Rc::default()), flags)
}

/// `eventfd(count, flags)`.
fn eventfd(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const BY_ONE: u64 = 1;
    let count = m.concretise(st, c.arg(0), 32)?;
    let flags = m.concretise(st, c.arg(1), 32)?;
    if flags & !(CLOSE_ON_EXEC | NON_BLOCKING | BY_ONE) != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    let by_one = flags & BY_ONE != 0;
    make(m, st, c, FileKind::Counter { count, by_one }, flags)
}

/// `timerfd_create(clock, flags)`.
fn timerfd_create(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// The wall clock, the one that counts from the start, and those that count sleep, too.
    const CLOCKS: [u64; 5] = [0, 1, 7, 8, 9];
    let clock = m.concretise(st, c.arg(0), 32)?;
    let flags = m.concretise(st, c.arg(1), 32)?;
    if flags & !(CLOSE_ON_EXEC | NON_BLOCKING) != 0 || !CLOCKS.contains(&clock) {
        return errno::fail(m, st, c, EINVAL);
    }
    let timer = Timer {
        is_wall_clock: clock == 0 || clock == 8,
        ..Timer::default()
    };
    make(m, st, c, FileKind::Timer(timer), flags)
}

/// Returns the timer of a descriptor, with its file.
fn timer(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<(NodeId, Timer), Errno>> {
    let node = open_node(m, st, c.arg(0))?;
    Ok(node.and_then(|node| match st.world.files.node(node).kind {
        FileKind::Timer(timer) => Ok((node, timer)),
        _ => Err(EINVAL),
    }))
}

/// Stores the interval of a timer, and the time that is left.
fn store_timer(m: &mut Executor, st: &mut State, to: Value, timer: Timer) -> Res<()> {
    let now = st.world.clock;
    let left = timer.next.map_or(0, |next| match timer.interval {
        0 => next.saturating_sub(now),
        // Those that have passed are behind the next one.
        interval if next <= now => interval - (now - next) % interval,
        _ => next - now,
    });
    let to = m.check_range(st, to, 32, Access::Write)?;
    time::store_duration(m, st, to, timer.interval);
    time::store_duration(m, st, (to.0, to.1 + 16), left);
    Ok(())
}

/// `timerfd_settime(timer, flags, new, old)`.
fn timerfd_settime(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const ABSOLUTE: u64 = 1;
    const UNLESS_CHANGED: u64 = 2;
    let (node, old) = match timer(m, st, c)? {
        Ok(timer) => timer,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let flags = m.concretise(st, c.arg(1), 32)?;
    if flags & !(ABSOLUTE | UNLESS_CHANGED) != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    let until = match (flags & ABSOLUTE != 0, old.is_wall_clock) {
        (false, _) => time::Until::Passed,
        (true, true) => time::Until::Wall,
        (true, false) => time::Until::Monotonic,
    };
    let first = m.offset_pointer(st, c.arg(2), 16);
    let interval = time::duration(m, st, c.arg(2))?;
    let value = time::duration(m, st, first)?;
    let (Some(interval), Some(value)) = (interval, value) else {
        return errno::fail(m, st, c, EINVAL);
    };
    let next = (value != 0).then(|| until.end(st, value));
    if c.arg(3) != Value::NULL {
        store_timer(m, st, c.arg(3), old)?;
    }
    let fs = files(st);
    fs.node_mut(node).kind = FileKind::Timer(Timer {
        next,
        interval,
        ..old
    });
    fs.changed = true;
    Flow::int(0)
}

/// `timerfd_gettime(timer, current)`.
fn timerfd_gettime(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match timer(m, st, c)? {
        Ok((_, timer)) => {
            store_timer(m, st, c.arg(1), timer)?;
            Flow::int(0)
        }
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// Opens a new file that has no name.
fn make(m: &mut Executor, st: &mut State, c: &Call, kind: FileKind, flags: u64) -> Res<Flow> {
    let node = files(st).add(kind, 0o600);
    let number = open_with_flags(st, Description::new(node, true, true), flags);
    made(m, st, c, number)
}

/// Returns the `epoll` of a descriptor.
fn watch(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<NodeId, Errno>> {
    let node = open_node(m, st, c.arg(0))?;
    Ok(node.and_then(|node| match st.world.files.node(node).kind {
        FileKind::Watch(_) => Ok(node),
        _ => Err(EINVAL),
    }))
}

/// `epoll_ctl(epoll, operation, descriptor, event)`.
fn epoll_ctl(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match control(m, st, c)? {
        Ok(()) => Flow::int(0),
        Err(code) => errno::fail(m, st, c, code),
    }
}

fn control(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<(), Errno>> {
    const ADD: u64 = 1;
    const REMOVE: u64 = 2;
    const CHANGE: u64 = 3;
    let operation = m.concretise(st, c.arg(1), 32)?;
    let descriptor = m.concretise(st, c.arg(2), 32)?;
    let asked = match operation {
        REMOVE => None,
        _ => Some(event(m, st, c.arg(3))?),
    };
    let Some(id) = st.world.files.description_of(descriptor) else {
        return Ok(Err(EBADF));
    };
    let watch = match watch(m, st, c)? {
        Ok(watch) => watch,
        Err(code) => return Ok(Err(code)),
    };
    let watched = st.world.files.description(id).node;
    match st.world.files.node(watched).kind {
        FileKind::Regular(_) | FileKind::Directory { .. } | FileKind::Null => {
            return Ok(Err(EPERM));
        }
        FileKind::Watch(_) if watched == watch => return Ok(Err(EINVAL)),
        _ => {}
    }
    if watched == Files::INPUT {
        outside_world::take_stdin(m, st);
    }
    let fs = files(st);
    let now = fs.time;
    // Whoever waits looks anew.
    fs.changed = true;
    let FileKind::Watch(interests) = &mut fs.node_mut(watch).kind else {
        return Ok(Err(EINVAL));
    };
    let interests = Rc::make_mut(interests);
    let is_it = |one: &Interest| u64::from(one.descriptor) == descriptor && one.description == id;
    let known = interests.iter().position(is_it);
    let make = |(events, data): (u64, Value)| Interest {
        descriptor: descriptor as u32,
        description: id,
        events: events & !(EDGES | ONCE | AWAKE),
        edges: events & EDGES != 0,
        once: events & ONCE != 0,
        data,
        since: now,
        seen: None,
    };
    match (operation, known, asked) {
        (ADD, Some(_), _) => return Ok(Err(EEXIST)),
        (ADD, None, Some(asked)) => interests.push(make(asked)),
        (REMOVE | CHANGE, None, _) => return Ok(Err(ENOENT)),
        (REMOVE, Some(at), _) => drop(interests.remove(at)),
        (CHANGE, Some(at), Some(asked)) => interests[at] = make(asked),
        _ => return Ok(Err(EINVAL)),
    }
    Ok(Ok(()))
}

/// Flags among the events of an interest: reports each event when it happens, once only, and keeps
/// the machine awake.
const EDGES: u64 = 1 << 31;
const ONCE: u64 = 1 << 30;
const AWAKE: u64 = 1 << 29;

/// Size of an event, and place of its data: it is packed on x86-64.
const EVENT: u64 = 12;
const DATA: u64 = 4;

/// Reads an event: what to report, and what to say then.
fn event(m: &mut Executor, st: &mut State, ptr: Value) -> Res<(u64, Value)> {
    let (object, at) = m.check_range(st, ptr, EVENT, Access::Read)?;
    let events = st.memory.load(&mut m.pool, object, at, 32);
    let events = m.concretise(st, events, 32)?;
    let unknown = events & !(EDGES | ONCE | AWAKE | IN | OUT | HANG_UP | END | ERROR | URGENT);
    if unknown != 0 {
        let what = format!("epoll_ctl with events {unknown:#x}");
        return Err(Unsupported::Model(what).into());
    }
    let data = st.memory.load(&mut m.pool, object, at + DATA, 64);
    Ok((events, data))
}

/// An event that does not happen here.
const URGENT: u64 = 2;

/// `epoll_wait(epoll, events, most, timeout)`, also as `epoll_pwait` with a set of signals.
fn epoll_wait(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let patience = Patience::of_milliseconds(m, st, c.arg(3))?;
    epoll_wait_for(m, st, c, patience)
}

/// `epoll_pwait2(epoll, events, most, timeout, signals)`.
fn epoll_pwait2(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match Patience::of_timespec(m, st, c.arg(3))? {
        Ok(patience) => epoll_wait_for(m, st, c, patience),
        Err(code) => errno::fail(m, st, c, code),
    }
}

fn epoll_wait_for(m: &mut Executor, st: &mut State, c: &Call, patience: Patience) -> Res<Flow> {
    let mut woken = m.woken(st);
    let most = m.concretise(st, c.arg(2), 32)? as u32 as i32;
    let watch = match watch(m, st, c)? {
        Ok(watch) => watch,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) else {
        return errno::fail(m, st, c, EINVAL);
    };
    m.preempt(st);
    let descriptor = m.concretise(st, c.arg(0), 32)?;
    let found = loop {
        let now = st.world.clock;
        let found = files(st).take_news(watch, most, now);
        if !found.is_empty() {
            break found;
        }
        let alarm = alarm(st, std::iter::once(descriptor));
        if !patience.wait(m, st, woken.take(), alarm)? {
            return Flow::int(0);
        }
    };
    if let Some(threads) = &mut st.threads {
        found
            .iter()
            .for_each(|news| threads.acquire_from(news.node));
    }
    let len = found.len() as u64 * EVENT;
    let (object, at) = m.check_range(st, c.arg(1), len, Access::Write)?;
    let count = found.len() as u64;
    for (i, news) in (0..).zip(found) {
        let at = at + i * EVENT;
        let events = Value::Int(news.events);
        st.memory.store(&mut m.pool, object, at, 32, events);
        st.memory
            .store(&mut m.pool, object, at + DATA, 64, news.data);
    }
    Flow::int(count)
}
