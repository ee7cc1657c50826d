//! Helpers that run the tool on the programs of `tests/programs` and compare the results with the
//! expectations in them.

use super::expectation::{self, Expectation, compare, expectation, files};
use super::{Run, TMPDIR, compile_to_bitcode, finish, finish_within, limited, symex, workspace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A toolchain to run with; `None` for that of the tests.
pub type Toolchain<'a> = Option<&'a str>;

/// Returns the programs in C.
pub fn in_c() -> Vec<PathBuf> {
    files(&workspace().join("tests/programs/c"), "c")
}

/// Returns the command that runs the tool on the crate of programs in Rust.
pub fn in_rust(args: &[&str]) -> Command {
    in_crate("rust", args)
}

/// Returns the command that runs the tool on a crate of programs.
pub fn in_crate(name: &str, args: &[&str]) -> Command {
    let mut command = symex(args);
    command
        .args(["--message-format", "json"])
        .current_dir(workspace().join("tests/programs").join(name))
        .env("CARGO_TARGET_DIR", Path::new(TMPDIR).join("programs"));
    command
}

/// Returns the command that runs the tool on a file, with a limit that no program reaches.
pub fn in_bitcode(file: &Path, timeout: &str) -> Command {
    let mut command = symex(["bitcode", "--message-format", "json", "--timeout", timeout]);
    command.arg(file);
    command
}

fn with(toolchain: Toolchain<'_>, mut command: Command) -> Command {
    if let Some(toolchain) = toolchain {
        command.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    command
}

/// Compiles the programs in C with these flags and compares the tool's results with the
/// expectations.
pub fn check_c(toolchain: Toolchain<'_>, flags: &[&str]) {
    check_c_with(toolchain, flags, &[]);
}

/// Compares results as [`check_c`] does, with these options. Where there are any, paths are not
/// counted.
pub fn check_c_with(toolchain: Toolchain<'_>, flags: &[&str], options: &[&str]) {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let mut complaints = Vec::new();
    let mut sources = in_c();
    sources.extend(files(&workspace().join("tests/programs/c"), "cpp"));
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
            // The tool's own passes may join paths, and inlining turns a dangling local into one
            // without contents.
            expected.paths = None;
            expected.kind = None;
        }
        if !options.is_empty() {
            expected.paths = None;
        }
        let bitcode = scratch.path().join(format!("{name}.bc"));
        let own = ["-fno-vectorize", "-fno-slp-vectorize"];
        compile_to_bitcode(&source, &bitcode, &[&own, flags].concat());
        let mut command = with(toolchain, in_bitcode(&bitcode, "60s"));
        command.args(options);
        let run = finish(command);
        match run.finished().values().next() {
            Some(finished) => complaints.extend(compare(&name, finished, &expected)),
            None => complaints.push(format!("{name}: no verdict: {}", run.stderr)),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Runs the harnesses in Rust and compares the results with the expectations. `other`: harnesses in
/// which this toolchain's standard library causes a finding of another kind.
pub fn check_rust(toolchain: Toolchain<'_>, other: &[(&str, &str)]) {
    let sources = workspace().join("tests/programs/rust/src");
    let mut expected = expectation::of_harnesses(&sources);
    assert!(
        expected.len() > 50,
        "only {} harnesses were found",
        expected.len()
    );
    for (harness, kind) in other {
        let expected = expected.get_mut(*harness).expect("there is such a harness");
        expected.kind = Some((*kind).to_owned());
    }
    let command = with(toolchain, in_rust(&["--timeout", "120s"]));
    check_harnesses(command, &expected);
}

/// Runs harnesses and compares the results with the expectations.
pub fn check_harnesses(command: Command, expected: &BTreeMap<String, Expectation>) {
    let run: Run = finish_within(limited::LONG, command);
    let finished = run.finished();
    let mut complaints = Vec::new();
    for (name, e) in expected {
        match finished.get(name) {
            Some(v) => complaints.extend(compare(name, v, e)),
            None => complaints.push(format!("{name}: no verdict")),
        }
    }
    assert!(
        complaints.is_empty(),
        "{}\n{}",
        complaints.join("\n"),
        run.stderr
    );
}
