//! Tests with the values of findings, which are left in the files of the tests that led there.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::constants::{self, SourcePiece};
use super::test_crate::{Test, TestFile};

/// A test to be left in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftTest {
    pub path: PathBuf,
    /// The file as it was read.
    original: String,
    /// Position in the file, in bytes, at which the text is put.
    at: usize,
    text: String,
    /// Name of the function, or of the test that gets a case.
    pub name: String,
}

/// Collects the tests to be left, each once.
#[derive(Default)]
pub struct LeftTests {
    all: Vec<LeftTest>,
}

impl LeftTests {
    /// Adds a test with other values than its constants, given by the numbers of the constants and
    /// as source. What stands in the file already is not added again, nor is what has no single
    /// place: a test of `rstest` that has values instead of cases.
    pub fn add(&mut self, file: &TestFile, test: &Test, values: &[(usize, &str)]) {
        let text = &file.text;
        let left = match &test.attribute {
            _ if test.arguments.is_empty() => self.function(file, test, values),
            Some(attribute) => {
                let case = changed(text, test, attribute.clone(), values);
                (!text.contains(&case)).then(|| LeftTest {
                    path: file.path.clone(),
                    original: text.clone(),
                    at: attribute.end,
                    text: format!("\n{}{case}", indentation(text, attribute.start)),
                    name: test.function.clone(),
                })
            }
            None => None,
        };
        self.all
            .extend(left.filter(|left| !self.all.contains(left)));
    }

    /// Returns a copy of a test's function with these values.
    fn function(&self, file: &TestFile, test: &Test, values: &[(usize, &str)]) -> Option<LeftTest> {
        let text = &file.text;
        let body = changed(text, test, test.name_range.end..test.end, values);
        let is_new = |left: &LeftTest| left.path != file.path || !left.text.contains(&body);
        if text.contains(&body) || !self.all.iter().all(is_new) {
            return None;
        }
        let plain = test.function.trim_start_matches("r#");
        let is_free = |name: &String| {
            let there = format!("fn {name}(");
            let mut before = self.all.iter().filter(|left| left.path == file.path);
            !text.contains(&there) && !before.any(|left| left.text.contains(&there))
        };
        let mut names = (1..).map(|number| format!("{plain}_found_{number}"));
        let name = names.find(is_free)?;
        let head = &text[test.start..test.name_range.start];
        Some(LeftTest {
            path: file.path.clone(),
            original: text.clone(),
            at: test.end,
            text: format!("\n\n{}{head}{name}{body}", indentation(text, test.start)),
            name,
        })
    }

    /// Writes the tests into their files, and returns where each is. A file that has changed since
    /// it was read stays as it is.
    ///
    /// # Errors
    /// The first file that cannot be read or written, or has changed, with the reason.
    pub fn write(mut self) -> Result<Vec<LeftTest>, (PathBuf, io::Error)> {
        self.all
            .sort_by(|a, b| (&a.path, a.at).cmp(&(&b.path, b.at)));
        let mut files: BTreeMap<&Path, String> = BTreeMap::new();
        // From the end, since positions before it then stay as they are.
        for left in self.all.iter().rev() {
            let text = files
                .entry(&left.path)
                .or_insert_with(|| left.original.clone());
            text.insert_str(left.at, &left.text);
        }
        for (path, text) in files {
            let original = self.all.iter().find(|left| left.path == path);
            let replaced = std::fs::read_to_string(path).and_then(|now| {
                match original.is_some_and(|left| left.original == now) {
                    true => std::fs::write(path, text),
                    false => Err(io::Error::other("it has changed meanwhile")),
                }
            });
            replaced.map_err(|error| (path.to_owned(), error))?;
        }
        Ok(self.all)
    }
}

/// Returns a part of a file in which constants of a test have other values, given by the numbers of
/// the constants.
pub fn changed(text: &str, test: &Test, part: Range<usize>, values: &[(usize, &str)]) -> String {
    let pieces = constants::pieces(&part, &test.constants).into_iter();
    let pieces = pieces.map(|piece| match piece {
        SourcePiece::Other(range) => &text[range],
        SourcePiece::Constant(number) => {
            let value = values.iter().find(|(of, _)| *of == number);
            value.map_or(&text[test.constants[number].range.clone()], |(_, value)| {
                value
            })
        }
    });
    pieces.collect()
}

/// Returns the white space before what begins a line.
fn indentation(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let before = &text[line..at];
    &before[..before.len() - before.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::super::test_crate::TestCrate;
    use super::*;

    /// Returns a file after the tests with other values for its test of this number are left there.
    fn left(text: &str, number: usize, values: &[&[(usize, &str)]]) -> String {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("lib.rs");
        std::fs::write(&root, text).unwrap();
        let krate = TestCrate::read(&root, true);
        let mut tests = LeftTests::default();
        for values in values {
            tests.add(&krate.files[0], &krate.tests[number], values);
        }
        tests.write().unwrap();
        std::fs::read_to_string(&root).unwrap()
    }

    #[test]
    fn a_copy_of_the_function_stands_behind_it() {
        let text = "mod tests {\n    #[test]\n    fn means() {\n        mean(1, 2);\n    }\n}\n";
        let once = left(text, 0, &[&[(0, "7")], &[(0, "8"), (1, "9")], &[(0, "7")]]);
        assert_eq!(
            once,
            "mod tests {\n    #[test]\n    fn means() {\n        mean(1, 2);\n    }\n\n    #[test]\n    fn \
             means_found_1() {\n        mean(7, 2);\n    }\n\n    #[test]\n    fn means_found_2() {\n        mean(8, 9);\n    \
             }\n}\n"
        );
        assert_eq!(left(&once, 0, &[&[(0, "7")]]), once);
    }

    #[test]
    fn a_case_stands_behind_the_case() {
        let text = "#[rstest]\n#[case(1, 2)]\nfn means(#[case] a: u8, #[case] b: u8) {}\n";
        let once = left(text, 0, &[&[(1, "0")]]);
        assert_eq!(
            once,
            "#[rstest]\n#[case(1, 2)]\n#[case(1, 0)]\nfn means(#[case] a: u8, #[case] b: u8) {}\n"
        );
        assert_eq!(left(&once, 0, &[&[(1, "0")]]), once);
    }

    #[test]
    fn constants_are_replaced_wherever_they_stand() {
        let text = "#[rstest]\n#[case(1)]\nfn t(#[values(22)] a: u8, #[case] b: u8) {}\n";
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("lib.rs");
        std::fs::write(&root, text).unwrap();
        let krate = TestCrate::read(&root, true);
        // The first argument stands behind the second.
        let values = [(0, "3"), (1, "444")];
        assert_eq!(
            changed(text, &krate.tests[0], 0..text.len(), &values),
            "#[rstest]\n#[case(444)]\nfn t(#[values(3)] a: u8, #[case] b: u8) {}\n"
        );
    }

    #[test]
    fn a_file_that_has_changed_stays() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("lib.rs");
        std::fs::write(&root, "#[test]\nfn a() { f(1) }\n").unwrap();
        let krate = TestCrate::read(&root, true);
        let mut tests = LeftTests::default();
        tests.add(&krate.files[0], &krate.tests[0], &[(0, "2")]);
        std::fs::write(&root, "other").unwrap();
        assert!(tests.write().is_err());
        assert_eq!(std::fs::read_to_string(&root).unwrap(), "other");
    }
}
