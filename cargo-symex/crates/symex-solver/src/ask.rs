//! Questions of the engine about a path, each answered by solver queries.
//!
//! # `Unknown`
//!
//! An unknown is neither yes nor no, and no question here turns it into one. A caller that must go
//! on takes the side that cannot hide a fault and reports that something was cut: a branch side of
//! unknown feasibility is not followed, but then the run is not complete; a check of unknown
//! outcome is not a finding, but neither is it passed. Small inputs ([`Ask::minimise`]) are a
//! courtesy: unknowns there only make them less small.

use super::{Answer, Purpose, Query, Solver};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};
use symex_terms::{AddressMap, Assignment, Expr, Kind, PathCondition, Pool, Symbol, Var, Width};

/// A path's view of the solver: its path condition, its addresses, and an assignment that satisfies
/// the condition.
pub struct Ask<'a> {
    pub solver: &'a mut dyn Solver,
    pub condition: &'a PathCondition,
    pub addresses: &'a dyn AddressMap,
    pub assignment: &'a Assignment,
}

impl Ask<'_> {
    /// Decides whether `goal` may hold on this path. `Sat` carries a full assignment of the path
    /// with the goal added. The path's own assignment is tried first.
    pub fn may_be_true(&mut self, pool: &mut Pool, goal: Expr, purpose: Purpose) -> Answer {
        if let Some(v) = pool.as_const(goal) {
            return if v == 1 {
                Answer::Sat(self.assignment.clone())
            } else {
                Answer::Unsat
            };
        }
        if pool.eval(goal, self.assignment, self.addresses) == 1 {
            return Answer::Sat(self.assignment.clone());
        }
        let constraints = self.condition.slice(pool, goal);
        self.check(pool, &constraints, goal, self.assignment, purpose)
    }

    /// Finds an assignment of a path whose addresses have changed, with its previous assignment as
    /// hint.
    pub fn any(&mut self, pool: &mut Pool, purpose: Purpose) -> Answer {
        let mut constraints = self.condition.all().to_vec();
        let violated = |e: &Expr| pool.eval(*e, self.assignment, self.addresses) != 1;
        match constraints.iter().position(violated) {
            None => Answer::Sat(self.assignment.clone()),
            Some(at) => {
                let goal = constraints.remove(at);
                self.check(pool, &constraints, goal, self.assignment, purpose)
            }
        }
    }

    /// Decides whether `goal` must hold on this path, by asking its negation: `Unsat` means yes,
    /// `Sat` is a counterexample.
    pub fn counterexample(&mut self, pool: &mut Pool, goal: Expr, purpose: Purpose) -> Answer {
        let negated = pool.not(goal);
        self.may_be_true(pool, negated, purpose)
    }

    /// Finds an assignment of the path with small, readable values for `vars`, most important
    /// first. When the budget is used up, the best assignment so far is the result.
    pub fn minimise(
        &mut self,
        pool: &mut Pool,
        vars: &[Var],
        mut budget: QueryBudget,
    ) -> Assignment {
        let all = self.condition.all();
        let mut best = self.assignment.clone();
        self.zero(pool, &all, vars, &mut best);
        // Equations that keep what has been made small.
        let mut kept: Vec<(Var, Expr)> = Vec::new();
        for var in vars {
            let term = pool.term_of(*var);
            debug_assert_eq!(pool.kind(term), Kind::Var(*var));
            let constraints = self.condition.slice(pool, term);
            if best.get(*var) != 0 {
                self.small_value(pool, &constraints, *var, &mut best);
            }
            if best.get(*var) > 1 {
                let mut related = constraints;
                let here: FxHashSet<Var> = related.iter().flat_map(|c| vars_of(pool, *c)).collect();
                related.extend(kept.iter().filter(|k| here.contains(&k.0)).map(|k| k.1));
                self.least(pool, &related, *var, term, &mut best, &mut budget);
            }
            let value = pool.constant(pool.width(term), best.get(*var));
            kept.push((*var, pool.eq(term, value)));
        }
        best
    }

    /// Sets as many variables to zero as possible together, by bisection.
    fn zero(&mut self, pool: &mut Pool, all: &[Expr], vars: &[Var], best: &mut Assignment) {
        if vars.iter().all(|v| best.get(*v) == 0) {
            return;
        }
        let mut tried = best.clone();
        vars.iter().for_each(|v| tried.set(*v, 0));
        if all
            .iter()
            .all(|c| pool.eval(*c, &tried, self.addresses) == 1)
        {
            *best = tried;
        } else if vars.len() > 1 {
            let (front, back) = vars.split_at(vars.len() / 2);
            // The back first: zeros are most readable at the end.
            self.zero(pool, all, back, best);
            self.zero(pool, all, front, best);
        }
    }

    /// Tries a few small or printable values of one variable.
    fn small_value(
        &mut self,
        pool: &mut Pool,
        constraints: &[Expr],
        var: Var,
        best: &mut Assignment,
    ) {
        let width = pool.var_info(var).width;
        let values = [1, b'a' as u128, b'0' as u128, b' ' as u128, b'A' as u128];
        let tried = if is_text(width) { values.len() } else { 1 };
        for value in &values[..tried] {
            let value = *value;
            if is_nicer(best.get(var), value, width) {
                continue;
            }
            let mut tried = best.clone();
            tried.set(var, value);
            if constraints
                .iter()
                .all(|c| pool.eval(*c, &tried, self.addresses) == 1)
            {
                *best = tried;
                return;
            }
        }
    }

    /// Searches the least value of one variable, leaving others of the same slice free.
    fn least(
        &mut self,
        pool: &mut Pool,
        constraints: &[Expr],
        var: Var,
        term: Expr,
        best: &mut Assignment,
        budget: &mut QueryBudget,
    ) {
        let width = pool.width(term);
        if is_nicer(best.get(var), best.get(var), width) {
            return;
        }
        let mut bound = 0;
        while best.get(var) > bound && budget.one_more() {
            let guess = bound + (best.get(var) - bound) / 2;
            let guess_term = pool.constant(width, guess);
            let goal = pool.ule(term, guess_term);
            match self.check(pool, constraints, goal, best, Purpose::Minimise) {
                Answer::Sat(a) => *best = a,
                Answer::Unsat => bound = guess + 1,
                Answer::Unknown(_) => budget.queries = 0,
            }
        }
    }

    fn check(
        &mut self,
        pool: &mut Pool,
        constraints: &[Expr],
        goal: Expr,
        hint: &Assignment,
        purpose: Purpose,
    ) -> Answer {
        self.solver.check(
            pool,
            &Query {
                constraints,
                goal,
                addresses: self.addresses,
                hint,
                purpose,
            },
        )
    }
}

/// Budget of a search for smaller inputs: queries and time. A query without an answer uses it up.
pub struct QueryBudget {
    queries: usize,
    until: Instant,
}

impl QueryBudget {
    /// Starts a budget whose time runs from now on.
    pub fn new(queries: usize, time: Duration) -> QueryBudget {
        QueryBudget {
            queries,
            until: Instant::now() + time,
        }
    }

    /// Takes one query from the budget; false if none is left.
    fn one_more(&mut self) -> bool {
        let left = self.queries > 0 && Instant::now() < self.until;
        self.queries = self.queries.saturating_sub(1);
        left
    }
}

fn vars_of(pool: &Pool, e: Expr) -> impl Iterator<Item = Var> {
    pool.support(e).iter().filter_map(|s| match s {
        Symbol::Var(v) => Some(*v),
        Symbol::Base(_) => None,
    })
}

/// Reports whether a value is at least as readable as another: 0 and 1, or a printable character
/// that is not greater.
fn is_nicer(value: u128, than: u128, width: Width) -> bool {
    value <= 1 || is_text(width) && (0x20..0x7f).contains(&value) && value <= than
}

/// Reports whether values of a width may be characters. Others are lengths and numbers.
fn is_text(width: Width) -> bool {
    matches!(width, 8 | 32)
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
