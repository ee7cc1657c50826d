//! Solver queries of paths, with their time limits.

use crate::exec::path::alarm::Alarm;
use crate::exec::path::sites::{SLOW, SlowQuery, position};
use crate::state::State;
use crate::state::decisions::Ahead;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symex_solver::chain::Chain;
use symex_solver::{Answer, Ask, Purpose, Unknown};
use symex_terms::{Expr, Pool, hardest};
use symex_types::outcome::Bound;

/// Time for a query about the other side of a branch, before its path is queued to get the full
/// timeout: few queries are hard, and one should not hold up all others.
const QUICK: Duration = Duration::from_secs(2);

/// Time for a query of a path that follows given inputs: only to make them smaller, which they are
/// already.
const FOLLOWED: Duration = Duration::from_millis(50);

/// The solver, with the limits on its queries.
pub struct Queries {
    pub solver: Chain,
    /// Timeout of one query.
    timeout: Duration,
    /// Limit on the number of queries.
    most: Option<u64>,
    pub alarm: Arc<Alarm>,
    /// Whether a query went unanswered because the run's time was up. No state may go on then.
    expired: bool,
    /// Whether a function is run detached from a path. It follows the path's assignment, and the
    /// solver is not asked.
    pub(in crate::exec) aside: bool,
    /// Queries that took long since they were last taken.
    pub(in crate::exec) slow: Vec<SlowQuery>,
    /// Time in queries.
    pub asked: Duration,
    /// Whether paths follow given inputs, and with them their assignments: the solver is not asked
    /// about others.
    pub follows: bool,
}

impl Queries {
    /// Makes the queries of a run: each with this timeout, until the alarm rings.
    pub fn new(mut solver: Chain, timeout: Duration, most: Option<u64>, alarm: Arc<Alarm>) -> Self {
        solver.set_deadline(alarm.deadline());
        Queries {
            solver,
            timeout,
            most,
            alarm,
            expired: false,
            aside: false,
            follows: false,
            slow: Vec::new(),
            asked: Duration::ZERO,
        }
    }

    /// Returns the reason why the run must end now, if there is one.
    pub fn time_is_up(&self, now: Instant) -> Option<Bound> {
        let spent = || self.are_spent().then_some(Bound::MaxQueries);
        self.alarm.reason(now).or_else(spent)
    }

    /// Reports whether it is time to stop.
    pub fn out_of_time(&self) -> bool {
        self.alarm.reason(Instant::now()).is_some()
    }

    /// Reports whether a query went unanswered because the run's time was up.
    pub fn is_cut(&self) -> bool {
        self.expired
    }

    /// Reports whether no state may go on: because the alarm rings, a query went unanswered for
    /// that, or as many queries as allowed were asked.
    #[inline]
    pub(in crate::exec) fn has_expired(&self) -> bool {
        self.expired || self.alarm.rings() || self.are_spent()
    }

    #[inline]
    fn are_spent(&self) -> bool {
        self.most.is_some_and(|most| self.solver.asked() >= most)
    }

    /// Returns a state's view of the solver.
    fn ask<'b>(&'b mut self, st: &'b State) -> Ask<'b> {
        Ask {
            solver: &mut self.solver,
            condition: &st.condition,
            addresses: &st.memory,
            assignment: &st.assignment,
        }
    }

    /// Reports whether a path is told what its assignment does not show: not where it only follows
    /// that.
    pub(in crate::exec) fn looks_around(&self) -> bool {
        !self.aside && !self.follows
    }

    /// Asks whether `goal` may hold on a path. Where it only follows its own assignment, that alone
    /// counts.
    pub(in crate::exec) fn may_be_true(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Expr,
        purpose: Purpose,
    ) -> Answer {
        if !self.looks_around() {
            return match pool.eval(goal, &st.assignment, &st.memory) {
                1 => Answer::Sat(st.assignment.clone()),
                _ => Answer::Unsat,
            };
        }
        self.decided(pool, st, Some(goal), |queries, pool| {
            queries.ask(st).may_be_true(pool, goal, purpose)
        })
    }

    /// Returns the answer to a query of a path: the one that it got before, if it is run once more.
    /// `goal` holds under the assignment of an answer.
    pub(in crate::exec) fn decided(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Option<Expr>,
        ask: impl FnOnce(&mut Self, &mut Pool) -> Answer,
    ) -> Answer {
        let answer = match st.decisions.answer(st.steps, &st.assignment) {
            Ahead::Unknown => {
                let began = Instant::now();
                let answer = ask(self, pool);
                let time = began.elapsed();
                self.asked += time;
                if time >= SLOW {
                    self.slow.push(SlowQuery {
                        position: position(&st.stack),
                        time,
                        arithmetic: hardest(pool, query_of(pool, st, goal)),
                    });
                }
                answer
            }
            Ahead::Parted => return Answer::Unsat,
            Ahead::Known(answer) => {
                if let (Answer::Sat(a), Some(goal)) = (&answer, goal)
                    && pool.eval(goal, a, &st.memory) != 1
                {
                    st.decisions.diverge();
                    return Answer::Unsat;
                }
                answer
            }
        };
        st.decisions.note(st.steps, &st.assignment, &answer);
        answer
    }

    /// Asks as [`Self::may_be_true`] does, but with little time for the query. `None`: the time was
    /// too short.
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
    /// counted: the caller can do without the answer. Where the path only follows its own
    /// assignment, that alone counts.
    pub(in crate::exec) fn quickly_ask(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Expr,
        purpose: Purpose,
    ) -> Answer {
        if !self.looks_around() {
            return self.may_be_true(pool, st, goal, purpose);
        }
        self.decided(pool, st, Some(goal), |queries, pool| {
            queries.quickly(st, |mut ask| ask.may_be_true(pool, goal, purpose))
        })
    }

    /// Asks as [`Self::quickly_ask`] does, and lets the solver do little work. `None`: that was too
    /// little.
    pub(in crate::exec) fn briefly_ask(
        &mut self,
        pool: &mut Pool,
        st: &State,
        goal: Expr,
        purpose: Purpose,
    ) -> Option<Answer> {
        self.solver.set_brief(true);
        let answer = self.quickly_ask(pool, st, goal, purpose);
        self.solver.set_brief(false);
        match answer {
            Answer::Unknown(Unknown::Brief) => None,
            Answer::Unknown(Unknown::Timeout) if !self.out_of_time() => None,
            answer => Some(answer),
        }
    }

    /// Runs queries with a short timeout each.
    pub(in crate::exec) fn quickly<T>(
        &mut self,
        st: &State,
        question: impl FnOnce(Ask<'_>) -> T,
    ) -> T {
        let most = if self.follows { FOLLOWED } else { QUICK };
        self.solver.set_timeout(most.min(self.timeout));
        let answer = question(self.ask(st));
        self.solver.set_timeout(self.timeout);
        answer
    }

    /// Finds inputs with which a path can be followed as it is.
    pub(in crate::exec) fn any(&mut self, pool: &mut Pool, st: &State, purpose: Purpose) -> Answer {
        self.decided(pool, st, None, |queries, pool| {
            queries.ask(st).any(pool, purpose)
        })
    }

    /// Ends the run if a query went unanswered because time was up, and returns the reason; `None`:
    /// there was time left.
    pub(in crate::exec) fn expire(&mut self) -> Option<Bound> {
        let reason = self.alarm.reason(Instant::now());
        self.expired |= reason.is_some();
        reason
    }
}

/// Returns the terms of a query of a path: the goal, and what of the condition has to do with it.
fn query_of(pool: &Pool, st: &State, goal: Option<Expr>) -> Vec<Expr> {
    match goal {
        Some(goal) => {
            let mut terms = vec![goal];
            terms.extend(st.condition.slice(pool, goal));
            terms
        }
        None => st.condition.all(),
    }
}
