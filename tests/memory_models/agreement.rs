//! The programs of `tests/programs` under every complete model: the same findings and verdicts.

use crate::batch;
use crate::exploring::{EACH_KEPT, places, run};
use crate::settings::{naive, name, settings};
use crate::support::limited;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use symex_engine::Entry;
use symex_types::config::{MemoryConfig, PartSize};

/// Findings and verdict by model; a complaint if complete models differ.
fn agree<T: PartialEq + std::fmt::Debug>(program: &str, of: &[(&str, T)]) -> Option<String> {
    let (first, rest) = of.split_first().expect("a model");
    let other = rest.iter().find(|(_, other)| *other != first.1)?;
    Some(format!("{program}: {first:?} but {other:?}"))
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

#[test]
fn c_programs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut complaints = Vec::new();
    let mut seen = 0;
    for entry in std::fs::read_dir(tests().join("c")).expect("the programs") {
        let source = entry.expect("an entry").path();
        if source.extension().is_none_or(|e| e != "c") {
            continue;
        }
        seen += 1;
        let program = batch::compile(&source, &["main".to_owned()], folder.path(), false);
        let main = Entry::Main(program.function_names["main"], vec!["program".to_owned()]);
        let mut settings = settings();
        settings.push(naive());
        let complete = settings
            .iter()
            .filter(|(_, memory)| memory.model.is_complete());
        let of: Vec<_> = complete
            .map(|(name, memory)| {
                let outcome = run(&program, main.clone(), memory, EACH_KEPT);
                (name.as_str(), places(&outcome))
            })
            .collect();
        complaints.extend(agree(&source.display().to_string(), &of));
    }
    assert!(seen > 10);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn rust_programs() {
    type Said = (String, BTreeSet<(String, String)>);
    let run = |memory: &MemoryConfig| -> BTreeMap<String, Said> {
        let depth = memory.context_depth.map(|k| format!("--context-depth={k}"));
        let parts = memory.split_objects.map(|parts| match parts {
            PartSize::ByModel => "--split-objects=model".to_owned(),
            PartSize::Auto => "--split-objects=auto".to_owned(),
            PartSize::Bytes(bytes) => format!("--split-objects={bytes}"),
        });
        let apart = (!memory.reuse_segments).then_some("--no-segment-reuse");
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-symex"));
        command
            .args(["symex", "--message-format", "json", "--timeout", "120s"])
            // Half of the time of all, and no memory in it.
            .args(["--skip", "control::spins_for_one_input"])
            .args(["--no-replay", "--memory-model", &name(memory.model)])
            .arg(format!("--segment-threshold={}B", memory.segment_threshold))
            .args(depth)
            .args(apart)
            .args(parts)
            .arg(format!("--split-threshold={}", memory.split_threshold))
            .current_dir(tests().join("rust"))
            .env("CI", "1")
            .env(
                "CARGO_TARGET_DIR",
                Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"),
            );
        let output = limited::output_within(limited::LONG, &mut command);
        let text = String::from_utf8(output.stdout).expect("text");
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let finished = lines.filter(|line| line["type"] == "harness-finished");
        finished
            .map(|line| {
                let findings = line["outcome"]["findings"].as_array().expect("findings");
                let place = |finding: &serde_json::Value| {
                    (finding["kind"].to_string(), finding["at"].to_string())
                };
                let said = (
                    line["verdict_text"].to_string(),
                    findings.iter().map(place).collect(),
                );
                (line["harness"].to_string(), said)
            })
            .collect()
    };
    let settings = settings();
    let complete = settings
        .iter()
        .filter(|(_, memory)| memory.model.is_complete());
    let all: Vec<_> = complete
        .map(|(name, memory)| (name.as_str(), run(memory)))
        .collect();
    let harnesses: Vec<&String> = all[0].1.keys().collect();
    assert!(harnesses.len() > 50, "{harnesses:?}");
    let complaints: Vec<String> = harnesses
        .into_iter()
        .filter_map(|harness| {
            let of: Vec<_> = all
                .iter()
                .map(|(name, said)| (*name, said.get(harness)))
                .collect();
            agree(harness, &of)
        })
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
