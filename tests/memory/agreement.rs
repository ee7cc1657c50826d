//! Tests of the programs of `tests/programs` under every complete model: the same findings and
//! verdicts.

use super::exploring::{EACH_KEPT, places, run};
use super::heap_programs::batch;
use super::settings::{naive, name, settings};
use crate::support::programs::{in_c, in_rust};
use crate::support::{self, finish_within, limited};
use std::collections::{BTreeMap, BTreeSet};
use symex_engine::Entry;
use symex_types::config::{MemoryConfig, PartSize};

/// Compares findings and verdicts by model; returns a complaint if complete models differ.
fn agree<T: PartialEq + std::fmt::Debug>(program: &str, of: &[(&str, T)]) -> Option<String> {
    let (first, rest) = of.split_first().expect("a model");
    let other = rest.iter().find(|(_, other)| *other != first.1)?;
    Some(format!("{program}: {first:?} but {other:?}"))
}

#[test]
fn c_programs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut complaints = Vec::new();
    let sources = in_c();
    assert!(sources.len() > 10);
    for source in sources {
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
        // The skipped harness takes half of the total time, and accesses no memory.
        let mut command = in_rust(&["--timeout=120s", "--skip=control::spins_for_one_input"]);
        command
            .args(["--replay=off", "--memory-model", &name(memory.model)])
            .arg(format!("--segment-threshold={}B", memory.segment_threshold))
            .args(depth)
            .args(apart)
            .args(parts)
            .arg(format!("--split-threshold={}", memory.split_threshold));
        let finished = finish_within(limited::LONG, command).finished();
        let said =
            |line: &serde_json::Value| (line["verdict_text"].to_string(), support::places(line));
        finished
            .iter()
            .map(|(harness, line)| (harness.clone(), said(line)))
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
