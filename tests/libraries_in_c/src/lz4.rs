//! Decompression of a block of 8 bytes.

use lz4_sys::LZ4_decompress_safe;

#[symex::harness]
fn decompresses(data: [u8; 8]) {
    let mut out = [0; 32];
    // SAFETY: both are as long as said.
    let written = unsafe {
        LZ4_decompress_safe(
            data.as_ptr().cast(),
            out.as_mut_ptr().cast(),
            data.len() as i32,
            out.len() as i32,
        )
    };
    println!("{written}");
    if let Ok(length) = usize::try_from(written) {
        println!("{:?}", &out[..length]);
    }
}
