//! Models of the streams of `stdio.h` on the files of a path (`state/streams.rs`): identification,
//! read-ahead, buffered writes, and stream state. A `FILE` is an object of the engine; of its
//! contents only the flags for end and error are kept, which the C library's own inline functions
//! read.

mod input;
mod open;
mod output;
mod position;
mod scan;

pub use open::abandon;
pub use output::{ready, text_of, write, write_text};

use super::files::{files, transfer};
use super::{errno, files::Errno};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, Res};
use crate::models::libc::failing::Transfer;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{DescriptionId, FileKind};
use crate::state::output::Sink;
use crate::state::streams::{Stream, StreamId, Streams};
use std::rc::Rc;
use symex_terms::Value;
use symex_types::outcome::{Failure, FindingKind};

/// Tables of models in this folder.
pub const ROWS: [&[Row]; 6] = [
    STATE,
    input::ROWS,
    open::ROWS,
    output::ROWS,
    position::ROWS,
    scan::ROWS,
];

const STATE: &[Row] = &[
    row("feof", feof),
    row("feof_unlocked", feof),
    row("ferror", ferror),
    row("ferror_unlocked", ferror),
    row("clearerr", clearerr),
    row("clearerr_unlocked", clearerr),
    row("fileno", fileno),
    row("fileno_unlocked", fileno),
    row("fflush", fflush),
    row("fflush_unlocked", fflush),
    row("setbuf", setbuf),
    row("setbuffer", setbuf),
    row("setlinebuf", nothing),
    row("setvbuf", setvbuf),
    row("flockfile", nothing),
    row("funlockfile", nothing),
];

/// Number of bytes that a stream reads ahead, or keeps before it writes.
const BUFFER: usize = 4096;

/// Flags at the start of glibc's `FILE`.
const END: u64 = 0x10;
const ERROR: u64 = 0x20;

pub const STDIN: StreamId = StreamId(0);
pub const STDOUT: StreamId = StreamId(1);
pub const STDERR: StreamId = StreamId(2);

/// Returns the streams of a path, for changing them.
pub fn streams(st: &mut State) -> &mut Streams {
    Rc::make_mut(&mut files(st).streams)
}

/// Returns a stream, for changing it.
pub fn change(st: &mut State, id: StreamId) -> &mut Stream {
    streams(st).get_mut(id)
}

/// Returns the stream of a `FILE *`.
pub fn stream(m: &mut Executor, st: &mut State, file: Value, c: &Call) -> Res<StreamId> {
    let (object, at) = m.check_range(st, file, 1, Access::Read)?;
    match st.world.files.streams.of_object(object) {
        Some(id) if at == 0 => Ok(id),
        _ => {
            let message = format!("{} of what is no stream", c.name);
            Err(Fault::new(FindingKind::InvalidAccess, message)
                .of(object)
                .into())
        }
    }
}

/// Returns the stream to which a variable of the C library points now, or the one of that number.
pub fn standard(m: &mut Executor, st: &mut State, id: StreamId, c: &Call) -> Res<StreamId> {
    let name = ["stdin", "stdout", "stderr"][id.0 as usize];
    let Some(variable) = m.library_variable(name, 8) else {
        return Ok(id);
    };
    let file = st.memory.load(&mut m.pool, variable, 0, 64);
    stream(m, st, file, c)
}

/// Returns the open file description of a stream.
fn description(st: &State, id: StreamId) -> Result<DescriptionId, Errno> {
    let descriptor = st.world.files.streams.get(id).descriptor;
    descriptor
        .and_then(|number| st.world.files.description_of(u64::from(number)))
        .ok_or(errno::EBADF)
}

/// Sets the flags of a stream.
fn set_flags(m: &mut Executor, st: &mut State, id: StreamId, end: bool, error: bool) {
    let stream = st.world.files.streams.get(id);
    if (stream.end, stream.error) == (end, error) {
        return;
    }
    let stream = change(st, id);
    stream.end = end;
    stream.error = error;
    let flags = if end { END } else { 0 } | if error { ERROR } else { 0 };
    let object = st.world.files.streams.object_of(id);
    if let Some(object) = object {
        st.memory
            .store(&mut m.pool, object, 0, 32, Value::Int(flags));
    }
}

/// Sets a stream's flag for the end of its file.
fn set_end(m: &mut Executor, st: &mut State, id: StreamId) {
    let error = st.world.files.streams.get(id).error;
    set_flags(m, st, id, true, error);
}

/// Sets a stream's error flag, and `errno`.
fn set_error(m: &mut Executor, st: &mut State, id: StreamId, code: Errno) {
    let end = st.world.files.streams.get(id).end;
    set_flags(m, st, id, end, true);
    errno::set(m, st, code);
}

/// Returns byte `at` of a stream's next bytes, reading on if need be; `None` at the end of its
/// file, or where it cannot be read. Nothing is consumed: that is for [`Stream::give`], once all is
/// decided.
fn peek(m: &mut Executor, st: &mut State, id: StreamId, at: usize) -> Res<Option<Value>> {
    loop {
        let stream = st.world.files.streams.get(id);
        if let Some(byte) = stream.peek(at) {
            return Ok(Some(byte));
        }
        if !stream.readable {
            set_error(m, st, id, errno::EBADF);
            return Ok(None);
        }
        // It stays at the end until somebody clears that.
        if stream.end {
            return Ok(None);
        }
        flush(m, st, id)?;
        let open = match description(st, id) {
            Ok(open) => open,
            Err(code) => {
                set_error(m, st, id, code);
                return Ok(None);
            }
        };
        if let Err(code) = transfer::may_read(m, st, open)? {
            set_error(m, st, id, code);
            return Ok(None);
        }
        let asked = asked(st, id, "read", 0);
        let how = match &asked {
            Some(asked) => asked.choose(m, st, 0)?,
            None => None,
        };
        if let Some(asked) = asked {
            asked.settle(m, st, how);
        }
        if let Some(Failure::Error(code)) = how {
            set_error(m, st, id, u64::from(code));
            return Ok(None);
        }
        let node = st.world.files.description(open).node;
        m.update_file(st, node)?;
        let more = files(st).take(open, BUFFER as u64);
        if more.is_empty() {
            set_end(m, st, id);
            return Ok(None);
        }
        let stream = change(st, id);
        let given = std::mem::take(&mut stream.given);
        let ahead = Rc::make_mut(&mut stream.ahead);
        ahead.drain(..given);
        ahead.extend(more);
    }
}

/// Returns standard output or error, if a stream writes to it.
pub fn sink(st: &State, id: StreamId) -> Option<Sink> {
    sink_of(st, description(st, id).ok()?)
}

/// Returns standard output or error, if a writable description belongs to it.
pub fn sink_of(st: &State, id: DescriptionId) -> Option<Sink> {
    let open = st.world.files.description(id);
    match st.world.files.node(open.node).kind {
        FileKind::Sink(sink) if open.writable => Some(sink),
        _ => None,
    }
}

/// Returns the system call on the file behind a stream, which may fail. That it transfers fewer
/// bytes is invisible to a program: a stream asks again.
fn asked(st: &State, id: StreamId, name: &'static str, bytes: u64) -> Option<Transfer> {
    let descriptor = st.world.files.streams.get(id).descriptor?;
    Some(Transfer {
        name,
        family: name,
        descriptor,
        bytes,
    })
}

/// Writes a stream's pending data. False: that failed, and the stream's error flag is set.
fn flush(m: &mut Executor, st: &mut State, id: StreamId) -> Res<bool> {
    let how = choose_flush(m, st, id, 0)?;
    write_out(m, st, id, how)
}

/// Decides whether writing a stream's pending data fails, after `before` other failures.
fn choose_flush(
    m: &mut Executor,
    st: &mut State,
    id: StreamId,
    before: u32,
) -> Res<Option<Failure>> {
    match st.world.files.streams.get(id).pending.is_empty() {
        true => Ok(None),
        false => choose_write(m, st, id, before),
    }
}

/// Decides whether a write to a stream fails, after `before` other failures.
fn choose_write(
    m: &mut Executor,
    st: &mut State,
    id: StreamId,
    before: u32,
) -> Res<Option<Failure>> {
    match asked(st, id, "write", 0) {
        Some(asked) if description(st, id).is_ok() => asked.choose(m, st, before),
        _ => Ok(None),
    }
}

/// Writes a stream's pending data, or fails as given.
fn write_out(m: &mut Executor, st: &mut State, id: StreamId, how: Option<Failure>) -> Res<bool> {
    let pending = st.world.files.streams.get(id).pending.clone();
    if pending.is_empty() {
        return Ok(true);
    }
    let open = match description(st, id) {
        Ok(open) => transfer::may_write(st, open, pending.len())?.map(|()| open),
        Err(code) => Err(code),
    };
    if let Some(asked) = asked(st, id, "write", 0) {
        asked.settle(m, st, how);
    }
    let open = match how {
        Some(Failure::Error(code)) => Err(u64::from(code)),
        _ => open,
    };
    // It is gone, even where it could not be written.
    change(st, id).pending = Rc::default();
    match open {
        Ok(open) => {
            let node = st.world.files.description(open).node;
            m.update_file(st, node)?;
            files(st).put_text(open, pending.to_vec());
            m.update_mappings(st, node)?;
            Ok(true)
        }
        Err(code) => {
            set_error(m, st, id, code);
            Ok(false)
        }
    }
}

/// Writes the pending data of all streams; false if one of them cannot.
fn flush_each(m: &mut Executor, st: &mut State) -> Res<bool> {
    let mut ways: Vec<(StreamId, Option<Failure>)> = Vec::new();
    for id in st.world.files.streams.ids() {
        let before = ways.iter().filter(|(_, how)| how.is_some()).count();
        ways.push((id, choose_flush(m, st, id, before as u32)?));
    }
    let mut done = true;
    for (id, how) in ways {
        done &= write_out(m, st, id, how)?;
    }
    Ok(done)
}

/// Writes the pending data of all streams, as `exit` does. The program cannot see whether that
/// fails, so no failure is explored.
pub fn flush_all(m: &mut Executor, st: &mut State) -> Res<()> {
    for id in st.world.files.streams.ids() {
        write_out(m, st, id, None)?;
    }
    Ok(())
}

/// Drops the pending data of streams, as in a process that is killed. Standard output and error are
/// shown all the same, except where calls may fail: there the program is held to what the system
/// does.
pub fn lose_all(m: &Executor, st: &mut State) {
    for id in st.world.files.streams.ids() {
        if m.config.world.max_fail > 0 {
            change(st, id).pending = Rc::default();
        }
    }
}

/// Sets the file offset to the program's position in a stream, as `fflush` does after read-ahead.
fn give_back(st: &mut State, id: StreamId) {
    let Ok(open) = description(st, id) else {
        return;
    };
    let fs = &st.world.files;
    let node = fs.description(open).node;
    let left = change(st, id).forget() as u64;
    if matches!(st.world.files.node(node).kind, FileKind::Regular(_)) {
        files(st).description_mut(open).offset -= left;
    }
}

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

/// `setvbuf(stream, buffer, mode, size)`. Line buffering is treated as full buffering.
fn setvbuf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const UNBUFFERED: u64 = 2;
    let id = stream(m, st, c.arg(0), c)?;
    let mode = m.concretise(st, c.arg(2), 32)?;
    change(st, id).unbuffered = mode == UNBUFFERED;
    Flow::int(0)
}

/// `setbuf(stream, buffer)`, `setbuffer(stream, buffer, size)`: without a buffer, writes are not
/// delayed.
fn setbuf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    change(st, id).unbuffered = c.arg(1) == Value::NULL;
    Flow::void()
}

fn feof(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    Flow::int(u64::from(st.world.files.streams.get(id).end))
}

fn ferror(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    Flow::int(u64::from(st.world.files.streams.get(id).error))
}

fn clearerr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    set_flags(m, st, id, false, false);
    Flow::void()
}

fn fileno(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    match st.world.files.streams.get(id).descriptor {
        Some(number) => Flow::int(u64::from(number)),
        None => errno::fail(m, st, c, errno::EBADF),
    }
}

/// `fflush(stream)`, or of all streams.
fn fflush(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if c.arg(0) == Value::NULL {
        return match flush_each(m, st)? {
            true => Flow::int(0),
            false => end(c),
        };
    }
    let id = stream(m, st, c.arg(0), c)?;
    let done = flush(m, st, id)?;
    if st.world.files.streams.get(id).readable {
        give_back(st, id);
    }
    match done {
        true => Flow::int(0),
        false => end(c),
    }
}

/// Returns `EOF`, or another -1.
pub fn end(c: &Call) -> Res<Flow> {
    let width = c.returns.first().copied().unwrap_or(32).clamp(1, 64);
    Flow::int(u64::MAX >> (64 - width))
}
