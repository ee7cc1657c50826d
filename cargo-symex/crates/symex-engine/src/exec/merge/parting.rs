//! Parting a merged path where its terms are too hard for the solver.
//!
//! What it costs to merge paths shows later, when the solver is asked about values that select by
//! the conditions at which they parted. Such a query gets little work. If that is not enough, the
//! path forks by those conditions, one, then two, then four of them, until the query is answered,
//! or the path is one of those that it stood for. The conditions are then constants in its terms. A
//! run on which that happens often merges no more paths.
//!
//! A path is parted as well where a merged word turns out to be a position, and the branch merges
//! none any more.

use super::MOST_HARD;
use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::{Guard, State};
use rustc_hash::FxHashMap;
use symex_solver::{Answer, Purpose};
use symex_terms::{Expr, PathCondition, Value};

/// Result of a question about a path that may be merged.
pub(in crate::exec) enum Parting {
    /// The answer.
    Answered(Answer),
    /// The path was parted: its terms are smaller now.
    Parted,
    /// The path is not merged.
    Whole,
}

impl Executor<'_> {
    /// Asks whether `goal` may hold on a merged path, and parts the path if that is too hard. The
    /// siblings execute the same instruction again.
    pub(in crate::exec) fn part_where_hard(
        &mut self,
        st: &mut State,
        goal: Expr,
        purpose: Purpose,
    ) -> Res<Parting> {
        if st.guards.is_empty() {
            return Ok(Parting::Whole);
        }
        if let Some(answer) = self.answer_unless_hard(st, goal, purpose) {
            st.guards.relax();
            return Ok(Parting::Answered(answer));
        }
        let mut is_parted = false;
        while !is_parted && !st.guards.is_empty() {
            let guards = match self.joining.given_up {
                true => st.guards.take_all(),
                false => st.guards.take(&self.pool, goal),
            };
            let mut later = Vec::new();
            for guard in guards {
                match self.part_by(st, guard)? {
                    true => {
                        self.joining.note_parting(guard.branch);
                        is_parted = true;
                    }
                    false => later.push(guard),
                }
            }
            // They may be known by what the path was parted by, and are of no use otherwise.
            if is_parted {
                st.guards.put_back(later);
            }
        }
        self.outcomes.stats.parted += u64::from(is_parted);
        Ok(match is_parted {
            true => Parting::Parted,
            false => Parting::Whole,
        })
    }

    /// Asks whether `goal` may hold on a merged path. `None`: that is too hard for the solver,
    /// which is counted.
    fn answer_unless_hard(&mut self, st: &State, goal: Expr, purpose: Purpose) -> Option<Answer> {
        if self.joining.part_always {
            return None;
        }
        let answer = self.queries.briefly_ask(&mut self.pool, st, goal, purpose);
        if answer.is_none() {
            self.joining.hard += 1;
            let (least, part) = MOST_HARD;
            let hard = self.joining.hard;
            let merged = self.outcomes.stats.merged;
            self.joining.given_up |= hard >= least && hard > merged / part;
        }
        answer
    }

    /// Parts a merged path where an address or a length depends on words in which the paths
    /// differed that it stands for: these work on different bytes, unless they look something up in
    /// a table. Returns the term with what is known since. The siblings execute the same
    /// instruction again.
    pub(in crate::exec) fn part_where_words_lead(
        &mut self,
        st: &mut State,
        mut term: Expr,
    ) -> Res<Expr> {
        // What is in memory still selects by conditions that are known.
        if !st.guards.decided().is_empty() {
            term = self.as_parted(st, term);
        }
        if !st.guards.has_words() || self.table_of(Value::Expr(term)).is_some() {
            return Ok(term);
        }
        while let Some(guard) = st.guards.take_of_words(&mut self.pool, term) {
            self.outcomes.stats.parted += 1;
            self.joining.keep_words_apart(guard.branch);
            if self.part_by(st, guard)? {
                term = self.as_parted(st, term);
            }
        }
        Ok(term)
    }

    /// Forks a path by a condition at which the paths parted that it stands for, and reports
    /// whether it did.
    fn part_by(&mut self, st: &mut State, guard: Guard) -> Res<bool> {
        // Not all of these paths came to the branch, and on the others its condition may read what
        // they have not written.
        let condition = self.as_parted(st, guard.condition);
        if self.pool.has_uninit(condition) {
            return Ok(false);
        }
        let decision = self.decide(st, guard.condition, Purpose::Branch)?;
        if let Some(mut sibling) = decision.other {
            // Until that is verified, the condition does not hold for its assignment.
            if sibling.unverified.is_none() {
                self.settle(&mut sibling, guard.condition, !decision.here);
            }
            self.siblings.push(sibling);
        }
        self.settle(st, guard.condition, decision.here);
        Ok(true)
    }

    /// Makes a condition that is known on a path a constant in the others.
    fn settle(&mut self, st: &mut State, condition: Expr, holds: bool) {
        let values = st.guards.decide(&mut self.pool, condition, holds);
        // Joins that are open know the first part of the condition.
        if !st.joins.is_empty() {
            return;
        }
        let values: FxHashMap<Expr, Expr> = values.into_iter().collect();
        let mut settled = PathCondition::default();
        for conjunct in st.condition.all() {
            let conjunct = match values.contains_key(&conjunct) {
                true => conjunct,
                false => self.pool.substitute(conjunct, &values),
            };
            settled.add(&mut self.pool, conjunct);
        }
        // It may have followed from conjuncts that do not say it any more.
        let known = match holds {
            true => condition,
            false => self.pool.not(condition),
        };
        settled.add(&mut self.pool, known);
        st.condition = settled;
    }

    /// Returns a condition with what is known of it since the path was parted.
    pub(in crate::exec) fn as_parted(&mut self, st: &State, condition: Expr) -> Expr {
        self.pool.substitute(condition, st.guards.decided())
    }
}
