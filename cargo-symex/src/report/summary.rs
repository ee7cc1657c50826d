//! The table at the end of a run: one line per harness, then the number of each verdict.

use super::verdict::{describe_judged, word};
use crate::pipeline::HarnessReport;
use anstyle::{AnsiColor, Style};
use symex_types::outcome::Verdict;

/// Width of a verdict in the table, in columns.
const VERDICT_WIDTH: usize = 60;

/// Returns the colour of a verdict.
pub fn style(verdict: &Verdict) -> Style {
    let color = match verdict {
        Verdict::Bug { .. } => AnsiColor::Red,
        Verdict::PassComplete => AnsiColor::Green,
        Verdict::PassBounded { .. } => AnsiColor::Cyan,
        Verdict::Inconclusive { .. } | Verdict::Vacuous { .. } => AnsiColor::Yellow,
    };
    color.on_default().bold()
}

/// Returns the table of harness, verdict, paths and time. The time comes last in its line, so that
/// it can be cut off.
pub fn table(reports: &[HarnessReport]) -> String {
    let rows: Vec<[String; 3]> = reports
        .iter()
        .map(|report| {
            [
                report.harness.name.clone(),
                short(describe_judged(report)),
                report.stats.paths.to_string(),
            ]
        })
        .collect();
    let head = ["harness", "verdict", "paths"];
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let mut text = format!(
        "{:<w0$}  {:<w1$}  {:>w2$}     time\n",
        head[0],
        head[1],
        head[2],
        w0 = widths[0],
        w1 = widths[1],
        w2 = widths[2],
    );
    for (row, report) in rows.iter().zip(reports) {
        let style = style(&report.verdict);
        text.push_str(&format!(
            "{:<w0$}  {style}{:<w1$}{style:#}  {:>w2$}  {:>7}\n",
            row[0],
            row[1],
            row[2],
            time(report),
            w0 = widths[0],
            w1 = widths[1],
            w2 = widths[2],
        ));
    }
    text
}

/// Returns the time that the exploration took in this run.
pub fn time(report: &HarnessReport) -> String {
    if report.cached {
        "cached".to_owned()
    } else {
        format!("{:.2}s", report.stats.seconds)
    }
}

/// Returns a text such as `5 paths in 0.31s`, or for an earlier run `5 paths`. The time comes last,
/// so that it can be cut off.
pub fn effort(report: &HarnessReport) -> String {
    let paths = report.stats.paths;
    let s = if paths == 1 { "" } else { "s" };
    if report.cached {
        return format!("{paths} path{s}");
    }
    let earlier = match report.stats.earlier_seconds {
        0.0 => String::new(),
        seconds => format!(", {seconds:.2}s of it in earlier runs"),
    };
    format!("{paths} path{s} in {}{earlier}", time(report))
}

/// Returns how to go on with the harnesses that stopped at a limit; `None` if there are none.
pub fn resumable(reports: &[HarnessReport]) -> Option<String> {
    let stopped = reports.iter().filter(|report| report.resumable);
    let goes_on = "the same command with `--resume` goes on from there";
    match stopped.collect::<Vec<_>>()[..] {
        [] => None,
        [one] => Some(format!(
            "{} stopped at a limit; {goes_on}",
            one.harness.name
        )),
        ref several => Some(format!(
            "{} harnesses stopped at a limit; {goes_on}",
            several.len()
        )),
    }
}

/// Returns the number of verdicts that are those of earlier runs.
pub fn cached(reports: &[HarnessReport]) -> usize {
    reports.iter().filter(|report| report.cached).count()
}

/// Returns the number of findings that do not count.
pub fn ignored(reports: &[HarnessReport]) -> usize {
    let reports = reports.iter();
    reports.map(|report| report.ignored.findings.len()).sum()
}

/// Shortens a verdict to the width of its column; the full text is in the harness's details.
fn short(verdict: String) -> String {
    match verdict.char_indices().nth(VERDICT_WIDTH) {
        Some((end, _)) => format!("{}…)", verdict[..end].trim_end()),
        None => verdict,
    }
}

/// Returns a text such as `3 harnesses: 1 bug, 2 pass (complete)`.
pub fn counts(reports: &[HarnessReport]) -> String {
    let mut parts = Vec::new();
    for (name, label) in VERDICTS {
        let count = reports
            .iter()
            .filter(|report| word(&report.verdict) == name)
            .count();
        if count > 0 {
            parts.push(format!("{count} {label}"));
        }
    }
    let s = if reports.len() == 1 { "" } else { "es" };
    format!("{} harness{s}: {}", reports.len(), parts.join(", "))
}

/// All verdicts: the word for programs and the label for people.
pub const VERDICTS: [(&str, &str); 5] = [
    ("bug", "bug"),
    ("inconclusive", "inconclusive"),
    ("vacuous", "vacuous"),
    ("pass-bounded", "pass (bounded)"),
    ("pass-complete", "pass (complete)"),
];
