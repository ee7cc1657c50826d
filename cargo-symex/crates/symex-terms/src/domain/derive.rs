//! Derives the domain of a term from those of its operands, when it is interned.
//!
//! Besides the transfer functions of operators, two shapes of terms are treated as a whole: an
//! if-then-else whose condition bounds a branch, and a sum that counts down from an end.

use super::{Domain, transfer};
use crate::assignment::LOWEST_ADDRESS;
use crate::build::mask;
use crate::facts::Facts;
use crate::node::*;
use crate::op::BinOp;
use crate::pool::Pool;
use crate::signed::{MAX_DEPTH, SignedRange};

impl Pool {
    /// Returns the domain of a term: a superset of its values under any assignment.
    pub fn domain(&self, e: Expr) -> Domain {
        Domain::of_halves(self.facts(e), self.signed_range(e))
    }

    /// Derives the unsigned and the signed half of the domain of a node that need not be interned
    /// yet. The signed half is `None` if it says no more than the other.
    pub(crate) fn derive_halves(&self, kind: &Kind, width: Width) -> (Facts, Option<SignedRange>) {
        if let Kind::Const(v) = *kind {
            return (Facts::constant(width, v), None);
        }
        let derived = self.derive_domain(kind, width).trimmed(width);
        let (facts, signed) = (derived.facts(), derived.signed_range());
        let says_more =
            SignedRange::of_facts(facts, width).is_none() && signed != SignedRange::full(width);
        (facts, says_more.then_some(signed))
    }

    fn derive_domain(&self, kind: &Kind, width: Width) -> Domain {
        let d = |e: Expr| self.domain(e);
        match *kind {
            Kind::Const(v) => Domain::constant(width, v),
            Kind::Var(_) | Kind::Fma(..) => Domain::full(width),
            // The upper bits are left open: bytes of an address then are the same kind of term
            // each, and are put together again by the same rules.
            Kind::Base { align_log2, .. } => Domain {
                zero: mask(align_log2.into()) & mask(width),
                min: LOWEST_ADDRESS.into(),
                ..Domain::full(width)
            },
            Kind::Un(op, a) => transfer::un(op, self.width(a), &d(a)),
            Kind::Bin(op, a, b) => {
                let mut made = transfer::bin(op, self.width(a), &d(a), &d(b));
                if op == BinOp::Add
                    && let Some((min, max)) = self.counted_down(a, b)
                {
                    (made.min, made.max) = (min, max);
                }
                made
            }
            Kind::Concat { hi, lo } => transfer::concat(self.width(lo), &d(hi), &d(lo)),
            Kind::Extract { of, lo } => transfer::extract(self.width(of), &d(of), lo, width),
            Kind::ZExt(a) => transfer::zext(self.width(a), width, &d(a)),
            Kind::SExt(a) => transfer::sext(self.width(a), width, &d(a)),
            Kind::Ite { cond, then, other } => {
                let (t, o) = self.branches(cond, then, other, width);
                t.hull(&o)
            }
            Kind::Select { array, .. } => {
                Domain::of_halves(self.array_facts(array), SignedRange::full(width))
            }
            Kind::FCast(op, a) => transfer::fcast(op, self.width(a), width, &d(a)),
        }
    }

    /// Returns the domains of both branches of an if-then-else, each bounded by the condition.
    fn branches(&self, cond: Expr, then: Expr, other: Expr, width: Width) -> (Domain, Domain) {
        let (mut t, mut o) = (self.domain(then), self.domain(other));
        // `x < c ? x : y`.
        if let Kind::Bin(BinOp::ULt, l, r) = self.kind(cond) {
            let bound = |e: Expr| self.facts(e);
            if l == then {
                t.max = t.max.min(bound(r).max.saturating_sub(1));
            }
            if r == then {
                t.min = t.min.max(bound(l).min.saturating_add(1).min(mask(width)));
            }
            if l == other {
                o.min = o.min.max(bound(r).min);
            }
            if r == other {
                o.max = o.max.min(bound(l).max);
            }
        }
        let signed = |branch: Expr, holds: bool| {
            let range = self.range_under(branch, self.bounds(cond, holds), MAX_DEPTH);
            (range.min, range.max)
        };
        (t.smin, t.smax) = signed(then, true);
        (o.smin, o.smax) = signed(other, false);
        (t.trimmed(width), o.trimmed(width))
    }

    /// Returns the range of an index that counts down from an end: `-i + c`, where `i` is at most
    /// `c`.
    fn counted_down(&self, a: Expr, b: Expr) -> Option<(u128, u128)> {
        let from = self.as_const(b)?;
        let (least, most) = self.negated_range(a)?;
        (most <= from).then(|| (from - most, from - least))
    }

    /// Returns bounds of `x`, if the term is `-x`, or `-x` with zeros below.
    fn negated_range(&self, e: Expr) -> Option<(u128, u128)> {
        match self.kind(e) {
            Kind::Bin(BinOp::Sub, zero, x) if self.as_const(zero) == Some(0) => {
                let x = self.facts(x);
                Some((x.min, x.max))
            }
            Kind::Concat { hi, lo } if self.as_const(lo) == Some(0) => {
                let (least, most) = self.negated_range(hi)?;
                let by = self.width(lo);
                Some((least << by, most << by))
            }
            _ => None,
        }
    }
}
