//! The text form of recorded inputs: one draw a line, `<name> <hex bytes>`, in order of drawing.
//!
//! The name is for readers; it may hold spaces, the bytes are what follows the last one. `-` stands for no bytes.

/// One draw as it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draw {
    pub(crate) name: String,
    /// Little-endian for numbers.
    pub(crate) bytes: Vec<u8>,
}

/// Reads a file's text.
pub(crate) fn parse(text: &str) -> Result<Vec<Draw>, String> {
    let mut draws = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if line.is_empty() {
            continue;
        }
        let (name, hex) = line.rsplit_once(' ').unwrap_or(("", line));
        let bytes = bytes(hex)
            .ok_or_else(|| format!("line {}: `{hex}` is not a list of hexadecimal bytes", i + 1))?;
        draws.push(Draw {
            name: name.to_owned(),
            bytes,
        });
    }
    Ok(draws)
}

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

/// Bytes in hexadecimal, as [`parse`] reads them.
pub(crate) fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return String::from("-");
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_with_spaces_empty_draws_and_blank_lines() {
        let draws = parse("data 2f00ff\n\nthe len 0300\nnone -\n").unwrap();
        let expect = [
            ("data", vec![0x2f, 0, 0xff]),
            ("the len", vec![3, 0]),
            ("none", vec![]),
        ];
        assert_eq!(draws.len(), expect.len());
        for (draw, (name, bytes)) in draws.iter().zip(expect) {
            assert_eq!((draw.name.as_str(), &draw.bytes), (name, &bytes));
            assert_eq!(
                parse(&format!("{name} {}", hex(&bytes))).unwrap(),
                std::slice::from_ref(draw)
            );
        }
    }

    #[test]
    fn refuses_what_is_not_bytes() {
        assert!(parse("a 0").unwrap_err().contains("line 1"));
        assert!(parse("a 00\nb zz").unwrap_err().contains("line 2"));
        assert!(parse("a é").is_err());
    }
}
