//! Coverage-guided search: chooses at random by weight. States that recently entered new code weigh
//! more, and states at positions where many have waited weigh less.
//!
//! A state's weight is fixed when it begins to wait. Weights are kept in a Fenwick tree, so that a
//! choice takes time logarithmic in the number of states.

use super::order::Order;
use crate::state::{State, StateId};
use rustc_hash::FxHashMap;
use symex_program::FuncId;
use symex_types::splitmix::Random;

/// Weight of a state at a new position right after new code.
const FULL: u64 = 1 << 20;
/// Number of instructions that count as recent.
const RECENT: u64 = 4096;

/// Coverage-guided order: weighted random choice.
pub struct Coverage {
    random: Random,
    /// Fenwick tree of partial sums of the weights: entry `i` (from 1) holds those of the last `i &
    /// -i` entries up to `i`.
    sums: Vec<u64>,
    places: Vec<Option<StateId>>,
    free: Vec<usize>,
    waiting: FxHashMap<StateId, (usize, u64)>,
    /// Step at which each living state last entered new code.
    fresh_at: FxHashMap<StateId, u64>,
    /// Number of times that states have waited at a position.
    visits: FxHashMap<(FuncId, u32), u64>,
    /// States that have ended, but whose children may still come and ask for their parent.
    ending: Vec<StateId>,
}

impl Coverage {
    /// Makes an order without states.
    pub fn new(seed: u64) -> Self {
        Coverage {
            random: Random::new(seed),
            sums: vec![0],
            places: Vec::new(),
            free: Vec::new(),
            waiting: FxHashMap::default(),
            fresh_at: FxHashMap::default(),
            visits: FxHashMap::default(),
            ending: Vec::new(),
        }
    }

    fn total(&self) -> u64 {
        let (mut at, mut total) = (self.places.len(), 0u64);
        while at > 0 {
            total += self.sums[at];
            at &= at - 1;
        }
        total
    }

    /// Changes the weight of an entry.
    fn change(&mut self, place: usize, by: impl Fn(u64) -> u64) {
        let mut at = place + 1;
        while at <= self.places.len() {
            self.sums[at] = by(self.sums[at]);
            at += at & at.wrapping_neg();
        }
    }

    /// Returns an entry without weight.
    fn place(&mut self) -> usize {
        if let Some(place) = self.free.pop() {
            return place;
        }
        // The new entry sums a range of places that exist, and its own, which weighs nothing yet.
        let at = self.places.len() + 1;
        let low = at & at.wrapping_neg();
        let mut sum = 0;
        let (mut i, stop) = (at - 1, at - low);
        while i > stop {
            sum += self.sums[i];
            i &= i - 1;
        }
        self.sums.push(sum);
        self.places.push(None);
        at - 1
    }

    /// Returns the entry at which the sum of the weights up to it exceeds `target`.
    fn find(&self, mut target: u64) -> usize {
        let n = self.places.len();
        let mut at = 0;
        let mut step = if n == 0 { 0 } else { 1 << n.ilog2() };
        while step > 0 {
            let next = at + step;
            if next <= n && self.sums[next] <= target {
                target -= self.sums[next];
                at = next;
            }
            step >>= 1;
        }
        at
    }
}

impl Order for Coverage {
    fn waits(&mut self, state: &State, parent: Option<StateId>, fresh_cover: bool) {
        let inherited = parent.and_then(|p| self.fresh_at.get(&p).copied());
        let fresh_at = if fresh_cover {
            state.steps
        } else {
            self.fresh_at
                .get(&state.id)
                .copied()
                .or(inherited)
                .unwrap_or(state.steps)
        };
        self.fresh_at.insert(state.id, fresh_at);
        let here = (state.stack.top.function, state.stack.top.pc);
        let visits = self.visits.entry(here).or_insert(0);
        *visits += 1;
        let age = (state.steps.saturating_sub(fresh_at) / RECENT + 1).ilog2() as u64 + 1;
        let weight = (FULL / (*visits * age)).max(1);
        let place = self.place();
        self.places[place] = Some(state.id);
        self.change(place, |sum| sum + weight);
        self.waiting.insert(state.id, (place, weight));
    }

    fn pick(&mut self) -> Option<StateId> {
        for id in std::mem::take(&mut self.ending) {
            self.fresh_at.remove(&id);
        }
        let total = self.total();
        if total == 0 {
            return None;
        }
        let target = self.random.below(total);
        self.places[self.find(target)]
    }

    fn taken(&mut self, id: StateId) {
        if let Some((place, weight)) = self.waiting.remove(&id) {
            self.change(place, |sum| sum - weight);
            self.places[place] = None;
            self.free.push(place);
        }
    }

    fn ended(&mut self, id: StateId) {
        self.ending.push(id);
    }
}
