//! A copy of a workspace's sources, in which constants of tests are inputs.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::cases::Argument;
use super::constants::{self, SourcePiece};
use super::test_crate::{Test, TestCrate};

/// A source file that is part of a copy.
pub struct Copied {
    /// Path of the original.
    pub path: PathBuf,
    pub text: String,
}

/// What is changed in a test.
#[derive(Clone, Debug)]
pub struct Change {
    /// Number of the test in its crate.
    pub test: usize,
    /// Whether each of its constants is an input.
    pub inputs: Vec<bool>,
    /// The harnesses that run it: with one input by its number from 1, or with all.
    pub harnesses: Vec<Option<usize>>,
}

/// Where a constant stands in a changed file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Number of its test in the crate.
    pub test: usize,
    /// Number of the constant in the test.
    pub constant: usize,
    /// Line and column of its start, from 1.
    pub start: (usize, usize),
    /// Line and column after its end, from 1.
    pub end: (usize, usize),
}

/// Returns a file of a crate with the changes of its tests, and where the constants are now. Lines
/// stay as they are.
pub fn changed(krate: &TestCrate, file: usize, changes: &[Change]) -> (String, Vec<Placed>) {
    let original = &*krate.files[file].text;
    // What takes the place of a range: a constant of a test, or functions behind it.
    let mut edits: Vec<(Range<usize>, &Change, Option<usize>)> = Vec::new();
    for change in changes {
        let test = &krate.tests[change.test];
        if test.file != file || change.harnesses.is_empty() {
            continue;
        }
        if test.arguments.is_empty() {
            let constants = test.constants.iter().enumerate();
            edits.extend(constants.map(|(n, constant)| (constant.range.clone(), change, Some(n))));
        }
        edits.push((test.end..test.end, change, None));
    }
    edits.sort_by_key(|(range, ..)| range.start);
    let mut writer = Writer {
        original,
        text: String::new(),
        placed: Vec::new(),
    };
    let mut from = 0;
    for (range, change, constant) in edits {
        writer.text.push_str(&original[from..range.start]);
        let test = &krate.tests[change.test];
        match constant {
            Some(number) => writer.constant(test, change, number),
            None => writer.harnesses(test, change),
        }
        from = range.end;
    }
    writer.text.push_str(&original[from..]);
    (writer.text, writer.placed)
}

/// Writer of a changed file.
struct Writer<'a> {
    original: &'a str,
    text: String,
    placed: Vec<Placed>,
}

impl Writer<'_> {
    /// Writes what stands in the place of a constant.
    fn constant(&mut self, test: &Test, change: &Change, number: usize) {
        let constant = &test.constants[number];
        let text = &self.original[constant.range.clone()];
        if !change.inputs[number] {
            self.text.push_str(text);
            return;
        }
        let start = position(&self.text);
        self.text.push_str(&format!(
            "::symex::__rt::constant({}, \"{}:{}\\0\", {text})",
            number + 1,
            constant.line,
            constant.column
        ));
        self.placed.push(Placed {
            test: change.test,
            constant: number,
            start,
            end: position(&self.text),
        });
    }

    /// Writes the functions that run a test with inputs.
    fn harnesses(&mut self, test: &Test, change: &Change) {
        let conditions = test.conditions.concat();
        for number in &change.harnesses {
            self.text.push_str(&format!(
                " {conditions} #[::symex::harness] fn {}() {{ ::symex::__rt::generalized({}, ",
                test.harness(*number),
                number.unwrap_or(0),
            ));
            match test.arguments.is_empty() {
                true => self.text.push_str(&test.function),
                false => self.call(test, change),
            }
            self.text.push_str(") }");
        }
    }

    /// Writes a function that calls a test with the arguments of a case.
    fn call(&mut self, test: &Test, change: &Change) {
        self.text.push_str(&format!("|| {}(", test.function));
        for argument in &test.arguments {
            match argument {
                Argument::Made(made) => self.text.push_str(made),
                Argument::Written {
                    range, is_parsed, ..
                } => {
                    self.argument(test, change, range);
                    if *is_parsed {
                        self.text.push_str(".parse().unwrap()");
                    }
                }
            }
            self.text.push_str(", ");
        }
        self.text.push(')');
    }

    /// Writes an argument on one line.
    fn argument(&mut self, test: &Test, change: &Change, range: &Range<usize>) {
        for piece in constants::pieces(range, &test.constants) {
            match piece {
                SourcePiece::Other(range) => {
                    let text = self.original[range].replace('\n', " ");
                    self.text.push_str(&text);
                }
                SourcePiece::Constant(number) => self.constant(test, change, number),
            }
        }
    }
}

/// Returns the line and column after a text, from 1.
fn position(text: &str) -> (usize, usize) {
    let line = text.matches('\n').count() + 1;
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    (line, text[start..].chars().count() + 1)
}

/// Adds to the root file of a crate of edition 2015 what others know by themselves.
pub fn declare_runtime(root: &mut String) {
    if !root.contains("extern crate symex;") {
        root.push_str("\nextern crate symex;\n");
    }
}

/// Writes a copy of a workspace: these files with their texts, and links to all others.
///
/// A file that was ever written stays a file, since cargo tells by its time whether it has changed.
pub fn write(original: &Path, copy: &Path, files: &[Copied]) -> io::Result<()> {
    let within = |copied: &Copied| {
        let within = copied.path.strip_prefix(original).ok()?;
        let is_plain = within
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
        is_plain.then(|| within.to_owned())
    };
    let paths: BTreeSet<PathBuf> = files.iter().filter_map(within).collect();
    let mut folders: BTreeSet<&Path> = BTreeSet::new();
    for path in &paths {
        folders.extend(path.ancestors().skip(1));
    }
    for folder in folders {
        // Their parents come first.
        let here = copy.join(folder);
        remove_link(&here)?;
        std::fs::create_dir_all(&here)?;
        for entry in std::fs::read_dir(original.join(folder))? {
            let entry = entry?;
            // A copy within itself would have no end.
            if copy.starts_with(entry.path()) {
                continue;
            }
            link(&entry.path(), &here.join(entry.file_name()))?;
        }
    }
    for copied in files {
        if let Some(within) = within(copied) {
            let path = copy.join(within);
            remove_link(&path)?;
            if std::fs::read(&path).is_ok_and(|there| there == copied.text.as_bytes()) {
                continue;
            }
            std::fs::write(&path, &copied.text)?;
        }
    }
    Ok(())
}

/// Makes a link to a file or folder. Where a file was written before, it gets the original's text;
/// what is written now is written later.
fn link(original: &Path, link: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(link) {
        Ok(data) if data.is_symlink() => {
            if std::fs::read_link(link)? == original {
                return Ok(());
            }
            std::fs::remove_file(link)?;
            symlink(original, link)
        }
        Ok(data) if data.is_file() && original.is_file() => {
            let text = std::fs::read(original)?;
            match std::fs::read(link)? == text {
                true => Ok(()),
                false => std::fs::write(link, text),
            }
        }
        Ok(_) => Ok(()),
        Err(_) => symlink(original, link),
    }
}

fn remove_link(path: &Path) -> io::Result<()> {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_symlink() => std::fs::remove_file(path),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "fn f(x: u8, s: &str) {}\n#[test]\n#[cfg(unix)]\nfn é() { f(7,\n  \"a\nb\"); \
                          f(8, \"c\") }\nfn after() {}\n";

    fn krate(directory: &Path) -> TestCrate {
        let root = directory.join("src/lib.rs");
        std::fs::create_dir_all(root.parent().unwrap()).unwrap();
        std::fs::write(&root, SOURCE).unwrap();
        TestCrate::read(&root, false)
    }

    #[test]
    fn constants_become_calls_and_lines_stay() {
        let directory = tempfile::tempdir().unwrap();
        let krate = krate(directory.path());
        let change = Change {
            test: 0,
            inputs: vec![true, true, false, true],
            harnesses: vec![None, Some(4)],
        };
        let (text, placed) = changed(&krate, 0, &[change]);
        assert_eq!(
            text,
            "fn f(x: u8, s: &str) {}\n#[test]\n#[cfg(unix)]\nfn é() { f(::symex::__rt::constant(1, \"4:12\\0\", 7),\n  \
             ::symex::__rt::constant(2, \"5:3\\0\", \"a\nb\")); f(8, ::symex::__rt::constant(4, \"6:11\\0\", \"c\")) } \
             #[cfg(unix)] #[::symex::harness] fn generalized_é() { ::symex::__rt::generalized(0, é) } #[cfg(unix)] \
             #[::symex::harness] fn generalized_é_4() { ::symex::__rt::generalized(4, é) }\nfn after() {}\n"
        );
        let placed: Vec<_> = placed
            .iter()
            .map(|placed| (placed.constant, placed.start, placed.end))
            .collect();
        assert_eq!(
            placed,
            [
                (0, (4, 12), (4, 51)),
                (1, (5, 3), (6, 4)),
                (3, (6, 12), (6, 53))
            ]
        );
    }

    #[test]
    fn a_case_is_called_on_the_line_of_the_function() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("lib.rs");
        let text =
            "#[rstest]\n#[case(\n  f(1,\n  2), \"7\")]\nfn t(#[case] a: u8, #[case] b: u8) {}\n";
        std::fs::write(&root, text).unwrap();
        let krate = TestCrate::read(&root, true);
        let change = Change {
            test: 0,
            inputs: vec![true, false, true],
            harnesses: vec![None],
        };
        let (changed, placed) = changed(&krate, 0, &[change]);
        let harness = " #[::symex::harness] fn generalized_t_case_1() { ::symex::__rt::generalized(0, || \
                       t(f(::symex::__rt::constant(1, \"3:5\\0\", 1),   2), ::symex::__rt::constant(3, \
                       \"4:7\\0\", \"7\").parse().unwrap(), )) }";
        let rest = changed.strip_prefix(text.trim_end()).unwrap();
        assert_eq!(rest.trim(), harness.trim());
        let lines: Vec<usize> = placed.iter().map(|placed| placed.start.0).collect();
        assert_eq!(lines, [5, 5]);
    }

    #[test]
    fn a_copy_never_changes_the_original() {
        let directory = tempfile::tempdir().unwrap();
        let original = directory.path();
        krate(original);
        std::fs::write(original.join("README.md"), "text").unwrap();
        std::fs::write(original.join("src/other.rs"), "").unwrap();
        let copy = original.join("target/copy");
        std::fs::create_dir_all(&copy).unwrap();
        let file = |name: &str, text: &str| Copied {
            path: original.join(name),
            text: text.to_owned(),
        };
        let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
        write(original, &copy, &[file("src/lib.rs", "changed")]).unwrap();
        assert_eq!(read(copy.join("src/lib.rs")), "changed");
        assert_eq!(read(copy.join("README.md")), "text");
        assert!(copy.join("src/other.rs").is_symlink());
        assert!(!copy.join("target").exists());
        // Other files are changed now.
        write(original, &copy, &[file("src/other.rs", "now")]).unwrap();
        assert_eq!(read(copy.join("src/other.rs")), "now");
        assert_eq!(read(copy.join("src/lib.rs")), SOURCE);
        assert!(!copy.join("src/lib.rs").is_symlink());
        assert_eq!(read(original.join("src/lib.rs")), SOURCE);
        assert_eq!(read(original.join("src/other.rs")), "");
    }
}
