//! Native confirmation: does the compiled program do what the engine says?
//!
//! [`Confirm`] is the one interface, with two implementations: `crate_harness` for the harnesses of
//! a crate, `program` for a program given as files. Both run the inputs of a finding natively
//! (`replay`, `replay_program`), ask a `sanitizer` where the plain run shows nothing, and leave a
//! regression test behind (`test_case`, or `reproducer` in C, in which `failing` lets calls of the
//! system fail). `path_replay` compares paths without a finding; `settle` says what all that does
//! to a verdict. Nothing here prints.

mod comment;
pub mod crate_harness;
pub mod failing;
mod links;
pub mod native;
mod native_inputs;
mod panic_text;
pub mod path_replay;
pub mod program;
pub mod replay;
mod replay_program;
mod reproducer;
pub mod sanitizer;
pub mod settle;
pub mod target;
pub mod test_case;

use path_replay::PathReplay;
use replay::{Replay, TypedInputs};
use std::time::Duration;
use symex_types::outcome::{EndedPath, Finding, FindingKind};
use test_case::Written;

/// Time for one native run. A program that is still running by then is taken to hang.
pub const REPLAY_TIME: Duration = Duration::from_secs(10);

/// A finding with what is known about it beyond what the engine says.
#[derive(Clone, Debug)]
pub struct FindingReport {
    pub finding: Finding,
    pub replay: Replay,
    /// The inputs as typed values, where the native run told their types.
    pub inputs: Option<TypedInputs>,
    /// What became of its regression test. `None`: no test was wanted.
    pub test: Option<Written>,
}

impl FindingReport {
    /// A finding of which only the replay is known.
    pub fn new(finding: Finding, replay: Replay) -> Self {
        FindingReport {
            finding,
            replay,
            inputs: None,
            test: None,
        }
    }
}

/// Which findings become regression tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WritePolicy {
    /// None, and the report does not mention tests.
    Never,
    /// None, but their text is shown.
    InCi,
    /// Those that a native run has confirmed.
    Confirmed,
    /// All whose inputs are known.
    Always,
}

/// The native side of one harness or program: runs inputs and leaves tests behind.
pub trait Confirm: Send + Sync {
    /// Runs a finding's inputs natively and compares. Fails where no native executable can be made.
    fn replay(&self, finding: Finding) -> FindingReport;

    /// Runs the inputs of a path without a finding natively and compares. Fails where it could not
    /// be run.
    fn replay_path(&self, path: &EndedPath) -> Result<PathReplay, String>;

    /// Writes the regression test of a finding, or says why it is not written; `None` if none is
    /// wanted.
    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written>;
}

/// The name of a kind of finding in all formats: `out-of-bounds`.
pub fn kind_name(kind: FindingKind) -> String {
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(name)) => name,
        _ => kind.title().to_owned(),
    }
}

/// Why a test that could be written is only shown; `None` if it is to be written.
fn why_not_written(
    policy: WritePolicy,
    finding: &Finding,
    replay: &Replay,
) -> Option<&'static str> {
    let confirmed = matches!(replay, Replay::Confirmed { .. });
    match policy {
        WritePolicy::Always => None,
        _ if !confirmed => {
            Some("no native run has shown the failure (--write-tests=always writes it)")
        }
        _ if finding.kind == FindingKind::Hang => {
            Some("it does not end (--write-tests=always writes it)")
        }
        WritePolicy::InCi => Some("the variable CI is set (--write-tests=always writes it)"),
        WritePolicy::Confirmed | WritePolicy::Never => None,
    }
}

/// A finding of a kind, without anything else, for tests.
#[cfg(test)]
fn bare_finding(kind: FindingKind) -> Finding {
    Finding {
        kind,
        message: String::new(),
        check: None,
        at: None,
        trace: Vec::new(),
        allocated_at: None,
        inputs: Vec::new(),
        output: Vec::new(),
        address_dependent: false,
        repeats: 0,
    }
}
