//! Conditions by which a path that was merged can be parted again.

use super::joins::Branch;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symex_terms::{BinOp, Expr, Kind, Pool, Symbol};

/// Greatest number of conditions that are kept for a path.
const KEPT: usize = 64;

/// A condition at which paths parted that were merged later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    pub condition: Expr,
    /// The branch, and its join.
    pub branch: Branch,
    /// Whether what may be a position depends on it.
    pub of_words: bool,
}

/// Conditions that tell apart the paths for which one stands, oldest first. Cheap to clone.
#[derive(Clone, Default, Debug)]
pub struct Guards {
    list: Rc<Vec<Guard>>,
    /// Number of conditions by which the path is parted next: it doubles while that is not enough.
    next: u32,
    /// Conditions by which the path was parted, with their values.
    decided: Rc<FxHashMap<Expr, Expr>>,
}

impl Guards {
    /// Reports whether there are none: the path was not merged, or all of it was parted.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the conditions by which the path was parted, with their values.
    pub fn decided(&self) -> &FxHashMap<Expr, Expr> {
        &self.decided
    }

    /// Remembers the value of a condition by which the path is parted, and what follows from it at
    /// once; returns these.
    pub fn decide(&mut self, pool: &mut Pool, condition: Expr, holds: bool) -> Vec<(Expr, Expr)> {
        let mut values = Vec::new();
        let mut waiting = vec![(condition, holds)];
        while let Some((term, holds)) = waiting.pop() {
            match pool.kind(term) {
                Kind::Const(_) => continue,
                Kind::Bin(BinOp::And, a, b) if holds => waiting.extend([(a, true), (b, true)]),
                Kind::Bin(BinOp::Or, a, b) if !holds => waiting.extend([(a, false), (b, false)]),
                _ => {}
            }
            let (negated, value) = (pool.not(term), pool.bool(holds));
            values.extend([(term, value), (negated, pool.not(value))]);
        }
        Rc::make_mut(&mut self.decided).extend(values.iter().copied());
        values
    }

    /// Adds those of another path, and a condition that holds on one of the two.
    pub fn join(&mut self, other: &Guards, guard: Guard) {
        if !Rc::ptr_eq(&self.decided, &other.decided) {
            let decided = Rc::make_mut(&mut self.decided);
            decided.retain(|condition, value| other.decided.get(condition) == Some(value));
        }
        let list = Rc::make_mut(&mut self.list);
        let new = other.list.iter().copied().chain([guard]);
        for guard in new {
            match list
                .iter_mut()
                .find(|known| known.condition == guard.condition)
            {
                Some(known) => known.of_words |= guard.of_words,
                None => list.push(guard),
            }
        }
        let surplus = list.len().saturating_sub(KEPT);
        list.drain(..surplus);
    }

    /// Notes that the path, as it is, is not too hard for the solver.
    pub fn relax(&mut self) {
        self.next = 0;
    }

    /// Removes and returns all conditions.
    pub fn take_all(&mut self) -> Vec<Guard> {
        std::mem::take(Rc::make_mut(&mut self.list))
    }

    /// Adds conditions that were taken, and by which the path was not parted yet.
    pub fn put_back(&mut self, guards: Vec<Guard>) {
        if !guards.is_empty() {
            Rc::make_mut(&mut self.list).extend(guards);
        }
    }

    /// Reports whether what may be a position depends on one of the conditions.
    pub fn has_words(&self) -> bool {
        self.list.iter().any(|guard| guard.of_words)
    }

    /// Removes and returns a condition on which `term` depends by what may be a position.
    pub fn take_of_words(&mut self, pool: &mut Pool, term: Expr) -> Option<Guard> {
        let found = self.list.iter().rposition(|guard| {
            guard.of_words && {
                let negated = pool.not(guard.condition);
                pool.mentions(term, &[guard.condition, negated])
            }
        });
        Some(Rc::make_mut(&mut self.list).remove(found?))
    }

    /// Removes and returns the conditions by which to part the path, since a goal is too hard for
    /// the solver: those that share inputs with it first, the newest of them first.
    pub fn take(&mut self, pool: &Pool, goal: Expr) -> Vec<Guard> {
        let count = 1 << self.next.min(KEPT.ilog2());
        self.next += 1;
        let support = pool.support(goal);
        let shares = |guard: &Guard| {
            let own = pool.support(guard.condition).iter();
            own.filter(|symbol| matches!(symbol, Symbol::Var(_)))
                .any(|symbol| support.binary_search(symbol).is_ok())
        };
        let list = Rc::make_mut(&mut self.list);
        let mut taken: Vec<Guard> = list.iter().rev().copied().collect();
        taken.sort_by_key(|guard| !shares(guard));
        taken.truncate(count);
        list.retain(|guard| !taken.contains(guard));
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::{Origin, VarInfo};

    #[test]
    fn what_follows_from_a_decision_is_known() {
        let mut pool = Pool::new();
        let [a, b] = [0, 1].map(|input| {
            pool.var(VarInfo {
                name: "x".into(),
                width: 1,
                origin: Origin::Input { input, part: 0 },
            })
        });
        let (both, no) = (pool.and(a, b), pool.not(b));
        let mut guards = Guards::default();
        guards.decide(&mut pool, both, true);
        let known = guards.decided();
        assert_eq!(known.get(&a), Some(&pool.bool(true)));
        assert_eq!(known.get(&no), Some(&pool.bool(false)));
        let mut other = Guards::default();
        other.decide(&mut pool, a, true);
        let branch = (symex_program::FuncId(0), 1, 2);
        guards.join(
            &other,
            Guard {
                condition: b,
                branch,
                of_words: false,
            },
        );
        assert_eq!(guards.decided().get(&b), None);
        assert_eq!(guards.decided().get(&a), Some(&pool.bool(true)));
    }

    #[test]
    fn a_path_is_parted_by_what_its_goal_depends_on_first() {
        let mut pool = Pool::new();
        let [a, b, c, d] = [0, 1, 2, 3].map(|input| {
            pool.var(VarInfo {
                name: "x".into(),
                width: 1,
                origin: Origin::Input { input, part: 0 },
            })
        });
        let guard = |condition| Guard {
            condition,
            branch: (symex_program::FuncId(0), 1, 2),
            of_words: false,
        };
        let mut guards = Guards::default();
        guards.join(&Guards::default(), guard(a));
        guards.join(&Guards::default(), guard(b));
        let mut other = Guards::default();
        other.join(&Guards::default(), guard(c));
        guards.join(&other, guard(d));
        assert_eq!(guards.take(&pool, b), [b].map(guard));
        // One was not enough.
        assert_eq!(guards.take(&pool, b), [d, c].map(guard));
        guards.relax();
        assert_eq!(guards.take(&pool, b), [a].map(guard));
        assert!(guards.is_empty());
    }
}
