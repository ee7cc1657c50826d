//! A minimal JSON writer, because the runtime has no dependencies in the user's program.

/// Appends a JSON string.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends `"key": "text"`.
pub(crate) fn field(out: &mut String, key: &str, text: &str) {
    string(out, key);
    out.push_str(": ");
    string(out, text);
}

/// Appends `[item, item]`.
pub(crate) fn list<T>(out: &mut String, items: &[T], mut write: impl FnMut(&mut String, &T)) {
    out.push('[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        write(out, item);
    }
    out.push(']');
}

/// Appends an argument of a call, whose value is shown as this text.
pub(crate) fn argument(out: &mut String, name: &str, type_name: &str, source: &str) {
    out.push('{');
    for (key, text) in [("name", name), ("type", type_name), ("source", source)] {
        field(out, key, text);
        out.push_str(", ");
    }
    out.push_str("\"debug\": null}");
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_are_escaped() {
        let mut out = String::new();
        super::string(&mut out, "a\"\\\n\u{1}é");
        assert_eq!(out, r#""a\"\\\n\u0001é""#);
    }
}
