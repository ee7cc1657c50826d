//! Parser of floating-point numbers, as `strtod` reads them. The class of each byte is decided;
//! digits stay terms as long as one rounding gives the number: the digits as an integer and the
//! power of ten are then both exact [Clinger, How to Read Floating Point Numbers Accurately, 1990,
//! section 2], and their product or quotient is rounded as the text would be.

use super::numerals::{digit, is_one_of};
use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};
use std::str::FromStr;
use symex_solver::Purpose;
use symex_terms::{BinOp, Expr, FCast, Value};
use symex_types::outcome::Unsupported;

/// Greatest number of input-dependent digits that are tried one by one where they cannot stay
/// terms.
const MOST_TRIED: usize = 3;

/// A number parsed from a text.
pub struct ParsedDecimal {
    /// Value as the bits of the float.
    pub value: Value,
    /// Number of bytes that belong to it, including leading blanks; 0 if there is no number.
    pub used: u64,
    /// Number of bytes up to the last that could have belonged to it before the bytes behind were
    /// known: of `1e+x`, three.
    pub taken: u64,
    /// Whether it ends in the middle, as in `infi` or `0x`.
    pub broken: bool,
    pub out_of_range: bool,
}

/// Float format of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FloatFormat {
    Single,
    Double,
}

impl FloatFormat {
    /// Returns the width in bits.
    pub fn width(self) -> u32 {
        match self {
            FloatFormat::Single => 32,
            FloatFormat::Double => 64,
        }
    }

    fn of(self, value: f64) -> u64 {
        match self {
            FloatFormat::Single => u64::from((value as f32).to_bits()),
            FloatFormat::Double => value.to_bits(),
        }
    }

    /// Returns the bits of the number in a text, and whether it is too large or too small for the
    /// format.
    fn round(self, text: &str) -> (u64, bool) {
        fn rounded<T: Float + FromStr>(text: &str) -> (u64, bool) {
            let Ok(number) = T::from_str(text) else {
                return (0, false);
            };
            let bits = number.to_bits() as u64;
            let is_zero = text.bytes().take_while(|c| !matches!(c, b'e' | b'p'));
            let is_zero = !is_zero
                .into_iter()
                .any(|c| matches!(c, b'1'..=b'9' | b'a'..=b'f'));
            (bits, !number.is_normal() && !is_zero)
        }
        match self {
            FloatFormat::Single => rounded::<Single>(text),
            FloatFormat::Double => rounded::<Double>(text),
        }
    }
}

/// Notation of a number: decimal or hexadecimal.
#[derive(Clone, Copy)]
struct Notation {
    base: u64,
    /// Prefix of the digits, in texts.
    prefix: &'static str,
    /// Letter before the exponent.
    letter: u8,
    /// Amount subtracted from the exponent for each digit behind the point.
    powers: i64,
}

const DECIMAL: Notation = Notation {
    base: 10,
    prefix: "0",
    letter: b'e',
    powers: 1,
};

const HEXADECIMAL: Notation = Notation {
    base: 16,
    prefix: "0x0",
    letter: b'p',
    powers: 4,
};

impl Notation {
    /// Returns the greatest number of digits that are exact as an integer in a format, and the
    /// greatest exact power.
    fn exact(self, format: FloatFormat) -> (usize, i64) {
        match (self.base, format) {
            (10, FloatFormat::Single) => (7, 10),
            (10, FloatFormat::Double) => (15, 22),
            // No product or quotient by these is rounded, either.
            (_, FloatFormat::Single) => (6, 100),
            (_, FloatFormat::Double) => (13, 900),
        }
    }
}

/// Source of bytes by position; `None` behind the last.
pub trait TextSource {
    fn byte(&mut self, m: &mut Executor, st: &mut State, at: u64) -> Res<Option<Expr>>;
}

/// Parses a number.
pub fn parse(
    m: &mut Executor,
    st: &mut State,
    format: FloatFormat,
    text: impl TextSource,
) -> Res<ParsedDecimal> {
    DecimalReader {
        m,
        st,
        text,
        format,
        at: 0,
        taken: 0,
        broken: false,
    }
    .number()
}

struct DecimalReader<'a, 'm, T> {
    m: &'a mut Executor<'m>,
    st: &'a mut State,
    text: T,
    format: FloatFormat,
    at: u64,
    /// See [`ParsedDecimal::taken`].
    taken: u64,
    /// See [`ParsedDecimal::broken`].
    broken: bool,
}

impl<T: TextSource> DecimalReader<'_, '_, T> {
    fn number(mut self) -> Res<ParsedDecimal> {
        while self.take(&[(9, 13), (32, 32)])? {}
        let negative = self.take(&[(b'-', b'-')])?;
        if !negative {
            self.take(&[(b'+', b'+')])?;
        }
        if let Some(value) = self.word()? {
            return Ok(self.parsed(Value::Int(value), negative, false));
        }
        if self.is_hexadecimal()? {
            let zero = self.at + 1;
            self.at += 2;
            self.taken = self.at;
            if let Some((value, out_of_range)) = self.numeral(HEXADECIMAL)? {
                return Ok(self.parsed(value, negative, out_of_range));
            }
            // The zero alone is a number.
            self.at = zero;
            self.broken = self.taken == zero + 1;
            return Ok(self.parsed(Value::Int(0), negative, false));
        }
        match self.numeral(DECIMAL)? {
            Some((value, out_of_range)) => Ok(self.parsed(value, negative, out_of_range)),
            None => Ok(ParsedDecimal {
                value: Value::Int(0),
                used: 0,
                taken: self.taken,
                broken: false,
                out_of_range: false,
            }),
        }
    }

    /// Reports whether `0x` follows. Texts with `x` in the second place that are no number are not
    /// distinguished by their first digit.
    fn is_hexadecimal(&mut self) -> Res<bool> {
        let Some(first) = self.text.byte(self.m, self.st, self.at)? else {
            return Ok(false);
        };
        let Some(first) = digit(self.m, self.st, first, 10)? else {
            return Ok(false);
        };
        let Some(second) = self.text.byte(self.m, self.st, self.at + 1)? else {
            return Ok(false);
        };
        if !is_one_of(self.m, self.st, second, &[(b'x', b'x'), (b'X', b'X')])? {
            return Ok(false);
        }
        let zero = self.m.pool.constant(8, 0);
        let is_zero = self.m.pool.eq(first, zero);
        self.m.split(self.st, is_zero, Purpose::Branch)
    }

    /// Parses digits with a point and an exponent: returns the number, and whether it is out of
    /// range; `None` if there is no digit.
    fn numeral(&mut self, notation: Notation) -> Res<Option<(Value, bool)>> {
        let mut digits = Vec::new();
        self.digits(&mut digits, notation.base)?;
        let whole = digits.len();
        if self.take(&[(b'.', b'.')])? {
            self.digits(&mut digits, notation.base)?;
        }
        if digits.is_empty() {
            return Ok(None);
        }
        let fraction = (digits.len() - whole) as i64 * notation.powers;
        let exponent = self.exponent(notation)? - fraction;
        self.value(&digits, exponent, notation).map(Some)
    }

    /// Consumes the next byte if it is in the set, and reports whether it was.
    fn take(&mut self, set: &[(u8, u8)]) -> Res<bool> {
        let Some(byte) = self.text.byte(self.m, self.st, self.at)? else {
            return Ok(false);
        };
        let taken = is_one_of(self.m, self.st, byte, set)?;
        self.at += u64::from(taken);
        self.taken = self.taken.max(self.at);
        Ok(taken)
    }

    /// Consumes a word in letters of either case, wholly or not at all.
    fn take_word(&mut self, word: &[u8]) -> Res<bool> {
        let start = self.at;
        for letter in word {
            let upper = letter.to_ascii_uppercase();
            if !self.take(&[(*letter, *letter), (upper, upper)])? {
                self.at = start;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Parses an infinity or a NaN.
    fn word(&mut self) -> Res<Option<u64>> {
        if self.take_word(b"inf")? {
            let end = self.at;
            let is_whole = self.take_word(b"inity")?;
            self.broken = !is_whole && self.taken > end;
            return Ok(Some(self.format.of(f64::INFINITY)));
        }
        if self.take_word(b"nan")? {
            self.no_payload()?;
            return Ok(Some(self.format.of(f64::NAN)));
        }
        Ok(None)
    }

    /// Ends the path where `nan` is followed by a number in parentheses.
    fn no_payload(&mut self) -> Res<()> {
        let end = (self.at, self.taken);
        if self.take(&[(b'(', b'(')])? {
            while self.take(&[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z'), (b'_', b'_')])? {}
            if self.take(&[(b')', b')')])? {
                return Err(Unsupported::Model("text of a NaN with a number".into()).into());
            }
        }
        (self.at, self.taken) = end;
        Ok(())
    }

    fn digits(&mut self, digits: &mut Vec<Expr>, base: u64) -> Res<()> {
        while let Some(byte) = self.text.byte(self.m, self.st, self.at)? {
            let Some(digit) = digit(self.m, self.st, byte, base)? else {
                break;
            };
            digits.push(digit);
            self.at += 1;
            self.taken = self.taken.max(self.at);
        }
        Ok(())
    }

    /// Parses the exponent behind the digits.
    fn exponent(&mut self, notation: Notation) -> Res<i64> {
        let start = self.at;
        let (lower, upper) = (notation.letter, notation.letter.to_ascii_uppercase());
        if !self.take(&[(lower, lower), (upper, upper)])? {
            return Ok(0);
        }
        let negative = self.take(&[(b'-', b'-')])?;
        if !negative {
            self.take(&[(b'+', b'+')])?;
        }
        let mut digits = Vec::new();
        self.digits(&mut digits, 10)?;
        if digits.is_empty() {
            self.at = start;
            return Ok(0);
        }
        let mut exponent: i64 = 0;
        for digit in digits {
            let digit = self.tried(digit)?;
            // Beyond all that any format has, and any number of digits makes up for.
            exponent = (exponent * 10 + digit as i64).min(1 << 20);
        }
        Ok(if negative { -exponent } else { exponent })
    }

    /// Makes a digit concrete, forking a path for each value.
    fn tried(&mut self, digit: Expr) -> Res<u64> {
        let value = self.m.pool.value(digit);
        self.m.concretise(self.st, value, 8)
    }

    /// Returns the value of digits times a power.
    fn value(&mut self, digits: &[Expr], exponent: i64, notation: Notation) -> Res<(Value, bool)> {
        let pool = &self.m.pool;
        let zeros = digits.iter();
        let zeros = zeros.take_while(|digit| pool.as_const(**digit) == Some(0));
        let digits = &digits[zeros.count()..];
        let depends = |digit: &&Expr| pool.as_const(**digit).is_none();
        let unknown = digits.iter().filter(depends).count();
        let (most, power) = notation.exact(self.format);
        if unknown > 0 && digits.len() <= most && exponent.abs() <= power {
            return Ok((self.term(digits, exponent, notation), false));
        }
        if unknown > MOST_TRIED {
            let what = "a floating-point number of so many symbolic digits, or so large, that its text is rounded";
            return Err(Unsupported::Model(what.into()).into());
        }
        let mut text = notation.prefix.to_owned();
        for digit in digits {
            let digit = self.tried(*digit)? as u32;
            text.extend(char::from_digit(digit, notation.base as u32));
        }
        text.push_str(&format!("{}{exponent}", char::from(notation.letter)));
        let (bits, out_of_range) = self.format.round(&text);
        Ok((Value::Int(bits), out_of_range))
    }

    /// Returns the value as a term, where digits and power are exact.
    fn term(&mut self, digits: &[Expr], exponent: i64, notation: Notation) -> Value {
        let pool = &mut self.m.pool;
        let base = pool.constant(64, notation.base.into());
        let mut integer = pool.constant(64, 0);
        for digit in digits {
            let digit = pool.zext(*digit, 64);
            let scaled = pool.bin(BinOp::Mul, integer, base);
            integer = pool.add(scaled, digit);
        }
        let width = self.format.width();
        let integer = pool.fcast(FCast::FromUnsigned, integer, width);
        let root: f64 = if notation.powers == 1 { 10.0 } else { 2.0 };
        let power = self.format.of(root.powi(exponent.unsigned_abs() as i32));
        let power = pool.constant(width, u128::from(power));
        let value = match exponent {
            0 => integer,
            1.. => pool.bin(BinOp::FMul, integer, power),
            _ => pool.bin(BinOp::FDiv, integer, power),
        };
        pool.value(value)
    }

    fn parsed(self, value: Value, negative: bool, out_of_range: bool) -> ParsedDecimal {
        let width = self.format.width();
        let value = match (negative, value) {
            (false, value) => value,
            (true, Value::Int(bits)) => Value::Int(bits | 1 << (width - 1)),
            (true, value) => {
                let value = self.m.term(self.st, value, width);
                let sign = self.m.pool.constant(width, 1 << (width - 1));
                let value = self.m.pool.bin(BinOp::Xor, value, sign);
                self.m.pool.value(value)
            }
        };
        ParsedDecimal {
            value,
            used: self.at,
            taken: self.taken,
            broken: self.broken,
            out_of_range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DECIMAL, FloatFormat, HEXADECIMAL};

    #[test]
    fn numbers_beyond_a_format_are_out_of_its_range() {
        for (text, single, double) in [
            ("01e0", false, false),
            ("00e-99999", false, false),
            ("01e39", true, false),
            ("01e309", true, true),
            ("01e-40", true, false),
            ("01e-310", true, true),
            ("0x01p-1030", true, true),
            ("0x00p-1030", false, false),
        ] {
            assert_eq!(FloatFormat::Single.round(text).1, single, "{text}");
            assert_eq!(FloatFormat::Double.round(text).1, double, "{text}");
        }
        let single = FloatFormat::Single.round("016777217e0").0;
        assert_eq!(single, u64::from(16777216f32.to_bits()));
        assert_eq!(FloatFormat::Double.round("01e-1").0, 0.1f64.to_bits());
        assert_eq!(FloatFormat::Double.round("0x01fp-4").0, 1.9375f64.to_bits());
    }

    #[test]
    fn what_is_taken_for_exact_is() {
        for (format, most) in [
            (FloatFormat::Single, 1u128 << 24),
            (FloatFormat::Double, 1 << 53),
        ] {
            let (digits, power) = DECIMAL.exact(format);
            assert!(10u128.pow(digits as u32) < most);
            // Ten has one factor of two a power; what is left must fit.
            assert!(5u128.pow(power as u32) < most);
            for power in 0..=power as u32 {
                assert_eq!(10f64.powi(power as i32), 10u128.pow(power) as f64);
            }
            assert!(16u128.pow(HEXADECIMAL.exact(format).0 as u32) <= most);
        }
    }
}
