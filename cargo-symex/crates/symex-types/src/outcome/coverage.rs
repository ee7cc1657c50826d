//! Coverage: what of the source some path has run, and what none has.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was run of a program, by functions, which programs share that are the same but for what a
/// harness does not reach.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Marks {
    /// Functions with code from other sources than the standard library, of which some was run.
    pub functions: Vec<FunctionMarks>,
}

/// What was run of a function.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FunctionMarks {
    /// Hash of the function's name, place and size.
    #[serde(rename = "f")]
    pub function: u64,
    /// For each block the number of its instructions that were run, counted from its beginning.
    #[serde(rename = "i")]
    pub instructions: Vec<u32>,
    /// The edges that were taken, of blocks with several.
    #[serde(rename = "e")]
    pub edges: Vec<u32>,
}

/// Coverage of source files, by their paths as the compiler wrote them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourceCoverage {
    pub files: BTreeMap<String, FileCoverage>,
}

/// Places by line and column from 1, each with whether it was run.
pub type Places = BTreeMap<(u32, u32), bool>;
/// Functions by the line of their declaration and their names, each with whether it was run.
pub type Functions = BTreeMap<(u32, String), bool>;
/// Branches by line, column and number of arms, with whether each arm was taken.
pub type Branches = BTreeMap<(u32, u32, usize), Vec<bool>>;

/// Coverage of a source file: everything in it that has code in the program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FileCoverage {
    #[serde(with = "by_line")]
    pub places: Places,
    #[serde(with = "functions")]
    pub functions: Functions,
    #[serde(with = "branches")]
    pub branches: Branches,
}

/// Places as lists of a line and its columns, those that were run and those that were not.
mod by_line {
    use super::*;
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Lines {
        run: Vec<Vec<u32>>,
        not_run: Vec<Vec<u32>>,
    }

    pub fn serialize<S: Serializer>(places: &Places, serializer: S) -> Result<S::Ok, S::Error> {
        let of = |wanted: bool| {
            let mut lines: Vec<Vec<u32>> = Vec::new();
            for ((line, column), _) in places.iter().filter(|(_, run)| **run == wanted) {
                match lines.last_mut() {
                    Some(last) if last[0] == *line => last.push(*column),
                    _ => lines.push(vec![*line, *column]),
                }
            }
            lines
        };
        let lines = Lines {
            run: of(true),
            not_run: of(false),
        };
        lines.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Places, D::Error> {
        let Lines { run, not_run } = Lines::deserialize(deserializer)?;
        let mut places = BTreeMap::new();
        for (lines, run) in [(not_run, false), (run, true)] {
            for line in lines {
                let Some((line, columns)) = line.split_first() else {
                    continue;
                };
                places.extend(columns.iter().map(|column| ((*line, *column), run)));
            }
        }
        Ok(places)
    }
}

/// Functions as objects.
mod functions {
    use super::*;
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Function {
        name: String,
        line: u32,
        run: bool,
    }

    pub fn serialize<S: Serializer>(
        functions: &Functions,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(functions.iter().map(|((line, name), run)| Function {
            name: name.clone(),
            line: *line,
            run: *run,
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Functions, D::Error> {
        let functions = Vec::<Function>::deserialize(deserializer)?;
        let functions = functions.into_iter();
        Ok(functions.map(|f| ((f.line, f.name), f.run)).collect())
    }
}

/// Branches as objects.
mod branches {
    use super::*;
    use serde::{Deserializer, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Branch {
        line: u32,
        column: u32,
        arms: Vec<bool>,
    }

    pub fn serialize<S: Serializer>(branches: &Branches, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(branches.iter().map(|((line, column, _), arms)| Branch {
            line: *line,
            column: *column,
            arms: arms.clone(),
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Branches, D::Error> {
        let branches = Vec::<Branch>::deserialize(deserializer)?;
        let branches = branches.into_iter();
        Ok(branches
            .map(|b| ((b.line, b.column, b.arms.len()), b.arms))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let file = FileCoverage {
            places: [((3, 5), true), ((3, 9), false), ((4, 1), true)].into(),
            functions: [((3, "k::f".to_owned()), true)].into(),
            branches: [((3, 8, 2), vec![true, false])].into(),
        };
        let text = serde_json::to_string(&file).unwrap();
        assert_eq!(
            text,
            r#"{"places":{"run":[[3,5],[4,1]],"not_run":[[3,9]]},"functions":[{"name":"k::f","line":3,"run":true}],"branches":[{"line":3,"column":8,"arms":[true,false]}]}"#
        );
        assert_eq!(serde_json::from_str::<FileCoverage>(&text).unwrap(), file);
    }
}
