//! The counterexample cache: a query with an unsatisfiable subset is unsatisfiable, the assignment
//! of a superset satisfies a query, and the assignments of recent answers are tried by evaluation.
//!
//! Sibling paths share their inputs' variables, so an assignment found on one often satisfies the
//! other.
//!
//! Pays on hash tables: the assignment found for one path serves shorter or neighbouring ones, and
//! Z3 would be asked again.

use super::set_trie::SetTrie;
use super::{Stage, StageOutcome};
use crate::query::merge;
use crate::{Answer, Query};
use std::collections::VecDeque;
use symex_terms::{Assignment, Expr, Pool};

/// Number of recent assignments to try.
const ASSIGNMENTS: usize = 12;
/// Number of sets of either kind at which the memory is cleared.
const SETS: usize = 20_000;
/// Number of nodes that one look-up may visit.
const NODES: usize = 2_000;

/// The counterexample cache stage: see the module.
#[derive(Default)]
pub struct AssignmentCache {
    /// Recent assignments, most recent first.
    recent: VecDeque<Assignment>,
    unsat: SetTrie<()>,
    sat: SetTrie<Assignment>,
}

impl Stage for AssignmentCache {
    fn name(&self) -> &'static str {
        "assignment cache"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let all = terms(query);
        if self.unsat.subset_of(&all, NODES).is_some() {
            return StageOutcome::Answer(Answer::Unsat);
        }
        let found = match self.sat.superset_of(&all, NODES) {
            Some(found) => found.clone(),
            None => {
                let Some(at) = self.recent.iter().position(|a| query.holds(pool, a)) else {
                    return StageOutcome::Pass;
                };
                let found = self.recent.remove(at).expect("a position in it");
                self.recent.push_front(found.clone());
                found
            }
        };
        let values: Vec<_> = query
            .vars(pool)
            .into_iter()
            .map(|v| (v, found.get(v)))
            .collect();
        StageOutcome::Answer(Answer::Sat(merge(query.hint, &values)))
    }

    fn after(&mut self, pool: &mut Pool, query: &Query, answer: &Answer) {
        if query.has_base(pool) {
            return;
        }
        match answer {
            Answer::Sat(a) => {
                if self.sat.len() >= SETS {
                    self.sat = SetTrie::default();
                }
                self.sat.insert(&terms(query), a.clone());
                if !self.recent.contains(a) {
                    self.recent.truncate(ASSIGNMENTS - 1);
                    self.recent.push_front(a.clone());
                }
            }
            Answer::Unsat => {
                if self.unsat.len() >= SETS {
                    self.unsat = SetTrie::default();
                }
                self.unsat.insert(&terms(query), ());
            }
            Answer::Unknown(_) => {}
        }
    }

    fn is_cache(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// Returns constraints and goal as a sorted set.
fn terms(query: &Query) -> Vec<Expr> {
    let mut all = query.constraints.to_vec();
    all.push(query.goal);
    all.sort_unstable();
    all.dedup();
    all
}
