//! A run as Markdown, for the summary of a workflow or a comment: a table of the harnesses, then
//! each finding with its details folded.

use super::coverage;
use super::human;
use super::ignored;
use super::recorded::RecordedRun;
use super::repository::Repository;
use super::summary;
use super::verdict::{describe_report, ignored_text};
use crate::confirm::{FindingReport, kind_name};
use crate::pipeline::HarnessReport;
use crate::source::place::Places;
use std::path::Path;
use symex_types::outcome::Verdict;

/// Most harnesses in the table. Those with the gravest verdicts stay: what readers take is limited,
/// at 1 MiB for GitHub.
const ROWS: usize = 500;

/// Most findings with their details.
const FINDINGS: usize = 50;

/// Most bytes of the details of one finding.
const DETAILS: usize = 8 << 10;

/// Returns the text of a run. Paths below `here` are shown relative to it.
pub fn text(run: &RecordedRun, here: &Path) -> String {
    let mut text = format!("## cargo symex: {}\n\n", run.code.meaning());
    if let Some(partition) = &run.facts.partition {
        text.push_str(&format!("Part `{partition}` of the harnesses.\n\n"));
    }
    text.push_str(&table(&run.reports));
    text.push_str(&format!(
        "{}{}\n",
        summary::counts(&run.reports),
        left_out(run)
    ));
    if let Some(coverage) = coverage::of_all(&run.reports) {
        text.push_str(&format!("\nCoverage: {coverage}.\n"));
    }
    text.push_str(&ignored_findings(run, here));
    let findings = run.reports.iter();
    let findings = findings.flat_map(|report| report.findings.iter().map(move |one| (report, one)));
    for (report, detail) in findings.clone().take(FINDINGS) {
        text.push_str(&finding(run, report, detail, here));
    }
    let more = findings.count().saturating_sub(FINDINGS);
    if more > 0 {
        text.push_str(&format!("\n{more} more findings are left out here.\n"));
    }
    text
}

/// Returns the harnesses that were not run, after the number of those that were.
fn left_out(run: &RecordedRun) -> String {
    let counts = [
        (run.not_run.len(), "not run"),
        (run.ignored.len(), "ignored"),
        (run.filtered_out, "filtered out"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let left_out: String = counts
        .map(|(count, what)| format!("; {count} {what}"))
        .collect();
    match summary::ignored(&run.reports) {
        0 => left_out,
        count => format!("{left_out}; {}", ignored_text(count)),
    }
}

/// Returns the findings that do not count, folded, each with its reason.
fn ignored_findings(run: &RecordedRun, here: &Path) -> String {
    let count = summary::ignored(&run.reports);
    if count == 0 {
        return String::new();
    }
    let lines = run.reports.iter().flat_map(|report| {
        let places = Places {
            here: here.to_owned(),
            package: report.harness.manifest_dir.clone(),
        };
        let findings = report.ignored.findings.iter();
        findings.map(move |one| {
            let line = ignored::line(report, one, &places);
            let name = code(&report.harness.name);
            format!("- {name}: {}\n", escaped(&line))
        })
    });
    let lines: String = lines.take(FINDINGS).collect();
    let more = match count.saturating_sub(FINDINGS) {
        0 => String::new(),
        more => format!("- {more} more\n"),
    };
    let title = ignored_text(count);
    format!("\n<details><summary>{title}</summary>\n\n{lines}{more}\n</details>\n")
}

fn table(reports: &[HarnessReport]) -> String {
    if reports.is_empty() {
        return String::new();
    }
    let mut text = "| harness | verdict | paths | time |\n|---|---|--:|--:|\n".to_owned();
    let mut rows: Vec<&HarnessReport> = reports.iter().collect();
    let more = rows.len().saturating_sub(ROWS);
    if more > 0 {
        rows.sort_by_key(|report| rank(&report.verdict));
        rows.truncate(ROWS);
    }
    for report in rows {
        text.push_str(&format!(
            "| {} | {} {} | {} | {} |\n",
            code(&report.harness.name),
            sign(&report.verdict),
            escaped(&describe_report(report)),
            report.stats.paths,
            summary::time(report),
        ));
    }
    if more > 0 {
        text.push_str(&format!("\n{more} more harnesses are left out here.\n"));
    }
    text.push('\n');
    text
}

/// Returns the order of verdicts, the gravest first.
fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Bug { .. } => 0,
        Verdict::Inconclusive { .. } => 1,
        Verdict::Vacuous { .. } => 2,
        Verdict::PassBounded { .. } => 3,
        Verdict::PassComplete => 4,
    }
}

fn sign(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Bug { .. } => "❌",
        Verdict::Inconclusive { .. } | Verdict::Vacuous { .. } => "⚠️",
        Verdict::PassBounded { .. } => "☑️",
        Verdict::PassComplete => "✅",
    }
}

/// Returns a finding: its message and place, with its inputs and all else folded.
fn finding(
    run: &RecordedRun,
    report: &HarnessReport,
    detail: &FindingReport,
    here: &Path,
) -> String {
    let place = Repository::of(&run.facts, report).place(report, &detail.finding);
    let place = place.map(|(at, path)| format!(" at {}:{}", path.display(), at.line));
    let title = format!(
        "{}: {}{}",
        kind_name(detail.finding.kind),
        human::message(&detail.finding, &detail.replay),
        place.unwrap_or_default()
    );
    let places = Places {
        here: here.to_owned(),
        package: report.harness.manifest_dir.clone(),
    };
    let details = human::finding(report, detail, &places, human::Calls::Shortest);
    let details = anstream::adapter::strip_str(&details).to_string();
    format!(
        "\n<details><summary>{}: {}</summary>\n\n{}\n</details>\n",
        html(&report.harness.name),
        html(&title),
        block(cut(&details))
    )
}

/// Returns a text as a block of code, whatever it contains.
fn block(text: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Returns a text as code within a line, in a cell of a table.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    // The bars of a table are looked for before its code is.
    let text = one_line(text).replace('|', "\\|");
    format!("{fence}{space}{text}{space}{fence}")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

/// Returns a text that Markdown shows as it is, in a cell of a table.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        if "\\`*_{}[]<>#|~$@&!".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Returns a text that HTML shows as it is, in a line.
fn html(text: &str) -> String {
    let mut shown = String::new();
    for c in one_line(text).chars() {
        match c {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            // Else Markdown within it.
            '`' | '*' | '_' | '[' | ']' | '~' | '@' | '$' | '\\' | '|' => {
                shown.push_str(&format!("&#{};", u32::from(c)));
            }
            c => shown.push(c),
        }
    }
    shown
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts a long text at the end of a line.
fn cut(text: &str) -> &str {
    if text.len() <= DETAILS {
        return text;
    }
    let end = (0..=DETAILS).rev().find(|end| text.is_char_boundary(*end));
    let text = &text[..end.unwrap_or(0)];
    text.rsplit_once('\n').map_or(text, |(lines, _)| lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;

    #[test]
    fn a_summary_has_a_row_for_each_harness_and_folded_findings() {
        let text = text(&example_run(), Path::new("/repo"));
        for line in [
            "## cargo symex: interrupted (what was found is reported)",
            "Part `hash:1/2` of the harnesses.",
            "| harness | verdict | paths | time |",
            "| `tests::bounded` | ☑️ pass (bounded: length of data at most 4) \\[cached\\] | 7 | cached |",
            "| `tests::parses` | ❌ bug | 7 | 0.25s |",
            "| `tests::passes` | ✅ pass (complete) | 7 | 0.25s |",
            "5 harnesses: 1 bug, 1 inconclusive, 1 vacuous, 1 pass (bounded), 1 pass (complete); 1 not run; 1 ignored; 3 filtered out",
            "<details><summary>tests::parses: panic: index out of bounds: the len is 2 but the index is 9 at parts/src/lib.rs:2</summary>",
            "</details>",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
        }
        assert!(text.contains("inputs: index: u32 = 9"), "{text}");
    }

    #[test]
    fn texts_of_the_program_are_shown_as_they_are() {
        assert_eq!(escaped("a|b *c* <d>\n`e`"), "a\\|b \\*c\\* \\<d\\> \\`e\\`");
        assert_eq!(
            html("<b> & `c`\n_d_"),
            "&lt;b&gt; &amp; &#96;c&#96; &#95;d&#95;"
        );
        assert_eq!(block("a\n```\nb"), "````text\na\n```\nb\n````\n");
        assert_eq!(code("<A as B|C>::d"), "`<A as B\\|C>::d`");
        assert_eq!(code("`a"), "`` `a ``");
        let long = "0123456789abcde\n".repeat(DETAILS / 16 + 1);
        let kept = cut(&long);
        assert!(kept.len() < DETAILS && kept.ends_with("abcde"));
    }

    #[test]
    fn of_very_many_harnesses_the_gravest_are_shown() {
        let mut run = example_run();
        let passes = run.reports[3].clone();
        let bug = run.reports[2].clone();
        run.reports = vec![passes; ROWS];
        run.reports.push(bug);
        let text = table(&run.reports);
        assert!(text.contains("❌ bug"));
        assert!(text.contains("\n1 more harnesses are left out here.\n"));
    }
}
