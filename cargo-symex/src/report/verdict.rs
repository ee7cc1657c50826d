//! Verdicts in words.
//!
//! The words are fixed: `bug`, `pass (complete)`, `pass (bounded: …)`, `inconclusive (…)`, `vacuous (…)`. No other
//! format may use one of them for another verdict.

use crate::pipeline::HarnessReport;
use symex_engine::models::library;
use symex_types::outcome::{Cut, Gap, Verdict};

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
    let verdict = describe(&report.verdict);
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

#[cfg(test)]
mod tests {
    use super::*;
    use symex_types::outcome::Counted;

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
