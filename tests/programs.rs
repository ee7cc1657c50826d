//! Whole programs and what the tool must say of them. The expectation stands in the program itself:
//! `// expect: VERDICT [KIND] [paths N]`, before a harness in Rust or at the head of a C file.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::expectation::{self, compare, expectation, files};
use support::limited;

fn symex() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-symex"));
    command
        .arg("symex")
        .env_remove("CARGO_TARGET_DIR")
        .env("CI", "1");
    command
}

fn finished(stdout: &[u8]) -> BTreeMap<String, Value> {
    String::from_utf8_lossy(stdout)
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .filter(|v| v["type"] == "harness-finished")
        .map(|v| (v["harness"].as_str().unwrap_or("").to_string(), v))
        .collect()
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs")
}

fn check_c(flags: &[&str]) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let mut complaints = Vec::new();
    let folder = programs().join("c");
    let sources = [files(&folder, "c"), files(&folder, "cpp")].concat();
    assert!(sources.len() > 50);
    for source in sources {
        let name = source
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&source).expect("the source");
        let mut expected = text
            .lines()
            .find_map(expectation)
            .unwrap_or_else(|| panic!("{name} says no expectation"));
        if flags != ["-O0"] {
            // The tool's own passes may join paths, and inlining turns a dangling local into one without contents.
            expected.paths = None;
            expected.kind = None;
        }
        let bitcode = scratch.path().join(format!("{name}.bc"));
        let mut clang = Command::new("clang-22");
        clang
            .args([
                "-g",
                "-c",
                "-emit-llvm",
                "-fno-vectorize",
                "-fno-slp-vectorize",
                "-isystem",
                symex::C_HEADERS,
                "-o",
            ])
            .args([&bitcode, &source])
            .args(flags);
        limited::succeed(&mut clang);
        let mut tool = symex();
        tool.args(["bitcode", "--message-format", "json", "--timeout", "60s"]);
        let output = limited::output(tool.arg(&bitcode));
        match finished(&output.stdout).values().next() {
            Some(v) => complaints.extend(compare(&name, v, &expected)),
            None => complaints.push(format!(
                "{name}: no verdict: {}",
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn c_programs_as_they_are() {
    check_c(&["-O0"]);
}

#[test]
fn c_programs_after_the_tools_own_passes() {
    // Clang's own optimiser may use undefined behaviour to remove it; the tool's passes must not.
    check_c(&["-O1", "-Xclang", "-disable-llvm-passes"]);
}

#[test]
fn rust_programs() {
    let folder = programs().join("rust");
    let expected = expectation::of_harnesses(&folder.join("src"));
    assert!(
        expected.len() > 50,
        "only {} harnesses were found",
        expected.len()
    );
    let mut command = symex();
    command
        .args(["--message-format", "json", "--timeout", "120s"])
        .current_dir(&folder)
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"),
        );
    let output = limited::output_within(limited::LONG, &mut command);
    let finished = finished(&output.stdout);
    let mut complaints = Vec::new();
    for (name, e) in &expected {
        match finished.get(name) {
            Some(v) => complaints.extend(compare(name, v, e)),
            None => complaints.push(format!("{name}: no verdict")),
        }
    }
    assert!(
        complaints.is_empty(),
        "{}\n{}",
        complaints.join("\n"),
        String::from_utf8_lossy(&output.stderr)
    );
}
