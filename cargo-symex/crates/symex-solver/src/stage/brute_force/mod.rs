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
//! queries of one shape, they wait, too, as long as glances answer such queries. A shape that no
//! glance was at yet is judged by the first glances at others.
//!
//! Where the values are too many, those of the inputs that the goal is about are tried (`local`): a
//! letter of a text has few values, but its bytes are tied to all others.
//!
//! Where these are too many, a part of them is tried after the glance (`part`): a hash, a sum
//! of checked digits or a generator of random numbers meets what is asked of it for one input in so
//! many, which no reasoning finds. What such searches may take is kept by a ledger: they prove
//! nothing.
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
mod part;
mod plan;
mod program;
mod search;
mod translate;

use super::local::LocalConditions;
use super::{QueryLimit, Stage, StageOutcome};
use crate::ledger::{Ledger, Shape};
use crate::query::merge;
use crate::{Answer, InterruptHandle, Query};
use boxes::{Divider, MAX_INPUTS, ValueBox};
pub(super) use candidates::Candidates;
use candidates::{Inputs, inputs};
use plan::{Plan, Terms, ordered};
use program::Program;
use rustc_hash::FxHashMap;
use search::{Found, search};
use std::time::{Duration, Instant};
use symex_terms::{Expr, Pool, Var};

/// Greatest number of combinations of values that are tried.
const MAX_COMBINATIONS: u64 = 1 << 33;
/// Greatest number of combinations of candidates, before boxes are dropped.
const MAX_CANDIDATES: u64 = 1 << 40;
/// Number of operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 2000;
/// Greatest expected number of operations of a search before the back end has a glance at the
/// query: a tenth of a second or so, as that takes.
const AT_ONCE: u64 = 1 << 31;
/// Greatest expected number of operations of a search that never waits for a glance, as the glance
/// would take longer: some 20 ms.
const QUICK: u64 = 1 << 28;
/// Number of operations of searches at once, for queries of one shape, after which one of them
/// waits for a glance. It is twice as many after each glance in vain.
const PATIENCE: u64 = 1 << 30;
/// Number of operations that a search may be expected to take for each second of the timeout: half
/// of what two processors do.
const PER_SECOND: f64 = 1.4e10;
/// Part of the operations for which a query's timeout has time that may go to a part of its values.
const PART: f64 = 0.125;
/// Greatest number of searches ended by their timeouts that are remembered.
const MAX_ENDED: usize = 64;

/// The brute force stage: see the module.
#[derive(Default)]
pub struct BruteForce {
    limit: QueryLimit,
    /// The search that waits for the back end.
    waiting: Option<Waiting>,
    /// What searches of a part of the values may take.
    parts: Ledger,
    /// Searches ended by their timeouts: by their conditions, the number of boxes without solution.
    ended: FxHashMap<Vec<Expr>, usize>,
    /// Number of operations so far.
    operations: u64,
    /// What glances are worth, by the shape of the query.
    glances: FxHashMap<Shape, Glances>,
    /// What the first glances at a shape are worth.
    first_glances: Glances,
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
    /// Reports whether there was none yet.
    fn are_none(&self) -> bool {
        !self.answer && self.vain == 0
    }

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
    /// There are too many values to try them all.
    TooMany,
}

/// What waits for the back end to have a glance at the query.
enum Waiting {
    /// The search of all values.
    Whole(Box<Task>),
    /// That of a part of them, which is prepared when it is needed.
    Part { shape: Shape, operations: u64 },
}

/// A search.
struct Task {
    /// What is searched for: all conditions of a query, or some of them.
    conditions: Vec<Expr>,
    plan: Plan,
    divider: Divider,
    boxes: Vec<ValueBox>,
    /// Expected number of operations.
    operations: u64,
    shape: Shape,
}

/// Reports whether all values of a query are tried in a short time.
pub(super) fn is_quick(pool: &Pool, query: &Query) -> bool {
    match BruteForce::prepare(pool, query) {
        Some(Prepared::Unsat) => true,
        Some(Prepared::Task(task)) => task.operations <= QUICK,
        Some(Prepared::TooMany) | None => false,
    }
}

impl BruteForce {
    /// Prepares the search for a query; `None` if it has terms that are not supported.
    fn prepare(pool: &Pool, query: &Query) -> Option<Prepared> {
        let vars = query.vars(pool);
        if vars.is_empty() || query.has_base(pool) {
            return None;
        }
        if vars.len() > MAX_INPUTS {
            return Some(Prepared::TooMany);
        }
        let mut conditions: Vec<Expr> = query.constraints.to_vec();
        conditions.push(query.goal);
        BruteForce::prepare_all(pool, conditions, Shape::of(pool, query))
    }

    /// Prepares the search for a solution of conditions on some inputs, for a query of this shape.
    fn prepare_all(pool: &Pool, conditions: Vec<Expr>, shape: Shape) -> Option<Prepared> {
        let (terms, inputs) = match read(pool, &conditions)? {
            Some(read) => read,
            None => return Some(Prepared::Unsat),
        };
        if ValueBox::whole(&inputs, 0).combinations(inputs.len()) > MAX_CANDIDATES {
            return Some(Prepared::TooMany);
        }
        let mut divider = Divider::new(pool, &terms, &inputs);
        let boxes = divider.boxes();
        let counts = boxes.iter().map(|part| part.combinations(inputs.len()));
        let combinations = counts.fold(0, u64::saturating_add);
        if combinations == 0 {
            return Some(Prepared::Unsat);
        }
        if combinations > MAX_COMBINATIONS {
            return Some(Prepared::TooMany);
        }
        let plan = Plan::new(pool, terms, inputs, &boxes)?;
        Some(Prepared::Task(Box::new(Task {
            operations: (plan.cost() * combinations as f64) as u64,
            conditions,
            plan,
            divider,
            boxes,
            shape,
        })))
    }

    /// Prepares the search of a part of the values of a query, which takes so many operations.
    fn prepare_part(pool: &mut Pool, query: &Query, shape: Shape, operations: u64) -> Option<Task> {
        let conditions = part::conditions(pool, query)?;
        let (terms, inputs) = read(pool, &conditions)??;
        let divider = Divider::new(pool, &terms, &inputs);
        let whole = divider.whole();
        let plan = Plan::new(pool, terms, inputs, &[whole])?;
        let combinations = (operations as f64 / plan.cost().max(1.0)) as u64;
        let boxes = part::boxes(&plan.inputs, &whole, combinations);
        Some(Task {
            conditions,
            operations,
            plan,
            divider,
            boxes,
            shape,
        })
    }

    /// Searches a part of the values of a query, which may take so many operations.
    fn search_part(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        shape: Shape,
        operations: u64,
    ) -> StageOutcome {
        let before = self.operations;
        let mut found = StageOutcome::Pass;
        if let Some(task) = BruteForce::prepare_part(pool, query, shape, operations)
            && let Some(program) = Program::new(pool, &task.plan, task.operations)
        {
            let Task { divider, boxes, .. } = &task;
            let (searched, done) =
                search(divider, boxes, 0, program.runner(), threads(), &self.limit);
            self.count(&task, done, 0);
            if let Found::Solution(values) = searched {
                found = solution(pool, query, &task, values);
            }
        }
        let answered = matches!(found, StageOutcome::Answer(_));
        self.parts
            .settle(shape, self.operations - before, operations, answered);
        found
    }

    /// Has a part of the values of a query searched after the back end's glance, unless that brings
    /// nothing for queries of its shape.
    fn leave_part(&mut self, shape: Shape) {
        let most = self.limit.timeout.as_secs_f64() * PER_SECOND * PART;
        if let Some(operations) = self.parts.allowance(shape, most as u64) {
            self.waiting = Some(Waiting::Part { shape, operations });
        }
    }

    /// Returns what is known of glances at queries of a shape.
    fn glances(&mut self, shape: Shape) -> &mut Glances {
        let known = self.glances.entry(shape).or_default();
        match known.are_none() {
            true => &mut self.first_glances,
            false => known,
        }
    }

    /// Notes whether a glance at a query of a shape answered.
    fn note_glance(&mut self, shape: Shape, answered: bool) {
        let known = self.glances.entry(shape).or_default();
        if known.are_none() {
            self.first_glances.note(answered);
        }
        known.note(answered);
    }

    /// Counts the operations of a search that went through boxes up to number `done`, from `start`
    /// on.
    fn count(&mut self, task: &Task, done: usize, start: usize) {
        let part = (done + 1).min(task.boxes.len()) - start;
        self.operations += (task.operations as f64 * part as f64 / task.boxes.len() as f64) as u64;
    }

    /// Carries out a search, or the rest of it.
    fn run(&mut self, pool: &Pool, task: &Task) -> Found {
        let Some(program) = Program::new(pool, &task.plan, task.operations) else {
            return Found::Ended;
        };
        let start = self.ended.remove(&task.conditions).unwrap_or(0);
        let Task { divider, boxes, .. } = task;
        let runner = program.runner();
        let (found, done) = search(divider, boxes, start, runner, threads(), &self.limit);
        self.count(task, done, start);
        if found == Found::Ended && self.ended.len() < MAX_ENDED {
            self.ended.insert(task.conditions.clone(), done);
        }
        found
    }

    fn search(&mut self, pool: &mut Pool, query: &Query, task: &Task) -> StageOutcome {
        match self.run(pool, task) {
            Found::Nothing => StageOutcome::Answer(Answer::Unsat),
            Found::Ended => StageOutcome::Pass,
            Found::Solution(values) => solution(pool, query, task, values),
        }
    }

    /// Searches the values of the inputs that the goal is about, with the operations that are left
    /// at most.
    fn search_locally(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        shape: Shape,
        left: &mut u64,
    ) -> StageOutcome {
        if pool.support(query.goal).len() == query.vars(pool).len() {
            return StageOutcome::Pass;
        }
        let mut local = LocalConditions::of_goal(pool, query);
        let mut is_first = true;
        while (1..=MAX_INPUTS).contains(&local.inputs()) {
            let mut conditions = local.constraints(pool, query);
            conditions.push(query.goal);
            let found = match self.try_all(pool, conditions, shape, left) {
                None => break,
                Some(None) => return StageOutcome::Answer(Answer::Unsat),
                Some(Some(values)) => merge(query.hint, &values),
            };
            let Some(violated) = query.violated(pool, &found) else {
                return StageOutcome::Answer(Answer::Sat(found));
            };
            // Perhaps another one goes with the hint's values.
            if std::mem::take(&mut is_first)
                && let Some(conditions) = part::conditions(pool, query)
                && let Some(Some(values)) = self.try_all(pool, conditions, shape, left)
            {
                let found = merge(query.hint, &values);
                if query.holds(pool, &found) {
                    return StageOutcome::Answer(Answer::Sat(found));
                }
            }
            match query.constraints.get(violated) {
                Some(constraint) => local.add(pool, *constraint),
                None => break,
            }
        }
        StageOutcome::Pass
    }

    /// Returns values that satisfy conditions, if there are such: `None` if finding that out takes
    /// more operations than are left.
    fn try_all(
        &mut self,
        pool: &Pool,
        conditions: Vec<Expr>,
        shape: Shape,
        left: &mut u64,
    ) -> Option<Option<Vec<(Var, u128)>>> {
        let task = match BruteForce::prepare_all(pool, conditions, shape)? {
            Prepared::Unsat => return Some(None),
            Prepared::Task(task) if task.operations <= *left => task,
            Prepared::Task(_) | Prepared::TooMany => return None,
        };
        *left -= task.operations;
        match self.run(pool, &task) {
            Found::Nothing => Some(None),
            Found::Ended => None,
            Found::Solution(values) => Some(Some(task.values(values))),
        }
    }
}

/// Returns the terms of conditions and the candidates of their inputs, in the order in which they
/// are varied: `Some(None)` if these have none, `None` if a term is not supported.
fn read(pool: &Pool, conditions: &[Expr]) -> Option<Option<(Terms, Vec<Candidates>)>> {
    let terms = Terms::of(pool, conditions)?;
    match inputs(pool, &terms)? {
        Inputs::Some(inputs) if inputs.is_empty() => None,
        Inputs::Some(inputs) => {
            let inputs = ordered(pool, &terms, inputs);
            Some(Some((terms, inputs)))
        }
        Inputs::None => Some(None),
    }
}

impl Task {
    /// Returns the variables with the values that a search found.
    fn values(&self, found: Vec<u64>) -> Vec<(Var, u128)> {
        let inputs = self.plan.inputs.iter().zip(found);
        inputs.map(|(i, value)| (i.var, value.into())).collect()
    }
}

/// Returns the answer with the values that a search found.
fn solution(pool: &mut Pool, query: &Query, task: &Task, values: Vec<u64>) -> StageOutcome {
    let found = merge(query.hint, &task.values(values));
    match query.holds(pool, &found) {
        true => StageOutcome::Answer(Answer::Sat(found)),
        false => StageOutcome::Pass,
    }
}

/// Returns the number of threads that search.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

impl Stage for BruteForce {
    fn name(&self) -> &'static str {
        "brute force"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if let Some(Waiting::Whole(task)) = self.waiting.take() {
            // Nobody has come back for it.
            self.note_glance(task.shape, true);
        }
        let whole = match BruteForce::prepare(pool, query) {
            None => return StageOutcome::Pass,
            Some(Prepared::Unsat) => return StageOutcome::Answer(Answer::Unsat),
            Some(Prepared::TooMany) => None,
            Some(Prepared::Task(task)) => Some(task),
        };
        let shape = Shape::of(pool, query);
        let glances = self.glances(shape);
        let at_once = match glances.are_worth_it() {
            true => QUICK,
            false => AT_ONCE,
        };
        if let Some(task) = &whole
            && task.operations <= at_once
        {
            glances.operations += task.operations;
            return self.search(pool, query, task);
        }
        let mut left = at_once;
        let outcome = self.search_locally(pool, query, shape, &mut left);
        self.glances(shape).operations += at_once - left;
        if let StageOutcome::Answer(answer) = outcome {
            return StageOutcome::Answer(answer);
        }
        let most = self.limit.timeout.as_secs_f64() * PER_SECOND;
        match whole {
            Some(task) if task.operations as f64 <= most => {
                self.waiting = Some(Waiting::Whole(task));
            }
            _ => self.leave_part(shape),
        }
        StageOutcome::Pass
    }

    fn waits(&self) -> bool {
        self.waiting.is_some()
    }

    fn after_glance(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        match self.waiting.take() {
            Some(Waiting::Whole(task)) => {
                self.note_glance(task.shape, false);
                self.search(pool, query, &task)
            }
            Some(Waiting::Part { shape, operations }) => {
                self.search_part(pool, query, shape, operations)
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
        self.first_glances = Glances::default();
        self.parts = Ledger::default();
    }
}

#[cfg(test)]
mod local_tests;
#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod tests;
