//! Tests of the programs of `tests/programs` with each stage of the solver left out that acts in
//! them: the same findings, verdicts and paths.

use crate::support::programs::{in_bitcode, in_c, in_rust};
use crate::support::{compile_to_bitcode, finish_within, limited, places};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use symex_solver::Chain;

/// Result of a harness.
#[derive(Clone)]
struct Said {
    /// The verdict, kinds and places of findings, and the number of paths.
    told: (String, BTreeSet<(String, String)>, u64),
    /// Stages that answered or rewrote a query.
    acted: BTreeSet<String>,
}

/// Returns the results of a run, with all stages or without one.
fn said(mut command: Command, without: Option<&str>) -> BTreeMap<String, Said> {
    // Which of two explorations ends first depends on how much work the solver has.
    command.arg("--merge=off");
    if let Some(stage) = without {
        let name = stage.replace(' ', "-");
        command.args(["--without-stage", &name]);
    }
    let finished = finish_within(limited::LONG, command).finished();
    finished
        .iter()
        .map(|(harness, line)| {
            let stages = line["stats"]["stages"].as_array().expect("stages");
            let count = |stage: &Value, what: &str| stage[what].as_u64().expect("a count");
            let acted = stages
                .iter()
                .filter(|stage| count(stage, "answered") + count(stage, "rewritten") > 0)
                .map(|stage| stage["name"].as_str().expect("a name").to_owned());
            let said = Said {
                told: (
                    line["verdict"].to_string(),
                    places(line),
                    line["stats"]["paths"].as_u64().expect("paths"),
                ),
                acted: acted.collect(),
            };
            (harness.clone(), said)
        })
        .collect()
}

/// Compares runs with all stages and without each, of the harnesses in which that stage acted: one
/// that passed every query on changes nothing by being left out. `run` takes a stage to leave out,
/// and the harnesses that are wanted.
fn compare(
    all: &BTreeMap<String, Said>,
    run: impl Fn(&str, &[&str]) -> BTreeMap<String, Said>,
    (least_harnesses, least_stages): (usize, usize),
) {
    assert!(all.len() >= least_harnesses, "{:?}", all.keys());
    let (mut complaints, mut left_out) = (Vec::new(), 0);
    for stage in Chain::stage_names() {
        let wanted: Vec<&str> = all
            .iter()
            .filter(|(_, said)| said.acted.contains(stage))
            .map(|(harness, _)| harness.as_str())
            .collect();
        println!("{stage}: {} harnesses", wanted.len());
        if wanted.is_empty() {
            continue;
        }
        left_out += 1;
        let without = run(stage, &wanted);
        for harness in wanted {
            let told = &all[harness].told;
            let other = without.get(harness);
            if other.map(|other| &other.told) != Some(told) {
                let other = other.map(|other| &other.told);
                complaints.push(format!("{harness}: {told:?}, without {stage}: {other:?}"));
            }
            if other.is_some_and(|other| other.acted.contains(stage)) {
                complaints.push(format!("{harness}: {stage} was not left out"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(
        left_out >= least_stages,
        "only {left_out} stages acted at all"
    );
}

#[test]
fn c_programs() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let compile = |source: PathBuf| {
        let name = source.file_stem().expect("a name").to_string_lossy();
        let bitcode = scratch.path().join(format!("{name}.bc"));
        compile_to_bitcode(&source, &bitcode, &["-O0"]);
        bitcode.display().to_string()
    };
    let compiled: Vec<String> = in_c().into_iter().map(compile).collect();
    let one = |file: &str, without: Option<&str>| {
        let mut command = in_bitcode(Path::new(file), "120s");
        command.arg("--replay=off");
        let said = said(command, without).into_values().next();
        (file.to_owned(), said.expect("a verdict"))
    };
    let all = compiled.iter().map(|file| one(file, None)).collect();
    let run = |stage: &str, files: &[&str]| {
        let files = files.iter();
        files.map(|file| one(file, Some(stage))).collect()
    };
    compare(&all, run, (20, 8));
}

#[test]
fn rust_programs() {
    let run = |without: Option<&str>, harnesses: &[&str]| {
        let mut command = in_rust(&["--replay=off", "--no-cache", "--timeout=120s"]);
        command.args(harnesses);
        said(command, without)
    };
    // Of all stages but the cheap ones, and quick enough to be explored many times.
    let all = run(None, &["collections", "types", "strings"]);
    compare(&all, |stage, wanted| run(Some(stage), wanted), (15, 8));
}
