//! The questions that paths ask the solver, and the time there is for them.

use crate::state::State;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symex_solver::chain::Chain;
use symex_solver::{Answer, Ask, Purpose, Unknown};
use symex_terms::{Expr, Pool};
use symex_types::outcome::Bound;

/// Time for a query about the other way of a branch, before the path that it is about waits for its
/// turn with the whole time: few questions are hard, and one should not hold up all others.
const QUICK: Duration = Duration::from_secs(2);

/// The solver, and what limits the questions to it.
pub struct Queries<'a> {
    pub solver: Chain,
    /// Time for one query.
    timeout: Duration,
    deadline: Option<Instant>,
    stop: &'a AtomicBool,
    /// Has a query gone unanswered because time was up? No state may go on then.
    expired: bool,
    /// Is a function run beside a path? It follows the path's assignment, and nothing is asked of
    /// the solver.
    pub(in crate::exec) aside: bool,
}

impl<'a> Queries<'a> {
    /// Questions to a solver until the flag is set, each with this time.
    pub fn new(solver: Chain, timeout: Duration, stop: &'a AtomicBool) -> Self {
        Queries {
            solver,
            timeout,
            deadline: None,
            stop,
            expired: false,
            aside: false,
        }
    }

    /// Sets the time at which the run ends.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.solver.set_deadline(deadline);
    }

    /// The reason for which the run must end now, if there is one.
    pub fn time_is_up(&self, now: Instant) -> Option<Bound> {
        if self.stop.load(Ordering::Relaxed) {
            Some(Bound::Interrupted)
        } else if self.deadline.is_some_and(|d| now >= d) {
            Some(Bound::Timeout)
        } else {
            None
        }
    }

    /// Is it time to stop?
    pub fn out_of_time(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| Instant::now() >= d)
    }

    /// Has a query gone unanswered because time was up?
    #[inline]
    pub(in crate::exec) fn has_expired(&self) -> bool {
        self.expired
    }

    /// A state's view of the solver.
    fn ask<'b>(&'b mut self, st: &'b State) -> Ask<'b> {
        Ask {
            solver: &mut self.solver,
            condition: &st.condition,
            addresses: &st.memory,
            assignment: &st.assignment,
        }
    }

    /// Asks whether `goal` may hold on a path. Beside a path, only the path's own assignment
    /// counts.
    pub(in crate::exec) fn may_be_true(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Expr,
        purpose: Purpose,
    ) -> Answer {
        if self.aside {
            return match pool.eval(goal, &st.assignment, &st.memory) {
                1 => Answer::Sat(st.assignment.clone()),
                _ => Answer::Unsat,
            };
        }
        self.ask(st).may_be_true(pool, goal, purpose)
    }

    /// Like [`Self::may_be_true`], but with little time for the query. `None`: it takes longer to
    /// tell.
    pub(in crate::exec) fn may_soon_be_true(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Expr,
        purpose: Purpose,
    ) -> Option<Answer> {
        let quick = QUICK < self.timeout;
        match self.quickly_ask(pool, st, goal, purpose) {
            Answer::Unknown(Unknown::Timeout) if quick && !self.out_of_time() => None,
            answer => Some(answer),
        }
    }

    /// Asks whether `goal` may hold on a path, with little time for the query. Unknowns are not
    /// counted: the caller can do without the answer. Beside a path, only the path's own assignment
    /// counts.
    pub(in crate::exec) fn quickly_ask(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Expr,
        purpose: Purpose,
    ) -> Answer {
        if self.aside {
            return self.may_be_true(pool, st, goal, purpose);
        }
        self.quickly(st, |mut ask| ask.may_be_true(pool, goal, purpose))
    }

    /// Asks questions that there is little time for, query by query.
    pub(in crate::exec) fn quickly<T>(
        &mut self,
        st: &State,
        question: impl FnOnce(Ask<'_>) -> T,
    ) -> T {
        self.solver.set_timeout(QUICK.min(self.timeout));
        let answer = question(self.ask(st));
        self.solver.set_timeout(self.timeout);
        answer
    }

    /// Any inputs with which a path can be followed as it is.
    pub(in crate::exec) fn any(&mut self, pool: &mut Pool, st: &State, purpose: Purpose) -> Answer {
        self.ask(st).any(pool, purpose)
    }

    /// Ends the run if a query went unanswered because time was up, and says why; `None`: there was
    /// time left.
    pub(in crate::exec) fn expire(&mut self) -> Option<Bound> {
        if !self.out_of_time() {
            return None;
        }
        self.expired = true;
        Some(match self.stop.load(Ordering::Relaxed) {
            true => Bound::Interrupted,
            false => Bound::Timeout,
        })
    }
}
