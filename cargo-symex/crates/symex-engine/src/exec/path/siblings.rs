//! Siblings: states forked off from the running one, until the searcher takes them.

use crate::state::{State, StateId};

/// New states, and the counter of their numbers.
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
    /// Returns a fresh state number.
    pub fn number(&mut self) -> StateId {
        let number = StateId(self.next);
        self.next += 1;
        number
    }

    /// Copies a state, with a number of its own.
    pub(in crate::exec) fn copy_of(&mut self, st: &State) -> State {
        let mut copy = st.clone();
        copy.id = self.number();
        copy.decisions = st.decisions.fork(st.steps);
        copy
    }

    /// Queues a state for the searcher.
    pub(in crate::exec) fn push(&mut self, sibling: State) {
        self.waiting.push(sibling);
    }

    /// Queues the state of the other side for the searcher, if there is one.
    pub(in crate::exec) fn add(&mut self, sibling: Option<State>) {
        self.waiting.extend(sibling);
    }

    /// Reports whether no state was forked off.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes the states that were forked off, in order.
    pub fn take(&mut self) -> Vec<State> {
        std::mem::take(&mut self.waiting)
    }

    /// Puts back the states taken, in place of those forked off since.
    pub(in crate::exec) fn put_back(&mut self, waiting: Vec<State>) {
        self.waiting = waiting;
    }
}
