//! Stage that decides by binary decision diagrams over the bits of the inputs.
//!
//! The conditions of parsers and formatters on a few bytes (ranges, classes, look-ups in tables of
//! constants, decoded characters, sums of small numbers) have small diagrams. The diagrams of a
//! path's constraints are conjoined in microseconds, and give models. A term whose diagram would
//! cost too much has none, and is remembered as such: the query goes on, unless the constraints
//! that have one contradict each other already, or a model of those happens to satisfy the rest. It
//! is left to the stage that tries all values (`brute_force`), where that takes a short time.
//!
//! Pays on decoders of bytes: variable-length numbers, hexadecimal digits, UTF-8.

mod circuit;
mod graph;

use super::brute_force::is_quick;
use super::{Stage, StageOutcome};
use crate::ledger::{Ledger, Shape};
use crate::{Answer, Query};
use circuit::Circuits;
use graph::Ref;
use rustc_hash::FxHashMap;
use symex_terms::{Expr, Pool, Symbol};

/// Steps that the diagrams of one query may cost, some 10 ms.
const BUDGET: u32 = 200_000;
/// Additional steps for each element of the longest table in the query: a look-up in a table
/// without any order has that many nodes, and is far more expensive for the later solvers.
const BUDGET_PER_ELEMENT: u32 = 32;
/// Steps that each query earns back: about the cost in the later stages.
const REGAINED: i64 = 20_000;
/// Steps of all queries, less the steps earned back, at which the budget is used up. Diagrams built
/// for the first query of a family serve the others.
const TOTAL: i64 = 500_000;
/// Steps of a query when the total is used up. Most cost less, so that it is earned back.
const SMALL: u32 = 4_000;
/// Steps after which a query is left to the stage that tries all values, if that is quick: about
/// what finding that out takes.
const LOOK: u32 = 20_000;
/// Steps that take as long as a unit of work.
const STEPS_PER_UNIT: u64 = 4;
/// Nodes after which all is forgotten: some 40 bytes each.
const MAX_NODES: usize = 1_900_000;
/// Greatest number of inputs of a query; also bounds the depth of recursion.
const MAX_INPUTS: usize = 64;

/// The BDD stage: see the module.
#[derive(Default)]
pub struct BddStage {
    circuits: Circuits,
    /// Conjunctions of a diagram and a constraint; `None` if that grows too large.
    joins: FxHashMap<(Ref, Expr), Option<Ref>>,
    /// Steps taken, less steps earned back.
    spent: i64,
    /// Number of all steps taken so far.
    steps: u64,
    /// What its steps brought, by the shape of queries: diagrams of a hash have no end, however
    /// many queries there are that others earn steps for.
    ledger: Ledger,
}

impl Stage for BddStage {
    fn name(&self) -> &'static str {
        "bdd"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) || !is_small(pool, query.goal) {
            return StageOutcome::Pass;
        }
        if self.circuits.bdd.len() > MAX_NODES {
            self.reset();
        }
        let shape = Shape::of(pool, query);
        let whole = BUDGET + BUDGET_PER_ELEMENT * self.circuits.longest_table(pool, query);
        let Some(allowance) = self.ledger.allowance(shape, u64::from(whole)) else {
            return StageOutcome::Pass;
        };
        let budget = match self.spent > TOTAL {
            true => SMALL.min(allowance as u32),
            false => allowance as u32,
        };
        let first = budget.min(LOOK);
        let (mut step, mut steps) = self.decide_within(pool, query, first);
        let is_open = first < budget && steps == first && matches!(step, StageOutcome::Pass);
        let is_left = is_open && is_quick(pool, query);
        if is_open && !is_left {
            // What is done by now is not done again.
            let more;
            (step, more) = self.decide_within(pool, query, budget - first);
            steps += more;
        }
        // What is left to others has cost all that it was worth.
        let allowed = if is_left { steps } else { budget };
        let answered = matches!(step, StageOutcome::Answer(_));
        self.ledger
            .settle(shape, steps.into(), allowed.into(), answered);
        self.steps += u64::from(steps);
        self.spent = (self.spent + i64::from(steps) - REGAINED).max(0);
        step
    }

    fn work(&self) -> u64 {
        self.steps / STEPS_PER_UNIT
    }

    fn reset(&mut self) {
        *self = BddStage {
            spent: self.spent,
            steps: self.steps,
            ledger: std::mem::take(&mut self.ledger),
            ..BddStage::default()
        };
    }
}

impl BddStage {
    /// Decides a query within so many steps, and returns the number of those that it took.
    fn decide_within(&mut self, pool: &mut Pool, query: &Query, most: u32) -> (StageOutcome, u32) {
        self.circuits.bdd.set_budget(most);
        let step = self.decide(pool, query);
        (step, most - self.circuits.bdd.budget())
    }

    fn decide(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let Some(goal) = self.circuits.truth(pool, query.goal) else {
            return StageOutcome::Pass;
        };
        let mut all = Ref::TRUE;
        for c in query.constraints {
            // Without one that has no diagram, "no" is still an answer and "yes" a guess.
            if let Some(joined) = self.join(pool, all, *c) {
                all = joined;
            }
        }
        match self.join_diagram(all, query.goal, goal) {
            Some(joined) => all = joined,
            None => return StageOutcome::Pass,
        }
        if all == Ref::FALSE {
            return StageOutcome::Answer(Answer::Unsat);
        }
        let found = self.circuits.model(all, query.hint);
        if query.holds(pool, &found) {
            return StageOutcome::Answer(Answer::Sat(found));
        }
        StageOutcome::Pass
    }

    fn join(&mut self, pool: &Pool, all: Ref, constraint: Expr) -> Option<Ref> {
        if let Some(known) = self.joins.get(&(all, constraint)) {
            return *known;
        }
        if !is_small(pool, constraint) {
            return None;
        }
        match self.circuits.truth(pool, constraint) {
            Some(f) => self.join_diagram(all, constraint, f),
            None => None,
        }
    }

    fn join_diagram(&mut self, all: Ref, of: Expr, f: Ref) -> Option<Ref> {
        if let Some(known) = self.joins.get(&(all, of)) {
            return *known;
        }
        let before = self.circuits.bdd.budget();
        let joined = self.circuits.bdd.and(all, f);
        if joined.is_some() || self.circuits.bdd.spent_since(before) >= BUDGET / 2 {
            self.joins.insert((all, of), joined);
        }
        joined
    }
}

/// Reports whether a term depends on few enough inputs.
fn is_small(pool: &Pool, e: Expr) -> bool {
    let inputs = pool.support(e);
    inputs.len() <= MAX_INPUTS && inputs.iter().all(|s| matches!(s, Symbol::Var(_)))
}

#[cfg(test)]
mod tests;
