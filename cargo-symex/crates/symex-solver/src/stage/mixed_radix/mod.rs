//! Stage that takes numbers apart where they are divided: into quotient and remainder, as if they
//! were inputs of their own.
//!
//! Dates, durations, sizes and numbers that are printed are words in a mixed radix: years, days and
//! seconds, or digits. Conditions ask for one digit or the other, while a solver sees long
//! divisions of one word. With `x = q * M + r`, where `M` is a multiple of all divisors of `x`,
//! each condition is one on `q`, on `r`, or a sum of both; and so on for `r` and `q`, if they are
//! divided. What a program took apart and puts together again is the same sum. Stages of its own
//! decide that, without a solver; what they leave is passed on in digits: `brute_force` computes
//! what depends on one digit once for all values of the others.
//!
//! Pays on dates from days or seconds, and back.

mod split;
mod uses;

use super::bdd::BddStage;
use super::cancellation::Cancellation;
use super::congruence::{Congruence, lcm};
use super::walk::Walk;
use super::{Stage, StageOutcome, quick};
use crate::budget::Budget;
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use split::Split;
use std::sync::Arc;
use symex_terms::{Assignment, Expr, Pool, Var};
use uses::{Shifted, Use, Uses};

/// Greatest number of splits of a query.
const MAX_SPLITS: usize = 24;
/// Number of queries that may be split in vain.
const BUDGET: u64 = 500;
/// Number of remembered conditions at which the memory is cleared.
const MAX_SEEN: usize = 100_000;

/// A query in digits: see the module.
pub struct SplitQuery {
    pub constraints: Vec<Expr>,
    pub goal: Expr,
    /// The hint, with values of the digits.
    pub hint: Assignment,
    splits: Vec<Split>,
}

impl SplitQuery {
    /// Returns an answer to this query as one to the query that was split.
    pub fn join(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Sat(mut found) => {
                self.splits.iter().rev().for_each(|s| s.join_in(&mut found));
                Answer::Sat(found)
            }
            other => other,
        }
    }
}

/// The mixed radix stage: see the module.
pub struct MixedRadix {
    /// Stages that decide queries in digits.
    stages: Vec<Box<dyn Stage>>,
    /// Uses of inputs in conditions.
    seen: FxHashMap<Expr, Arc<Uses>>,
    budget: Budget,
}

impl Default for MixedRadix {
    fn default() -> MixedRadix {
        MixedRadix {
            stages: quick([
                Box::new(Cancellation::default()) as Box<dyn Stage>,
                Box::new(Congruence::default()),
                Box::new(BddStage::default()),
            ]),
            seen: FxHashMap::default(),
            budget: Budget::new(1, BUDGET),
        }
    }
}

impl MixedRadix {
    fn uses(&mut self, pool: &Pool, condition: Expr) -> Arc<Uses> {
        let seen = self.seen.entry(condition);
        seen.or_insert_with(|| Uses::of(pool, condition)).clone()
    }

    /// Splits inputs of a query until none is divided; `None` if there is none to split.
    fn split(&mut self, pool: &mut Pool, query: &Query) -> Option<SplitQuery> {
        let mut conditions: Vec<Expr> = query.constraints.to_vec();
        conditions.push(query.goal);
        let mut splits: Vec<Split> = Vec::new();
        while splits.len() < MAX_SPLITS {
            let uses: Vec<Arc<Uses>> = conditions.iter().map(|c| self.uses(pool, *c)).collect();
            let Some(split) = next_split(pool, &uses) else {
                break;
            };
            let mut map = FxHashMap::default();
            for (term, used) in uses.iter().flat_map(|u| &u.all) {
                if let Some(new) = split.replacement(pool, *term, used) {
                    map.insert(*term, new);
                }
            }
            map.insert(pool.term_of(split.var()), split.whole(pool));
            // The goal stays the last.
            let constraints = split.constraints(pool);
            for condition in &mut conditions {
                *condition = pool.substitute(*condition, &map);
            }
            conditions.splice(0..0, constraints);
            splits.push(split);
        }
        let goal = conditions.pop()?;
        conditions.retain(|c| pool.as_const(*c) != Some(1));
        let mut hint = query.hint.clone();
        splits.iter().for_each(|s| s.add_to(&mut hint));
        (!splits.is_empty()).then_some(SplitQuery {
            constraints: conditions,
            goal,
            hint,
            splits,
        })
    }

    /// Asks the stages that decide queries in digits.
    fn ask(&mut self, pool: &mut Pool, query: &Query, split: &SplitQuery) -> Option<Answer> {
        let digits = Query {
            constraints: &split.constraints,
            goal: split.goal,
            hint: &split.hint,
            ..*query
        };
        let no = |c: &Expr| pool.as_const(*c) == Some(0);
        if no(&split.goal) || split.constraints.iter().any(no) {
            return Some(Answer::Unsat);
        }
        Walk::ask(&mut self.stages, pool, &digits)
    }
}

/// Returns the next split of an input by which all of its divisors divide.
fn next_split(pool: &mut Pool, uses: &[Arc<Uses>]) -> Option<Split> {
    // `None` for inputs that are divided as two different numbers, or by too many different ones.
    let mut divided: Vec<(Var, Option<Divided>)> = Vec::new();
    for (_, used) in uses.iter().filter(|u| u.divides).flat_map(|u| &u.all) {
        let Use::Division { of, by, .. } = *used else {
            continue;
        };
        match divided.iter_mut().find(|d| d.0 == of.var) {
            None => divided.push((
                of.var,
                Some(Divided {
                    of,
                    most: by,
                    multiple: by,
                }),
            )),
            Some((_, known)) => *known = known.and_then(|known| known.and(of, by)),
        }
    }
    divided.sort_unstable_by_key(|d| d.0);
    let mut all = divided.into_iter().filter_map(|d| d.1);
    all.find_map(|d| match d.multiple.is_power_of_two() {
        // Bits are digits already.
        true => None,
        false => Split::new(pool, d.of, d.multiple as i128),
    })
}

/// Divisions of an input.
#[derive(Clone, Copy)]
struct Divided {
    /// Dividend of the greatest divisor.
    of: Shifted,
    /// Greatest divisor.
    most: u128,
    /// Multiple of all divisors, of 64 bits at most.
    multiple: u128,
}

impl Divided {
    /// Adds a division.
    fn and(self, of: Shifted, by: u128) -> Option<Divided> {
        let multiple = lcm(self.multiple, by).filter(|m| *m < 1 << 64)?;
        (self.of.signed == of.signed).then_some(Divided {
            of: if by > self.most { of } else { self.of },
            most: self.most.max(by),
            multiple,
        })
    }
}

impl Stage for MixedRadix {
    fn name(&self) -> &'static str {
        "mixed radix"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if self.seen.len() > MAX_SEEN {
            self.seen.clear();
        }
        let conditions = query.constraints.iter().chain([&query.goal]);
        if query.has_base(pool) || !conditions.into_iter().any(|c| self.uses(pool, *c).divides) {
            return StageOutcome::Pass;
        }
        if !self.budget.admits() {
            return StageOutcome::Pass;
        }
        let Some(split) = self.split(pool, query) else {
            return StageOutcome::Pass;
        };
        let answer = self.ask(pool, query, &split).map(|a| split.join(a));
        let answer = answer.filter(|answer| match answer {
            Answer::Sat(found) => query.holds(pool, found),
            Answer::Unsat => true,
            Answer::Unknown(_) => false,
        });
        self.budget.settle(1, answer.is_some());
        match answer {
            Some(answer) => StageOutcome::Answer(answer),
            None => StageOutcome::Split(Box::new(split)),
        }
    }

    fn work(&self) -> u64 {
        self.stages.iter().map(|stage| stage.work()).sum()
    }

    fn reset(&mut self) {
        *self = MixedRadix::default();
    }
}

#[cfg(test)]
mod tests;
