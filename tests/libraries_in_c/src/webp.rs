//! Parsing of the header of a picture.

use libwebp_sys::{VP8StatusCode, WebPBitstreamFeatures, WebPGetFeatures};

/// A file's header up to the sizes of its first chunk, some bytes of which are symbolic.
#[symex::harness]
fn headers(kind: [u8; 4], size: [u8; 4], start: [u8; 10]) {
    let mut file = b"RIFF\x20\0\0\0WEBP".to_vec();
    file.extend(kind);
    file.extend(size);
    file.extend(start);
    file.resize(40, 0);
    let mut features: WebPBitstreamFeatures = unsafe { std::mem::zeroed() };
    // SAFETY: as long as said.
    let status = unsafe { WebPGetFeatures(file.as_ptr(), file.len(), &mut features) };
    println!("{}", status as i32);
    if status == VP8StatusCode::VP8_STATUS_OK {
        println!(
            "{} {} {} {}",
            features.width, features.height, features.has_alpha, features.format
        );
    }
}
