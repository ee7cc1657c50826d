//! Searches through several bytes at once: in the bits of a word, and by vectors. There is a path
//! for each place at which something is found.

/// Returns the place of the first byte that is a quotation mark or less than a blank, eight bytes
/// at a time, as parsers of JSON look for the end of a string.
fn first_special(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    let mut chunks = bytes.chunks_exact(8);
    for (number, chunk) in chunks.by_ref().enumerate() {
        let word = u64::from_le_bytes(chunk.try_into().unwrap());
        let less = word.wrapping_sub(ONES * 0x20) & !word;
        let marks = word ^ (ONES * u64::from(b'"'));
        let equal = marks.wrapping_sub(ONES) & !marks;
        let found = (less | equal) & (ONES << 7);
        if found != 0 {
            return Some(number * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let before = bytes.len() - chunks.remainder().len();
    let found = chunks.remainder().iter().position(|byte| *byte < 0x20 || *byte == b'"');
    found.map(|at| before + at)
}

// expect: pass-complete paths 20
#[symex::harness]
fn a_word_at_a_time(text: [u8; 19]) {
    let naive = |byte: &u8| *byte < 0x20 || *byte == b'"';
    assert_eq!(first_special(&text), text.iter().position(naive));
}

/// Returns the places of a byte, sixteen bytes at a time.
#[cfg(target_arch = "x86_64")]
fn places(bytes: &[u8; 16], wanted: u8) -> Vec<usize> {
    use std::arch::x86_64::*;
    let mut places = Vec::new();
    let mut found = unsafe {
        let chunk = _mm_loadu_si128(bytes.as_ptr().cast());
        let wanted = _mm_set1_epi8(wanted as i8);
        _mm_movemask_epi8(_mm_cmpeq_epi8(chunk, wanted))
    };
    while found != 0 {
        places.push(found.trailing_zeros() as usize);
        found &= found - 1;
    }
    places
}

// expect: pass-complete paths 256
#[cfg(target_arch = "x86_64")]
#[symex::harness]
fn a_vector_at_a_time(start: [u8; 8], wanted: u8) {
    symex::assume(wanted != 0);
    let mut text = [0; 16];
    text[..8].copy_from_slice(&start);
    let naive = text.iter().enumerate().filter(|(_, byte)| **byte == wanted);
    let naive: Vec<usize> = naive.map(|(place, _)| place).collect();
    assert_eq!(places(&text, wanted), naive);
}

/// Returns the place of the last zero, eight bytes at a time from the end.
fn last_zero(bytes: &[u8]) -> Option<usize> {
    let mut end = bytes.len();
    while let Some(start) = end.checked_sub(8) {
        let word = u64::from_le_bytes(bytes[start..end].try_into().unwrap());
        let ends = (0..8).rev().find(|at| word >> (8 * at) & 0xff == 0);
        if let Some(at) = ends {
            return Some(start + at);
        }
        end = start;
    }
    bytes[..end].iter().rposition(|byte| *byte == 0)
}

// expect: pass-complete
#[symex::harness]
fn words_from_the_end(text: [u8; 20], length: usize) {
    symex::assume(length <= text.len());
    let text = &text[..length];
    assert_eq!(last_zero(text), text.iter().rposition(|byte| *byte == 0));
}

// expect: bug panic
#[symex::harness]
fn a_search_that_takes_more(text: [u8; 8]) {
    const ONES: u64 = u64::MAX / 0xff;
    let word = u64::from_le_bytes(text);
    // Every byte with its top bit, not only the zeros.
    let found = word.wrapping_sub(ONES) & (ONES << 7);
    let first = found.trailing_zeros() as usize / 8;
    assert_eq!(text.iter().position(|byte| *byte == 0).unwrap_or(8), first);
}

/// Classes of bytes in two levels, as tables of Unicode have them: rows by the upper half.
static ROWS: [u8; 16] = [0, 0, 1, 2, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0];
static CLASSES: [[u8; 16]; 4] = [
    [0; 16],
    [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2],
    [4; 16],
];

/// Returns the class of a byte.
fn class_of(byte: u8) -> u8 {
    CLASSES[usize::from(ROWS[usize::from(byte >> 4)])][usize::from(byte & 15)]
}

// Where the last byte is depends on the length, which has a path for each of its values.
// expect: pass-complete paths 6
#[symex::harness]
fn the_class_of_the_last_byte(text: [u8; 6], length: usize) {
    symex::assume((1..=6).contains(&length));
    let last = text[length - 1];
    let is_digit = class_of(last) == 3;
    assert_eq!(is_digit, last.is_ascii_digit());
}
