//! Tests of `--message-format diagnostics`, which editors read as they read cargo's messages.

use crate::support::{Crate, Run};
use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};

const SOURCE: &str = r#"
pub fn at(data: &[u8], index: usize) -> u8 {
    let größe = data.len(); data[index]
}

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn finds(data: [u8; 4], index: usize) {
        super::at(&data, index);
    }

    #[symex::harness]
    fn tests_nothing(x: u8) {
        symex::assume(x > 3 && x < 3);
    }
}
"#;

/// Returns the diagnostics, and whether the build finished well if it says so; all of standard
/// output is messages.
fn messages(run: &Run) -> (Vec<Diagnostic>, Option<bool>) {
    let (mut diagnostics, mut success) = (Vec::new(), None);
    for message in Message::parse_stream(run.stdout.as_bytes()) {
        match message.expect("a line") {
            Message::CompilerMessage(message) => diagnostics.push(message.message),
            Message::BuildFinished(finished) => success = Some(finished.success),
            other => panic!("{other:?}"),
        }
    }
    (diagnostics, success)
}

fn of<'d>(diagnostics: &'d [Diagnostic], wanted: &str) -> &'d Diagnostic {
    let code = |one: &&Diagnostic| one.code.as_ref().is_some_and(|code| code.code == wanted);
    let found = diagnostics.iter().find(code);
    found.unwrap_or_else(|| panic!("no {wanted} in {diagnostics:#?}"))
}

#[test]
fn findings_are_diagnostics_beside_the_compilers_own() {
    let tree = Crate::library("diagnostics", SOURCE);
    let args = ["--message-format=diagnostics"];
    let (diagnostics, success) = messages(&tree.symex(&args).code(1));
    assert_eq!(success, Some(false));
    let warning = of(&diagnostics, "unused_variables");
    assert_eq!(warning.level, DiagnosticLevel::Warning);

    let finding = of(&diagnostics, "symex::panic");
    assert_eq!(finding.level, DiagnosticLevel::Error);
    let message = "index out of bounds: the len is 4 but the index is 4";
    assert_eq!(finding.message, message);
    let span = &finding.spans[0];
    assert_eq!((&*span.file_name, span.line_start), ("src/lib.rs", 3));
    let text = &SOURCE[span.byte_start as usize..span.byte_end as usize];
    assert_eq!(text, "data[index]");
    // Columns count characters.
    assert_eq!((span.column_start, span.column_end), (29, 40));
    let children: Vec<&str> = finding.children.iter().map(|one| &*one.message).collect();
    assert!(
        children[0].starts_with("found by tests::finds with\n"),
        "{children:#?}"
    );
    let way = &finding.children[1];
    assert_eq!(
        (&*way.message, way.spans[0].line_start),
        ("on the way there", 10)
    );
    assert!(
        children.iter().any(|one| one.ends_with(" is a test of it")),
        "{children:#?}"
    );

    let nothing = of(&diagnostics, "symex::verdict");
    assert!(
        nothing.message.starts_with("tests::tests_nothing: vacuous"),
        "{}",
        nothing.message
    );
    assert_eq!(nothing.spans[0].line_start, 14);
}

#[test]
fn what_does_not_compile_has_the_compilers_errors() {
    let tree = Crate::library("diagnostics_error", "fn f() -> u8 { true }\n");
    let run = tree.symex(&["--message-format=diagnostics"]).code(101);
    let (diagnostics, _) = messages(&run);
    assert_eq!(of(&diagnostics, "E0308").level, DiagnosticLevel::Error);
}

#[test]
fn commands_without_diagnostics_say_so() {
    let tree = Crate::library("diagnostics_auto", SOURCE);
    tree.symex(&["auto", "--message-format=diagnostics"])
        .code(2)
        .error("failed to report diagnostics: auto judges its findings, which they cannot say");
}
