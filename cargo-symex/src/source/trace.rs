//! Traces as reports show them: the calls that lead to a place. Frames of the standard library are
//! folded; the harness's glue and everything outside it are dropped.

use super::place::Places;
use symex_abi::names;
use symex_types::outcome::frame_owner::{FrameOwner, file_owner, frame_owner, is_carried};
use symex_types::outcome::{Finding, SourceLoc, TraceFrame};

/// Returns the user's own places, innermost first, up to and including the harness.
pub fn user_places(trace: &[TraceFrame]) -> impl Iterator<Item = &SourceLoc> {
    within_harness(trace)
        .iter()
        .filter(|frame| frame_owner(frame) == FrameOwner::User)
        .filter_map(|frame| frame.at.as_ref())
}

/// Returns the place of a finding. For a finding of the glue around the harness (it returned
/// although a panic was expected, it returned an error) this is the harness itself.
pub fn place<'a>(finding: &'a Finding, harness: &'a SourceLoc) -> Option<&'a SourceLoc> {
    let by_glue = finding
        .trace
        .first()
        .is_some_and(|frame| frame_owner(frame) == FrameOwner::Glue);
    match &finding.at {
        Some(_) if by_glue && harness.line > 0 => Some(harness),
        Some(at) if file_owner(&at.file) == FrameOwner::Glue && harness.line > 0 => Some(harness),
        at => at.as_ref(),
    }
}

/// Returns the frames within the harness, without the callers of its glue.
pub fn within_harness(trace: &[TraceFrame]) -> &[TraceFrame] {
    let end = trace
        .iter()
        .position(|frame| names::is_generated(&frame.function));
    &trace[..end.unwrap_or(trace.len())]
}

/// Number of shown lines of a trace at its inner end, and at the harness.
const SHOWN: (usize, usize) = (16, 6);

/// Returns one line per frame; a recursive function is listed once, and the middle of a long trace
/// is left out.
pub fn lines(trace: &[TraceFrame], places: &Places) -> Vec<String> {
    let mut lines = Vec::new();
    let mut folded = 0;
    let mut number = 0;
    // The last of the user's frames, without its number, and how often it came in a row.
    let mut last = (String::new(), 0);
    let fold = |folded: &mut usize, lines: &mut Vec<String>| {
        if *folded > 0 {
            let s = if *folded == 1 { "" } else { "s" };
            lines.push(format!("…: {folded} frame{s} of the standard library"));
            *folded = 0;
        }
    };
    for frame in within_harness(trace) {
        match frame_owner(frame) {
            FrameOwner::Glue => {}
            _ if frame.at.as_ref().is_some_and(|at| is_carried(&at.file)) => {}
            FrameOwner::Std => folded += 1,
            FrameOwner::User => {
                let at = frame
                    .at
                    .as_ref()
                    .map(|at| format!(" at {}", places.show(at)));
                let text = format!("{}{}", frame.function, at.unwrap_or_default());
                if folded == 0 && last.0 == text {
                    last.1 += 1;
                    let first = number - last.1;
                    let line = format!("{first}: {text} (and {} calls of itself)", last.1);
                    lines.pop();
                    lines.push(line);
                } else {
                    fold(&mut folded, &mut lines);
                    lines.push(format!("{number}: {text}"));
                    last = (text, 0);
                }
                number += 1;
            }
        }
    }
    fold(&mut folded, &mut lines);
    let (inner, outer) = SHOWN;
    if lines.len() > inner + outer + 1 {
        let middle = inner..lines.len() - outer;
        let left_out = format!("…: {} lines left out", middle.len());
        lines.splice(middle, [left_out]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a frame at line 7 of a file, or without a place if `file` is empty.
    fn frame(function: &str, file: &str) -> TraceFrame {
        TraceFrame {
            function: function.into(),
            at: (!file.is_empty()).then(|| SourceLoc::new(file, 7, 3)),
        }
    }

    #[test]
    fn std_is_folded_and_glue_dropped() {
        let trace = [
            frame(
                "core::slice::index::get",
                "/rustc/abc/library/core/src/slice/index.rs",
            ),
            frame("<alloc::vec::Vec<T> as core::ops::Index<I>>::index", ""),
            frame("krate::parse", "src/lib.rs"),
            frame(
                "core::iter::traits::iterator::Iterator::fold",
                "/x/lib/rustlib/src/rust/library/core/src/i.rs",
            ),
            frame("krate::tests::parses", "src/lib.rs"),
            frame("krate::tests::__symex_parses::entry", "src/lib.rs"),
            frame("main", "m.c"),
        ];
        let lines = lines(&trace, &Places::default());
        assert_eq!(
            lines,
            [
                "…: 2 frames of the standard library",
                "0: krate::parse at src/lib.rs:7:3",
                "…: 1 frame of the standard library",
                "1: krate::tests::parses at src/lib.rs:7:3",
            ]
        );
    }

    #[test]
    fn recursion_is_told_once() {
        let mut trace = vec![frame("krate::deep", "src/lib.rs"); 100];
        trace.push(frame("krate::tests::deep", "src/lib.rs"));
        assert_eq!(
            lines(&trace, &Places::default()),
            [
                "0: krate::deep at src/lib.rs:7:3 (and 99 calls of itself)",
                "100: krate::tests::deep at src/lib.rs:7:3",
            ]
        );
        let mutual: Vec<TraceFrame> = (0..100)
            .map(|i| frame(["krate::even", "krate::odd"][i % 2], "src/lib.rs"))
            .collect();
        let lines = lines(&mutual, &Places::default());
        assert_eq!(lines.len(), 23);
        assert_eq!(lines[16], "…: 78 lines left out");
        assert_eq!(lines[22], "99: krate::odd at src/lib.rs:7:3");
    }
}
