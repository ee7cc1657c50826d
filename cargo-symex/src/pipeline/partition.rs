//! Partitions of the harnesses of a run, each of which another machine explores, as those of
//! nextest divide tests.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// One part of the harnesses that are selected otherwise: `hash:2/4` or `slice:2/4`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partition {
    way: Way,
    /// Number of the part, from 1.
    part: u64,
    /// Number of parts.
    of: u64,
}

/// How the harnesses are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// By names alone: a harness stays in its part when others come or go.
    Hash,
    /// In turn, in the order of the names: the parts are of one size.
    Slice,
}

impl Partition {
    /// Reports whether the harness at an index of those selected is in the part.
    pub fn has(&self, index: usize, name: &str) -> bool {
        let number = match self.way {
            Way::Slice => index as u64,
            Way::Hash => {
                let hash = blake3::hash(name.as_bytes());
                let mut first = [0; 8];
                first.copy_from_slice(&hash.as_bytes()[..8]);
                u64::from_le_bytes(first)
            }
        };
        number % self.of == self.part - 1
    }
}

/// Returns the parts that are missing between these; none if they are not parts of one division.
pub fn missing(parts: &[Partition]) -> Vec<Partition> {
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    if parts
        .iter()
        .any(|one| (one.way, one.of) != (first.way, first.of))
    {
        return Vec::new();
    }
    let all = (1..=first.of).map(|part| Partition { part, ..*first });
    all.filter(|part| !parts.contains(part)).collect()
}

impl Display for Partition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let way = match self.way {
            Way::Hash => "hash",
            Way::Slice => "slice",
        };
        write!(f, "{way}:{}/{}", self.part, self.of)
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let usage = || "expected hash:PART/PARTS or slice:PART/PARTS, as in hash:2/4".to_owned();
        let (way, parts) = text.split_once(':').ok_or_else(usage)?;
        let way = match way {
            "hash" => Way::Hash,
            "slice" => Way::Slice,
            _ => return Err(usage()),
        };
        let (part, of) = parts.split_once('/').ok_or_else(usage)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| usage());
        let (part, of) = (number(part)?, number(of)?);
        if part == 0 || part > of {
            return Err(format!("there is no part {part} of {of}: the first is 1"));
        }
        Ok(Partition { way, part, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_harness_is_in_one_part() {
        let names: Vec<String> = (0..100).map(|n| format!("tests::harness_{n}")).collect();
        for way in ["hash", "slice"] {
            let parts: Vec<Partition> = (1..=3)
                .map(|part| format!("{way}:{part}/3").parse().unwrap())
                .collect();
            let mut sizes = [0; 3];
            for (index, name) in names.iter().enumerate() {
                let of: Vec<usize> = (0..3).filter(|at| parts[*at].has(index, name)).collect();
                assert_eq!(of.len(), 1, "{name}");
                sizes[of[0]] += 1;
            }
            assert!(sizes.iter().all(|size| *size > 20), "{way}: {sizes:?}");
        }
    }

    #[test]
    fn by_hash_a_harness_stays_where_it_is() {
        let part: Partition = "hash:1/2".parse().unwrap();
        assert_eq!(part.has(0, "parses"), part.has(7, "parses"));
    }

    #[test]
    fn a_partition_is_written_as_it_is_read() {
        for text in ["hash:1/2", "slice:3/4"] {
            assert_eq!(text.parse::<Partition>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_partition_is_an_error() {
        for text in ["", "hash", "hash:1", "count:1/2", "hash:a/2", "slice:-1/2"] {
            let error = text.parse::<Partition>().unwrap_err();
            assert!(error.starts_with("expected"), "{text}: {error}");
        }
        for text in ["hash:0/2", "slice:3/2", "slice:1/0"] {
            let error = text.parse::<Partition>().unwrap_err();
            assert!(error.starts_with("there is no part"), "{text}: {error}");
        }
    }
}
