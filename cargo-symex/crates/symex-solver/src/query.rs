//! Queries to a solver, and its answers.

use rustc_hash::FxHashMap;
use symex_terms::{AddressMap, Assignment, BinOp, Expr, Kind, Pool, Symbol, UnOp, Var};

/// A query: satisfiability of `constraints` and `goal` together.
pub struct Query<'a> {
    /// One-bit terms that are jointly satisfiable (a slice of a path condition), in order of
    /// addition.
    pub constraints: &'a [Expr],
    /// Goal: a one-bit term.
    pub goal: Expr,
    /// Addresses to substitute for the bases that occur [RAM 2.2].
    pub addresses: &'a dyn AddressMap,
    /// An assignment that satisfies the constraints (not necessarily the goal).
    pub hint: &'a Assignment,
    /// Purpose of the query: the engine's own queries about addresses are kept out of address-aware
    /// caching [AAQC V].
    pub purpose: Purpose,
}

impl Query<'_> {
    /// Reports whether the query depends on a base address.
    pub fn has_base(&self, pool: &Pool) -> bool {
        pool.has_base(self.goal) || self.constraints.iter().any(|c| pool.has_base(*c))
    }

    /// Returns the variables that occur, in order.
    pub fn vars(&self, pool: &Pool) -> Vec<Var> {
        let mut vars = Vec::new();
        let mut last: &[Symbol] = &[];
        for e in self.constraints.iter().chain([&self.goal]) {
            let support = pool.support(*e);
            // Neighbours often depend on the very same symbols.
            if !std::ptr::eq(support, last) {
                last = support;
                vars.extend(support.iter().filter_map(|s| match s {
                    Symbol::Var(v) => Some(*v),
                    Symbol::Base(_) => None,
                }));
            }
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Returns the least and greatest values of terms that constraints without bases compare with
    /// constants.
    pub fn bounds(&self, pool: &Pool) -> FxHashMap<Expr, (u128, u128)> {
        let mut bounds: FxHashMap<Expr, (u128, u128)> = FxHashMap::default();
        let mut bound = |e: Expr, least: u128, most: u128| {
            let known = bounds.entry(e).or_insert((0, u128::MAX));
            *known = (known.0.max(least), known.1.min(most));
        };
        for c in self.constraints.iter().chain([&self.goal]) {
            if pool.has_base(*c) {
                continue;
            }
            let (holds, inner) = match pool.kind(*c) {
                Kind::Un(UnOp::Not, inner) => (false, inner),
                _ => (true, *c),
            };
            let Kind::Bin(op, a, b) = pool.kind(inner) else {
                continue;
            };
            match (op, pool.as_const(a), pool.as_const(b), holds) {
                (BinOp::Eq, None, Some(v), true) => bound(a, v, v),
                (BinOp::Eq, Some(v), None, true) => bound(b, v, v),
                (BinOp::ULt, None, Some(v), true) => bound(a, 0, v.saturating_sub(1)),
                (BinOp::ULt, Some(v), None, true) => bound(b, v.saturating_add(1), u128::MAX),
                (BinOp::ULe, None, Some(v), true) => bound(a, 0, v),
                (BinOp::ULe, Some(v), None, true) => bound(b, v, u128::MAX),
                (BinOp::ULt, None, Some(v), false) => bound(a, v, u128::MAX),
                (BinOp::ULt, Some(v), None, false) => bound(b, 0, v),
                (BinOp::ULe, None, Some(v), false) => bound(a, v.saturating_add(1), u128::MAX),
                (BinOp::ULe, Some(v), None, false) => bound(b, 0, v.saturating_sub(1)),
                _ => {}
            }
        }
        bounds
    }

    /// Reports whether an assignment satisfies constraints and goal.
    pub fn holds(&self, pool: &mut Pool, assignment: &Assignment) -> bool {
        self.violated(pool, assignment).is_none()
    }

    /// Returns the first term that an assignment does not satisfy: a position among the
    /// constraints, or their number for the goal. The goal is tried first, because assignments at
    /// hand mostly satisfy the constraints.
    pub fn violated(&self, pool: &mut Pool, assignment: &Assignment) -> Option<usize> {
        if pool.eval(self.goal, assignment, self.addresses) != 1 {
            return Some(self.constraints.len());
        }
        self.constraints
            .iter()
            .position(|c| pool.eval(*c, assignment, self.addresses) != 1)
    }
}

/// Returns the hint with some values replaced.
pub(super) fn merge(hint: &Assignment, values: &[(Var, u128)]) -> Assignment {
    let mut merged = hint.clone();
    for (var, value) in values {
        merged.set(*var, *value);
    }
    merged
}

/// Purpose of a query, by which statistics are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Purpose {
    /// Feasibility of one side of a branch.
    Branch,
    /// Bounds check of an access.
    Bounds,
    /// Resolution of a pointer to objects. Engine-internal.
    Resolve,
    /// Collision of a read with a write at a symbolic address. Engine-internal.
    Collision,
    /// A check other than bounds (division by zero, uninitialised use, alignment, assumption).
    Check,
    /// Search for a concrete value of a term.
    Value,
    /// Search for the smallest or most readable inputs of a finding.
    Minimise,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Purpose; 7] = [
        Purpose::Branch,
        Purpose::Bounds,
        Purpose::Resolve,
        Purpose::Collision,
        Purpose::Check,
        Purpose::Value,
        Purpose::Minimise,
    ];

    /// Reports whether the engine asks for its own sake, and not because of an operation of the
    /// program [AAQC V].
    pub fn is_internal(self) -> bool {
        matches!(self, Purpose::Resolve | Purpose::Collision)
    }

    /// Returns the purpose as one word.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Branch => "branch",
            Purpose::Bounds => "bounds",
            Purpose::Resolve => "resolve",
            Purpose::Collision => "collision",
            Purpose::Check => "check",
            Purpose::Value => "value",
            Purpose::Minimise => "minimise",
        }
    }
}
