//! Decompression of a stream of 8 bytes.

use bzip2_sys::{BZ2_bzDecompress, BZ2_bzDecompressEnd, BZ2_bzDecompressInit, bz_stream};

#[symex::harness]
fn decompresses(data: [u8; 8]) {
    let mut data = data;
    let mut out = [0u8; 32];
    // SAFETY: a stream may be all zero; both buffers are as long as said.
    unsafe {
        let mut stream: bz_stream = std::mem::zeroed();
        println!("{}", BZ2_bzDecompressInit(&mut stream, 0, 0));
        stream.next_in = data.as_mut_ptr().cast();
        stream.avail_in = data.len() as u32;
        stream.next_out = out.as_mut_ptr().cast();
        stream.avail_out = out.len() as u32;
        println!("{}", BZ2_bzDecompress(&mut stream));
        println!("{} {}", stream.avail_in, stream.avail_out);
        println!("{}", BZ2_bzDecompressEnd(&mut stream));
    }
    println!("{out:?}");
}
