//! Verdicts in words, and what native replay does to a verdict.
//!
//! The words are fixed: `bug`, `pass (complete)`, `pass (bounded: …)`, `inconclusive (…)`, `vacuous (…)`. No other
//! format may use one of them for another verdict.

use super::replay::Replay;
use super::{FindingReport, HarnessReport};
use symex_engine::models::library;
use symex_types::outcome::{Counted, Cut, Finding, FindingKind, Gap, Outcome, Verdict};

/// The verdict in a line.
pub fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Bug { .. } => "bug".to_owned(),
        Verdict::PassComplete => "pass (complete)".to_owned(),
        Verdict::PassBounded { cuts } => {
            format!(
                "pass (bounded: {})",
                join(cuts.iter().map(|cut| cut_text(&cut.what)))
            )
        }
        Verdict::Inconclusive { gaps, cuts } => {
            let gaps = gaps.iter().map(|gap| gap_text(&gap.what));
            let cuts = cuts.iter().map(|cut| cut_text(&cut.what));
            format!("inconclusive ({})", join(gaps.chain(cuts)))
        }
        Verdict::Vacuous { why, cuts } if cuts.is_empty() => format!("vacuous ({why})"),
        Verdict::Vacuous { why, cuts } => {
            let cuts = join(cuts.iter().map(|cut| cut_text(&cut.what)));
            format!("vacuous ({why}; bounded: {cuts})")
        }
    }
}

/// The verdict on a harness in a line, and whether it is that of an earlier run.
pub fn describe_report(report: &HarnessReport) -> String {
    let verdict = describe(&report.outcome.verdict);
    format!("{verdict}{}", mark(report))
}

/// What stands behind the verdict on a harness that was not explored in this run.
pub fn mark(report: &HarnessReport) -> &'static str {
    if report.cached { " [cached]" } else { "" }
}

/// The verdict in a word, for counting and for programs.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Bug { .. } => "bug",
        Verdict::PassComplete => "pass-complete",
        Verdict::PassBounded { .. } => "pass-bounded",
        Verdict::Inconclusive { .. } => "inconclusive",
        Verdict::Vacuous { .. } => "vacuous",
    }
}

/// What was cut, in words.
pub fn cut_text(cut: &Cut) -> String {
    match cut {
        Cut::Timeout => "timeout".to_owned(),
        Cut::MaxPaths => "path limit".to_owned(),
        Cut::MaxMemory => "memory limit".to_owned(),
        Cut::MaxSteps => "step limit of a path".to_owned(),
        Cut::Interrupted => "interrupted".to_owned(),
        Cut::Bound(what) | Cut::Assumed(what) => what.clone(),
        Cut::FirstBug => "stopped at the first bug".to_owned(),
        Cut::NothingNew(paths) => {
            format!("nothing new on {paths} paths after a bug (--after-bug)")
        }
    }
}

/// What could not be done, in words.
pub fn gap_text(gap: &Gap) -> String {
    match gap {
        Gap::NoModel(function) if library::offers(function) => {
            format!("no model of `{function}`; `cargo symex setup --libc` may provide it")
        }
        Gap::NoModel(function) => format!("no model of `{function}`"),
        Gap::MachineCode { function, origin } => {
            let file = origin.rsplit_once('/').map_or(origin.as_str(), |at| at.1);
            format!("no bitcode of `{function}`: machine code in `{file}`")
        }
        Gap::Model(what) => what.clone(),
        Gap::InlineAsm(text) => format!("inline assembly `{}`", text.trim()),
        Gap::Unsupported(what) => format!("not supported: {what}"),
        Gap::Solver(why) => format!("solver: {why}"),
        Gap::Resolution(what) => format!("pointer resolution: {what}"),
        Gap::Replay(what) => what.clone(),
        Gap::Internal(what) => format!("internal error: {what}"),
    }
}

/// How many reasons a verdict names.
pub const SHOWN: usize = 3;

/// Distinct texts in order, the first few of them.
fn join(texts: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for text in texts {
        if !distinct.contains(&text) {
            distinct.push(text);
        }
    }
    let more = distinct.len().saturating_sub(SHOWN);
    distinct.truncate(SHOWN);
    let mut line = distinct.join(", ");
    if more > 0 {
        line.push_str(&format!(", and {more} more"));
    }
    line
}

/// Does a finding stand after its replay? One that does not stays visible, but is no bug as long as nobody has seen it
/// happen.
pub fn stands(finding: &Finding, replay: &Replay) -> bool {
    match replay {
        Replay::NotReproduced { .. } => finding.kind.may_be_silent(),
        Replay::Confirmed { .. } | Replay::Failed { .. } | Replay::Skipped { .. } => true,
    }
}

/// A path over the step limit that ends natively: no finding at all, only a cut.
fn is_only_long(finding: &Finding, replay: &Replay) -> bool {
    finding.kind == FindingKind::Hang && matches!(replay, Replay::NotReproduced { .. })
}

/// The outcome after native replay: long paths that end natively become cuts, and a bug of which no finding stands
/// becomes inconclusive. `reports` go with the findings one by one; those of the findings that remain are returned.
pub fn settle(outcome: &mut Outcome, reports: Vec<FindingReport>) -> Vec<FindingReport> {
    let findings = std::mem::take(&mut outcome.findings);
    let mut kept = Vec::new();
    let mut long: Vec<Counted<Cut>> = Vec::new();
    for (finding, report) in findings.into_iter().zip(reports) {
        if is_only_long(&finding, &report.replay) {
            long.push(Counted {
                what: Cut::MaxSteps,
                at: finding.at,
                count: finding.repeats + 1,
            });
        } else {
            outcome.findings.push(finding);
            kept.push(report);
        }
    }
    let Verdict::Bug { gaps, cuts } = &mut outcome.verdict else {
        return kept;
    };
    // The engine may have counted them among its cuts already.
    long.retain(|new| {
        !cuts
            .iter()
            .any(|cut| cut.what == new.what && cut.at == new.at)
    });
    cuts.extend(long);
    let results = || outcome.findings.iter().zip(&kept);
    if results().any(|(finding, report)| stands(finding, &report.replay)) {
        return kept;
    }
    for (finding, _) in results() {
        gaps.push(Counted {
            what: Gap::Replay(format!("{} not reproduced natively", finding.kind.title())),
            at: finding.at.clone(),
            count: finding.repeats + 1,
        });
    }
    let (gaps, cuts) = (std::mem::take(gaps), std::mem::take(cuts));
    // Where no path was seen to reach the end, nothing that passes has been seen.
    let passes = gaps.is_empty() && outcome.stats.completed > 0;
    outcome.verdict = match (passes, cuts.is_empty()) {
        (false, _) => Verdict::Inconclusive { gaps, cuts },
        (true, false) => Verdict::PassBounded { cuts },
        (true, true) => Verdict::PassComplete,
    };
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_types::outcome::Stats;

    fn outcome(kinds: &[FindingKind]) -> Outcome {
        let finding = |kind: &FindingKind| Finding {
            kind: *kind,
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
        Outcome {
            verdict: Verdict::Bug {
                gaps: Vec::new(),
                cuts: Vec::new(),
            },
            findings: kinds.iter().map(finding).collect(),
            covers: Vec::new(),
            stats: Stats {
                completed: 1,
                ..Stats::default()
            },
        }
    }

    fn not() -> FindingReport {
        FindingReport::new(Replay::NotReproduced {
            reason: "it ends well".into(),
        })
    }

    #[test]
    fn a_panic_that_nobody_saw_is_no_bug_but_stays_visible() {
        let mut outcome = outcome(&[FindingKind::Panic]);
        let kept = settle(&mut outcome, vec![not()]);
        assert_eq!((kept.len(), outcome.findings.len()), (1, 1));
        assert_eq!(
            describe(&outcome.verdict),
            "inconclusive (panic not reproduced natively)"
        );
    }

    #[test]
    fn silent_undefined_behaviour_stays_a_bug() {
        let mut outcome = outcome(&[FindingKind::Panic, FindingKind::UninitUse]);
        settle(&mut outcome, vec![not(), not()]);
        assert_eq!(describe(&outcome.verdict), "bug");
    }

    #[test]
    fn a_long_path_that_ends_natively_is_a_cut() {
        let mut outcome = outcome(&[FindingKind::Hang]);
        assert!(settle(&mut outcome, vec![not()]).is_empty());
        assert!(outcome.findings.is_empty());
        assert_eq!(
            describe(&outcome.verdict),
            "pass (bounded: step limit of a path)"
        );
        let Verdict::PassBounded { cuts } = &outcome.verdict else {
            panic!()
        };
        assert_eq!(cuts[0].count, 3);
    }

    #[test]
    fn where_the_only_path_is_too_long_nothing_passes() {
        let mut outcome = outcome(&[FindingKind::Hang]);
        outcome.stats.completed = 0;
        settle(&mut outcome, vec![not()]);
        assert_eq!(
            describe(&outcome.verdict),
            "inconclusive (step limit of a path)"
        );
    }

    #[test]
    fn a_cut_that_the_engine_told_is_told_once() {
        let mut outcome = outcome(&[FindingKind::Hang]);
        let cut = Counted {
            what: Cut::MaxSteps,
            at: None,
            count: 3,
        };
        outcome.verdict = Verdict::Bug {
            gaps: Vec::new(),
            cuts: vec![cut.clone()],
        };
        settle(&mut outcome, vec![not()]);
        assert_eq!(outcome.verdict, Verdict::PassBounded { cuts: vec![cut] });
    }

    #[test]
    fn gaps_beside_a_refuted_bug_are_not_forgotten() {
        let mut outcome = outcome(&[FindingKind::Hang]);
        let gap = Counted {
            what: Gap::NoModel("fork".into()),
            at: None,
            count: 1,
        };
        outcome.verdict = Verdict::Bug {
            gaps: vec![gap],
            cuts: Vec::new(),
        };
        settle(&mut outcome, vec![not()]);
        assert_eq!(
            describe(&outcome.verdict),
            "inconclusive (no model of `fork`, step limit of a path)"
        );
    }

    #[test]
    fn a_replay_that_failed_refutes_nothing() {
        let mut outcome = outcome(&[FindingKind::Panic]);
        settle(
            &mut outcome,
            vec![FindingReport::new(Replay::Failed {
                reason: "no linker".into(),
            })],
        );
        assert_eq!(describe(&outcome.verdict), "bug");
    }

    #[test]
    fn long_lists_are_cut_and_repeats_told_once() {
        let cuts = ["a", "b", "a", "c", "d", "e"].map(|text| Counted {
            what: Cut::Bound(text.into()),
            at: None,
            count: 1,
        });
        let verdict = Verdict::PassBounded {
            cuts: cuts.clone().into(),
        };
        assert_eq!(describe(&verdict), "pass (bounded: a, b, c, and 2 more)");
        let verdict = Verdict::Vacuous {
            why: "no end".into(),
            cuts: cuts[..2].into(),
        };
        assert_eq!(describe(&verdict), "vacuous (no end; bounded: a, b)");
    }
}
