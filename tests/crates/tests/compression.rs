//! Compressors and decompressors.

#[symex::harness]
fn lz4_any_bytes(data: [u8; 6]) {
    if let Ok(out) = lz4_flex::block::decompress(&data, 32) {
        assert!(out.len() <= 32);
    }
}

#[symex::harness]
fn lz4_round_trip(data: [u8; 16]) {
    let packed = lz4_flex::block::compress(&data);
    assert_eq!(lz4_flex::block::decompress(&packed, 16).unwrap(), data);
}

#[symex::harness]
fn snap_any_bytes(data: [u8; 6]) {
    if let Ok(length) = snap::raw::decompress_len(&data)
        && length <= 64
    {
        let _ = snap::raw::Decoder::new().decompress_vec(&data);
    }
}

#[symex::harness]
fn snap_round_trip(data: [u8; 16]) {
    let packed = snap::raw::Encoder::new().compress_vec(&data).unwrap();
    assert_eq!(
        snap::raw::Decoder::new().decompress_vec(&packed).unwrap(),
        data
    );
}
