//! Orders of choice for random searchers: which state is next. An order holds state numbers only.

use crate::state::{State, StateId};

/// An order of choice among waiting states.
pub trait Order {
    /// Records that a state is waiting (again).
    fn waits(&mut self, state: &State, parent: Option<StateId>, fresh_cover: bool);

    /// Picks one of the waiting states.
    fn pick(&mut self) -> Option<StateId>;

    /// Records that a state is no longer waiting: it was picked, perhaps by another order.
    fn taken(&mut self, id: StateId);

    /// Records that a taken state will not wait again. Its children may still come, up to the next
    /// pick.
    fn ended(&mut self, id: StateId);
}
