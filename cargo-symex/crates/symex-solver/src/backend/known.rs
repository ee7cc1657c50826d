//! Ranges of a query's terms that follow from its constraints.
//!
//! Invariant: a range holds under every assignment that satisfies all conditions learned. It is
//! meant for encodings that are asserted together with all these conditions. Ranges that hold for a
//! term in general are in the pool.

use rustc_hash::FxHashMap;
use symex_terms::domain::transfer;
use symex_terms::eval::sign_extend;
use symex_terms::{BinOp, Domain, Expr, Kind, Met, Pool, UnOp, mask};

/// Ranges of the terms of a query.
#[derive(Default)]
pub(super) struct TermRanges {
    learned: FxHashMap<Expr, Domain>,
}

impl TermRanges {
    /// Returns the domain of a term.
    pub fn get(&self, pool: &Pool, e: Expr) -> Domain {
        match self.learned.get(&e) {
            Some(learned) => *learned,
            None => pool.domain(e),
        }
    }

    /// Learns from the conditions of a conjunction.
    pub fn learn(&mut self, pool: &Pool, conditions: &[Expr]) {
        // Once more, for what an earlier condition says by a later one's range.
        for _ in 0..2 {
            let mut stack: Vec<(Expr, bool)> = conditions.iter().map(|c| (*c, true)).collect();
            while let Some((e, truth)) = stack.pop() {
                match (pool.kind(e), truth) {
                    (Kind::Un(UnOp::Not, a), _) => stack.push((a, !truth)),
                    (Kind::Bin(BinOp::And, a, b), true) | (Kind::Bin(BinOp::Or, a, b), false) => {
                        stack.extend([(a, truth), (b, truth)])
                    }
                    (Kind::Bin(op, a, b), _) if pool.width(a) > 1 => {
                        self.compare(pool, op, a, b, truth)
                    }
                    _ => {}
                }
            }
        }
    }

    fn compare(&mut self, pool: &Pool, op: BinOp, a: Expr, b: Expr, truth: bool) {
        let (x, y) = (self.get(pool, a), self.get(pool, b));
        let width = pool.width(a);
        // What is less, what is more, and the least distance between them.
        let (less, more, low, high, step) = match (op, truth) {
            (BinOp::Eq, true) => {
                self.narrow(pool, a, y);
                return self.narrow(pool, b, x);
            }
            (BinOp::Eq, false) => {
                self.differ(pool, a, &x, &y);
                return self.differ(pool, b, &y, &x);
            }
            (BinOp::ULt | BinOp::SLt, true) => (a, b, x, y, 1),
            (BinOp::ULe | BinOp::SLe, true) => (a, b, x, y, 0),
            (BinOp::ULt | BinOp::SLt, false) => (b, a, y, x, 0),
            (BinOp::ULe | BinOp::SLe, false) => (b, a, y, x, 1u8),
            _ => return,
        };
        let full = Domain::full(width);
        let bounds = if matches!(op, BinOp::ULt | BinOp::ULe) {
            let step = u128::from(step);
            let ends = (high.max.checked_sub(step), low.min.checked_add(step));
            let (Some(most), Some(least)) = ends else {
                return;
            };
            (
                Domain::unsigned(width, 0, most),
                Domain::unsigned(width, least, full.max),
            )
        } else {
            let step = i128::from(step);
            let ends = (high.smax.checked_sub(step), low.smin.checked_add(step));
            let (Some(most), Some(least)) = ends else {
                return;
            };
            (
                Domain::signed(width, full.smin, most),
                Domain::signed(width, least, full.smax),
            )
        };
        self.narrow(pool, less, bounds.0);
        self.narrow(pool, more, bounds.1);
    }

    /// Learns that a term with this domain differs from one with the other.
    fn differ(&mut self, pool: &Pool, e: Expr, domain: &Domain, other: &Domain) {
        let (width, value) = (pool.width(e), other.min);
        if value != other.max || domain.min == domain.max {
            return;
        }
        let (mut least, mut most) = (domain.min, domain.max);
        least += u128::from(least == value);
        most -= u128::from(most == value);
        self.narrow(pool, e, Domain::unsigned(width, least, most));
    }

    /// Narrows the domain of a term, and of the subterms that it determines.
    fn narrow(&mut self, pool: &Pool, e: Expr, domain: Domain) {
        let (mut e, mut domain) = (e, domain);
        loop {
            let width = pool.width(e);
            let mut new = self.get(pool, e);
            // Nothing in both: the conditions contradict each other, which is for the solver to
            // say.
            if new.meet(&domain, width) != Met::Smaller || width == 1 || pool.as_const(e).is_some()
            {
                return;
            }
            self.learned.insert(e, new);
            let Some((part, of_part)) = part(pool, e, new) else {
                return;
            };
            (e, domain) = (part, of_part);
        }
    }
}

/// Returns the operand that is not constant, and its domain where the result is in `d`.
fn part(pool: &Pool, e: Expr, d: Domain) -> Option<(Expr, Domain)> {
    let width = pool.width(e);
    let m = mask(width);
    Some(match pool.kind(e) {
        Kind::ZExt(a) => {
            let from = pool.width(a);
            (a, Domain::unsigned(from, d.min, d.max.min(mask(from))))
        }
        Kind::SExt(a) => {
            let from = pool.width(a);
            let full = Domain::full(from);
            let (least, most) = (d.smin.max(full.smin), d.smax.min(full.smax));
            (a, Domain::signed(from, least, most))
        }
        Kind::Concat { hi, lo } => {
            let shift = pool.width(lo);
            let above = Domain::unsigned(pool.width(hi), d.min >> shift, d.max >> shift);
            (hi, above)
        }
        Kind::Un(UnOp::Not, a) => (a, transfer::un(UnOp::Not, width, &d)),
        Kind::Bin(BinOp::Add, a, c) => {
            let c = pool.as_const(c)?;
            // An interval that is moved stays one, unless it passes the end of the numbers.
            let mut moved = Domain::full(width);
            let back = |v: u128| v.wrapping_sub(c) & m;
            if back(d.min) <= back(d.max) {
                (moved.min, moved.max) = (back(d.min), back(d.max));
            }
            let back = |v: i128| sign_extend((v as u128).wrapping_sub(c) & m, width);
            if back(d.smin) <= back(d.smax) {
                (moved.smin, moved.smax) = (back(d.smin), back(d.smax));
            }
            (a, moved)
        }
        Kind::Bin(BinOp::UDiv, a, c) => {
            let c = pool.as_const(c).filter(|c| *c > 0)?;
            let most = d.max.saturating_mul(c).saturating_add(c - 1);
            (
                a,
                Domain::unsigned(width, d.min.saturating_mul(c), most.min(m)),
            )
        }
        _ => return None,
    })
}
