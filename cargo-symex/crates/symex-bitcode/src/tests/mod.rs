//! Snapshot tests of small functions by instruction family: `NAME.ll` translates to the text in
//! `NAME.expected`. Set `SNAPSHOTS=overwrite` to rewrite the expected texts, and read the
//! difference.

mod broken;
mod initial;
mod interpret;
mod native;
mod places;
mod pointees;
mod whole;

use crate::translate_ir;
use std::path::Path;
use symex_program::{Program, check, text};

/// Translates textual IR and checks the result.
fn translate(ir: &str) -> Program {
    let program = translate_ir(ir.as_bytes(), "test").expect("the IR is valid");
    check::check(&program).expect("the form is sound");
    program
}

/// Formats all functions, declarations last.
fn functions_text(program: &Program) -> String {
    let (defined, declared): (Vec<_>, Vec<_>) =
        program.functions.iter().partition(|f| f.body.is_some());
    let all = defined.into_iter().chain(declared);
    all.map(|f| text::function(program, f, false)).collect()
}

#[test]
fn families_translate_as_expected() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests");
    let mut names: Vec<_> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "ll"))
        .collect();
    names.sort();
    assert!(names.len() >= 30, "the families are there");
    for path in names {
        let text = functions_text(&translate(&std::fs::read_to_string(&path).unwrap()));
        let expected = snapbox::Data::read_from(&path.with_extension("expected"), None);
        snapbox::assert_data_eq!(text, expected.raw());
    }
}
