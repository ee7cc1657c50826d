//! Parting a merged path where its terms are too hard for the solver.
//!
//! What it costs to merge paths shows later, when the solver is asked about values that select by
//! the conditions at which they parted. Such a query gets little work. If that is not enough, the
//! path forks by those conditions, one, then two, then four of them, until the query is answered,
//! or the path is one of those that it stood for. The conditions are then constants in its terms. A
//! run on which that happens often merges no more paths.

use super::MOST_HARD;
use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::state::State;
use rustc_hash::FxHashMap;
use symex_solver::{Answer, Purpose};
use symex_terms::{Expr, PathCondition};

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
        if let Some(answer) = self.queries.briefly_ask(&mut self.pool, st, goal, purpose) {
            st.guards.relax();
            return Ok(Parting::Answered(answer));
        }
        let stats = &mut self.outcomes.stats;
        stats.parted += 1;
        let (least, part) = MOST_HARD;
        self.joining.given_up |= stats.parted >= least && stats.parted > stats.merged / part;
        let guards = match self.joining.given_up {
            true => st.guards.take_all(),
            false => st.guards.take(&self.pool, goal),
        };
        for guard in guards {
            self.joining.note_parting(guard.branch);
            let decision = self.decide(st, guard.condition, Purpose::Branch)?;
            if let Some(mut sibling) = decision.other {
                // Until that is verified, the condition does not hold for its assignment.
                if sibling.unverified.is_none() {
                    self.settle(&mut sibling, guard.condition, !decision.here);
                }
                self.siblings.push(sibling);
            }
            self.settle(st, guard.condition, decision.here);
        }
        Ok(Parting::Parted)
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
