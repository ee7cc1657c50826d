//! Tests of the review of findings.

use super::ignored::{FILE as IGNORED, SOURCE};
use crate::support::pseudo_terminal::Session;
use crate::support::{Crate, Run};
use serde_json::Value;

const DIVIDES: &str = "symex-regressions/src/lib/tests/divides.rs";
const PARSES: &str = "symex-regressions/src/lib/tests/parses.rs";

/// Returns a crate with a run of two findings.
fn explored(name: &str) -> Crate {
    let tree = Crate::library(name, SOURCE);
    tree.symex(&[]).code(1);
    tree
}

/// Returns the findings of the last run: their ids, harnesses and what was decided.
fn listed(tree: &Crate) -> Vec<(String, String, Value)> {
    let run = tree
        .symex(&["review", "--list", "--format", "json"])
        .code(0);
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let fields = |line: &Value| {
        let decision = line["decision"].clone();
        (text(&line["id"]), text(&line["harness"]), decision)
    };
    run.json().iter().map(fields).collect()
}

#[track_caller]
fn has(run: &Run, text: &str) {
    assert!(run.stdout.contains(text), "{text} in\n{}", run.stdout);
}

#[test]
fn findings_are_decided_on_without_a_terminal() {
    let tree = explored("review_scripts");
    let list = tree.symex(&["review", "--list"]).code(0);
    let findings = listed(&tree);
    let [(divides, _, Value::Null), (parses, harness, Value::Null)] = &findings[..] else {
        panic!("{findings:?}");
    };
    assert_eq!(harness, "tests::parses");
    has(
        &list,
        &format!("{parses}  tests::parses: panic at src/lib.rs:3:5: seven\n"),
    );
    has(&list, "2 findings to review\n");

    // It asks nothing where there is nobody.
    let asked = tree.symex(&["review"]).code(2);
    asked.error("failed to ask about 2 findings: this is no terminal");

    // By the start of an id, and by a harness.
    let run = tree.symex(&["review", "--accept", &divides[..5]]).code(0);
    has(
        &run,
        &format!("{divides}  tests::divides: accepted\n1 finding left to review\n"),
    );
    tree.symex(&["review", "--ignore", "tests::parses"])
        .code(2)
        .error("the following required arguments were not provided");
    let ignore = ["review", "--ignore", "tests::parses", "--reason"];
    let empty = tree.symex(&[&ignore[..], &[" "]].concat()).code(2);
    empty.error("failed to ignore the finding: the reason is empty");
    assert!(!tree.exists(IGNORED) && tree.exists(PARSES));
    let run = tree
        .symex(&[&ignore[..], &["seven is refused"]].concat())
        .code(0);
    has(
        &run,
        &format!("{parses}  tests::parses: ignored in {IGNORED}; `parses_"),
    );
    has(&run, &format!("` removed from {PARSES}\n"));
    assert!(!run.stdout.contains("left to review"), "{}", run.stdout);
    assert!(!tree.exists(PARSES) && tree.exists(DIVIDES));
    let text = tree.read(IGNORED);
    for line in [
        "[[finding]]",
        "harness = \"tests::parses\"",
        "kind = \"panic\"",
        "function = \"review_scripts::parse\"",
        "line = 'assert!(x != 7, \"seven\");'",
        "reason = \"seven is refused\"",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
    }
    let decided: Vec<Value> = listed(&tree).into_iter().map(|one| one.2).collect();
    assert_eq!(decided, ["accepted", "ignored"]);
    let list = tree.symex(&["review", "--list"]).code(0);
    assert_eq!(list.stdout, "no finding to review; 1 accepted; 1 ignored\n");
    // With nothing to ask, no terminal is needed.
    tree.symex(&["review"]).code(0);

    // The next run fails because of what was accepted alone, which is not asked about again.
    let run = tree.symex(&[]).code(1);
    has(&run, "tests::parses ... pass (complete), 1 finding ignored");
    assert!(!tree.exists(PARSES));
    tree.symex(&["parses"]).code(0);
    tree.symex(&[]).code(1);
    let list = tree.symex(&["review", "--list"]).code(0);
    assert_eq!(list.stdout, "no finding to review; 1 accepted; 1 ignored\n");

    // A mind is changed: the test of an accepted finding is from an earlier run.
    tree.symex(&["review", "--ignore", divides, "--reason", "so be it"])
        .code(0);
    assert!(
        !tree.exists("symex-regressions"),
        "the run before had added it"
    );
    tree.symex(&[]).code(0);
    assert_eq!(tree.read(IGNORED).matches("[[finding]]").count(), 2);
}

#[test]
fn a_test_that_was_edited_or_was_there_before_stays() {
    let tree = explored("review_edited");
    let text = tree.read(PARSES);
    tree.write(PARSES, &text.replace("parses(7)", "parses(7 + 0)"));
    let ignore = |harness: &str| tree.symex(&["review", "--ignore", harness, "--reason", "known"]);
    let run = ignore("tests::parses").code(0);
    has(&run, "has been edited, and stays in symex-regressions");
    assert!(tree.exists(PARSES));

    // Of a test that was committed, no run knows that it was added.
    let kept = Crate::library("review_kept", SOURCE);
    kept.write(DIVIDES, &tree.read(DIVIDES));
    kept.symex(&["divides"]).code(1);
    let run = kept.symex(&["review", "--ignore", "tests::divides", "--reason", "known"]);
    assert!(!run.code(0).stdout.contains("removed"));
    assert!(kept.exists(DIVIDES));
}

#[test]
fn names_that_fit_no_finding_are_refused_and_all_can_be_accepted() {
    let tree = explored("review_names");
    let run = tree.symex(&["review", "--accept", "tests::none"]).code(2);
    run.error("no finding of the run is named `tests::none`");
    tree.symex(&["review", "--run", "4000000", "--list"])
        .code(2)
        .error("no such run is recorded");
    tree.symex(&["review", "--list", "--accept-all"])
        .code(2)
        .error("cannot be used with");
    let run = tree.symex(&["review", "--accept-all"]).code(0);
    assert_eq!(
        run.stdout.matches(": accepted").count(),
        2,
        "{}",
        run.stdout
    );
    let run = tree.symex(&["review", "--accept-all"]).code(0);
    assert_eq!(run.stdout, "");
    // Accepted findings fail a run as ever.
    tree.symex(&[]).code(1);
}

#[test]
fn keys_decide_on_a_terminal() {
    let tree = explored("review_keys");
    let editor = tree.script("editor", "#!/bin/sh\nprintf '%s ' \"$@\" > opened\n");
    let mut command = tree.symex_command(&["review"]);
    command
        .env("VISUAL", editor)
        .env("TERM", "xterm")
        .env("NO_COLOR", "1");
    let mut session = Session::start(command);
    const PROMPT: &str = "[q]uit  [?] ";
    let first = session.wait_for(PROMPT);
    for text in [
        "finding 1 of 2",
        "error[panic]",
        "harness: tests::divides",
        "x: u8 = 0",
        "+++ b/symex-regressions/src/lib/tests/divides.rs",
        "+fn divides_",
    ] {
        assert!(first.contains(text), "{text} in\n{first}");
    }
    session.press("?");
    assert!(session.wait_for(PROMPT).contains("a  accept: it is a bug"));
    session.press("o");
    session.wait_for(PROMPT);
    let opened = tree.read("opened");
    assert!(
        opened.starts_with("+7 ") && opened.ends_with("src/lib.rs "),
        "{opened}"
    );
    session.press("a");
    let second = session.wait_for(PROMPT);
    assert!(second.contains("tests::divides: accepted"), "{second}");
    assert!(second.contains("finding 2 of 2"), "{second}");
    session.press("i");
    session.wait_for("reason: ");
    session.press("\r");
    assert!(session.wait_for(PROMPT).contains("that takes a reason"));
    session.press("i");
    session.wait_for("reason: ");
    session.press("seven is refused\r");
    let (code, rest) = session.end();
    assert_eq!(code, Some(0), "{rest}");
    assert!(
        rest.contains("tests::parses: ignored in symex-ignored.toml"),
        "{rest}"
    );
    assert!(tree.read(IGNORED).contains("reason = \"seven is refused\""));
    assert!(tree.exists(DIVIDES) && !tree.exists(PARSES));
}
