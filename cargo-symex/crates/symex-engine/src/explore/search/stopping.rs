//! What is left of an exploration that stops, or may be killed: the step that a limit cut short is
//! undone, and all that waits becomes a forest, with which another exploration goes on.

use super::{Search, Waiting};
use crate::exec::Pause;
use crate::exec::path::end::PathEnd;
use crate::exec::path::outcomes::StepCounts;
use crate::explore::crew::{LentRegion, Rest};
use crate::explore::forest::{Forest, Root};
use crate::explore::remainder::{Keeper, Remainder};
use crate::explore::results::Results;
use crate::state::State;
use crate::state::decisions::Mark;
use std::time::{Duration, Instant};
use symex_program::Program;
use symex_types::config::Config;
use symex_types::outcome::Bound;

/// Time between two times that the remainder is kept while the exploration goes on.
const KEEP_EVERY: Duration = Duration::from_secs(20);

/// Least time between them, as a multiple of what it took.
const KEEP_PAUSE: u32 = 50;

/// Point at which a step began, to which the path is taken back if a limit cuts the step short.
pub(super) struct StepStart {
    mark: Mark,
    steps: u64,
    counts: StepCounts,
}

/// Keeps what is left of an exploration, now and then and at the end.
pub(in crate::explore) struct Record {
    keeper: Box<dyn Keeper>,
    next: Instant,
    every: Duration,
    /// The memory limit, in bytes.
    memory: Option<u64>,
}

impl Record {
    /// Makes the record of an exploration that begins.
    pub fn new(keeper: Box<dyn Keeper>, config: &Config) -> Self {
        let every = config.experiment.keep_every.unwrap_or(KEEP_EVERY);
        Record {
            memory: config.limits.max_memory,
            keeper,
            next: Instant::now() + every,
            every,
        }
    }

    /// Reports whether it is time to keep what is left.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Keeps what is left of an exploration that goes on. It took from this time on to find out.
    pub fn keep(&mut self, program: &Program, (results, open): (&Results, Forest), began: Instant) {
        if let Some(remainder) = Remainder::new(program, results, open, None) {
            self.keeper.keep(&remainder);
        }
        self.next = Instant::now() + self.every.max(began.elapsed() * KEEP_PAUSE);
    }

    /// Keeps nothing for a while, since what is left cannot be told.
    pub fn put_off(&mut self, now: Instant) {
        self.next = now + self.every;
    }

    /// Keeps what is left of an exploration that has stopped.
    pub fn finish(mut self, program: &Program, results: &Results, open: Forest) {
        let memory = self
            .memory
            .filter(|_| results.tally.has_bound(&Bound::MaxMemory));
        if let Some(remainder) = Remainder::new(program, &results.uncut(), open, memory) {
            self.keeper.keep(&remainder);
        }
    }
}

impl Search<'_> {
    /// Reports whether what is left is kept when the exploration stops.
    pub(super) fn keeps_rest(&self) -> bool {
        let crew = self.member.as_ref().map(|member| &member.crew);
        self.is_part || self.record.is_some() || crew.is_some_and(|crew| crew.keeps_rest)
    }

    /// Returns where a step begins, if it can be undone.
    pub(super) fn start_of_step(&mut self, state: &State) -> Option<StepStart> {
        if !self.keeps_rest() {
            return None;
        }
        self.executor.entered.begin_step();
        Some(StepStart {
            mark: state.decisions.mark()?,
            steps: state.steps,
            counts: self.executor.outcomes.begin_step(),
        })
    }

    /// Undoes a step of a path if a limit cut it short, and reports whether it did: where a query
    /// went unanswered, and where the step ended as no other does, since the path is run once more
    /// up to where a step begins.
    pub(super) fn undo_if_cut(
        &mut self,
        state: &State,
        start: StepStart,
        pause: Option<&Pause>,
    ) -> bool {
        let executor = &self.executor;
        let is_cut = match pause {
            Some(Pause::End(PathEnd::Bounded(bound))) => bound.ends_run(),
            Some(Pause::Yield) => executor.siblings.is_empty() && executor.is_stopped(),
            _ => false,
        };
        if !is_cut && !executor.queries.is_cut() {
            return false;
        }
        self.executor.siblings.take();
        self.executor.outcomes.undo_step(start.counts);
        self.executor.entered.undo_step();
        self.waiting.cut.push(Root {
            decisions: state.decisions.back_to(start.mark),
            steps: start.steps,
        });
        true
    }

    /// Returns what is not explored, when the exploration has stopped, and what was given away.
    /// `None`: it is not wanted, or some of it cannot be told.
    pub(in crate::explore) fn take_rest(&mut self) -> (Option<Forest>, Vec<LentRegion>) {
        if !self.keeps_rest() {
            return (None, Vec::new());
        }
        let open = self.take_open();
        let pool = &self.executor.pool;
        let lent = self.member.as_mut().map(|member| member.lent(pool));
        (open, lent.unwrap_or_default())
    }

    fn take_open(&mut self) -> Option<Forest> {
        let is_told = |state: &State| state.decisions.are_recorded();
        if !self.waiting.iter().all(is_told) {
            return None;
        }
        let roots = self.waiting.take_roots();
        let mut open = std::mem::take(&mut self.waiting.forest);
        let cut = std::mem::take(&mut self.waiting.cut);
        open.plant(&self.executor.pool, cut.into_iter().chain(roots));
        Some(open)
    }

    /// Keeps what is left, if it is time to.
    pub(super) fn keep_now_and_then(&mut self, now: Instant) {
        let is_due = |record: &Record| record.is_due(now);
        if !self.record.as_ref().is_some_and(is_due) {
            return;
        }
        let others = self.member.as_mut().filter(|member| member.has_others());
        let rest = match others {
            Some(member) => member.snapshot(),
            None => match self.open() {
                Some(open) => Rest::Told(Box::new((Results::so_far(&self.executor), open))),
                None => Rest::Untold,
            },
        };
        let Some(record) = &mut self.record else {
            return;
        };
        match rest {
            Rest::Told(rest) => {
                let (mut results, open) = *rest;
                results.count(&self.earlier);
                results.set_seconds(self.started.elapsed().as_secs_f64() + self.seconds_before);
                record.keep(&self.job.program, (&results, open), now);
            }
            Rest::Later => {}
            Rest::Untold => record.put_off(now),
        }
    }

    /// Tells the other threads what this one has explored so far, and what it has not.
    pub(super) fn tell_part(&mut self) {
        let open = self.open();
        if let Some(member) = &mut self.member {
            member.tell_part(&self.executor, open);
        }
    }

    /// Returns what is not explored now; `None` if some of it cannot be told.
    pub(super) fn open(&self) -> Option<Forest> {
        let states = || self.waiting.iter();
        if states().any(|state| !state.decisions.are_recorded()) {
            return None;
        }
        let mut open = self.waiting.forest.clone();
        open.plant(&self.executor.pool, states().map(Root::from));
        Some(open)
    }
}

impl Waiting {
    /// Removes all states, and returns the points to which their paths have come, the one to go on
    /// from next last. States are freed one after another, as memory may be short.
    pub(super) fn take_roots(&mut self) -> Vec<Root> {
        let mut roots = Vec::new();
        let mut take = |state: State| roots.push(Root::from(&state));
        self.searcher.drain(&mut take);
        std::mem::take(&mut self.unverified)
            .into_iter()
            .for_each(&mut take);
        while let Some((_, preempted)) = self.preempted.pop_first() {
            preempted.into_iter().rev().for_each(&mut take);
        }
        roots.reverse();
        roots
    }
}
