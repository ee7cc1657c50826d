//! Tests of random Rust functions, run by the engine and natively: no difference is allowed.
//!
//! `random_programs/generator.rs` writes the functions. They are compiled by plain rustc and run
//! first; the harnesses of a crate then expect the resulting digests: once on inputs that are
//! constants, where the engine computes with machine words, and once on inputs that an assumption
//! restricts to two of the rows, where it computes with terms. Each difference ever found is kept
//! as a program in `programs/rust`, so that it is tested even when the generator changes.
//! `SYMEX_TEST_SEED=N` tries other functions.

mod generator;

use crate::support::{
    Crate, Run, bytes, clang, finish, finish_within, limited, manifest, number, paths,
};
use generator::{Flavour, function};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;
use symex_testing::random::TestRandom;

/// Number of functions of every kind, each run on all rows.
const RICH: usize = 240;
/// Number of functions that stay small as formulas; these are also run on terms.
const LIGHT: usize = 60;
/// Number of inputs of each function.
const ROWS: usize = 22;
/// The two rows between which a function on terms may choose; they differ in one word.
const PAIRS: [(usize, usize); 2] = [(3, 20), (7, 21)];

/// Verdict on a function that sums up a hash map, whatever the order.
const HASH_ORDER: &str = "pass (bounded: hash maps were taken to be iterated in one order of many)";

fn seed() -> u64 {
    number("SYMEX_TEST_SEED").unwrap_or(1)
}

/// Returns the functions with their inputs, as one module.
fn cases(seed: u64) -> String {
    let mut text = format!(
        "#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, clippy::all)]\n{}\n",
        include_str!("random_programs/prelude.rs")
    );
    let mut random = TestRandom::new(seed);
    let mut rows = [(); ROWS].map(|()| [(); 4].map(|()| random.word()));
    for (one, two) in PAIRS {
        let word = random.below(4);
        rows[two] = rows[one];
        rows[two][word] ^= 1 << random.below(16);
    }
    let _ = writeln!(text, "pub static ROWS: [[u64; 4]; {ROWS}] = {rows:?};");
    let mut names = Vec::new();
    for i in 0..RICH + LIGHT {
        let name = format!("case{i}");
        let flavour = if i < RICH {
            Flavour::Rich
        } else {
            Flavour::Light
        };
        text.push_str(&function(&name, random.bits(), flavour));
        names.push(name);
    }
    let _ = writeln!(
        text,
        "pub static CASES: [fn(&[u64; 4]) -> u64; {}] = [{}];",
        names.len(),
        names.join(", ")
    );
    text
}

/// Returns the digests of each function on each row, computed by plain rustc.
fn native(tree: &Crate) -> Vec<Vec<u64>> {
    tree.write(
        "native/main.rs",
        "#[path = \"../src/cases.rs\"] mod cases;
        fn main() {
            std::panic::set_hook(Box::new(|_| {}));
            for case in cases::CASES {
                let digests: Vec<String> = cases::ROWS.iter().map(|row| cases::run(case, row).to_string()).collect();
                println!(\"{}\", digests.join(\" \"));
            }
        }",
    );
    let program = tree.path().join("native/main");
    let mut rustc = Command::new("rustc");
    rustc
        .args(["--edition", "2024", "-Cdebug-assertions=on", "-o"])
        .arg(&program)
        .arg(tree.path().join("native/main.rs"));
    finish(rustc).code(0);
    let run = finish(Command::new(&program)).code(0);
    let digests: Vec<Vec<u64>> = run
        .stdout
        .lines()
        .map(|line| {
            line.split(' ')
                .map(|digest| digest.parse().expect("a digest"))
                .collect()
        })
        .collect();
    assert_eq!(digests.len(), RICH + LIGHT);
    digests
}

/// Returns the crate's library: a harness for each function, and for each pair of rows of a light
/// one.
fn library(expected: &[Vec<u64>]) -> String {
    let mut text = format!(
        "pub mod cases;
#[cfg(test)]
mod t {{
    use crate::cases::{{self, ROWS}};
    static EXPECTED: [[u64; {ROWS}]; {}] = {expected:?};
    fn check(case: usize) {{
        if case % 16 != 0 {{
            std::panic::set_hook(Box::new(|_| {{}}));
        }}
        let mut differences = Vec::new();
        for (i, (row, expected)) in ROWS.iter().zip(&EXPECTED[case]).enumerate() {{
            let digest = cases::run(cases::CASES[case], row);
            if digest != *expected {{
                differences.push(format!(\"row {{i}} {{row:?}}: {{digest}}, natively {{expected}}\"));
            }}
        }}
        let _ = std::panic::take_hook();
        assert!(differences.is_empty(), \"{{}}\", differences.join(\"; \"));
    }}
    /// Shows that a difference would be seen.
    #[symex::harness]
    fn control() {{
        assert!(cases::run(cases::CASES[0], &ROWS[0]) != EXPECTED[0][0], \"the digest is as expected\");
    }}
    fn is(x: &[u64; 4], row: usize) -> bool {{
        let row = &ROWS[row];
        (x[0] == row[0]) & (x[1] == row[1]) & (x[2] == row[2]) & (x[3] == row[3])
    }}
    fn check_between(case: usize, x: &[u64; 4], one: usize, two: usize) {{
        for i in 0..4 {{
            symex::assume((x[i] == ROWS[one][i]) | (x[i] == ROWS[two][i]));
        }}
        std::panic::set_hook(Box::new(|_| {{}}));
        let digest = cases::run(cases::CASES[case], x);
        let _ = std::panic::take_hook();
        let right = (is(x, one) & (digest == EXPECTED[case][one])) | (is(x, two) & (digest == EXPECTED[case][two]));
        assert!(right, \"another digest than natively\");
    }}
",
        expected.len()
    );
    for case in 0..expected.len() {
        let _ = writeln!(
            text,
            "    #[symex::harness]\n    fn words_{case}() {{ check({case}) }}"
        );
    }
    for case in RICH..expected.len() {
        for (one, two) in PAIRS {
            let _ = writeln!(
                text,
                "    #[symex::harness(timeout = \"1s\")]\n    \
                 fn terms_{case}_{one}(x: [u64; 4]) {{ check_between({case}, &x, {one}, {two}) }}"
            );
        }
    }
    text.push_str("}\n");
    text
}

/// Number of harnesses by kind of inputs and verdict.
type Verdicts = BTreeMap<(String, String), usize>;

/// Counts the verdicts of a run, and complains of those that are wrong.
fn judge(run: &Run) -> (Verdicts, Vec<String>) {
    let mut verdicts = Verdicts::new();
    let mut complaints = Vec::new();
    for line in run.json() {
        if line["type"] != "harness-finished" {
            continue;
        }
        let harness = line["harness"].as_str().expect("a name");
        let verdict = line["verdict"].as_str().expect("a verdict");
        let messages: Vec<&str> = line["findings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|finding| finding["message"].as_str())
            .collect();
        if harness == "t::control" {
            assert_eq!(messages, ["the digest is as expected"]);
            continue;
        }
        let terms = harness.starts_with("t::terms_");
        let path = if terms { "terms" } else { "words" };
        // Formulas may be too hard in the time given, but never wrong.
        let text = line["verdict_text"].as_str().expect("a text");
        let any_order = text == HASH_ORDER;
        let counted = if any_order { "pass-complete" } else { verdict };
        *verdicts
            .entry((path.to_owned(), counted.to_owned()))
            .or_default() += 1;
        let too_hard = verdict == "pass-bounded"
            || text.starts_with("inconclusive (solver: ")
            || text == "inconclusive (timeout)";
        if verdict != "pass-complete" && !any_order && !(terms && too_hard) {
            complaints.push(format!("{harness}: {} {}", text, messages.join("; ")));
        }
    }
    (verdicts, complaints)
}

#[test]
fn the_engine_computes_what_the_machine_computes() {
    let name = "random_programs";
    let tree = Crate::files(name, &[("Cargo.toml", &manifest(name))]);
    tree.write("src/cases.rs", &cases(seed()));
    let expected = native(&tree);
    tree.write("src/lib.rs", &library(&expected));
    let options = ["--replay=off", "--no-write", "--message-format", "json"];
    let run = finish_within(limited::LONG, tree.symex_command(&options));
    let (verdicts, complaints) = judge(&run);
    let count = |path: &str, verdict: &str| {
        verdicts
            .get(&(path.to_owned(), verdict.to_owned()))
            .copied()
            .unwrap_or(0)
    };
    println!("{verdicts:?}");
    assert!(
        complaints.is_empty(),
        "seed {}:\n{}\n{verdicts:?}\n{}",
        seed(),
        complaints.join("\n"),
        run.stderr
    );
    assert_eq!(
        count("words", "pass-complete"),
        RICH + LIGHT,
        "{}",
        run.stderr
    );
    let decided = count("terms", "pass-complete");
    assert!(decided * 2 > LIGHT * PAIRS.len(), "{verdicts:?}");

    // A third of those on terms once more, with paths that become one.
    let mut options = options.to_vec();
    options.extend(["--merge", "similar", "t::terms_27", "t::terms_28"]);
    let run = finish_within(limited::LONG, tree.symex_command(&options));
    let (verdicts, complaints) = judge(&run);
    assert!(
        complaints.is_empty(),
        "seed {}: merged:\n{}",
        seed(),
        complaints.join("\n")
    );
    let decided = verdicts.get(&("terms".to_owned(), "pass-complete".to_owned()));
    assert!(decided.is_some_and(|decided| *decided > 10), "{verdicts:?}");
}

/// `long double`s have the machine's results: a program in C writes what it computes; some operands
/// are outside the range of `double`, above or below, and some are NaNs.
#[test]
fn long_doubles_are_those_of_the_machine() {
    let source = include_str!("random_programs/long_double.c");
    let tree = Crate::files("random_long_doubles", &[("main.c", source)]);
    for seed in seed()..seed() + 8 {
        let define = format!("-DSEED={seed}");
        let mut clang = clang();
        clang
            .args(["-o", "native", "main.c", "-lm", &define])
            .current_dir(tree.path());
        finish(clang).code(0);
        let native = finish(Command::new(tree.path().join("native"))).code(0);
        tree.symex(&["c", "main.c", "--paths-to", "paths", "--", &define])
            .code(0);
        let paths = paths(&tree.path().join("paths"));
        assert_eq!(paths.len(), 1, "{paths:#?}");
        let written = String::from_utf8(bytes(&paths[0]["stdout"])).expect("text");
        assert!(written.lines().count() > 1000, "{written}");
        for (engine, machine) in written.lines().zip(native.stdout.lines()) {
            assert_eq!(engine, machine, "with seed {seed}");
        }
        assert_eq!(written.len(), native.stdout.len(), "with seed {seed}");
    }
}
