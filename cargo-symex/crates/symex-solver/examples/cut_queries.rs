//! Cuts a log of queries down to a few on which a stage of the chain pays.
//!
//! `cargo run --release -p symex-solver --example cut_queries -- "case split" LOG NEW` runs the
//! queries of a log on the whole chain and on one without the stage, starts from those that take
//! the most additional work without it, and leaves out all other queries that can go while most of
//! that difference stays. The logs in `tests/solver/queries` were made this way.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use symex_solver::log_replay::{LogReplay, Replayed};
use symex_types::config::SolverConfig;

/// Greatest number of queries of a log that are examined.
const MOST: usize = 3_000;
/// Number of queries to start from: those that take the most work without the stage.
const TARGETS: usize = 3;
/// Time limit of one query, long enough that it ends none.
const LIMIT: Duration = Duration::from_secs(20);

/// A log, and the stage to cut it for.
struct Cut<'a> {
    text: &'a str,
    stage: &'a str,
}

impl Cut<'_> {
    fn replay(&self, without: bool, only: &BTreeSet<usize>, log: Option<PathBuf>) -> Replayed {
        let replay = LogReplay {
            config: SolverConfig {
                without_stages: without.then(|| self.stage.to_owned()).into_iter().collect(),
                query_log: log,
                ..SolverConfig::default()
            },
            limit: Some(LIMIT),
            only: Some(only.clone()),
            ..LogReplay::default()
        };
        replay.run(self.text).expect("a log of queries")
    }

    /// Returns the work for some queries with the stage, and without it.
    fn work(&self, only: &BTreeSet<usize>) -> (u64, u64) {
        let [with, without] = [false, true].map(|without| {
            let done = self.replay(without, only, None);
            done.stats.work()
        });
        (with, without)
    }

    /// Returns the positions of the queries that are left.
    fn cut(&self) -> BTreeSet<usize> {
        let all: BTreeSet<usize> = (0..MOST).collect();
        let [with, without] = [false, true].map(|without| self.replay(without, &all, None).each);
        let gain = |at: usize| without[at].work.saturating_sub(with[at].work);
        let mut targets: Vec<usize> = (0..with.len()).collect();
        // A stage that only rewrites answers none.
        if with
            .iter()
            .any(|asked| asked.by == self.stage && gain(asked.place) > 0)
        {
            targets.retain(|at| with[*at].by == self.stage);
        }
        targets.sort_by_key(|at| std::cmp::Reverse(gain(*at)));
        targets.truncate(TARGETS);
        targets.retain(|at| gain(*at) > 0);
        let least = targets.iter().map(|at| gain(*at)).sum::<u64>() / 2;
        let last = targets.iter().copied().max().unwrap_or(0);
        let mut kept: BTreeSet<usize> = match targets.is_empty() {
            true => BTreeSet::new(),
            false => (0..=last).collect(),
        };
        let serves = |some: &BTreeSet<usize>| {
            let (with, without) = self.work(some);
            without.saturating_sub(with) >= least
        };
        // The targets alone do for all stages but caches.
        let alone: BTreeSet<usize> = targets.iter().copied().collect();
        if serves(&alone) {
            kept = alone;
        }
        let mut size = kept.len().div_ceil(2);
        while size > 0 {
            let places: Vec<usize> = kept.iter().copied().collect();
            for chunk in places.chunks(size).rev() {
                let fewer: BTreeSet<usize> = &kept - &chunk.iter().copied().collect();
                if serves(&fewer) {
                    kept = fewer;
                }
            }
            size /= 2;
        }
        kept
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [stage, log, new] = words.as_slice() else {
        eprintln!("usage: cut_queries STAGE LOG NEW");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(log) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: failed to read {log}: {error}");
            return ExitCode::from(2);
        }
    };
    let cut = Cut { text: &text, stage };
    let kept = cut.cut();
    if kept.is_empty() {
        eprintln!("error: {stage} does not pay on {log}");
        return ExitCode::from(1);
    }
    let done = cut.replay(false, &kept, Some(new.into()));
    let (with, without) = cut.work(&kept);
    println!(
        "{} queries, {} by the stage: work {with} with it, {without} without",
        kept.len(),
        done.each.iter().filter(|asked| asked.by == stage).count()
    );
    ExitCode::SUCCESS
}
