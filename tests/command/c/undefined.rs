//! Tests of undefined behaviour: each class has a program that has it, and a twin that does not.

use std::path::{Path, PathBuf};

use super::running::{json, told};
use crate::support::{self, Crate};

/// Returns the note in a program after `// KEY: `.
fn note<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let lines = text.lines();
    let notes = lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
    notes.filter_map(|rest| rest.strip_prefix(": ")).next()
}

fn of_undefined_behaviour() -> Vec<PathBuf> {
    let folder = support::workspace().join("tests/programs/c/undefined");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

#[test]
fn each_class_of_undefined_behaviour_is_named_placed_and_confirmed() {
    let tree = Crate::files("c_undefined", &[]);
    let mut complaints = Vec::new();
    let files = of_undefined_behaviour();
    assert!(files.len() >= 38, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let name = file.display().to_string();
        let said = json(&tree, &["--no-write", &name]);
        let expected = note(&text, "expect").expect("an expectation");
        let Some(kind) = expected.strip_prefix("bug ") else {
            assert_eq!(expected, "pass-complete", "{name}");
            if said.verdict() != expected {
                complaints.push(format!("{name}: {:?}", said.lines));
            }
            continue;
        };
        let found: Vec<String> = said.findings().into_iter().map(told).collect();
        let (text, at) = (note(&text, "text"), note(&text, "at"));
        let (text, at) = (text.expect("a text"), at.expect("a place"));
        let wanted = format!("{kind}: {text} at {at}, confirmed by \"SIGILL\"");
        if found != [wanted.as_str()] {
            complaints.push(format!("{name}: {found:?} instead of {wanted}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn a_check_that_the_user_does_not_want_is_not_made() {
    let file = support::workspace().join("tests/programs/c/undefined/addition.c");
    let tree = Crate::files("c_unchecked", &[]);
    let name = file.display().to_string();
    let flag = "-fno-sanitize=signed-integer-overflow";
    let said = json(&tree, &[&name, "--", flag]);
    assert_eq!(said.verdict(), "pass-complete");
}

#[test]
fn every_program_of_undefined_behaviour_has_a_twin_without() {
    let files = of_undefined_behaviour();
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let twin = match name.strip_suffix("_fixed") {
            Some(name) => name.to_owned(),
            None => format!("{name}_fixed"),
        };
        let extension = file.extension().expect("an extension");
        let twin = Path::new(&twin).with_extension(extension);
        assert!(
            files.contains(&file.with_file_name(twin)),
            "{}",
            file.display()
        );
    }
}
