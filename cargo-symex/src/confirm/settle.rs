//! Adjusts a verdict to the results of native runs: without a finding that stands, the verdict is
//! not `bug`.

use super::FindingReport;
use super::replay::Replay;
use symex_types::outcome::{Bound, Counted, FindingKind, Unsupported, Verdict};

/// Reports whether a finding stands after its replay, which may be silent, take another order of
/// threads, or run the functions that a proof puts others in the place of. A finding that does not
/// stand stays visible, but is no bug unless a native run has shown it.
pub fn stands(report: &FindingReport) -> bool {
    match report.replay {
        Replay::NotReproduced { .. } => {
            let finding = &report.finding;
            finding.kind.may_be_silent() || finding.threads || finding.has_stubs
        }
        Replay::Confirmed { .. } | Replay::Failed { .. } | Replay::Skipped { .. } => true,
    }
}

/// Reports whether a hang finding is a path that exceeded the step limit but ends natively, which
/// is a bound and no finding.
fn is_only_long(report: &FindingReport) -> bool {
    report.finding.kind == FindingKind::Hang
        && matches!(report.replay, Replay::NotReproduced { .. })
}

/// Settles a verdict after native replay: long paths that end natively become bounds, and a bug of
/// which no finding stands becomes inconclusive, or a pass if some path was `completed`. If there
/// is none because of findings that are `ignored`, nothing was tested. Returns the remaining
/// findings.
pub fn settle(
    verdict: &mut Verdict,
    (completed, ignored): (u64, bool),
    reports: Vec<FindingReport>,
) -> Vec<FindingReport> {
    let (long, kept): (Vec<_>, Vec<_>) = reports.into_iter().partition(is_only_long);
    let Verdict::Bug {
        unsupported,
        bounds,
    } = verdict
    else {
        return kept;
    };
    let told = bounds.len();
    for FindingReport { finding, .. } in long {
        let bound = Counted {
            what: Bound::MaxSteps,
            at: finding.at,
            count: finding.repeats + 1,
        };
        // The engine may have counted it among its bounds already.
        let is_known = |known: &Counted<Bound>| known.what == bound.what && known.at == bound.at;
        if !bounds[..told].iter().any(is_known) {
            bounds.push(bound);
        }
    }
    if kept.iter().any(stands) {
        return kept;
    }
    for FindingReport { finding, .. } in &kept {
        unsupported.push(Counted {
            what: Unsupported::Replay(format!("{} not reproduced natively", finding.kind.title())),
            at: finding.at.clone(),
            count: finding.repeats + 1,
        });
    }
    let (unsupported, bounds) = (std::mem::take(unsupported), std::mem::take(bounds));
    // Without a completed path, nothing was shown to pass.
    let passes = unsupported.is_empty() && completed > 0;
    *verdict = match (passes, bounds.is_empty()) {
        (false, _) if ignored && unsupported.is_empty() => Verdict::Vacuous {
            why: "no path ends but in ignored findings".to_owned(),
            bounds,
        },
        (false, _) => Verdict::Inconclusive {
            unsupported,
            bounds,
        },
        (true, false) => Verdict::PassBounded { bounds },
        (true, true) => Verdict::PassComplete,
    };
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;
    use symex_types::outcome::Finding;

    fn bug() -> Verdict {
        Verdict::Bug {
            unsupported: Vec::new(),
            bounds: Vec::new(),
        }
    }

    fn replayed(kind: FindingKind, replay: Replay) -> FindingReport {
        let finding = Finding {
            repeats: 2,
            ..bare_finding(kind)
        };
        FindingReport::new(finding, replay)
    }

    fn refuted(kind: FindingKind) -> FindingReport {
        let reason = "it ends well".to_owned();
        replayed(kind, Replay::NotReproduced { reason, cut: false })
    }

    /// Returns the bound for three paths that reached the step limit.
    fn too_long() -> Counted<Bound> {
        Counted {
            what: Bound::MaxSteps,
            at: None,
            count: 3,
        }
    }

    #[test]
    fn a_panic_that_no_native_run_shows_is_no_bug_but_stays_visible() {
        let mut verdict = bug();
        let kept = settle(&mut verdict, (1, false), vec![refuted(FindingKind::Panic)]);
        assert_eq!(kept.len(), 1);
        let Verdict::Inconclusive {
            unsupported,
            bounds,
        } = verdict
        else {
            panic!("{verdict:?}")
        };
        let text = "panic not reproduced natively".to_owned();
        assert_eq!(
            (&unsupported[0].what, bounds.len()),
            (&Unsupported::Replay(text), 0)
        );
    }

    #[test]
    fn silent_undefined_behaviour_stays_a_bug() {
        let mut verdict = bug();
        let reports = [FindingKind::Panic, FindingKind::UninitUse].map(refuted);
        assert_eq!(settle(&mut verdict, (1, false), reports.into()).len(), 2);
        assert_eq!(verdict, bug());
    }

    #[test]
    fn a_long_path_that_ends_natively_is_a_cut() {
        let mut verdict = bug();
        assert!(settle(&mut verdict, (1, false), vec![refuted(FindingKind::Hang)]).is_empty());
        let bounds = vec![too_long()];
        assert_eq!(verdict, Verdict::PassBounded { bounds });
    }

    #[test]
    fn where_the_only_path_is_too_long_nothing_passes() {
        let mut verdict = bug();
        settle(&mut verdict, (0, false), vec![refuted(FindingKind::Hang)]);
        let (unsupported, bounds) = (Vec::new(), vec![too_long()]);
        assert_eq!(
            verdict,
            Verdict::Inconclusive {
                unsupported,
                bounds
            }
        );
    }

    #[test]
    fn a_cut_that_the_engine_told_is_told_once() {
        let mut verdict = Verdict::Bug {
            unsupported: Vec::new(),
            bounds: vec![too_long()],
        };
        settle(&mut verdict, (1, false), vec![refuted(FindingKind::Hang)]);
        let bounds = vec![too_long()];
        assert_eq!(verdict, Verdict::PassBounded { bounds });
    }

    #[test]
    fn gaps_beside_a_refuted_bug_are_not_forgotten() {
        let unsupported = Counted {
            what: Unsupported::NoModel("fork".into()),
            at: None,
            count: 1,
        };
        let mut verdict = Verdict::Bug {
            unsupported: vec![unsupported.clone()],
            bounds: Vec::new(),
        };
        settle(&mut verdict, (1, false), vec![refuted(FindingKind::Hang)]);
        let (unsupported, bounds) = (vec![unsupported], vec![too_long()]);
        assert_eq!(
            verdict,
            Verdict::Inconclusive {
                unsupported,
                bounds
            }
        );
    }

    #[test]
    fn where_all_paths_end_in_ignored_findings_nothing_is_tested() {
        let mut verdict = bug();
        assert!(settle(&mut verdict, (1, true), Vec::new()).is_empty());
        assert_eq!(verdict, Verdict::PassComplete);
        let mut verdict = bug();
        settle(&mut verdict, (0, true), Vec::new());
        assert!(matches!(verdict, Verdict::Vacuous { .. }), "{verdict:?}");
        // Another finding counts as ever.
        let mut verdict = bug();
        let reason = "no linker".to_owned();
        let report = replayed(FindingKind::Panic, Replay::Failed { reason });
        settle(&mut verdict, (0, true), vec![report]);
        assert_eq!(verdict, bug());
    }

    #[test]
    fn a_replay_that_failed_refutes_nothing() {
        let mut verdict = bug();
        let reason = "no linker".to_owned();
        let report = replayed(FindingKind::Panic, Replay::Failed { reason });
        settle(&mut verdict, (1, false), vec![report]);
        assert_eq!(verdict, bug());
    }
}
