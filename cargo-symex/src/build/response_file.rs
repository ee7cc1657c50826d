//! Expansion of response files (`@file`), with the rules of Unix compilers and linkers.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Replaces each `@file` that can be read by the arguments in it; others stay as they are, as with
/// the tools.
pub fn expand(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut expanded = Vec::new();
    for argument in arguments {
        match argument
            .as_bytes()
            .strip_prefix(b"@")
            .map(|path| std::fs::read(std::ffi::OsStr::from_bytes(path)))
        {
            Some(Ok(text)) => expanded.extend(expand(split(&text))),
            _ => expanded.push(argument),
        }
    }
    expanded
}

/// Splits at white space; a backslash quotes the next byte, quotation marks group.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut arguments = Vec::new();
    let mut current: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => current.get_or_insert_default().extend(bytes.next()),
            _ if quote == Some(byte) => quote = None,
            b'\'' | b'"' if quote.is_none() => {
                quote = Some(byte);
                current.get_or_insert_default();
            }
            _ if quote.is_none() && byte.is_ascii_whitespace() => {
                arguments.extend(current.take().map(OsString::from_vec));
            }
            _ => current.get_or_insert_default().push(byte),
        }
    }
    arguments.extend(current.map(OsString::from_vec));
    arguments
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn arguments_are_split_as_compilers_split_them() {
        let text = b"-o /a\\ b/out\n'x y' \"z\\\"w\" '' plain\\\\\n";
        let expected = ["-o", "/a b/out", "x y", "z\"w", "", "plain\\"];
        assert_eq!(split(text), expected);
    }
}
