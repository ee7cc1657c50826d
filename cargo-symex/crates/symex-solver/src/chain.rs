//! The chain: the one list of stages, and the walk along it.
//!
//! Order, cheapest and most general first:
//! 1. `address_aware_cache`: bases count by their objects' sizes, so before they are replaced by
//!    addresses.
//! 2. `address`: keys of all caches become free of bases, and constants fold: many goals are
//!    decided by that.
//! 3. `query_cache`: one look-up. Before the stages that rewrite or try, as it saves them too.
//! 4. `equality`: often leaves a constant, and otherwise a smaller goal for all that follows.
//! 5. `tabulation`: takes floats that few integers decide out of what all that follows sees.
//! 6. `small_domain`: complete for terms over single bytes, and without regard to history.
//! 7. `comparison_graph`: a graph of what is compared, and one evaluation.
//! 8. `interval`: ranges of divisions, products and sums, which are no small diagrams; for a
//!    millisecond at most.
//! 9. `value_list`: complete for what a few bytes of a text decide, by evaluation; nothing that
//!    follows is as cheap for tables.
//! 10. `cancellation`: numbers that were taken apart and put together again, where only the whole
//!     goal shows that. It may leave a smaller one, so before the stages that search.
//! 11. `congruence`: complete for digits and remainders of one word, where ranges are not.
//! 12. `case_split`: asks all of that for each value of a word that has few, so after it.
//! 13. `linear`: sums and differences of what was compared, which are no small diagrams.
//! 14. `bdd`: complete for what a few bytes decide together, and cheap once a path's constraints
//!     are known; but the diagrams of a long chain of comparisons are not small, so after
//!     `comparison_graph`.
//! 15. `renaming_cache`: one look-up, but by a name that takes a walk over the query to find.
//! 16. `assignment_cache`: a dozen evaluations.
//! 17. `stored_answers`: one look-up in a store, where there is one.
//! 18. `case split by places`: for reads at a few places, and terms that few values choose between,
//!     both of which diagrams mostly decide.
//! 19. `mixed_radix`: asks some of that again for quotients and remainders in place of what is
//!     divided, and passes on what is left in this form.
//! 20. `cegar`: only for queries with hashes, and for those Z3 without what keeps it busy.
//! 21. `interval search`: like `interval`, with a budget that only solvers exceed. Hashes have no
//!     ranges worth a search, so behind `cegar`.
//! 22. `brute_force`: all values of a few input bits one by one, if that takes a tenth of a second,
//!     and so less than what follows may. Longer searches wait until Z3 has had a glance at the
//!     query, and come before the rest of what it does.
//! 23. `box_search`: all values of a few input bits, not one by one, which may take a second: for
//!     what nothing but a solver is left.
//! 24. Z3.
//!
//! Each stage saves work that the others would do: `tests/solver/each_stage_pays.rs` leaves out one
//! after the other.
//!
//! Invariant: the same queries in the same order give the same answers, timeouts aside.

use super::backend::{BackEnd, Cegar, InterruptHandle, Z3, Z3Settings};
use super::chain_stats::{SolverStats, StageCounts};
use super::log::QueryLog;
use super::stage::address::Address;
use super::stage::address_aware_cache::AddressAwareCache;
use super::stage::assignment_cache::AssignmentCache;
use super::stage::bdd::BddStage;
use super::stage::box_search::BoxSearch;
use super::stage::brute_force::BruteForce;
use super::stage::cancellation::Cancellation;
use super::stage::case_split::CaseSplit;
use super::stage::comparison_graph::ComparisonGraph;
use super::stage::congruence::Congruence;
use super::stage::equality::Equality;
use super::stage::interval::IntervalStage;
use super::stage::linear::Linear;
use super::stage::mixed_radix::MixedRadix;
use super::stage::query_cache::QueryCache;
use super::stage::renaming_cache::RenamingCache;
use super::stage::small_domain::SmallDomain;
use super::stage::stored_answers::StoredAnswers;
use super::stage::tabulation::Tabulation;
use super::stage::value_list::ValueLists;
use super::stage::walk::Walk;
use super::stage::{Stage, StageOutcome};
use super::{Answer, AnswerStore, Query, Solver, Unknown};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symex_terms::{Pool, Symbol};
use symex_types::config::{Experiment, SolverConfig};

/// A function that makes a stage.
type Make = fn() -> Box<dyn Stage>;

/// Constructors of all stages, in order.
const STAGES: [Make; 23] = [
    || Box::new(AddressAwareCache::default()),
    || Box::new(Address::default()),
    || Box::new(QueryCache::default()),
    || Box::new(Equality::default()),
    || Box::new(Tabulation::default()),
    || Box::new(SmallDomain::default()),
    || Box::new(ComparisonGraph),
    || Box::new(IntervalStage::glance()),
    || Box::new(ValueLists::default()),
    || Box::new(Cancellation::default()),
    || Box::new(Congruence::default()),
    || Box::new(CaseSplit::by_factors()),
    || Box::new(Linear),
    || Box::new(BddStage::default()),
    || Box::new(RenamingCache::default()),
    || Box::new(AssignmentCache::default()),
    || Box::new(StoredAnswers::default()),
    || Box::new(CaseSplit::by_places()),
    || Box::new(MixedRadix::default()),
    || Box::new(Cegar::default()),
    || Box::new(IntervalStage::search()),
    || Box::new(BruteForce::default()),
    || Box::new(BoxSearch::default()),
];

/// Bytes that Z3 may hold before its context is replaced.
const Z3_MEMORY: u64 = 2 << 30;

/// Value of `answered_by` if no stage ran.
const NO_STAGE: &str = "none";

/// The solver of one worker: the stages and the back end.
pub struct Chain {
    stages: Vec<Box<dyn Stage>>,
    back_end: Box<dyn BackEnd>,
    interrupt: InterruptHandle,
    /// Whether the back end is to spend little on a query.
    brief: bool,
    deadline: Option<Instant>,
    timeout: Duration,
    validate: bool,
    give_up_every: Option<u64>,
    asked: u64,
    /// Identity of the pool whose terms the stages remember.
    pool: Option<Arc<[Symbol]>>,
    stats: SolverStats,
    /// Name of the stage that gave the last answer, or of the back end.
    answered_by: &'static str,
    log: Option<QueryLog>,
}

impl Chain {
    /// Makes the chain of a configuration.
    pub fn new(config: &SolverConfig) -> Self {
        Self::with_experiment(config, &Experiment::default())
    }

    /// Makes the chain of a configuration, with mechanisms turned off.
    pub fn with_experiment(config: &SolverConfig, experiment: &Experiment) -> Self {
        let off = |name| config.without_stages.iter().any(|other| other == name);
        let stages = STAGES.iter().map(|make| make());
        let stages = stages.filter(|stage| !off(stage.name())).collect();
        Self::build(config, experiment, stages)
    }

    /// Returns the names of all stages, in order.
    pub fn stage_names() -> Vec<&'static str> {
        STAGES.iter().map(|make| make().name()).collect()
    }

    /// Makes a chain without stages: the back end alone.
    pub fn bare(config: &SolverConfig) -> Self {
        Self::with_stages(config, Vec::new())
    }

    /// Makes a chain of any stages before the back end.
    pub fn with_stages(config: &SolverConfig, stages: Vec<Box<dyn Stage>>) -> Self {
        Self::build(config, &Experiment::default(), stages)
    }

    fn build(
        config: &SolverConfig,
        experiment: &Experiment,
        mut stages: Vec<Box<dyn Stage>>,
    ) -> Self {
        let interrupt = InterruptHandle::new();
        for stage in &mut stages {
            stage.bound(&interrupt, None, config.query_timeout);
        }
        let settings = Z3Settings {
            timeout: config.query_timeout,
            memory: Z3_MEMORY,
            log: config.smtlib_log.clone(),
            compare_stores: !experiment.stores_as_arrays,
        };
        let rows = stages.iter().map(|s| StageCounts {
            name: s.name(),
            answered: 0,
            satisfied: 0,
            rewritten: 0,
            asked_solver: 0,
            work: 0,
            time: Default::default(),
        });
        let stats = SolverStats {
            stages: rows.collect(),
            ..Default::default()
        };
        let back_end = Box::new(Z3::new(settings, interrupt.clone()));
        Chain {
            stages,
            back_end,
            interrupt,
            brief: false,
            deadline: None,
            timeout: config.query_timeout,
            validate: config.validate_cache,
            give_up_every: experiment.give_up_every,
            asked: 0,
            pool: None,
            stats,
            answered_by: NO_STAGE,
            // The command line has tried whether it can be written.
            log: config
                .query_log
                .as_ref()
                .and_then(|path| QueryLog::create(path).ok()),
        }
    }

    /// Sets the store of answers from earlier runs and for later ones.
    pub fn set_answer_store(&mut self, mut answers: Option<Box<dyn AnswerStore>>) {
        self.stages
            .iter_mut()
            .for_each(|s| s.keep_answers(&mut answers));
    }

    /// Returns counts and times of the chain so far.
    pub fn stats(&self) -> &SolverStats {
        &self.stats
    }

    /// Returns the number of queries asked so far.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Returns the name of the stage that gave the last answer, or of the back end.
    pub fn answered_by(&self) -> &'static str {
        self.answered_by
    }

    /// Returns a handle to stop a running query from another thread, and all later ones until it is
    /// cleared.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.interrupt.clone()
    }

    /// Sets whether the statistics count the work of the back end from now on, which costs a little
    /// time.
    pub fn count_work(&mut self, on: bool) {
        self.back_end.count_work(on);
    }

    /// Sets the time at which queries end even if their timeout is later.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.back_end.set_deadline(deadline);
        self.deadline = deadline;
        self.bound_stages();
    }

    /// Sets the timeout of each later query.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.back_end.set_timeout(timeout);
        self.timeout = timeout;
        self.bound_stages();
    }

    /// Sets whether the back end spends little on each later query, and leaves it without an answer
    /// otherwise. How little is a number of steps: answers do not depend on the machine's load.
    pub fn set_brief(&mut self, brief: bool) {
        self.brief = brief;
    }

    fn bound_stages(&mut self) {
        for stage in &mut self.stages {
            stage.bound(&self.interrupt, self.deadline, self.timeout);
        }
    }

    fn adopt(&mut self, pool: &Pool) {
        if !self
            .pool
            .as_ref()
            .is_some_and(|p| Arc::ptr_eq(p, pool.identity()))
        {
            self.pool = Some(pool.identity().clone());
            self.stages.iter_mut().for_each(|s| s.reset());
            if let Some(log) = &mut self.log {
                log.pool();
            }
        }
    }

    fn walk(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        let mut walk = Walk::default();
        let rows = &mut self.stats.stages;
        let (interrupt, deadline) = (&self.interrupt, self.deadline);
        let answered = walk.forwards(&mut self.stages, pool, query, |i, step, time| {
            count_step(&mut rows[i], step, time);
            // A query of millions of terms takes each stage a tenth of a second.
            match end(interrupt, deadline) {
                None => ControlFlow::Continue(()),
                Some(_) => ControlFlow::Break(()),
            }
        });
        let last = walk.last(query);
        let mut asked_solver = answered.is_none();
        let answer = match answered {
            None => self.ask_back_end(pool, &last),
            Some((answer, by)) => {
                self.answered_by = self.stages[by].name();
                match self.validate && self.stages[by].is_cache() {
                    true => self.validated(pool, &last, answer),
                    false => answer,
                }
            }
        };
        for (row, stage) in self.stats.stages.iter_mut().zip(&self.stages) {
            asked_solver |= stage.asked_solver() > row.asked_solver;
            row.asked_solver = stage.asked_solver();
            row.work = stage.work();
        }
        if asked_solver {
            *self.stats.reached.entry(query.purpose).or_default() += 1;
        }
        walk.backwards(&mut self.stages, pool, query, answer)
    }

    /// Asks the back end, and in between a stage that has waited for a glance of it.
    fn ask_back_end(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        self.answered_by = self.back_end.name();
        let waiting = self.stages.iter().position(|stage| stage.waits());
        if waiting.is_none() && !self.brief {
            return self.back_end.check(pool, query);
        }
        if let Some(answer) = self.back_end.glance(pool, query) {
            return answer;
        }
        if let Some(why) = end(&self.interrupt, self.deadline) {
            return Answer::Unknown(why);
        }
        if let Some(waiting) = waiting {
            let start = Instant::now();
            let step = self.stages[waiting].after_glance(pool, query);
            count_step(&mut self.stats.stages[waiting], &step, start.elapsed());
            if let StageOutcome::Answer(answer) = step {
                self.answered_by = self.stages[waiting].name();
                return answer;
            }
        }
        match self.brief {
            true => Answer::Unknown(Unknown::Brief),
            false => self.back_end.check_on(pool, query),
        }
    }

    /// Checks a cached answer: returns it, or the back end's if that contradicts it.
    fn validated(&mut self, pool: &mut Pool, query: &Query, cached: Answer) -> Answer {
        let fits = match &cached {
            Answer::Sat(a) => query.holds(pool, a),
            _ => true,
        };
        let answer = self.back_end.check(pool, query);
        match (&cached, &answer) {
            (_, Answer::Unknown(_)) if fits => cached,
            (Answer::Sat(_), Answer::Sat(_)) | (Answer::Unsat, Answer::Unsat) if fits => cached,
            _ => {
                self.stats.cache_errors += 1;
                answer
            }
        }
    }
}

/// Returns the reason for which no query is answered any more.
fn end(interrupt: &InterruptHandle, deadline: Option<Instant>) -> Option<Unknown> {
    if interrupt.is_raised() {
        Some(Unknown::Interrupted)
    } else if deadline.is_some_and(|end| end <= Instant::now()) {
        Some(Unknown::Timeout)
    } else {
        None
    }
}

/// Counts a step of a stage, and its time.
fn count_step(row: &mut StageCounts, step: &StageOutcome, time: Duration) {
    row.time += time;
    match step {
        StageOutcome::Pass => {}
        StageOutcome::Answer(a) => {
            row.answered += 1;
            row.satisfied += u64::from(matches!(a, Answer::Sat(_)));
        }
        StageOutcome::Rewrite(..) | StageOutcome::Split(_) => row.rewritten += 1,
    }
}

impl Solver for Chain {
    fn check(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        self.adopt(pool);
        if let Some(log) = &mut self.log {
            log.ask(pool, query, self.timeout);
        }
        let start = Instant::now();
        *self.stats.queries.entry(query.purpose).or_default() += 1;
        self.asked += 1;
        let give_up = self
            .give_up_every
            .is_some_and(|n| self.asked.is_multiple_of(n.max(1)));
        let answer = if give_up {
            self.answered_by = NO_STAGE;
            Answer::Unknown(Unknown::GaveUp("asked to".into()))
        } else if let Some(why) = end(&self.interrupt, self.deadline) {
            self.answered_by = NO_STAGE;
            Answer::Unknown(why)
        } else {
            self.walk(pool, query)
        };
        // What is brief is asked once more, in parts or in full.
        if !matches!(answer, Answer::Unknown(Unknown::Brief)) {
            self.stats.count(&answer);
        }
        self.stats.back_end = self.back_end.stats().clone();
        let time = start.elapsed();
        self.stats.time += time;
        if let Some(log) = &mut self.log {
            log.answer(&answer, self.answered_by, time);
        }
        answer
    }
}
