//! Models of operations on descriptors: duplicates, flags, pipes, and terminal checks.

use super::transfer::description;
use super::{files, is_standard};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EBADF, EINVAL, EMFILE, ENOTTY};
use crate::models::libc::failing::Transfer;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{Description, DescriptionId, FileKind, Files};
use std::rc::Rc;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::{Failure, Unsupported};

pub const ROWS: &[Row] = &[
    row("close", close),
    row("dup", dup),
    row("dup2", dup2),
    row("dup3", dup3),
    row("fcntl", fcntl),
    row("fcntl64", fcntl),
    row("flock", accept),
    row("pipe", pipe),
    row("pipe2", pipe2),
    row("ioctl", ioctl),
    row("isatty", isatty),
];

pub(super) const CLOSE_ON_EXEC: u64 = 0x8_0000;
pub(super) const NON_BLOCKING: u64 = 0x800;
const APPEND: u64 = 0x400;

fn close(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let number = m.concretise(st, c.arg(0), 32)?;
    let asked = closing(number as u32);
    if st.world.files.description_of(number).is_none() {
        asked.settle(m, st, None);
        return errno::fail(m, st, c, EBADF);
    }
    let how = asked.choose(m, st, 0)?;
    asked.settle(m, st, how);
    // Linux closes it, whatever it says.
    files(st).close(number);
    match how {
        Some(Failure::Error(code)) => errno::fail(m, st, c, u64::from(code)),
        _ => Flow::int(0),
    }
}

/// Returns the closing of a descriptor as a call that may fail.
pub fn closing(descriptor: u32) -> Transfer {
    Transfer {
        name: "close",
        family: "close",
        descriptor,
        bytes: 0,
    }
}

/// Returns a new descriptor, or fails because there are too many.
pub(super) fn made(m: &mut Executor, st: &mut State, c: &Call, number: Option<u32>) -> Res<Flow> {
    match number {
        Some(number) => Flow::int(u64::from(number)),
        None => errno::fail(m, st, c, EMFILE),
    }
}

fn dup(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match description(m, st, c.arg(0))? {
        Ok(id) => {
            let number = files(st).duplicate(id, 0, false);
            made(m, st, c, number)
        }
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `dup2(old, new)`.
fn dup2(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    duplicate_to(m, st, c, false)
}

/// `dup3(old, new, flags)`.
fn dup3(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flags = m.concretise(st, c.arg(2), 32)?;
    let same = m.concretise(st, c.arg(0), 32)? == m.concretise(st, c.arg(1), 32)?;
    if same || flags & !CLOSE_ON_EXEC != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    duplicate_to(m, st, c, flags != 0)
}

fn duplicate_to(m: &mut Executor, st: &mut State, c: &Call, close_on_exec: bool) -> Res<Flow> {
    let (old, new) = (
        m.concretise(st, c.arg(0), 32)?,
        m.concretise(st, c.arg(1), 32)?,
    );
    let Some(id) = st.world.files.description_of(old) else {
        return errno::fail(m, st, c, EBADF);
    };
    let done = old == new || files(st).duplicate_to(id, new as u32, close_on_exec);
    if !done {
        return errno::fail(m, st, c, EBADF);
    }
    Flow::int(new)
}

/// `fcntl(descriptor, command, …)`.
fn fcntl(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const DUPLICATE: u64 = 0;
    const GET_CLOSE: u64 = 1;
    const SET_CLOSE: u64 = 2;
    const GET_FLAGS: u64 = 3;
    const SET_FLAGS: u64 = 4;
    const SET_LOCK: u64 = 6;
    const SET_LOCK_WAIT: u64 = 7;
    const DUPLICATE_CLOSE: u64 = 1030;
    let number = m.concretise(st, c.arg(0), 32)?;
    let command = m.concretise(st, c.arg(1), 32)?;
    let Some(id) = st.world.files.description_of(number) else {
        return errno::fail(m, st, c, EBADF);
    };
    match command {
        DUPLICATE | DUPLICATE_CLOSE => {
            let least = m.concretise(st, c.arg(2), 32)?;
            let number = files(st).duplicate(id, least as u32, command == DUPLICATE_CLOSE);
            made(m, st, c, number)
        }
        GET_CLOSE => Flow::int(u64::from(st.world.files.closes_on_exec(number))),
        SET_CLOSE => {
            let flags = m.concretise(st, c.arg(2), 32)?;
            files(st).set_close_on_exec(number, flags & 1 != 0);
            Flow::int(0)
        }
        GET_FLAGS => Flow::int(st.world.files.description(id).flags),
        SET_FLAGS => {
            let flags = m.concretise(st, c.arg(2), 32)?;
            let open = files(st).description_mut(id);
            let kept = open.flags & !(APPEND | NON_BLOCKING);
            open.flags = kept | flags & (APPEND | NON_BLOCKING);
            open.append = flags & APPEND != 0;
            Flow::int(0)
        }
        // No other process locks anything.
        SET_LOCK | SET_LOCK_WAIT => Flow::int(0),
        other => Err(Unsupported::Model(format!("fcntl with command {other}")).into()),
    }
}

fn accept(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match description(m, st, c.arg(0))? {
        Ok(_) => Flow::int(0),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `pipe(ends)`.
fn pipe(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    make_pipe(m, st, c, 0)
}

/// `pipe2(ends, flags)`.
fn pipe2(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flags = m.concretise(st, c.arg(1), 32)?;
    if flags & !(CLOSE_ON_EXEC | NON_BLOCKING) != 0 {
        return Err(Unsupported::Model(format!("pipe2 with flags {flags:#x}")).into());
    }
    make_pipe(m, st, c, flags)
}

fn make_pipe(m: &mut Executor, st: &mut State, c: &Call, flags: u64) -> Res<Flow> {
    let (object, at) = m.check_range(st, c.arg(0), 8, Access::Write)?;
    let node = files(st).add(FileKind::Pipe(Rc::default()), 0o600);
    let ends =
        [(true, false), (false, true)].map(|(reads, writes)| Description::new(node, reads, writes));
    let made = open_pair(st, ends, flags)?;
    store_pair(m, st, (object, at), made);
    Flow::int(0)
}

/// Opens two descriptions, with flags of `pipe2` and the like, and returns their descriptors.
pub(super) fn open_pair(st: &mut State, ends: [Description; 2], flags: u64) -> Res<[u32; 2]> {
    let mut made = [0; 2];
    for (number, end) in made.iter_mut().zip(ends) {
        let Some(opened) = open_with_flags(st, end, flags) else {
            return Err(Unsupported::Model("a pair where few descriptors are left".into()).into());
        };
        *number = opened;
    }
    Ok(made)
}

/// Opens a description, with flags of `pipe2` and the like; `None` if there are too many.
pub(super) fn open_with_flags(st: &mut State, mut open: Description, flags: u64) -> Option<u32> {
    open.flags |= flags & NON_BLOCKING;
    let fs = files(st);
    let number = fs.open(open, 0)?;
    fs.set_close_on_exec(u64::from(number), flags & CLOSE_ON_EXEC != 0);
    Some(number)
}

/// Stores two descriptors, one after the other.
pub(super) fn store_pair(m: &mut Executor, st: &mut State, to: (ObjectId, u64), pair: [u32; 2]) {
    for (i, number) in pair.into_iter().enumerate() {
        let at = to.1 + 4 * i as u64;
        let number = Value::Int(u64::from(number));
        st.memory.store(&mut m.pool, to.0, at, 32, number);
    }
}

/// Records the assumption that a descriptor is no terminal, where it could be one.
fn no_terminal(m: &mut Executor, st: &mut State, id: DescriptionId) {
    let node = st.world.files.description(id).node;
    let described = node == Files::INPUT && m.config.world.stdin.is_some();
    if is_standard(st, id) && !described {
        outside_world::take(m, st, outside_world::TERMINAL);
    }
}

fn isatty(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let code = match description(m, st, c.arg(0))? {
        Ok(id) => {
            no_terminal(m, st, id);
            ENOTTY
        }
        Err(code) => code,
    };
    errno::set(m, st, code);
    Flow::int(0)
}

/// `ioctl(descriptor, request, …)`: requests about terminals fail.
fn ioctl(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const TERMINALS: std::ops::RangeInclusive<u64> = 0x5401..=0x541a;
    const BYTES_TO_READ: u64 = 0x541b;
    const CLOSE_ON_EXEC: [u64; 2] = [0x5451, 0x5450];
    let number = m.concretise(st, c.arg(0), 32)?;
    let request = m.concretise(st, c.arg(1), 64)?;
    let Some(id) = st.world.files.description_of(number) else {
        return errno::fail(m, st, c, EBADF);
    };
    if CLOSE_ON_EXEC.contains(&request) {
        files(st).set_close_on_exec(number, request == CLOSE_ON_EXEC[0]);
        return Flow::int(0);
    }
    if request == BYTES_TO_READ {
        let (object, at) = m.check_range(st, c.arg(2), 4, Access::Write)?;
        let available = Value::Int(st.world.files.available(id));
        st.memory.store(&mut m.pool, object, at, 32, available);
        return Flow::int(0);
    }
    if !TERMINALS.contains(&request) {
        return Err(Unsupported::Model(format!("ioctl {request:#x}")).into());
    }
    no_terminal(m, st, id);
    errno::fail(m, st, c, ENOTTY)
}
