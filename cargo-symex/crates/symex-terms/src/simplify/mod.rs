//! Rewrite rules that make terms smaller, by family. Each rule is one function, documented by the
//! form that it matches and its result.
//!
//! Rules about rules:
//! - Both sides are equal under every assignment and address map (selects past the end of an array
//!   apart).
//! - A result is never larger: first by the number of operators that cost a solver work (extract,
//!   concat, zext and sext only rename bits and cost nothing), then by the number of nodes. A few
//!   rules that turn an operator into bit renaming add nodes.
//! - Rules terminate: by the measure above, or by moving towards the normal form of their family
//!   (constants to the right, sums flat and sorted, `Not` and renaming outwards, slices inwards).
//!   `MAX_DEPTH` bounds each cascade all the same, so that deep terms cannot exhaust the stack.
//! - No solver, no search over more than a fixed number of nodes.
//!
//! Normal forms: constant operands are on the right, others are sorted by handle (in sums a base
//! comes first); `x - c` is `x + -c`; shifts, masks and multiplications by powers of two are
//! slices; concatenations nest to the right and `0 ++ x` is `zext x`; `>`, `>=` and negated
//! comparisons are turned round; `<=` with a constant is `<`.

mod arith;
mod array;
mod bitwise;
mod boolean;
mod compare;
mod divide;
mod equal;
mod float;
mod float_range;
#[cfg(test)]
mod fuzz;
mod ite;
mod lanes;
#[cfg(test)]
mod lanes_tests;
mod multiword;
mod pieces;
mod shift;
mod sign;
mod slice;
mod slices;
mod sum;
#[cfg(test)]
mod tests;
mod whole;

use super::node::*;
use super::op::{BinOp, FCast, UnOp};
use super::pool::Pool;

pub(super) use sum::Sum;

/// Greatest depth of rules calling constructors that try rules.
const MAX_DEPTH: u32 = 100;

/// State of the simplifier.
#[derive(Default)]
pub(super) struct Rules {
    depth: u32,
    disabled: bool,
    slices: slices::Slices,
    #[cfg(test)]
    pub counts: std::collections::BTreeMap<&'static str, u64>,
}

impl Rules {
    /// Reports whether simplification is on.
    pub(super) fn enabled(&self) -> bool {
        !self.disabled
    }

    /// Records that a rule fired.
    #[inline]
    fn fired(&mut self, _rule: &'static str) {
        #[cfg(test)]
        {
            *self.counts.entry(_rule).or_default() += 1;
        }
    }
}

impl Pool {
    /// Turns simplification on or off. Without it the constructors leave terms as they are written
    /// (except for constants), to test the simplifier against.
    #[doc(hidden)]
    pub fn set_simplify(&mut self, on: bool) {
        self.rules.disabled = !on;
    }
}

/// Tries rules in order and returns the first result.
macro_rules! rules {
    ($p:ident, $args:tt: $($rule:ident),+ $(,)?) => {{
        $(if let Some(e) = $crate::simplify::rules!(@call $rule $p $args) {
            $p.rules.fired(stringify!($rule));
            return Some(e);
        })+
    }};
    (@call $rule:ident $p:ident ($($a:expr),*)) => { $rule($p, $($a),*) };
}
use rules;

/// Runs rules one level deeper, unless the limit is reached.
fn deeper<T>(p: &mut Pool, rules: impl FnOnce(&mut Pool) -> Option<T>) -> Option<T> {
    if p.rules.disabled || p.rules.depth >= MAX_DEPTH {
        return None;
    }
    p.rules.depth += 1;
    let result = rules(p);
    p.rules.depth -= 1;
    result
}

pub(super) fn un(p: &mut Pool, op: UnOp, a: Expr) -> Option<Expr> {
    deeper(p, |p| match op {
        UnOp::Not => bitwise::not(p, a),
        UnOp::Popcount | UnOp::Clz | UnOp::Ctz => bitwise::count(p, op, a),
        _ if op.is_float() => float::un(p, op, a),
        _ => None,
    })
}

pub(super) fn bin(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Expr {
    let width = if op.is_predicate() { 1 } else { p.width(a) };
    if p.rules.disabled {
        return p.intern(Kind::Bin(op, a, b), width);
    }
    let (a, b) = ordered(p, op, a, b);
    // What was made before needs no rules.
    if let Some(e) = p.find(&Kind::Bin(op, a, b), width) {
        return e;
    }
    let simpler = deeper(p, |p| match op {
        _ if p.width(a) == 1 && !matches!(op, BinOp::And | BinOp::Or | BinOp::Xor) => {
            bitwise::of_one_bit(p, op, a, b)
        }
        BinOp::Add => arith::add(p, a, b),
        BinOp::Sub => arith::sub(p, a, b),
        BinOp::Mul => arith::mul(p, a, b),
        BinOp::UMulO | BinOp::SMulO => arith::overflow(p, op, a, b),
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => divide::bin(p, op, a, b),
        BinOp::And => bitwise::and(p, a, b),
        BinOp::Or => bitwise::or(p, a, b),
        BinOp::Xor => bitwise::xor(p, a, b),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => shift::bin(p, op, a, b),
        BinOp::Eq => equal::eq(p, a, b),
        BinOp::ULt | BinOp::ULe => compare::unsigned(p, op, a, b),
        BinOp::SLt | BinOp::SLe => compare::signed(p, op, a, b),
        _ if op.is_float() && op.is_predicate() => float::compare(p, op, a, b),
        _ if op.is_float() => float::bin(p, op, a, b),
        _ => None,
    });
    simpler.unwrap_or_else(|| p.intern(Kind::Bin(op, a, b), width))
}

/// Returns the operands of a commutative operator in normal order.
fn ordered(p: &Pool, op: BinOp, a: Expr, b: Expr) -> (Expr, Expr) {
    if !op.is_commutative() {
        return (a, b);
    }
    let rank = |e: Expr| match p.kind(e) {
        Kind::Const(_) => 2,
        Kind::Base { .. } if op == BinOp::Add => 0,
        _ => 1,
    };
    if (rank(a), a) > (rank(b), b) {
        (b, a)
    } else {
        (a, b)
    }
}

pub(super) fn concat(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    deeper(p, |p| slice::concat(p, hi, lo))
}

pub(super) fn extract(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    // These go on with the same bits of two terms, which may share much.
    let is_remembered = p.rules.enabled() && matches!(p.kind(of), Kind::Bin(..));
    if is_remembered && let Some(known) = p.rules.slices.get((of, lo, width)) {
        return Some(known);
    }
    let result = deeper(p, |p| slice::extract(p, of, lo, width))?;
    if is_remembered {
        p.rules.slices.put((of, lo, width), result);
    }
    Some(result)
}

pub(super) fn zext(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    deeper(p, |p| slice::zext(p, a, width))
}

pub(super) fn sext(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    deeper(p, |p| slice::sext(p, a, width))
}

pub(super) fn ite(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    deeper(p, |p| ite::ite(p, cond, then, other))
}

pub(super) fn fcast(p: &mut Pool, op: FCast, a: Expr, width: Width) -> Option<Expr> {
    deeper(p, |p| float::cast(p, op, a, width))
}

pub(super) fn store(p: &mut Pool, array: Array, index: Expr, value: Expr) -> Option<Array> {
    deeper(p, |p| array::store(p, array, index, value))
}

pub(super) fn select(p: &mut Pool, array: Array, index: Expr) -> Option<Expr> {
    deeper(p, |p| array::select(p, array, index))
}
