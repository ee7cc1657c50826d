//! Stage that decides queries about few values of the inputs by trying all of them, with compiled
//! code.
//!
//! Calendars, and other conversions back and forth, are long chains of divisions and products of
//! one machine word, in which every value counts: neither bits nor ranges decide them. But a word
//! of 32 bits has only so many values, and a processor tries some hundred million of them in a
//! second for fifty operations. So the conditions are translated to machine code (`translate`,
//! `float`, `program`), in loops over the inputs' values (`candidates`, `plan`), which all
//! processors run (`search`) on boxes of values in which no condition plainly fails (`boxes`).
//!
//! How long that takes is known before: the conditions are evaluated for some values (`plan`). A
//! search of a tenth of a second starts at once. Longer ones wait until the back end has had a
//! glance at the query, and there are none that the timeout would end: what is left undone then is
//! done when the query is asked again. Where searches of a tenth of a second come to much for
//! queries of one shape, they wait, too, as long as glances answer such queries.
//!
//! Why an exhausted search is a proof: the candidates of an input hold all of its values for which
//! the conditions can be true, up to bits that the conditions do not read; a box is dropped only
//! where the range of a condition is false (see `box_search`); and each combination of values in
//! the others is evaluated. `Sat` is answered only with an assignment under which the query
//! evaluates to true. Work is counted in expected operations, never by the clock.
//!
//! Pays on calendars, for which Z3 takes long, or which it does not decide.

mod boxes;
mod candidates;
mod float;
mod plan;
mod program;
mod search;
mod translate;

use super::{QueryLimit, Stage, StageOutcome};
use crate::ledger::Shape;
use crate::query::merge;
use crate::{Answer, InterruptHandle, Query};
use boxes::{Divider, MAX_INPUTS, ValueBox};
use candidates::{Inputs, inputs};
use plan::{Plan, Terms, ordered};
use program::Program;
use rustc_hash::FxHashMap;
use search::{Found, search};
use std::time::{Duration, Instant};
use symex_terms::{Expr, Pool};

/// Greatest number of combinations of values that are tried.
const MAX_COMBINATIONS: u64 = 1 << 32;
/// Greatest number of combinations of candidates, before boxes are dropped.
const MAX_CANDIDATES: u64 = 1 << 40;
/// Number of operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 2000;
/// Greatest expected number of operations of a search before the back end has a glance at the
/// query: a tenth of a second or so, as that takes.
const AT_ONCE: u64 = 1 << 31;
/// Greatest expected number of operations of a search that never waits for a glance, as the glance
/// would take longer.
const ALWAYS_AT_ONCE: u64 = 1 << 26;
/// Number of operations of searches at once, for queries of one shape, after which one of them
/// waits for a glance. It is twice as many after each glance in vain.
const PATIENCE: u64 = 1 << 30;
/// Number of operations that a search may be expected to take for each second of the timeout: half
/// of what two processors do.
const PER_SECOND: f64 = 1.4e10;
/// Greatest number of searches ended by their timeouts that are remembered.
const MAX_ENDED: usize = 64;

/// The brute force stage: see the module.
#[derive(Default)]
pub struct BruteForce {
    limit: QueryLimit,
    /// The search that waits for the back end.
    waiting: Option<Box<Task>>,
    /// Searches ended by their timeouts: by constraints and goal, the number of boxes without
    /// solution.
    ended: FxHashMap<(Vec<Expr>, Expr), usize>,
    /// Number of operations so far.
    operations: u64,
    /// What glances are worth, by the shape of the query.
    glances: FxHashMap<Shape, Glances>,
}

/// What glances at queries of one shape are worth.
#[derive(Default)]
struct Glances {
    /// Whether the last one answered.
    answer: bool,
    /// Number of those in vain, as far as it counts.
    vain: u32,
    /// Number of operations of searches at once since the last one.
    operations: u64,
}

impl Glances {
    /// Reports whether a search waits for a glance that need not.
    fn are_worth_it(&self) -> bool {
        self.answer || self.operations > PATIENCE << self.vain
    }

    /// Notes whether a glance answered.
    fn note(&mut self, answered: bool) {
        /// Greatest number of glances in vain that counts.
        const MOST_VAIN: u32 = 16;
        self.answer = answered;
        self.vain = match answered {
            true => 0,
            false => (self.vain + 1).min(MOST_VAIN),
        };
        self.operations = 0;
    }
}

/// What is known about a query before its values are tried.
enum Prepared {
    Task(Box<Task>),
    Unsat,
}

/// A search.
struct Task {
    plan: Plan,
    divider: Divider,
    boxes: Vec<ValueBox>,
    /// Expected number of operations.
    operations: u64,
    shape: Shape,
}

impl BruteForce {
    /// Prepares the search for a query; `None` if it has too many values, or terms that are not
    /// supported.
    fn prepare(pool: &Pool, query: &Query) -> Option<Prepared> {
        let vars = query.vars(pool);
        if vars.is_empty() || vars.len() > MAX_INPUTS || query.has_base(pool) {
            return None;
        }
        let mut conditions: Vec<Expr> = query.constraints.to_vec();
        conditions.push(query.goal);
        let terms = Terms::of(pool, &conditions)?;
        let inputs = match inputs(pool, &terms)? {
            Inputs::Some(inputs) if !inputs.is_empty() => ordered(pool, &terms, inputs),
            Inputs::Some(_) => return None,
            Inputs::None => return Some(Prepared::Unsat),
        };
        if ValueBox::whole(&inputs, 0).combinations(inputs.len()) > MAX_CANDIDATES {
            return None;
        }
        let mut divider = Divider::new(pool, &terms, &inputs);
        let boxes = divider.boxes();
        let counts = boxes.iter().map(|part| part.combinations(inputs.len()));
        let combinations = counts.fold(0, u64::saturating_add);
        if combinations == 0 {
            return Some(Prepared::Unsat);
        }
        if combinations > MAX_COMBINATIONS {
            return None;
        }
        let plan = Plan::new(pool, terms, inputs, &boxes)?;
        Some(Prepared::Task(Box::new(Task {
            operations: (plan.cost() * combinations as f64) as u64,
            plan,
            divider,
            boxes,
            shape: Shape::of(pool, query),
        })))
    }

    fn search(&mut self, pool: &mut Pool, query: &Query, task: &Task) -> StageOutcome {
        let Some(program) = Program::new(pool, &task.plan) else {
            return StageOutcome::Pass;
        };
        let key = (query.constraints.to_vec(), query.goal);
        let start = self.ended.remove(&key).unwrap_or(0);
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let Task { divider, boxes, .. } = task;
        let (found, done) = search(
            divider,
            boxes,
            start,
            program.runner(),
            threads,
            &self.limit,
        );
        let part = (done + 1).min(boxes.len()) - start;
        self.operations += (task.operations as f64 * part as f64 / boxes.len() as f64) as u64;
        if found == Found::Ended && self.ended.len() < MAX_ENDED {
            self.ended.insert(key, done);
        }
        match found {
            Found::Nothing => StageOutcome::Answer(Answer::Unsat),
            Found::Ended => StageOutcome::Pass,
            Found::Solution(values) => {
                let inputs = task.plan.inputs.iter().zip(values);
                let values: Vec<_> = inputs.map(|(i, value)| (i.var, value.into())).collect();
                let found = merge(query.hint, &values);
                match query.holds(pool, &found) {
                    true => StageOutcome::Answer(Answer::Sat(found)),
                    false => StageOutcome::Pass,
                }
            }
        }
    }
}

impl Stage for BruteForce {
    fn name(&self) -> &'static str {
        "brute force"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if let Some(task) = self.waiting.take() {
            // Nobody has come back for it.
            self.glances.entry(task.shape).or_default().note(true);
        }
        let task = match BruteForce::prepare(pool, query) {
            None => return StageOutcome::Pass,
            Some(Prepared::Unsat) => return StageOutcome::Answer(Answer::Unsat),
            Some(Prepared::Task(task)) => task,
        };
        let glances = self.glances.entry(task.shape).or_default();
        let at_once = match glances.are_worth_it() {
            true => ALWAYS_AT_ONCE,
            false => AT_ONCE,
        };
        if task.operations <= at_once {
            glances.operations += task.operations;
            return self.search(pool, query, &task);
        }
        if task.operations as f64 <= self.limit.timeout.as_secs_f64() * PER_SECOND {
            self.waiting = Some(task);
        }
        StageOutcome::Pass
    }

    fn waits(&self) -> bool {
        self.waiting.is_some()
    }

    fn after_glance(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        match self.waiting.take() {
            Some(task) => {
                self.glances.entry(task.shape).or_default().note(false);
                self.search(pool, query, &task)
            }
            None => StageOutcome::Pass,
        }
    }

    fn work(&self) -> u64 {
        self.operations / OPERATIONS_PER_UNIT
    }

    fn bound(&mut self, interrupt: &InterruptHandle, deadline: Option<Instant>, timeout: Duration) {
        self.limit.set(interrupt, deadline, timeout);
    }

    fn reset(&mut self) {
        self.waiting = None;
        self.ended.clear();
        self.glances.clear();
    }
}

#[cfg(test)]
mod tests;
