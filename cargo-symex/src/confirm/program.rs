//! Native confirmation for a program given as files, by a native run with a reproducer in C, which
//! is kept as its regression test.

use super::comment::comment;
use super::failing::link_options;
use super::launch::{Launcher, NativeRun};
use super::native::run_once;
use super::native_inputs::{NativeInputs, quoted};
use super::path_replay::{PathReplay, compare_program};
use super::replay::Replay;
use super::replay_program::judge;
use super::reproducer::{self, Reproducer};
use super::run_directory::RunDirectory;
use super::settle::stands;
use super::test_case::{TestCase, Written};
use super::{Confirm, FindingReport, REPLAY_TIME, WritePolicy, kind_name, why_not_written};
use crate::build::{FilesOptions, NativeFiles};
use crate::harness::TestHarness;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use symex_abi::names::REGRESSIONS;
use symex_abi::{HEADER, HEADER_NAME};
use symex_engine::Entry;
use symex_types::config::World;
use symex_types::config::world::FileContents;
use symex_types::outcome::{ConcreteInput, EndedPath, Finding, FindingKind};

/// The native side of a program given as files.
pub struct NativeProgram {
    options: FilesOptions,
    /// The harness that represents the program in reports.
    harness: TestHarness,
    /// The function to start with, if it is not `main`.
    entry: Option<String>,
    /// Arguments of `main`, the program's name first.
    arguments: Vec<String>,
    world: World,
    launcher: Launcher,
    native: OnceLock<Result<NativeFiles, String>>,
}

impl Confirm for NativeProgram {
    fn replay(&self, finding: Finding) -> FindingReport {
        let replay = self.run(&finding);
        let replay = replay.unwrap_or_else(|reason| Replay::Failed { reason });
        FindingReport::new(finding, replay)
    }

    fn replay_path(&self, path: &EndedPath) -> Result<PathReplay, String> {
        let (run, dir) = self.run_inputs(&path.inputs, false)?;
        compare_program(path, &run, &dir.writable())
    }

    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written> {
        if policy == WritePolicy::Never || !stands(report) {
            return None;
        }
        let native = self.native().ok()?;
        let reproducer = self.reproducer(native, report).ok()?;
        if let Some(reason) = why_not_written(policy, &report.replay) {
            let confirmed = matches!(report.replay, Replay::Confirmed { .. });
            return Some(Written::NotWritten {
                reason: reason.to_owned(),
                // The text is long, and without confirmation it may show nothing.
                test: confirmed.then_some(reproducer.test),
            });
        }
        let root = &self.harness.manifest_dir;
        Some(reproducer::write(root, reproducer, (HEADER_NAME, HEADER)))
    }
}

impl NativeProgram {
    /// Creates the native side of a program made of these files, started at the entry; `harness`
    /// represents it.
    pub fn new(
        options: FilesOptions,
        entry: &Entry,
        harness: TestHarness,
        world: World,
        launcher: Launcher,
    ) -> Self {
        NativeProgram {
            options,
            entry: (harness.function != "main").then(|| harness.function.clone()),
            harness,
            arguments: match entry {
                Entry::Harness(_)
                | Entry::PropertyTest(_)
                | Entry::FuzzTarget(_)
                | Entry::FuzzProgram(_) => Vec::new(),
                Entry::Main(_, arguments) => arguments.clone(),
            },
            world,
            launcher,
            native: OnceLock::new(),
        }
    }

    fn run(&self, finding: &Finding) -> Result<Replay, String> {
        let (run, _) = self.run_inputs(&finding.inputs, finding.kind == FindingKind::Leak)?;
        Ok(judge(finding, &run, REPLAY_TIME))
    }

    /// Runs the program with inputs and returns the directory in which it ran. With `leaks`, the
    /// run looks for leaks if the program can.
    fn run_inputs(
        &self,
        inputs: &[ConcreteInput],
        leaks: bool,
    ) -> Result<(NativeRun, RunDirectory), String> {
        let native = self.native()?;
        let executable = native.executable(&self.source(native, inputs)?, &link_options(inputs));
        let executable = executable.map_err(|error| error.to_string())?;
        let given = self.given(inputs);
        run_once(&self.launcher, &executable, &given, leaks, REPLAY_TIME)
    }

    /// Returns the program, compiled on first use.
    fn native(&self) -> Result<&NativeFiles, String> {
        let compiled = self
            .native
            .get_or_init(|| NativeFiles::compile(&self.options).map_err(|error| error.to_string()));
        compiled.as_ref().map_err(String::clone)
    }

    /// Returns the additional source file of the program for these inputs.
    fn source(&self, native: &NativeFiles, inputs: &[ConcreteInput]) -> Result<String, String> {
        let entry = self.entry.as_deref();
        if let Some(entry) = entry.filter(|entry| native.missing().contains(*entry)) {
            return Err(format!("`{entry}` cannot be called from another file"));
        }
        Ok(reproducer::compose(inputs, native.missing(), entry))
    }

    /// Returns the inputs that the program gets from outside.
    fn given(&self, inputs: &[ConcreteInput]) -> NativeInputs {
        let files = self.world.files.iter();
        let files = files.filter_map(|file| match &file.contents {
            FileContents::Given(bytes) => Some((file.name.clone(), bytes.clone())),
            FileContents::Symbolic(_) => None,
        });
        NativeInputs::new(&self.arguments, files.collect(), inputs)
    }

    fn reproducer(
        &self,
        native: &NativeFiles,
        report: &FindingReport,
    ) -> Result<Reproducer, String> {
        let finding = &report.finding;
        let name = reproducer::name(&self.harness.function, finding, &kind_name(finding.kind));
        let extension = if native.is_cxx() { "cpp" } else { "c" };
        let file = self.options.files[0].file_stem();
        let dir = Path::new(REGRESSIONS).join(file.unwrap_or(OsStr::new("program")));
        let what = comment(&self.harness, report);
        let test = TestCase {
            name: name.clone(),
            text: self.source(native, &finding.inputs)?,
        };
        let given = self.given(&finding.inputs);
        let linking = link_options(&finding.inputs);
        let command = |source: &Path, executable: &Path| {
            let words = native.command(&dir, source, &linking, executable);
            let words = words.iter().map(|word| match word.to_str() {
                // Paths in the script's directories contain shell variables.
                Some(word) if word.starts_with("$here") || word.starts_with("$work") => {
                    format!("\"{word}\"")
                }
                _ => quoted(&word.to_string_lossy()),
            });
            words.collect::<Vec<_>>().join(" ")
        };
        let (assignments, words) = given.shell_arguments();
        if given.has_inputs || !assignments.is_empty() {
            let source = format!("inputs.{extension}");
            let compile = command(
                &Path::new("$here").join(&source),
                Path::new("$work/program"),
            );
            return Ok(reproducer::with_script(
                dir, &source, &what, &compile, &given, test,
            ));
        }
        let source = format!("{name}.{extension}");
        let executable = PathBuf::from("/tmp").join(&name);
        let mut line = command(&dir.join(&source), &executable);
        line.push_str(&format!(" && {}", executable.display()));
        line.push_str(&words);
        Ok(reproducer::alone(dir, &source, &what, &line, test))
    }
}
