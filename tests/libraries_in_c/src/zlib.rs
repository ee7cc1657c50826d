//! Decompression of 6 bytes.

use libz_sys::{Z_OK, uncompress};

#[symex::harness]
fn inflates(data: [u8; 6]) {
    let mut out = [0; 32];
    let mut length = out.len() as _;
    // SAFETY: both are as long as said.
    let status = unsafe {
        uncompress(
            out.as_mut_ptr(),
            &mut length,
            data.as_ptr(),
            data.len() as _,
        )
    };
    println!("{status} {length}");
    if status == Z_OK {
        println!("{:?}", &out[..length as usize]);
    }
}
