//! The file of recorded inputs that a native run replays.
//!
//! One input a line, `<name> <hex bytes>`, in the order in which they were asked for; `-` stands
//! for no bytes. The name is for readers, the order tells which input is meant. A name may hold
//! spaces: the bytes are what follows the last one.
//!
//! ```
//! use symex_abi::inputs::{decode, encode};
//!
//! let text = encode([("data", &[0x2f, 0xff][..]), ("the length", &[2])]);
//! assert_eq!(text, "data 2fff\nthe length 02\n");
//! assert_eq!(decode(&text).unwrap()[1].bytes, [2]);
//! ```

use std::error::Error;
use std::fmt;

/// One recorded input with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Name of the input, for reports.
    pub name: String,
    /// Bytes of the input, little-endian for numbers.
    pub bytes: Vec<u8>,
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Line number, from 1.
    pub number: usize,
    /// Text found in place of the bytes.
    pub found: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadLine { number, found } = self;
        write!(
            f,
            "line {number}: `{found}` is not a list of hexadecimal bytes"
        )
    }
}

impl Error for BadLine {}

/// Writes the text of a file with these inputs, each a name and bytes.
///
/// Control characters of names, which could end a line, become `?`.
pub fn encode<'a>(inputs: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut text = String::new();
    for (name, bytes) in inputs {
        text.extend(name.chars().map(|c| if c.is_control() { '?' } else { c }));
        text.push(' ');
        text.push_str(&hex(bytes));
        text.push('\n');
    }
    text
}

/// Reads the inputs in the text of a file; empty lines are passed over.
///
/// # Errors
/// The first line that is not an input.
pub fn decode(text: &str) -> Result<Vec<Input>, BadLine> {
    let mut inputs = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        let (name, hex) = line.rsplit_once(' ').unwrap_or(("", line));
        let bytes = bytes(hex).ok_or_else(|| BadLine {
            number: i + 1,
            found: hex.to_owned(),
        })?;
        inputs.push(Input {
            name: name.to_owned(),
            bytes,
        });
    }
    Ok(inputs)
}

/// Writes bytes in hexadecimal; `-` for none.
pub fn hex(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".to_owned(),
        bytes => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// Reads the bytes that [`hex`] wrote.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    if hex == "-" {
        return Some(Vec::new());
    }
    let digits = hex.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| {
            let high = (pair[0] as char).to_digit(16)?;
            let low = (pair[1] as char).to_digit(16)?;
            Some((high << 4 | low) as u8)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let all: Vec<u8> = (0..=255).collect();
        let inputs = [
            ("data", all.as_slice()),
            ("the len", &[3, 0]),
            ("ends in spaces  ", &[1]),
            ("none", &[]),
            ("", &[0xff]),
            ("-", &[]),
            ("00", &[0]),
            ("líne\u{2028}a\u{a0}", &[7]),
        ];
        let text = encode(inputs);
        assert_eq!(text.lines().count(), inputs.len());
        let read = decode(&text).unwrap();
        let read: Vec<(&str, &[u8])> = read.iter().map(|d| (&*d.name, &*d.bytes)).collect();
        assert_eq!(read, inputs);
    }

    #[test]
    fn a_name_does_not_end_its_line() {
        let text = encode([("a\nb\r\tc", &[1][..])]);
        assert_eq!(text, "a?b??c 01\n");
    }

    #[test]
    fn names_with_spaces_empty_draws_and_blank_lines_are_read() {
        let inputs = decode("data 2F00ff\n\nthe len 0300\r\nnone -\n08").unwrap();
        let expect = [
            ("data", vec![0x2f, 0, 0xff]),
            ("the len", vec![3, 0]),
            ("none", vec![]),
            ("", vec![8]),
        ];
        assert_eq!(inputs.len(), expect.len());
        for (input, (name, bytes)) in inputs.iter().zip(expect) {
            assert_eq!((input.name.as_str(), &input.bytes), (name, &bytes));
        }
    }

    #[test]
    fn what_is_not_bytes_is_refused() {
        let message = decode("a 0").unwrap_err().to_string();
        assert_eq!(message, "line 1: `0` is not a list of hexadecimal bytes");
        assert_eq!(decode("a 00\nb zz").unwrap_err().number, 2);
        assert!(decode("a é").is_err());
    }
}
