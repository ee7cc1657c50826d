//! Native confirmation for a harness of a crate, by its own native test; its findings become typed
//! `#[test]`s beside it.

use super::comment::comment;
use super::launch::Launcher;
use super::path_replay::{PathReplay, replay_path};
use super::pre_runs::pre_runs;
use super::replay::{How, Replay, replay};
use super::settle::stands;
use super::target::NativeTarget;
use super::test_case::{self, Written};
use super::{Confirm, FindingReport, REPLAY_TIME, WritePolicy, why_not_written};
use crate::harness::{HarnessKind, TestHarness};
use std::sync::{Arc, Mutex, PoisonError};
use symex_abi::pre_runs::Order;
use symex_engine::GivenInputs;
use symex_types::outcome::{EndedPath, Finding, FindingKind};

/// The native side of one `#[symex::harness]`.
pub struct CrateHarness {
    pub harness: TestHarness,
    pub target: Arc<NativeTarget>,
    pub launcher: Launcher,
    /// Lock held while a file of tests is written, because two harnesses may share that file.
    pub writing: Arc<Mutex<()>>,
}

impl Confirm for CrateHarness {
    fn replay(&self, finding: Finding) -> FindingReport {
        if self.expects_some_panic() && finding.kind == FindingKind::Panic {
            let reason = "one native run cannot show that no input panics".to_owned();
            return FindingReport::new(finding, Replay::Skipped { reason });
        }
        let native = match self.target.native() {
            Ok(native) => native,
            Err(reason) => return FindingReport::new(finding, Replay::Failed { reason }),
        };
        let sanitized = |leaks| self.target.sanitized(leaks);
        let launcher = &self.launcher;
        replay(
            launcher,
            &native,
            sanitized,
            &self.harness,
            finding,
            REPLAY_TIME,
        )
    }

    fn replay_path(&self, path: &EndedPath) -> Result<PathReplay, String> {
        let native = self.target.native()?;
        replay_path(&self.launcher, &native, &self.harness, path, REPLAY_TIME)
    }

    fn pre_runs(&self, order: Order) -> Vec<GivenInputs> {
        let Ok(native) = self.target.native() else {
            return Vec::new();
        };
        pre_runs(&self.launcher, &native, &self.harness, order).unwrap_or_default()
    }

    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written> {
        // Of a proof that expects a panic, one test cannot tell what is wrong.
        if policy == WritePolicy::Never || !stands(report) || self.expects_some_panic() {
            return None;
        }
        let Some(inputs) = &report.inputs else {
            let reason =
                "the native run that tells the types of the inputs was not made".to_owned();
            return (policy == WritePolicy::Always)
                .then_some(Written::NotWritten { reason, test: None });
        };
        let text = self.comment(report);
        let test = match test_case::compose(&self.harness, &inputs.call, &text) {
            Ok(test) => test,
            Err(reason) => return Some(Written::NotWritten { reason, test: None }),
        };
        if let Some(reason) = why_not_written(policy, &report.finding, &report.replay) {
            return Some(Written::NotWritten {
                reason: reason.to_owned(),
                test: Some(test),
            });
        }
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        Some(test_case::write(&self.harness, test))
    }
}

impl CrateHarness {
    /// Reports whether a panic on some input is expected. One that is found says that there is
    /// none.
    fn expects_some_panic(&self) -> bool {
        self.harness.kind == HarnessKind::KaniProof && self.harness.should_panic.is_some()
    }

    fn comment(&self, report: &FindingReport) -> String {
        let mut text = comment(&self.harness, report);
        if let Replay::Confirmed {
            how: How::Sanitizer { .. },
        } = &report.replay
        {
            text.push_str(match report.finding.kind {
                FindingKind::Leak => {
                    "\nPlain `cargo test` does not show it: that takes LeakSanitizer."
                }
                _ => {
                    "\nPlain `cargo test` may not show it: that takes AddressSanitizer, with which `cargo symex replay` \
                     runs it, too."
                }
            });
        }
        text
    }
}
