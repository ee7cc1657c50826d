//! Tests of pre-runs: native runs on made-up inputs, beside the exploration.

use crate::support::{Crate, Run, kinds};
use serde_json::Value;

/// Harnesses of which the engine decides nothing in a short time, since the texts of floats are
/// beyond the solver.
const HARD: &str = r#"
fn length(x: f64) -> usize {
    format!("{x}").len()
}

#[cfg(test)]
mod tests {
    use super::length;

    #[symex::harness]
    fn panics(x: f64) {
        assert!(length(x) < 300, "long");
    }

    #[symex::harness]
    fn assumes(n: u16, x: f64) {
        symex::assume(n % 1000 == 77);
        assert!(length(x) < 300, "long");
    }

    #[symex::harness]
    fn aborts(x: f64) {
        if length(x) == 17 && x > 1e15 {
            std::process::abort();
        }
        assert!(x != 0.1, "a tenth");
    }
}
"#;

/// A harness that does not end on some inputs, and fails on others.
const ENDLESS: &str = r#"
#[symex::harness]
fn ends(x: f64) {
    let length = format!("{x}").len();
    while length == 17 && x > 1e15 {
        std::hint::spin_loop();
    }
    assert!(x != 0.1, "a tenth");
}
"#;

const QUICK: [&str; 3] = ["--query-timeout=300ms", "--stop-at-first-bug", "--no-write"];

fn run(tree: &Crate, args: &[&str]) -> Run {
    let json = ["--message-format=json", "--no-cache"];
    tree.symex(&[&QUICK[..], &json, args].concat())
}

/// Returns the findings of a run, as they are reported.
fn findings(run: &Run) -> Vec<Value> {
    let mut lines = run.json();
    lines.retain(|line| line["type"] == "finding");
    lines
}

#[test]
fn what_a_native_run_shows_is_found_at_once_and_confirmed() {
    let tree = Crate::library("pre_runs", HARD);
    let one = findings(&run(&tree, &["--timeout=20s", "-j1"]));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let found: Vec<[String; 3]> = one
        .iter()
        .map(|line| [&line["harness"], &line["kind"], &line["replay"]["status"]].map(text))
        .collect();
    let expected = [
        ["tests::aborts", "abort", "confirmed"],
        ["tests::aborts", "panic", "confirmed"],
        ["tests::assumes", "panic", "confirmed"],
        ["tests::panics", "panic", "confirmed"],
    ];
    assert_eq!(found, expected);
    // However many are explored at a time.
    assert_eq!(findings(&run(&tree, &["--timeout=20s", "-j2"])), one);
}

#[test]
fn no_pre_runs_are_made_where_they_are_turned_off() {
    let tree = Crate::library("no_pre_runs", HARD);
    for off in ["--pre-runs=none", "--replay=off"] {
        let finished = run(&tree, &[off, "--timeout=5s", "panics"]).finished();
        let stats = &finished["tests::panics"]["stats"];
        assert_eq!(stats["followed"], 0, "{off}: {stats}");
    }
    // As few as asked for.
    let finished = run(&tree, &["--pre-runs=1", "--timeout=5s", "aborts"]).finished();
    assert_eq!(finished["tests::aborts"]["stats"]["foretold"], 0);
}

#[test]
fn a_run_without_end_costs_no_other_finding() {
    let tree = Crate::library("endless_pre_runs", ENDLESS);
    let finished = run(&tree, &["--max-steps=1000000", "--timeout=20s"]).finished();
    assert_eq!(kinds(&finished["ends"]), ["hang", "panic"]);
}
