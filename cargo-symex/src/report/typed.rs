//! Values that a proof for Kani drew, in their types, which the names of the draws tell.

/// Returns the value of a draw with a name like `kani::any::<i32>()` as Rust has it; `None` for
/// other names and types.
pub fn of_draw(name: &str, bytes: &[u8]) -> Option<String> {
    let of = name.strip_prefix("kani::any::<")?.strip_suffix(">()")?;
    let array = of.strip_prefix('[').and_then(|of| of.strip_suffix("; _]"));
    let Some(of) = array else {
        return value(of, bytes);
    };
    let values = bytes.chunks(size(of)?).map(|bytes| value(of, bytes));
    let values: Vec<String> = values.collect::<Option<_>>()?;
    Some(format!("[{}]", values.join(", ")))
}

/// Returns the size of a number or `bool` in bytes.
fn size(of: &str) -> Option<usize> {
    Some(match of {
        "bool" | "u8" | "i8" => 1,
        "u16" | "i16" => 2,
        "u32" | "i32" | "f32" => 4,
        "u64" | "i64" | "usize" | "isize" | "f64" => 8,
        "u128" | "i128" => 16,
        _ => return None,
    })
}

/// Writes a value of a primitive type; `None` if the bytes are none.
fn value(of: &str, bytes: &[u8]) -> Option<String> {
    let mut wide = [0; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let value = u128::from_le_bytes(wide);
    if of == "char" {
        return char::from_u32(value.try_into().ok()?).map(|c| format!("{c:?}"));
    }
    if size(of)? != bytes.len() {
        return None;
    }
    let unused = 128 - 8 * bytes.len() as u32;
    Some(match of {
        "bool" => (value != 0).to_string(),
        "f32" => format!("{:?}", f32::from_bits(value as u32)),
        "f64" => format!("{:?}", f64::from_bits(value as u64)),
        _ if of.starts_with('i') => ((value << unused) as i128 >> unused).to_string(),
        _ => value.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_their_types() {
        for (name, bytes, text) in [
            ("kani::any::<i32>()", &[0xfb, 0xff, 0xff, 0xff][..], "-5"),
            ("kani::any::<u64>()", &[0xff; 8], "18446744073709551615"),
            ("kani::any::<i128>()", &[0xff; 16], "-1"),
            ("kani::any::<bool>()", &[1], "true"),
            ("kani::any::<f32>()", &[0, 0, 0xc0, 0x7f], "NaN"),
            ("kani::any::<char>()", &[0x41, 0, 0, 0, 0, 0, 0, 0], "'A'"),
            ("kani::any::<[i16; _]>()", &[1, 0, 0xff, 0xff], "[1, -1]"),
        ] {
            assert_eq!(of_draw(name, bytes).as_deref(), Some(text), "{name}");
        }
        assert_eq!(of_draw("kani::any::<Kind>()", &[1]), None);
        assert_eq!(of_draw("kani::any::<u16>()", &[1]), None);
        assert_eq!(of_draw("data", &[1]), None);
    }
}
