//! The comment above a regression test, which describes the failure for later readers.

use super::replay::{How, Replay};
use super::{FindingReport, kind_name};
use crate::harness::TestHarness;
use crate::source::place::Places;
use crate::source::trace;

/// Returns kind, message and place of a finding, and the end of its native run if that says more.
pub(super) fn comment(harness: &TestHarness, report: &FindingReport) -> String {
    let finding = &report.finding;
    let places = Places {
        here: harness.manifest_dir.clone(),
        package: harness.manifest_dir.clone(),
    };
    let message = match &report.replay {
        Replay::Confirmed {
            how: How::Panic { message, .. },
        } => message,
        _ => &finding.message,
    };
    let first = message.lines().next().unwrap_or_default();
    let mut text = format!("{}: {first}", kind_name(finding.kind));
    if let Some(at) = trace::place(finding, &harness.place()) {
        text.push_str(&format!(" at {}:{}", places.path(at), at.line));
    }
    match &report.replay {
        Replay::Confirmed {
            how:
                how @ (How::Signal { .. }
                | How::NoEnd { .. }
                | How::ExitCode { .. }
                | How::Sanitizer { .. }),
        } => {
            text.push_str(&format!(" ({})", how.text(&places)));
        }
        Replay::NotReproduced { reason, .. } => {
            text.push_str(&format!(" (not reproduced natively: {reason})"))
        }
        _ => {}
    }
    text
}
