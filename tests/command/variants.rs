//! Tests of findings that several sequences of calls reach.

use crate::support::Crate;

const SOURCE: &str = r#"
/// The one fault, in a function that calls itself.
fn digits(text: &[u8], depth: usize) -> u32 {
    match text {
        [] => 0,
        [b'(', rest @ ..] => digits(rest, depth + 1),
        [b'[', rest @ ..] => 10 * digits(rest, depth + 1),
        [digit, ..] => u32::from(digit.checked_sub(b'0').expect("a digit")),
    }
}

#[cfg(test)]
mod t {
    #[symex::harness]
    fn parses(text: [u8; 3]) {
        match text[0] {
            b'x' => super::digits(&text[1..], 0),
            _ => super::digits(&text, 0),
        };
    }
}
"#;

#[test]
fn a_fault_at_one_place_is_one_finding_whatever_calls_lead_there() {
    let tree = Crate::library("variants", SOURCE);
    let run = tree.symex(&["--message-format=json"]).code(1);
    let lines = run.json();
    let findings: Vec<_> = lines
        .iter()
        .filter(|line| line["type"] == "finding")
        .collect();
    let [finding] = &findings[..] else {
        panic!("{findings:#?}");
    };
    assert_eq!(finding["replay"]["status"], "confirmed");
    // From each of two calls, and through each of two calls of itself, at most twice.
    let variants = finding["variants"].as_array().expect("variants");
    assert!(variants.len() >= 6, "{variants:#?}");
    let calls = |finding: &serde_json::Value| finding["trace"].as_array().map(Vec::len);
    let first = calls(&finding["finding"]);
    assert!(variants.iter().all(|one| calls(one) >= first));
    let paths = finding["finding"]["repeats"].as_u64().expect("a number") + 1;
    let shown = tree.symex(&[]).code(1).stdout;
    let note = format!(
        "{} more paths end the same way, by {} other sequences of calls (--call-stacks shows them)",
        paths - 1,
        variants.len()
    );
    assert!(shown.contains(&note), "{shown}");
    // There is one test.
    let tests = tree.read("symex-regressions/src/lib/t/parses.rs");
    assert_eq!(tests.matches("#[test]").count(), 1, "{tests}");

    // The record of the run has them all.
    let shown = tree.symex(&["report", "--call-stacks"]).code(0).stdout;
    assert_eq!(
        shown.matches("= calls: ").count(),
        variants.len(),
        "{shown}"
    );
}
