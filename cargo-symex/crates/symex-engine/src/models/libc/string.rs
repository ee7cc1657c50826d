//! Models of C strings: `str*`. A length is decided (one path per length) where bytes are copied;
//! comparisons and searches are terms. `strcoll` and the like support the "C" locale only.

use super::bytes::{compare, found_at, length, low_byte, position, search, write};
use super::ctype;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use symex_solver::Purpose;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("strcmp", strcmp),
    row("strcoll", strcmp),
    row("strncmp", strncmp),
    row("strcasecmp", strcasecmp),
    row("strncasecmp", strncasecmp),
    row("strcpy", strcpy),
    row("__strcpy_chk", strcpy),
    row("stpcpy", stpcpy),
    row("__stpcpy", stpcpy),
    row("__stpcpy_chk", stpcpy),
    row("strncpy", strncpy),
    row("__strncpy_chk", strncpy),
    row("stpncpy", stpncpy),
    row("__stpncpy", stpncpy),
    row("strlcpy", strlcpy),
    row("strlcat", strlcat),
    row("strcat", strcat),
    row("__strcat_chk", strcat),
    row("strncat", strncat),
    row("__strncat_chk", strncat),
    row("strchr", strchr),
    row("index", strchr),
    row("strchrnul", strchrnul),
    row("__strchrnul", strchrnul),
    row("strrchr", strrchr),
    row("rindex", strrchr),
    row("strstr", strstr),
    row("strspn", strspn),
    row("strcspn", strcspn),
    row("strpbrk", strpbrk),
    row("strtok_r", strtok_r),
    row("__strtok_r", strtok_r),
    row("strsep", strsep),
    row("strtok", strtok),
];

/// A NUL-terminated string of known length, without its terminator.
struct KnownString {
    object: ObjectId,
    offset: u64,
    len: u64,
}

impl KnownString {
    fn ptr(&self) -> Value {
        Value::Ptr(self.object, self.offset)
    }
}

/// Reads a string of at most `most` bytes; its length is decided.
fn text(m: &mut Executor, st: &mut State, ptr: Value, most: u64) -> Res<KnownString> {
    if most == 0 {
        return Ok(KnownString {
            object: ObjectId(0),
            offset: 0,
            len: 0,
        });
    }
    let (object, offset) = m.check_range(st, ptr, 1, Access::Read)?;
    let len = length(m, st, Value::Ptr(object, offset), most)?;
    Ok(KnownString {
        object,
        offset,
        len,
    })
}

fn bytes_of(m: &mut Executor, st: &mut State, t: &KnownString) -> Res<Vec<Value>> {
    if t.len == 0 {
        return Ok(Vec::new());
    }
    m.read_bytes(st, t.ptr(), t.len)
}

/// Reads two strings as far as needed to compare them: to the first index where both have certainly
/// ended, they certainly differ, or `most`. Running out of an object is reported for the inputs
/// that get there.
fn heads(
    m: &mut Executor,
    st: &mut State,
    a: Value,
    b: Value,
    most: u64,
    fold: bool,
) -> Res<(Vec<Value>, Vec<Value>)> {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    if most == 0 {
        return Ok((xs, ys));
    }
    let (x, xo) = m.check_range(st, a, 1, Access::Read)?;
    let (y, yo) = m.check_range(st, b, 1, Access::Read)?;
    // Do both strings go on equally to here?
    let mut reached = m.pool.bool(true);
    for i in 0..most {
        let room = |st: &State, o: ObjectId, at: u64| at + i < st.memory.object(o).size;
        let (room_x, room_y) = (room(st, x, xo), room(st, y, yo));
        if !room_x || !room_y {
            // Whoever gets here reads out of bounds; the others have found a difference or the end.
            if m.split(st, reached, Purpose::Bounds)? {
                let (o, at) = if room_x { (y, yo) } else { (x, xo) };
                m.check_range(st, Value::Ptr(o, at), i + 1, Access::Read)?;
            }
            break;
        }
        for (o, at) in [(x, xo), (y, yo)] {
            m.require_byte(st, o, at + i, reached)?;
        }
        let mut u = st.memory.load(&mut m.pool, x, xo + i, 8);
        let mut v = st.memory.load(&mut m.pool, y, yo + i, 8);
        if fold {
            u = ctype::lower_byte(m, st, u);
            v = ctype::lower_byte(m, st, v);
        }
        xs.push(u);
        ys.push(v);
        let (u, v) = (m.term(st, u, 8), m.term(st, v, 8));
        let same = m.pool.eq(u, v);
        let zero = m.pool.constant(8, 0);
        let probe = if m.pool.as_const(v).is_some() { v } else { u };
        let goes_on = m.pool.ne(probe, zero);
        let on = m.pool.and(same, goes_on);
        reached = m.pool.and(reached, on);
        if m.pool.as_const(on) == Some(0) || m.pool.as_const(reached) == Some(0) {
            break;
        }
    }
    Ok((xs, ys))
}

fn strcmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (a, b) = heads(m, st, c.arg(0), c.arg(1), u64::MAX, false)?;
    Flow::value(compare(m, st, &a, &b, true))
}

fn strncmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let most = m.concretise(st, c.arg(2), 64)?;
    let (a, b) = heads(m, st, c.arg(0), c.arg(1), most, false)?;
    Flow::value(compare(m, st, &a, &b, true))
}

fn strcasecmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (a, b) = heads(m, st, c.arg(0), c.arg(1), u64::MAX, true)?;
    Flow::value(compare(m, st, &a, &b, true))
}

fn strncasecmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let most = m.concretise(st, c.arg(2), 64)?;
    let (a, b) = heads(m, st, c.arg(0), c.arg(1), most, true)?;
    Flow::value(compare(m, st, &a, &b, true))
}

/// Copies a whole string with its terminator; returns its length.
fn copy_text(m: &mut Executor, st: &mut State, to: Value, from: Value) -> Res<u64> {
    let t = text(m, st, from, u64::MAX)?;
    m.copy(st, to, t.ptr(), Value::Int(t.len + 1), false)?;
    Ok(t.len)
}

fn strcpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    copy_text(m, st, c.arg(0), c.arg(1))?;
    Flow::value(c.arg(0))
}

fn stpcpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = copy_text(m, st, c.arg(0), c.arg(1))?;
    Flow::value(m.offset_pointer(st, c.arg(0), len))
}

/// Performs `strncpy`: the rest of the `n` bytes becomes zero. Returns the length copied.
fn copy_padded(m: &mut Executor, st: &mut State, c: &Call) -> Res<u64> {
    let n = m.concretise(st, c.arg(2), 64)?;
    let from = text(m, st, c.arg(1), n)?;
    let mut bytes = bytes_of(m, st, &from)?;
    if n > 0 {
        m.check_range(st, c.arg(0), n, Access::Write)?;
        m.check_apart(st, c.arg(0), from.ptr(), n.min(from.len + 1))?;
    }
    bytes.resize(n as usize, Value::Int(0));
    write(m, st, c.arg(0), &bytes)?;
    Ok(from.len)
}

fn strncpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    copy_padded(m, st, c)?;
    Flow::value(c.arg(0))
}

fn stpncpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = copy_padded(m, st, c)?;
    Flow::value(m.offset_pointer(st, c.arg(0), len))
}

/// Appends at most `most` bytes of `from` and a terminator. What is written must be apart from what
/// is read, to which the terminator belongs where it is within `most`.
fn append(m: &mut Executor, st: &mut State, to: Value, from: Value, most: u64) -> Res<()> {
    let before = text(m, st, to, u64::MAX)?;
    let t = text(m, st, from, most)?;
    let mut bytes = bytes_of(m, st, &t)?;
    bytes.push(Value::Int(0));
    let end = m.offset_pointer(st, before.ptr(), before.len);
    m.check_apart(st, end, t.ptr(), most.min(t.len + 1))?;
    write(m, st, end, &bytes)
}

fn strcat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    append(m, st, c.arg(0), c.arg(1), u64::MAX)?;
    Flow::value(c.arg(0))
}

fn strncat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let most = m.concretise(st, c.arg(2), 64)?;
    append(m, st, c.arg(0), c.arg(1), most)?;
    Flow::value(c.arg(0))
}

/// `strlcpy(to, from, size)`: always terminates if there is any room; returns the length of `from`.
fn strlcpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(2), 64)?;
    let t = text(m, st, c.arg(1), u64::MAX)?;
    let mut bytes = bytes_of(m, st, &t)?;
    if size > 0 {
        bytes.truncate((size - 1) as usize);
        bytes.push(Value::Int(0));
        write(m, st, c.arg(0), &bytes)?;
    }
    Flow::int(t.len)
}

fn strlcat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(2), 64)?;
    let before = text(m, st, c.arg(0), size)?.len;
    let t = text(m, st, c.arg(1), u64::MAX)?;
    let mut bytes = bytes_of(m, st, &t)?;
    if before < size {
        bytes.truncate((size - before - 1) as usize);
        bytes.push(Value::Int(0));
        let end = m.offset_pointer(st, c.arg(0), before);
        write(m, st, end, &bytes)?;
    }
    Flow::int(before + t.len)
}

fn strchr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let t = text(m, st, c.arg(0), u64::MAX)?;
    let mut bytes = bytes_of(m, st, &t)?;
    bytes.push(Value::Int(0));
    let wanted = low_byte(m, st, c.arg(1));
    let (found, index) = position(m, st, &bytes, wanted);
    found_at(m, st, t.ptr(), found, index)
}

/// Performs `strchrnul`: as `strchr`, but returns the end of the string instead of null.
fn strchrnul(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let t = text(m, st, c.arg(0), u64::MAX)?;
    let bytes = bytes_of(m, st, &t)?;
    let wanted = low_byte(m, st, c.arg(1));
    let (found, index) = position(m, st, &bytes, wanted);
    if m.split(st, found, Purpose::Branch)? {
        let yes = m.pool.bool(true);
        return found_at(m, st, t.ptr(), yes, index);
    }
    Flow::value(m.offset_pointer(st, t.ptr(), t.len))
}

fn strrchr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let t = text(m, st, c.arg(0), u64::MAX)?;
    let mut bytes = bytes_of(m, st, &t)?;
    bytes.push(Value::Int(0));
    bytes.reverse();
    let wanted = low_byte(m, st, c.arg(1));
    let (found, index) = position(m, st, &bytes, wanted);
    let last = m.pool.constant(64, t.len as u128);
    let index = m.pool.sub(last, index);
    found_at(m, st, t.ptr(), found, index)
}

fn strstr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let needle = text(m, st, c.arg(1), u64::MAX)?;
    let needle = bytes_of(m, st, &needle)?;
    let hay = text(m, st, c.arg(0), u64::MAX)?;
    let bytes = bytes_of(m, st, &hay)?;
    search(m, st, hay.ptr(), &bytes, &needle)
}

/// Returns the length of a string's prefix whose bytes are (or are not) in a set, forking a path
/// per length.
fn span(
    m: &mut Executor,
    st: &mut State,
    string: &KnownString,
    set: Value,
    inside: bool,
) -> Res<u64> {
    let set = text(m, st, set, u64::MAX)?;
    let set = bytes_of(m, st, &set)?;
    let bytes = bytes_of(m, st, string)?;
    for (i, b) in bytes.iter().enumerate() {
        let (member, _) = position(m, st, &set, *b);
        if m.split(st, member, Purpose::Branch)? != inside {
            return Ok(i as u64);
        }
    }
    Ok(string.len)
}

fn strspn(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let t = text(m, st, c.arg(0), u64::MAX)?;
    let n = span(m, st, &t, c.arg(1), true)?;
    Flow::int(n)
}

fn strcspn(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let t = text(m, st, c.arg(0), u64::MAX)?;
    let n = span(m, st, &t, c.arg(1), false)?;
    Flow::int(n)
}

fn strpbrk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let t = text(m, st, c.arg(0), u64::MAX)?;
    let n = span(m, st, &t, c.arg(1), false)?;
    if n == t.len {
        return Flow::value(Value::NULL);
    }
    Flow::value(m.offset_pointer(st, t.ptr(), n))
}

/// `strtok_r(string, delimiters, save)`.
fn strtok_r(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (save, at) = m.check_range(st, c.arg(2), 8, Access::Write)?;
    let from = match c.arg(0) {
        Value::Int(0) => st.memory.load(&mut m.pool, save, at, 64),
        other => other,
    };
    if from == Value::NULL {
        return Flow::value(Value::NULL);
    }
    let whole = text(m, st, from, u64::MAX)?;
    let skipped = span(m, st, &whole, c.arg(1), true)?;
    let token = KnownString {
        object: whole.object,
        offset: whole.offset + skipped,
        len: whole.len - skipped,
    };
    let len = span(m, st, &token, c.arg(1), false)?;
    let end = m.offset_pointer(st, token.ptr(), len);
    if len < token.len {
        write(m, st, end, &[Value::Int(0)])?;
        let next = m.offset_pointer(st, end, 1);
        st.memory.store(&mut m.pool, save, at, 64, next);
    } else {
        st.memory.store(&mut m.pool, save, at, 64, end);
    }
    if token.len == 0 {
        return Flow::value(Value::NULL);
    }
    Flow::value(token.ptr())
}

/// `strsep(string, delimiters)`.
fn strsep(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (place, at) = m.check_range(st, c.arg(0), 8, Access::Write)?;
    let from = st.memory.load(&mut m.pool, place, at, 64);
    if from == Value::NULL {
        return Flow::value(Value::NULL);
    }
    let whole = text(m, st, from, u64::MAX)?;
    let len = span(m, st, &whole, c.arg(1), false)?;
    let mut rest = Value::NULL;
    if len < whole.len {
        let end = m.offset_pointer(st, whole.ptr(), len);
        write(m, st, end, &[Value::Int(0)])?;
        rest = m.offset_pointer(st, end, 1);
    }
    st.memory.store(&mut m.pool, place, at, 64, rest);
    Flow::value(whole.ptr())
}

fn strtok(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Unsupported::Model("strtok: use strtok_r, which needs no hidden state".into()).into())
}
