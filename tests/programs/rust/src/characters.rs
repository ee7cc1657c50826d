//! Classes of characters, as the standard library tells them.

// One path for all letters beyond ASCII, one for all else there, and three for ASCII.
// expect: pass-complete paths 5
#[symex::harness]
fn letters_of_all_scripts(c: char) {
    if c.is_alphabetic() {
        assert!(!c.is_ascii() || c.is_ascii_alphabetic());
    } else {
        assert!(c != 'ß' && c != '\u{10400}');
    }
}

/// Checks what is said of any of 256 characters against what is said of each of them.
fn agree(first: char, at: u8, is: fn(char) -> bool) {
    let character = |at: u8| char::from_u32(u32::from(first) + u32::from(at)).unwrap();
    let each: [bool; 256] = std::array::from_fn(|at| is(character(at as u8)));
    assert_eq!(is(character(at)), each[usize::from(at)]);
}

// expect: pass-complete
#[symex::harness]
fn letters_of_greek(at: u8) {
    agree('\u{370}', at, char::is_alphabetic);
}

// Behind the last letters.
// expect: pass-complete
#[symex::harness]
fn letters_of_the_third_plane(at: u8) {
    agree('\u{313c0}', at, char::is_alphabetic);
}

// expect: pass-complete
#[symex::harness]
fn digits_of_india(at: u8) {
    agree('\u{900}', at, char::is_numeric);
}

// expect: bug panic
#[symex::harness]
fn a_digit_that_is_none_of_ascii(text: [u8; 2]) {
    let Ok(text) = std::str::from_utf8(&text) else {
        return;
    };
    for c in text.chars().filter(|c| c.is_numeric()) {
        assert!(c.is_ascii_digit());
    }
}
