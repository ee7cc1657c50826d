//! The states that were split off from the one that runs, until the searcher gets them.

use crate::state::{State, StateId};

/// New states, and the numbers they get.
pub struct Siblings {
    waiting: Vec<State>,
    next: u64,
}

impl Default for Siblings {
    fn default() -> Self {
        Siblings {
            waiting: Vec::new(),
            next: 1,
        }
    }
}

impl Siblings {
    /// A number that no state has.
    pub(in crate::exec) fn number(&mut self) -> StateId {
        let number = StateId(self.next);
        self.next += 1;
        number
    }

    /// A copy of a state with a number of its own.
    pub(in crate::exec) fn copy_of(&mut self, st: &State) -> State {
        let mut copy = st.clone();
        copy.id = self.number();
        copy
    }

    /// Hands a state to the searcher.
    pub(in crate::exec) fn push(&mut self, sibling: State) {
        self.waiting.push(sibling);
    }

    /// Hands the state of the other way to the searcher, if there is one.
    pub(in crate::exec) fn add(&mut self, sibling: Option<State>) {
        self.waiting.extend(sibling);
    }

    /// Has no state been split off?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the states that were split off, in order.
    pub fn take(&mut self) -> Vec<State> {
        std::mem::take(&mut self.waiting)
    }

    /// Puts back what was taken, in place of what was split off since.
    pub(in crate::exec) fn put_back(&mut self, waiting: Vec<State>) {
        self.waiting = waiting;
    }
}
