//! Tests of the programs of `tests/programs` with each stage of the solver left out: the same
//! findings, verdicts and paths.

use crate::support::programs::{in_bitcode, in_c, in_rust};
use crate::support::{compile_to_bitcode, finish_within, limited, places};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use symex_solver::Chain;

/// Result of a harness: the verdict, kinds and places of findings, and the number of paths.
type Said = (String, BTreeSet<(String, String)>, u64);

/// Returns the results of a run, with all stages or without one.
fn said(mut command: Command, without: Option<&str>) -> BTreeMap<String, Said> {
    if let Some(stage) = without {
        let name = stage.replace(' ', "-");
        command.args(["--without-stage", &name]);
    }
    let finished = finish_within(limited::LONG, command).finished();
    finished
        .iter()
        .map(|(harness, line)| {
            let said = (
                line["verdict"].to_string(),
                places(line),
                line["stats"]["paths"].as_u64().expect("paths"),
            );
            (harness.clone(), said)
        })
        .collect()
}

/// Compares runs with all stages and without each.
fn compare(run: impl Fn(Option<&str>) -> BTreeMap<String, Said>, least: usize) {
    let all = run(None);
    assert!(all.len() >= least, "{:?}", all.keys());
    let mut complaints = Vec::new();
    for stage in Chain::stage_names() {
        let without = run(Some(stage));
        for (harness, said) in &all {
            let other = without.get(harness);
            if other != Some(said) {
                complaints.push(format!("{harness}: {said:?}, without {stage}: {other:?}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn c_programs() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let compile = |source: PathBuf| {
        let name = source.file_stem().expect("a name").to_string_lossy();
        let bitcode = scratch.path().join(format!("{name}.bc"));
        compile_to_bitcode(&source, &bitcode, &["-O0"]);
        bitcode
    };
    let compiled: Vec<PathBuf> = in_c().into_iter().map(compile).collect();
    let run = |without: Option<&str>| {
        let mut all = BTreeMap::new();
        for file in &compiled {
            let mut command = in_bitcode(file, "120s");
            command.arg("--replay=off");
            let one = said(command, without).into_values().next();
            all.insert(file.display().to_string(), one.expect("a verdict"));
        }
        all
    };
    compare(run, 20);
}

#[test]
fn rust_programs() {
    let run = |without: Option<&str>| {
        let mut command = in_rust(&["--replay=off", "--no-cache", "--timeout=120s"]);
        // Of all stages but the cheap ones, and quick enough to be explored fifteen times.
        command.args(["collections", "types", "strings"]);
        said(command, without)
    };
    compare(run, 15);
}
