//! Values of terms under an assignment: the ground truth for the simplifier and for every solver.
use super::assignment::{AddressMap, Assignment};
use super::node::*;
use super::pool::Pool;

/// Reusable memory of evaluations.
#[derive(Default)]
pub(crate) struct Scratch;

/// Sign-extends the low `width` bits.
pub fn sign_extend(v: u128, width: Width) -> i128 {
    let s = 128 - width;
    ((v << s) as i128) >> s
}

/// Value of a unary operator on an operand of `width` bits.
pub fn un(op: UnOp, width: Width, a: u128) -> u128 {
    let _ = (op, width, a);
    todo!()
}
/// Value of a binary operator on operands of `width` bits.
pub fn bin(op: BinOp, width: Width, a: u128, b: u128) -> u128 {
    let _ = (op, width, a, b);
    todo!()
}
/// Value of a conversion from `from` to `to` bits.
pub fn fcast(op: FCast, from: Width, to: Width, a: u128) -> u128 {
    let _ = (op, from, to, a);
    todo!()
}
/// Value of the fused multiply-add.
pub fn fma(width: Width, a: u128, b: u128, c: u128) -> u128 {
    let _ = (width, a, b, c);
    todo!()
}

impl Pool {
    /// The value of a term.
    pub fn eval(&mut self, e: Expr, assignment: &Assignment, addresses: &dyn AddressMap) -> u128 {
        let _ = (e, assignment, addresses);
        todo!()
    }

    /// The term with base addresses replaced by their values: what goes to a solver [RAM 2.2].
    pub fn substitute_addresses(&mut self, e: Expr, addresses: &dyn AddressMap) -> Expr {
        let _ = (e, addresses);
        todo!()
    }
}
