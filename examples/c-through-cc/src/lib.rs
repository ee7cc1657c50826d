//! Hexadecimal numbers, parsed by a function in C.

use std::ffi::{c_char, c_long};

unsafe extern "C" {
    fn hex_value(text: *const c_char, len: usize) -> c_long;
}

/// Returns the value of up to eight hexadecimal digits.
pub fn parse(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 8 {
        return None;
    }
    // SAFETY: `text` is valid for its length.
    let value = unsafe { hex_value(text.as_ptr().cast(), text.len()) };
    u32::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn any_bytes(text: [u8; 2]) {
        parse(&text);
    }

    /// C and Rust agree on ASCII text.
    #[symex::harness]
    fn ascii(text: [u8; 2]) {
        symex::assume(text.is_ascii());
        let expected = std::str::from_utf8(&text).ok().and_then(|text| {
            if text.starts_with('+') {
                return None;
            }
            u32::from_str_radix(text, 16).ok()
        });
        assert_eq!(parse(&text), expected);
    }
}
