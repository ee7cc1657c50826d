//! The path condition: constraints grouped by shared symbols, so that a query takes only the
//! constraints that can affect it.
//!
//! Invariant: two groups never share a variable; within a group constraints keep the order in which
//! they were added. Groups are shared between forked paths and copied when one of them adds to a
//! group. Base addresses do not connect groups: they are fixed. Equations with a constant are also
//! recorded apart. A constraint is kept in the form that it takes under the equations before it,
//! never under those after it, because solvers keep the constraints of a path in order.

use super::node::{Expr, Kind, Symbol};
use super::op::BinOp;
use super::pool::{Pool, SupportId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A group, with the range of its variables: most groups are told apart by that, and there may be
/// thousands.
#[derive(Clone, Debug)]
struct Held {
    range: VarRange,
    group: Arc<Group>,
}

/// The least and the greatest variable of a support, by their numbers; the first is greater where
/// there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct VarRange {
    first: u32,
    last: u32,
}

#[derive(Clone, Debug)]
struct Group {
    /// Constraints in order of addition. They are kept apart from `orders`, because the search for
    /// a term scans them alone.
    constraints: Vec<Expr>,
    /// Position of each constraint in the order of all constraints.
    orders: Vec<u32>,
    support: SupportId,
}

/// A conjunction of one-bit terms: the path condition. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct PathCondition {
    groups: Vec<Held>,
    /// Terms that equal a constant, each with that constant; sorted.
    equations: Arc<Vec<(Expr, Expr)>>,
    /// Conjuncts as they were added, for those kept in another form; sorted.
    reduced: Arc<Vec<Expr>>,
    added: u32,
}

/// A moment in the life of a path condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConditionMark(u32);

impl PathCondition {
    /// Adds a conjunct. A constant true is left out, and a conjunction is split.
    pub fn add(&mut self, pool: &mut Pool, constraint: Expr) {
        debug_assert_eq!(pool.width(constraint), 1);
        // Conjunctions can be deep; the first conjunct comes first.
        let mut parts = vec![constraint];
        while let Some(part) = parts.pop() {
            match pool.kind(part) {
                Kind::Const(1) => {}
                Kind::Bin(BinOp::And, a, b) => parts.extend([b, a]),
                _ => match self.under_equations(pool, part) {
                    Some(reduced) => parts.push(reduced),
                    None => self.add_one(pool, part),
                },
            }
        }
    }

    /// Simplifies a term by the equations; `None` if nothing changes. Remembers the term as
    /// implied.
    fn under_equations(&mut self, pool: &mut Pool, term: Expr) -> Option<Expr> {
        let map: FxHashMap<Expr, Expr> = self
            .equations
            .iter()
            .filter(|(key, _)| pool.may_occur(*key, term))
            .copied()
            .collect();
        if map.is_empty() {
            return None;
        }
        let reduced = pool.substitute(term, &map);
        // An equation under itself is trivial; and what became false shall be seen in the form it
        // had.
        if reduced == term || pool.as_const(reduced) == Some(0) {
            return None;
        }
        if let Err(at) = self.reduced.binary_search(&term) {
            Arc::make_mut(&mut self.reduced).insert(at, term);
        }
        Some(reduced)
    }

    fn add_one(&mut self, pool: &mut Pool, constraint: Expr) {
        let support = pool.support_id(constraint);
        let range = VarRange::of(pool, support);
        let at: Vec<usize> = (0..self.groups.len())
            .filter(|i| self.groups[*i].shares_var(pool, support, range))
            .collect();
        if at
            .iter()
            .any(|i| self.groups[*i].constraints.contains(&constraint))
        {
            return;
        }
        if at.is_empty()
            && self
                .groups
                .iter()
                .any(|g| g.constraints.contains(&constraint))
        {
            return;
        }
        let order = self.added;
        self.added += 1;
        self.record(pool, constraint);
        let Some((first, others)) = at.split_first() else {
            let group = Arc::new(Group {
                constraints: vec![constraint],
                orders: vec![order],
                support,
            });
            self.groups.push(Held { range, group });
            return;
        };
        let mut joined = support;
        for i in &at {
            joined = pool.union(joined, self.groups[*i].support);
        }
        if !others.is_empty() {
            let mut all: Vec<(u32, Expr)> =
                at.iter().flat_map(|i| self.groups[*i].pairs()).collect();
            all.sort_unstable();
            let (orders, constraints) = all.into_iter().unzip();
            self.groups[*first].group = Arc::new(Group {
                constraints,
                orders,
                support: joined,
            });
            // From the back, so that the positions before stay right.
            for i in others.iter().rev() {
                self.groups.remove(*i);
            }
        }
        let held = &mut self.groups[*first];
        held.range = VarRange::of(pool, joined);
        let group = Arc::make_mut(&mut held.group);
        group.constraints.push(constraint);
        group.orders.push(order);
        group.support = joined;
    }

    fn record(&mut self, pool: &Pool, constraint: Expr) {
        let Kind::Bin(BinOp::Eq, a, b) = pool.kind(constraint) else {
            return;
        };
        let (term, constant) = match (pool.as_const(a), pool.as_const(b)) {
            (None, Some(_)) => (a, b),
            (Some(_), None) => (b, a),
            _ => return,
        };
        if let Err(at) = self.equations.binary_search_by_key(&term, |e| e.0) {
            Arc::make_mut(&mut self.equations).insert(at, (term, constant));
        }
    }

    /// Reports whether this very term is among the conjuncts.
    pub fn contains(&self, pool: &Pool, constraint: Expr) -> bool {
        if self.reduced.binary_search(&constraint).is_ok() {
            return true;
        }
        let s = pool.support_id(constraint);
        let range = VarRange::of(pool, s);
        let mut own = self
            .groups
            .iter()
            .filter(|g| g.support == s || g.shares_var(pool, s, range));
        own.any(|g| g.constraints.contains(&constraint))
    }

    /// Returns the conjuncts that share symbols with `goal`, directly or through others, in order
    /// of addition (constraint independence).
    pub fn slice(&self, pool: &Pool, goal: Expr) -> Vec<Expr> {
        let s = pool.support_id(goal);
        let range = VarRange::of(pool, s);
        let mut own = self.groups.iter().filter(|g| g.shares_var(pool, s, range));
        let Some(first) = own.next() else {
            return Vec::new();
        };
        let Some(second) = own.next() else {
            return first.constraints.clone();
        };
        in_order(pairs_of([first, second].into_iter().chain(own)))
    }

    /// Returns all conjuncts in order of addition.
    pub fn all(&self) -> Vec<Expr> {
        in_order(pairs_of(self.groups.iter()))
    }

    /// Returns a mark of what has been added so far, for [`Self::since`].
    pub fn mark(&self) -> ConditionMark {
        ConditionMark(self.added)
    }

    /// Returns the conjuncts that were added after a mark of this condition, or of one from which
    /// it was copied, in order of addition.
    pub fn since(&self, mark: ConditionMark) -> Vec<Expr> {
        let pairs = pairs_of(self.groups.iter());
        in_order(pairs.filter(|pair| pair.0 >= mark.0))
    }

    /// Returns the number of conjuncts.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|g| g.constraints.len()).sum()
    }

    /// Reports whether there is no conjunct.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

impl VarRange {
    fn of(pool: &Pool, support: SupportId) -> Self {
        let number = |symbol: Option<&Symbol>| match symbol {
            Some(Symbol::Var(var)) => Some(var.0),
            _ => None,
        };
        let vars = vars(pool.support_symbols(support));
        VarRange {
            first: number(vars.first()).unwrap_or(u32::MAX),
            last: number(vars.last()).unwrap_or(0),
        }
    }
}

impl std::ops::Deref for Held {
    type Target = Group;

    fn deref(&self) -> &Group {
        &self.group
    }
}

impl Held {
    /// Reports whether it has a variable in common with a support, whose range is given.
    fn shares_var(&self, pool: &Pool, support: SupportId, range: VarRange) -> bool {
        self.range.first <= range.last
            && range.first <= self.range.last
            && shares_var(pool, self.support, support)
    }
}

impl Group {
    fn pairs(&self) -> impl Iterator<Item = (u32, Expr)> {
        self.orders
            .iter()
            .copied()
            .zip(self.constraints.iter().copied())
    }
}

/// Iterates over the constraints of groups, each with its position in the order of all.
fn pairs_of<'a>(groups: impl Iterator<Item = &'a Held>) -> impl Iterator<Item = (u32, Expr)> {
    groups.flat_map(|g| g.pairs())
}

fn in_order(pairs: impl Iterator<Item = (u32, Expr)>) -> Vec<Expr> {
    let mut found: Vec<(u32, Expr)> = pairs.collect();
    found.sort_unstable();
    found.into_iter().map(|c| c.1).collect()
}

/// Splits conditions into those that share symbols with `goal`, directly or through others, and the
/// rest; each in order.
pub fn connected(pool: &mut Pool, conditions: &[Expr], goal: Expr) -> (Vec<Expr>, Vec<Expr>) {
    let mut reached = pool.support_id(goal);
    let mut is_in = vec![false; conditions.len()];
    loop {
        let mut grown = false;
        for (c, is_in) in conditions.iter().zip(&mut is_in) {
            let support = pool.support_id(*c);
            if !*is_in && (support == reached || shares_var(pool, support, reached)) {
                *is_in = true;
                let joined = pool.union(reached, support);
                grown |= joined != reached;
                reached = joined;
            }
        }
        if !grown {
            break;
        }
    }
    let both = conditions.iter().copied().zip(is_in);
    let (inside, outside): (Vec<_>, Vec<_>) = both.partition(|c| c.1);
    let terms = |part: Vec<(Expr, bool)>| part.into_iter().map(|c| c.0).collect();
    (terms(inside), terms(outside))
}

/// Reports whether two supports have a variable in common. One is mostly much smaller than the
/// other.
fn shares_var(pool: &Pool, a: SupportId, b: SupportId) -> bool {
    let (a, b) = (vars(pool.support_symbols(a)), vars(pool.support_symbols(b)));
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let (Some(first), Some(last)) = (large.first(), large.last()) else {
        return false;
    };
    small
        .iter()
        .any(|s| s >= first && s <= last && large.binary_search(s).is_ok())
}

/// Returns the variables of a support, which sort before the bases.
fn vars(support: &[Symbol]) -> &[Symbol] {
    let end = support.partition_point(|s| matches!(s, Symbol::Var(_)));
    &support[..end]
}

#[cfg(test)]
#[path = "constraints_tests.rs"]
mod tests;
