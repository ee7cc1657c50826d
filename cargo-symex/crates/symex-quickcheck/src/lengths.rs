//! The bound of collections and texts.

/// Largest length of collections and texts. quickcheck draws up to 100; each length is a path of
/// its own in many programs.
pub(crate) const LENGTHS: u64 = match option_env!("QUICKCHECK_GENERATOR_SIZE") {
    Some(text) => number(text),
    None => symex::DEFAULT_BOUND,
};

/// Reads the decimal digits of a number.
const fn number(text: &str) -> u64 {
    let (digits, mut at, mut number) = (text.as_bytes(), 0, 0);
    while at < digits.len() {
        assert!(
            digits[at].is_ascii_digit(),
            "QUICKCHECK_GENERATOR_SIZE is not a number"
        );
        number = number * 10 + (digits[at] - b'0') as u64;
        at += 1;
    }
    number
}
