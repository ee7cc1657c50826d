//! Real bugs of published crates, where the collection of samples stands beside the repository (or where
//! `SYMEX_SAMPLES` points): each is found in the version that has it, and nothing is reported in the version that has
//! not. The samples are plain functions; they are wrapped here, not edited. Without the collection nothing is tested,
//! and the test says so.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::limited;

fn samples(kind: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("SYMEX_SAMPLES") {
        Some(path) => PathBuf::from(path),
        None => support::workspace().parent()?.join("shared"),
    };
    let folder = root.join(kind);
    if folder.is_dir() {
        Some(folder)
    } else {
        eprintln!("no samples at {}: nothing tested", folder.display());
        None
    }
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(root)
        .expect("the samples")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.join("src/lib.rs").is_file())
        .collect();
    found.sort();
    found
}

/// Copies a sample and puts the attribute on its function.
fn wrap(sample: &Path, fixed: bool) -> PathBuf {
    let name = sample
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let to = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("samples")
        .join(if fixed { format!("{name}-fixed") } else { name });
    let _ = std::fs::remove_dir_all(&to);
    std::fs::create_dir_all(to.join("src")).expect("created");
    let mut manifest = std::fs::read_to_string(sample.join("Cargo.toml")).expect("the manifest");
    if fixed {
        let text = std::fs::read_to_string(sample.join("fixed.txt")).expect("the fixed version");
        let (package, version) = text.trim().split_once(' ').expect("package and version");
        let line = manifest
            .lines()
            .find(|l| l.starts_with(&format!("{package} =")))
            .expect("the dependency")
            .to_string();
        let old = line
            .split('"')
            .find(|p| p.starts_with('='))
            .expect("a pinned version");
        manifest = manifest.replace(&line, &line.replace(old, &format!("={version}")));
    }
    let runtime = support::workspace().join("symex-runtime");
    let manifest = manifest.replace(
        "[dependencies]",
        &format!("[dependencies]\nsymex-runtime = {{ path = {:?} }}", runtime),
    );
    std::fs::write(to.join("Cargo.toml"), manifest).expect("written");
    let lock = sample.join(if fixed {
        "Cargo.lock.fixed"
    } else {
        "Cargo.lock"
    });
    std::fs::copy(lock, to.join("Cargo.lock")).expect("copied");
    let source = std::fs::read_to_string(sample.join("src/lib.rs")).expect("the source");
    assert_eq!(source.matches("pub fn harness(").count(), 1);
    std::fs::write(
        to.join("src/lib.rs"),
        source.replace("pub fn harness(", "#[symex::harness]\npub fn harness("),
    )
    .expect("written");
    to
}

/// Runs the tool; the finished harness and its findings.
fn run(folder: &Path, timeout: &str) -> (Value, Vec<Value>, Duration) {
    let started = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-symex"));
    command
        .args(["symex", "--message-format", "json", "--timeout", timeout])
        .current_dir(folder)
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("samples-target"),
        )
        .env_remove("CI");
    // Building is not in the tool's own limit.
    let output = limited::output_within(limited::LONG, &mut command);
    let lines: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|l| serde_json::from_str(l).ok())
        .collect();
    let finished = lines
        .iter()
        .find(|v| v["type"] == "harness-finished")
        .cloned()
        .unwrap_or_else(|| {
            panic!(
                "{}: no verdict: {}",
                folder.display(),
                String::from_utf8_lossy(&output.stderr)
            )
        });
    let findings = lines
        .into_iter()
        .filter(|v| v["type"] == "finding")
        .collect();
    (finished, findings, started.elapsed())
}

#[test]
fn bugs_are_found_where_they_are_and_only_there() {
    let Some(root) = samples("bugs") else { return };
    let (mut complaints, mut complete, mut count) = (Vec::new(), 0, 0);
    for sample in folders(&root) {
        count += 1;
        let name = sample
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (finished, findings, time) = run(&wrap(&sample, false), "60s");
        let text = finished["verdict_text"].as_str().unwrap_or("").to_string();
        let replays: Vec<&str> = findings
            .iter()
            .filter_map(|f| f["replay"]["status"].as_str())
            .collect();
        eprintln!("{name}: {text} {replays:?} in {time:.1?}");
        if finished["verdict"] != "bug" {
            complaints.push(format!("{name}: no bug found: {text}"));
        }
        for finding in &findings {
            // What cannot be silent must be confirmed.
            if finding["stands"] != true {
                complaints.push(format!("{name}: a finding does not stand: {finding}"));
            }
        }
        let (finished, _, time) = run(&wrap(&sample, true), "30s");
        let text = finished["verdict_text"].as_str().unwrap_or("").to_string();
        eprintln!("{name}, fixed: {text} in {time:.1?}");
        match finished["verdict"].as_str() {
            Some("bug") => {
                complaints.push(format!("{name}: a bug in the fixed version: {finished}"))
            }
            Some("pass-complete") => complete += 1,
            _ => {}
        }
    }
    eprintln!("{complete} of {count} fixed versions pass completely");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
