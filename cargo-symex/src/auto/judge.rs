//! Tells which findings of drafted harnesses are against the documentation of a function.
//!
//! Whoever drafts a harness knows nothing of what the function asks of its callers, except for what
//! its documentation says, and that safe code must not do what is undefined.

use super::package::Chosen;
use crate::harness::TestHarness;
use symex_abi::names;
use symex_types::outcome::{Finding, FindingKind, SourceLoc};

/// What a finding is, with regard to the documentation of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// What no safe function may do.
    Undefined,
    /// A panic, or an end of the process, of which the documentation says nothing.
    Panic,
    /// A panic of which the documentation has a section.
    Promised,
    /// A size that the caller gives, for which there is no memory.
    Memory,
    /// A panic while the inputs were made. The function that makes them has a harness of its own.
    OfInputs,
}

impl Judgement {
    /// Returns the name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Undefined => "undefined",
            Judgement::Panic => "panic",
            Judgement::Promised => "promised-panic",
            Judgement::Memory => "memory",
            Judgement::OfInputs => "panic-of-inputs",
        }
    }

    /// Returns a note for people; `None` for what needs none.
    pub fn note(self) -> Option<&'static str> {
        match self {
            Judgement::Undefined | Judgement::Panic => None,
            Judgement::Promised => Some("its documentation says that it may panic"),
            Judgement::Memory => Some("it asks for more memory than there can be"),
            Judgement::OfInputs => {
                Some("it panics while the inputs of the function are made, not in the function")
            }
        }
    }

    /// Reports whether it counts as a bug.
    pub fn is_bug(self, with_promised: bool) -> bool {
        match self {
            Judgement::Undefined | Judgement::Panic => true,
            Judgement::Promised => with_promised,
            Judgement::Memory | Judgement::OfInputs => false,
        }
    }
}

/// What the standard library says where there is no memory of a size.
const NO_MEMORY: [&str; 2] = ["capacity overflow", "memory allocation failed"];

/// Judges a finding of a harness.
pub fn judge(finding: &Finding, harness: &TestHarness, chosen: &Chosen) -> Judgement {
    use FindingKind::{Abort, Deadlock, ExitCode, Hang, Leak, Panic, StackOverflow};
    match finding.kind {
        Panic | Abort | ExitCode | Hang | Deadlock | Leak | StackOverflow => {}
        _ => return Judgement::Undefined,
    }
    if is_before_call(finding, harness, chosen) {
        return Judgement::OfInputs;
    }
    if NO_MEMORY.iter().any(|text| finding.message.contains(text)) {
        return Judgement::Memory;
    }
    match chosen.draft.may_panic && finding.kind == Panic {
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
