//! Tests of explorations whose regions are explored one by one, as by the workers of a cluster:
//! together they find the same as one that explores them all.

use super::resuming::{Subject, check, compare};
use super::sharing::sharing;
use crate::support::limited::{LIMIT, watch};
use std::collections::VecDeque;
use std::time::Duration;
use symex_engine::{Found, Part, Regions, Remainder, Sum, explore_regions};
use symex_types::outcome::Outcome;

/// Number of parts after which more work is done in each.
const MANY: usize = 30;

/// Explores in parts of so much work, in microseconds, each of which is split into so many; returns
/// the number of parts, too. `None` if the exploration ends before there is a part.
fn explore_in_parts(subject: &Subject, turn: u64, split: usize) -> Option<(Outcome, usize)> {
    let _watch = watch(LIMIT);
    let mut config = sharing();
    config.limits.timeout = Some(Duration::ZERO);
    let (_, kept) = subject.explore(config, None);
    let rest = Remainder::from_bytes(kept.last()?).expect("a remainder can be read");
    let (found, regions) = rest.into_parts();
    let mut sum = Sum::new(&subject.program, found).expect("it can be read");
    let mut open = VecDeque::from([regions]);
    let mut parts = 0;
    while let Some(regions) = open.pop_front() {
        let bytes = regions.to_bytes().expect("regions can be written");
        let regions = Regions::from_bytes(&bytes).expect("regions can be read");
        let turn = turn << (parts / MANY);
        let part = explore_regions(&subject.job(sharing()), regions, turn, |_| false);
        let Part { found, left, .. } = part.expect("what is left can be told");
        let bytes = found.to_bytes().expect("what was found can be written");
        assert!(sum.add(Found::from_bytes(&bytes).expect("it can be read")));
        open.extend(left.into_iter().flat_map(|left| left.split(split)));
        parts += 1;
    }
    Some((sum.outcome(), parts))
}

#[test]
fn parts_add_up_to_the_whole() {
    let parts = check(|subject, whole| {
        let mut count = 0;
        for (turn, split) in [(5, 2), (100, 5)] {
            let Some((outcome, parts)) = explore_in_parts(subject, turn, split) else {
                continue;
            };
            compare(whole, &outcome, &format!("in {parts} parts"))?;
            let tree = &outcome.stats.tree;
            let ends: f64 = (0..)
                .zip(&tree.ends)
                .map(|(d, n)| *n as f64 / 2f64.powi(d))
                .sum();
            if ends != tree.roots.max(1) as f64 {
                return Err(format!("the weights of its ends add up to {ends}"));
            }
            count += parts;
        }
        Ok(count)
    });
    assert!(parts > 400, "{parts}");
}
