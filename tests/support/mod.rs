//! Helpers for tests from the outside: small crates on disk, the tool run as a user runs it,
//! redaction of text that differs between runs.
//!
//! A crate lives at a path that depends only on its name, and all share one target directory, so
//! that the runtime is compiled once and a second run of the tests is quick.

pub mod expectation;
pub mod programs;
pub mod pseudo_terminal;

pub use symex_testing::limited;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, Once, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

symex_testing::clear_at_start!();

/// The executable of the tool.
pub const TOOL: &str = env!("CARGO_BIN_EXE_cargo-symex");

/// Directory for files that later runs of the tests need.
pub const TMPDIR: &str = env!("CARGO_TARGET_TMPDIR");

/// Returns the root of this workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the workspace")
        .to_owned()
}

/// A package tree of its own on disk.
pub struct Crate {
    path: PathBuf,
}

/// Output and exit code of a process.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Crate {
    /// Creates a library with this source; `name` is unique among all tests.
    pub fn library(name: &str, source: &str) -> Self {
        Crate::files(
            name,
            &[("Cargo.toml", &manifest(name)), ("src/lib.rs", source)],
        )
    }

    /// Creates a tree with these files and nothing else.
    pub fn files(name: &str, files: &[(&str, &str)]) -> Self {
        claim(name);
        let path = Path::new(TMPDIR).join("crates").join(name);
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                panic!("{}: {error}", path.display())
            }
            _ => {}
        }
        let tree = Crate { path };
        for (file, text) in files {
            tree.write(file, text);
        }
        std::fs::create_dir_all(&tree.path).expect("created");
        // The lock file has the workspace's versions, so that cargo need not resolve any.
        std::fs::copy(workspace().join("Cargo.lock"), tree.path.join("Cargo.lock"))
            .expect("the workspace has a lock");
        tree
    }

    /// Returns an existing package, which is left as it is.
    pub fn existing(path: PathBuf) -> Self {
        assert!(path.join("Cargo.toml").is_file(), "{}", path.display());
        Crate { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write(&self, file: &str, text: &str) {
        let file = self.path.join(file);
        std::fs::create_dir_all(file.parent().expect("a file is in a directory")).expect("created");
        std::fs::write(file, text).expect("written");
    }

    /// Writes a program that is a script; returns its path.
    pub fn script(&self, file: &str, text: &str) -> String {
        self.write(file, text);
        let path = self.path.join(file);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, executable).expect("made executable");
        path.display().to_string()
    }

    pub fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path.join(file))
            .unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub fn exists(&self, file: &str) -> bool {
        self.path.join(file).exists()
    }

    /// Runs `cargo symex` with these arguments.
    #[track_caller]
    pub fn symex(&self, args: &[&str]) -> Run {
        self.symex_with(args, &[])
    }

    /// Runs the command with environment variables.
    #[track_caller]
    pub fn symex_with(&self, args: &[&str], env: &[(&str, &str)]) -> Run {
        let mut command = self.symex_command(args);
        command.envs(env.iter().copied());
        finish(command)
    }

    /// Returns the command, not yet started.
    pub fn symex_command(&self, args: &[&str]) -> Command {
        forget_verdicts();
        self.place(symex(args))
    }

    /// Runs plain cargo, in a target directory apart from the tool's.
    #[track_caller]
    pub fn cargo(&self, args: &[&str]) -> Run {
        let mut command =
            self.command(&std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
        command.args(args);
        finish(command)
    }

    /// Returns a program to be run in this tree.
    pub fn command(&self, program: &str) -> Command {
        self.place(command(program))
    }

    fn place(&self, mut command: Command) -> Command {
        command.current_dir(&self.path);
        command.env("CARGO_TARGET_DIR", shared());
        // No C library, unless a test sets one.
        command.env("SYMEX_LIBC_DIR", "");
        // Regression tests are written in this tree.
        command.env_remove("CI");
        command
    }

    /// Removes from a text what differs between machines and runs.
    pub fn redact(&self, text: &str) -> String {
        let text = text.replace(&self.path.display().to_string(), "[CRATE]");
        let text = text.replace(&workspace().display().to_string(), "[WORKSPACE]");
        let lines: Vec<String> = text.lines().map(redact_time).collect();
        lines.join("\n")
    }
}

/// Returns `cargo symex` with these arguments, not yet started; it writes nothing except for the
/// code that it explores.
pub fn symex<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = command(TOOL);
    command.arg("symex").args(args).env("CI", "1");
    command
}

/// Returns a program, not yet started, for which the tool's own files are in the folder of the
/// tests instead of the user's home.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command
        .env("SYMEX_LIBC_DIR", Path::new(TMPDIR).join("built-in"))
        .env("SYMEX_PARTS_DIR", Path::new(TMPDIR).join("parts"))
        .env_remove("GITHUB_ACTIONS")
        .env_remove("GITHUB_STEP_SUMMARY");
    // Rust variables set for these tests must not affect the programs they run.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("RUST_") {
            command.env_remove(name);
        }
    }
    command
}

/// Fails if another test has a tree of this name.
#[track_caller]
fn claim(name: &str) {
    static CLAIMED: Mutex<BTreeMap<String, ThreadId>> = Mutex::new(BTreeMap::new());
    let test = std::thread::current().id();
    let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    let owner = *claimed.entry(name.to_owned()).or_insert(test);
    drop(claimed);
    assert!(owner == test, "another test has a tree called {name}");
}

/// Returns the target directory that the tests share.
pub fn shared() -> PathBuf {
    Path::new(TMPDIR).join("shared")
}

/// Removes what earlier runs of the tests have found out, which would hide the code under test, and
/// their reports with what was decided on their findings.
fn forget_verdicts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let root = shared().join("symex");
        // Each kind of executables has a directory of its own there.
        let kinds = std::fs::read_dir(&root).into_iter().flatten();
        let kinds = kinds.map(|entry| entry.expect("an entry of a directory").path());
        for directory in std::iter::once(root).chain(kinds) {
            for folder in ["verdicts", "unfinished", "runs"] {
                match std::fs::remove_dir_all(directory.join(folder)) {
                    Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {}
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
                    _ => {}
                }
            }
        }
    });
}

/// Returns a manifest of a package of this name that depends on the runtime.
pub fn manifest(name: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dev-dependencies]\n{}\n[workspace]\n",
        dependency()
    )
}

/// Returns the manifest of the fuzz targets of a crate, as `cargo fuzz` makes it.
pub fn fuzz_manifest(dependencies: &str, targets: &[&str]) -> String {
    let mut text = format!(
        "[package]\nname = \"fuzzed-fuzz\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\
         [package.metadata]\ncargo-fuzz = true\n[workspace]\n[dependencies]\n{dependencies}\n"
    );
    for name in targets {
        text.push_str(&format!(
            "[[bin]]\nname = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\ntest = false\n"
        ));
    }
    text
}

/// Returns the line of a manifest that names the runtime.
pub fn dependency() -> String {
    let path = workspace().join("symex-runtime");
    format!(
        "symex-runtime = {{ path = {:?} }}\n",
        path.display().to_string()
    )
}

/// Returns the compiler of programs in C.
pub fn clang() -> Command {
    command("clang-22")
}

/// Compiles a program in C or C++ to bitcode, without changes, with these flags.
#[track_caller]
pub fn compile_to_bitcode(source: &Path, bitcode: &Path, flags: &[&str]) {
    let mut clang = clang();
    clang
        .args(["-g", "-w", "-c", "-emit-llvm", "-isystem", symex::C_HEADERS])
        .args(flags)
        .arg("-o")
        .args([bitcode, source]);
    limited::succeed(&mut clang);
}

/// Compiles a program in C to run it natively; returns the executable, in a folder.
#[track_caller]
pub fn build_natively(source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let mut clang = clang();
    clang.args(["-O1", "-w", "-o"]).args([&program, source]);
    limited::succeed(clang.arg("-lm"));
    program
}

/// Reports whether clang's AddressSanitizer is installed, which includes LeakSanitizer.
pub fn has_sanitizer() -> bool {
    let library = "libclang_rt.asan_static-x86_64.a";
    let mut clang = clang();
    clang.arg(format!("-print-file-name={library}"));
    let printed = finish(clang).code(0).stdout;
    // clang prints the name unchanged if the file does not exist.
    printed.trim() != library
}

/// Runs a command to its end, within [`limited::LIMIT`].
#[track_caller]
pub fn finish(command: Command) -> Run {
    finish_within(limited::LIMIT, command)
}

/// Runs a command to its end, within a limit.
#[track_caller]
pub fn finish_within(limit: Duration, mut command: Command) -> Run {
    limited::output_within(limit, &mut command).into()
}

/// Replaces the time, as in `12  0.31s`, by `12  [TIME]`.
fn redact_time(line: &str) -> String {
    let is_time = |word: &str| {
        word.strip_suffix('s')
            .is_some_and(|number| number.contains('.') && number.parse::<f64>().is_ok())
    };
    match line.rsplit_once(' ') {
        Some((before, last)) if is_time(last) => format!("{} [TIME]", before.trim_end()),
        _ => line.to_owned(),
    }
}

/// Returns the number in a variable of the environment, by which a random test is told what to try.
pub fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

/// Returns the kinds of a harness's findings, from a `harness-finished` object.
pub fn kinds(finished: &Value) -> Vec<&str> {
    finished["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["kind"].as_str().expect("a kind"))
        .collect()
}

/// Returns the places and kinds of a harness's findings, from a `harness-finished` object.
pub fn places(finished: &Value) -> BTreeSet<(String, String)> {
    let findings = finished["findings"].as_array();
    let place = |finding: &Value| (finding["kind"].to_string(), finding["at"].to_string());
    findings.expect("findings").iter().map(place).collect()
}

/// Returns the paths that `--paths-to` has written to a file.
pub fn paths(file: &Path) -> Vec<Value> {
    lines(&std::fs::read_to_string(file).expect("the paths"))
}

/// Returns the bytes that an object holds as numbers.
pub fn bytes(value: &Value) -> Vec<u8> {
    let bytes = value.as_array().expect("bytes").iter();
    bytes
        .map(|byte| byte.as_u64().expect("a byte") as u8)
        .collect()
}

/// Parses JSON objects, one per line.
#[track_caller]
fn lines(text: &str) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("what is printed is text");
        Run {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Run {
    /// Returns the JSON objects on standard output, one per line.
    #[track_caller]
    pub fn json(&self) -> Vec<Value> {
        lines(&self.stdout)
    }

    /// Returns the `harness-finished` objects of a run with `--message-format json`, by harness, if
    /// the tool did not panic.
    #[track_caller]
    pub fn finished(&self) -> BTreeMap<String, Value> {
        assert!(!self.stderr.contains("panicked at"), "{}", self.stderr);
        self.json()
            .into_iter()
            .filter(|line| line["type"] == "harness-finished")
            .map(|line| (line["harness"].as_str().expect("a name").to_owned(), line))
            .collect()
    }

    /// Returns the `harness-finished` object of a run with `--message-format json` of one program.
    #[track_caller]
    pub fn only(&self) -> Value {
        let finished = self.finished();
        assert_eq!(finished.len(), 1, "{}\n{}", self.stdout, self.stderr);
        finished.into_values().next().expect("there is one")
    }

    /// Returns the verdict of a run with `--message-format json` of one program, in words.
    #[track_caller]
    pub fn verdict(&self) -> String {
        let finished = self.only();
        finished["verdict_text"]
            .as_str()
            .expect("a text")
            .to_owned()
    }

    /// Checks the exit code; on a difference, shows the whole run.
    #[track_caller]
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(
            self.code,
            Some(expected),
            "\n--- stdout\n{}\n--- stderr\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    /// Checks that standard error ends in this error, and nothing panicked.
    #[track_caller]
    pub fn error(self, expected: &str) -> Self {
        let found = self
            .stderr
            .lines()
            .any(|line| line.starts_with("error: ") && line.contains(expected));
        assert!(found, "no error `{expected}` in\n{}", self.stderr);
        assert!(!self.stderr.contains("panicked at"), "{}", self.stderr);
        self
    }
}
