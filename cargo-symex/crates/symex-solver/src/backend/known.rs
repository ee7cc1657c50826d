//! What the constraints of a query say of the ranges of its terms.
//!
//! Invariant: a range holds under every assignment that satisfies all that was learned. It is for encodings that are
//! asserted together with everything it was learned from. What holds of a term anyway is in `expr/facts`.

use rustc_hash::FxHashMap;
use symex_terms::{BinOp, Expr, Kind, Pool, UnOp, Width};

/// Least and greatest value of a term, read either way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub unsigned: (u128, u128),
    pub signed: (i128, i128),
}

/// The ranges of the terms of a query.
#[derive(Default)]
pub(super) struct Ranges {
    learned: FxHashMap<Expr, Range>,
}

/// The bits of a width, read as a signed number.
pub(super) fn signed(v: u128, width: Width) -> i128 {
    ((v << (128 - width)) as i128) >> (128 - width)
}

fn mask(width: Width) -> u128 {
    u128::MAX >> (128 - width)
}

impl Range {
    fn full(width: Width) -> Range {
        let top = 1u128 << (width - 1);
        Range {
            unsigned: (0, mask(width)),
            signed: (signed(top, width), (top - 1) as i128),
        }
    }

    /// The values in both, or none.
    fn meet(self, other: Range, width: Width) -> Option<Range> {
        let mut r = Range {
            unsigned: (
                self.unsigned.0.max(other.unsigned.0),
                self.unsigned.1.min(other.unsigned.1),
            ),
            signed: (
                self.signed.0.max(other.signed.0),
                self.signed.1.min(other.signed.1),
            ),
        };
        if r.unsigned.0 > r.unsigned.1 || r.signed.0 > r.signed.1 {
            return None;
        }
        // On one side of zero the two readings go in step.
        let top = width - 1;
        if r.unsigned.0 >> top == r.unsigned.1 >> top {
            r.signed.0 = r.signed.0.max(signed(r.unsigned.0, width));
            r.signed.1 = r.signed.1.min(signed(r.unsigned.1, width));
        }
        if r.signed.0 > r.signed.1 {
            return None;
        }
        if (r.signed.0 < 0) == (r.signed.1 < 0) {
            r.unsigned.0 = r.unsigned.0.max(r.signed.0 as u128 & mask(width));
            r.unsigned.1 = r.unsigned.1.min(r.signed.1 as u128 & mask(width));
        }
        (r.unsigned.0 <= r.unsigned.1).then_some(r)
    }
}

impl Ranges {
    /// The range of a term.
    pub fn get(&self, pool: &Pool, e: Expr) -> Range {
        if let Some(r) = self.learned.get(&e) {
            return *r;
        }
        let (facts, width) = (pool.facts(e), pool.width(e));
        let full = Range::full(width);
        let own = Range {
            unsigned: (facts.min, facts.max),
            ..full
        };
        own.meet(full, width).unwrap_or(full)
    }

    /// Learns from conditions that hold together.
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
        let full = Range::full(pool.width(a));
        // What is less, what is more, and the least distance between them.
        let (less, more, low, high, step) = match (op, truth) {
            (BinOp::Eq, true) => {
                self.narrow(pool, a, y);
                return self.narrow(pool, b, x);
            }
            (BinOp::ULt | BinOp::SLt, true) => (a, b, x, y, 1),
            (BinOp::ULe | BinOp::SLe, true) => (a, b, x, y, 0),
            (BinOp::ULt | BinOp::SLt, false) => (b, a, y, x, 0),
            (BinOp::ULe | BinOp::SLe, false) => (b, a, y, x, 1),
            _ => return,
        };
        let (most, least) = if matches!(op, BinOp::ULt | BinOp::ULe) {
            let (Some(most), Some(least)) = (
                high.unsigned.1.checked_sub(step as u128),
                low.unsigned.0.checked_add(step as u128),
            ) else {
                return;
            };
            (
                Range {
                    unsigned: (0, most),
                    ..full
                },
                Range {
                    unsigned: (least, full.unsigned.1),
                    ..full
                },
            )
        } else {
            let (Some(most), Some(least)) = (
                high.signed.1.checked_sub(step),
                low.signed.0.checked_add(step),
            ) else {
                return;
            };
            (
                Range {
                    signed: (full.signed.0, most),
                    ..full
                },
                Range {
                    signed: (least, full.signed.1),
                    ..full
                },
            )
        };
        self.narrow(pool, less, most);
        self.narrow(pool, more, least);
    }

    /// Narrows a term, and what its range follows from.
    fn narrow(&mut self, pool: &Pool, e: Expr, range: Range) {
        let (mut e, mut range) = (e, range);
        loop {
            let (width, old) = (pool.width(e), self.get(pool, e));
            // Nothing in both: the conditions contradict each other, which is for the solver to say.
            let Some(new) = old.meet(range, width) else {
                return;
            };
            if new == old || width == 1 || pool.as_const(e).is_some() {
                return;
            }
            self.learned.insert(e, new);
            let Some((part, of_part)) = part(pool, e, new) else {
                return;
            };
            (e, range) = (part, of_part);
        }
    }
}

/// The operand that varies, and its range where the result is in this one.
fn part(pool: &Pool, e: Expr, r: Range) -> Option<(Expr, Range)> {
    let width = pool.width(e);
    let (low, high) = r.unsigned;
    Some(match pool.kind(e) {
        Kind::ZExt(a) => {
            let full = Range::full(pool.width(a));
            let unsigned = (low, high.min(full.unsigned.1));
            (a, Range { unsigned, ..full })
        }
        Kind::SExt(a) => {
            let full = Range::full(pool.width(a));
            let signed = (r.signed.0.max(full.signed.0), r.signed.1.min(full.signed.1));
            (a, Range { signed, ..full })
        }
        Kind::Concat { hi, lo } => {
            let shift = pool.width(lo);
            let unsigned = (low >> shift, high >> shift);
            let full = Range::full(pool.width(hi));
            (hi, Range { unsigned, ..full })
        }
        Kind::Un(UnOp::Not, a) => {
            let m = mask(width);
            (
                a,
                Range {
                    unsigned: (m - high, m - low),
                    signed: (-1 - r.signed.1, -1 - r.signed.0),
                },
            )
        }
        Kind::Bin(BinOp::Add, a, c) => {
            let c = pool.as_const(c)?;
            // An interval that is moved stays one, unless it passes the end of the numbers.
            let mut range = Range::full(width);
            let back = |v: u128| v.wrapping_sub(c) & mask(width);
            if back(low) <= back(high) {
                range.unsigned = (back(low), back(high));
            }
            let back = |v: i128| signed((v as u128).wrapping_sub(c) & mask(width), width);
            if back(r.signed.0) <= back(r.signed.1) {
                range.signed = (back(r.signed.0), back(r.signed.1));
            }
            (a, range)
        }
        Kind::Bin(BinOp::UDiv, a, c) => {
            let c = pool.as_const(c).filter(|c| *c > 0)?;
            let most = high.saturating_mul(c).saturating_add(c - 1);
            let unsigned = (low.saturating_mul(c), most.min(mask(width)));
            let full = Range::full(width);
            (a, Range { unsigned, ..full })
        }
        _ => return None,
    })
}
