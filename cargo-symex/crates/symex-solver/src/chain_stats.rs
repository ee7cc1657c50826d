//! Statistics of a chain: numbers for reports and for judging stages.

use super::backend::BackEndStats;
use super::{Answer, Purpose};
use std::collections::BTreeMap;
use std::time::Duration;
use symex_types::outcome::{Stats, stats as outcome};

/// Counts and times since the chain was made.
#[derive(Clone, Default, Debug)]
pub struct SolverStats {
    /// Number of queries by purpose.
    pub queries: BTreeMap<Purpose, u64>,
    /// Number of queries for which Z3 was asked, by purpose: because no stage answered, or by a
    /// stage.
    pub reached: BTreeMap<Purpose, u64>,
    /// Statistics by stage, in the order of the chain; the back end's are in `back_end`.
    pub stages: Vec<StageCounts>,
    /// Statistics of the back end.
    pub back_end: BackEndStats,
    /// Number of `Sat` answers of all stages together.
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Time in the chain, the back end included.
    pub time: Duration,
    /// Number of cached answers that the back end contradicted (only when caches are validated).
    pub cache_errors: u64,
}

/// Counts and time of one stage.
#[derive(Clone, Debug)]
pub struct StageCounts {
    pub name: &'static str,
    /// Number of queries that the stage answered.
    pub answered: u64,
    /// Number of answered queries whose answer is an assignment.
    pub satisfied: u64,
    /// Number of queries that the stage replaced by equivalent ones.
    pub rewritten: u64,
    /// Number of queries for which it asked a solver, whether or not that gave an answer.
    pub asked_solver: u64,
    /// Work of the stage, if it counts any: see [`Stage::work`](super::stage::Stage::work).
    pub work: u64,
    /// Time in the stage.
    pub time: Duration,
}

impl SolverStats {
    /// Copies the numbers to the statistics of a run.
    pub fn tell(&self, stats: &mut Stats) {
        stats.queries = self.total();
        stats.solver_queries = self.back_end.queries;
        stats.solver_queries_of_stages = self.stages.iter().map(|s| s.asked_solver).sum();
        stats.unanswered = self.unknown;
        stats.solver_seconds = self.back_end.time.as_secs_f64();
        let purposes = self.queries.iter();
        stats.purposes = purposes
            .map(|(purpose, count)| (purpose.word().to_owned(), *count))
            .collect();
        let stages = self.stages.iter().map(|stage| outcome::StageStats {
            name: stage.name.to_owned(),
            answered: stage.answered,
            satisfied: stage.satisfied,
            rewritten: stage.rewritten,
            seconds: stage.time.as_secs_f64(),
        });
        let z3 = outcome::StageStats {
            name: "z3".to_owned(),
            answered: self.back_end.sat + self.back_end.unsat,
            satisfied: self.back_end.sat,
            rewritten: 0,
            seconds: self.back_end.time.as_secs_f64(),
        };
        stats.stages = stages.chain([z3]).collect();
    }

    /// Adds the statistics of another chain of the same stages.
    pub fn add(&mut self, other: &SolverStats) {
        for (sum, part) in [
            (&mut self.queries, &other.queries),
            (&mut self.reached, &other.reached),
        ] {
            for (purpose, count) in part {
                *sum.entry(*purpose).or_default() += count;
            }
        }
        if self.stages.is_empty() {
            self.stages = other.stages.clone();
        } else {
            for (sum, part) in self.stages.iter_mut().zip(&other.stages) {
                debug_assert_eq!(sum.name, part.name);
                sum.answered += part.answered;
                sum.satisfied += part.satisfied;
                sum.rewritten += part.rewritten;
                sum.asked_solver += part.asked_solver;
                sum.work += part.work;
                sum.time += part.time;
            }
        }
        self.back_end.add(&other.back_end);
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.time += other.time;
        self.cache_errors += other.cache_errors;
    }

    /// Returns the number of queries.
    pub fn total(&self) -> u64 {
        self.queries.values().sum()
    }

    /// Returns the number of queries for which Z3 was asked.
    pub fn reached_solver(&self) -> u64 {
        self.reached.values().sum()
    }

    /// Returns the work of Z3 (if it is counted, see
    /// [`Chain::count_work`](super::Chain::count_work)) and of the stages that count theirs, in
    /// units of some 0.2 us. It is the same for the same queries in the same order, as long as no
    /// time limit ends one.
    pub fn work(&self) -> u64 {
        self.back_end.work + self.stages.iter().map(|s| s.work).sum::<u64>()
    }

    pub(super) fn count(&mut self, answer: &Answer) {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}
