//! Models of stream positions.

use super::{description, end, flush, give_back, set_flags, stream};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno;
use crate::models::libc::files::{files, size};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::streams::StreamId;
use symex_terms::Value;

pub const ROWS: &[Row] = &[
    row("fseek", fseek),
    row("fseeko", fseek),
    row("fseeko64", fseek),
    row("ftell", ftell),
    row("ftello", ftell),
    row("ftello64", ftell),
    row("rewind", rewind),
    row("fgetpos", fgetpos),
    row("fgetpos64", fgetpos),
    row("fsetpos", fsetpos),
    row("fsetpos64", fsetpos),
];

const FROM_START: Value = Value::Int(0);
const FROM_HERE: Value = Value::Int(1);

/// Moves a stream. False: that failed, and `errno` is set.
fn seek(m: &mut Executor, st: &mut State, id: StreamId, offset: Value, whence: Value) -> Res<bool> {
    // Where the program is, not the file it reads ahead of.
    if !flush(m, st, id)? {
        return Ok(false);
    }
    let open = match description(st, id) {
        Ok(open) => open,
        Err(code) => {
            errno::set(m, st, code);
            return Ok(false);
        }
    };
    // A pipe keeps what was read ahead.
    if let Err(code) = size::seek_to(m, st, open, Value::Int(0), FROM_HERE)? {
        errno::set(m, st, code);
        return Ok(false);
    }
    let pushed = st.world.files.streams.get(id).pushed.len() as u64;
    give_back(st, id);
    let here = &mut files(st).description_mut(open).offset;
    *here = here.saturating_sub(pushed);
    match size::seek_to(m, st, open, offset, whence)? {
        Ok(to) => {
            files(st).description_mut(open).offset = to;
            let error = st.world.files.streams.get(id).error;
            set_flags(m, st, id, false, error);
            Ok(true)
        }
        Err(code) => {
            errno::set(m, st, code);
            Ok(false)
        }
    }
}

/// `fseek(stream, offset, whence)`.
fn fseek(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    match seek(m, st, id, c.arg(1), c.arg(2))? {
        true => Flow::int(0),
        false => end(c),
    }
}

/// Returns the position of a stream; an error number if its file is not seekable.
fn tell(m: &mut Executor, st: &mut State, id: StreamId) -> Res<Result<u64, u64>> {
    let open = match description(st, id) {
        Ok(open) => open,
        Err(code) => return Ok(Err(code)),
    };
    let at = size::seek_to(m, st, open, Value::Int(0), FROM_HERE)?;
    let stream = st.world.files.streams.get(id);
    let (waiting, pending) = (stream.waiting() as u64, stream.pending.len() as u64);
    let appends = st.world.files.description(open).append && pending > 0;
    let at = match at {
        Ok(_) if appends => {
            let node = st.world.files.description(open).node;
            Ok(st.world.files.size(node))
        }
        at => at,
    };
    Ok(at.map(|at| (at + pending).saturating_sub(waiting)))
}

fn ftell(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    match tell(m, st, id)? {
        Ok(at) => Flow::int(at),
        Err(code) => errno::fail(m, st, c, code),
    }
}

fn rewind(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    seek(m, st, id, Value::Int(0), FROM_START)?;
    let end = st.world.files.streams.get(id).end;
    set_flags(m, st, id, end, false);
    Flow::void()
}

/// `fgetpos(stream, to)`: stores the position, and an initial decoding state.
fn fgetpos(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    let (object, offset) = m.check_range(st, c.arg(1), 16, Access::Write)?;
    match tell(m, st, id)? {
        Ok(at) => {
            for (offset, value) in [(offset, at), (offset + 8, 0)] {
                st.memory
                    .store(&mut m.pool, object, offset, 64, Value::Int(value));
            }
            Flow::int(0)
        }
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `fsetpos(stream, from)`.
fn fsetpos(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    let at = m.load(st, c.arg(1), 64, 3)?;
    match seek(m, st, id, at, FROM_START)? {
        true => Flow::int(0),
        false => end(c),
    }
}
