//! Models of reading from streams. The end of a line is decided, with a path for each length; the
//! bytes stay terms.

use super::{STDIN, change, end, peek, standard, stream};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::Res;
use crate::models::heap;
use crate::models::libc::bytes::{low_byte, write};
use crate::models::libc::{alloc, errno};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::streams::StreamId;
use symex_memory::{Allocator, Initial};
use symex_solver::Purpose;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("getchar", getchar),
    row("getchar_unlocked", getchar),
    row("getc", fgetc),
    row("getc_unlocked", fgetc),
    row("fgetc", fgetc),
    row("fgetc_unlocked", fgetc),
    row("_IO_getc", fgetc),
    row("__uflow", fgetc),
    row("getw", getw),
    row("ungetc", ungetc),
    row("gets", gets),
    row("fgets", fgets),
    row("fgets_unlocked", fgets),
    row("__fgets_chk", fgets_checked),
    row("getline", getline),
    row("__getdelim", getdelim),
    row("getdelim", getdelim),
    row("fread", fread),
    row("fread_unlocked", fread),
    row("__fread_chk", fread_checked),
];

/// Reads one byte, or returns `EOF`.
fn get(m: &mut Executor, st: &mut State, id: StreamId, c: &Call) -> Res<Flow> {
    let Some(byte) = peek(m, st, id, 0)? else {
        return end(c);
    };
    change(st, id).give(1);
    let byte = m.term(st, byte, 8);
    let wide = m.pool.zext(byte, 32);
    Flow::value(m.pool.value(wide))
}

fn getchar(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDIN, c)?;
    get(m, st, id, c)
}

fn fgetc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    get(m, st, id, c)
}

/// `getw(stream)`: reads a word in the machine's own byte order.
fn getw(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(0), c)?;
    let bytes = upcoming(m, st, id, 4)?;
    change(st, id).give(bytes.len());
    if bytes.len() < 4 {
        return end(c);
    }
    let mut word = m.term(st, bytes[0], 8);
    for byte in &bytes[1..] {
        let byte = m.term(st, *byte, 8);
        word = m.pool.concat(byte, word);
    }
    Flow::value(m.pool.value(word))
}

/// `ungetc(byte, stream)`.
fn ungetc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = stream(m, st, c.arg(1), c)?;
    let byte = match c.arg(0) {
        Value::Int(byte) if byte == u64::from(u32::MAX) => return end(c),
        Value::Int(byte) => Value::Int(byte & 0xff),
        other => {
            let word = m.term(st, other, 32);
            let none = m.pool.constant(32, u128::from(u32::MAX));
            let is_none = m.pool.eq(word, none);
            if m.split(st, is_none, Purpose::Branch)? {
                return end(c);
            }
            low_byte(m, st, other)
        }
    };
    if !st.world.files.streams.get(id).readable {
        return end(c);
    }
    let error = st.world.files.streams.get(id).error;
    super::set_flags(m, st, id, false, error);
    change(st, id).pushed.push(byte);
    let byte = m.term(st, byte, 8);
    let wide = m.pool.zext(byte, 32);
    Flow::value(m.pool.value(wide))
}

/// Returns the next bytes of a stream, as many as there are up to a number, without consuming them.
fn upcoming(m: &mut Executor, st: &mut State, id: StreamId, most: u64) -> Res<Vec<Value>> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < most {
        match peek(m, st, id, bytes.len())? {
            Some(byte) => bytes.push(byte),
            None => break,
        }
    }
    Ok(bytes)
}

/// Returns the bytes of a line, with the byte that ends it if there is one; at most `most`. Whether
/// each is the end is decided.
fn line(
    m: &mut Executor,
    st: &mut State,
    id: StreamId,
    stop: Value,
    most: u64,
) -> Res<(Vec<Value>, bool)> {
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < most {
        let Some(byte) = peek(m, st, id, bytes.len())? else {
            return Ok((bytes, false));
        };
        bytes.push(byte);
        let ends = match (byte, stop) {
            (Value::Int(byte), Value::Int(stop)) => byte == stop,
            _ => {
                let (byte, stop) = (m.term(st, byte, 8), m.term(st, stop, 8));
                let ends = m.pool.eq(byte, stop);
                m.split(st, ends, Purpose::Branch)?
            }
        };
        if ends {
            return Ok((bytes, true));
        }
    }
    Ok((bytes, true))
}

const NEWLINE: Value = Value::Int(b'\n' as u64);

/// `fgets(to, size, stream)`.
fn fgets(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 32)?;
    read_line(m, st, c, c.arg(2), size)
}

/// `__fgets_chk(to, room, size, stream)`.
fn fgets_checked(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(2), 32)?;
    read_line(m, st, c, c.arg(3), size)
}

fn read_line(m: &mut Executor, st: &mut State, c: &Call, file: Value, size: u64) -> Res<Flow> {
    let id = stream(m, st, file, c)?;
    let most = match size as u32 as i32 {
        ..=0 => return Flow::value(Value::NULL),
        size => size as u64 - 1,
    };
    let (mut text, complete) = line(m, st, id, NEWLINE, most)?;
    let count = text.len();
    if count == 0 && !complete {
        return Flow::value(Value::NULL);
    }
    // Not at the end: it could not be read on, unless there was only nothing more yet.
    let failed = !complete && !st.world.files.streams.get(id).end;
    if failed && errno::value(m, st) != Value::Int(errno::EAGAIN) {
        write(m, st, c.arg(0), &text)?;
        change(st, id).give(count);
        return Flow::value(Value::NULL);
    }
    text.push(Value::Int(0));
    write(m, st, c.arg(0), &text)?;
    change(st, id).give(count);
    Flow::value(c.arg(0))
}

/// `gets(to)`: a line without its end, of any length.
fn gets(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = standard(m, st, STDIN, c)?;
    let (mut text, complete) = line(m, st, id, NEWLINE, u64::MAX)?;
    let count = text.len();
    if count == 0 {
        return Flow::value(Value::NULL);
    }
    if complete {
        text.pop();
    }
    text.push(Value::Int(0));
    write(m, st, c.arg(0), &text)?;
    change(st, id).give(count);
    Flow::value(c.arg(0))
}

/// `getline(to, size, stream)`.
fn getline(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    delimited(m, st, c, NEWLINE, c.arg(2))
}

/// `getdelim(to, size, stop, stream)`.
fn getdelim(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let stop = low_byte(m, st, c.arg(2));
    delimited(m, st, c, stop, c.arg(3))
}

fn delimited(m: &mut Executor, st: &mut State, c: &Call, stop: Value, file: Value) -> Res<Flow> {
    /// Initial size of glibc's buffer in bytes.
    const FIRST: u64 = 120;
    let id = stream(m, st, file, c)?;
    let (text_at, at) = m.check_range(st, c.arg(0), 8, Access::Write)?;
    let (size_at, size_offset) = m.check_range(st, c.arg(1), 8, Access::Write)?;
    let old = m.load(st, c.arg(0), 64, 0)?;
    let size = m.load(st, c.arg(1), 64, 0)?;
    // As glibc has it.
    if st.world.files.streams.get(id).error {
        return end(c);
    }
    let (mut text, _) = line(m, st, id, stop, u64::MAX)?;
    let count = text.len();
    if count == 0 {
        return end(c);
    }
    text.push(Value::Int(0));
    let need = text.len() as u64;
    let room = if old == Value::NULL {
        0
    } else {
        m.concretise(st, size, 64)?
    };
    if room >= need {
        write(m, st, old, &text)?;
    } else {
        let size = Extent::known(need.max(FIRST).max(2 * room));
        let object: ObjectId = match heap::object_to_free(m, st, old, Allocator::C)? {
            Some(object) => heap::reallocate(m, st, object, size, 4)?,
            None => heap::allocate(m, st, size, 4, Initial::Uninit)?,
        };
        let buffer = Value::Ptr(object, 0);
        write(m, st, buffer, &text)?;
        st.memory.store(&mut m.pool, text_at, at, 64, buffer);
        let size = size.value();
        st.memory.store(&mut m.pool, size_at, size_offset, 64, size);
    }
    change(st, id).give(count);
    Flow::int(count as u64)
}

/// `fread(to, size, count, stream)`.
fn fread(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    read_items(m, st, c, 1)
}

/// `__fread_chk(to, room, size, count, stream)`.
fn fread_checked(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    read_items(m, st, c, 2)
}

/// Reads items, with the arguments from a leaf on.
fn read_items(m: &mut Executor, st: &mut State, c: &Call, at: usize) -> Res<Flow> {
    let id = stream(m, st, c.arg(at + 2), c)?;
    let size = m.concretise(st, c.arg(at), 64)?;
    let count = c.arg(at + 1);
    let Some(total) = alloc::product(m, st, Value::Int(size), count)? else {
        return Err(Unsupported::Model("fread of more than memory holds".into()).into());
    };
    let total = m.concretise(st, total, 64)?;
    if total == 0 {
        return Flow::int(0);
    }
    let bytes = upcoming(m, st, id, total)?;
    write(m, st, c.arg(0), &bytes)?;
    change(st, id).give(bytes.len());
    Flow::int(bytes.len() as u64 / size)
}
