//! `Symbolic` for strings: up to [`Cx::bound`] bytes, assumed to be UTF-8.

use core::fmt::{self, Write as _};
use std::borrow::Cow;
use std::path::PathBuf;

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

/// Reports whether the byte at `at` may stand in UTF-8, as far as those before it say, without a
/// branch on any of them (RFC 3629, table in section 4).
///
/// `str::from_utf8` branches on each byte: in the engine that forks the path by every shape of the
/// text before the harness has even begun. Here each byte has a condition of its own, about itself
/// and the three before it: a condition of them all would be far harder for a solver.
#[inline]
// `contains` branches.
#[allow(clippy::manual_range_contains)]
fn fits(bytes: &[u8], at: usize) -> bool {
    let byte = bytes[at];
    let [first, second, third] = [1, 2, 3].map(|back| before(bytes, at, back));
    let is_due = (first >= 0xc2) | (second >= 0xe0) | (third >= 0xf0);
    let continues = (byte >= 0x80) & (byte <= 0xbf);
    let is_known = (byte != 0xc0) & (byte != 0xc1) & (byte <= 0xf4);
    let is_shortest = ((first != 0xe0) | (byte >= 0xa0)) & ((first != 0xf0) | (byte >= 0x90));
    let is_scalar = ((first != 0xed) | (byte <= 0x9f)) & ((first != 0xf4) | (byte <= 0x8f));
    (is_due == continues) & is_known & is_shortest & is_scalar
}

/// Reports whether no character is unfinished at the end.
#[inline]
fn is_whole(bytes: &[u8]) -> bool {
    let [first, second, third] = [1, 2, 3].map(|back| before(bytes, bytes.len(), back));
    (first < 0xc2) & (second < 0xe0) & (third < 0xf0)
}

/// Returns the byte that comes so many places before one, or 0.
#[inline]
fn before(bytes: &[u8], at: usize, back: usize) -> u8 {
    if at >= back { bytes[at - back] } else { 0 }
}

impl Symbolic for String {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let bytes = Vec::<u8>::any(cx);
        let mut at = 0;
        while at < bytes.len() {
            crate::assume(fits(&bytes, at));
            at += 1;
        }
        crate::assume(is_whole(&bytes));
        // SAFETY: they are UTF-8; `assume` does not return where a condition does not hold.
        unsafe { String::from_utf8_unchecked(bytes) }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("String::from(")?;
        out.literal(self);
        out.write_char(')')
    }
}

impl Symbolic for Box<str> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        String::any(cx).into_boxed_str()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("Box::from(")?;
        out.literal(self);
        out.write_char(')')
    }
}

impl Symbolic for PathBuf {
    /// Draws only paths that are UTF-8.
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        PathBuf::from(String::any(cx))
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        let text = self.to_str().ok_or(fmt::Error)?;
        out.write_str("std::path::PathBuf::from(")?;
        out.literal(text);
        out.write_char(')')
    }
}

impl Symbolic for Cow<'static, str> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Cow::Owned(cx.any())
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("std::borrow::Cow::Owned(")?;
        String::from(&**self).source(out)?;
        out.write_char(')')
    }
}

impl Symbolic for &'static str {
    /// Leaks the text. A harness argument written `&str` is not drawn here, but a `&str` inside
    /// another type is.
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        String::any(cx).leak()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.literal(self);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{fits, is_whole};

    fn is_utf8(bytes: &[u8]) -> bool {
        (0..bytes.len()).all(|at| fits(bytes, at)) && is_whole(bytes)
    }

    fn agrees(bytes: &[u8]) {
        assert_eq!(
            is_utf8(bytes),
            core::str::from_utf8(bytes).is_ok(),
            "{bytes:x?}"
        );
    }

    #[test]
    fn utf8_agrees_with_std_on_all_short_inputs() {
        agrees(&[]);
        for a in 0..=255 {
            agrees(&[a]);
            for b in 0..=255 {
                agrees(&[a, b]);
                agrees(&[b'x', a, b]);
            }
        }
    }

    #[test]
    fn utf8_agrees_with_std_on_the_edges_of_each_class() {
        let edges = [
            0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1,
            0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
        ];
        for a in edges {
            for b in edges {
                for c in edges {
                    agrees(&[a, b, c]);
                    for d in edges {
                        agrees(&[a, b, c, d]);
                        agrees(&[a, b, c, d, 0x80]);
                    }
                }
            }
        }
    }
}
