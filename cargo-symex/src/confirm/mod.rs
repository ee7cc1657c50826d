//! Native confirmation: checks whether the compiled program behaves as the engine says.
//!
//! [`Confirm`] is the one interface, with three implementations: `crate_harness` for the harnesses
//! of a crate, `fuzz_target` for its fuzz targets, `program` for a program given as files. All run
//! the inputs of a finding natively (`replay`, `replay_program`; `panic_text` and `last_words` read
//! what they print), the first and the last use a
//! `sanitizer` if the plain run shows nothing, and they leave a regression test (`test_case`, or
//! `reproducer` in C, in which `failing` makes system calls fail) or the input.
//! `removal` takes such a test away again. `variants` gathers findings of one cause at one place.
//! `path_replay` compares paths without a finding, `pre_runs` looks for inputs that fail; `settle`
//! adjusts the verdict to the results.
//!
//! Every native run goes through a [`Launcher`](launch::Launcher): a `supervisor` starts it in a
//! `run_directory` with the rights of its `confinement`, and ends all `processes` that it leaves.
//! Nothing here prints, except for the supervisor, which is a process of its own.

mod comment;
pub mod confinement;
pub mod crate_harness;
pub mod failing;
pub mod fuzz_target;
mod last_words;
pub mod launch;
mod links;
pub mod native;
pub mod native_inputs;
mod panic_text;
pub mod path_replay;
mod pre_runs;
mod processes;
pub mod program;
pub mod property_test;
mod refused;
pub mod removal;
pub mod replay;
mod replay_program;
mod reproducer;
pub mod run_directory;
pub mod sanitizer;
pub mod settle;
pub mod supervisor;
pub mod target;
pub mod test_case;
pub mod variants;

use crate::harness::TestHarness;
use crate::source::identity::Identity;
use path_replay::PathReplay;
use replay::{How, Replay, TypedInputs};
use std::time::Duration;
use symex_abi::pre_runs::Order;
use symex_engine::GivenInputs;
use symex_types::outcome::{EndedPath, Finding, FindingKind};
use test_case::Written;

/// Wall-clock limit of one native run. A program that is still running by then is taken to hang.
pub const REPLAY_TIME: Duration = Duration::from_secs(10);

/// Most memory in bytes that the processes of one native run may have at one time.
pub const REPLAY_MEMORY: u64 = 4 << 30;

/// A finding with the results of its native replay.
#[derive(Clone, Debug)]
pub struct FindingReport {
    pub finding: Finding,
    pub replay: Replay,
    /// The inputs as typed values, if the native run reported their types.
    pub inputs: Option<TypedInputs>,
    /// Outcome of writing the regression test. `None` if no test was wanted.
    pub test: Option<Written>,
    /// Findings of the same cause at the same place, which other calls reach, shortest traces
    /// first.
    pub variants: Vec<Finding>,
    /// By what it is recognised in later runs, if that was determined.
    pub identity: Option<Identity>,
}

impl FindingReport {
    /// Creates a report that contains only the replay.
    pub fn new(finding: Finding, replay: Replay) -> Self {
        FindingReport {
            finding,
            replay,
            inputs: None,
            test: None,
            variants: Vec::new(),
            identity: None,
        }
    }
}

/// The findings for which regression tests are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WritePolicy {
    /// No findings; the report does not mention tests either.
    Never,
    /// No findings, but the report shows the text of the tests.
    InCi,
    /// Findings that a native run has confirmed.
    Confirmed,
    /// All findings whose inputs are known.
    Always,
}

/// The native side of one harness or program: runs inputs natively and writes regression tests.
pub trait Confirm: Send + Sync {
    /// Replays a finding's inputs natively and compares. The replay fails if no native executable
    /// can be made.
    fn replay(&self, finding: Finding) -> FindingReport;

    /// Replays the inputs of a path without a finding natively and compares. Fails if the path
    /// could not be run.
    fn replay_path(&self, path: &EndedPath) -> Result<PathReplay, String>;

    /// Runs the harness natively on many inputs that are made up, and returns those that made it
    /// fail. There are none where it cannot be run so.
    fn pre_runs(&self, _order: Order) -> Vec<GivenInputs> {
        Vec::new()
    }

    /// Writes the regression test of a finding, or tells why it is not written; `None` if none is
    /// wanted.
    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written>;
}

/// Returns the name of a kind of finding in all formats, such as `out-of-bounds`.
pub fn kind_name(kind: FindingKind) -> String {
    match serde_json::to_value(kind) {
        Ok(serde_json::Value::String(name)) => name,
        _ => kind.title().to_owned(),
    }
}

/// Returns the reason for which a test is only shown and not written; `None` if it is to be
/// written.
fn why_not_written(policy: WritePolicy, replay: &Replay) -> Option<&'static str> {
    let confirmed = matches!(replay, Replay::Confirmed { .. });
    match policy {
        WritePolicy::Always => None,
        _ if !confirmed => {
            Some("no native run has shown the failure (--write-tests=always writes it)")
        }
        _ if matches!(
            replay,
            Replay::Confirmed {
                how: How::NoEnd { .. }
            }
        ) =>
        {
            Some("it does not end (--write-tests=always writes it)")
        }
        WritePolicy::InCi => Some("the variable CI is set (--write-tests=always writes it)"),
        WritePolicy::Confirmed | WritePolicy::Never => None,
    }
}

/// Returns the replay that a finding gets which says that no input panics, where some input is
/// expected to; `None` for other findings.
fn of_missing_panic(harness: &TestHarness, finding: &Finding) -> Option<Replay> {
    let is_it = harness.expects_some_panic() && finding.kind == FindingKind::Panic;
    let reason = "one native run cannot show that no input panics".to_owned();
    is_it.then_some(Replay::Skipped { reason })
}

/// Returns a finding of a kind, with all other fields empty, for tests.
#[cfg(test)]
pub(crate) fn bare_finding(kind: FindingKind) -> Finding {
    Finding {
        kind,
        message: String::new(),
        check: None,
        at: None,
        trace: Vec::new(),
        allocated_at: None,
        earlier: Vec::new(),
        inputs: Vec::new(),
        output: Vec::new(),
        address_dependent: false,
        assumptions: Vec::new(),
        threads: false,
        has_stubs: false,
        repeats: 0,
    }
}
