//! Native confirmation for a fuzz target: its own binary is run once with the input, in a file, and
//! a confirmed input is left where fuzzers leave theirs.

use super::launch::{Launcher, NativeRun};
use super::native::run_once;
use super::native_inputs::NativeInputs;
use super::path_replay::{PathReplay, compare_program};
use super::replay::{Replay, TypedInput, TypedInputs, judge_run};
use super::run_directory::RunDirectory;
use super::settle::stands;
use super::target::NativeTarget;
use super::test_case::Written;
use super::{Confirm, FindingReport, REPLAY_TIME, WritePolicy, why_not_written};
use crate::build::FUZZ_INPUT_VARIABLE;
use crate::harness::TestHarness;
use sha1::{Digest, Sha1};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use symex_types::outcome::{ConcreteInput, EndedPath, Finding};

/// Name of the file with the input, in the directory of a native run.
const INPUT: &str = "input";

/// Start of the names of files with inputs that fail.
const CRASH: &str = "crash-";

/// Variable that makes `libfuzzer-sys` write what it has decoded to a file, instead of running.
const DEBUG_PATH: &str = "RUST_LIBFUZZER_DEBUG_PATH";

/// The native side of a fuzz target.
pub struct NativeFuzzTarget {
    pub harness: TestHarness,
    pub target: Arc<NativeTarget>,
    pub launcher: Launcher,
}

impl Confirm for NativeFuzzTarget {
    fn replay(&self, finding: Finding) -> FindingReport {
        let bytes = bytes(&finding.inputs);
        let replay = match self.run(bytes, None) {
            Ok((run, _)) => judge_run(&finding, &run, REPLAY_TIME),
            Err(reason) => Replay::Failed { reason },
        };
        let inputs = self.decoded(bytes);
        FindingReport {
            inputs,
            ..FindingReport::new(finding, replay)
        }
    }

    fn replay_path(&self, path: &EndedPath) -> Result<PathReplay, String> {
        let (run, directory) = self.run(bytes(&path.inputs), None)?;
        compare_program(path, &run, &directory.writable())
    }

    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written> {
        if policy == WritePolicy::Never || !stands(report) {
            return None;
        }
        if let Some(reason) = why_not_written(policy, &report.replay) {
            let reason = reason.to_owned();
            return Some(Written::NotWritten { reason, test: None });
        }
        let bytes = bytes(&report.finding.inputs);
        let name = format!("{CRASH}{}", hash(bytes));
        let folder = self.harness.manifest_dir.join("artifacts");
        let folder = folder.join(&self.harness.target);
        let path = folder.join(&name);
        if path.is_file() {
            let text = String::new();
            return Some(Written::Known { path, name, text });
        }
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, bytes));
        Some(match written {
            Ok(()) => Written::Written {
                path,
                name,
                text: String::new(),
            },
            Err(error) => {
                let reason = format!("failed to write {}: {error}", path.display());
                Written::NotWritten { reason, test: None }
            }
        })
    }
}

impl NativeFuzzTarget {
    /// Runs the target with an input, and returns the directory in which it ran. With a name in
    /// `decoded`, it writes what it has decoded to that file there, and does no more.
    fn run(
        &self,
        input: &[u8],
        decoded: Option<&str>,
    ) -> Result<(NativeRun, RunDirectory), String> {
        let executable = self.target.native()?.executable;
        let mut arguments = vec![executable.clone().into()];
        let mut variables = Vec::new();
        if self.target.built().asks_for_input() {
            variables.push((FUZZ_INPUT_VARIABLE.into(), INPUT.into()));
        } else {
            arguments.push(INPUT.into());
            variables.extend(decoded.map(|name| (DEBUG_PATH.into(), name.into())));
        }
        let given = NativeInputs {
            arguments,
            files: BTreeMap::from([(INPUT.to_owned(), input.to_owned())]),
            variables,
            ..NativeInputs::default()
        };
        run_once(&self.launcher, &executable, &given, false, REPLAY_TIME)
    }

    /// Returns an input as the target decodes it, if it can tell.
    fn decoded(&self, input: &[u8]) -> Option<TypedInputs> {
        let (name, type_name) = self.harness.args.split_once(':')?;
        let (name, type_name) = (name.trim().to_owned(), type_name.trim().to_owned());
        let source = match type_name.as_str() {
            "&[u8]" => byte_string(input),
            // It can tell only what libFuzzer gave it.
            _ if self.target.built().asks_for_input() => return None,
            _ => {
                let (_, directory) = self.run(input, Some("decoded")).ok()?;
                let text = std::fs::read_to_string(directory.writable().join("decoded")).ok()?;
                text.trim_end().to_owned()
            }
        };
        let argument = TypedInput {
            name,
            type_name,
            source,
            debug: None,
            redrawn: false,
        };
        Some(TypedInputs {
            args: vec![argument],
            call: String::new(),
        })
    }
}

/// Returns the input of a fuzz target among the inputs of a path.
pub fn bytes(inputs: &[ConcreteInput]) -> &[u8] {
    inputs.first().map_or(&[], |input| &input.bytes)
}

/// Reports whether a file with an input is as it was written: its name says what is in it.
pub(super) fn is_unchanged(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let expected = name.and_then(|name| name.strip_prefix(CRASH));
    std::fs::read(path).is_ok_and(|bytes| expected == Some(hash(&bytes).as_str()))
}

/// Returns the name that fuzzers give to a file with these bytes: their SHA-1 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    let mut name = String::new();
    for byte in Sha1::digest(bytes) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Returns bytes as a literal of Rust.
fn byte_string(bytes: &[u8]) -> String {
    format!("b\"{}\"", bytes.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_that_fuzzers_give_them() {
        assert_eq!(hash(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(hash(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
    }

    #[test]
    fn bytes_are_a_literal() {
        assert_eq!(byte_string(b"a\"\x00\n"), r#"b"a\"\x00\n""#);
        assert!(bytes(&[]).is_empty());
    }
}
