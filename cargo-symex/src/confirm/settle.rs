//! What native runs do to a verdict: a bug that no native run shows is no verdict `bug`.

use super::FindingReport;
use super::replay::Replay;
use symex_types::outcome::{Counted, Cut, FindingKind, Gap, Verdict};

/// Does a finding stand after its replay? One that does not stays visible, but is no bug as long as no native run has
/// shown it.
pub fn stands(report: &FindingReport) -> bool {
    match report.replay {
        Replay::NotReproduced { .. } => report.finding.kind.may_be_silent(),
        Replay::Confirmed { .. } | Replay::Failed { .. } | Replay::Skipped { .. } => true,
    }
}

/// A path over the step limit that ends natively: no finding at all, only a cut.
fn is_only_long(report: &FindingReport) -> bool {
    report.finding.kind == FindingKind::Hang
        && matches!(report.replay, Replay::NotReproduced { .. })
}

/// Settles a verdict after native replay: long paths that end natively become cuts, and a bug of which no finding stands
/// becomes inconclusive, or a pass where some path was `completed`. Returns the findings that remain.
pub fn settle(
    verdict: &mut Verdict,
    completed: u64,
    reports: Vec<FindingReport>,
) -> Vec<FindingReport> {
    let (long, kept): (Vec<_>, Vec<_>) = reports.into_iter().partition(is_only_long);
    let Verdict::Bug { gaps, cuts } = verdict else {
        return kept;
    };
    let told = cuts.len();
    for FindingReport { finding, .. } in long {
        let cut = Counted {
            what: Cut::MaxSteps,
            at: finding.at,
            count: finding.repeats + 1,
        };
        // The engine may have counted it among its cuts already.
        let is_known = |known: &Counted<Cut>| known.what == cut.what && known.at == cut.at;
        if !cuts[..told].iter().any(is_known) {
            cuts.push(cut);
        }
    }
    if kept.iter().any(stands) {
        return kept;
    }
    for FindingReport { finding, .. } in &kept {
        gaps.push(Counted {
            what: Gap::Replay(format!("{} not reproduced natively", finding.kind.title())),
            at: finding.at.clone(),
            count: finding.repeats + 1,
        });
    }
    let (gaps, cuts) = (std::mem::take(gaps), std::mem::take(cuts));
    // Where no path was seen to reach the end, nothing that passes has been seen.
    let passes = gaps.is_empty() && completed > 0;
    *verdict = match (passes, cuts.is_empty()) {
        (false, _) => Verdict::Inconclusive { gaps, cuts },
        (true, false) => Verdict::PassBounded { cuts },
        (true, true) => Verdict::PassComplete,
    };
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_types::outcome::Finding;

    fn bug() -> Verdict {
        Verdict::Bug {
            gaps: Vec::new(),
            cuts: Vec::new(),
        }
    }

    fn replayed(kind: FindingKind, replay: Replay) -> FindingReport {
        let finding = Finding {
            kind,
            message: String::new(),
            check: None,
            at: None,
            trace: Vec::new(),
            allocated_at: None,
            draws: Vec::new(),
            output: Vec::new(),
            address_dependent: false,
            repeats: 2,
        };
        FindingReport::new(finding, replay)
    }

    fn refuted(kind: FindingKind) -> FindingReport {
        let reason = "it ends well".to_owned();
        replayed(kind, Replay::NotReproduced { reason })
    }

    /// The step limit, reached by three paths.
    fn too_long() -> Counted<Cut> {
        Counted {
            what: Cut::MaxSteps,
            at: None,
            count: 3,
        }
    }

    #[test]
    fn a_panic_that_no_native_run_shows_is_no_bug_but_stays_visible() {
        let mut verdict = bug();
        let kept = settle(&mut verdict, 1, vec![refuted(FindingKind::Panic)]);
        assert_eq!(kept.len(), 1);
        let Verdict::Inconclusive { gaps, cuts } = verdict else {
            panic!("{verdict:?}")
        };
        let text = "panic not reproduced natively".to_owned();
        assert_eq!((&gaps[0].what, cuts.len()), (&Gap::Replay(text), 0));
    }

    #[test]
    fn silent_undefined_behaviour_stays_a_bug() {
        let mut verdict = bug();
        let reports = [FindingKind::Panic, FindingKind::UninitUse].map(refuted);
        assert_eq!(settle(&mut verdict, 1, reports.into()).len(), 2);
        assert_eq!(verdict, bug());
    }

    #[test]
    fn a_long_path_that_ends_natively_is_a_cut() {
        let mut verdict = bug();
        assert!(settle(&mut verdict, 1, vec![refuted(FindingKind::Hang)]).is_empty());
        let cuts = vec![too_long()];
        assert_eq!(verdict, Verdict::PassBounded { cuts });
    }

    #[test]
    fn where_the_only_path_is_too_long_nothing_passes() {
        let mut verdict = bug();
        settle(&mut verdict, 0, vec![refuted(FindingKind::Hang)]);
        let (gaps, cuts) = (Vec::new(), vec![too_long()]);
        assert_eq!(verdict, Verdict::Inconclusive { gaps, cuts });
    }

    #[test]
    fn a_cut_that_the_engine_told_is_told_once() {
        let mut verdict = Verdict::Bug {
            gaps: Vec::new(),
            cuts: vec![too_long()],
        };
        settle(&mut verdict, 1, vec![refuted(FindingKind::Hang)]);
        let cuts = vec![too_long()];
        assert_eq!(verdict, Verdict::PassBounded { cuts });
    }

    #[test]
    fn gaps_beside_a_refuted_bug_are_not_forgotten() {
        let gap = Counted {
            what: Gap::NoModel("fork".into()),
            at: None,
            count: 1,
        };
        let mut verdict = Verdict::Bug {
            gaps: vec![gap.clone()],
            cuts: Vec::new(),
        };
        settle(&mut verdict, 1, vec![refuted(FindingKind::Hang)]);
        let (gaps, cuts) = (vec![gap], vec![too_long()]);
        assert_eq!(verdict, Verdict::Inconclusive { gaps, cuts });
    }

    #[test]
    fn a_replay_that_failed_refutes_nothing() {
        let mut verdict = bug();
        let reason = "no linker".to_owned();
        let report = replayed(FindingKind::Panic, Replay::Failed { reason });
        settle(&mut verdict, 1, vec![report]);
        assert_eq!(verdict, bug());
    }
}
