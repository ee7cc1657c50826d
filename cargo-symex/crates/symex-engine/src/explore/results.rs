//! What explorations of a job have found out: that of one, or of several that share its paths.

use crate::coverage;
use crate::exec::Executor;
use crate::exec::instruction::entered::{Covered, EnteredBlocks};
use crate::exec::path::outcomes::{Outcomes, Tally, Totals};
use serde::{Deserialize, Serialize};
use std::time::Instant;
use symex_program::Program;
use symex_solver::leftovers;
use symex_types::outcome::decision_tree::DecisionTree;
use symex_types::outcome::{Counted, Finding, Outcome, Stats, Unsupported, Verdict};

/// Results of an exploration, without the terms and the solver that it needed.
#[derive(Serialize, Deserialize)]
pub(super) struct Results {
    stats: Stats,
    #[serde(default)]
    decisions: Option<DecisionTree>,
    pub tally: Tally,
    #[serde(skip)]
    entered: EnteredBlocks,
    has_panicked: bool,
    no_panic: Option<Finding>,
    has_assumed: bool,
}

impl Results {
    /// Takes the results of an exploration, and frees the rest.
    pub fn of(executor: Executor) -> Self {
        let stats = stats_of(&executor);
        let Executor {
            outcomes,
            pool,
            queries,
            entered,
            program,
            ..
        } = executor;
        let Outcomes {
            sketch,
            tally,
            has_assumed,
            has_panicked,
            no_panic,
            ..
        } = outcomes;
        // That may take long, where time or memory is used up.
        match queries.alarm.reason(Instant::now()) {
            Some(_) => leftovers::dispose((queries, pool)),
            None => drop((queries, pool)),
        }
        Results {
            stats,
            decisions: sketch.map(|sketch| sketch.tree(program)),
            tally,
            entered,
            has_panicked,
            no_panic,
            has_assumed,
        }
    }

    /// Returns the results of an exploration that goes on.
    pub fn so_far(executor: &Executor) -> Self {
        let outcomes = &executor.outcomes;
        let sketch = outcomes.sketch.as_ref();
        Results {
            stats: stats_of(executor),
            decisions: sketch.map(|sketch| sketch.tree(executor.program)),
            tally: outcomes.tally.uncut(),
            entered: executor.entered.clone(),
            has_panicked: outcomes.has_panicked,
            no_panic: outcomes.no_panic.clone(),
            has_assumed: outcomes.has_assumed,
        }
    }

    /// Returns the results as those of an exploration that has not stopped.
    pub fn uncut(&self) -> Self {
        Results {
            stats: self.stats.clone(),
            decisions: self.decisions.clone(),
            tally: self.tally.uncut(),
            entered: self.entered.clone(),
            has_panicked: self.has_panicked,
            no_panic: self.no_panic.clone(),
            has_assumed: self.has_assumed,
        }
    }

    /// Lets an exploration go on from these results, but for the coverage. Returns the statistics,
    /// which are added to its own when it ends.
    pub fn hand_over(self, executor: &mut Executor) -> Stats {
        let outcomes = &mut executor.outcomes;
        if let Some(sketch) = &mut outcomes.sketch {
            sketch.go_on(self.decisions);
        }
        outcomes.tally = self.tally;
        outcomes.has_panicked = self.has_panicked;
        outcomes.no_panic = self.no_panic;
        outcomes.has_assumed = self.has_assumed;
        self.stats
    }

    /// Returns the coverage.
    pub fn entered(&self) -> &EnteredBlocks {
        &self.entered
    }

    /// Returns the statistics.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Sets the time that the exploration has taken, in seconds.
    pub fn set_seconds(&mut self, seconds: f64) {
        self.stats.seconds = seconds;
    }

    /// Sets the part of it that earlier runs have taken, in seconds.
    pub fn set_earlier_seconds(&mut self, seconds: f64) {
        self.stats.earlier_seconds = seconds;
    }

    /// Sets the number of workers of a cluster that have explored paths.
    pub fn set_workers(&mut self, workers: u64) {
        self.stats.workers = workers;
    }

    /// Sets what was run of a program.
    pub fn set_entered(&mut self, program: &Program, entered: &[Covered]) {
        self.entered = EnteredBlocks::new(program);
        self.entered.enter_by_name(program, entered);
    }

    /// Adds the results of another exploration of other paths of the same job.
    pub fn add(&mut self, other: Results) {
        match (&mut self.decisions, other.decisions) {
            (Some(own), Some(others)) => own.add(others),
            (Some(own), None) => own.is_partial |= other.stats.paths > 0,
            (own, Some(mut others)) => {
                others.is_partial |= self.stats.paths > 0;
                *own = Some(others);
            }
            (None, None) => {}
        }
        self.stats.add(&other.stats);
        self.tally.add(other.tally);
        self.entered.add(&other.entered);
        self.has_assumed |= other.has_assumed;
        self.has_panicked |= other.has_panicked;
        self.no_panic = match (self.no_panic.take(), other.no_panic) {
            _ if self.has_panicked => None,
            (Some(one), Some(other)) if other.is_simpler_than(&one) => Some(other),
            (one, other) => one.or(other),
        };
    }

    /// Adds what was counted apart from the paths.
    pub fn count(&mut self, stats: &Stats) {
        self.stats.add(stats);
    }

    /// Records that paths are missing, and why.
    pub fn lack(&mut self, why: Unsupported) {
        self.tally.lack(why);
    }

    /// Computes the verdict on a program.
    pub fn outcome(self, program: &Program) -> Outcome {
        let Results {
            mut stats,
            mut decisions,
            tally,
            entered,
            no_panic,
            has_assumed,
            ..
        } = self;
        if let Some(tree) = &mut decisions {
            tree.finish();
        }
        stats.library = program.library.clone();
        stats.covered = entered.count() as u64;
        let marks = coverage::marks(program, &entered);
        let left_out = tally.has_left_out();
        let Totals {
            mut findings,
            mut unsupported,
            bounds,
            covers,
        } = tally.finish(stats.paths);
        // Where a path was left out, it may be the one that panics.
        let may_panic = left_out || !unsupported.is_empty();
        let lacks_panic = no_panic.is_some();
        if !may_panic && findings.is_empty() {
            match no_panic {
                // Where what is assumed does not hold, some input may panic.
                Some(_) if has_assumed => unsupported.push(Counted {
                    what: Unsupported::Model("no input panics if what is assumed holds".to_owned()),
                    at: None,
                    count: 1,
                }),
                no_panic => findings.extend(no_panic),
            }
        }
        let unmet = covers.iter().find(|c| !c.1);
        let verdict = if !findings.is_empty() {
            Verdict::Bug {
                unsupported,
                bounds,
            }
        } else if !unsupported.is_empty() || left_out && (stats.completed == 0 || lacks_panic) {
            // Where a path was left out, it may be the one that reaches the end, or panics.
            Verdict::Inconclusive {
                unsupported,
                bounds,
            }
        } else if stats.completed == 0 {
            Verdict::Vacuous {
                why: "no input reaches the end of the harness".to_string(),
                bounds,
            }
        } else if let Some((name, _)) = unmet
            && !left_out
        {
            Verdict::Vacuous {
                why: format!("no input meets cover!({name:?})"),
                bounds,
            }
        } else if !bounds.is_empty() {
            Verdict::PassBounded { bounds }
        } else {
            Verdict::PassComplete
        };
        Outcome {
            verdict,
            findings,
            covers,
            stats,
            decisions,
            marks,
        }
    }
}

/// Returns the statistics of an exploration so far, with what its parts count.
fn stats_of(executor: &Executor) -> Stats {
    let mut stats = executor.outcomes.stats.clone();
    executor.outcomes.tell_work(&mut stats);
    stats.terms = executor.pool.len() as u64;
    stats.term_bytes = executor.pool.bytes() as u64;
    executor.queries.solver.stats().tell(&mut stats);
    executor.policy.tell(&mut stats.memory);
    stats
}
