//! Conversions between integers and text with symbolic digits: the number of digits is decided (one
//! path each), the digits are terms.

use super::decimal::TextSource;
use super::{bytes, errno};
use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::state::State;
use symex_solver::Purpose;
use symex_terms::{BinOp, Expr, Value};
use symex_types::outcome::Unsupported;

/// Splits a number of any width into sign and magnitude; the sign is decided.
pub fn magnitude(m: &mut Executor, st: &mut State, e: Expr) -> Res<(bool, Expr)> {
    let w = m.pool.width(e);
    let sign = m.pool.extract(e, w - 1, 1);
    if !m.split(st, sign, Purpose::Branch)? {
        return Ok((false, e));
    }
    let zero = m.pool.constant(w, 0);
    Ok((true, m.pool.sub(zero, e)))
}

/// Returns the digits of an unsigned number, highest first; their number is decided. Zero has one.
pub fn digits(
    m: &mut Executor,
    st: &mut State,
    e: Expr,
    base: u64,
    upper: bool,
) -> Res<Vec<Value>> {
    let w = m.pool.width(e);
    let most = if w >= 64 { u64::MAX } else { (1 << w) - 1 };
    let mut powers = vec![1u64];
    loop {
        let last = powers[powers.len() - 1];
        let Some(next) = last.checked_mul(base).filter(|n| *n <= most) else {
            break;
        };
        let limit = m.pool.constant(w, next as u128);
        let fits = m.pool.ult(e, limit);
        if m.split(st, fits, Purpose::Branch)? {
            break;
        }
        powers.push(next);
    }
    let base = m.pool.constant(w, base as u128);
    Ok(powers
        .into_iter()
        .rev()
        .map(|power| {
            let power = m.pool.constant(w, power as u128);
            let high = m.pool.bin(BinOp::UDiv, e, power);
            let digit = m.pool.bin(BinOp::URem, high, base);
            let digit = m.pool.resize(digit, 8);
            let zero = m.pool.constant(8, b'0' as u128);
            let letter = if upper { b'A' } else { b'a' } - 10;
            let letter = m.pool.constant(8, letter as u128);
            let ten = m.pool.constant(8, 10);
            let small = m.pool.ult(digit, ten);
            let offset = m.pool.ite(small, zero, letter);
            let text = m.pool.add(digit, offset);
            m.pool.value(text)
        })
        .collect())
}

/// Greatest number of digits for which 128 bits hold every number.
pub const MOST_DIGITS: u32 = 24;

/// An integer parsed from a string, as by `strtol` and the like.
pub struct ParsedInteger {
    /// Value, 64 bits.
    pub value: Value,
    /// Number of bytes that belong to the number; 0 if there is none.
    pub used: u64,
    pub out_of_range: bool,
}

/// Reads one byte of a string.
fn byte(m: &mut Executor, st: &mut State, base: Value, at: u64) -> Res<Expr> {
    let ptr = m.offset_pointer(st, base, at);
    let v = m.load(st, ptr, 8, 0)?;
    Ok(m.term(st, v, 8))
}

/// The string to which a pointer points, with the object decided.
pub struct StringAt(Value);

impl StringAt {
    pub fn new(m: &mut Executor, st: &mut State, text: Value) -> Res<Self> {
        if matches!(text, Value::Ptr(..)) {
            return Ok(StringAt(text));
        }
        let (object, offset) = m.check_range(st, text, 1, Access::Read)?;
        Ok(StringAt(Value::Ptr(object, offset)))
    }
}

impl TextSource for StringAt {
    fn byte(&mut self, m: &mut Executor, st: &mut State, at: u64) -> Res<Option<Expr>> {
        byte(m, st, self.0, at).map(Some)
    }
}

/// Decides whether a byte is in one of some ranges.
pub fn is_one_of(m: &mut Executor, st: &mut State, b: Expr, set: &[(u8, u8)]) -> Res<bool> {
    let mut any = m.pool.bool(false);
    for (lo, hi) in set {
        let low = m.pool.constant(8, *lo as u128);
        let span = m.pool.constant(8, (hi - lo) as u128);
        let offset = m.pool.sub(b, low);
        let inside = m.pool.ule(offset, span);
        any = m.pool.or(any, inside);
    }
    m.split(st, any, Purpose::Branch)
}

fn is(m: &mut Executor, st: &mut State, b: Expr, c: u8) -> Res<bool> {
    is_one_of(m, st, b, &[(c, c)])
}

/// Returns the value of a byte as a digit of some base, if it is one; the kind of digit is decided.
pub fn digit(m: &mut Executor, st: &mut State, b: Expr, base: u64) -> Res<Option<Expr>> {
    let numeric = b'0' + base.min(10) as u8 - 1;
    let mut kinds = vec![(b'0', numeric, b'0')];
    if base > 10 {
        let last = base as u8 - 11;
        kinds.push((b'a', b'a' + last, b'a' - 10));
        kinds.push((b'A', b'A' + last, b'A' - 10));
    }
    for (lo, hi, zero) in kinds {
        if is_one_of(m, st, b, &[(lo, hi)])? {
            let zero = m.pool.constant(8, zero as u128);
            return Ok(Some(m.pool.sub(b, zero)));
        }
    }
    Ok(None)
}

/// Parses an integer as `strtol` (signed) and `strtoul` do, for a result of `width` bits.
pub fn parse(
    m: &mut Executor,
    st: &mut State,
    text: Value,
    base: u64,
    signed: bool,
    width: u32,
) -> Res<ParsedInteger> {
    let nothing = ParsedInteger {
        value: Value::Int(0),
        used: 0,
        out_of_range: false,
    };
    if base == 1 || base > 36 {
        return Ok(nothing);
    }
    let StringAt(text) = StringAt::new(m, st, text)?;
    let mut at = 0;
    let mut b = byte(m, st, text, at)?;
    while is_one_of(m, st, b, &[(9, 13), (32, 32)])? {
        at += 1;
        b = byte(m, st, text, at)?;
    }
    let mut negative = false;
    if is(m, st, b, b'-')? {
        negative = true;
        at += 1;
        b = byte(m, st, text, at)?;
    } else if is(m, st, b, b'+')? {
        at += 1;
        b = byte(m, st, text, at)?;
    }
    let mut base = base;
    if (base == 0 || base == 16) && is(m, st, b, b'0')? {
        let x = byte(m, st, text, at + 1)?;
        if is_one_of(m, st, x, &[(b'x', b'x'), (b'X', b'X')])? {
            let after = byte(m, st, text, at + 2)?;
            if digit(m, st, after, 16)?.is_some() {
                base = 16;
                at += 2;
                b = after;
            }
        }
        if base == 0 {
            base = 8;
        }
    } else if base == 0 {
        base = 10;
    }
    let (mut value, mut count) = (m.pool.constant(128, 0), 0);
    let factor = m.pool.constant(128, base as u128);
    while let Some(d) = digit(m, st, b, base)? {
        count += 1;
        if count > MOST_DIGITS && m.pool.as_const(value) != Some(0) {
            return Err(Unsupported::Model("a number of more than 24 digits".into()).into());
        }
        let d = m.pool.zext(d, 128);
        let scaled = m.pool.bin(BinOp::Mul, value, factor);
        value = m.pool.add(scaled, d);
        at += 1;
        b = byte(m, st, text, at)?;
    }
    if count == 0 {
        return Ok(nothing);
    }
    let limit = match (signed, negative) {
        (true, false) => (1u128 << (width - 1)) - 1,
        (true, true) => 1u128 << (width - 1),
        (false, _) => (1u128 << width) - 1,
    };
    let most = m.pool.constant(128, limit);
    let over = m.pool.bin(BinOp::ULt, most, value);
    let out_of_range = m.split(st, over, Purpose::Branch)?;
    if out_of_range {
        value = most;
    }
    // Of an unsigned number that is too large even the negation is the largest.
    if negative && (signed || !out_of_range) {
        let zero = m.pool.constant(128, 0);
        value = m.pool.sub(zero, value);
    }
    let low = m.pool.extract(value, 0, 64);
    Ok(ParsedInteger {
        value: m.pool.value(low),
        used: at,
        out_of_range,
    })
}

/// Reads the text of a `long double`, if it is concrete: as much as could belong to it.
pub fn float_text(m: &mut Executor, st: &mut State, text: Value) -> Res<String> {
    let all = bytes::prefix(m, st, text, 512)?;
    let mut found = String::new();
    for b in all {
        match b {
            Value::Int(0) => break,
            Value::Int(b) if b < 0x80 => found.push(b as u8 as char),
            Value::Int(_) => break,
            _ => return Err(Unsupported::Model("a long double of symbolic text".into()).into()),
        }
    }
    Ok(found)
}

/// Sets `errno` if a result is out of range.
pub fn note_range(m: &mut Executor, st: &mut State, out_of_range: bool) {
    if out_of_range {
        errno::set(m, st, errno::ERANGE);
    }
}
