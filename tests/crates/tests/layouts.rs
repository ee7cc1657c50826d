//! Structures in bytes.

use zerocopy::byteorder::big_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    source: U16,
    target: U16,
    length: U32,
}

#[symex::harness]
fn zerocopy_header(data: [u8; 10]) {
    let (header, rest) = Header::ref_from_prefix(&data).unwrap();
    assert_eq!(rest.len(), 2);
    assert_eq!(header.source.get(), u16::from_be_bytes([data[0], data[1]]));
    assert_eq!(header.as_bytes(), &data[..8]);
    let length = u32::from_be_bytes([data[4], data[5], data[6], data[7]]);
    assert_eq!(
        header.length.get().wrapping_add(header.target.get().into()),
        { length.wrapping_add(u16::from_be_bytes([data[2], data[3]]).into()) }
    );
}

#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize, symex::Symbolic)]
enum Message {
    Ping,
    Move { x: i16, y: Option<u8> },
    Text(String),
}

#[symex::harness]
fn postcard_round_trip(message: Message) {
    let data = postcard::to_stdvec(&message).unwrap();
    assert_eq!(postcard::from_bytes::<Message>(&data).unwrap(), message);
}

#[symex::harness]
fn postcard_any_bytes(data: [u8; 6]) {
    if let Ok(message) = postcard::from_bytes::<Message>(&data) {
        let again = postcard::to_stdvec(&message).unwrap();
        assert_eq!(postcard::from_bytes::<Message>(&again).unwrap(), message);
    }
}

#[symex::harness]
fn ciborium_any_bytes(data: [u8; 4]) {
    let _ = ciborium::from_reader::<ciborium::Value, _>(&data[..]);
}

#[symex::harness]
fn ciborium_round_trip(message: Message) {
    let mut data = Vec::new();
    ciborium::into_writer(&message, &mut data).unwrap();
    assert_eq!(
        ciborium::from_reader::<Message, _>(&data[..]).unwrap(),
        message
    );
}

#[symex::harness]
fn minicbor_any_bytes(data: [u8; 6]) {
    let mut decoder = minicbor::Decoder::new(&data);
    while decoder.datatype().is_ok() && decoder.skip().is_ok() {}
    assert!(decoder.position() <= 6);
}

#[symex::harness]
fn minicbor_round_trip(values: [i32; 2]) {
    let data = minicbor::to_vec(values).unwrap();
    assert_eq!(minicbor::decode::<[i32; 2]>(&data).unwrap(), values);
}
