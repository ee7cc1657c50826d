//! The conditions of a query that are on few of its inputs: those that its goal is about.
//!
//! Without the others a query has more solutions, so where these conditions have none, it has none.
//! A solution of them is one of the query where the hint's values for the other inputs satisfy the
//! rest. If they do not, the inputs of a condition that fails may be added.

use crate::Query;
use rustc_hash::FxHashMap;
use symex_terms::{Assignment, Expr, Pool, Symbol, Var};

/// Conditions on few inputs: see the module.
pub(super) struct LocalConditions {
    /// The inputs.
    symbols: Vec<Symbol>,
}

impl LocalConditions {
    /// Makes those on the inputs of a query's goal.
    pub fn of_goal(pool: &Pool, query: &Query) -> LocalConditions {
        LocalConditions {
            symbols: pool.support(query.goal).to_vec(),
        }
    }

    /// Adds the inputs of a condition.
    pub fn add(&mut self, pool: &Pool, condition: Expr) {
        for symbol in pool.support(condition) {
            if !self.symbols.contains(symbol) {
                self.symbols.push(*symbol);
            }
        }
    }

    /// Returns the number of inputs.
    pub fn inputs(&self) -> usize {
        self.symbols.len()
    }

    /// Returns the constraints on these inputs alone, in their order.
    pub fn constraints(&self, pool: &Pool, query: &Query) -> Vec<Expr> {
        let is_local = |e: &Expr| pool.support(*e).iter().all(|s| self.symbols.contains(s));
        let constraints = query.constraints.iter().copied();
        constraints.filter(is_local).collect()
    }
}

/// Reports whether a symbol is one of some inputs.
pub(super) fn is_among(inputs: &[Var], symbol: &Symbol) -> bool {
    matches!(symbol, Symbol::Var(var) if inputs.contains(var))
}

/// Returns conditions with the hint's values for all inputs but some.
pub(super) fn with_others_fixed(
    pool: &mut Pool,
    conditions: &[Expr],
    hint: &Assignment,
    varied: &[Var],
) -> Vec<Expr> {
    let mut fixed: FxHashMap<Expr, Expr> = FxHashMap::default();
    for condition in conditions {
        for symbol in pool.support(*condition).to_vec() {
            if let Symbol::Var(var) = symbol
                && !varied.contains(&var)
                && !fixed.contains_key(&pool.term_of(var))
            {
                let value = pool.constant(pool.var_info(var).width, hint.get(var));
                fixed.insert(pool.term_of(var), value);
            }
        }
    }
    match fixed.is_empty() {
        true => conditions.to_vec(),
        false => conditions
            .iter()
            .map(|e| pool.substitute(*e, &fixed))
            .collect(),
    }
}
