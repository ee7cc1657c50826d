//! `--stats`: what the exploration of each harness took.

use super::HarnessReport;
use crate::outcome::Stats;

/// One block of lines a harness.
pub fn table(reports: &[HarnessReport]) -> String {
    let mut text = String::new();
    for report in reports {
        text.push_str(&format!("{}\n", report.harness.name));
        for (label, value) in rows(&report.outcome.stats) {
            text.push_str(&format!("  {label:<24} {value:>14}\n"));
        }
    }
    text
}

fn rows(stats: &Stats) -> Vec<(&'static str, String)> {
    let seconds = |value: f64| format!("{value:.3}");
    let rate = if stats.seconds > 0.0 {
        stats.instructions as f64 / stats.seconds
    } else {
        0.0
    };
    vec![
        ("paths", stats.paths.to_string()),
        ("paths to the end", stats.completed.to_string()),
        ("paths assumed away", stats.assumed_away.to_string()),
        ("forks", stats.forks.to_string()),
        ("waiting states (peak)", stats.peak_states.to_string()),
        ("instructions", stats.instructions.to_string()),
        ("instructions covered", stats.covered.to_string()),
        ("instructions a second", format!("{rate:.0}")),
        ("queries", stats.queries.to_string()),
        ("queries to the solver", stats.solver_queries.to_string()),
        ("solver seconds", seconds(stats.solver_seconds)),
        ("terms", stats.terms.to_string()),
        ("seconds", seconds(stats.seconds)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_row() {
        let stats = Stats {
            paths: 101,
            completed: 102,
            assumed_away: 103,
            forks: 104,
            instructions: 105,
            covered: 106,
            queries: 107,
            solver_queries: 108,
            solver_seconds: 109.5,
            seconds: 110.25,
            peak_states: 111,
            terms: 112,
        };
        let values: Vec<String> = rows(&stats).into_iter().map(|(_, value)| value).collect();
        for number in [
            "101", "102", "103", "104", "105", "106", "107", "108", "109.500", "110.250", "111",
            "112",
        ] {
            assert!(
                values.iter().any(|value| value == number),
                "{number} is missing"
            );
        }
    }
}
