//! Folded stacks: a line for each stack, its frames apart by semicolons, outermost first, and a
//! number. Scripts for flame graphs and speedscope read them.

use super::{BETWEEN, Measure, frame, time};
use symex_types::outcome::profile::Profile;

/// Returns the lines of a run's profiles by a measure. Stacks begin with the harness if there are
/// several.
pub fn lines(profiles: &[(&str, &Profile)], by: Measure) -> Vec<String> {
    let mut lines = Vec::new();
    for (harness, profile) in profiles {
        let root = match profiles.len() {
            1 => String::new(),
            _ => format!("{};", clean(harness)),
        };
        for (at, call) in profile.calls.iter().enumerate() {
            let amount = by.of(&call.work);
            if amount == 0 {
                continue;
            }
            let frames = profile.stack(at);
            let mut frames: Vec<String> =
                frames.map(|at| clean(&frame(&profile.calls[at]))).collect();
            frames.reverse();
            lines.push(format!("{root}{} {amount}", frames.join(";")));
        }
        let between = by.of(&time(profile.other_seconds));
        if between > 0 {
            lines.push(format!("{root}{BETWEEN} {between}"));
        }
    }
    lines.sort();
    lines
}

/// Replaces what divides frames.
fn clean(frame: &str) -> String {
    frame.replace([';', '\n'], ",")
}

#[cfg(test)]
mod tests {
    use super::super::tests::example;
    use super::*;

    #[test]
    fn a_stack_is_a_line_with_its_own_amount() {
        let profile = example();
        assert_eq!(
            lines(&[("one", &profile)], Measure::Time),
            [
                "(between paths) 125000",
                "demo::main:3 250000",
                "demo::main:3;demo::parse:9 500000",
                "demo::main:3;demo::parse:9;core::slice::cmp::equal:5 1250000",
            ]
        );
        let forks = lines(&[("one", &profile), ("two", &profile)], Measure::Forks);
        assert_eq!(forks.len(), 6);
        assert_eq!(forks[0], "one;demo::main:3 1");
    }
}
