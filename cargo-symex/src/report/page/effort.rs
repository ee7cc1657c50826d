//! Where time and memory went: by line, by stage of the solver, and by harness.

use super::overview::duration;
use super::{Page, Shown, grouped};
use maud::{Markup, html};
use symex_types::outcome::Stats;
use symex_types::outcome::stats::LineStats;

/// Most lines and harnesses that are shown.
const LINES: usize = 20;
const HARNESSES: usize = 40;

/// Least seconds for which a stage of the solver is shown.
const LEAST: f64 = 0.001;

/// Returns the part about the time of all harnesses.
pub(super) fn time_part(page: &Page) -> Markup {
    let mut sum = Stats::default();
    let explored = page.harnesses.iter();
    let mut explored: Vec<&Shown> = explored.filter(|shown| !shown.report.cached).collect();
    explored
        .iter()
        .for_each(|shown| sum.add(&shown.report.stats));
    explored.sort_by(|a, b| b.report.stats.seconds.total_cmp(&a.report.stats.seconds));
    let cached = page.harnesses.len() - explored.len();
    let most = explored
        .first()
        .map_or(0.0, |shown| shown.report.stats.seconds);
    html! {
        section.part #time hidden {
            h2 { "Where time went" }
            p {
                (duration(sum.seconds)) " of exploration, " (duration(in_queries(&sum))) " of it in queries of the solver."
                @if cached > 0 { " " (cached) " verdicts are of earlier runs, whose time is not counted." }
            }
            h3 { "By harness" }
            div.wide {
                table.bars {
                    thead { tr { th { "harness" } th.number { "seconds" } th.number { "in queries" } th {} } }
                    tbody {
                        @for shown in explored.iter().take(HARNESSES) {
                            @let stats = &shown.report.stats;
                            tr {
                                td { a href={ "#" (shown.id) } { (shown.report.harness.name) } }
                                td.number { (seconds(stats.seconds)) }
                                td.number { (seconds(in_queries(stats))) }
                                td.bar-cell { (bar(&[
                                    ("solver", in_queries(stats)),
                                    ("engine", (stats.seconds - in_queries(stats)).max(0.0)),
                                ], most)) }
                            }
                        }
                    }
                }
            }
            @if explored.len() > HARNESSES {
                p.quiet { (explored.len() - HARNESSES) " quicker ones are not shown here." }
            }
            p.legend.time { span.solver { "solver" } span.engine { "everything else" } }
            (lines(&sum, None))
            (stages(&sum))
        }
    }
}

/// Labels of the statistics that the part about memory has.
pub(super) const OF_MEMORY: [&str; 11] = [
    "waiting states (peak)",
    "bytes of states (peak)",
    "bytes of terms",
    "objects split",
    "accesses to parts of them",
    "segments made",
    "objects moved into segments",
    "bytes of a segment (most)",
    "members of a segment (most)",
    "arrays made",
    "elements of arrays",
];

/// Returns the part about memory, which the script fills.
pub(super) fn memory_part() -> Markup {
    html! {
        section.part #memory hidden {
            h2 { "Memory" }
            p {
                "What objects, segments and arrays of symbolic memory came to, and how large states and terms were. All numbers of a harness, as "
                code { "--stats=all" } " has them, are in its own part."
            }
            p {
                label.check { input type="checkbox" id="zeros"; " Show columns without any number" }
            }
            div.wide data-memory {}
        }
    }
}

/// Returns where the time of one harness went.
pub(super) fn of_harness(shown: &Shown) -> Markup {
    let stats = &shown.report.stats;
    let lines = lines(stats, Some(shown));
    let stages = stages(stats);
    html! {
        @if stats.forks > 0 || stats.solver_seconds > 0.0 {
            h3 { "Where time went" }
            p.facts {
                span { (grouped(stats.forks)) " forks" }
                span { (grouped(stats.instructions)) " instructions" }
                span { (grouped(stats.queries)) " queries, " (grouped(stats.solver_queries)) " to Z3" }
                span { "at most " (grouped(stats.peak_states)) " states waiting" }
                span { (seconds(in_queries(stats))) " s in queries" }
            }
            (lines)
            (stages)
        }
    }
}

/// Returns the seconds that all stages of the solver took, up to those of the exploration: threads
/// ask at the same time.
fn in_queries(stats: &Stats) -> f64 {
    stats.query_seconds().min(stats.seconds)
}

fn seconds(value: f64) -> String {
    format!("{value:.3}")
}

/// Returns the lines at which paths forked or the solver took long, those with most first.
fn lines(stats: &Stats, of: Option<&Shown>) -> Markup {
    let mut lines: Vec<&LineStats> = stats.lines.iter().collect();
    let forks: u64 = lines.iter().map(|line| line.forks).sum();
    let time: f64 = lines.iter().map(|line| line.solver_seconds).sum();
    // A line counts by the greater of its two shares.
    let share = |line: &LineStats| {
        let forks = line.forks as f64 / forks.max(1) as f64;
        forks.max(if time > 0.0 {
            line.solver_seconds / time
        } else {
            0.0
        })
    };
    lines.sort_by(|a, b| share(b).total_cmp(&share(a)));
    let more = lines.len().saturating_sub(LINES);
    lines.truncate(LINES);
    if lines.is_empty() {
        return Markup::default();
    }
    let most_forks = lines.iter().map(|line| line.forks).max().unwrap_or(0) as f64;
    let most_time = lines
        .iter()
        .map(|line| line.solver_seconds)
        .fold(0.0, f64::max);
    let place = |line: &LineStats| {
        let at = symex_types::outcome::SourceLoc::new(&*line.file, line.line, 0);
        of.map_or_else(
            || format!("{}:{}", line.file, line.line),
            |shown| shown.places.show(&at),
        )
    };
    html! {
        h4 { "By line" }
        div.wide {
            table.bars {
                thead { tr { th { "line" } th.number { "forks" } th {} th.number { "seconds of slow queries" } th {} } }
                tbody {
                    @for line in lines {
                        tr {
                            td { code.places { (place(line)) } }
                            td.number { (grouped(line.forks)) }
                            td.bar-cell { (bar(&[("forks", line.forks as f64)], most_forks)) }
                            td.number { (seconds(line.solver_seconds)) }
                            td.bar-cell { (bar(&[("solver", line.solver_seconds)], most_time)) }
                        }
                    }
                }
            }
        }
        @if more > 0 { p.quiet { (more) " more lines have less." } }
    }
}

/// Returns the stages of the solver that took longest.
fn stages(stats: &Stats) -> Markup {
    let stages = stats.stages.iter();
    let mut stages: Vec<_> = stages.filter(|stage| stage.seconds >= LEAST).collect();
    stages.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let most = stages.first().map_or(0.0, |stage| stage.seconds);
    html! {
        @if !stages.is_empty() {
            h4 { "By stage of the solver" }
            div.wide {
                table.bars {
                    thead { tr { th { "stage" } th.number { "answered" } th.number { "seconds" } th {} } }
                    tbody {
                        @for stage in stages {
                            tr {
                                td { (stage.name) }
                                td.number { (grouped(stage.answered)) }
                                td.number { (seconds(stage.seconds)) }
                                td.bar-cell { (bar(&[("solver", stage.seconds)], most)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a bar of parts in colours, where `most` is as long as there is room.
fn bar(parts: &[(&str, f64)], most: f64) -> Markup {
    let mut x = 0.0;
    let parts = parts.iter().map(|(class, value)| {
        let width = if most > 0.0 {
            value / most * 100.0
        } else {
            0.0
        };
        let part = (class, x, width);
        x += width;
        part
    });
    html! {
        svg.bar aria-hidden="true" {
            @for (class, x, width) in parts {
                rect class=(class) x=(format!("{x:.2}%")) width=(format!("{width:.2}%")) height="100%" {}
            }
        }
    }
}
