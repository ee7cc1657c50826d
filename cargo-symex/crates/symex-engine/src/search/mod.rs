//! Which path goes on next. A searcher owns the waiting states; the engine takes one, runs it for a
//! while, and gives it back together with what it split off.
//!
//! Invariant: the order depends on nothing but the calls made and the seed. `dfs` and `bfs` are
//! searchers of their own; what chooses at random is an `order::Order` among the states that
//! `guided` holds, so that two orders can take turns on one set.

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

/// A set of waiting states with an order.
pub trait Searcher {
    /// Takes a state in. `parent`: the state it was just split off from; none for the first state
    /// and for one that comes back. `fresh_cover`: it entered code that no path had entered before
    /// since it was last here.
    ///
    /// After a run, the state itself comes first (or the note of its end), then what it split off.
    fn add(&mut self, state: State, parent: Option<StateId>, fresh_cover: bool);

    /// The state to run next.
    fn next(&mut self) -> Option<State>;

    /// Number of waiting states.
    fn len(&self) -> usize;

    /// Is no state waiting?
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The waiting states, in no order.
    fn waiting(&self) -> Box<dyn Iterator<Item = &State> + '_>;

    /// Takes all states out, in order of their numbers.
    fn drain(&mut self) -> Vec<State>;

    /// A state that was handed out will not come back.
    fn note_end(&mut self, id: StateId);
}

/// Sorts states by number.
fn by_id(mut states: Vec<State>) -> Vec<State> {
    states.sort_by_key(|s| s.id);
    states
}
