//! `Symbolic` for strings: up to [`Cx::bound`] bytes, assumed to be UTF-8.

use core::fmt::{self, Write as _};
use std::borrow::Cow;
use std::path::PathBuf;

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

/// Reports whether `bytes` are UTF-8, without a branch on any of them.
///
/// `str::from_utf8` branches on each byte: in the engine that forks the path by every shape of the
/// text before the harness has even begun. Here the state of the scan is data: the number of
/// continuation bytes due, and the range in which the next one must lie (RFC 3629, table in section
/// 4).
#[inline]
// `contains` branches.
#[allow(clippy::manual_range_contains)]
fn is_utf8(bytes: &[u8]) -> bool {
    let (mut due, mut low, mut high, mut ok) = (0u32, 0x80u32, 0xbfu32, true);
    let mut i = 0;
    while i < bytes.len() {
        let byte = bytes[i] as u32;
        let inside = mask(due != 0);
        let lead = !inside;
        let one = mask(byte < 0x80);
        let two = mask((byte >= 0xc2) & (byte <= 0xdf));
        let three = mask((byte >= 0xe0) & (byte <= 0xef));
        let four = mask((byte >= 0xf0) & (byte <= 0xf4));
        let continues = mask((byte >= low) & (byte <= high));
        ok &= ((inside & continues) | (lead & (one | two | three | four))) != 0;
        due = (inside & due.wrapping_sub(1)) | (lead & ((two & 1) | (three & 2) | (four & 3)));
        low = 0x80 + (lead & ((mask(byte == 0xe0) & 0x20) | (mask(byte == 0xf0) & 0x10)));
        high = 0xbf - (lead & ((mask(byte == 0xed) & 0x20) | (mask(byte == 0xf4) & 0x30)));
        i += 1;
    }
    ok & (due == 0)
}

/// Returns all ones or all zeros. Masks are used because a solver is slow at products.
#[inline]
fn mask(condition: bool) -> u32 {
    0u32.wrapping_sub(condition as u32)
}

impl Symbolic for String {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let bytes = Vec::<u8>::any(cx);
        crate::assume(is_utf8(&bytes));
        // SAFETY: `is_utf8`; `assume` does not return where it does not hold.
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
    use super::is_utf8;

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
