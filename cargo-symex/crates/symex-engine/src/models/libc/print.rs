//! Formatting for the `printf` functions, which are in `printing`. The format and the lengths of
//! strings are concrete (decided); the digits of symbolic numbers are terms where the text goes to
//! memory.
//!
//! In text that goes to standard output or error, a symbolic number stays a number
//! (`state/output.rs`), without a path for each number of digits; the length returned is then a
//! term. Where the length is not used, a floating-point number does not need a path for each
//! possible value, either.

use super::varargs::{VarArgs, int_length};
use super::{bytes, errno, numerals, stdio, wide};
use crate::exec::Executor;
use crate::exec::call::model::Call;
use crate::exec::path::end::{Fault, Res};
use crate::models::{enumerate, long_double, peek};
use crate::state::State;
use crate::state::file_system::known;
use crate::state::output::{Digits, OutputPiece, Spelling};
use std::rc::Rc;
use symex_solver::Purpose;
use symex_terms::{BinOp, Expr, Value};
use symex_types::outcome::{FindingKind, Unsupported};

/// Formatted text.
pub struct PrintedText {
    pub pieces: Vec<OutputPiece>,
    /// Length of the numbers among them, if there are any and it is needed.
    numbers: Option<Expr>,
    /// Texts of which it is made, by address and length, with the terminators that were read.
    pub sources: Vec<(Value, u64)>,
}

impl PrintedText {
    fn extend(&mut self, bytes: Vec<Value>) {
        self.pieces.extend(bytes.into_iter().map(OutputPiece::Byte));
    }

    /// Returns the length of the text in bytes.
    pub fn length(&self, m: &mut Executor) -> Value {
        let is_byte = |piece: &&OutputPiece| matches!(piece, OutputPiece::Byte(_));
        let count = self.pieces.iter().filter(is_byte).count();
        let mut len = m.pool.constant(32, count as u128);
        if let Some(more) = self.numbers {
            len = m.pool.add(len, more);
        }
        m.pool.value(len)
    }

    /// Returns the bytes of a text without numbers.
    pub fn bytes(self) -> Vec<Value> {
        let byte = |piece| match piece {
            OutputPiece::Byte(byte) => Some(byte),
            OutputPiece::Number(..) | OutputPiece::Spelled(..) => None,
        };
        self.pieces.into_iter().filter_map(byte).collect()
    }
}

/// Treatment of symbolic numbers in formatted text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As bytes, with a path for each number of digits.
    Exact,
    /// As numbers.
    Shown,
    /// As numbers whose length as text is not used.
    Unmeasured,
}

impl Mode {
    /// Returns the mode for text that a call writes to standard output or error.
    pub fn shown(c: &Call) -> Mode {
        match c.used {
            true => Mode::Shown,
            false => Mode::Unmeasured,
        }
    }
}

/// A conversion specification of a format: `%…`.
#[derive(Clone, Default)]
struct Conversion {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    /// Width of an integer in bits.
    bits: u32,
    long_double: bool,
    kind: u8,
}

impl Conversion {
    /// Parses flags, width, precision and length after a `%`; returns the rest of the format, too.
    fn read<'f>(
        m: &mut Executor,
        st: &mut State,
        mut rest: &'f [u8],
        args: &mut VarArgs,
    ) -> Res<(Conversion, &'f [u8])> {
        let mut c = Conversion {
            bits: 32,
            ..Conversion::default()
        };
        while let Some((flag, after)) = rest.split_first() {
            match flag {
                b'-' => c.left = true,
                b'0' => c.zero = true,
                b'+' => c.plus = true,
                b' ' => c.space = true,
                b'#' => c.alternate = true,
                b'\'' => {}
                _ => break,
            }
            rest = after;
        }
        let mut number = |m: &mut Executor, st: &mut State, rest: &mut &[u8]| -> Res<Option<i64>> {
            if let Some(after) = rest.strip_prefix(b"*") {
                *rest = after;
                let v = args.next(m, st, 32, false)?;
                return Ok(Some(m.concretise(st, v, 32)? as u32 as i32 as i64));
            }
            let n = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (digits, after) = rest.split_at(n);
            *rest = after;
            Ok(std::str::from_utf8(digits)
                .ok()
                .and_then(|d| d.parse().ok()))
        };
        if let Some(width) = number(m, st, &mut rest)? {
            c.left |= width < 0;
            c.width = width.unsigned_abs() as usize;
        }
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            let precision = number(m, st, &mut rest)?.unwrap_or(0);
            c.precision = usize::try_from(precision).ok();
        }
        const MOST: usize = 1 << 16;
        if c.width > MOST || c.precision.is_some_and(|p| p > MOST) {
            return Err(Unsupported::Model("printf of a very wide field".into()).into());
        }
        if let Some((_, bits, after)) = int_length(rest) {
            rest = after;
            c.bits = bits;
        }
        if let Some(after) = rest.strip_prefix(b"L") {
            rest = after;
            c.long_double = true;
        }
        if let Some((kind, after)) = rest.split_first() {
            c.kind = *kind;
            rest = after;
        }
        Ok((c, rest))
    }

    /// Returns the specification in C's syntax, without sign and padding.
    fn native(&self) -> String {
        let alternate = if self.alternate { "#" } else { "" };
        let precision = self.precision.map(|p| format!(".{p}")).unwrap_or_default();
        let length = if self.long_double { "L" } else { "" };
        format!("%{alternate}{precision}{length}{}", char::from(self.kind))
    }

    /// Joins sign or prefix, digits and padding.
    fn pad<B: From<u8>>(&self, prefix: &[u8], digits: Vec<B>, zeros: bool) -> Vec<B> {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let fill = |byte: u8| std::iter::repeat_n(byte, missing).map(B::from);
        let prefix = prefix.iter().copied().map(B::from);
        if self.left {
            prefix.chain(digits).chain(fill(b' ')).collect()
        } else if zeros && self.zero {
            prefix.chain(fill(b'0')).chain(digits).collect()
        } else {
            fill(b' ').chain(prefix).chain(digits).collect()
        }
    }

    /// Formats a number from its sign and its text without sign.
    fn spell_float(&self, (negative, body): (bool, String)) -> Vec<u8> {
        let mut prefix = self.sign(negative).to_vec();
        // Zeros come after this, as after the sign.
        let hexadecimal = body
            .get(..2)
            .filter(|start| start.eq_ignore_ascii_case("0x"));
        prefix.extend(hexadecimal.unwrap_or("").bytes());
        let digits = &body[hexadecimal.map_or(0, str::len)..];
        let finite = digits.starts_with(|c: char| c.is_ascii_digit());
        self.pad(&prefix, digits.bytes().collect(), finite)
    }

    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }
}

/// Formats arguments by a format.
pub fn format(
    m: &mut Executor,
    st: &mut State,
    format: Value,
    mut args: VarArgs,
    mode: Mode,
) -> Res<PrintedText> {
    let format = m.read_c_string(st, format)?;
    let mut text = PrintedText {
        pieces: Vec::new(),
        numbers: None,
        sources: Vec::new(),
    };
    let mut rest = &format[..];
    while let Some((b, after)) = rest.split_first() {
        rest = after;
        if *b != b'%' {
            text.extend(vec![Value::Int(*b as u64)]);
            continue;
        }
        let (c, after) = Conversion::read(m, st, rest, &mut args)?;
        rest = after;
        convert(m, st, &c, &mut args, mode, &mut text)?;
    }
    Ok(text)
}

/// Reads the next argument, which there must be, and which must have been written.
fn argument(
    m: &mut Executor,
    st: &mut State,
    args: &mut VarArgs,
    width: u32,
    float: bool,
) -> Res<Value> {
    if args.are_spent() {
        let message = "the format of a printed text has more conversions than there are arguments";
        return Err(Fault::new(FindingKind::Undefined, message).into());
    }
    let value = args.next(m, st, width, float)?;
    m.check_defined(st, value)?;
    Ok(value)
}

fn convert(
    m: &mut Executor,
    st: &mut State,
    c: &Conversion,
    args: &mut VarArgs,
    mode: Mode,
    text: &mut PrintedText,
) -> Res<()> {
    match c.kind {
        b'%' => text.extend(vec![Value::Int(b'%' as u64)]),
        b'c' => {
            let v = argument(m, st, args, 32, false)?;
            if c.bits == 64 {
                wide::narrow(m, st, v)?;
            }
            let byte = bytes::low_byte(m, st, v);
            text.extend(c.pad(b"", vec![byte], false));
        }
        b's' => {
            let ptr = argument(m, st, args, 64, false)?;
            let content = if ptr == Value::NULL {
                // As glibc does.
                b"(null)".iter().map(|b| Value::Int(*b as u64)).collect()
            } else if c.bits == 64 {
                wide::text(m, st, ptr, c.precision)?
            } else {
                let most = c.precision.map_or(u64::MAX, |p| p as u64);
                let len = bytes::length(m, st, ptr, most)?;
                text.sources.push((ptr, most.min(len + 1)));
                m.read_bytes(st, ptr, len)?
            };
            text.extend(c.pad(b"", content, false));
        }
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
            let bits = if c.kind == b'p' { 64 } else { c.bits };
            // Small types come promoted.
            let v = argument(m, st, args, bits.max(32), false)?;
            let v = if c.kind == b'p' && !matches!(v, Value::Int(_)) {
                // What is shown of an address is its number on this path.
                m.depends_on_addresses(st);
                Value::Int(peek::word(m, st, v, 64))
            } else {
                v
            };
            let e = m.term(st, v, bits.max(32));
            let e = m.pool.extract(e, 0, bits);
            integer(m, st, c, e, mode, text)?;
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' if !c.long_double => {
            let v = argument(m, st, args, 64, true)?;
            if mode != Mode::Unmeasured && whole_number(m, st, c, v, mode, text)? {
                return Ok(());
            }
            let c = c.clone();
            let spell = move |bits: u128| c.spell_float(float(&c, f64::from_bits(bits as u64)));
            let e = m.term(st, v, 64);
            spelled(m, st, e, "floating-point number", mode, text, spell)?;
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let v = args.next_long_double(m, st)?;
            if long(c, 0).is_none() {
                return Err(Unsupported::NoModel("printf of a long double".into()).into());
            }
            let c = c.clone();
            let spell = move |bits: u128| c.spell_float(long(&c, bits).unwrap_or_default());
            let e = m.term(st, v, 80);
            spelled(m, st, e, "long double", mode, text, spell)?;
        }
        b'm' => {
            let code = errno::value(m, st);
            let code = peek::word(m, st, code, 32);
            let content = known(stdio::text_of(code).as_bytes());
            text.extend(c.pad(b"", content, false));
        }
        other => {
            let what = format!("printf with %{}", char::from(other).escape_default());
            return Err(Unsupported::Model(what).into());
        }
    }
    Ok(())
}

/// Formats a `double` that is an integer with symbolic digits: all that the conversion shows but
/// zeros behind the point. Reports whether it is one.
fn whole_number(
    m: &mut Executor,
    st: &mut State,
    c: &Conversion,
    v: Value,
    mode: Mode,
    text: &mut PrintedText,
) -> Res<bool> {
    // Digits that it may have, and those behind the point, with which the padding would have to
    // reckon.
    let (most, behind) = match c.kind {
        b'f' | b'F' if c.width == 0 => (u32::MAX, c.precision.unwrap_or(6)),
        b'g' | b'G' if !c.alternate => (c.precision.map_or(6, |p| p.max(1) as u32), 0),
        _ => return Ok(false),
    };
    let e = m.term(st, v, 64);
    let Some((mut value, negated)) = m.pool.whole_number(e) else {
        return Ok(false);
    };
    if negated {
        let zero = m.pool.constant(64, 0);
        let is_zero = m.pool.eq(value, zero);
        if m.split(st, is_zero, Purpose::Branch)? {
            text.extend(known(&c.spell_float(float(c, -0.0))));
            return Ok(true);
        }
        value = m.pool.sub(zero, value);
    }
    // No integer that a double is sure to be has more digits than this.
    if most < 17 {
        let greatest = 10u128.pow(most) - 1;
        let limit = m.pool.constant(64, greatest);
        let moved = m.pool.add(value, limit);
        let most = m.pool.constant(64, 2 * greatest);
        let few = m.pool.bin(BinOp::ULe, moved, most);
        if !m.split(st, few, Purpose::Branch)? {
            return Ok(false);
        }
    }
    let digits = Conversion {
        kind: b'd',
        precision: None,
        ..c.clone()
    };
    integer(m, st, &digits, value, mode, text)?;
    if behind > 0 || c.alternate {
        text.extend(vec![Value::Int(b'.' as u64)]);
        text.extend(vec![Value::Int(b'0' as u64); behind]);
    }
    Ok(true)
}

/// Formats a number whose text has no form as terms. Where its length counts, and its values are
/// few, a path is forked for each.
fn spelled(
    m: &mut Executor,
    st: &mut State,
    e: Expr,
    what: &str,
    mode: Mode,
    text: &mut PrintedText,
    spell: impl Fn(u128) -> Vec<u8> + 'static,
) -> Res<()> {
    if mode == Mode::Unmeasured && m.pool.as_const(e).is_none() {
        text.pieces
            .push(OutputPiece::Spelled(e, Spelling(Rc::new(spell))));
        return Ok(());
    }
    let bits = match enumerate::value(m, st, e)? {
        Some(bits) => bits,
        None => {
            let unsupported = Unsupported::Model(format!("printf of a symbolic {what}"));
            if mode == Mode::Exact {
                return Err(unsupported.into());
            }
            // The text is only shown; but its length may be wrong.
            m.outcomes.unsupported(st, unsupported);
            m.pool.eval(e, &st.assignment, &st.memory)
        }
    };
    text.extend(known(&spell(bits)));
    Ok(())
}

fn integer(
    m: &mut Executor,
    st: &mut State,
    c: &Conversion,
    e: Expr,
    mode: Mode,
    text: &mut PrintedText,
) -> Res<()> {
    let (signed, base) = match c.kind {
        b'd' | b'i' => (true, 10),
        b'o' => (false, 8),
        b'u' => (false, 10),
        _ => (false, 16),
    };
    if m.pool.as_const(e).is_none() && mode != Mode::Exact {
        let digits = Digits {
            bits: m.pool.width(e),
            signed,
            base: base as u32,
            upper: c.kind == b'X',
            plus: match (c.plus, c.space) {
                (true, _) => Some(b'+'),
                (_, true) => Some(b' '),
                _ => None,
            },
            alternate: c.alternate,
            least_digits: c.precision,
            width: c.width,
            left: c.left,
            zeros: c.zero,
        };
        text.pieces.push(OutputPiece::Number(e, digits));
        if mode == Mode::Unmeasured {
            return Ok(());
        }
        let len = length(m, c, e, signed, base);
        text.numbers = Some(match text.numbers {
            Some(before) => m.pool.add(before, len),
            None => len,
        });
        return Ok(());
    }
    let (negative, magnitude) = if signed {
        numerals::magnitude(m, st, e)?
    } else {
        (false, e)
    };
    let mut digits = numerals::digits(m, st, magnitude, base, c.kind == b'X')?;
    let zero = digits == [Value::Int(b'0' as u64)];
    if zero && c.precision == Some(0) {
        digits.clear();
    }
    let missing = c.precision.unwrap_or(1).saturating_sub(digits.len());
    digits.splice(0..0, vec![Value::Int(b'0' as u64); missing]);
    let prefix: &[u8] = match c.kind {
        b'd' | b'i' => c.sign(negative),
        b'x' | b'p' if c.kind == b'p' || c.alternate && !zero => b"0x",
        b'X' if c.alternate && !zero => b"0X",
        b'o' if c.alternate && digits.first() != Some(&Value::Int(b'0' as u64)) => b"0",
        _ => b"",
    };
    text.extend(c.pad(prefix, digits, c.precision.is_none()));
    Ok(())
}

/// Returns the length of the text of a symbolic number.
fn length(m: &mut Executor, c: &Conversion, e: Expr, signed: bool, base: u64) -> Expr {
    let w = m.pool.width(e);
    let one = m.pool.constant(32, 1);
    let zero = m.pool.constant(w, 0);
    let (magnitude, mut len) = if signed {
        let negative = m.pool.extract(e, w - 1, 1);
        let negated = m.pool.sub(zero, e);
        let always = m.pool.constant(32, (c.plus || c.space) as u128);
        let sign = m.pool.ite(negative, one, always);
        (m.pool.ite(negative, negated, e), sign)
    } else {
        (e, m.pool.constant(32, 0))
    };
    let mut digits = own_digits(m, magnitude, base, w);
    if let Some(precision) = c.precision {
        if precision == 0 {
            // A zero has no digit then.
            let is_zero = m.pool.eq(e, zero);
            let none = m.pool.constant(32, 0);
            digits = m.pool.ite(is_zero, none, digits);
        }
        let least = m.pool.constant(32, precision as u128);
        let fewer = m.pool.ult(digits, least);
        digits = m.pool.ite(fewer, least, digits);
    }
    if c.alternate && base == 16 {
        let prefix = m.pool.constant(32, 2);
        let none = m.pool.constant(32, 0);
        let is_zero = m.pool.eq(e, zero);
        let prefix = m.pool.ite(is_zero, none, prefix);
        len = m.pool.add(len, prefix);
    }
    if c.alternate && base == 8 {
        // A zero before the digits, unless they begin with one.
        let own = own_digits(m, magnitude, base, w);
        let is_zero = m.pool.eq(e, zero);
        let shown = m.pool.constant(32, u128::from(c.precision != Some(0)));
        let own = m.pool.ite(is_zero, shown, own);
        let padded = m.pool.ult(own, digits);
        let begins = match c.precision {
            Some(0) => padded,
            _ => m.pool.or(padded, is_zero),
        };
        let (more, none) = (one, m.pool.constant(32, 0));
        let prefix = m.pool.ite(begins, none, more);
        len = m.pool.add(len, prefix);
    }
    len = m.pool.add(len, digits);
    let width = m.pool.constant(32, c.width as u128);
    let narrow = m.pool.ult(len, width);
    m.pool.ite(narrow, width, len)
}

/// Returns the number of digits of a number without padding, at least one.
fn own_digits(m: &mut Executor, magnitude: Expr, base: u64, w: u32) -> Expr {
    let mut digits = m.pool.constant(32, 1);
    let most = if w >= 64 {
        u128::from(u64::MAX)
    } else {
        (1 << w) - 1
    };
    let mut power = u128::from(base);
    while power <= most {
        let limit = m.pool.constant(w, power);
        let more = m.pool.ule(limit, magnitude);
        let more = m.pool.zext(more, 32);
        digits = m.pool.add(digits, more);
        power *= u128::from(base);
    }
    digits
}

/// Returns whether a `long double` is negative, and its text without sign; `None` on processors
/// without it.
fn long(c: &Conversion, bits: u128) -> Option<(bool, String)> {
    let sign = 1u128 << 79;
    let text = long_double::print(&c.native(), bits & !sign)?;
    Some((bits & sign != 0, text))
}

/// Returns whether a number is negative, and its text without sign.
fn float(c: &Conversion, x: f64) -> (bool, String) {
    let upper = c.kind.is_ascii_uppercase();
    let case = |s: String| if upper { s.to_ascii_uppercase() } else { s };
    let negative = x.is_sign_negative();
    let x = x.abs();
    if x.is_nan() {
        return (negative, case("nan".into()));
    }
    if x.is_infinite() {
        return (negative, case("inf".into()));
    }
    if c.kind.eq_ignore_ascii_case(&b'a') {
        let text = long_double::print_double(&c.native(), x);
        return (negative, text.unwrap_or_default());
    }
    let precision = c.precision.unwrap_or(6);
    let text = match c.kind.to_ascii_lowercase() {
        b'f' => point(format!("{x:.precision$}"), c.alternate),
        b'e' => scientific(x, precision, c.alternate),
        _ => {
            let precision = precision.max(1);
            let exponent = exponent(x, precision - 1);
            let fixed = exponent >= -4 && exponent < precision as i32;
            let text = if fixed {
                let after = (precision as i32 - 1 - exponent) as usize;
                format!("{x:.after$}")
            } else {
                scientific(x, precision - 1, false)
            };
            if c.alternate {
                text
            } else {
                without_zeros(&text)
            }
        }
    };
    (negative, case(text))
}

fn point(mut text: String, alternate: bool) -> String {
    if alternate && !text.contains('.') {
        text.push('.');
    }
    text
}

/// Returns the exponent of a number written with `precision` digits after the point.
fn exponent(x: f64, precision: usize) -> i32 {
    let text = format!("{x:.precision$e}");
    text.split_once('e')
        .and_then(|(_, e)| e.parse().ok())
        .unwrap_or(0)
}

/// Formats as `d.ddde±dd`.
fn scientific(x: f64, precision: usize, alternate: bool) -> String {
    let text = format!("{x:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    let digits = point(digits.to_string(), alternate);
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Removes zeros at the end of the fraction.
fn without_zeros(text: &str) -> String {
    let (digits, exponent) = match text.split_once('e') {
        Some((d, e)) => (d, format!("e{e}")),
        None => (text, String::new()),
    };
    if !digits.contains('.') {
        return text.to_string();
    }
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: u8, precision: Option<usize>, alternate: bool, x: f64) -> String {
        let c = Conversion {
            kind,
            precision,
            alternate,
            ..Conversion::default()
        };
        float(&c, x).1
    }

    #[test]
    fn floats_are_written_as_c_does() {
        assert_eq!(text(b'f', None, false, 1.5), "1.500000");
        assert_eq!(text(b'f', Some(0), true, 2.0), "2.");
        assert_eq!(text(b'e', Some(2), false, 12345.0), "1.23e+04");
        assert_eq!(text(b'E', Some(0), false, 0.00012), "1E-04");
        assert_eq!(text(b'g', None, false, 100000.0), "100000");
        assert_eq!(text(b'g', None, false, 1e6), "1e+06");
        assert_eq!(text(b'g', None, false, 0.0001), "0.0001");
        assert_eq!(text(b'g', None, false, 0.00001), "1e-05");
        assert_eq!(text(b'g', None, true, 1.0), "1.00000");
        assert_eq!(text(b'g', Some(3), false, 999.9), "1e+03");
        assert_eq!(text(b'G', None, false, f64::INFINITY), "INF");
    }
}
