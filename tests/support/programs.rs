//! The programs of `tests/programs` under the tool: what each gives is compared with what stands in it.

use super::expectation::{self, compare, expectation, files};
use super::limited;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A toolchain to run with; none: that of the tests.
pub type Toolchain<'a> = Option<&'a str>;

fn symex(toolchain: Toolchain<'_>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-symex"));
    command
        .arg("symex")
        .env_remove("CARGO_TARGET_DIR")
        .env("CI", "1");
    if let Some(toolchain) = toolchain {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
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

/// Compiles the programs in C with these flags and compares what the tool says of them.
pub fn check_c(toolchain: Toolchain<'_>, flags: &[&str]) {
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
        let mut tool = symex(toolchain);
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

/// Runs the harnesses in Rust and compares what the tool says of them. `other`: harnesses that find a fault of another kind with
/// this toolchain.
pub fn check_rust(toolchain: Toolchain<'_>, other: &[(&str, &str)]) {
    let folder = programs().join("rust");
    let mut expected = expectation::of_harnesses(&folder.join("src"));
    assert!(
        expected.len() > 50,
        "only {} harnesses were found",
        expected.len()
    );
    for (harness, kind) in other {
        let expected = expected.get_mut(*harness).expect("there is such a harness");
        expected.kind = Some((*kind).to_owned());
    }
    let mut command = symex(toolchain);
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
