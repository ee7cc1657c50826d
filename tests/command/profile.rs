//! Tests of `cargo symex profile` and `--profiling`: what is counted where, and the files.

use crate::support::{Crate, Run, finish, symex};
use roxmltree::Document;
use serde_json::Value;
use std::collections::BTreeMap;

const SOURCE: &str = r#"
pub fn parse(text: &[u8]) -> u32 {
    let mut sum = 0;
    for byte in text {
        if *byte == b'a' { // forks
            sum += weight(*byte);
        }
    }
    sum
}

#[inline(never)]
fn weight(byte: u8) -> u32 {
    let mut weight = 0;
    for step in 0..1000 { // runs
        weight ^= std::hint::black_box(step);
    }
    weight + u32::from(byte)
}

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn parses(text: [u8; 6]) {
        super::parse(&text);
    }

    #[symex::harness]
    fn other(x: u8) {
        assert!(x < 255 || x == 255);
    }
}
"#;

/// Options under which the counts are those of one exploration.
const PLAIN: &[&str] = &["--no-write", "--replay=off", "--merge=off"];

fn run(tree: &Crate, command: &[&str], args: &[&str]) -> Run {
    tree.symex(&[command, PLAIN, args].concat())
}

/// Returns the number of the line that has this comment.
fn line(comment: &str) -> u64 {
    let at = SOURCE.lines().position(|line| line.ends_with(comment));
    at.expect("a line has it") as u64 + 1
}

/// Returns the sum of a measure over calls that a condition holds for.
fn sum(profile: &Value, measure: &str, counts: impl Fn(&Value) -> bool) -> f64 {
    let calls = profile["calls"].as_array().expect("calls");
    let calls = calls.iter().filter(|call| counts(call));
    calls
        .map(|call| call["work"][measure].as_f64().expect("a number"))
        .sum()
}

#[test]
fn all_work_is_counted_where_it_is_done() {
    let tree = Crate::library("profile_counts", SOURCE);
    let json = &["parses", "--message-format=json"];
    let plain = run(&tree, &[], json).only();
    for threads in ["--jobs=1", "--jobs=2"] {
        let profiled = run(&tree, &["profile"], &[json, &[threads][..]].concat()).only();
        assert_eq!(profiled["verdict"], plain["verdict"]);
        let (stats, before) = (&profiled["stats"], &plain["stats"]);
        let profile = &stats["profile"];
        assert!(before["profile"].is_null());
        for (measure, of_all) in [
            ("forks", "forks"),
            ("ends", "paths"),
            ("instructions", "instructions"),
        ] {
            // Those on the way to the harness are counted in both.
            let counted = sum(profile, measure, |_| true);
            assert_eq!(stats[of_all], before[of_all], "{measure}");
            assert_eq!(Some(counted), stats[of_all].as_f64(), "{measure}");
        }
        let at = |comment: &'static str| {
            move |call: &Value| {
                let file = call["line"][0].as_str();
                file.is_some_and(|file| file.ends_with("src/lib.rs"))
                    && call["line"][1] == line(comment)
            }
        };
        assert_eq!(sum(profile, "forks", at("// forks")), 63.0);
        let runs = sum(profile, "instructions", |call| {
            let caller = |call: &&Value| profile["calls"].get(call["caller"].as_u64()? as usize);
            let mut stack = std::iter::successors(Some(call), caller);
            stack.any(|call| call["function"] == "profile_counts::weight")
        });
        let instructions = stats["instructions"].as_f64().expect("a number");
        assert!(runs > 0.9 * instructions, "{runs} of {instructions}");
    }
}

#[test]
fn what_is_hard_for_the_solver_is_told_with_its_share_of_the_time() {
    let source = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn reduces(a: u64, b: u64, m: u64) {
        symex::assume(m != 0);
        let [a, b, m] = [a, b, m].map(u128::from);
        assert!(a * b % m == (a % m) * (b % m) % m);
    }
}
"#;
    let tree = Crate::library("profile_reduces", source);
    let run = tree.symex(&["profile", "--timeout=5s", "--message-format=json"]);
    let stats = &run.only()["stats"];
    let seconds = stats["seconds"].as_f64().expect("a number");
    // Meanwhile it waits for one that merges paths, of which no more is known than that.
    let own = seconds - stats["beside_seconds"].as_f64().expect("a number");
    let asked = sum(&stats["profile"], "solver_seconds", |_| true);
    assert!(asked > 0.8 * own, "{asked} of {own}");
    let lines = stats["lines"].as_array().expect("lines");
    let kinds = lines
        .iter()
        .map(|line| &line["arithmetic"][0][0]["division"]);
    assert!(kinds.into_iter().any(|width| *width == 128), "{lines:?}");
    let text = tree.symex(&["report"]).stdout;
    assert!(
        text.contains("; most of that has division of 128 bits"),
        "{text}"
    );
    assert!(text.contains("is easier by a constant"), "{text}");
}

#[test]
fn the_report_of_a_run_has_its_profile_in_all_forms() {
    let tree = Crate::library("profile_forms", SOURCE);
    let forms = [
        "--profiling=flamegraph=time.svg",
        "--profiling=folded:forks=forks.txt",
        "--profiling=pprof=profile.pb.gz",
    ];
    let text = run(&tree, &["profile"], &forms).code(0).stdout;
    let head = "     time  solver   forks    ends  instr.  line, with the library's work there";
    assert!(text.contains("profile of tests::parses: "), "{text}");
    assert!(text.contains(head), "{text}");
    let forks = format!("src/lib.rs:{}  profile_forms::parse", line("// forks"));
    let row = text.lines().find(|line| line.ends_with(&forks));
    assert!(row.is_some_and(|row| row.contains("100.0 %")), "{text}");

    let folded = tree.read("forks.txt");
    let stack = format!("profile_forms::parse:{} 63", line("// forks"));
    let stack = folded.lines().find(|line| line.ends_with(&stack));
    let stack = stack.unwrap_or_else(|| panic!("{folded}"));
    assert!(stack.starts_with("tests::parses;"), "{stack}");
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let svg = tree.read("time.svg");
    Document::parse_with_options(&svg, options).expect("XML");
    assert!(svg.contains("profile_forms::weight"), "{svg}");
    let bytes = std::fs::read(tree.path().join("profile.pb.gz")).expect("it is written");
    assert_eq!(bytes[..2], [0x1f, 0x8b]);

    // Afterwards, from what was recorded.
    let again = ["report", "--profiling=folded:forks=again.txt"];
    tree.symex(&again).code(0);
    assert_eq!(tree.read("again.txt"), folded);

    // Nor is a verdict of this run one of a later one without a profile.
    run(&tree, &[], &[]).code(0);
    tree.symex(&again).code(2).error(
        "failed to report a profile: the run has recorded none, since it was without --profiling",
    );
}

#[test]
fn a_program_in_c_has_a_profile() {
    let tree = Crate::files(
        "profile_c",
        &[(
            "main.c",
            "#include <stdio.h>\n\nint main(void) {\n    int c = getchar();\n    if (c == 'x') puts(\"x\");\n    return 0;\n}\n",
        )],
    );
    let mut command = symex([
        "c",
        "main.c",
        "--sym-stdin=1",
        "--profiling=folded:forks=forks.txt",
    ]);
    command.current_dir(tree.path());
    finish(command).code(0);
    let forks = tree.read("forks.txt");
    let lines: BTreeMap<&str, &str> = forks
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .collect();
    assert!(lines.contains_key("main:5"), "{forks}");
}

#[test]
fn forms_that_there_are_not_are_refused() {
    let tree = Crate::library("profile_wrong", SOURCE);
    let wrong = tree.symex(&["--profiling=svg=x"]).code(2);
    assert!(wrong.stderr.contains("write summary, flamegraph=FILE"));
    let wrong = tree.symex(&["--profiling=folded:joy=x"]).code(2);
    assert!(wrong.stderr.contains("there is no measure `joy`, but time"));
}
