//! Tests of the examples: each ends with the exit code and the report in its `expected.txt`, and
//! what its README says of a repaired version is true. `SNAPSHOTS=overwrite` rewrites the reports.

use crate::support::{Crate, workspace};
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    workspace().join("examples").join(name)
}

/// Removes from a report what differs between machines, or with the order of exploration.
fn redact(tree: &Crate, text: &str) -> String {
    let mut lines = Vec::new();
    for line in tree.redact(text).lines() {
        lines.push(place(registry(paths(line))));
    }
    lines.join("\n") + "\n"
}

/// Redacts the table's column of paths, before the time, or those of the only harness.
fn paths(line: &str) -> String {
    let Some(before) = line.strip_suffix("[TIME]") else {
        return line.to_owned();
    };
    if let Some((before, _)) = line.rsplit_once("; ") {
        return format!("{before}; [PATHS] in [TIME]");
    }
    let name = before
        .trim_end()
        .trim_end_matches(|c: char| c.is_ascii_digit());
    format!("{} [PATHS] [TIME]", name.trim_end())
}

/// Redacts the directory in which cargo keeps the sources of dependencies.
fn registry(line: String) -> String {
    match (line.find('/'), line.find("/registry/src/")) {
        (Some(start), Some(end)) => {
            let rest = &line[end + "/registry/src/".len()..];
            let rest = rest.split_once('/').map_or(rest, |(_, rest)| rest);
            format!("{}[REGISTRY]/{rest}", &line[..start])
        }
        _ => line,
    }
}

/// Redacts line numbers of the runtime, which are left out of the comparison.
fn place(line: String) -> String {
    match line.split_once(".rs:") {
        Some((file, _)) if file.contains("[WORKSPACE]/symex-runtime/") => {
            format!("{file}.rs:[LINE]")
        }
        _ => line,
    }
}

#[track_caller]
fn check(name: &str, code: i32) {
    let tree = Crate::existing(folder(name));
    let run = tree.symex(&["--locked", "--write-tests=never"]).code(code);
    // Whether that is confirmed depends on whether clang's AddressSanitizer is installed.
    let report = redact(&tree, &run.stdout).replace(NOT_SANITIZED, SANITIZED);
    is_expected(&tree.path().join("expected.txt"), &report);
    assert!(
        !tree.exists("symex-regressions"),
        "nothing is to be written"
    );
}

/// Results of native runs of out-of-bounds accesses in C, with AddressSanitizer and without it.
const SANITIZED: &str = "confirmed: natively: AddressSanitizer: heap-buffer-overflow";
const NOT_SANITIZED: &str = "not reproduced natively: undefined behaviour may be silent; without AddressSanitizer: \
                             clang's library for it is not installed (Debian: libclang-rt-22-dev)";

/// Compares a report with the file beside the example.
#[track_caller]
fn is_expected(file: &Path, report: &str) {
    snapbox::assert_data_eq!(report, snapbox::Data::read_from(file, None).raw());
}

/// Copies the example with one text replaced.
fn repaired(name: &str, from: &str, to: &str) -> Crate {
    let read = |file: &str| {
        std::fs::read_to_string(folder(name).join(file)).expect("a file of the example")
    };
    let runtime = workspace().join("symex-runtime").display().to_string();
    // Under a name of its own: in the target directory that the tests share, cargo would take it
    // for the example.
    let own = format!("name = \"repaired-{name}\"");
    let manifest = read("Cargo.toml")
        .replace("../../symex-runtime", &runtime)
        .replace(&format!("name = \"{name}\""), &own);
    assert!(manifest.contains(&own), "{manifest}");
    let source = read("src/lib.rs");
    assert_eq!(source.matches(from).count(), 1, "`{from}` in {name}");
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/lib.rs", &source.replace(from, to)),
    ];
    let tree = Crate::files(&format!("repaired-{name}"), &files);
    tree.write("Cargo.lock", &read("Cargo.lock"));
    tree
}

#[test]
fn first_harness() {
    check("first-harness", 1);
    let run = repaired(
        "first-harness",
        "length > rest.len()",
        "length >= rest.len()",
    )
    .symex(&["--no-write"])
    .code(0);
    assert!(
        run.stdout
            .contains("tests::any_bytes ... pass (complete)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn derive_and_collections() {
    check("derive-and-collections", 1);
    let wrapped = "self.first = (self.first + dropped) % self.slots.len();";
    let run = repaired("derive-and-collections", "self.first += dropped;", wrapped)
        .symex(&["--no-write"])
        .code(0);
    assert!(
        run.stdout
            .contains("tests::more_steps ... pass (bounded: length of steps <= 5)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn unsafe_code() {
    check("unsafe-code", 1);
}

#[test]
fn c_through_cc() {
    check("c-through-cc", 1);
}

#[test]
fn sys_crate() {
    check("sys-crate", 1);
    let run = repaired("sys-crate", "LIMIT as c_int", "length as c_int")
        .symex(&["--no-write"])
        .code(0);
    let passed = "tests::any_message ... pass (complete)\n";
    assert!(run.stdout.contains(passed), "{}", run.stdout);
}

#[test]
fn c_library() {
    // Copied, as it is no package, and its files are those that the test changes.
    let read = |file: &str| {
        std::fs::read_to_string(folder("c-library").join(file)).expect("a file of the example")
    };
    let names = ["percent.h", "percent.c", "harness.c"];
    let texts = names.map(read);
    let files: Vec<(&str, &str)> =
        std::iter::zip(names, texts.iter().map(String::as_str)).collect();
    let tree = Crate::files("c-library", &files);
    let explore = |entry: &str, code: i32| {
        let entry = ["--entry", entry, "--no-write"];
        let args = [&["c", "harness.c", "percent.c"], &entry[..]].concat();
        tree.symex(&args).code(code).stdout
    };
    let report = explore("decodes", 1) + &explore("round_trip", 0);
    let file = folder("c-library").join("expected.txt");
    let silent = "not reproduced natively: undefined behaviour may be silent";
    is_expected(&file, &redact(&tree, &report).replace(silent, SANITIZED));

    let repaired = texts[1].replace("i + 1 >= length", "i + 2 >= length");
    assert_ne!(repaired, texts[1]);
    tree.write("percent.c", &repaired);
    assert!(explore("decodes", 0).contains("decodes ... pass (complete)\n"));
}

#[test]
fn should_panic_and_cover() {
    check("should-panic-and-cover", 4);
}

#[test]
fn published_crate() {
    check("published-crate", 1);
}
