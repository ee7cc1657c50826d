//! Models of writing to streams.

use super::{
    BUFFER, STDERR, STDOUT, change, choose_write, end, give_back, set_error, sink, standard,
    stream, write_out,
};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::libc::bytes::{length, low_byte};
use crate::models::libc::{alloc, errno};
use crate::models::peek;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::known;
use crate::state::output::OutputPiece;
use crate::state::streams::StreamId;
use std::rc::Rc;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("puts", puts),
    row("putchar", putchar),
    row("putchar_unlocked", putchar),
    row("putc", fputc),
    row("putc_unlocked", fputc),
    row("fputc", fputc),
    row("fputc_unlocked", fputc),
    row("_IO_putc", fputc),
    row("__overflow", overflow),
    row("putw", putw),
    row("fputs", fputs),
    row("fputs_unlocked", fputs),
    row("fwrite", fwrite),
    row("fwrite_unlocked", fwrite),
    row("perror", perror),
    row("strerror", strerror),
    row("strerror_r", strerror_r),
    row("__xpg_strerror_r", strerror_r),
];

/// Writes bytes to a stream. False: it cannot be written, and its error flag is set.
pub fn write(m: &mut Executor, st: &mut State, id: StreamId, bytes: Vec<Value>) -> Res<bool> {
    if !ready(m, st, id)? {
        return Ok(false);
    }
    write_text(
        m,
        st,
        id,
        bytes.into_iter().map(OutputPiece::Byte).collect(),
    )
}

/// Writes as [`write()`] does, for text, to a stream that is [`ready`].
pub fn write_text(
    m: &mut Executor,
    st: &mut State,
    id: StreamId,
    text: Vec<OutputPiece>,
) -> Res<bool> {
    if text.is_empty() {
        return Ok(true);
    }
    let pending = st.world.files.streams.get(id).pending.len() + text.len();
    if pending < BUFFER && is_kept(m, st, id) {
        Rc::make_mut(&mut change(st, id).pending).extend(text);
        return Ok(true);
    }
    let how = choose_write(m, st, id, 0)?;
    Rc::make_mut(&mut change(st, id).pending).extend(text);
    write_out(m, st, id, how)
}

/// Reports whether writes to a stream are buffered. Output to standard output is not buffered, so
/// that all of it is seen; but where calls may fail, it matters which call writes it.
fn is_kept(m: &Executor, st: &State, id: StreamId) -> bool {
    let unbuffered = st.world.files.streams.get(id).unbuffered;
    !unbuffered && (sink(st, id).is_none() || m.config.world.max_fail > 0)
}

/// Prepares a stream for writing, if it can be written.
pub fn ready(m: &mut Executor, st: &mut State, id: StreamId) -> Res<bool> {
    let stream = st.world.files.streams.get(id);
    if !stream.writable || stream.descriptor.is_none() {
        set_error(m, st, id, errno::EBADF);
        return Ok(false);
    }
    if stream.waiting() > 0 {
        give_back(st, id);
    }
    Ok(true)
}

fn puts(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDOUT, c)?;
    let len = length(m, st, c.arg(0), u64::MAX)?;
    let mut text = m.read_bytes(st, c.arg(0), len)?;
    text.push(Value::Int(b'\n' as u64));
    match write(m, st, id, text)? {
        true => Flow::int(len + 1),
        false => end(c),
    }
}

/// Writes one byte and returns it.
fn put_byte(m: &mut Executor, st: &mut State, id: StreamId, v: Value, c: &Call) -> Res<Flow> {
    let byte = low_byte(m, st, v);
    if !write(m, st, id, vec![byte])? {
        return end(c);
    }
    let e = m.term(st, byte, 8);
    let wide = m.pool.zext(e, 32);
    Flow::value(m.pool.value(wide))
}

fn putchar(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDOUT, c)?;
    put_byte(m, st, id, c.arg(0), c)
}

fn fputc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(1), c)?;
    put_byte(m, st, id, c.arg(0), c)
}

/// `__overflow(stream, byte)`: called by an inline `putc_unlocked`, since no `FILE` here has room
/// of its own.
fn overflow(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    put_byte(m, st, id, c.arg(1), c)
}

/// `putw(word, stream)`.
fn putw(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(1), c)?;
    let word = m.term(st, c.arg(0), 32);
    let bytes = (0..4)
        .map(|i| {
            let byte = m.pool.extract(word, 8 * i, 8);
            m.pool.value(byte)
        })
        .collect();
    match write(m, st, id, bytes)? {
        true => Flow::int(0),
        false => end(c),
    }
}

fn fputs(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(1), c)?;
    let len = length(m, st, c.arg(0), u64::MAX)?;
    let text = m.read_bytes(st, c.arg(0), len)?;
    match write(m, st, id, text)? {
        true => Flow::int(1),
        false => end(c),
    }
}

/// `fwrite(data, size, count, stream)`.
fn fwrite(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(3), c)?;
    let Some(total) = alloc::product(m, st, c.arg(1), c.arg(2))? else {
        return Err(Unsupported::Model("fwrite of more than memory holds".into()).into());
    };
    let total = m.concretise(st, total, 64)?;
    let bytes = m.read_bytes(st, c.arg(0), total)?;
    if total == 0 || !write(m, st, id, bytes)? {
        return Flow::int(0);
    }
    Flow::value(c.arg(2))
}

/// Returns the C library's text of an error number.
pub fn text_of(code: u64) -> String {
    if code == 0 {
        return "Success".to_owned();
    }
    let text = std::io::Error::from_raw_os_error(code as i32).to_string();
    let end = text.rfind(" (os error").unwrap_or(text.len());
    text[..end].to_owned()
}

fn perror(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDERR, c)?;
    let mut text = Vec::new();
    if c.arg(0) != Value::NULL {
        let len = length(m, st, c.arg(0), u64::MAX)?;
        text = m.read_bytes(st, c.arg(0), len)?;
        if len > 0 {
            text.extend(known(b": "));
        }
    }
    let code = errno::value(m, st);
    let code = peek::word(m, st, code, 32);
    text.extend(known(format!("{}\n", text_of(code)).as_bytes()));
    write(m, st, id, text)?;
    Flow::void()
}

/// `strerror(code)`: returns a text that the library owns.
fn strerror(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let code = m.concretise(st, c.arg(0), 32)?;
    let mut text = text_of(code).into_bytes();
    text.push(0);
    let size = text.len() as u64;
    let initial = symex_memory::Initial::Bytes(Rc::from(&text[..]));
    let object = errno::library_object(st, size, initial);
    Flow::value(Value::Ptr(object, 0))
}

/// `strerror_r(code, buffer, size)`: that of POSIX returns a number; GNU's returns a text, which
/// need not be in the buffer.
fn strerror_r(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if c.returns.first() == Some(&64) {
        return strerror(m, st, c);
    }
    let code = m.concretise(st, c.arg(0), 32)?;
    let size = m.concretise(st, c.arg(2), 64)?;
    if size == 0 {
        return Flow::int(errno::ERANGE);
    }
    let mut text = known(text_of(code).as_bytes());
    text.truncate(usize::try_from(size - 1).unwrap_or(usize::MAX));
    text.push(Value::Int(0));
    crate::models::libc::bytes::write(m, st, c.arg(1), &text)?;
    Flow::int(0)
}
