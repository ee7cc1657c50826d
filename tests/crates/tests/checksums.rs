//! Checksums and hashes.

use std::hash::{Hash, Hasher};

/// The table of the crate against the definition, bit by bit.
#[symex::harness]
fn crc_agrees_with_bits(data: [u8; 3]) {
    let mut model = 0xffff_u16;
    for byte in data {
        model ^= u16::from(byte) << 8;
        for _ in 0..8 {
            model = if model & 0x8000 != 0 {
                model << 1 ^ 0x1021
            } else {
                model << 1
            };
        }
    }
    assert_eq!(
        crc::Crc::<u16>::new(&crc::CRC_16_IBM_3740).checksum(&data),
        model
    );
}

#[symex::harness]
fn crc32fast_agrees_with_crc(data: [u8; 4]) {
    let other = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&data);
    assert_eq!(crc32fast::hash(&data), other);
}

#[symex::harness]
fn adler_agrees_with_model(data: [u8; 8]) {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in data {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    assert_eq!(adler2::adler32_slice(&data), b << 16 | a);
}

#[symex::harness]
fn fnv_in_two_parts(data: [u8; 6], at: usize) {
    symex::assume(at <= 6);
    let mut whole = fnv::FnvHasher::default();
    whole.write(&data);
    let mut parts = fnv::FnvHasher::default();
    parts.write(&data[..at]);
    parts.write(&data[at..]);
    assert_eq!(whole.finish(), parts.finish());
}

#[symex::harness]
fn siphash_of_equal_values(key: [u8; 16], text: [u8; 5]) {
    let hash = |value: &dyn Fn(&mut siphasher::sip::SipHasher13)| {
        let mut hasher = siphasher::sip::SipHasher13::new_with_key(&key);
        value(&mut hasher);
        hasher.finish()
    };
    let slice = hash(&|h| text[..].hash(h));
    let vector = hash(&|h| text.to_vec().hash(h));
    assert_eq!(slice, vector);
}
