//! Durations and sizes as the attribute writes them: a number, or a text of number and unit.

/// Parses a duration to milliseconds; a bare number is seconds.
pub fn milliseconds(text: &str) -> Option<u64> {
    scaled(
        text,
        &[
            ("ms", 1),
            ("s", 1000),
            ("m", 60_000),
            ("h", 3_600_000),
            ("", 1000),
        ],
    )
}

/// Parses a size to bytes.
pub fn bytes(text: &str) -> Option<u64> {
    let units = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("kB", 1000),
        ("KB", 1000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("B", 1),
        ("", 1),
    ];
    scaled(text, &units)
}

/// Parses a number with a unit. The first unit that is a suffix of the text decides, so longer
/// units come before their own suffixes.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (digits, scale) = units
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, *scale)))?;
    digits
        .trim_end()
        .replace('_', "")
        .parse::<u64>()
        .ok()?
        .checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(milliseconds("10s"), Some(10_000));
        assert_eq!(milliseconds("250 ms"), Some(250));
        assert_eq!(milliseconds("2m"), Some(120_000));
        assert_eq!(milliseconds("1h"), Some(3_600_000));
        assert_eq!(milliseconds("7"), Some(7000));
        assert_eq!(milliseconds("soon"), None);
        assert_eq!(milliseconds("-1s"), None);
        assert_eq!(milliseconds("99999999999999999999s"), None);
        assert_eq!(milliseconds("18446744073709551615h"), None);
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("1GB"), Some(1_000_000_000));
        assert_eq!(bytes("512 MiB"), Some(512 << 20));
        assert_eq!(bytes("1_000"), Some(1000));
        assert_eq!(bytes("12B"), Some(12));
        assert_eq!(bytes("1TB"), None);
    }
}
