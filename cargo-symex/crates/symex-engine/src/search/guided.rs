//! Searcher that chooses by one order or by several in turn, all on one set of states.
//!
//! Where many states wait, it goes deep: it follows a chosen state and all that fork off from it,
//! the newest first, before the orders choose again. Orders that choose far and wide would let the
//! set grow with every fork, and states are what a run's memory goes to.

use super::Searcher;
use super::order::Order;
use crate::state::{State, StateId};
use rustc_hash::FxHashMap;

/// Greatest number of consecutive runs of a chosen state. Its queries resemble each other, and so
/// come together.
const MOST_RUNS: u32 = 8;
/// Number of waiting states from which on the searcher goes deep.
const MANY: usize = 8192;
/// That number where states are given away: the shallowest should stand for as much as possible,
/// and they do not if it was begun everywhere.
const MANY_SHARED: usize = 64;
/// Number of runs after which a descent ends, unless twice as many states wait.
const DESCENT: u32 = 1024;

/// Waiting states, with the orders that take turns.
pub struct Guided {
    /// Waiting states by id, for look-ups only; every choice is an order's.
    states: FxHashMap<StateId, State>,
    orders: Vec<Box<dyn Order>>,
    turn: usize,
    /// State of the last run, and its number of runs since it was chosen.
    current: Option<(StateId, u32)>,
    /// Number of waiting states from which on the searcher goes deep.
    many: usize,
    descent: Option<Descent>,
}

/// A chosen state and its descendants.
#[derive(Default)]
struct Descent {
    /// States that wait, the newest last.
    waiting: Vec<StateId>,
    /// Number of runs so far.
    runs: u32,
}

impl Guided {
    /// Makes a searcher; at least one order is needed.
    pub fn new(orders: Vec<Box<dyn Order>>) -> Self {
        assert!(!orders.is_empty());
        Guided {
            states: FxHashMap::default(),
            orders,
            turn: 0,
            current: None,
            many: MANY,
            descent: None,
        }
    }

    /// Returns the state that the orders choose. One that an order does not know is not lost.
    fn pick(&mut self) -> Option<StateId> {
        let order = self.turn % self.orders.len();
        self.turn += 1;
        let chosen = self.orders[order].pick();
        debug_assert_eq!(chosen.is_some(), !self.states.is_empty());
        chosen.or_else(|| self.states.keys().min().copied())
    }

    /// Returns the next state of the descent, unless it is over.
    fn next_of_descent(&mut self) -> Option<StateId> {
        let crowded = self.states.len() >= 2 * self.many;
        let descent = self.descent.as_mut()?;
        if descent.runs >= DESCENT && !crowded {
            return None;
        }
        descent.runs += 1;
        descent.waiting.pop()
    }
}

impl Searcher for Guided {
    fn add(&mut self, state: State, parent: Option<StateId>, fresh_cover: bool) {
        for order in &mut self.orders {
            order.waits(&state, parent, fresh_cover);
        }
        // What comes back or is forked off is of the descent, which alone is being run.
        if let Some(descent) = &mut self.descent {
            descent.waiting.push(state.id);
        }
        self.states.insert(state.id, state);
    }

    fn next(&mut self) -> Option<State> {
        let id = match (self.next_of_descent(), self.current) {
            (Some(id), _) => id,
            (None, Some((id, runs))) if runs < MOST_RUNS && self.states.contains_key(&id) => {
                self.descent = None;
                self.current = Some((id, runs + 1));
                id
            }
            _ => {
                let many = self.states.len() >= self.many;
                let id = self.pick()?;
                self.descent = many.then(Descent::default);
                self.current = (!many).then_some((id, 1));
                id
            }
        };
        for order in &mut self.orders {
            order.taken(id);
        }
        self.states.remove(&id)
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn waiting(&self) -> Box<dyn Iterator<Item = &State> + '_> {
        Box::new(self.states.values())
    }

    fn remove(&mut self, id: StateId) -> Option<State> {
        let state = self.states.remove(&id)?;
        for order in &mut self.orders {
            order.taken(id);
            order.ended(id);
        }
        if let Some(descent) = &mut self.descent {
            descent.waiting.retain(|other| *other != id);
        }
        Some(state)
    }

    fn drain(&mut self, take: &mut dyn FnMut(State)) {
        self.descent = None;
        self.current = None;
        while let Some(state) = self.pick().and_then(|id| self.remove(id)) {
            take(state);
        }
    }

    fn share(&mut self) {
        self.many = MANY_SHARED;
    }

    fn note_end(&mut self, id: StateId) {
        for order in &mut self.orders {
            order.ended(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_path::RandomPath;
    use super::super::tests::state;
    use super::*;

    /// Forks a state off with each run, and ends it after `runs` of them; returns the most states
    /// that waited, and the number of states made.
    fn forked(many: usize, runs: u64, most: u64) -> (usize, u64) {
        let mut searcher = Guided::new(vec![Box::new(RandomPath::new(0))]);
        searcher.many = many;
        searcher.add(state(0, 0), None, true);
        let (mut made, mut peak) = (1, 0);
        while let Some(mut s) = searcher.next() {
            let id = s.id;
            s.steps += 1;
            let steps = s.steps;
            match steps < runs {
                true => searcher.add(s, None, false),
                false => searcher.note_end(id),
            }
            if steps < runs && made < most {
                let mut sibling = state(made, 0);
                sibling.steps = steps;
                searcher.add(sibling, Some(id), false);
                made += 1;
            }
            peak = peak.max(searcher.len());
        }
        assert!(searcher.is_empty());
        (peak, made)
    }

    #[test]
    fn where_many_wait_few_more_do() {
        // A tree of 2^16 paths: the orders alone let thousands wait.
        let (wide, made) = forked(usize::MAX, 17, 1 << 16);
        let (deep, made_deep) = forked(64, 17, 1 << 16);
        assert_eq!((made, made_deep), (1 << 16, 1 << 16));
        assert!(wide > 4096, "{wide}");
        assert!(deep < 256, "{deep}");
    }
}
