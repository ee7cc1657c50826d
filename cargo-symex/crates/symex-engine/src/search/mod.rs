//! Search strategies: choice of the path to continue. A searcher owns the waiting states; the
//! engine takes one, runs it for a while, and gives it back together with the states that it forked
//! off.
//!
//! Invariant: the order depends on nothing but the calls made and the seed. `dfs` and `bfs` are
//! searchers of their own; a strategy that chooses at random is an `order::Order` among the states
//! that `guided` holds, so that two orders can take turns on one set.

mod bfs;
mod build;
mod coverage;
mod dfs;
mod guided;
mod order;
mod random_path;
#[cfg(test)]
mod tests;

pub use build::build;

use crate::state::{State, StateId};

/// A searcher: a set of waiting states with an order.
pub trait Searcher {
    /// Adds a state. `parent`: the state from which it was just forked; `None` for the first state
    /// and for one that comes back. `fresh_cover`: it entered code that no path had entered before,
    /// since it was last here.
    ///
    /// After a run, the state itself comes first (or the note of its end), then the states forked
    /// off.
    fn add(&mut self, state: State, parent: Option<StateId>, fresh_cover: bool);

    /// Removes and returns the state to run next.
    fn next(&mut self) -> Option<State>;

    /// Returns the number of waiting states.
    fn len(&self) -> usize;

    /// Reports whether no state is waiting.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the waiting states, in no order.
    fn waiting(&self) -> Box<dyn Iterator<Item = &State> + '_>;

    /// Removes and returns a waiting state, which does not come back under its number.
    fn remove(&mut self, id: StateId) -> Option<State>;

    /// Removes all waiting states, and hands them out one after another, the one to run next first.
    /// None of them comes back under its number.
    fn drain(&mut self, take: &mut dyn FnMut(State));

    /// Chooses from now on in such a way that states can be given away.
    fn share(&mut self) {}

    /// Records that a state that was handed out will not come back.
    fn note_end(&mut self, id: StateId);
}
