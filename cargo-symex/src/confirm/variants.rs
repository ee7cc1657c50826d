//! Findings of one cause at one place, which different sequences of calls reach: one finding with
//! variants.
//!
//! The cause is the kind of finding, with the events before that explain it. The place is that of
//! the fault, and the innermost one in the package's own code: two callers of a function of a
//! dependency are two places, two callers of the package's own function are not.

use super::FindingReport;
use super::replay::Replay;
use crate::source::place::Places;
use crate::source::trace::user_places;
use std::collections::BTreeMap;
use symex_types::outcome::{ConcreteInput, Finding, FindingKind, SourceLoc};

/// Most variants of a finding that may natively be silent which are run natively.
const TRIES: usize = 3;

/// What findings of one cause at one place have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Cause<'f> {
    kind: FindingKind,
    check: Option<&'f str>,
    at: Option<&'f SourceLoc>,
    /// The innermost place of the user's, and of the package's own.
    places: [Option<&'f SourceLoc>; 2],
    /// Places of the events before, and of the allocation of what leaks.
    earlier: Vec<&'f SourceLoc>,
}

impl<'f> Cause<'f> {
    fn of(finding: &'f Finding, places: &Places) -> Self {
        let mut earlier: Vec<&SourceLoc> = finding.earlier.iter().map(|one| &one.at).collect();
        if finding.kind == FindingKind::Leak {
            earlier.extend(&finding.allocated_at);
        }
        Cause {
            kind: finding.kind,
            check: finding.check.as_deref(),
            at: finding.at.as_ref(),
            places: [
                user_places(&finding.trace).next(),
                user_places(&finding.trace).find(|at| places.is_own(at)),
            ],
            earlier,
        }
    }
}

/// Gathers findings of one cause at one place, those with the shortest traces and simplest inputs
/// first. The order of causes is that of their first findings.
pub fn gather(findings: &[Finding], places: &Places) -> Vec<Vec<Finding>> {
    let mut order: BTreeMap<Cause, usize> = BTreeMap::new();
    let mut gathered: Vec<Vec<Finding>> = Vec::new();
    for finding in findings {
        let next = order.len();
        let at = *order.entry(Cause::of(finding, places)).or_insert(next);
        if at == gathered.len() {
            gathered.push(Vec::new());
        }
        gathered[at].push(finding.clone());
    }
    for variants in &mut gathered {
        variants.sort_by_cached_key(|finding| {
            let weight = ConcreteInput::weight(&finding.inputs);
            (finding.trace.len(), weight)
        });
    }
    gathered
}

/// Replays the first of some variants, or one after it that a native run confirms, and reports it
/// with the others.
pub fn replay(
    mut variants: Vec<Finding>,
    replay: impl Fn(Finding) -> FindingReport,
) -> Option<FindingReport> {
    let mut first: Option<FindingReport> = None;
    let mut shown = 0;
    for (at, finding) in variants.iter().enumerate() {
        if at >= TRIES && finding.kind.may_be_silent() {
            break;
        }
        let report = replay(finding.clone());
        let is_last = !matches!(report.replay, Replay::NotReproduced { .. });
        if first.is_none() || matches!(report.replay, Replay::Confirmed { .. }) {
            shown = at;
            first = Some(report);
        }
        if is_last {
            break;
        }
    }
    let mut report = first?;
    variants.remove(shown);
    let paths = |finding: &Finding| finding.repeats + 1;
    report.finding.repeats += variants.iter().map(paths).sum::<u64>();
    report.variants = variants;
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;
    use crate::confirm::replay::How;
    use std::path::PathBuf;
    use symex_types::outcome::TraceFrame;

    /// Makes a panic with a trace of these lines, innermost first.
    fn panic_at(lines: &[(&str, u32)]) -> Finding {
        let frame = |(file, line): &(&str, u32)| TraceFrame {
            function: "f".to_owned(),
            at: Some(SourceLoc::new(*file, *line, 1)),
        };
        let trace: Vec<TraceFrame> = lines.iter().map(frame).collect();
        Finding {
            at: trace[0].at.clone(),
            trace,
            ..bare_finding(FindingKind::Panic)
        }
    }

    fn lines(variants: &[Finding]) -> Vec<u32> {
        let line = |finding: &Finding| finding.trace.last()?.at.as_ref().map(|at| at.line);
        variants.iter().filter_map(line).collect()
    }

    #[test]
    fn own_callers_of_an_own_place_are_variants_and_callers_of_a_dependency_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("own.rs");
        std::fs::write(&own, "").expect("it is written");
        let own = own.to_str().expect("UTF-8");
        let places = Places {
            here: PathBuf::new(),
            package: folder.path().to_owned(),
        };
        let dependency = "/home/u/.cargo/registry/src/index/dep-1.0.0/src/lib.rs";
        let findings = [
            panic_at(&[(own, 7), (own, 30), (own, 40)]),
            panic_at(&[(dependency, 3), (own, 1)]),
            panic_at(&[(own, 7), (own, 20)]),
            panic_at(&[(dependency, 3), (own, 2)]),
            panic_at(&[(own, 7), (own, 10)]),
            Finding {
                kind: FindingKind::OutOfBounds,
                ..panic_at(&[(own, 7), (own, 10)])
            },
        ];
        let gathered = gather(&findings, &places);
        let lines: Vec<Vec<u32>> = gathered.iter().map(|variants| lines(variants)).collect();
        // The shortest trace is first, else their order is kept.
        assert_eq!(lines, [vec![20, 10, 40], vec![1], vec![2], vec![10]]);
    }

    #[test]
    fn what_a_native_run_confirms_is_shown() {
        let variants = || {
            [10, 20, 30]
                .map(|line| panic_at(&[("lib.rs", 7), ("lib.rs", line)]))
                .to_vec()
        };
        let replayed = |confirmed: u32| {
            replay(variants(), |finding| {
                let is_it = lines(std::slice::from_ref(&finding)) == [confirmed];
                let replay = match is_it {
                    true => Replay::Confirmed {
                        how: How::NoEnd { seconds: 10 },
                    },
                    false => Replay::NotReproduced {
                        reason: String::new(),
                        cut: false,
                    },
                };
                FindingReport::new(finding, replay)
            })
            .expect("there are variants")
        };
        for (confirmed, shown, others) in
            [(10, 10, [20, 30]), (30, 30, [10, 20]), (99, 10, [20, 30])]
        {
            let report = replayed(confirmed);
            assert_eq!(lines(std::slice::from_ref(&report.finding)), [shown]);
            assert_eq!(lines(&report.variants), others);
            assert_eq!(report.finding.repeats, 2);
        }
    }
}
