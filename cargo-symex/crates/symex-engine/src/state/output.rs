//! Output of a path to standard output and error, in order. Bytes may be terms, and a number that
//! is written as text is kept as a number, so its number of digits need not be known before the
//! path's inputs are.

use std::fmt;
use std::rc::Rc;
use symex_terms::{Expr, Value};

/// Standard output or standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    Out,
    Error,
}

/// A piece of output, written at once.
#[derive(Clone, Debug)]
pub enum OutputPiece {
    Byte(Value),
    /// An integer, as text.
    Number(Expr, Digits),
    /// A word whose text is given by a function.
    Spelled(Expr, Spelling),
}

/// Conversion of a word to text.
#[derive(Clone)]
pub struct Spelling(pub Rc<dyn Fn(u128) -> Vec<u8>>);

impl fmt::Debug for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spelling")
    }
}

/// Output of a path, in order.
#[derive(Clone, Default, Debug)]
pub struct Output {
    pieces: Vec<(Sink, OutputPiece)>,
}

impl Output {
    /// Appends a piece.
    pub fn put(&mut self, to: Sink, piece: OutputPiece) {
        self.pieces.push((to, piece));
    }

    /// Returns the bytes, of one stream or of both, given the values of terms.
    pub fn bytes(&self, of: Option<Sink>, mut word: impl FnMut(Expr) -> u128) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.pieces.len());
        for (sink, piece) in &self.pieces {
            if of.is_some_and(|of| of != *sink) {
                continue;
            }
            match piece {
                OutputPiece::Byte(Value::Int(byte)) => bytes.push(*byte as u8),
                OutputPiece::Byte(Value::Expr(e)) => bytes.push(word(*e) as u8),
                OutputPiece::Byte(Value::Ptr(..) | Value::Undef) => bytes.push(0),
                OutputPiece::Number(e, digits) => bytes.extend(digits.text(word(*e))),
                OutputPiece::Spelled(e, spelling) => bytes.extend(spelling.0(word(*e))),
            }
        }
        bytes
    }
}

/// Format of an integer, as in a conversion of `printf`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Digits {
    /// Width of the integer in bits.
    pub bits: u32,
    pub signed: bool,
    pub base: u32,
    pub upper: bool,
    /// Prefix of a positive number, if it has one: `+` or a space.
    pub plus: Option<u8>,
    /// Whether a nonzero number has the prefix `0x`, `0X` or a zero.
    pub alternate: bool,
    pub least_digits: Option<usize>,
    pub width: usize,
    pub left: bool,
    /// Whether it is padded to the width with zeros.
    pub zeros: bool,
}

impl Digits {
    /// Formats a word of `bits` bits.
    pub fn text(&self, word: u128) -> Vec<u8> {
        let top = 1u128 << (self.bits - 1);
        let negative = self.signed && word & top != 0;
        let magnitude = if negative { (top << 1) - word } else { word };
        let mut digits = self.digits(magnitude);
        let least = self.least_digits.unwrap_or(1);
        while digits.len() < least {
            digits.insert(0, b'0');
        }
        let mut start = Vec::new();
        if negative {
            start.push(b'-');
        } else if self.signed {
            start.extend(self.plus);
        }
        if self.alternate && self.base == 16 && magnitude != 0 {
            start.extend(if self.upper { b"0X" } else { b"0x" });
        }
        if self.alternate && self.base == 8 && digits.first() != Some(&b'0') {
            start.push(b'0');
        }
        self.padded(start, digits)
    }

    fn digits(&self, mut magnitude: u128) -> Vec<u8> {
        let mut digits = Vec::new();
        while magnitude != 0 {
            let digit = (magnitude % u128::from(self.base)) as u8;
            let letter = if self.upper { b'A' } else { b'a' };
            digits.push(match digit {
                0..=9 => b'0' + digit,
                _ => letter + digit - 10,
            });
            magnitude /= u128::from(self.base);
        }
        digits.reverse();
        digits
    }

    fn padded(&self, start: Vec<u8>, digits: Vec<u8>) -> Vec<u8> {
        let missing = self.width.saturating_sub(start.len() + digits.len());
        let fill = |byte: u8| vec![byte; missing];
        if self.left {
            [start, digits, fill(b' ')].concat()
        } else if self.zeros && self.least_digits.is_none() {
            [start, fill(b'0'), digits].concat()
        } else {
            [fill(b' '), start, digits].concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(digits: Digits, word: u128) -> String {
        String::from_utf8(digits.text(word)).unwrap()
    }

    #[test]
    fn numbers_are_written_as_printf_does() {
        let d = Digits {
            bits: 32,
            signed: true,
            base: 10,
            ..Digits::default()
        };
        assert_eq!(text(d, 0), "0");
        assert_eq!(text(d, 0xffff_ffff), "-1");
        assert_eq!(text(d, 0x8000_0000), "-2147483648");
        let wide = Digits { width: 6, ..d };
        assert_eq!(text(wide, 42), "    42");
        assert_eq!(text(Digits { left: true, ..wide }, 42), "42    ");
        assert_eq!(
            text(
                Digits {
                    zeros: true,
                    ..wide
                },
                0xffff_ffd6
            ),
            "-00042"
        );
        let precise = Digits {
            least_digits: Some(3),
            zeros: true,
            ..wide
        };
        assert_eq!(text(precise, 7), "   007");
        let none = Digits {
            least_digits: Some(0),
            ..d
        };
        assert_eq!(text(none, 0), "");
        let hex = Digits {
            base: 16,
            signed: false,
            alternate: true,
            ..d
        };
        assert_eq!((text(hex, 255), text(hex, 0)), ("0xff".into(), "0".into()));
        let octal = Digits { base: 8, ..hex };
        assert_eq!((text(octal, 8), text(octal, 0)), ("010".into(), "0".into()));
        let plus = Digits {
            plus: Some(b'+'),
            ..d
        };
        assert_eq!(
            (text(plus, 5), text(plus, 0xffff_fffb)),
            ("+5".into(), "-5".into())
        );
    }
}
