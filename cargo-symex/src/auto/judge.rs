//! Tells which findings of drafted harnesses are against the documentation of a function.

use super::package::Chosen;
use crate::harness::TestHarness;
use crate::judgement::{Judgement, is_an_end, is_of_memory};
use symex_abi::names;
use symex_types::outcome::{Finding, FindingKind, SourceLoc};

/// Judges a finding of a harness.
pub fn judge(finding: &Finding, harness: &TestHarness, chosen: &Chosen) -> Judgement {
    if !is_an_end(finding) {
        return Judgement::Undefined;
    }
    if is_before_call(finding, harness, chosen) {
        return Judgement::OfInputs;
    }
    if is_of_memory(finding) {
        return Judgement::Memory;
    }
    match chosen.draft.may_panic && finding.kind == FindingKind::Panic {
        true => Judgement::Promised,
        false => Judgement::Panic,
    }
}

/// Reports whether a finding is in a statement of the harness that comes before the call.
fn is_before_call(finding: &Finding, harness: &TestHarness, chosen: &Chosen) -> bool {
    let is_here = |at: &&SourceLoc| at.file.ends_with(&harness.file);
    // What calls the harness has places in the same file.
    let frames = finding.trace.iter();
    let frames = frames.filter(|frame| !names::is_generated(&frame.function));
    let frames = frames.filter_map(|frame| frame.at.as_ref());
    let outermost = frames.rev().find(is_here);
    outermost
        .or(finding.at.as_ref().filter(is_here))
        .is_some_and(|at| (at.line as usize) < chosen.lines.call)
}
