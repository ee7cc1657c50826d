//! Native confirmation for a harness of a crate, by its own native test; its findings become typed
//! `#[test]`s beside it.

use super::comment::comment;
use super::launch::Launcher;
use super::path_replay::{PathReplay, replay_path};
use super::pre_runs::pre_runs;
use super::replay::{How, Replay, TypedInputs, replay};
use super::settle::stands;
use super::target::NativeTarget;
use super::test_case::{self, Written};
use super::{Confirm, FindingReport, REPLAY_TIME, WritePolicy, of_missing_panic, why_not_written};
use crate::harness::{HarnessKind, TestHarness};
use std::sync::{Arc, Mutex, PoisonError};
use symex_abi::pre_runs::Order;
use symex_engine::GivenInputs;
use symex_types::outcome::{EndedPath, Finding, FindingKind};
use syn::spanned::Spanned;

/// The native side of one `#[symex::harness]`, or of a test that replays inputs as those do.
pub struct CrateHarness {
    pub harness: TestHarness,
    pub target: Arc<NativeTarget>,
    pub launcher: Launcher,
    /// Lock held while a file of tests is written, because two harnesses may share that file.
    pub writing: Arc<Mutex<()>>,
}

impl Confirm for CrateHarness {
    fn replay(&self, finding: Finding) -> FindingReport {
        if let Some(replay) = of_missing_panic(&self.harness, &finding) {
            return FindingReport::new(finding, replay);
        }
        let native = match self.target.native() {
            Ok(native) => native,
            Err(reason) => return FindingReport::new(finding, Replay::Failed { reason }),
        };
        let sanitized = |leaks| self.target.sanitized(leaks);
        let launcher = &self.launcher;
        let mut report = replay(
            launcher,
            &native,
            sanitized,
            &self.harness,
            finding,
            REPLAY_TIME,
        );
        if let (HarnessKind::QuickCheckTest, Some(inputs)) = (self.harness.kind, &mut report.inputs)
        {
            name_arguments(&self.harness.args, inputs);
        }
        report
    }

    fn replay_path(&self, path: &EndedPath) -> Result<PathReplay, String> {
        if self.harness.draws_itself() {
            return Err("the output of such a test is not told from libtest's".to_owned());
        }
        let native = self.target.native()?;
        replay_path(&self.launcher, &native, &self.harness, path, REPLAY_TIME)
    }

    fn pre_runs(&self, order: Order) -> Vec<GivenInputs> {
        if self.harness.draws_itself() {
            return Vec::new();
        }
        let Ok(native) = self.target.native() else {
            return Vec::new();
        };
        pre_runs(&self.launcher, &native, &self.harness, order).unwrap_or_default()
    }

    fn regression(&self, report: &FindingReport, policy: WritePolicy) -> Option<Written> {
        // Where some input is to panic, one test cannot tell what is wrong.
        if policy == WritePolicy::Never || !stands(report) || self.harness.expects_some_panic() {
            return None;
        }
        if self.harness.draws_itself() {
            let reason = "such a test takes no values: call what it checks with them".to_owned();
            return Some(Written::NotWritten { reason, test: None });
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
        if let Some(reason) = why_not_written(policy, &report.replay) {
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

/// Gives arguments the names and types that they have in the source: `v: Vec<u8>, n: usize`.
fn name_arguments(written: &str, inputs: &mut TypedInputs) {
    let function = syn::parse_str::<syn::ItemFn>(&format!("fn f({written}) {{}}"));
    let Ok(function) = function else {
        return;
    };
    let written = &function.sig.inputs;
    if written.len() != inputs.args.len() {
        return;
    }
    for (argument, written) in inputs.args.iter_mut().zip(written) {
        if let syn::FnArg::Typed(written) = written
            && let Some(name) = written.pat.span().source_text()
            && let Some(ty) = written.ty.span().source_text()
        {
            argument.name = name;
            argument.type_name = ty;
        }
    }
}
