//! Tests of `cargo symex generalize`: tests whose constants become inputs.

use crate::support::{Crate, Run};
use serde_json::Value;
use std::collections::BTreeMap;

const LIBRARY: &str = r#"
pub fn second(text: &str) -> Option<char> { text[1..].chars().next() }

pub fn mean(a: u32, b: u32) -> u32 { (a + b) / 2 }

/// Divides.
///
/// # Panics
/// If `b` is 0.
pub fn divide(a: u8, b: u8) -> u8 { a / b }

pub fn nth(data: &[u8], at: usize) -> u8 { unsafe { *data.get_unchecked(at) } }

pub fn is_odd(x: u8) -> bool { x % 2 == 1 }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds() { assert_eq!(second("ab"), Some('b')); }

    #[test]
    fn divides() { assert_eq!(divide(6, 3), 2); }

    #[test]
    #[should_panic]
    fn fails() { divide(1, 0); }

    #[test]
    fn finds() {
        let bytes: &'static [u8; 2] = b"xy";
        nth(b"xyz", 2);
        let short: [&'static u8; 1] = [&5];
        assert_eq!(nth(bytes, 1), b'y');
        assert_eq!(*short[0], 5);
    }

    #[test]
    fn odd() {
        let expected = true;
        assert_eq!(is_odd(7), expected);
        let list = [1, 2];
        assert!(list[usize::from(is_odd(8))] < 3);
    }

    #[test]
    #[ignore]
    fn slow() { mean(1, 2); }

    #[test]
    #[cfg(windows)]
    fn elsewhere() { mean(1, 2); }

    #[test]
    fn nothing() {}

    #[test]
    fn fixed() { const N: u8 = 3; assert_eq!(N, 3); }
}
"#;

const WHOLE: &str = "
use generalize_NAME::mean;

fn check(a: u32, b: u32, m: u32) { assert_eq!(mean(a, b), m); }

#[test]
fn means() -> Result<(), String> {
    check(2, 4, 3);
    Ok(())
}
";

fn tests(name: &str) -> Crate {
    let manifest = format!(
        "[package]\nname = \"generalize_{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n"
    );
    let whole = WHOLE.replace("NAME", name);
    Crate::files(
        &format!("generalize_{name}"),
        &[
            ("Cargo.toml", &manifest),
            ("src/lib.rs", LIBRARY),
            ("tests/whole.rs", &whole),
        ],
    )
}

fn json(tree: &Crate, options: &[&str]) -> Run {
    tree.symex(&[&["generalize", "--message-format", "json"], options].concat())
}

fn of_type(run: &Run, kind: &str) -> Vec<Value> {
    let mut lines = run.json();
    lines.retain(|line| line["type"] == kind);
    lines
}

/// Returns the end of a harness's name, which may begin with its target.
fn plain(name: &str) -> &str {
    name.rsplit("::").next().expect("a part")
}

fn verdicts(finished: &BTreeMap<String, Value>) -> BTreeMap<&str, &str> {
    let all = finished.iter();
    all.map(|(name, finished)| (plain(name), finished["verdict"].as_str().expect("one")))
        .collect()
}

#[test]
fn tests_are_explored_with_other_values() {
    let tree = tests("explored");
    let run = json(&tree, &[]).code(1);
    let finished = run.finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("generalized_divides", "pass-complete"),
            ("generalized_fails", "pass-complete"),
            ("generalized_finds", "bug"),
            ("generalized_means", "bug"),
            ("generalized_odd", "pass-complete"),
            ("generalized_seconds", "bug"),
        ])
    );
    let findings = of_type(&run, "generalize-finding");
    let mut judgements: Vec<(&str, &str)> = findings
        .iter()
        .map(|line| {
            (
                line["test"].as_str().expect("one"),
                line["judgement"].as_str().expect("one"),
            )
        })
        .collect();
    judgements.sort_unstable();
    judgements.dedup();
    assert_eq!(
        judgements,
        [
            ("means", "panic"),
            ("means", "panic-of-test"),
            ("tests::divides", "panic-of-test"),
            ("tests::divides", "promised-panic"),
            ("tests::fails", "expected-panic"),
            ("tests::finds", "panic-of-test"),
            ("tests::finds", "undefined"),
            ("tests::odd", "panic-of-test"),
            ("tests::seconds", "panic"),
            ("tests::seconds", "panic-of-test"),
        ]
    );
    // Each that counts is confirmed, and shows the line with the values that lead there.
    let replays = of_type(&run, "finding");
    assert!(replays.len() >= 3, "{replays:#?}");
    for finding in &replays {
        assert_eq!(finding["replay"]["status"], "confirmed", "{finding}");
    }
    let empty = findings.iter().any(|line| {
        line["lines"][0]["text"] == "fn seconds() { assert_eq!(second(\"\"), Some('b')); }"
    });
    assert!(empty, "{findings:?}");
    let summary = &of_type(&run, "generalize-summary")[0];
    assert_eq!(
        (&summary["tests"], &summary["generalized"]),
        (&9.into(), &6.into())
    );
    let left = summary["left_as_they_are"].as_array().expect("a list");
    let mut left: Vec<(&str, &str)> = left
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().expect("one");
            (text("test"), text("reason"))
        })
        .collect();
    left.sort_unstable();
    assert_eq!(
        left,
        [
            ("tests::elsewhere", "it is not compiled here"),
            ("tests::fixed", "it passes no constants"),
            ("tests::nothing", "it passes no constants"),
        ]
    );
    // Nothing of the user's was touched.
    assert_eq!(tree.read("src/lib.rs"), LIBRARY);
    assert!(!tree.exists("symex-regressions"));
}

#[test]
fn parts_of_the_tests_are_explored() {
    let tree = tests("parts");
    let part = |part| {
        let run = json(&tree, &["--replay=off", "--partition", part]).code(1);
        let names = run.finished().into_keys();
        names.map(|name| plain(&name).to_owned()).collect()
    };
    let (mut all, second): (Vec<String>, Vec<String>) = (part("slice:1/2"), part("slice:2/2"));
    assert_eq!((all.len(), second.len()), (3, 3));
    all.extend(second);
    all.sort();
    let names = ["divides", "fails", "finds", "means", "odd", "seconds"];
    assert_eq!(all, names.map(|name| format!("generalized_{name}")));
}

#[test]
fn what_the_compiler_refuses_stays_a_constant() {
    let tree = tests("listed");
    let run = json(&tree, &["--list", "finds"]).code(0);
    let listed = of_type(&run, "generalized-test");
    let constants: Vec<&str> = listed[0]["constants"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|constant| constant["text"].as_str().expect("one"))
        .collect();
    assert_eq!(listed.len(), 1);
    // `&5` is to live as long as the program.
    assert_eq!(constants, ["b\"xy\"", "b\"xyz\"", "2", "1"]);
    // Another choice afterwards is not taken for what was built before.
    let run = json(&tree, &["--list", "means"]).code(0);
    assert_eq!(of_type(&run, "generalized-test").len(), 1);
    let run = json(&tree, &["--list", "seconds"]).code(0);
    assert_eq!(of_type(&run, "generalized-test").len(), 1);
}

#[test]
fn constants_are_inputs_one_at_a_time() {
    let tree = tests("each");
    let run = json(&tree, &["--each", "--test", "whole"]).code(1);
    let finished = run.finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("generalized_means_1", "bug"),
            ("generalized_means_2", "bug"),
            ("generalized_means_3", "pass-complete"),
        ])
    );
}

#[test]
fn a_choice_without_tests_is_told() {
    let tree = tests("none");
    let run = tree.symex(&["generalize", "nothing"]).code(5);
    assert!(
        run.stderr
            .contains("no test passes constants that can be inputs"),
        "{}",
        run.stderr
    );
    let run = tree.symex(&["generalize", "elsewhere"]).code(5);
    assert!(run.stderr.contains("is compiled"), "{}", run.stderr);
    let run = tree.symex(&["generalize", "other_name"]).code(5);
    assert!(
        run.stderr.contains("none of 10 tests matches"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_crate_of_the_first_edition_is_explored() {
    let manifest = "[package]\nname = \"generalize_old\"\nversion = \"0.1.0\"\n\n[workspace]\n";
    let source = "#![deny(warnings)]\n#![forbid(unsafe_code)]\npub fn half(x: u8) -> u8 { if x == 9 { panic!() } x / 2 }\n\
                  #[test]\nfn halves() { assert_eq!(half(8), 4); }\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", source)];
    let run = json(&Crate::files("generalize_old", &files), &[]).code(1);
    let findings = of_type(&run, "generalize-finding");
    let counted = findings.iter().filter(|line| line["judgement"] == "panic");
    let lines: Vec<&Value> = counted.map(|line| &line["lines"][0]["text"]).collect();
    assert_eq!(lines, ["fn halves() { assert_eq!(half(9), 4); }"]);
}

const CASES: &str = r#"
pub fn mean(a: u32, b: u32) -> u32 { (a + b) / 2 }

pub fn divide(a: u8, b: u8) -> u8 { a / b }

pub struct Store(pub Vec<u32>);

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::{fixture, rstest};
    use test_case::test_case;

    #[fixture]
    fn store(#[default(3)] n: u32) -> Store { Store((0..n).collect()) }

    #[rstest]
    #[case(2, 4, 3)]
    #[case::same(5, 5, 5)]
    fn means(#[case] a: u32, #[case] b: u32, #[case] expected: u32) {
        assert_eq!(mean(a, b), expected);
    }

    #[rstest]
    fn gets(#[with(9)] store: Store, #[values(1, 2)] at: usize) {
        assert!(at > 9 || store.0.get(at) != Some(&77));
    }

    #[rstest]
    fn with_a_fixture(store: Store) { divide(store.0[2] as u8, 3); }

    #[test_case(4, 2 => 2 ; "half")]
    #[test_case(1, 0 => panics "zero")]
    fn divides(a: u8, b: u8) -> u8 { divide(a, b) }

    #[test]
    fn plain() {
        assert_eq!(mean(1, 2), 1);
    }
}
"#;

#[test]
fn cases_of_macros_are_explored_and_tests_left() {
    let tree = Crate::files(
        "generalize_cases",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"generalize_cases\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
                 [dev-dependencies]\nrstest = { version = \"0.26\", default-features = false }\n\
                 test-case = \"3\"\n\n[workspace]\n",
            ),
            ("src/lib.rs", CASES),
        ],
    );
    let run = json(&tree, &["--write"]).code(1);
    let finished = run.finished();
    assert_eq!(
        verdicts(&finished),
        BTreeMap::from([
            ("generalized_divides_case_1_half", "bug"),
            ("generalized_gets_values", "pass-complete"),
            ("generalized_means_case_1", "bug"),
            ("generalized_plain", "bug"),
            ("generalized_with_a_fixture", "bug"),
        ])
    );
    let summary = &of_type(&run, "generalize-summary")[0];
    let left = summary["left_as_they_are"].as_array().expect("a list");
    let reasons = left.iter().map(|one| one["reason"].as_str().expect("one"));
    let reasons: Vec<&str> = reasons.collect();
    assert_eq!(
        reasons,
        [
            "it differs from `tests::means::case_1` in its inputs only",
            "it differs from `tests::divides::case_1_half` in its inputs only",
        ]
    );
    // A case with a title has no second one.
    let written = summary["written"].as_array().expect("a list").iter();
    let written: Vec<&str> = written
        .map(|one| one["test"].as_str().expect("one"))
        .collect();
    assert_eq!(
        written,
        ["means", "with_a_fixture_found_1", "plain_found_1"]
    );
    let text = tree.read("src/lib.rs");
    assert_eq!(text.matches("#[case(").count(), 2, "{text}");
    // What is left compiles, and fails.
    let tests = tree.cargo(&["test", "--lib"]);
    let failed: Vec<&str> = (tests.stdout.lines())
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
        .collect();
    assert_eq!(failed.len(), 3, "{failed:?}\n{}", tests.stdout);
    // Another run leaves nothing new.
    json(&tree, &["--write"]).code(1);
    assert_eq!(tree.read("src/lib.rs"), text);
}
