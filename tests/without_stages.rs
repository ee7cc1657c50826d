//! The programs of `tests/programs` with each stage of the solver left out: the same findings, verdicts and paths.

mod support;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use support::limited;
use symex_solver::Chain;

/// What a run says of a harness: the verdict, kinds and places of findings, and the number of paths.
type Said = (String, BTreeSet<(String, String)>, u64);

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

/// The tool without a stage, or with all.
fn tool(words: &[&str], without: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-symex"));
    command
        .arg("symex")
        .args(words)
        .args(["--message-format", "json", "--timeout", "120s"])
        .env("CI", "1");
    if let Some(stage) = without {
        let name = stage.replace(' ', "-");
        command.args(["--without-stage", &name]);
    }
    command
}

fn said(mut command: Command) -> BTreeMap<String, Said> {
    let output = limited::output_within(limited::LONG, &mut command);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines
        .filter(|line| line["type"] == "harness-finished")
        .map(|line| {
            let findings = line["outcome"]["findings"].as_array().expect("findings");
            let place = |finding: &Value| (finding["kind"].to_string(), finding["at"].to_string());
            let said = (
                line["verdict"].to_string(),
                findings.iter().map(place).collect(),
                line["outcome"]["stats"]["paths"].as_u64().expect("paths"),
            );
            (line["harness"].to_string(), said)
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
    let mut compiled = Vec::new();
    for entry in std::fs::read_dir(programs().join("c")).expect("the programs") {
        let source = entry.expect("an entry").path();
        if source.extension().is_none_or(|e| e != "c") {
            continue;
        }
        let name = source.file_stem().expect("a name").to_string_lossy();
        let bitcode = scratch.path().join(format!("{name}.bc"));
        limited::succeed(
            Command::new("clang-22")
                .args(["-g", "-O0", "-c", "-emit-llvm"])
                .args(["-isystem", symex::C_HEADERS, "-o"])
                .args([&bitcode, &source]),
        );
        compiled.push(bitcode);
    }
    compiled.sort();
    let run = |without: Option<&str>| {
        let mut all = BTreeMap::new();
        for file in &compiled {
            let mut command = tool(&["bitcode", "--no-replay"], without);
            command.arg(file);
            let one = said(command).into_values().next();
            all.insert(file.display().to_string(), one.expect("a verdict"));
        }
        all
    };
    compare(run, 20);
}

#[test]
fn rust_programs() {
    let run = |without: Option<&str>| {
        let mut command = tool(&["--no-replay", "--no-cache"], without);
        command
            // Of all stages but the cheap ones, and quick enough to be explored fifteen times.
            .args(["collections", "types", "strings"])
            .current_dir(programs().join("rust"))
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"),
            );
        said(command)
    };
    compare(run, 15);
}
