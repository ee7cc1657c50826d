//! The Z3 back end: a context per worker, a few incremental solvers in it, and a fresh solver where
//! those fail. A query that they do not answer quickly is tried with integers (`integer`), in a
//! context of its own. Z3's count of its work ends an attempt, so that the same queries take the
//! same ways on machines of any speed; the clock does so only for a query that takes much of its
//! time.
//!
//! Invariant: `Sat` is answered only with an assignment under which the query evaluates to true; a
//! model that does not satisfy it is never passed on. One context serves one pool; it is replaced
//! when the pool changes, when Z3 was interrupted or failed, and when it holds too much memory. The
//! encoding of terms is in `encode`.

use super::BackEnd;
use super::checking::Checking;
use super::encode::Encoder;
use super::incremental::{Encodings, Stacks};
use super::integer::Integers;
use super::interrupt::{InterruptHandle, end_of_query};
use super::raw::{
    BackEndFailure, CheckResult, Context, Model, RawSolver, Strategy, Term, allocated,
};
use crate::query::merge;
use crate::{Answer, Query, Solver, Unknown};
use rustc_hash::FxHashSet;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use symex_terms::{AddressSubstitution, Assignment, Expr, Pool, Symbol, Width};

/// Logic of every solver without floats: only with it is incremental solving fast, and a fresh
/// solver strong.
const LOGIC: &str = "QF_ABV";
/// Number of terms that a context must hold before memory is a reason to replace it: all contexts
/// of a process share one count of memory.
const MIN_TERMS: usize = 20_000;
/// Work limit of an incremental solver, before a query is hard enough for an attempt with integers.
/// It is in Z3's unit, of which it does 1 to 9 in a microsecond, mostly 3: a tenth of a second or
/// so.
const GLANCE: u32 = 400_000;
/// Work limit of an incremental solver before a fresh one is tried.
const INCREMENTAL_WORK: u32 = 8_000_000;
/// Work limit of an attempt with integers.
const INTEGER_WORK: u32 = 10_000_000;
/// Number of bits by which the work of an attempt with products is cut at most: by two for each
/// that gave no answer.
const MAX_CUT: u32 = 10;
/// Divisor of the time left: no attempt but the last one takes longer than this part of it,
/// whatever its work.
const SHARE: u32 = 4;
/// `SHARE` for the first attempt: on a busy machine its tenth of a second must fit into a query of
/// two seconds, too.
const GLANCE_SHARE: u32 = 2;
/// Width from which on arithmetic is hard for bit-vectors.
const WIDE: Width = 16;
/// Greatest number of terms that an attempt with integers may leave open.
const MAX_OPAQUE: u32 = 16;

/// Settings of the back end.
#[derive(Clone, Debug)]
pub struct Z3Settings {
    /// Timeout of one query.
    pub timeout: Duration,
    /// Bytes that Z3 may hold in the process before a context is replaced.
    pub memory: u64,
    /// Directory to which each query is written as SMT-LIB.
    pub log: Option<PathBuf>,
    /// Whether to encode reads from written memory as comparisons with the indices of the stores;
    /// see [`Experiment`](symex_types::config::Experiment).
    pub compare_stores: bool,
}

/// Counts and times of the back end.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct BackEndStats {
    /// Queries that arrived.
    pub queries: u64,
    /// Queries answered `Sat`.
    pub sat: u64,
    /// Queries answered `Unsat`.
    pub unsat: u64,
    /// Queries without an answer.
    pub unknown: u64,
    /// Checks by a fresh solver.
    pub fresh: u64,
    /// Attempts with integers.
    pub integer: u64,
    /// Attempts with integers that gave the answer.
    pub integer_answers: u64,
    /// Time of the attempts with integers.
    pub integer_time: Duration,
    /// Models that did not satisfy the query.
    pub bad_models: u64,
    /// Contexts replaced.
    pub replaced: u64,
    /// Work of all checks, in Z3's unit, if it is counted.
    pub work: u64,
    /// Time in the back end.
    pub time: Duration,
}

impl BackEndStats {
    /// Adds the statistics of another back end.
    pub fn add(&mut self, other: &BackEndStats) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.fresh += other.fresh;
        self.integer += other.integer;
        self.integer_answers += other.integer_answers;
        self.integer_time += other.integer_time;
        self.bad_models += other.bad_models;
        self.replaced += other.replaced;
        self.work += other.work;
        self.time += other.time;
    }
}

/// The Z3 back end.
pub struct Z3 {
    settings: Z3Settings,
    interrupt: InterruptHandle,
    deadline: Option<Instant>,
    engine: Option<Engine>,
    min_terms: usize,
    /// Whether attempts with integers are made.
    pub(super) integers: bool,
    /// Number of attempts with products of unknown integers that gave no answer, halved by each
    /// that did.
    hard_products: u32,
    counts_work: bool,
    stats: BackEndStats,
}

// SAFETY: contexts, solvers and terms are shared (by `Rc`) among the fields of one engine only, so
// they move together; Z3 allows a context to move between threads as long as one thread uses it at
// a time.
unsafe impl Send for Z3 {}

/// State that belongs to one context.
struct Engine {
    /// Pool whose terms it encodes, identified by storage that this keeps alive.
    pool: std::sync::Arc<[Symbol]>,
    stacks: Stacks,
    encoder: Encoder,
    cx: Rc<Context>,
    /// Goals that incremental solving could not decide: as constraints they send a query to a fresh
    /// solver at once.
    hard: FxHashSet<Expr>,
    /// Goals that integers decided, and their negations: as constraints they send a query to
    /// integers first.
    linear: FxHashSet<Expr>,
    counts_work: bool,
}

/// An attempt before a fresh solver gets the rest of the time.
enum Attempt {
    Integers,
    /// The incremental solver, with limits on the work and on the share of the time left.
    Incremental(u32, u32),
}

/// How much is tried for a query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// The first attempt, if it is one of little work.
    Glance,
    /// All attempts but that one.
    Rest,
    All,
}

impl Z3 {
    /// Makes a back end that stops when `interrupt` is raised.
    pub fn new(settings: Z3Settings, interrupt: InterruptHandle) -> Self {
        Z3 {
            settings,
            interrupt,
            deadline: None,
            engine: None,
            min_terms: MIN_TERMS,
            integers: true,
            hard_products: 0,
            counts_work: false,
            stats: BackEndStats::default(),
        }
    }

    fn answer(&mut self, pool: &mut Pool, query: &Query, effort: Effort) -> Answer {
        self.stats.queries += u64::from(effort != Effort::Rest);
        if self.interrupt.is_raised() {
            return Answer::Unknown(Unknown::Interrupted);
        }
        let end = end_of_query(self.settings.timeout, self.deadline);
        if end <= Instant::now() {
            return Answer::Unknown(Unknown::Timeout);
        }
        let mut memo = AddressSubstitution::default();
        let mut constraints: Vec<Expr> = query
            .constraints
            .iter()
            .map(|c| pool.substitute_addresses_with(*c, query.addresses, &mut memo))
            .collect();
        constraints.retain(|c| pool.as_const(*c) != Some(1));
        let goal = pool.substitute_addresses_with(query.goal, query.addresses, &mut memo);
        let is_false = |e: &Expr| pool.as_const(*e) == Some(0);
        if is_false(&goal) || constraints.iter().any(is_false) {
            return Answer::Unsat;
        }
        let answer = self.solve(pool, query, (&constraints, goal), end, effort);
        match answer {
            Ok(answer) => answer,
            Err(failure) => {
                // The context may be in any state.
                self.drop_engine();
                Answer::Unknown(self.reason(failure.0, end))
            }
        }
    }

    fn solve(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        (constraints, goal): (&[Expr], Expr),
        end: Instant,
        effort: Effort,
    ) -> Result<Answer, BackEndFailure> {
        let interrupt = self.interrupt.clone();
        let engine = self.engine(pool)?;
        engine.encoder.until(end, &interrupt);
        let mut encodings = match engine.encode(pool, constraints, goal) {
            Ok(e) => e,
            // What cannot be said to Z3 leaves the context as it was.
            Err(BackEndFailure(why)) if !why.starts_with("Z3") => {
                return Ok(Answer::Unknown(self.reason(why, end)));
            }
            Err(failure) => return Err(failure),
        };
        if effort != Effort::Rest {
            self.log(&encodings, query)?;
        }
        let float = encodings.has_float();
        let engine = self.engine.as_mut().expect("made above");
        let mut why = None;
        let heavy = encodings.is_heavy(&engine.encoder);
        let linear = constraints.iter().any(|c| engine.linear.contains(c));
        let hard = float || heavy || constraints.iter().any(|c| engine.hard.contains(c));
        let mut attempts = Vec::new();
        if !hard && !linear && effort != Effort::Rest {
            attempts.push(Attempt::Incremental(GLANCE, GLANCE_SHARE));
        }
        if !float && effort != Effort::Glance {
            attempts.push(Attempt::Integers);
        }
        if !hard && effort != Effort::Glance {
            attempts.push(Attempt::Incremental(INCREMENTAL_WORK, SHARE));
        }
        for attempt in attempts {
            let left = end.saturating_duration_since(Instant::now());
            match attempt {
                Attempt::Integers => {
                    let answer = self.ask_integers(pool, query, constraints, goal, left / SHARE)?;
                    if let Some(answer) = answer {
                        return Ok(answer);
                    }
                }
                Attempt::Incremental(work, part) => {
                    let engine = self.engine.as_mut().expect("made above");
                    let (verdict, model, done) =
                        engine.check(&encodings, end, work, left / part, &self.interrupt)?;
                    self.stats.work += u64::from(done);
                    match self.conclude(pool, query, verdict, model)? {
                        Ok(answer) => return Ok(answer),
                        Err(text) => {
                            why = Some(text);
                            let engine = self.renew(pool)?;
                            engine.encoder.until(end, &interrupt);
                            encodings = engine.encode(pool, constraints, goal)?;
                        }
                    }
                }
            }
            if self.interrupt.is_raised() {
                break;
            }
        }
        if effort == Effort::Glance {
            let why = why.unwrap_or_else(|| "hard".into());
            return Ok(Answer::Unknown(self.reason(why, end)));
        }
        if !hard {
            let engine = self.engine.as_mut().expect("made above");
            engine.hard.insert(encodings.goal.0);
        }
        let left = end.saturating_duration_since(Instant::now());
        if self.interrupt.is_raised() || left.is_zero() {
            let why = why.unwrap_or_else(|| "timeout".into());
            return Ok(Answer::Unknown(self.reason(why, end)));
        }
        self.stats.fresh += 1;
        let engine = self.engine.as_mut().expect("made above");
        let (solver, assertions) = engine.fresh(&encodings, float)?;
        let before = solver.work_done_if(self.counts_work)?;
        let pointer = engine.cx.pointer();
        let last = self.deadline.filter(|last| *last <= end);
        let checking = Checking::start(solver, assertions, pointer, end, &interrupt)?;
        let (solver, verdict) = match checking.wait(last) {
            Ok(checked) => checked,
            Err(checking) => {
                checking.give_up(self.engine.take().expect("made above"));
                self.stats.replaced += 1;
                return Ok(Answer::Unknown(self.reason("timeout".into(), end)));
            }
        };
        let model = match verdict {
            CheckResult::Sat => Some(solver.model()?),
            _ => None,
        };
        let done = solver.work_done_if(self.counts_work)?.wrapping_sub(before);
        self.stats.work += u64::from(done);
        match self.conclude(pool, query, verdict, model)? {
            Ok(answer) => Ok(answer),
            Err(why) => {
                let reason = self.reason(why, end);
                match reason {
                    Unknown::Interrupted | Unknown::Memory => self.drop_engine(),
                    _ => {
                        self.renew(pool)?;
                    }
                }
                Ok(Answer::Unknown(reason))
            }
        }
    }

    /// Returns the answer that integers give within their share of the time, if they do.
    fn ask_integers(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        constraints: &[Expr],
        goal: Expr,
        share: Duration,
    ) -> Result<Option<Answer>, BackEndFailure> {
        let start = Instant::now();
        if !self.integers || share.is_zero() || self.interrupt.is_raised() {
            return Ok(None);
        }
        let mut conditions = constraints.to_vec();
        conditions.push(goal);
        // They have a context of their own: a failure there is none of this one's.
        let (outcome, has_products) = match Integers::encode(pool, &conditions, WIDE) {
            Ok(Some(integers)) if integers.opaque() <= MAX_OPAQUE => {
                self.stats.integer += 1;
                let has_products = integers.make.has_products();
                let work = match has_products {
                    true => INTEGER_WORK >> (2 * self.hard_products).min(MAX_CUT),
                    false => INTEGER_WORK,
                };
                let end = start + share;
                let outcome = integers.check(work, end, &self.interrupt, self.counts_work);
                (outcome, has_products)
            }
            _ => return Ok(None),
        };
        // Until there is an answer.
        self.hard_products += u32::from(has_products);
        self.stats.integer_time += start.elapsed();
        let Ok(outcome) = outcome else {
            return Ok(None);
        };
        self.stats.work += outcome.work;
        let answer = match outcome.verdict {
            CheckResult::Unsat => Answer::Unsat,
            CheckResult::Unknown(_) => return Ok(None),
            CheckResult::Sat => {
                let assignment = merge(query.hint, &outcome.values);
                if !query.holds(pool, &assignment) {
                    self.stats.bad_models += outcome.exact as u64;
                    return Ok(None);
                }
                Answer::Sat(assignment)
            }
        };
        self.stats.integer_answers += 1;
        self.hard_products = (self.hard_products - u32::from(has_products)) / 2;
        let other = pool.not(goal);
        let engine = self.engine.as_mut().expect("of this query");
        engine.linear.extend([goal, other]);
        Ok(Some(answer))
    }

    /// Returns the answer, or the reason why there is none.
    fn conclude(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        verdict: CheckResult,
        model: Option<Model>,
    ) -> Result<Result<Answer, String>, BackEndFailure> {
        match verdict {
            CheckResult::Unsat => Ok(Ok(Answer::Unsat)),
            CheckResult::Unknown(why) => Ok(Err(why)),
            CheckResult::Sat => {
                let model = model.expect("a model comes with `Sat`");
                let engine = self.engine.as_ref().expect("it gave the model");
                let assignment = engine.read(pool, query, &model)?;
                match query.violated(pool, &assignment) {
                    None => Ok(Ok(Answer::Sat(assignment))),
                    Some(at) => {
                        self.stats.bad_models += 1;
                        let what = if at < query.constraints.len() {
                            "a constraint"
                        } else {
                            "the goal"
                        };
                        Ok(Err(format!(
                            "model does not satisfy the query: {what} evaluates to false"
                        )))
                    }
                }
            }
        }
    }

    fn checked(&mut self, pool: &mut Pool, query: &Query, effort: Effort) -> Answer {
        let start = Instant::now();
        let answer = self.answer(pool, query, effort);
        self.count(&answer);
        self.stats.time += start.elapsed();
        answer
    }

    fn count(&mut self, answer: &Answer) {
        match answer {
            Answer::Sat(_) => self.stats.sat += 1,
            Answer::Unsat => self.stats.unsat += 1,
            Answer::Unknown(_) => self.stats.unknown += 1,
        }
    }

    fn reason(&self, why: String, end: Instant) -> Unknown {
        if self.interrupt.is_raised() {
            Unknown::Interrupted
        } else if why.contains("memory") || why.contains("memout") {
            Unknown::Memory
        } else if Instant::now() >= end {
            Unknown::Timeout
        } else {
            Unknown::GaveUp(why)
        }
    }

    /// Returns the engine for a pool: the present one, or a new one.
    fn engine(&mut self, pool: &Pool) -> Result<&mut Engine, BackEndFailure> {
        let spent =
            |e: &Engine| e.encoder.len() >= self.min_terms && allocated() > self.settings.memory;
        if !self
            .engine
            .as_ref()
            .is_some_and(|e| e.serves(pool) && !spent(e))
        {
            self.drop_engine();
            self.engine = Some(Engine::new(pool, &self.settings, self.counts_work)?);
        }
        Ok(self.engine.as_mut().expect("just made"))
    }

    /// Replaces the context by a new one, which keeps only the sets of goals that are hard and that
    /// are linear. A check that was interrupted may leave its context cancelled for later
    /// operations, which Z3 then does in part: later checks in it were seen to report that there is
    /// no model where there is one.
    fn renew(&mut self, pool: &Pool) -> Result<&mut Engine, BackEndFailure> {
        let old = self.engine.take();
        let mut new = Engine::new(pool, &self.settings, self.counts_work)?;
        if let Some(old) = old {
            (new.hard, new.linear) = (old.hard, old.linear);
        }
        self.stats.replaced += 1;
        Ok(self.engine.insert(new))
    }

    fn drop_engine(&mut self) {
        if self.engine.take().is_some() {
            self.stats.replaced += 1;
        }
    }

    fn log(&mut self, encodings: &Encodings, query: &Query) -> Result<(), BackEndFailure> {
        let Some(dir) = &self.settings.log else {
            return Ok(());
        };
        let engine = self.engine.as_ref().expect("it made the encodings");
        let text = engine
            .cx
            .smtlib(&engine.encoder.assertions(encodings.all().map(|(_, e)| e))?)?;
        let name = format!("{:06}-{:?}.smt2", self.stats.queries, query.purpose).to_lowercase();
        // A log that cannot be written must not change an answer.
        let _ = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(dir.join(name), text));
        Ok(())
    }
}

impl BackEnd for Z3 {
    fn name(&self) -> &'static str {
        "z3"
    }

    fn glance(&mut self, pool: &mut Pool, query: &Query) -> Option<Answer> {
        let start = Instant::now();
        let answer = match self.answer(pool, query, Effort::Glance) {
            Answer::Unknown(_) => None,
            answer => Some(answer),
        };
        if let Some(answer) = &answer {
            self.count(answer);
        }
        self.stats.time += start.elapsed();
        answer
    }

    fn check_on(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        self.checked(pool, query, Effort::Rest)
    }

    fn stats(&self) -> &BackEndStats {
        &self.stats
    }

    fn count_work(&mut self, on: bool) {
        self.counts_work = on;
        if let Some(engine) = &mut self.engine {
            engine.counts_work = on;
        }
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn set_timeout(&mut self, timeout: Duration) {
        self.settings.timeout = timeout;
    }
}

impl Solver for Z3 {
    fn check(&mut self, pool: &mut Pool, query: &Query) -> Answer {
        self.checked(pool, query, Effort::All)
    }
}

impl Engine {
    fn new(
        pool: &Pool,
        settings: &Z3Settings,
        counts_work: bool,
    ) -> Result<Engine, BackEndFailure> {
        let cx = Context::new()?;
        Ok(Engine {
            pool: pool.identity().clone(),
            stacks: Stacks::default(),
            encoder: Encoder::new(cx.clone(), settings.compare_stores),
            cx,
            hard: FxHashSet::default(),
            linear: FxHashSet::default(),
            counts_work,
        })
    }

    /// Reports whether the engine is for the terms of this pool.
    fn serves(&self, pool: &Pool) -> bool {
        std::sync::Arc::ptr_eq(&self.pool, pool.identity())
    }

    fn encode(
        &mut self,
        pool: &Pool,
        constraints: &[Expr],
        goal: Expr,
    ) -> Result<Encodings, BackEndFailure> {
        Encodings::of(&mut self.encoder, pool, constraints, goal)
    }

    /// Checks with the incremental solver whose stack shares the longest prefix with the query.
    /// Asserting the rest of the query may take until `end`; the check itself gets a limit on its
    /// work, and a share of the time.
    fn check(
        &mut self,
        encodings: &Encodings,
        end: Instant,
        work: u32,
        share: Duration,
        interrupt: &InterruptHandle,
    ) -> Result<(CheckResult, Option<Model>, u32), BackEndFailure> {
        let (cx, encoder, stacks) = (&self.cx, &self.encoder, &mut self.stacks);
        let laid = interrupt.prepared(cx.pointer(), end, || {
            stacks.lay(cx, encoder, encodings, LOGIC)
        })?;
        let Some(s) = laid else {
            return Ok((CheckResult::Unknown("timeout".into()), None, 0));
        };
        let end = end.min(Instant::now() + share);
        let before = s.solver.work_done_if(self.counts_work)?;
        let check = || s.solver.check_within(work);
        let verdict = interrupt.during(self.cx.pointer(), end, check);
        let done = s
            .solver
            .work_done_if(self.counts_work)?
            .wrapping_sub(before);
        let model = if verdict == CheckResult::Sat {
            Some(s.solver.model()?)
        } else {
            None
        };
        s.truncate(encodings.constraints.len());
        Ok((verdict, model, done))
    }

    /// Makes a solver for nothing but a query, which may rewrite the whole of it, and the terms to
    /// assert.
    fn fresh(
        &mut self,
        encodings: &Encodings,
        float: bool,
    ) -> Result<(RawSolver, Vec<Term>), BackEndFailure> {
        let strategy = if float {
            Strategy::Choose
        } else {
            Strategy::Logic(LOGIC)
        };
        let solver = RawSolver::new(&self.cx, strategy)?;
        let assertions = self.encoder.assertions(encodings.all().map(|(_, e)| e))?;
        Ok((solver, assertions))
    }

    /// Returns the hint with the model's values for the variables of the query. Where the model
    /// leaves a value open, the hint's is as good as any.
    fn read(
        &self,
        pool: &Pool,
        query: &Query,
        model: &Model,
    ) -> Result<Assignment, BackEndFailure> {
        let mut assignment = query.hint.clone();
        for v in query.vars(pool) {
            let Some(term) = self.encoder.variable(v) else {
                continue;
            };
            if let Some(value) = model.value(term)? {
                assignment.set(v, value);
            }
        }
        Ok(assignment)
    }
}

#[cfg(test)]
#[path = "z3_tests.rs"]
pub(super) mod tests;
