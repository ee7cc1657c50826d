//! Bytes as text and back.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

#[symex::harness]
fn base64_round_trip(data: [u8; 6]) {
    assert_eq!(STANDARD.decode(STANDARD.encode(data)).unwrap(), data);
}

/// Only one text of several decodes to the same bytes.
#[symex::harness]
fn base64_is_canonical(text: [u8; 4]) {
    if let Ok(data) = STANDARD.decode(text) {
        assert_eq!(STANDARD.encode(data).as_bytes(), text);
    }
}

#[symex::harness]
fn base32_round_trip(data: [u8; 5]) {
    let text = data_encoding::BASE32.encode(&data);
    assert_eq!(data_encoding::BASE32.decode(text.as_bytes()).unwrap(), data);
}

#[symex::harness]
fn base32_any_text(text: [u8; 8]) {
    if let Ok(data) = data_encoding::BASE32.decode(&text) {
        assert_eq!(data_encoding::BASE32.encode(&data).as_bytes(), text);
    }
}

#[symex::harness]
fn bs58_round_trip(data: [u8; 4]) {
    let text = bs58::encode(data).into_string();
    assert_eq!(bs58::decode(text).into_vec().unwrap(), data);
}

#[symex::harness]
fn bs58_any_text(text: [u8; 4]) {
    if let Ok(data) = bs58::decode(text).into_vec() {
        assert_eq!(bs58::encode(data).into_string().as_bytes(), text);
    }
}

#[symex::harness]
fn percent_round_trip(data: [u8; 6]) {
    let text = percent_encoding::percent_encode(&data, percent_encoding::NON_ALPHANUMERIC);
    let text = text.to_string();
    let back: Vec<u8> = percent_encoding::percent_decode_str(&text).collect();
    assert_eq!(back, data);
}

#[symex::harness]
fn leb128_signed_round_trip(value: i64) {
    let mut data = Vec::new();
    leb128::write::signed(&mut data, value).unwrap();
    assert_eq!(leb128::read::signed(&mut &data[..]).unwrap(), value);
}

#[symex::harness]
fn leb128_any_bytes(data: [u8; 10]) {
    let _ = leb128::read::unsigned(&mut &data[..]);
}
