//! Models of opening and closing streams.

use super::super::files::Errno;
use super::super::files::descriptors::closing;
use super::super::files::open::{OpenRequest, open_file};
use super::{change, choose_flush, description, end, give_back, stream, streams, write_out};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::Res;
use crate::models::heap;
use crate::models::libc::errno::{self, EBADF, EINVAL};
use crate::models::libc::files::{files, transfer};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::streams::{Stream, StreamId};
use symex_memory::Initial;
use symex_terms::Value;
use symex_types::outcome::{Failure, Unsupported};

pub const ROWS: &[Row] = &[
    row("fopen", fopen),
    row("fopen64", fopen),
    row("fdopen", fdopen),
    row("freopen", freopen),
    row("freopen64", freopen),
    row("tmpfile", tmpfile),
    row("tmpfile64", tmpfile),
    row("fclose", fclose),
];

/// Size of glibc's `FILE` on x86-64, in bytes.
const FILE: u64 = 216;

fn null(m: &mut Executor, st: &mut State, code: Errno) -> Res<Flow> {
    errno::set(m, st, code);
    Flow::value(Value::NULL)
}

/// Parses a mode like `r+b` to a request of `open`; `None` if it is no mode.
fn mode(m: &mut Executor, st: &mut State, text: Value) -> Res<Option<OpenRequest>> {
    let text = m.read_c_string(st, text)?;
    let Some((first, rest)) = text.split_first() else {
        return Ok(None);
    };
    let rest = rest.split(|byte| *byte == b',').next().unwrap_or_default();
    let update = rest.contains(&b'+');
    let mut request = OpenRequest {
        readable: *first == b'r' || update,
        writable: *first != b'r' || update,
        create: *first != b'r',
        truncate: *first == b'w',
        append: *first == b'a',
        exclusive: rest.contains(&b'x'),
        close_on_exec: rest.contains(&b'e'),
        mode: 0o666,
        ..OpenRequest::default()
    };
    request.exclusive &= request.create;
    Ok(b"rwa".contains(first).then_some(request))
}

/// Makes a stream on a descriptor.
fn start(m: &mut Executor, st: &mut State, number: u32, request: OpenRequest) -> Res<Flow> {
    let object = heap::allocate_untracked(m, st, Extent::known(FILE), 4, Initial::Zero)?;
    let stream = Stream::new(number, request.readable, request.writable);
    streams(st).add(object, stream);
    Flow::value(Value::Ptr(object, 0))
}

/// `fopen(path, mode)`.
fn fopen(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some(request) = mode(m, st, c.arg(1))? else {
        return null(m, st, EINVAL);
    };
    let here = Ok(st.world.files.working_directory);
    match open_file(m, st, here, c.arg(0), request)? {
        Ok(number) => start(m, st, number, request),
        Err(code) => null(m, st, code),
    }
}

/// `fdopen(descriptor, mode)`.
fn fdopen(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let number = m.concretise(st, c.arg(0), 32)?;
    let Some(request) = mode(m, st, c.arg(1))? else {
        return null(m, st, EINVAL);
    };
    let id = match transfer::description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return null(m, st, code),
    };
    let open = st.world.files.description(id);
    if request.readable && !open.readable || request.writable && !open.writable {
        return null(m, st, EINVAL);
    }
    if request.append {
        const APPEND: u64 = 0x400;
        let open = files(st).description_mut(id);
        open.append = true;
        open.flags |= APPEND;
    }
    start(m, st, number as u32, request)
}

/// Finishes a stream's work on its file. False: something failed.
fn finish(m: &mut Executor, st: &mut State, id: StreamId) -> Res<bool> {
    let number = st.world.files.streams.get(id).descriptor;
    let unwritten = choose_flush(m, st, id, 0)?;
    let asked = number.map(closing);
    let unclosed = match &asked {
        Some(asked) if description(st, id).is_ok() => {
            asked.choose(m, st, u32::from(unwritten.is_some()))?
        }
        _ => None,
    };
    let flushed = leave(m, st, id, unwritten)?;
    if let Some(asked) = asked {
        asked.settle(m, st, unclosed);
    }
    let closed = number.is_some_and(|number| files(st).close(u64::from(number)));
    let error = match unclosed {
        Some(Failure::Error(code)) => Some(u64::from(code)),
        _ if !closed => Some(EBADF),
        _ => None,
    };
    if let Some(code) = error {
        errno::set(m, st, code);
    }
    change(st, id).descriptor = None;
    Ok(flushed && error.is_none())
}

/// Writes a stream's pending data, and drops its read-ahead.
fn leave(m: &mut Executor, st: &mut State, id: StreamId, how: Option<Failure>) -> Res<bool> {
    let flushed = write_out(m, st, id, how)?;
    if st.world.files.streams.get(id).readable {
        give_back(st, id);
    }
    Ok(flushed)
}

/// Closes the old file of a failed `freopen`.
pub fn abandon(m: &mut Executor, st: &mut State, c: &Call) -> Res<()> {
    let id = stream(m, st, c.arg(2), c)?;
    let how = choose_flush(m, st, id, 1)?;
    leave(m, st, id, how)?;
    drop_file(m, st, id);
    Ok(())
}

/// Closes the file of a stream without reporting a failure to the program.
fn drop_file(m: &mut Executor, st: &mut State, id: StreamId) {
    if let Some(number) = change(st, id).descriptor.take() {
        closing(number).settle(m, st, None);
        files(st).close(u64::from(number));
    }
}

fn fclose(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    let done = finish(m, st, id)?;
    let object = st.world.files.streams.object_of(id);
    streams(st).remove(id);
    // Those of the library itself are not given back.
    if let Some(object) = object
        && id.0 >= 3
    {
        st.memory.free(object);
    }
    match done {
        true => Flow::int(0),
        false => end(c),
    }
}

/// `freopen(path, mode, stream)`.
fn freopen(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(2), c)?;
    if c.arg(0) == Value::NULL {
        return Err(Unsupported::Model("freopen without a path".into()).into());
    }
    let Some(request) = mode(m, st, c.arg(1))? else {
        return null(m, st, EINVAL);
    };
    // All that depends on inputs is decided before the old file is closed.
    let here = st.world.files.working_directory;
    super::super::files::path::look_up(m, st, Ok(here), c.arg(0))?.ok();
    let how = choose_flush(m, st, id, 0)?;
    leave(m, st, id, how)?;
    match open_file(m, st, Ok(here), c.arg(0), request)? {
        Ok(number) => {
            // It takes the place of the old one, as by dup3.
            let number = match st.world.files.streams.get(id).descriptor {
                Some(old) if st.world.files.description_of(u64::from(old)).is_some() => {
                    closing(number).settle(m, st, None);
                    moved(st, number, old)
                }
                _ => number,
            };
            super::set_flags(m, st, id, false, false);
            *change(st, id) = Stream::new(number, request.readable, request.writable);
            Flow::value(c.arg(2))
        }
        Err(code) => {
            drop_file(m, st, id);
            null(m, st, code)
        }
    }
}

/// Moves an open file from one descriptor to another.
fn moved(st: &mut State, from: u32, to: u32) -> u32 {
    let fs = files(st);
    let Some(id) = fs.description_of(u64::from(from)) else {
        return from;
    };
    fs.duplicate_to(id, to, false);
    fs.close(u64::from(from));
    to
}

/// Performs `tmpfile`: makes a file without a name.
fn tmpfile(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    let request = OpenRequest {
        readable: true,
        writable: true,
        ..OpenRequest::default()
    };
    match files(st).open_unnamed(0o600) {
        Some(number) => start(m, st, number, request),
        None => null(m, st, errno::EMFILE),
    }
}
