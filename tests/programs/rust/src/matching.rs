//! A small matcher of regular expressions, asked with every expression of seven bytes.

fn here(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] | [0, ..] => true,
        [c, b'*', rest @ ..] => repeated(*c, rest, text),
        [b'$'] | [b'$', 0, ..] => text.is_empty(),
        [c, rest @ ..] => match text {
            [first, after @ ..] if *c == b'.' || c == first => here(rest, after),
            _ => false,
        },
    }
}

fn repeated(c: u8, pattern: &[u8], mut text: &[u8]) -> bool {
    loop {
        if here(pattern, text) {
            return true;
        }
        match text {
            [first, after @ ..] if c == b'.' || c == *first => text = after,
            _ => return false,
        }
    }
}

fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [b'^', rest @ ..] => here(rest, text),
        _ => (0..=text.len()).any(|at| here(pattern, &text[at..])),
    }
}

// expect: pass-complete
#[symex::harness]
fn regular_expressions(pattern: [u8; 7]) {
    let found = matches(&pattern, b"hello");
    // What begins with a character of its own cannot be found, unless that may be repeated no
    // times.
    if pattern[0] == b'z' && pattern[1] != b'*' {
        assert!(!found);
    }
}
