//! Depth-first search: a path is followed to its end before the most recently forked sibling is
//! taken up.

use super::Searcher;
use crate::state::{State, StateId};

/// Depth-first searcher: a stack.
#[derive(Default)]
pub struct Dfs {
    states: Vec<State>,
}

impl Searcher for Dfs {
    fn add(&mut self, state: State, _: Option<StateId>, _: bool) {
        self.states.push(state);
    }

    fn next(&mut self) -> Option<State> {
        self.states.pop()
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn waiting(&self) -> Box<dyn Iterator<Item = &State> + '_> {
        Box::new(self.states.iter())
    }

    fn remove(&mut self, id: StateId) -> Option<State> {
        let at = self.states.iter().position(|state| state.id == id)?;
        Some(self.states.remove(at))
    }

    fn drain(&mut self, take: &mut dyn FnMut(State)) {
        std::mem::take(&mut self.states)
            .into_iter()
            .rev()
            .for_each(take);
    }

    fn note_end(&mut self, _: StateId) {}
}
