//! Breadth-first search: paths go on in turn, each for one fork or one slice of time.

use super::Searcher;
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

    fn remove(&mut self, id: StateId) -> Option<State> {
        let at = self.states.iter().position(|state| state.id == id)?;
        self.states.remove(at)
    }

    fn drain(&mut self, take: &mut dyn FnMut(State)) {
        std::mem::take(&mut self.states).into_iter().for_each(take);
    }

    fn note_end(&mut self, _: StateId) {}
}
