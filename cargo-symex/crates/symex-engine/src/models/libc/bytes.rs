//! Models of operations on blocks of bytes: `mem*`. Comparisons and searches are one term, not a
//! path for each byte.
//!
//! A comparison gives the difference of the first two bytes that differ if all is concrete (as
//! glibc does), and -1, 0 or 1 if it is a term: only the sign is promised, and "is it 0?" is then
//! the plain conjunction of equal bytes.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::bulk::ByteCount;
use crate::exec::path::end::Res;
use crate::models::table::{Row, always, row};
use crate::state::State;
use symex_solver::Purpose;
use symex_terms::{Expr, Value};

pub const ROWS: &[Row] = &[
    always("memcpy", memcpy),
    always("memmove", memmove),
    always("memset", memset),
    always("memcmp", memcmp),
    always("bcmp", bcmp),
    always("strlen", strlen),
    row("__memcpy_chk", memcpy),
    row("__memmove_chk", memmove),
    row("__memset_chk", memset),
    row("mempcpy", mempcpy),
    row("__mempcpy_chk", mempcpy),
    row("bcopy", bcopy),
    row("bzero", bzero),
    row("explicit_bzero", bzero),
    row("memchr", memchr),
    row("memrchr", memrchr),
    row("__memrchr", memrchr),
    row("rawmemchr", rawmemchr),
    row("memmem", memmem),
    row("memccpy", memccpy),
    row("swab", swab),
    row("strnlen", strnlen),
];

fn memcpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.copy(st, c.arg(0), c.arg(1), c.arg(2), false)?;
    Flow::value(c.arg(0))
}

fn memmove(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.copy(st, c.arg(0), c.arg(1), c.arg(2), true)?;
    Flow::value(c.arg(0))
}

fn mempcpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = m.concretise(st, c.arg(2), 64)?;
    m.copy(st, c.arg(0), c.arg(1), Value::Int(len), false)?;
    Flow::value(m.offset_pointer(st, c.arg(0), len))
}

/// `bcopy(from, to, n)`.
fn bcopy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.copy(st, c.arg(1), c.arg(0), c.arg(2), true)?;
    Flow::void()
}

fn memset(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let byte = low_byte(m, st, c.arg(1));
    m.fill(st, c.arg(0), byte, c.arg(2))?;
    Flow::value(c.arg(0))
}

fn bzero(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    m.fill(st, c.arg(0), Value::Int(0), c.arg(1))?;
    Flow::void()
}

/// Returns the byte of an `int`, as which C passes it.
pub fn low_byte(m: &mut Executor, st: &State, v: Value) -> Value {
    match v {
        Value::Int(v) => Value::Int(v & 0xff),
        Value::Undef => Value::Undef,
        other => {
            let e = m.term(st, other, 32);
            let low = m.pool.extract(e, 0, 8);
            m.pool.value(low)
        }
    }
}

/// Compares two sequences of bytes of one length; with `until_zero`, a zero in both ends them.
pub fn compare(m: &mut Executor, st: &State, a: &[Value], b: &[Value], until_zero: bool) -> Value {
    let mut pairs: Vec<(Expr, Expr)> = Vec::new();
    for (x, y) in a.iter().zip(b) {
        if let (Value::Int(x), Value::Int(y)) = (*x, *y) {
            if x == y && !(until_zero && x == 0) {
                continue;
            }
            if pairs.is_empty() {
                return Value::Int((x as u32).wrapping_sub(y as u32) as u64);
            }
            if x == y {
                // Both end here, whatever came before.
                break;
            }
            let pair = (m.pool.constant(8, x as u128), m.pool.constant(8, y as u128));
            pairs.push(pair);
            break;
        }
        let pair = (m.term(st, *x, 8), m.term(st, *y, 8));
        pairs.push(pair);
    }
    let (mut equal, mut less) = (m.pool.bool(true), m.pool.bool(false));
    let zero = m.pool.constant(8, 0);
    for (x, y) in pairs.into_iter().rev() {
        let same = m.pool.eq(x, y);
        let below = m.pool.ult(x, y);
        less = m.pool.ite(same, less, below);
        if until_zero {
            // Of two equal bytes, ask the concrete one whether it is the end.
            let probe = if m.pool.as_const(y).is_some() { y } else { x };
            let ends = m.pool.eq(probe, zero);
            let no = m.pool.bool(false);
            let both = m.pool.and(same, ends);
            less = m.pool.ite(both, no, less);
            equal = m.pool.or(ends, equal);
        }
        equal = m.pool.and(same, equal);
    }
    let (none, one, minus) = (
        m.pool.constant(32, 0),
        m.pool.constant(32, 1),
        m.pool.constant(32, u32::MAX as u128),
    );
    let sign = m.pool.ite(less, minus, one);
    let result = m.pool.ite(equal, none, sign);
    m.pool.value(result)
}

/// Reads the bytes of a range; where its offset depends on the input, as terms instead of a path
/// for each offset.
fn read(m: &mut Executor, st: &mut State, ptr: Value, len: u64) -> Res<Vec<Value>> {
    /// Greatest length read at a symbolic offset. Longer ranges are cheaper with their offset
    /// decided.
    const MOST: u64 = 64;
    if len == 0 {
        return Ok(Vec::new());
    }
    let at = m.check_access(st, ptr, len, 0, Access::Read)?;
    let offset = match at.offset {
        Value::Expr(e) if len <= MOST => e,
        offset => {
            let offset = m.concretise(st, offset, 64)?;
            return m.read_bytes(st, Value::Ptr(at.object, offset), len);
        }
    };
    Ok((0..len)
        .map(|i| {
            let i = m.pool.constant(64, i as u128);
            let here = m.pool.add(offset, i);
            st.memory.load_symbolic(&mut m.pool, at.object, here, 8)
        })
        .collect())
}

/// Reads the bytes of two ranges of one length. If the length depends on inputs, the greatest
/// possible number is read, and bytes at the length and beyond are made equal.
fn pairs(m: &mut Executor, st: &mut State, c: &Call) -> Res<(Vec<Value>, Vec<Value>)> {
    let len = match m.span(st, c.arg(2))? {
        ByteCount::Known(len) => len,
        ByteCount::Symbolic(len) => {
            let a = m.read_span(st, c.arg(0), len)?;
            let b = m.read_span(st, c.arg(1), len)?;
            match (a, b) {
                (Some(a), Some(b)) => return Ok(up_to(m, st, a, b, len)),
                _ => m.concretise(st, c.arg(2), 64)?,
            }
        }
    };
    Ok((read(m, st, c.arg(0), len)?, read(m, st, c.arg(1), len)?))
}

/// Replaces bytes at the length and beyond by zeros.
fn up_to(
    m: &mut Executor,
    st: &State,
    a: Vec<Value>,
    b: Vec<Value>,
    len: Expr,
) -> (Vec<Value>, Vec<Value>) {
    let pairs = a.into_iter().zip(b).enumerate().map(|(i, (x, y))| {
        let (x, y) = (m.term(st, x, 8), m.term(st, y, 8));
        let (i, zero) = (m.pool.constant(64, i as u128), m.pool.constant(8, 0));
        let within = m.pool.ult(i, len);
        let [x, y] = [x, y].map(|byte| {
            let byte = m.pool.ite(within, byte, zero);
            m.pool.value(byte)
        });
        (x, y)
    });
    pairs.unzip()
}

fn memcmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (a, b) = pairs(m, st, c)?;
    Flow::value(compare(m, st, &a, &b, false))
}

/// Performs `bcmp`: 0 if all bytes are equal, else 1.
fn bcmp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let (a, b) = pairs(m, st, c)?;
    let mut equal = m.pool.bool(true);
    for (x, y) in a.iter().zip(&b) {
        if let (Value::Int(x), Value::Int(y)) = (*x, *y) {
            if x != y {
                return Flow::int(1);
            }
            continue;
        }
        let (x, y) = (m.term(st, *x, 8), m.term(st, *y, 8));
        let same = m.pool.eq(x, y);
        equal = m.pool.and(equal, same);
    }
    let differ = m.pool.not(equal);
    let wide = m.pool.zext(differ, 32);
    Flow::value(m.pool.value(wide))
}

/// Makes the terms whether any byte equals `wanted`, and of the index (64 bits) of the first such
/// byte.
pub fn position(m: &mut Executor, st: &State, bytes: &[Value], wanted: Value) -> (Expr, Expr) {
    let wanted = m.term(st, wanted, 8);
    let (mut found, mut index) = (m.pool.bool(false), m.pool.constant(64, 0));
    // From the last to the first, from the first concrete match on.
    let mut hits = Vec::new();
    for (i, b) in bytes.iter().enumerate() {
        let b = m.term(st, *b, 8);
        let hit = m.pool.eq(b, wanted);
        hits.push((i, hit));
        if m.pool.as_const(hit) == Some(1) {
            break;
        }
    }
    for (i, hit) in hits.into_iter().rev() {
        let here = m.pool.constant(64, i as u128);
        index = m.pool.ite(hit, here, index);
        found = m.pool.or(hit, found);
    }
    (found, index)
}

/// Returns a pointer to the byte found, or null, forking a path for each.
pub fn found_at(
    m: &mut Executor,
    st: &mut State,
    base: Value,
    found: Expr,
    index: Expr,
) -> Res<Flow> {
    if !m.split(st, found, Purpose::Branch)? {
        return Flow::value(Value::NULL);
    }
    let base = m.term(st, base, 64);
    let at = m.pool.add(base, index);
    Flow::value(m.pool.value(at))
}

fn memchr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let wanted = low_byte(m, st, c.arg(1));
    let len = match m.span(st, c.arg(2))? {
        ByteCount::Known(len) => len,
        ByteCount::Symbolic(len) => match find_within(m, st, c.arg(0), wanted, len)? {
            Some((found, index)) => return found_at(m, st, c.arg(0), found, index),
            None => m.concretise(st, c.arg(2), 64)?,
        },
    };
    // C allows a length beyond the object if the byte is found before; so look only as far as the
    // object goes.
    let bytes = prefix(m, st, c.arg(0), len)?;
    let (found, index) = position(m, st, &bytes, wanted);
    if (bytes.len() as u64) < len && m.pool.as_const(found) != Some(1) {
        m.read_bytes(st, c.arg(0), len)?;
    }
    found_at(m, st, c.arg(0), found, index)
}

/// Computes `position` among a symbolic number of bytes; `None` if they may be too many.
fn find_within(
    m: &mut Executor,
    st: &mut State,
    ptr: Value,
    wanted: Value,
    len: Expr,
) -> Res<Option<(Expr, Expr)>> {
    /// Greatest number of bytes searched. Longer objects are cheaper with the length decided.
    const MOST: u64 = 4096;
    let zero = m.pool.constant(64, 0);
    let none = m.pool.eq(len, zero);
    if m.split(st, none, Purpose::Bounds)? {
        return Ok(Some((m.pool.bool(false), zero)));
    }
    let (object, offset) = m.check_range(st, ptr, 1, Access::Read)?;
    let room = st.memory.object(object).size - offset;
    let room = m.range(st, len, room).1;
    if room > MOST {
        return Ok(None);
    }
    let wanted = m.term(st, wanted, 8);
    let (mut found, mut index) = (m.pool.bool(false), zero);
    for i in 0..=room {
        let at = m.pool.constant(64, u128::from(i));
        let (within, missing) = (m.pool.ult(at, len), m.pool.not(found));
        let reached = m.pool.and(within, missing);
        if m.pool.as_const(reached) == Some(0) {
            break;
        }
        // Only who has not found it yet looks at this byte.
        m.require_byte(st, object, offset + i, reached)?;
        if i == room {
            break;
        }
        let byte = st.memory.load(&mut m.pool, object, offset + i, 8);
        let byte = m.term(st, byte, 8);
        let equal = m.pool.eq(byte, wanted);
        let hit = m.pool.and(reached, equal);
        index = m.pool.ite(hit, at, index);
        found = m.pool.or(found, hit);
    }
    Ok(Some((found, index)))
}

fn memrchr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = m.concretise(st, c.arg(2), 64)?;
    let wanted = low_byte(m, st, c.arg(1));
    let mut bytes = m.read_bytes(st, c.arg(0), len)?;
    bytes.reverse();
    let (found, index) = position(m, st, &bytes, wanted);
    let last = m.pool.constant(64, len.wrapping_sub(1) as u128);
    let index = m.pool.sub(last, index);
    found_at(m, st, c.arg(0), found, index)
}

fn rawmemchr(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let wanted = low_byte(m, st, c.arg(1));
    let wanted = m.concretise(st, wanted, 8)? as u8;
    let at = scan(m, st, c.arg(0), u64::MAX, wanted)?;
    Flow::value(m.offset_pointer(st, c.arg(0), at))
}

fn memmem(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = m.concretise(st, c.arg(1), 64)?;
    let needle = m.concretise(st, c.arg(3), 64)?;
    let hay = m.read_bytes(st, c.arg(0), len)?;
    let needle = m.read_bytes(st, c.arg(2), needle)?;
    search(m, st, c.arg(0), &hay, &needle)
}

/// Returns a pointer to the first occurrence of `needle` in `hay`, which begins at `base`, or null.
pub fn search(
    m: &mut Executor,
    st: &mut State,
    base: Value,
    hay: &[Value],
    needle: &[Value],
) -> Res<Flow> {
    if needle.is_empty() {
        return Flow::value(base);
    }
    let (mut found, mut index) = (m.pool.bool(false), m.pool.constant(64, 0));
    for (i, window) in hay.windows(needle.len()).enumerate().rev() {
        let mut here = m.pool.bool(true);
        for (x, y) in window.iter().zip(needle) {
            let (x, y) = (m.term(st, *x, 8), m.term(st, *y, 8));
            let same = m.pool.eq(x, y);
            here = m.pool.and(here, same);
        }
        let at = m.pool.constant(64, i as u128);
        index = m.pool.ite(here, at, index);
        found = m.pool.or(here, found);
    }
    found_at(m, st, base, found, index)
}

/// `memccpy(to, from, c, n)`: up to and including the first `c`.
fn memccpy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let most = m.concretise(st, c.arg(3), 64)?;
    let stop = low_byte(m, st, c.arg(2));
    let stop = m.concretise(st, stop, 8)? as u8;
    let at = scan(m, st, c.arg(1), most, stop)?;
    let len = (at + 1).min(most);
    m.copy(st, c.arg(0), c.arg(1), Value::Int(len), false)?;
    if at < most {
        Flow::value(m.offset_pointer(st, c.arg(0), len))
    } else {
        Flow::value(Value::NULL)
    }
}

/// `swab(from, to, n)`: pairs of bytes exchanged.
fn swab(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = m.concretise(st, c.arg(2), 64)? as i64;
    let len = if len <= 0 { 0 } else { (len & !1) as u64 };
    let mut bytes = m.read_bytes(st, c.arg(0), len)?;
    for pair in bytes.chunks_mut(2) {
        pair.swap(0, 1);
    }
    write(m, st, c.arg(1), &bytes)?;
    Flow::void()
}

/// Stores bytes after checking the whole range.
pub fn write(m: &mut Executor, st: &mut State, ptr: Value, bytes: &[Value]) -> Res<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let (object, offset) = m.check_range(st, ptr, bytes.len() as u64, Access::Write)?;
    for (i, b) in bytes.iter().enumerate() {
        st.memory
            .store(&mut m.pool, object, offset + i as u64, 8, *b);
    }
    Ok(())
}

/// Reads the bytes from a pointer on: `most`, or as many as the object has (at least one is
/// checked).
pub fn prefix(m: &mut Executor, st: &mut State, ptr: Value, most: u64) -> Res<Vec<Value>> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let (object, offset) = m.check_range(st, ptr, 1, Access::Read)?;
    let len = most.min(m.size_of_object(st, object)? - offset);
    m.read_bytes(st, Value::Ptr(object, offset), len)
}

/// Returns the index of the first byte `wanted` from a pointer on, or `most` if it is not among
/// that many, forking a path per index. Running out of the object is an access out of bounds.
pub fn scan(m: &mut Executor, st: &mut State, ptr: Value, most: u64, wanted: u8) -> Res<u64> {
    if most == 0 {
        return Ok(0);
    }
    let (object, offset) = m.check_range(st, ptr, 1, Access::Read)?;
    let room = most.min(st.memory.object(object).size - offset);
    for i in 0..room {
        // Where the size depends on inputs, it may end here for some of them.
        if offset + i >= st.memory.sure_size(object) {
            m.check_range(st, Value::Ptr(object, offset + i), 1, Access::Read)?;
        }
        let hit = match st.memory.load(&mut m.pool, object, offset + i, 8) {
            Value::Int(b) => b == wanted as u64,
            other => {
                let b = m.term(st, other, 8);
                let wanted = m.pool.constant(8, wanted as u128);
                let hit = m.pool.eq(b, wanted);
                m.split(st, hit, Purpose::Branch)?
            }
        };
        if hit {
            return Ok(i);
        }
    }
    if room < most {
        m.check_range(st, Value::Ptr(object, offset), room + 1, Access::Read)?;
    }
    Ok(most)
}

/// Returns the length of a C string, at most `most`, forking a path per length.
pub fn length(m: &mut Executor, st: &mut State, ptr: Value, most: u64) -> Res<u64> {
    scan(m, st, ptr, most, 0)
}

fn strlen(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let len = length(m, st, c.arg(0), u64::MAX)?;
    Flow::int(len)
}

fn strnlen(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let most = m.concretise(st, c.arg(1), 64)?;
    let len = length(m, st, c.arg(0), most)?;
    Flow::int(len)
}
