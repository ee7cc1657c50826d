//! Breadth-first search: paths go on in turn, each for one fork or one slice of time.

use super::{Searcher, by_id};
use crate::state::{State, StateId};
use std::collections::VecDeque;

/// Breadth-first searcher: a queue.
#[derive(Default)]
pub struct Bfs {
    states: VecDeque<State>,
}

impl Searcher for Bfs {
    fn add(&mut self, state: State, _: Option<StateId>, _: bool) {
        self.states.push_back(state);
    }

    fn next(&mut self) -> Option<State> {
        self.states.pop_front()
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn waiting(&self) -> Box<dyn Iterator<Item = &State> + '_> {
        Box::new(self.states.iter())
    }

    fn drain(&mut self) -> Vec<State> {
        by_id(std::mem::take(&mut self.states).into())
    }

    fn note_end(&mut self, _: StateId) {}
}
