//! Order of states for a random searcher: which is next. It holds their numbers only.

use crate::state::{State, StateId};

/// An order of choice among waiting states.
pub trait Order {
    /// A state is waiting (again).
    fn waits(&mut self, state: &State, parent: Option<StateId>, fresh_cover: bool);

    /// One of the waiting states.
    fn pick(&mut self) -> Option<StateId>;

    /// A state is not waiting any more: it was picked (by whomever).
    fn taken(&mut self, id: StateId);

    /// A state that was taken will not wait again. Its children may still come, up to the next
    /// pick.
    fn ended(&mut self, id: StateId);
}
