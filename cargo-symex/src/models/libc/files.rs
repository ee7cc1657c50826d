//! Files: there are none, and a path that asks for one says so. Standard input is at its end, standard output and error are
//! recorded.

use super::errno;
use crate::exec::Machine;
use crate::exec::access::Access;
use crate::exec::end::Res;
use crate::exec::model::{Call, Flow};
use crate::expr::Value;
use crate::models::table::{Row, row};
use crate::models::world;
use crate::state::State;
use std::rc::Rc;

pub const ROWS: &[Row] = &[
    row("write", write),
    row("writev", writev),
    row("read", read),
    row("readv", read),
    row("pread", no_file),
    row("pread64", no_file),
    row("pwrite", no_file),
    row("pwrite64", no_file),
    row("open", not_found),
    row("open64", not_found),
    row("openat", not_found),
    row("openat64", not_found),
    row("creat", not_found),
    row("opendir", null_not_found),
    row("fopen", null_not_found),
    row("fopen64", null_not_found),
    row("freopen", null_not_found),
    row("fdopen", null_not_found),
    row("tmpfile", null_not_found),
    row("readlink", not_found),
    row("realpath", null_not_found),
    row("stat", not_found),
    row("stat64", not_found),
    row("lstat", not_found),
    row("lstat64", not_found),
    row("fstat", no_file),
    row("fstat64", no_file),
    row("statx", unknown),
    row("access", not_found),
    row("unlink", not_found),
    row("remove", not_found),
    row("rename", not_found),
    row("mkdir", denied),
    row("rmdir", not_found),
    row("chdir", not_found),
    row("close", close),
    row("lseek", no_file),
    row("lseek64", no_file),
    row("fcntl", fcntl),
    row("fcntl64", fcntl),
    row("ioctl", not_terminal),
    row("isatty", isatty),
    row("fsync", zero),
    row("dup", no_file),
    row("dup2", no_file),
    row("pipe", denied),
    row("poll", poll),
    row("socket", unreachable),
    row("connect", unreachable),
    row("getcwd", getcwd),
];

fn zero(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::int(0)
}

fn not_found(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take_unless_std(m, st, world::FILES);
    errno::fail(m, st, c, errno::ENOENT)
}

fn null_not_found(m: &mut Machine, st: &mut State, _: &Call) -> Res<Flow> {
    world::take_unless_std(m, st, world::FILES);
    errno::set(m, st, errno::ENOENT);
    Flow::value(Value::NULL)
}

fn no_file(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take_unless_std(m, st, world::FILES);
    errno::fail(m, st, c, errno::EBADF)
}

fn denied(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take_unless_std(m, st, world::FILES);
    errno::fail(m, st, c, errno::EACCES)
}

fn unknown(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take_unless_std(m, st, world::FILES);
    errno::fail(m, st, c, errno::ENOSYS)
}

fn not_terminal(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take(m, st, world::TERMINAL);
    errno::fail(m, st, c, errno::ENOTTY)
}

fn unreachable(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    world::take(m, st, world::NETWORK);
    errno::fail(m, st, c, errno::EACCES)
}

fn isatty(m: &mut Machine, st: &mut State, _: &Call) -> Res<Flow> {
    world::take(m, st, world::TERMINAL);
    errno::set(m, st, errno::ENOTTY);
    Flow::int(0)
}

/// Appends to the path's output.
pub fn put(st: &mut State, bytes: &[Value]) {
    Rc::make_mut(&mut st.output).extend_from_slice(bytes);
}

fn is_output(fd: u64) -> bool {
    fd == 1 || fd == 2
}

fn write(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let fd = m.concretise(st, c.arg(0), 32)?;
    if !is_output(fd) {
        return errno::fail(m, st, c, errno::EBADF);
    }
    let len = m.concretise(st, c.arg(2), 64)?;
    let bytes = m.read_bytes(st, c.arg(1), len)?;
    put(st, &bytes);
    Flow::int(len)
}

/// `writev(fd, pieces, count)`.
fn writev(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let fd = m.concretise(st, c.arg(0), 32)?;
    if !is_output(fd) {
        return errno::fail(m, st, c, errno::EBADF);
    }
    let count = m.concretise(st, c.arg(2), 32)?;
    let mut all = Vec::new();
    for i in 0..count {
        let piece = m.offset_pointer(st, c.arg(1), 16 * i);
        let start = m.load(st, piece, 64, 0)?;
        let piece = m.offset_pointer(st, piece, 8);
        let len = m.load(st, piece, 64, 0)?;
        let len = m.concretise(st, len, 64)?;
        all.extend(m.read_bytes(st, start, len)?);
    }
    put(st, &all);
    Flow::int(all.len() as u64)
}

fn read(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    match m.concretise(st, c.arg(0), 32)? {
        0 => {
            world::take(m, st, world::STDIN);
            Flow::int(0)
        }
        _ => errno::fail(m, st, c, errno::EBADF),
    }
}

fn close(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    match m.concretise(st, c.arg(0), 32)? {
        0..=2 => Flow::int(0),
        _ => errno::fail(m, st, c, errno::EBADF),
    }
}

fn fcntl(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    match m.concretise(st, c.arg(0), 32)? {
        0..=2 => Flow::int(0),
        _ => errno::fail(m, st, c, errno::EBADF),
    }
}

/// Nothing is ready, and nothing is wrong with the standard descriptors.
fn poll(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    const ENTRY: u64 = 8;
    const EVENTS_SEEN: u64 = 6;
    let count = m.concretise(st, c.arg(1), 64)?;
    world::take(m, st, world::STDIN);
    if count > 0 {
        let len = count.saturating_mul(ENTRY);
        let (object, offset) = m.check_range(st, c.arg(0), len, Access::Write)?;
        for i in 0..count {
            let at = offset + i * ENTRY + EVENTS_SEEN;
            st.memory.store(&mut m.pool, object, at, 16, Value::Int(0));
        }
    }
    Flow::int(0)
}

/// `getcwd(buffer, size)`: the root directory.
fn getcwd(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    world::take_unless_std(m, st, world::FILES);
    if c.arg(0) == Value::NULL {
        return null_not_found(m, st, c);
    }
    if size < 2 {
        errno::set(m, st, errno::ERANGE);
        return Flow::value(Value::NULL);
    }
    super::bytes::write(m, st, c.arg(0), &[Value::Int(b'/' as u64), Value::Int(0)])?;
    Flow::value(c.arg(0))
}
