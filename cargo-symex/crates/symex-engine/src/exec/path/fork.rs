//! Forking where both sides of a condition are possible.

use crate::exec::Executor;
use crate::exec::merge::Parting;
use crate::exec::path::end::{PathEnd, Res};
use crate::state::State;
use symex_solver::{Answer, Purpose, Unknown};
use symex_terms::{Assignment, Expr, Kind, Symbol, Value};
use symex_types::outcome::Unsupported;
use symex_types::outcome::decision_tree::ForkKind;

/// Answer to whether the other side of a branch is feasible.
pub(in crate::exec) enum Feasible {
    Yes(Assignment),
    No,
    /// Not decided within the short time limit.
    Later,
}

/// Decision at a branch.
pub struct Decision {
    /// Side that this state takes.
    pub here: bool,
    /// State for the other side, if it is feasible or may be: narrowed, but with its program
    /// counter still where it was.
    pub other: Option<State>,
}

/// Returns the kind of the forks at which queries have this purpose.
fn kind_of(purpose: Purpose) -> ForkKind {
    match purpose {
        Purpose::Branch | Purpose::Minimise => ForkKind::Branch,
        Purpose::Bounds | Purpose::Check => ForkKind::Check,
        Purpose::Resolve | Purpose::Collision => ForkKind::Pointer,
        Purpose::Value => ForkKind::Value,
    }
}

impl Executor<'_> {
    /// Asks whether `goal` may hold on this path. If not, the path goes on without it: after an
    /// unknown, which is counted as unsupported, only inputs for which `goal` does not hold are
    /// followed. The path's own assignment is one of them.
    pub fn satisfiable_or_exclude(
        &mut self,
        st: &mut State,
        goal: Expr,
        purpose: Purpose,
    ) -> Option<Assignment> {
        let answer = self.queries.may_be_true(&mut self.pool, st, goal, purpose);
        self.assignment_or_without(st, goal, answer)
    }

    /// Asks as [`Self::satisfiable_or_exclude`] does, where no decision rests on a negative answer:
    /// the path is left as it is.
    pub fn satisfiable(&mut self, st: &State, goal: Expr, purpose: Purpose) -> Option<Assignment> {
        let answer = self.queries.may_be_true(&mut self.pool, st, goal, purpose);
        self.assignment_of(st, answer)
    }

    /// Returns the assignment of an answer to whether `goal` may hold; excludes `goal` after an
    /// unknown, and where the answer is about the path's own assignment only.
    pub(in crate::exec) fn assignment_or_without(
        &mut self,
        st: &mut State,
        goal: Expr,
        answer: Answer,
    ) -> Option<Assignment> {
        let excludes = match answer {
            Answer::Sat(_) => false,
            // Of a path that follows given inputs, only the side of these is known.
            Answer::Unsat => self.queries.follows,
            Answer::Unknown(_) => true,
        };
        let found = self.assignment_of(st, answer);
        if excludes {
            let without = self.pool.not(goal);
            self.narrow(st, without, None);
        }
        found
    }

    /// Returns the assignment of an answer; an unknown is counted.
    fn assignment_of(&mut self, st: &State, answer: Answer) -> Option<Assignment> {
        match answer {
            Answer::Sat(a) => Some(a),
            Answer::Unsat => None,
            Answer::Unknown(why) => {
                self.unanswered(st, &why);
                None
            }
        }
    }

    /// Counts a query without an answer.
    pub(in crate::exec) fn unanswered(&mut self, st: &State, why: &Unknown) {
        match self.queries.expire() {
            // Not the solver's fault: what is missing now is missing for want of time.
            Some(bound) => self.outcomes.bounded(st, bound),
            None => self
                .outcomes
                .unsupported(st, Unsupported::Solver(why.to_string())),
        }
    }

    /// Asks as [`Self::satisfiable_or_exclude`] does, but with little time for the query, and
    /// reports whether that was too little.
    pub(in crate::exec) fn quickly_satisfiable_or_exclude(
        &mut self,
        st: &mut State,
        goal: Expr,
        purpose: Purpose,
    ) -> Feasible {
        let answer = self
            .queries
            .may_soon_be_true(&mut self.pool, st, goal, purpose);
        let Some(answer) = answer else {
            return Feasible::Later;
        };
        match self.assignment_or_without(st, goal, answer) {
            Some(a) => Feasible::Yes(a),
            None => Feasible::No,
        }
    }

    /// Verifies the condition that a path waits for, with the full query timeout. False: the path
    /// is not to be followed.
    pub fn verify(&mut self, st: &mut State) -> bool {
        let Some(goal) = st.unverified.take() else {
            return true;
        };
        self.profile(|profiler, program, asked| {
            profiler.start();
            profiler.enter(program, st, asked);
        });
        let found = self.satisfiable_or_exclude(st, goal, Purpose::Branch);
        self.profile(|profiler, _, asked| profiler.leave(st, asked));
        match found {
            Some(a) => {
                self.narrow(st, goal, Some(a));
                true
            }
            None => false,
        }
    }

    /// Copies the state, with a number of its own, where something of this kind forks its path.
    pub fn clone_state(&mut self, st: &State, kind: ForkKind) -> State {
        let at = self.outcomes.note_fork(st);
        let copy = self.siblings.copy_of(st);
        if let Some(sketch) = &mut self.outcomes.sketch {
            sketch.fork(st, &copy, at, kind);
        }
        copy
    }

    /// Adds a constraint that is known to be satisfiable on this path, with an assignment that
    /// satisfies it.
    pub fn narrow(&mut self, st: &mut State, constraint: Expr, assignment: Option<Assignment>) {
        st.condition.add(&mut self.pool, constraint);
        if let Some(a) = assignment {
            st.assignment = a;
        }
        debug_assert_eq!(self.pool.eval(constraint, &st.assignment, &st.memory), 1);
    }

    /// Returns the value of a one-bit term, if it is known without a query.
    fn known(&mut self, st: &mut State, cond: Expr) -> Option<bool> {
        if let Some(v) = self.pool.as_const(cond) {
            return Some(v == 1);
        }
        if st.condition.contains(&self.pool, cond) {
            return Some(true);
        }
        let negated = self.pool.not(cond);
        if st.condition.contains(&self.pool, negated) {
            return Some(false);
        }
        let support = self.pool.support(cond).iter();
        let (bases, inputs) = support.fold((false, false), |(bases, inputs), s| match s {
            Symbol::Base(_) => (true, inputs),
            Symbol::Var(_) => (bases, true),
        });
        if !inputs {
            return Some(self.decide_by_address(st, cond));
        }
        if bases {
            self.look_at_addresses(st, cond);
            self.note_address_among_inputs(st);
        }
        None
    }

    /// Decides a one-bit term, forking if both sides are feasible.
    pub fn decide(&mut self, st: &mut State, cond: Expr, purpose: Purpose) -> Res<Decision> {
        let cond = self.as_parted(st, cond);
        if let Some(here) = self.known(st, cond) {
            return Ok(Decision { here, other: None });
        }
        if self.pool.has_uninit(cond) {
            self.check_initialised(st, cond)?;
        }
        let here = self.pool.eval(cond, &st.assignment, &st.memory) == 1;
        let negated = self.pool.not(cond);
        let (mine, others) = if here {
            (cond, negated)
        } else {
            (negated, cond)
        };
        self.note_choice(st, cond, kind_of(purpose));
        let feasible = match self.part_where_hard(st, others, purpose)? {
            Parting::Parted => return self.decide(st, cond, purpose),
            Parting::Answered(answer) => match self.assignment_or_without(st, others, answer) {
                Some(a) => Feasible::Yes(a),
                None => Feasible::No,
            },
            Parting::Whole => self.quickly_satisfiable_or_exclude(st, others, purpose),
        };
        let assignment = match feasible {
            Feasible::No => return Ok(Decision { here, other: None }),
            Feasible::Yes(a) => Some(a),
            Feasible::Later => None,
        };
        let mut other = self.clone_state(st, kind_of(purpose));
        match assignment {
            Some(a) => self.narrow(&mut other, others, Some(a)),
            None => other.unverified = Some(others),
        }
        self.narrow(st, mine, None);
        Ok(Decision {
            here,
            other: Some(other),
        })
    }

    /// Decides a one-bit term; a sibling for the other side executes the same instruction again.
    /// Must be called before the instruction has changed anything.
    pub fn split(&mut self, st: &mut State, cond: Expr, purpose: Purpose) -> Res<bool> {
        let d = self.decide(st, cond, purpose)?;
        self.siblings.add(d.other);
        Ok(d.here)
    }

    /// Adds the assumption that the term holds; ends the path if it cannot.
    pub fn assume(&mut self, st: &mut State, cond: Expr) -> Res<()> {
        match self.known(st, cond) {
            Some(true) => return Ok(()),
            Some(false) => return Err(PathEnd::Assumed.into()),
            None => {}
        }
        self.note_choice(st, cond, ForkKind::Check);
        let assignment = self.satisfiable_or_exclude(st, cond, Purpose::Check);
        match assignment {
            Some(a) => {
                self.narrow(st, cond, Some(a));
                Ok(())
            }
            None => Err(PathEnd::Assumed.into()),
        }
    }

    /// Makes a value of up to 64 bits concrete, forking a path per value.
    pub fn concretise(&mut self, st: &mut State, value: Value, width: u32) -> Res<u64> {
        match value {
            Value::Int(v) => Ok(v),
            Value::Ptr(object, offset) => {
                self.pin_address(st, object);
                Ok(st.memory.object(object).address.wrapping_add(offset))
            }
            Value::Undef | Value::Expr(_) => {
                let e = self.term(st, value, width);
                if self.pool.has_uninit(e) {
                    self.check_initialised(st, e)?;
                }
                if let Kind::Const(v) = self.pool.kind(e) {
                    return Ok(v as u64);
                }
                let v = self.pool.eval(e, &st.assignment, &st.memory);
                let c = self.pool.constant(width, v);
                let same = self.pool.eq(e, c);
                let here = self.split(st, same, Purpose::Value)?;
                debug_assert!(here, "the path's own assignment gives this value");
                Ok(v as u64)
            }
        }
    }

    /// Makes a truth value concrete, forking if it may be either. The sibling executes the same
    /// instruction again.
    pub fn truth(&mut self, st: &mut State, value: Value) -> Res<bool> {
        match value {
            Value::Int(v) => Ok(v & 1 == 1),
            _ => {
                let e = self.term(st, value, 1);
                self.split(st, e, Purpose::Branch)
            }
        }
    }
}
