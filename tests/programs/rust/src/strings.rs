//! Text and formatting.

use std::fmt::Write;

// expect: pass-complete
#[symex::harness]
fn formatting(n: u8) {
    let s = format!("{}-{:?}-{:>5}-{:#x}", 12, "q\"", "ab", 255);
    assert_eq!(s, "12-\"q\\\"\"-   ab-0xff");
    let mut t = String::new();
    write!(t, "{:02}", n % 4).unwrap();
    assert_eq!(t.len(), 2);
    assert_eq!(t.parse::<u8>(), Ok(n % 4));
}

// expect: pass-complete
#[symex::harness]
fn utf8_round_trip(d: [u8; 3]) {
    if let Ok(s) = std::str::from_utf8(&d) {
        let back: String = s.chars().collect();
        assert_eq!(back.as_bytes(), &d);
        assert_eq!(s.chars().map(char::len_utf8).sum::<usize>(), 3);
    }
}

// expect: bug panic
#[symex::harness]
fn splits_inside_a_char(d: [u8; 2]) {
    if let Ok(s) = std::str::from_utf8(&d) {
        let _ = s.split_at(1);
    }
}

// expect: pass-complete
#[symex::harness]
fn trim_and_case(d: [u8; 3]) {
    symex::assume(d.is_ascii());
    let s = std::str::from_utf8(&d).unwrap();
    let t = s.trim();
    assert!(t.len() <= 3 && !t.starts_with(' ') && !t.ends_with('\n'));
    assert_eq!(
        s.to_ascii_uppercase().to_ascii_lowercase(),
        s.to_ascii_lowercase()
    );
}

// expect: bug panic
#[symex::harness]
fn parses_the_number(d: [u8; 3]) {
    if let Ok(s) = std::str::from_utf8(&d) {
        assert!(s.parse::<u8>() != Ok(137));
    }
}

// expect: bug panic
#[symex::harness]
fn finds_the_separator(d: [u8; 4]) {
    if let Ok(s) = std::str::from_utf8(&d) {
        if let Some((k, v)) = s.split_once('=') {
            assert!(!(k == "a" && v == "b!"));
        }
    }
}

// expect: pass-complete
#[symex::harness]
fn chars_are_chars(c: char) {
    let mut b = [0; 4];
    let s = c.encode_utf8(&mut b);
    assert_eq!(s.chars().next(), Some(c));
    assert!(char::from_u32(c as u32).is_some());
}

/// Lines of twenty letters.
static LINES: [u8; 1000] = {
    let mut text = [b'x'; 1000];
    let mut at = 20;
    while at < 1000 {
        text[at] = b'\n';
        at += 20;
    }
    text
};

// The standard library looks for whole words on the way. Where they begin is no matter of what
// is found, and is not asked about.
// expect: pass-complete
#[symex::harness(max_queries = 10)]
fn places_in_a_known_text_are_known(_x: bool) {
    let text = std::str::from_utf8(&LINES).unwrap();
    let (mut rest, mut lines) = (text, 0);
    while let Some(at) = rest.find('\n') {
        rest = &rest[at + 1..];
        lines += 1;
    }
    assert_eq!((lines, rest.len()), (49, 19));
    assert_eq!(text.lines().map(str::len).sum::<usize>(), 1000 - lines);
}
