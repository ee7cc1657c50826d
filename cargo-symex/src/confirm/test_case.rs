//! Writes a confirmed finding as a typed `#[test]` beside the harness, for plain `cargo test`.
//!
//! Invariants: a file of the user's is only ever appended to; a test whose name is in it, edited or
//! not, is never written again; text that does not parse is never written.

use super::links;
use crate::harness::{HarnessKind, TestHarness};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use syn::visit::{self, Visit};

/// A regression test as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TestCase {
    pub name: String,
    /// The function item, without a newline at its end.
    pub text: String,
}

/// Outcome of writing a regression test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Written {
    /// The test was added.
    Written {
        path: PathBuf,
        name: String,
        /// What was added to the file; empty if the file was made for it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The test existed already.
    Known {
        path: PathBuf,
        name: String,
        /// What would have been added.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// The test was not written, for this reason; the test, if there is one, can be copied from
    /// here.
    NotWritten {
        reason: String,
        test: Option<TestCase>,
    },
}

/// Composes the test that makes a call, with a comment that describes the failure.
pub fn compose(harness: &TestHarness, call: &str, comment: &str) -> Result<TestCase, String> {
    let hash = blake3::hash(call.as_bytes()).to_hex();
    let function = harness.plain_function();
    let name = format!("{function}_{}", &hash[..6]);
    let mut text = String::new();
    for line in comment.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str(&format!("// {}\n", line.trim_end()));
    }
    text.push_str("#[test]\n");
    match harness.should_panic.as_deref() {
        None => {}
        Some("") => text.push_str("#[should_panic]\n"),
        Some(expected) => text.push_str(&format!("#[should_panic(expected = {expected:?})]\n")),
    }
    text.push_str(&format!("fn {name}() {{\n    {call};\n}}"));
    match syn::parse_file(&text) {
        Ok(_) => Ok(TestCase { name, text }),
        Err(error) => Err(format!("the inputs cannot be written as Rust: {error}")),
    }
}

/// Adds a test to the harness's regression file.
pub fn write(harness: &TestHarness, test: TestCase) -> Written {
    let not = |reason: String, test: TestCase| Written::NotWritten {
        reason,
        test: Some(test),
    };
    let Some(relative) = &harness.regressions else {
        let reason = "the harness does not know the file for its regression tests".to_owned();
        return not(reason, test);
    };
    let path = harness.manifest_dir.join(relative);
    if let Err(error) = links::refuse_way_out(&harness.manifest_dir, relative) {
        return not(format!("failed to write {}: {error}", path.display()), test);
    }
    let known = match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        // If a directory is missing or is a file, the write reports the error.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            None
        }
        Err(error) => return not(format!("failed to read {}: {error}", path.display()), test),
    };
    if known
        .as_deref()
        .is_some_and(|text| contains(text, &test.name))
    {
        return Written::Known {
            path,
            name: test.name,
            text: test.text,
        };
    }
    match append(harness, &path, known.as_deref(), &test.text) {
        Ok(()) => Written::Written {
            path,
            name: test.name,
            text: test.text,
        },
        Err(error) => not(format!("failed to write {}: {error}", path.display()), test),
    }
}

fn append(
    harness: &TestHarness,
    path: &Path,
    known: Option<&str>,
    test: &str,
) -> std::io::Result<()> {
    let mut text = match known {
        None => header(harness),
        Some(known) if known.is_empty() || known.ends_with('\n') => String::new(),
        Some(_) => "\n".to_owned(),
    };
    text.push_str(&format!("\n{test}\n"));
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    if known.is_none() {
        touch(harness);
    }
    Ok(())
}

/// Second line of a file of tests.
const NOTE: &str =
    "// Edit or delete them as you like: only tests whose name does not occur here are added.";

fn header(harness: &TestHarness) -> String {
    let (what, found, run) = match harness.kind {
        HarnessKind::KaniProof => ("proof", "cargo symex kani", "`cargo symex replay --kani`"),
        _ => ("harness", "cargo symex", "Plain `cargo test`"),
    };
    format!(
        "// Regression tests of the {what} `{}`, found by `{found}`. {run} runs them.\n\
         {NOTE}\n",
        harness.path()
    )
}

/// Reports whether a text is the head of a file of tests, and nothing else.
pub(super) fn is_bare(text: &str) -> bool {
    let mut lines = text.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    let is_head = first.starts_with("// Regression tests of the ");
    is_head && lines.eq([NOTE])
}

/// Makes cargo compile the harness again, because it cannot know that a file to include has been
/// created.
fn touch(harness: &TestHarness) {
    if let Some(source) = harness.source_file()
        && let Ok(file) = std::fs::OpenOptions::new().append(true).open(source)
    {
        // Failure is ignored: the next change of the source has the same effect.
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Reports whether a function of this name occurs, as an item or in unparsable text.
fn contains(text: &str, name: &str) -> bool {
    struct Finder<'a> {
        name: &'a str,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
            self.found |= item.sig.ident == self.name;
            visit::visit_item_fn(self, item);
        }
    }
    match syn::parse_file(text) {
        Ok(file) => {
            let mut finder = Finder { name, found: false };
            finder.visit_file(&file);
            // A test that the user has commented out stays so.
            finder.found || mentions(text, name)
        }
        Err(_) => mentions(text, name),
    }
}

/// Reports whether `fn name(` occurs anywhere, comments included.
fn mentions(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(start, _)| {
        let before = text[..start].trim_end();
        let after = text[start + name.len()..].trim_start();
        before.ends_with("fn") && after.starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harness(dir: &Path) -> TestHarness {
        std::fs::create_dir_all(dir.join("src")).unwrap();
        std::fs::write(dir.join("src/lib.rs"), "").unwrap();
        TestHarness {
            function: "parses".into(),
            module: "krate::tests".into(),
            file: "src/lib.rs".into(),
            manifest_dir: dir.to_owned(),
            regressions: Some("symex-regressions/src/lib/tests/parses.rs".into()),
            ..TestHarness::default()
        }
    }

    const CALL: &str = "parses([0x2f, 0x00], 9)";

    #[test]
    fn a_test_is_written_once_and_later_ones_follow() {
        let dir = tempfile::tempdir().unwrap();
        let harness = harness(dir.path());
        let test = compose(&harness, CALL, "panic: boom\nat src/lib.rs:3").unwrap();
        let Written::Written { path, name, .. } = write(&harness, test.clone()) else {
            panic!()
        };
        let first = std::fs::read_to_string(&path).unwrap();
        assert!(first.contains(&format!(
            "// panic: boom\n// at src/lib.rs:3\n#[test]\nfn {name}() {{\n    {CALL};\n}}\n"
        )));
        assert!(matches!(write(&harness, test), Written::Known { .. }));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), first);

        let other = compose(&harness, "parses([0, 0], 3)", "").unwrap();
        assert!(matches!(write(&harness, other), Written::Written { .. }));
        let second = std::fs::read_to_string(&path).unwrap();
        assert!(second.starts_with(&first));
        assert_eq!(syn::parse_file(&second).unwrap().items.len(), 2);
    }

    #[test]
    fn an_edited_or_disabled_test_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let harness = harness(dir.path());
        let test = compose(&harness, CALL, "").unwrap();
        let path = harness
            .manifest_dir
            .join(harness.regressions.as_ref().unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        for text in [
            format!("// #[test] fn {}() {{}}\n", test.name),
            format!(
                "mod m {{ #[test] #[ignore] fn {}() {{ todo!() }} }}",
                test.name
            ),
            format!("this is not Rust fn {} () {{", test.name),
        ] {
            std::fs::write(&path, &text).unwrap();
            assert!(matches!(
                write(&harness, test.clone()),
                Written::Known { .. }
            ));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        // A name that only begins alike is another test; text without a newline at its end is kept
        // whole.
        std::fs::write(&path, format!("fn {}x() {{}}", test.name)).unwrap();
        assert!(matches!(
            write(&harness, test.clone()),
            Written::Written { .. }
        ));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with(&format!("fn {}x() {{}}\n", test.name)),
            "{text}"
        );
    }

    #[test]
    fn a_new_file_touches_the_source() {
        let dir = tempfile::tempdir().unwrap();
        let harness = harness(dir.path());
        let source = std::fs::File::options()
            .append(true)
            .open(dir.path().join("src/lib.rs"))
            .unwrap();
        source.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        write(&harness, compose(&harness, CALL, "").unwrap());
        assert!(source.metadata().unwrap().modified().unwrap() > SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn an_expected_panic_is_expected_of_the_test_too() {
        let dir = tempfile::tempdir().unwrap();
        let mut harness = harness(dir.path());
        harness.should_panic = Some("too \"long\"".into());
        let test = compose(&harness, CALL, "").unwrap();
        assert!(
            test.text
                .contains(r#"#[should_panic(expected = "too \"long\"")]"#)
        );
        harness.should_panic = Some(String::new());
        assert!(
            compose(&harness, CALL, "")
                .unwrap()
                .text
                .contains("#[should_panic]\n")
        );
    }

    #[test]
    fn what_does_not_parse_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(compose(&harness(dir.path()), "parses([0x2f,, 1)", "").is_err());
    }

    #[test]
    fn a_place_that_cannot_be_written_keeps_the_test() {
        let dir = tempfile::tempdir().unwrap();
        let mut harness = harness(dir.path());
        // A file where a directory would be needed; permissions do not stop root.
        harness.regressions = Some("src/lib.rs/x.rs".into());
        let test = compose(&harness, CALL, "").unwrap();
        let Written::NotWritten {
            reason,
            test: Some(kept),
        } = write(&harness, test.clone())
        else {
            panic!()
        };
        assert!(reason.contains("lib.rs"), "{reason}");
        assert_eq!(kept, test);
        harness.regressions = None;
        assert!(matches!(
            write(&harness, test),
            Written::NotWritten { test: Some(_), .. }
        ));
    }
}
