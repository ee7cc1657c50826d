//! Searcher that chooses by one order or by several in turn, all on one set of states.

use super::order::Order;
use super::{Searcher, by_id};
use crate::state::{State, StateId};
use rustc_hash::FxHashMap;

/// Greatest number of consecutive runs of a chosen state. Its queries resemble each other, and so
/// come together.
const MOST_RUNS: u32 = 8;

/// Waiting states, with the orders that take turns.
pub struct Guided {
    /// Waiting states by id, for look-ups only; every choice is an order's.
    states: FxHashMap<StateId, State>,
    orders: Vec<Box<dyn Order>>,
    turn: usize,
    /// State of the last run, and its number of runs since it was chosen.
    current: Option<(StateId, u32)>,
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
        }
    }
}

impl Searcher for Guided {
    fn add(&mut self, state: State, parent: Option<StateId>, fresh_cover: bool) {
        for order in &mut self.orders {
            order.waits(&state, parent, fresh_cover);
        }
        self.states.insert(state.id, state);
    }

    fn next(&mut self) -> Option<State> {
        let id = match self.current {
            Some((id, runs)) if runs < MOST_RUNS && self.states.contains_key(&id) => {
                self.current = Some((id, runs + 1));
                id
            }
            _ => {
                let order = self.turn % self.orders.len();
                self.turn += 1;
                let id = self.orders[order].pick()?;
                self.current = Some((id, 1));
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

    fn drain(&mut self) -> Vec<State> {
        let all: Vec<State> = self.states.drain().map(|(_, s)| s).collect();
        for state in &all {
            for order in &mut self.orders {
                order.taken(state.id);
                order.ended(state.id);
            }
        }
        self.current = None;
        by_id(all)
    }

    fn note_end(&mut self, id: StateId) {
        for order in &mut self.orders {
            order.ended(id);
        }
    }
}
