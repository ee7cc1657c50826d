//! Durations, sizes and limits as typed on the command line.

use std::time::Duration;
use symex_types::config::PartSize;

/// A limit that may be lifted by the word `none`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit<T> {
    Off,
    At(T),
}

impl<T> Limit<T> {
    /// Returns the limit as an option; `None` means unlimited.
    pub fn into_option(self) -> Option<T> {
        match self {
            Limit::Off => None,
            Limit::At(value) => Some(value),
        }
    }
}

/// Parses a duration such as `10s`, `1m 30s`, `500ms`; a number alone is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string());
    }
    humantime::parse_duration(text).map_err(|error| format!("{error} (write 10s or 500ms)"))
}

/// Parses a size such as `2GB`, `512MiB`; a number alone is bytes.
pub fn size(text: &str) -> Result<u64, String> {
    match text.parse::<bytesize::ByteSize>() {
        Ok(size) => Ok(size.as_u64()),
        Err(error) => Err(format!("{error} (write 2GB or 512MiB)")),
    }
}

/// Parses a size of parts: a power of two of at least 8 bytes, `auto`, or `off`.
pub fn part_size(text: &str) -> Result<Limit<PartSize>, String> {
    match text {
        "off" => Ok(Limit::Off),
        "model" => Ok(Limit::At(PartSize::ByModel)),
        "auto" => Ok(Limit::At(PartSize::Auto)),
        text => match size(text)? {
            bytes if bytes >= 8 && bytes.is_power_of_two() => Ok(Limit::At(PartSize::Bytes(bytes))),
            bytes => Err(format!("{bytes} is not a power of two of at least 8")),
        },
    }
}

/// Parses a number that may be written with `_` between digits.
pub fn number(text: &str) -> Result<u64, String> {
    text.replace('_', "")
        .parse()
        .map_err(|error: std::num::ParseIntError| error.to_string())
}

fn limit<T>(text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Limit<T>, String> {
    match text {
        "none" => Ok(Limit::Off),
        text => parse(text).map(Limit::At),
    }
}

/// Parses a duration or `none`.
pub fn duration_limit(text: &str) -> Result<Limit<Duration>, String> {
    limit(text, duration)
}

/// Parses a size or `none`.
pub fn size_limit(text: &str) -> Result<Limit<u64>, String> {
    limit(text, size)
}

/// Parses a number or `none`.
pub fn number_limit(text: &str) -> Result<Limit<u64>, String> {
    limit(text, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("60"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m 30s"), Ok(Duration::from_secs(90)));
        assert!(duration("soon").is_err());
        assert!(duration("-1").is_err());
        assert_eq!(duration_limit("none"), Ok(Limit::Off));
    }

    #[test]
    fn sizes() {
        assert_eq!(size("2GB"), Ok(2_000_000_000));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("4096"), Ok(4096));
        assert!(size("much").is_err());
        assert_eq!(part_size("off"), Ok(Limit::Off));
        assert_eq!(part_size("model"), Ok(Limit::At(PartSize::ByModel)));
        assert_eq!(part_size("auto"), Ok(Limit::At(PartSize::Auto)));
        assert_eq!(part_size("64"), Ok(Limit::At(PartSize::Bytes(64))));
        for wrong in ["48", "4", "0", "small"] {
            assert!(part_size(wrong).is_err());
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(number("50_000_000"), Ok(50_000_000));
        assert!(number("-3").is_err());
        assert_eq!(number_limit("7"), Ok(Limit::At(7)));
    }
}
