//! The path condition: constraints grouped by shared symbols, so that a query takes only what can matter to it.
//!
//! Invariant: two groups never share a variable; within a group constraints keep the order in which they were
//! added. Groups are shared between forked paths. Base addresses do not connect groups: they are fixed.

use super::node::{Expr, Symbol};
use super::pool::{Pool, SupportId};
use std::sync::Arc;

#[derive(Clone, Debug)]
struct Group {
    /// In order of addition; the number is the global order.
    constraints: Vec<(u32, Expr)>,
    support: SupportId,
}

/// A conjunction of one-bit terms. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct PathCondition {
    groups: Vec<Arc<Group>>,
    added: u32,
}

impl PathCondition {
    /// Adds a conjunct. A constant true is left out, a conjunction is split.
    pub fn add(&mut self, pool: &mut Pool, constraint: Expr) {
        debug_assert_eq!(pool.width(constraint), 1);
        if pool.as_const(constraint) == Some(1) {
            return;
        }
        if let super::Kind::Bin(super::BinOp::And, a, b) = pool.kind(constraint) {
            self.add(pool, a);
            self.add(pool, b);
            return;
        }
        if self.contains(pool, constraint) {
            return;
        }
        let mut support = pool.support_id(constraint);
        let mut merged = Vec::new();
        let mut kept = Vec::with_capacity(self.groups.len() + 1);
        for g in self.groups.drain(..) {
            if shares_var(pool, g.support, pool.support_id(constraint)) {
                support = pool.union(support, g.support);
                merged.extend_from_slice(&g.constraints);
            } else {
                kept.push(g);
            }
        }
        merged.sort_unstable();
        merged.push((self.added, constraint));
        self.added += 1;
        kept.push(Arc::new(Group {
            constraints: merged,
            support,
        }));
        self.groups = kept;
    }

    /// Is the very term among the conjuncts?
    pub fn contains(&self, pool: &Pool, constraint: Expr) -> bool {
        let s = pool.support_id(constraint);
        self.groups
            .iter()
            .filter(|g| shares_var(pool, g.support, s))
            .any(|g| g.constraints.iter().any(|c| c.1 == constraint))
    }

    /// The conjuncts that share symbols with `goal`, directly or through others, in order of addition.
    pub fn slice(&self, pool: &Pool, goal: Expr) -> Vec<Expr> {
        let s = pool.support_id(goal);
        let mut found: Vec<(u32, Expr)> = Vec::new();
        for g in self
            .groups
            .iter()
            .filter(|g| shares_var(pool, g.support, s))
        {
            found.extend_from_slice(&g.constraints);
        }
        found.sort_unstable();
        found.into_iter().map(|c| c.1).collect()
    }

    /// All conjuncts in order of addition.
    pub fn all(&self) -> Vec<Expr> {
        let mut found: Vec<(u32, Expr)> = self
            .groups
            .iter()
            .flat_map(|g| g.constraints.iter().copied())
            .collect();
        found.sort_unstable();
        found.into_iter().map(|c| c.1).collect()
    }

    /// Number of conjuncts.
    pub fn len(&self) -> usize {
        self.groups.iter().map(|g| g.constraints.len()).sum()
    }

    /// Is there no conjunct?
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

fn shares_var(pool: &Pool, a: SupportId, b: SupportId) -> bool {
    let (a, b) = (pool.support_symbols(a), pool.support_symbols(b));
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                if matches!(a[i], Symbol::Var(_)) {
                    return true;
                }
                i += 1;
                j += 1;
            }
        }
    }
    false
}
