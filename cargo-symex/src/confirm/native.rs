//! Native executables: the tests of a crate, and programs given as files, each run in a directory
//! of its own. What the end of a run means is decided in `replay`.

use super::REPLAY_MEMORY;
use super::launch::{Launcher, NativeRun};
use super::native_inputs::NativeInputs;
use super::run_directory::RunDirectory;
use super::sanitizer;
use super::supervisor::RunOrder;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symex_abi::{ENV_INPUTS_OUT, ENV_OUTPUT_MARK, ENV_PRE_RUNS, ENV_RANDOM, ENV_REPLAY};

/// A native test executable.
#[derive(Clone, Debug)]
pub struct Native {
    pub executable: PathBuf,
    /// The package's root, in which cargo runs tests.
    pub package: PathBuf,
    /// Additional environment, such as paths of shared libraries.
    pub env: Vec<(String, String)>,
}

impl Native {
    /// Runs one test by its exact name.
    pub fn run_test(
        &self,
        launcher: &Launcher,
        test: &str,
        env: &[(&str, &OsStr)],
        directory: &RunDirectory,
        timeout: Duration,
    ) -> std::io::Result<NativeRun> {
        let order = self.order_of_tests(launcher, &[test], env, directory, timeout)?;
        launcher.run(order, directory, None)
    }

    /// Runs tests by their exact names in a directory that stands for the package, with a file of
    /// its own at this path within the outermost directory around it that has a manifest.
    pub fn run_tests_with(
        &self,
        launcher: &Launcher,
        tests: &[&str],
        env: &[(&str, &OsStr)],
        file: (&Path, &str),
        timeout: Duration,
    ) -> std::io::Result<NativeRun> {
        let directory = RunDirectory::new()?;
        let mut order = self.order_of_tests(launcher, tests, env, &directory, timeout)?;
        if !launcher.confines() {
            order.directory = directory.stand_in_for(&self.package)?;
        }
        let root = directory.stand_in();
        RunDirectory::write_own(&root, file.0, file.1)?;
        launcher.run(order, &directory, None)
    }

    /// Returns the order to run tests by their exact names.
    fn order_of_tests(
        &self,
        launcher: &Launcher,
        tests: &[&str],
        env: &[(&str, &OsStr)],
        directory: &RunDirectory,
        timeout: Duration,
    ) -> std::io::Result<RunOrder> {
        let arguments = ["--exact", "--nocapture", "--include-ignored"];
        let arguments = [&arguments[..], &["--test-threads=1"], tests].concat();
        let mut order = self.order(launcher, &arguments, directory, timeout)?;
        let env = env.iter().map(|(name, value)| (name.into(), value.into()));
        order.variables.extend(env);
        Ok(order)
    }

    /// Returns the names of all tests.
    pub fn list(&self, launcher: &Launcher, timeout: Duration) -> std::io::Result<Vec<String>> {
        let directory = RunDirectory::new()?;
        let arguments = ["--list", "--format", "terse"];
        let order = self.order(launcher, &arguments, &directory, timeout)?;
        let run = launcher.run(order, &directory, None)?;
        let names = run.stdout.lines();
        Ok(names
            .filter_map(|line| line.strip_suffix(": test"))
            .map(str::to_owned)
            .collect())
    }

    fn order(
        &self,
        launcher: &Launcher,
        arguments: &[&str],
        directory: &RunDirectory,
        timeout: Duration,
    ) -> std::io::Result<RunOrder> {
        let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        for name in [
            ENV_REPLAY,
            ENV_INPUTS_OUT,
            ENV_OUTPUT_MARK,
            ENV_PRE_RUNS,
            ENV_RANDOM,
            "RUST_TEST_THREADS",
            "RUST_LIB_BACKTRACE",
        ] {
            variables.remove(OsStr::new(name));
        }
        variables.insert("CARGO_MANIFEST_DIR".into(), self.package.clone().into());
        variables.insert("RUST_BACKTRACE".into(), "0".into());
        let mut working_directory = self.package.clone();
        if launcher.confines() {
            working_directory = directory.stand_in_for(&self.package)?;
            variables.insert("TMPDIR".into(), directory.temporary()?.into());
        }
        let own = self.env.iter();
        variables.extend(own.map(|(name, value)| (name.into(), value.into())));
        let name = std::iter::once(self.executable.clone().into());
        Ok(RunOrder {
            program: self.executable.clone(),
            arguments: name.chain(arguments.iter().map(OsString::from)).collect(),
            variables: variables.into_iter().collect(),
            directory: working_directory,
            timeout,
            memory: REPLAY_MEMORY,
            writable: None,
        })
    }
}

/// Runs a program that is not a test, in an environment like the engine's: only with the given
/// inputs, in the part of `directory` that it may write. With `leaks`, an AddressSanitizer in the
/// program looks for leaks at the end.
pub fn run_program(
    launcher: &Launcher,
    executable: &Path,
    given: &NativeInputs,
    directory: &RunDirectory,
    leaks: bool,
    timeout: Duration,
) -> std::io::Result<NativeRun> {
    given.write_files(&directory.writable())?;
    let mut variables = given.variables.clone();
    let options = sanitizer::options(leaks, None);
    variables.push(("ASAN_OPTIONS".into(), options.into()));
    let order = RunOrder {
        program: executable.to_owned(),
        arguments: given.arguments.clone(),
        variables,
        directory: directory.writable(),
        timeout,
        memory: REPLAY_MEMORY,
        writable: None,
    };
    // Standard input is a pipe, as in the engine, even if it is empty.
    launcher.run(order, directory, given.stdin.as_deref().or(Some(&[])))
}

/// Runs a program as [`run_program`] does in a fresh directory, which is returned with the run.
/// Fails with a reason in words.
pub(super) fn run_once(
    launcher: &Launcher,
    executable: &Path,
    given: &NativeInputs,
    leaks: bool,
    timeout: Duration,
) -> Result<(NativeRun, RunDirectory), String> {
    let directory = RunDirectory::new()
        .map_err(|error| format!("failed to make a temporary directory: {error}"))?;
    let run = run_program(launcher, executable, given, &directory, leaks, timeout)
        .map_err(|error| format!("failed to run the native program: {error}"))?;
    Ok((run, directory))
}

/// Returns the name of a signal on Linux.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        25 => "SIGXFSZ",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}
