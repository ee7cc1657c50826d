//! Renewal of an exploration whose memory is nearly used up: all waiting states become regions,
//! the terms and all that the solver knows of them are dropped, and the exploration begins anew
//! with the regions. What was found out stays.
//!
//! States and terms are what memory goes to, and neither is ever freed one by one: terms are shared
//! by all. The paths to the roots of regions are run once more, one after another, when few other
//! states wait.

use super::Search;
use crate::explore::overseer;
use crate::explore::recurrence::Recurrences;
use crate::explore::region::{Region, reach};
use std::time::{Duration, Instant};
use symex_types::outcome::{Stats, Unsupported};

/// Part of the memory limit from which on an exploration is renewed, in percent.
const FULL: u64 = 70;

/// Part of it that has to be taken anew since the last renewal, in percent: what was left after
/// that is something else, and will not be freed by another.
const TAKEN: u64 = 10;

/// Part of it from which on there is a renewal in a pause, too, in percent.
const NEARLY_OVER: u64 = 85;

/// Least number of states for which it is worth it.
const FEW: usize = 64;

/// Number of waiting states up to which a region is explored in addition.
const LIVELY: usize = 32;

/// Time after a renewal in which there is no other, as a multiple of what it took.
const PAUSE: u32 = 8;

/// Least time after a renewal in which there is no other.
const LEAST_PAUSE: Duration = Duration::from_millis(200);

impl Search<'_> {
    /// Reports whether the exploration is to be renewed.
    pub(super) fn is_full(&self) -> bool {
        let executor = &self.executor;
        let states = self.waiting.len() - self.waiting.forest.len();
        if states == 0 || !self.are_recorded() {
            return false;
        }
        if let Some(every) = executor.config.experiment.renew_every {
            return executor.outcomes.stats.forks - self.renewed_at >= every;
        }
        let most = executor.config.limits.max_memory;
        let used = executor.queries.alarm.memory();
        let Some((most, used)) = most.zip(used) else {
            return false;
        };
        let is_more = |percent: u64| used > most / 100 * percent;
        let is_new = used > self.left_by_renewal + most / 100 * TAKEN;
        let may_be = is_more(NEARLY_OVER) || Instant::now() >= self.next_renewal;
        states >= FEW && is_more(FULL) && is_new && may_be
    }

    /// Reports whether all waiting states can become regions.
    fn are_recorded(&self) -> bool {
        let is_logged = self.executor.config.solver.is_logged();
        !self.starts.is_empty() && !self.has_taken_back && !is_logged
    }

    /// Begins anew with the waiting states as regions.
    pub(super) fn renew(&mut self) {
        let began = Instant::now();
        let roots = self.waiting.take_roots();
        self.waiting
            .forest
            .plant(&self.executor.pool, roots.into_iter());
        if let Some(member) = &mut self.member {
            member.let_go(&self.executor.pool);
        }
        let mut new = Search::of_part(self.job, self.started);
        std::mem::swap(&mut self.starts, &mut new.starts);
        std::mem::swap(&mut self.executor, &mut new.executor);
        let (executor, old) = (&mut self.executor, &mut new.executor);
        // The solver forgets the terms when it sees others.
        std::mem::swap(&mut executor.queries, &mut old.queries);
        std::mem::swap(&mut executor.outcomes, &mut old.outcomes);
        std::mem::swap(&mut executor.entered, &mut old.entered);
        // States have numbers that none had before.
        std::mem::swap(&mut executor.siblings, &mut old.siblings);
        self.recurrences = Recurrences::default();
        executor.outcomes.stats.renewals += 1;
        self.renewed_at = executor.outcomes.stats.forks;
        self.earlier.terms += old.pool.len() as u64;
        self.earlier.term_bytes += old.pool.bytes() as u64;
        let mut memory = Stats::default();
        old.policy.tell(&mut memory.memory);
        self.earlier.add(&memory);
        drop(new);
        overseer::trim();
        self.left_by_renewal = overseer::process_memory();
        self.next_renewal = Instant::now() + began.elapsed() * PAUSE + LEAST_PAUSE;
    }

    /// Goes on to a region where few states wait.
    pub(super) fn replenish(&mut self) {
        let waiting = &mut self.waiting;
        if waiting.forest.len() == 0 || waiting.searcher.len() >= LIVELY {
            return;
        }
        if let Some(region) = waiting.forest.take() {
            self.go_on_at(&region);
        }
    }

    /// Goes on to the root of a region. If it is not reached, the verdict says so.
    pub(super) fn go_on_at(&mut self, region: &Region) {
        match reach(&mut self.executor, &self.starts, region) {
            Ok(state) => self.waiting.receive(state),
            Err(_) if self.executor.queries.out_of_time() => {
                self.waiting.forest.add(region);
            }
            Err(_) => {
                let outcomes = &mut self.executor.outcomes;
                outcomes.stats.diverged += 1;
                let what = "the paths of a region, whose root was not reached again".to_owned();
                outcomes.tally.lack(Unsupported::Internal(what));
            }
        }
    }
}
