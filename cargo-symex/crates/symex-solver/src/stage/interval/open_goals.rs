//! Memory of goals that were left open: the same goal under more constraints is mostly open again,
//! and finding that out costs a network. Each time in a row that a goal is left open, more queries
//! with it are passed on unseen before the next try.

use rustc_hash::FxHashMap;
use symex_terms::Expr;

/// Number of goals at which the memory is cleared.
const CAPACITY: usize = 100_000;

/// Memory of open goals: see the module.
#[derive(Default)]
pub(super) struct OpenGoals {
    goals: FxHashMap<Expr, Tries>,
}

/// Tries of a goal that was left open.
#[derive(Clone, Copy, Default)]
struct Tries {
    /// Number of tries since the last answer.
    in_vain: u32,
    /// Number of queries still to be passed on unseen.
    skipped: u32,
}

impl OpenGoals {
    /// Reports whether this query with the goal is one to be passed on, and counts it.
    pub fn is_to_be_skipped(&mut self, goal: Expr) -> bool {
        match self.goals.get_mut(&goal) {
            Some(tries) if tries.skipped > 0 => {
                tries.skipped -= 1;
                true
            }
            _ => false,
        }
    }

    /// Records a try. If it was left open, at most `most_skipped` queries with the goal are passed
    /// on next.
    pub fn tried(&mut self, goal: Expr, is_open: bool, most_skipped: u32) {
        if !is_open {
            self.goals.remove(&goal);
            return;
        }
        if most_skipped == 0 {
            return;
        }
        if self.goals.len() >= CAPACITY {
            self.goals.clear();
        }
        let tries = self.goals.entry(goal).or_default();
        tries.in_vain = (tries.in_vain + 1).min(16);
        // Three at first.
        tries.skipped = ((2 << tries.in_vain) - 1).min(most_skipped);
    }
}
