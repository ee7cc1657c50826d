//! Models of functions that check whether bytes are UTF-8.
//!
//! The standard library branches on each byte, which forks the path by every shape that a text can
//! have before the program has even looked at it. Here that bytes are UTF-8 is one condition for
//! each of them, about itself and the three before it, and that they are not is one path as well:
//! where the first fault is, and how many bytes it takes, are terms. What is returned is laid out
//! as the function itself does it, seen from calls with fixed bytes that do not affect the path.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::peek;
use crate::models::table::{Row, always};
use crate::state::State;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::{FuncId, LocId, utf8};
use symex_solver::Purpose;
use symex_terms::{BinOp, Expr, Pool, Value};

/// Rows of the checks of UTF-8.
pub const ROWS: &[Row] = &[
    always(utf8::FROM_UTF8, from_utf8),
    always(utf8::FROM_UTF8_LOSSY[0], from_utf8_lossy),
    always(utf8::FROM_UTF8_LOSSY[1], from_utf8_lossy),
];

/// Greatest number of bytes that are checked as terms.
const MOST_BYTES: u64 = 4096;
/// Size of what the functions return, in bytes: three words.
const RESULT: u64 = 24;

/// `from_utf8(bytes) -> Result<&str, Utf8Error>`.
fn from_utf8(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    check(m, st, c, fault)
}

/// `String::from_utf8_lossy(bytes) -> Cow<str>`: bytes that are not UTF-8 are replaced by its body.
fn from_utf8_lossy(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    check(m, st, c, |_, _, _, _| None)
}

/// Performs a check of bytes; `fault` returns what is made of those that are not UTF-8.
fn check(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    fault: fn(&mut Executor, &State, FuncId, &Checked) -> Option<Shape>,
) -> Res<Flow> {
    let Some(checked) = Checked::of(m, st, c)? else {
        return Ok(Flow::Body);
    };
    let shape = match m.split(st, checked.is_valid, Purpose::Branch)? {
        true => valid(m, st, c, checked.len),
        false => fault(m, st, c.function, &checked),
    };
    let Some(shape) = shape else {
        return Ok(Flow::Body);
    };
    for (offset, width, value) in shape {
        let place = m.offset_pointer(st, c.arg(0), offset);
        m.store(st, place, width, 0, value)?;
    }
    Flow::void()
}

/// Bytes that are not all concrete, with the condition that they are UTF-8.
struct Checked {
    bytes: Vec<Expr>,
    len: u64,
    is_valid: Expr,
}

impl Checked {
    /// Reads the bytes that a function is given; `None` if it is to be executed.
    fn of(m: &mut Executor, st: &mut State, c: &Call) -> Res<Option<Checked>> {
        if c.args.len() != 3 || m.is_aside() {
            return Ok(None);
        }
        let len = m.concretise(st, c.arg(2), 64)?;
        if len == 0 || len > MOST_BYTES {
            return Ok(None);
        }
        let values = m.read_bytes(st, c.arg(1), len)?;
        if values.iter().all(|byte| matches!(byte, Value::Int(_))) {
            return Ok(None);
        }
        let bytes: Vec<Expr> = values.into_iter().map(|byte| m.term(st, byte, 8)).collect();
        if bytes.iter().any(|byte| m.pool.has_uninit(*byte)) {
            return Ok(None);
        }
        let mut is_valid = m.pool.bool(true);
        for at in 0..bytes.len() {
            let fits = fits(&mut m.pool, &bytes, at);
            is_valid = m.pool.and(is_valid, fits);
        }
        let due = Due::at(&mut m.pool, &bytes, bytes.len()).any(&mut m.pool);
        let whole = m.pool.not(due);
        Ok(Some(Checked {
            is_valid: m.pool.and(is_valid, whole),
            len,
            bytes,
        }))
    }
}

/// Whether a byte is due to continue a character, by the place of the character's first byte: one,
/// two or three before it.
struct Due([Expr; 3]);

impl Due {
    /// Makes the conditions for the byte at `at`, if those before it are UTF-8 so far.
    fn at(pool: &mut Pool, bytes: &[Expr], at: usize) -> Due {
        // The least first byte of characters that go on after so many bytes.
        let mut back = 0;
        Due([0xc2, 0xe0, 0xf0].map(|least| {
            back += 1;
            match at.checked_sub(back) {
                Some(first) => at_least(pool, bytes[first], least),
                None => pool.bool(false),
            }
        }))
    }

    fn any(&self, pool: &mut Pool) -> Expr {
        let two = pool.or(self.0[0], self.0[1]);
        pool.or(two, self.0[2])
    }

    /// Makes the term that is `values[n]` where the character began `n + 1` bytes before, and the
    /// last one where none is due.
    fn choose(&self, pool: &mut Pool, values: [u64; 4], width: u32) -> Expr {
        let [one, two, three, none] = values.map(|v| pool.constant(width, v.into()));
        let mut chosen = pool.ite(self.0[2], three, none);
        chosen = pool.ite(self.0[1], two, chosen);
        pool.ite(self.0[0], one, chosen)
    }
}

fn at_least(pool: &mut Pool, byte: Expr, least: u8) -> Expr {
    let least = pool.constant(8, least.into());
    pool.ule(least, byte)
}

/// Makes the condition that the byte at `at` may stand in UTF-8, if those before it do [RFC 3629,
/// table in section 4].
fn fits(pool: &mut Pool, bytes: &[Expr], at: usize) -> Expr {
    let byte = bytes[at];
    let within = |pool: &mut Pool, byte, least: u8, most: u8| {
        let low = at_least(pool, byte, least);
        let most = pool.constant(8, most.into());
        let high = pool.ule(byte, most);
        pool.and(low, high)
    };
    let due = Due::at(pool, bytes, at).any(pool);
    let continues = within(pool, byte, 0x80, 0xbf);
    let ascii = within(pool, byte, 0, 0x7f);
    let begins = within(pool, byte, 0xc2, 0xf4);
    let begins = pool.or(ascii, begins);
    let mut all = pool.ite(due, continues, begins);
    if let Some(before) = at.checked_sub(1) {
        // Not longer than need be, no surrogates, nor beyond the last character.
        let seconds = [
            (0xe0, 0xa0, 0xff),
            (0xf0, 0x90, 0xff),
            (0xed, 0x00, 0x9f),
            (0xf4, 0x00, 0x8f),
        ];
        for (first, least, most) in seconds {
            let first = pool.constant(8, first);
            let other = pool.ne(bytes[before], first);
            let second = within(pool, byte, least, most);
            let holds = pool.or(other, second);
            all = pool.and(all, holds);
        }
    }
    all
}

/// Values to write into what a function returns, each with its offset and width.
type Shape = Vec<(u64, u32, Value)>;

/// Returns what the function makes of so many bytes that are UTF-8.
fn valid(m: &mut Executor, st: &State, c: &Call, len: u64) -> Option<Shape> {
    let (copy, result, text) = called(m, st, c.function, &vec![b'a'; len as usize])?;
    let mut shape = Shape::new();
    for offset in (0..RESULT).step_by(8) {
        match peek::load(m, &copy, result, offset, 64)? {
            word if word == text => shape.push((offset, 64, c.arg(1))),
            Value::Ptr(..) => return None,
            word @ Value::Int(_) => shape.push((offset, 64, word)),
            // A part of the word may be written.
            Value::Expr(_) | Value::Undef => {
                let bytes = offset..offset + 8;
                let written = bytes.filter_map(|at| Some((at, byte(m, &copy, result, at)?)));
                shape.extend(written.map(|(at, byte)| (at, 8, Value::Int(byte))));
            }
        }
    }
    Some(shape)
}

/// Returns a byte of what a function returned, if it was written.
fn byte(m: &mut Executor, copy: &State, result: Value, at: u64) -> Option<u64> {
    match peek::load(m, copy, result, at, 8)? {
        Value::Int(byte) => Some(byte),
        Value::Expr(e) => m.pool.as_const(e).map(|byte| byte as u64),
        Value::Ptr(..) | Value::Undef => None,
    }
}

/// Returns what the function makes of bytes that are not UTF-8.
///
/// Which bytes of the result are the place of the fault and its length is told by fixed ones that
/// differ in one of these.
fn fault(m: &mut Executor, st: &State, function: FuncId, checked: &Checked) -> Option<Shape> {
    // The fault is: of one byte behind one; of one behind two; of two; unfinished at the end.
    let examples: [&[u8]; 4] = [b"a\xffa", b"aa\xffa", b"a\xe1\x80a", b"a\xe1"];
    let mut results = Vec::new();
    for example in examples {
        let (copy, result, _) = called(m, st, function, example)?;
        let bytes = (0..RESULT).map(|at| byte(m, &copy, result, at));
        results.push(bytes.collect::<Vec<_>>());
    }
    let known = Fault::of(&mut m.pool, &checked.bytes);
    let mut shape = Shape::new();
    for at in 0..RESULT {
        let at_byte = |i: usize| results[i][at as usize];
        let [one, behind, two, unfinished] = [0, 1, 2, 3].map(at_byte);
        let value = match (one, behind, two, unfinished) {
            (Some(1), Some(2), Some(1), Some(1)) if at % 8 == 0 => {
                shape.push((at, 64, Value::Expr(known.start)));
                continue;
            }
            (Some(1), Some(1), Some(2), _) => known.len,
            (Some(some), b, c, Some(none)) if (b, c) == (one, one) && some != none => {
                let [some, none] = [some, none].map(|v| m.pool.constant(8, v.into()));
                m.pool.ite(known.is_unfinished, none, some)
            }
            (Some(same), ..) if [behind, two, unfinished] == [one; 3] => {
                m.pool.constant(8, same.into())
            }
            // Not written.
            (None, None, None, None) => continue,
            _ => return None,
        };
        shape.push((at, 8, Value::Expr(value)));
    }
    // The place is a word, of which the upper bytes are 0 in the examples.
    let start = shape.iter().find(|part| part.1 == 64)?.0;
    shape.retain(|part| part.1 == 64 || !(start..start + 8).contains(&part.0));
    Some(shape)
}

/// The first fault of bytes that are not UTF-8, as terms.
struct Fault {
    /// Number of bytes before it, in 64 bits.
    start: Expr,
    /// Number of its bytes, in 8 bits.
    len: Expr,
    /// Whether it is a character that the bytes end in.
    is_unfinished: Expr,
}

impl Fault {
    fn of(pool: &mut Pool, bytes: &[Expr]) -> Fault {
        let place = |pool: &mut Pool, at: usize| {
            let due = Due::at(pool, bytes, at);
            let start = [1, 2, 3, 0].map(|back| (at as u64).saturating_sub(back));
            let start = due.choose(pool, start, 64);
            (start, due.choose(pool, [1, 2, 3, 1], 8))
        };
        let (mut start, mut len) = place(pool, bytes.len());
        let mut is_unfinished = pool.bool(true);
        for at in (0..bytes.len()).rev() {
            let fits = fits(pool, bytes, at);
            let here = place(pool, at);
            start = pool.ite(fits, start, here.0);
            len = pool.ite(fits, len, here.1);
            is_unfinished = pool.bin(BinOp::And, fits, is_unfinished);
        }
        Fault {
            start,
            len,
            is_unfinished,
        }
    }
}

/// Calls the function with fixed bytes, without an effect on the path: returns the state after the
/// call, and in it the pointers to the result and to the bytes.
fn called(
    m: &mut Executor,
    st: &State,
    function: FuncId,
    bytes: &[u8],
) -> Option<(State, Value, Value)> {
    let mut places = None;
    let copy = m.run_aside(st, function, |_, copy| {
        let mut allocate = |size, initial| {
            let object = copy.memory.allocate(NewObject {
                size,
                length: None,
                align_log2: 3,
                kind: ObjectKind::Stack,
                site: LocId::default(),
                birth: 0,
                initial,
            });
            Value::Ptr(object, 0)
        };
        let result = allocate(RESULT, Initial::Uninit);
        let text = allocate(bytes.len() as u64, Initial::Bytes(bytes.into()));
        places = Some((result, text));
        vec![result, text, Value::Int(bytes.len() as u64)]
    })?;
    let (result, text) = places?;
    Some((copy, result, text))
}
