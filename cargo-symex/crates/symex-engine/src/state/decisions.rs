//! Decisions of a path: what made it this path and no other, so that it can be run once more, on
//! another thread or at another time, without asking the solver.
//!
//! The executor is deterministic but for the answers of the solver, whose assignments choose values
//! and whose time is limited. So a path is the list of the answers that it was given, and of the
//! forks at which it became one path or the other. An answer that is not possible is not listed,
//! but counted: most are. An assignment is listed by what it changes in the path's own.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cell::{Ref, RefCell};
use std::rc::Rc;
use symex_terms::{Answer, Assignment, Unknown, Var};

/// Variables with their values in an assignment, where these differ from those in another.
pub type Changes<V = Var> = SmallVec<[(V, u128); 1]>;

/// One decision of a path, with variables of this kind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Decision<V = Var> {
    /// Number of instructions that the path had executed.
    pub steps: u64,
    /// Number of queries since the last decision. The solver answered that none was possible.
    pub refuted: u32,
    pub what: Told<V>,
}

/// What a path was told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Told<V = Var> {
    /// Something is possible, if these variables have other values than in the path's assignment.
    Possible(Changes<V>),
    /// The solver did not answer.
    Unknown(Unknown),
    /// A fork, at which the path is the one that went on, or its copy.
    Fork { copy: bool },
    /// The path has the result of a function that no term expresses, in this variable.
    Applied(V),
}

/// A variable of a script, before the path has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScriptVar {
    Known(Var),
    /// The result of a function: its number among those that the path applies.
    Applied(u32),
}

/// The decisions of one path so far. A clone has the same decisions, now and later: it is of the
/// same path.
#[derive(Clone, Default)]
pub struct Decisions(Option<Rc<RefCell<Log>>>);

#[derive(Default)]
struct Log {
    /// Number of the initial state.
    start: usize,
    before: Option<Rc<Part>>,
    /// The last fork, if there was one.
    fork: Option<Fork>,
    /// Decisions since then.
    own: Between,
    /// Number of queries since the last decision.
    refuted: u32,
    forks: u32,
    /// The share of the tree of paths that stems from here, if each fork halves it.
    share: f64,
    course: Course,
}

/// Decisions that the paths that stem from a fork have in common.
pub struct Part {
    before: Option<Rc<Part>>,
    fork: Option<Fork>,
    decisions: Between,
}

/// Decisions between two forks: mostly that the other side is possible.
type Between = SmallVec<[Decision; 1]>;

/// A fork, as [`Told::Fork`] says it.
#[derive(Clone, Copy)]
struct Fork {
    steps: u64,
    refuted: u32,
    copy: bool,
}

/// How far a path had come at a time, so that it can be taken back to there.
#[derive(Clone)]
pub struct Mark {
    before: Option<Rc<Part>>,
    fork: Option<Fork>,
    /// Number of decisions since that fork.
    own: usize,
    refuted: u32,
    forks: u32,
    share: f64,
}

/// Returns a fork and the decisions after it.
fn in_order(fork: Option<Fork>, after: &[Decision]) -> Vec<Decision> {
    let fork = fork.map(|fork| Decision {
        steps: fork.steps,
        refuted: fork.refuted,
        what: Told::Fork { copy: fork.copy },
    });
    fork.into_iter().chain(after.iter().cloned()).collect()
}

impl Part {
    /// Returns the decisions from the fork before on.
    pub fn decisions(&self) -> Vec<Decision> {
        in_order(self.fork, &self.decisions)
    }
}

impl Drop for Part {
    // A list of parts may be long: without recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut part) = next.and_then(Rc::into_inner) {
            next = part.before.take();
        }
    }
}

/// Whether a path has decisions before it.
#[derive(Default)]
enum Course {
    /// None: the solver is asked.
    #[default]
    Open,
    /// Those of a path that is run once more.
    Given(Box<Script>),
    /// It has parted from the path that is run once more, and is of no interest.
    Parted,
}

/// Decisions that were made on a path, to be made again.
#[derive(Clone)]
pub struct Script {
    decisions: Rc<[Decision<ScriptVar>]>,
    /// Number of queries after the last decision.
    refuted: u32,
    /// Number of decisions made so far.
    made: usize,
    /// Results of functions that the path has.
    applied: Vec<Var>,
    /// Whether the path did not come to a decision of the script, or to another one.
    diverged: bool,
}

impl Script {
    /// Makes a script of decisions, and of the number of queries after them.
    pub fn new(decisions: Rc<[Decision<ScriptVar>]>, refuted: u32) -> Self {
        Script {
            decisions,
            refuted,
            made: 0,
            applied: Vec::new(),
            diverged: false,
        }
    }

    /// Returns what the solver answers to the next query of a path with this assignment, after so
    /// many others.
    fn answer(&mut self, steps: u64, refuted: u32, assignment: &Assignment) -> Answer {
        let next = self.decisions.get(self.made);
        let answer = match next.filter(|next| next.is_due(steps, refuted)) {
            None => {
                let most = next.map_or(self.refuted, |next| next.refuted);
                self.diverged |= refuted >= most || next.is_some_and(|next| next.steps < steps);
                return Answer::Unsat;
            }
            Some(next) => match &next.what {
                Told::Possible(changes) => self.changed(assignment, changes).map(Answer::Sat),
                Told::Unknown(why) => Some(Answer::Unknown(why.clone())),
                Told::Fork { .. } | Told::Applied(_) => None,
            },
        };
        self.made += usize::from(answer.is_some());
        self.diverged |= answer.is_none();
        answer.unwrap_or(Answer::Unsat)
    }

    /// Returns an assignment with other values of these variables; `None` if one is of a result
    /// that the path does not have.
    fn changed(
        &self,
        assignment: &Assignment,
        changes: &[(ScriptVar, u128)],
    ) -> Option<Assignment> {
        let mut assignment = assignment.clone();
        for (var, value) in changes {
            let var = match var {
                ScriptVar::Known(var) => *var,
                ScriptVar::Applied(number) => *self.applied.get(*number as usize)?,
            };
            assignment.set(var, *value);
        }
        Some(assignment)
    }

    /// Takes the next decision if it is of a kind.
    fn take<T>(
        &mut self,
        steps: u64,
        refuted: u32,
        of_kind: impl FnOnce(&Told<ScriptVar>) -> Option<T>,
    ) -> Option<T> {
        let next = self.decisions.get(self.made);
        let next = next.filter(|next| next.is_due(steps, refuted));
        let found = next.and_then(|next| of_kind(&next.what));
        self.made += usize::from(found.is_some());
        self.diverged |= found.is_none();
        found
    }
}

impl Decision {
    /// Returns the variable with the result of a function that the path has from here on.
    pub fn applied(&self) -> Option<Var> {
        match self.what {
            Told::Applied(var) => Some(var),
            _ => None,
        }
    }
}

impl Decision<ScriptVar> {
    fn is_due(&self, steps: u64, refuted: u32) -> bool {
        self.refuted == refuted && self.steps == steps
    }
}

/// What a path that is run once more is told.
pub enum Ahead<T> {
    /// Nothing is known: the solver is to be asked.
    Unknown,
    /// What it was told before.
    Known(T),
    /// Nothing any more, since it is of no interest.
    Parted,
}

impl Decisions {
    /// Makes the decisions of an initial state, by its number among so many.
    pub fn recorded(start: usize, of: usize) -> Self {
        let log = Log {
            start,
            share: 1.0 / of as f64,
            ..Log::default()
        };
        Decisions(Some(Rc::new(RefCell::new(log))))
    }

    /// Makes the decisions of a path that is run once more, from the initial state of this number
    /// among so many.
    pub fn given((start, of): (usize, usize), script: Script) -> Self {
        let log = Log {
            start,
            share: 1.0 / of as f64,
            course: Course::Given(Box::new(script)),
            ..Log::default()
        };
        Decisions(Some(Rc::new(RefCell::new(log))))
    }

    /// Reports whether decisions are recorded.
    pub fn are_recorded(&self) -> bool {
        self.0.is_some()
    }

    /// Reports whether the path has parted from the one that is run once more.
    pub fn have_parted(&self) -> bool {
        self.log()
            .is_some_and(|log| matches!(log.course, Course::Parted))
    }

    /// Reports whether a path that is run once more has become another one.
    pub fn have_diverged(&self) -> bool {
        self.log()
            .is_some_and(|log| matches!(&log.course, Course::Given(script) if script.diverged))
    }

    /// Reports whether all decisions of the script have been made again.
    pub fn are_made(&self) -> bool {
        self.log().is_some_and(|log| match &log.course {
            Course::Given(script) => {
                script.made == script.decisions.len() && script.refuted == log.refuted
            }
            Course::Open | Course::Parted => false,
        })
    }

    /// Lets a path that has made the decisions of its script go on by itself.
    pub fn go_on(&self) {
        if let Some(log) = &self.0 {
            log.borrow_mut().course = Course::Open;
        }
    }

    /// Returns the number of the initial state.
    pub fn start(&self) -> usize {
        self.log().map_or(0, |log| log.start)
    }

    /// Returns the number of forks at which the path has come to be; `None` if decisions are not
    /// recorded.
    pub fn forks(&self) -> Option<u32> {
        Some(self.log()?.forks)
    }

    /// Returns the share of the tree of paths that stems from here, if each fork halves it; 0 if
    /// decisions are not recorded.
    pub fn share(&self) -> f64 {
        self.log().map_or(0.0, |log| log.share)
    }

    /// Returns all decisions in order, and the number of queries after the last one.
    pub fn all(&self) -> (Vec<Decision>, u32) {
        let Some(log) = self.log() else {
            return (Vec::new(), 0);
        };
        let mut parts = vec![in_order(log.fork, &log.own)];
        let mut next = log.before.as_ref();
        while let Some(part) = next {
            parts.push(part.decisions());
            next = part.before.as_ref();
        }
        let all = parts.into_iter().rev().flatten();
        (all.collect(), log.refuted)
    }

    /// Returns the decisions from the last fork on, and the number of queries after the last one.
    pub fn own(&self) -> (Vec<Decision>, u32) {
        self.log().map_or_else(Default::default, |log| {
            (in_order(log.fork, &log.own), log.refuted)
        })
    }

    /// Returns the decisions before the last fork, the newest part first, up to the newest part
    /// that is known; and that.
    pub fn parts(&self, is_known: impl Fn(&Rc<Part>) -> bool) -> (Vec<Rc<Part>>, Option<Rc<Part>>) {
        let mut parts = Vec::new();
        let mut next = self.log().and_then(|log| log.before.clone());
        while let Some(part) = next {
            if is_known(&part) {
                return (parts, Some(part));
            }
            next = part.before.clone();
            parts.push(part);
        }
        (parts, None)
    }

    /// Returns how far the path has come; `None` if its decisions are not recorded.
    pub fn mark(&self) -> Option<Mark> {
        let log = self.log()?;
        Some(Mark {
            before: log.before.clone(),
            fork: log.fork,
            own: log.own.len(),
            refuted: log.refuted,
            forks: log.forks,
            share: log.share,
        })
    }

    /// Returns the decisions that the path had made when it had come as far as a mark of its own.
    pub fn back_to(&self, mark: Mark) -> Decisions {
        let Some(log) = self.log() else {
            return Decisions(None);
        };
        let is_start = |before: &Option<Rc<Part>>| match (before, &mark.before) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        };
        let mut own: &[Decision] = &log.own;
        let mut before = &log.before;
        while !is_start(before)
            && let Some(part) = before
        {
            own = &part.decisions;
            before = &part.before;
        }
        let log = Log {
            start: log.start,
            own: own.iter().take(mark.own).cloned().collect(),
            before: mark.before,
            fork: mark.fork,
            refuted: mark.refuted,
            forks: mark.forks,
            share: mark.share,
            course: Course::Open,
        };
        Decisions(Some(Rc::new(RefCell::new(log))))
    }

    fn log(&self) -> Option<Ref<'_, Log>> {
        self.0.as_ref().map(|log| log.borrow())
    }

    /// Returns what the solver answers to a query of a path with this assignment, if that is known.
    pub fn answer(&self, steps: u64, assignment: &Assignment) -> Ahead<Answer> {
        let Some(log) = &self.0 else {
            return Ahead::Unknown;
        };
        let mut log = log.borrow_mut();
        let refuted = log.refuted;
        match &mut log.course {
            Course::Open => Ahead::Unknown,
            Course::Parted => Ahead::Parted,
            Course::Given(script) => Ahead::Known(script.answer(steps, refuted, assignment)),
        }
    }

    /// Records that what the script says cannot be.
    pub fn diverge(&self) {
        if let Some(log) = &self.0
            && let Course::Given(script) = &mut log.borrow_mut().course
        {
            script.diverged = true;
        }
    }

    /// Records an answer of the solver to a query of a path with this assignment.
    pub fn note(&self, steps: u64, assignment: &Assignment, answer: &Answer) {
        match answer {
            Answer::Unsat => {
                if let Some(log) = &self.0 {
                    log.borrow_mut().refuted += 1;
                }
            }
            Answer::Sat(other) => {
                self.record(steps, || Told::Possible(other.changes_from(assignment)));
            }
            Answer::Unknown(why) => self.record(steps, || Told::Unknown(why.clone())),
        }
    }

    /// Records that the path has the result of a function in a variable.
    pub fn note_application(&self, steps: u64, result: Var) {
        let Some(log) = &self.0 else { return };
        let refuted = log.borrow().refuted;
        if let Course::Given(script) = &mut log.borrow_mut().course {
            let is_applied = |told: &Told<_>| matches!(told, Told::Applied(_)).then_some(());
            script.take(steps, refuted, is_applied);
            script.applied.push(result);
        }
        self.record(steps, || Told::Applied(result));
    }

    fn record(&self, steps: u64, what: impl FnOnce() -> Told) {
        if let Some(log) = &self.0 {
            let mut log = log.borrow_mut();
            let refuted = std::mem::take(&mut log.refuted);
            let what = what();
            log.own.push(Decision {
                steps,
                refuted,
                what,
            });
        }
    }

    /// Returns the decisions of a copy, after a fork.
    pub fn fork(&self, steps: u64) -> Decisions {
        let Some(log) = &self.0 else {
            return Decisions(None);
        };
        let mut log = log.borrow_mut();
        let refuted = std::mem::take(&mut log.refuted);
        log.forks += 1;
        log.share /= 2.0;
        let fork = |copy| {
            Some(Fork {
                steps,
                refuted,
                copy,
            })
        };
        let last = log.fork.take();
        if last.is_some() || !log.own.is_empty() {
            let part = Part {
                before: log.before.take(),
                fork: last,
                decisions: std::mem::take(&mut log.own),
            };
            log.before = Some(Rc::new(part));
        }
        let (own, others) = std::mem::take(&mut log.course).fork(steps, refuted);
        log.fork = fork(false);
        log.course = own;
        let copy = Log {
            start: log.start,
            before: log.before.clone(),
            fork: fork(true),
            own: SmallVec::new(),
            refuted: 0,
            forks: log.forks,
            share: log.share,
            course: others,
        };
        Decisions(Some(Rc::new(RefCell::new(copy))))
    }
}

impl Course {
    /// Returns the course of a path after a fork, and that of its copy.
    fn fork(self, steps: u64, refuted: u32) -> (Course, Course) {
        match self {
            Course::Open => (Course::Open, Course::Open),
            Course::Parted => (Course::Parted, Course::Parted),
            Course::Given(mut script) => {
                let fork = |told: &Told<_>| match told {
                    Told::Fork { copy } => Some(*copy),
                    _ => None,
                };
                match script.take(steps, refuted, fork) {
                    Some(true) => (Course::Parted, Course::Given(script)),
                    Some(false) | None => (Course::Given(script), Course::Parted),
                }
            }
        }
    }
}
