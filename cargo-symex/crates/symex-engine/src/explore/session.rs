//! Paths that are run before all others, since others wait to be merged with them.
//!
//! A session begins where a path forks at a branch whose ways meet again. It runs the paths that
//! stem from there until they have met, or have taken too long.

use crate::exec::Executor;
use crate::search::Searcher;
use crate::state::State;

/// Greatest number of instructions of the paths of a session.
const MOST_STEPS: u64 = 1 << 18;

/// Greatest number of paths of a session at a time.
const MOST_STATES: usize = 256;

/// The paths between a branch and the place where its ways meet.
#[derive(Default)]
pub(super) struct Session {
    /// Paths that have not come to a join, the one to run next last.
    running: Vec<State>,
    /// Number of instructions of the run when the session began, if there is one.
    began: Option<u64>,
}

impl Session {
    /// Removes and returns the path to run next.
    pub fn next(&mut self) -> Option<State> {
        self.running.pop()
    }

    /// Adds a path that has joins before it.
    pub fn add(&mut self, executor: &Executor, state: State) {
        self.began
            .get_or_insert(executor.outcomes.stats.instructions);
        self.running.push(state);
    }

    /// Returns the number of paths that are not at a join.
    pub fn len(&self) -> usize {
        self.running.len()
    }

    /// Iterates over the paths that are not at a join.
    pub fn iter(&self) -> impl Iterator<Item = &State> {
        self.running.iter()
    }

    /// Merges the paths that have met. Those that have no more joins before them go to the
    /// searcher; so do all, if they take too long.
    pub fn merge(&mut self, executor: &mut Executor, searcher: &mut dyn Searcher) {
        let mut ended = Vec::new();
        let mut alone = Vec::new();
        for state in executor.merge_ready(&mut ended) {
            match state.joins.is_empty() {
                true => alone.push(state),
                false => self.running.push(state),
            }
        }
        if self.is_too_long(executor) {
            for mut state in std::mem::take(&mut self.running) {
                state.joins = Default::default();
                alone.push(state);
            }
            alone.extend(executor.close_joins(&mut ended));
        }
        for mut state in alone {
            state.stack.pack(None);
            searcher.add(state, None, false);
        }
        for id in ended {
            searcher.note_end(id);
        }
        if executor.joining.is_idle() {
            self.began = None;
        }
    }

    fn is_too_long(&self, executor: &Executor) -> bool {
        let Some(began) = self.began else {
            return false;
        };
        let states = self.running.len() + executor.joining.waiting();
        let steps = executor.outcomes.stats.instructions - began;
        states > MOST_STATES || steps > MOST_STEPS
    }
}
