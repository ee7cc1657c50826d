//! Bytes that may be UTF-8, as the standard library checks them.

use std::borrow::Cow;

// One path for all texts, and one for all else.
// expect: pass-complete paths 2
#[symex::harness]
fn text_or_not(data: [u8; 12]) {
    match std::str::from_utf8(&data) {
        Ok(text) => assert!(text.len() == 12 && text.as_ptr() == data.as_ptr()),
        Err(fault) => assert!(fault.valid_up_to() < 12),
    }
}

/// Checks what is said of four bytes against how the standard library takes bytes apart that are
/// not all UTF-8, which it does by other code.
fn faults_agree(data: &[u8]) {
    let first = data.utf8_chunks().next().expect("some bytes");
    match std::str::from_utf8(data) {
        Ok(text) => assert!(first.valid() == text && first.invalid().is_empty()),
        Err(fault) => {
            assert_eq!(fault.valid_up_to(), first.valid().len());
            let len = fault.error_len().unwrap_or(data.len() - fault.valid_up_to());
            assert_eq!(len, first.invalid().len());
            // A character is unfinished if it is all that is left, and not as long as it begins.
            let rest = &data[fault.valid_up_to()..];
            let needed = match rest[0] {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            let unfinished = len == rest.len() && len < needed;
            assert_eq!(fault.error_len().is_none(), unfinished);
        }
    }
}

// expect: pass-complete
#[symex::harness]
fn faults_of_three_bytes(data: [u8; 3]) {
    faults_agree(&data);
}

// expect: pass-complete
#[symex::harness]
fn faults_of_four_bytes(data: [u8; 4]) {
    faults_agree(&data);
}

// expect: pass-complete paths 11
#[symex::harness]
fn any_length(data: [u8; 5], len: usize) {
    symex::assume(len <= 5);
    match std::str::from_utf8(&data[..len]) {
        Ok(text) => assert_eq!(text.len(), len),
        Err(fault) => assert!(fault.valid_up_to() < len),
    }
}

// expect: bug panic
#[symex::harness]
fn a_rare_text(data: [u8; 7]) {
    if let Ok(text) = std::str::from_utf8(&data) {
        assert!(!(text.starts_with('\u{10ffff}') && text.ends_with("é!")));
    }
}

// expect: bug panic
#[symex::harness]
fn a_rare_fault(data: [u8; 6]) {
    if let Err(fault) = std::str::from_utf8(&data) {
        assert!(fault.valid_up_to() != 3 || fault.error_len() != Some(2));
    }
}

// expect: pass-complete
#[symex::harness]
fn lossy_text_is_borrowed(data: [u8; 3]) {
    let text = String::from_utf8_lossy(&data);
    match text {
        Cow::Borrowed(text) => assert!(text.as_bytes() == data),
        Cow::Owned(text) => assert!(text.contains(char::REPLACEMENT_CHARACTER)),
    }
}

// expect: pass-complete
#[symex::harness]
fn owned_text(data: [u8; 6]) {
    let bytes = data.to_vec();
    let place = bytes.as_ptr();
    match String::from_utf8(bytes) {
        Ok(text) => assert!(text.as_ptr() == place && text.len() == 6),
        Err(fault) => {
            assert!(fault.utf8_error().valid_up_to() < 6);
            assert_eq!(fault.into_bytes(), data);
        }
    }
}
