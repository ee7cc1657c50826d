//! Verdicts in words.
//!
//! The words are fixed: `bug`, `pass (complete)`, `pass (bounded: …)`, `inconclusive (…)`, `vacuous
//! (…)`. No other format may use one of them for another verdict.

use crate::pipeline::HarnessReport;
use symex_engine::models::library;
use symex_types::outcome::{Bound, Unsupported, Verdict};

/// Describes a verdict in one line.
pub fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Bug { .. } => "bug".to_owned(),
        Verdict::PassComplete => "pass (complete)".to_owned(),
        Verdict::PassBounded { bounds } => {
            format!(
                "pass (bounded: {})",
                join(bounds.iter().map(|bound| bound_text(&bound.what)))
            )
        }
        Verdict::Inconclusive {
            unsupported,
            bounds,
        } => {
            let unsupported = unsupported
                .iter()
                .map(|unsupported| unsupported_text(&unsupported.what));
            let bounds = bounds.iter().map(|bound| bound_text(&bound.what));
            format!("inconclusive ({})", join(unsupported.chain(bounds)))
        }
        Verdict::Vacuous { why, bounds } if bounds.is_empty() => format!("vacuous ({why})"),
        Verdict::Vacuous { why, bounds } => {
            let bounds = join(bounds.iter().map(|bound| bound_text(&bound.what)));
            format!("vacuous ({why}; bounded: {bounds})")
        }
    }
}

/// Describes the verdict on a harness in one line, and how many findings do not count.
pub fn describe_judged(report: &HarnessReport) -> String {
    let verdict = describe(&report.verdict);
    match report.ignored.findings.len() {
        0 => verdict,
        count => format!("{verdict}, {}", ignored_text(count)),
    }
}

/// Returns a number of findings that do not count: `1 finding ignored`.
pub fn ignored_text(count: usize) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} finding{s} ignored")
}

/// Describes the verdict on a harness in one line, how many findings do not count, and whether it
/// is that of an earlier run.
pub fn describe_report(report: &HarnessReport) -> String {
    let verdict = describe_judged(report);
    format!("{verdict}{}", mark(report))
}

/// Returns the suffix of a verdict on a harness that was not explored in this run.
pub fn mark(report: &HarnessReport) -> &'static str {
    if report.cached { " [cached]" } else { "" }
}

/// Returns the verdict as one word, for counting and for programs.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Bug { .. } => "bug",
        Verdict::PassComplete => "pass-complete",
        Verdict::PassBounded { .. } => "pass-bounded",
        Verdict::Inconclusive { .. } => "inconclusive",
        Verdict::Vacuous { .. } => "vacuous",
    }
}

/// Describes a bound.
pub fn bound_text(bound: &Bound) -> String {
    match bound {
        Bound::Timeout => "timeout".to_owned(),
        Bound::MaxPaths => "path limit".to_owned(),
        Bound::MaxInstructions => "instruction limit".to_owned(),
        Bound::MaxQueries => "query limit".to_owned(),
        Bound::MaxMemory => "memory limit".to_owned(),
        Bound::MaxSteps => "step limit of a path".to_owned(),
        Bound::Interrupted => "interrupted".to_owned(),
        Bound::Size(what) | Bound::Assumed(what) => what.clone(),
        Bound::Preemptions(most) => {
            format!("orders of threads with {} a path", preemptions(*most))
        }
        Bound::FirstBug => "stopped at the first bug".to_owned(),
        Bound::NothingNew(paths) => {
            format!("nothing new on {paths} paths after a bug (--after-bug)")
        }
        Bound::Lost(1) => "a part of the paths that no worker finished".to_owned(),
        Bound::Lost(parts) => format!("{parts} parts of the paths that no worker finished"),
    }
}

/// Returns the greatest number of preemptions in words.
fn preemptions(most: u32) -> String {
    match most {
        0 => "no preemption".to_owned(),
        1 => "at most 1 preemption".to_owned(),
        most => format!("at most {most} preemptions"),
    }
}

/// Describes something that is not supported.
pub fn unsupported_text(unsupported: &Unsupported) -> String {
    match unsupported {
        Unsupported::NoModel(function) if library::offers(function) => {
            format!("no model of `{function}`; `cargo symex setup --libc` may provide it")
        }
        Unsupported::NoModel(function) => format!("no model of `{function}`"),
        Unsupported::MachineCode { function, origin } => {
            let file = origin.rsplit_once('/').map_or(origin.as_str(), |at| at.1);
            format!("no bitcode of `{function}`: machine code in `{file}`")
        }
        Unsupported::Model(what) => what.clone(),
        Unsupported::InlineAsm(text) => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            format!("inline assembly `{}`", lines.collect::<Vec<_>>().join("; "))
        }
        Unsupported::Operation(what) => format!("not supported: {what}"),
        Unsupported::Solver(why) => format!("solver: {why}"),
        Unsupported::Resolution(what) => format!("pointer resolution: {what}"),
        Unsupported::Replay(what) => what.clone(),
        Unsupported::Internal(what) => format!("internal error: {what}"),
    }
}

/// Maximal number of reasons in the description of a verdict.
pub const SHOWN: usize = 3;

/// Joins the first few distinct texts.
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
        let bounds = ["a", "b", "a", "c", "d", "e"].map(|text| Counted {
            what: Bound::Size(text.into()),
            at: None,
            count: 1,
        });
        let verdict = Verdict::PassBounded {
            bounds: bounds.clone().into(),
        };
        assert_eq!(describe(&verdict), "pass (bounded: a, b, c, and 2 more)");
        let verdict = Verdict::Vacuous {
            why: "no end".into(),
            bounds: bounds[..2].into(),
        };
        assert_eq!(describe(&verdict), "vacuous (no end; bounded: a, b)");
    }
}
