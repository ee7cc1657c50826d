//! Stage that decides by bounds: narrows the domains of a query's terms until they contradict each
//! other, and halves them where they do not.
//!
//! Calendars, decimal digits, sizes and look-ups in tables of constants are divisions, remainders
//! and products by constants of few inputs. Bit by bit they are hard; as ranges of integers they
//! are small. The domains of all terms start from those in the pool, and each condition narrows
//! those of its operands down to the inputs (`network`); then a term of few values is halved, and
//! so on (`search`).
//!
//! Why an empty domain is a proof: each step drops from a domain only values that no assignment
//! satisfying the query (and the halves chosen) gives the term (transfer functions, `backward`), so
//! where a domain is empty there is no such assignment; and two halves together are the whole.
//! `Sat` is answered only with an assignment under which the query evaluates to true. The
//! constraints that a contradiction follows from are remembered with the goal (`reasons`,
//! `refuted`). Work is counted in visited nodes, so that the same queries have the same answers.
//!
//! A search that is not over soon is left to the stage that tries all values (`brute_force`), where
//! that takes a short time.
//!
//! Pays on sizes and indices computed from hashes, which only solvers would decide; the search, on
//! equations of many bytes, such as checksums.

mod affine;
mod backward;
mod float;
mod lookup;
mod modular;
mod network;
mod open_goals;
mod reasons;
mod refuted;
mod search;
mod worklist;

use super::brute_force::is_quick;
use super::{Stage, StageOutcome};
use crate::ledger::{Ledger, Shape};
use crate::{Answer, Query};
use network::{Contradiction, Network, Tables};
use open_goals::OpenGoals;
use refuted::Refuted;
use rustc_hash::FxHashMap;
use search::{IntervalSearch, SearchResult};
use symex_terms::{Domain, Expr, Pool};

/// Budget of the first instance, before stages that take milliseconds.
const GLANCE: IntervalBudget = IntervalBudget {
    work: 3_000,
    total: 60_000,
    most_skipped: 64,
};
/// Budget of the search instance, where only solvers are left.
const SEARCH: IntervalBudget = IntervalBudget {
    work: 200_000,
    total: 4_000_000,
    most_skipped: 0,
};
/// Work of a query when the budget is used up.
const SMALL: u64 = 600;

/// Budget of queries, in visited nodes: some 0.15 us each. This is not [`crate::budget::Budget`],
/// as the stage never rests: a small part of the work mostly suffices.
struct IntervalBudget {
    /// Work of one query.
    work: u64,
    /// Work without an answer that queries may cost in the long run; an answer is worth the
    /// greatest cost of a query.
    total: u64,
    /// Greatest number of queries that are passed on unseen between two tries, once many in a row
    /// have been left open, or some of the same goal.
    most_skipped: u32,
}

/// Number of queries left open in a row after which some are passed on unseen: twice as many each
/// time.
const MOST_OPEN: u32 = 32;

/// The interval stage: see the module.
pub struct IntervalStage {
    name: &'static str,
    budget: IntervalBudget,
    tables: Tables,
    refuted: Refuted,
    open: OpenGoals,
    /// What searches brought, by the shape of queries.
    ledger: Ledger,
    /// Work without an answer, less the worth of the answers.
    spent: u64,
    /// Number of queries left open since the last answer.
    left_open: u32,
    /// Number of queries still to be passed on unseen.
    skipped: u32,
    /// Number of nodes visited so far, each about a unit of work.
    looks: u64,
}

impl IntervalStage {
    /// Makes the instance that narrows, and halves a few times.
    pub fn glance() -> IntervalStage {
        IntervalStage::new("interval", GLANCE)
    }

    /// Makes the instance that searches.
    pub fn search() -> IntervalStage {
        IntervalStage::new("interval search", SEARCH)
    }

    fn new(name: &'static str, budget: IntervalBudget) -> IntervalStage {
        IntervalStage {
            name,
            budget,
            tables: Tables::default(),
            refuted: Refuted::default(),
            open: OpenGoals::default(),
            ledger: Ledger::default(),
            spent: 0,
            left_open: 0,
            skipped: 0,
            looks: 0,
        }
    }

    /// Decides a query, with `allowance` nodes for the search, which are fewer afterwards if it is
    /// left to another stage.
    fn decide(&mut self, pool: &mut Pool, query: &Query, allowance: &mut u64) -> StageOutcome {
        let mut conditions = query.constraints.to_vec();
        conditions.push(query.goal);
        let (network, narrowed) = match Network::new(pool, &conditions, &mut self.tables) {
            None => return StageOutcome::Pass,
            Some(made) => made,
        };
        if let Err(Contradiction) = narrowed {
            self.looks += network.work;
            let constraints = network.blamed.of(query.constraints);
            self.refuted.learn(query.goal, constraints);
            return StageOutcome::Answer(Answer::Unsat);
        }
        let work = match self.spent > self.budget.total {
            true => SMALL.min(*allowance),
            false => *allowance,
        };
        let mut search = IntervalSearch::new(pool, network, query);
        let outcome = search.run(pool, work, |pool| is_quick(pool, query));
        self.looks += search.work();
        match outcome {
            SearchResult::Left => *allowance = search.work().min(*allowance),
            SearchResult::Open => self.spent += search.work(),
            _ => self.spent = self.spent.saturating_sub(self.budget.work),
        }
        match outcome {
            SearchResult::Sat(found) => StageOutcome::Answer(Answer::Sat(found)),
            SearchResult::Unsat => {
                let constraints = search.blamed().of(query.constraints);
                self.refuted.learn(query.goal, constraints);
                StageOutcome::Answer(Answer::Unsat)
            }
            SearchResult::Open | SearchResult::Left => StageOutcome::Pass,
        }
    }
}

impl Stage for IntervalStage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        if self.refuted.has(query) {
            return StageOutcome::Answer(Answer::Unsat);
        }
        if self.skipped > 0 {
            self.skipped -= 1;
            return StageOutcome::Pass;
        }
        if self.open.is_to_be_skipped(query.goal) {
            return StageOutcome::Pass;
        }
        let shape = Shape::of(pool, query);
        let Some(mut allowance) = self.ledger.allowance(shape, self.budget.work) else {
            return StageOutcome::Pass;
        };
        let before = self.looks;
        let step = self.decide(pool, query, &mut allowance);
        let is_open = matches!(step, StageOutcome::Pass);
        let looks = self.looks - before;
        self.ledger.settle(shape, looks, allowance, !is_open);
        let most_skipped = self.budget.most_skipped;
        self.open.tried(query.goal, is_open, most_skipped);
        if is_open {
            self.left_open += 1;
            let doublings = self.left_open.saturating_sub(MOST_OPEN).min(16);
            self.skipped = ((1 << doublings) - 1).min(self.budget.most_skipped);
        } else {
            self.left_open = 0;
        }
        step
    }

    fn work(&self) -> u64 {
        self.looks
    }

    fn reset(&mut self) {
        self.tables.clear();
        self.refuted = Refuted::default();
        self.open = OpenGoals::default();
        self.ledger = Ledger::default();
        self.spent = 0;
        self.left_open = 0;
        self.skipped = 0;
    }
}

/// Returns domains of terms which hold their values wherever all conditions are true; `None` if
/// that is nowhere.
pub(crate) fn domains(pool: &Pool, conditions: &[Expr], terms: &[Expr]) -> Option<Vec<Domain>> {
    let (known, _) = ranges_with(pool, conditions, terms)?;
    let domain = |e: &Expr| known.get(e).copied().unwrap_or_else(|| pool.domain(*e));
    Some(terms.iter().map(domain).collect())
}

/// Returns domains of the terms of some conditions, which hold their values wherever all conditions
/// are true, and the number of nodes visited; `None` if they are true nowhere. There are no domains
/// if the conditions are too large.
pub(super) fn ranges(pool: &Pool, conditions: &[Expr]) -> Option<(FxHashMap<Expr, Domain>, u64)> {
    ranges_with(pool, conditions, &[])
}

/// Returns domains as [`ranges`] does, of further terms, too.
fn ranges_with(
    pool: &Pool,
    conditions: &[Expr],
    terms: &[Expr],
) -> Option<(FxHashMap<Expr, Domain>, u64)> {
    let mut known: FxHashMap<Expr, Domain> = FxHashMap::default();
    let mut work = 0;
    let mut tables = Tables::default();
    if let Some((network, narrowed)) = Network::with_terms(pool, conditions, terms, &mut tables) {
        narrowed.ok()?;
        work = network.work;
        // The nodes of sums, which come last, have no terms of their own.
        for (e, domain) in network.exprs.iter().zip(network.domains) {
            known.entry(*e).or_insert(domain);
        }
    }
    Some((known, work))
}

#[cfg(test)]
mod tests;
