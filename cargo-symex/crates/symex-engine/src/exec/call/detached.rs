//! Detached runs of a function of the program: on a copy of a path's state, under the path's own
//! assignment, with no effect on the path. They produce texts that the program itself knows best
//! how to make.

use crate::exec::path::end::PathEnd;
use crate::exec::{Executor, Pause};
use crate::state::{Frame, Joins, State};
use symex_program::FuncId;
use symex_terms::Value;

/// Greatest number of turns of the instruction loop in a detached run.
const TURNS: usize = 256;

impl Executor<'_> {
    /// Returns the state in which a call of `function` ends, if it returns. `prepare` makes its
    /// arguments.
    pub fn run_aside(
        &mut self,
        st: &State,
        function: FuncId,
        prepare: impl FnOnce(&mut Self, &mut State) -> Vec<Value>,
    ) -> Option<State> {
        let slots = self.program.function(function).body.as_ref()?.slots;
        if self.queries.aside {
            return None;
        }
        let mut copy = st.clone();
        let args = prepare(self, &mut copy);
        copy.stack = st
            .stack
            .beside(Frame::first(function, slots as usize, &args));
        copy.steps = 0;
        copy.borrows = None;
        copy.threads = None;
        copy.joins = Joins::default();
        let end = self.aside(|executor| executor.run_to_end(&mut copy));
        (end == Some(PathEnd::Completed)).then_some(copy)
    }

    /// Returns the only value that a call of `function` with these arguments returns, if it does.
    pub fn value_aside(&mut self, st: &State, function: FuncId, args: &[Value]) -> Option<Value> {
        self.run_aside(st, function, |_, _| args.to_vec())?.status
    }

    /// Reports whether a function is run detached from a path.
    pub fn is_aside(&self) -> bool {
        self.queries.aside
    }

    /// Runs something that has no effect on a path: what it covers does not count, and the solver
    /// is not asked.
    pub(in crate::exec) fn aside<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let siblings = self.siblings.take();
        self.entered.set_aside();
        self.queries.aside = true;
        let result = run(self);
        self.queries.aside = false;
        self.entered.go_on();
        self.siblings.put_back(siblings);
        result
    }

    /// Runs a state to its end, and returns that; `None` if it forks, or takes too long.
    pub(in crate::exec) fn run_to_end(&mut self, st: &mut State) -> Option<PathEnd> {
        for _ in 0..TURNS {
            match self.run(st) {
                Pause::Yield if self.siblings.is_empty() && !self.queries.out_of_time() => {}
                Pause::Yield | Pause::Join => return None,
                Pause::End(end) => return Some(end),
            }
        }
        None
    }
}
