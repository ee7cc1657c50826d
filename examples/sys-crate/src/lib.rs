//! Small messages, compressed by the C library that `lz4-sys` carries.
//!
//! A message is its length in a byte, and then a block of LZ4.

use lz4_sys::{LZ4_compress_default, LZ4_decompress_safe};
use std::ffi::c_int;

/// The maximal length of a message.
pub const LIMIT: usize = 32;

/// Returns the bytes that a message carries; `None` if its length byte is wrong.
pub fn unpack(message: &[u8]) -> Option<Vec<u8>> {
    let (&length, block) = message.split_first()?;
    let length = usize::from(length);
    if length > LIMIT {
        return None;
    }
    let mut bytes = vec![0; length];
    // SAFETY: both are as long as said.
    let written = unsafe {
        LZ4_decompress_safe(
            block.as_ptr().cast(),
            bytes.as_mut_ptr().cast(),
            block.len() as c_int,
            LIMIT as c_int,
        )
    };
    (usize::try_from(written) == Ok(length)).then_some(bytes)
}

/// Returns a message that carries the bytes; `None` if they are too many.
pub fn pack(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() > LIMIT {
        return None;
    }
    let mut message = vec![0; 2 * LIMIT];
    message[0] = bytes.len() as u8;
    let block = &mut message[1..];
    // SAFETY: both are as long as said.
    let written = unsafe {
        LZ4_compress_default(
            bytes.as_ptr().cast(),
            block.as_mut_ptr().cast(),
            bytes.len() as c_int,
            block.len() as c_int,
        )
    };
    let written = usize::try_from(written).ok().filter(|length| *length > 0)?;
    message.truncate(1 + written);
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn any_message(message: [u8; 6]) {
        unpack(&message);
    }

    #[symex::harness]
    fn what_is_packed_comes_out(bytes: [u8; 5], length: usize) {
        symex::assume(length <= bytes.len());
        let bytes = &bytes[..length];
        let message = pack(bytes).unwrap();
        assert_eq!(unpack(&message).as_deref(), Some(bytes));
    }
}
