//! The environment of a program that is explored as a whole, as far as the user describes it:
//! arguments, standard input, files, environment variables. Anything not described is taken to be
//! absent, and a path that asks for it says so.

use super::failing;
use serde::{Deserialize, Serialize};

/// Environment of the program: see the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// Symbolic arguments, which follow the given ones.
    pub arguments: Vec<Arguments>,
    /// Number of symbolic bytes of standard input before its end.
    pub stdin: Option<u64>,
    /// Files in the working directory, by relative paths.
    pub files: Vec<InitialFile>,
    /// Environment variables: name and greatest length of the symbolic value.
    pub variables: Vec<(String, u64)>,
    /// Greatest number of calls on a path that are made to fail although they need not.
    pub max_fail: u32,
    /// Names, from [`failing::CALLS`], of the calls that may fail. Empty: all system calls.
    pub fail_calls: Vec<String>,
}

/// A group of symbolic arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    pub least: u32,
    pub most: u32,
    /// Greatest length of each argument, in bytes.
    pub length: u64,
}

/// A file that exists when the program starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InitialFile {
    /// Path relative to the working directory.
    pub name: String,
    pub contents: FileContents,
}

/// Contents of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileContents {
    /// This number of symbolic bytes.
    Symbolic(u64),
    /// These bytes.
    Given(Vec<u8>),
}

impl World {
    /// Reports whether the call of this name (of [`failing::CALLS`]) may be made to fail.
    pub fn may_fail(&self, call: &str) -> bool {
        self.max_fail > 0
            && match self.fail_calls.as_slice() {
                [] => call != failing::MALLOC,
                calls => calls.iter().any(|name| name == call),
            }
    }

    /// Returns the lengths of the symbolic arguments: one list for each possible number of
    /// arguments.
    pub fn argument_lists(&self) -> Vec<Vec<u64>> {
        self.arguments
            .iter()
            .fold(vec![Vec::new()], |lists, group| {
                let counts = group.least..=group.most;
                let longer = counts.flat_map(|count| {
                    lists.iter().map(move |list| {
                        let more = std::iter::repeat_n(group.length, count as usize);
                        list.iter().copied().chain(more).collect()
                    })
                });
                longer.collect()
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_arguments_come_in_all_their_numbers() {
        let group = |least, most, length| Arguments {
            least,
            most,
            length,
        };
        let world = World {
            arguments: vec![group(1, 1, 2), group(0, 2, 3)],
            ..World::default()
        };
        assert_eq!(world.argument_lists(), [vec![2], vec![2, 3], vec![2, 3, 3]]);
        let failing = World {
            max_fail: 1,
            ..World::default()
        };
        assert!(failing.may_fail("read") && !failing.may_fail(failing::MALLOC));
        assert!(!World::default().may_fail("read"));
        assert_eq!(World::default().argument_lists(), [Vec::<u64>::new()]);
    }
}
