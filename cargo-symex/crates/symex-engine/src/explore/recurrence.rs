//! Paths that come back to a state in which they were before: they never end.
//!
//! A path that has run for long is followed jump by jump for a while, at its first pause and then
//! after 1, 2, 4 ... more, and compared with a copy of what it was at the beginning. Where it comes
//! to be in fewer calls than the copy, that is made anew: a circle has a function that it does not
//! leave, and states within calls from there are not recognised again, as each call has a frame of
//! its own.

use crate::exec::path::end::{Fault, PathEnd};
use crate::exec::{Executor, Pause};
use crate::state::{State, StateId};
use rustc_hash::FxHashMap;
use symex_types::outcome::FindingKind;

/// Number of instructions from which on a path is looked at. The copies cost those that run on.
const LONG: u64 = 1 << 20;
/// Number of jumps for which a path is followed.
const MOST_JUMPS: u32 = 1 << 16;
/// Number of times that a path which is followed is compared.
const MOST_COMPARED: usize = 1 << 12;
/// Greatest number of paths whose pauses are counted.
const MOST_PATHS: usize = 1 << 12;

/// Paths that run for long: see the module.
#[derive(Default)]
pub(super) struct Recurrences {
    /// Number of pauses of each.
    pauses: FxHashMap<StateId, u64>,
}

impl Recurrences {
    /// Follows a path that has paused, if it is time for that, and returns its next pause.
    pub fn follow(&mut self, executor: &mut Executor, state: &mut State, pause: Pause) -> Pause {
        let goes_on = matches!(pause, Pause::Yield) && executor.siblings.is_empty();
        let is_comparable =
            state.joins.is_empty() && state.threads.is_none() && state.borrows.is_none();
        if !goes_on || !is_comparable || state.steps < LONG {
            return pause;
        }
        if self.pauses.len() == MOST_PATHS {
            self.pauses.clear();
        }
        let pauses = self.pauses.entry(state.id).or_default();
        *pauses += 1;
        if !pauses.is_power_of_two() {
            return pause;
        }
        let id = state.id;
        let pause = circle(executor, state);
        if matches!(pause, Pause::End(_)) {
            self.pauses.remove(&id);
        }
        pause
    }
}

/// Follows a path, and returns its next pause: its end if it has come back to where it was. It is
/// at the first place of its circle then, of those with the fewest calls, so that all paths in it
/// end at one.
fn circle(executor: &mut Executor, state: &mut State) -> Pause {
    let place = |state: &State| (state.stack.depth, state.stack.top.pc);
    let mut start = state.clone();
    let mut first = place(state);
    let (mut compared, mut is_back) = (0, false);
    for _ in 0..MOST_JUMPS {
        let pause = executor.run_on(state, 1);
        // Single instructions may take long, so that the limits cannot wait for the end of this.
        if !matches!(pause, Pause::Yield) || !executor.siblings.is_empty() || executor.is_stopped()
        {
            return pause;
        }
        let here = place(state);
        if here.0 < start.stack.depth {
            start = state.clone();
            first = here;
            continue;
        }
        first = first.min(here);
        if here == place(&start) && !is_back {
            compared += 1;
            if compared > MOST_COMPARED {
                break;
            }
            is_back = executor.are_same(&start, state);
        }
        if is_back && here == first {
            let message =
                "never ends: the path comes back to where it was, and nothing has changed";
            return Pause::End(PathEnd::Fault(Fault::new(FindingKind::Hang, message)));
        }
    }
    Pause::Yield
}
