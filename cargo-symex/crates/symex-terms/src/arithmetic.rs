//! The kind of arithmetic in terms that makes them hard for solvers, for people who ask why.

use super::node::{Expr, Kind};
use super::op::BinOp;
use super::pool::Pool;
use super::visit::TermOperand;
use rustc_hash::FxHashSet;
use symex_types::outcome::arithmetic::Arithmetic;

/// Most terms that are looked at.
const TERMS: usize = 4096;

/// Returns the hardest kind of arithmetic in terms, looking at their first few thousand parts.
/// `None`: they have nothing but sums, comparisons and bits.
pub fn hardest(pool: &Pool, terms: impl IntoIterator<Item = Expr>) -> Option<Arithmetic> {
    let mut seen: FxHashSet<TermOperand> = FxHashSet::default();
    let mut next: Vec<TermOperand> = terms.into_iter().map(TermOperand::Term).collect();
    next.reverse();
    let mut hardest = None;
    while let Some(part) = next.pop()
        && seen.len() < TERMS
    {
        if !seen.insert(part) {
            continue;
        }
        match part {
            TermOperand::Term(term) => {
                hardest = hardest.max(of_term(pool, term));
                pool.operands(term, |operand| next.push(operand));
            }
            TermOperand::Array(array) => pool.array_operands(array, |part| next.push(part)),
        }
    }
    hardest
}

/// Returns the kind of a term itself, without its operands.
fn of_term(pool: &Pool, term: Expr) -> Option<Arithmetic> {
    let width = pool.width(term);
    let is_constant = |e: Expr| matches!(pool.kind(e), Kind::Const(_));
    match pool.kind(term) {
        Kind::Bin(op, a, _) if op.is_float() => Some(Arithmetic::Float(pool.width(a))),
        Kind::Un(op, a) if op.is_float() => Some(Arithmetic::Float(pool.width(a))),
        Kind::FCast(_, a) => Some(Arithmetic::Float(pool.width(a).max(width))),
        Kind::Fma(..) => Some(Arithmetic::Float(width)),
        Kind::Bin(BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem, _, by) => {
            match is_constant(by) {
                // All values of a byte are looked at.
                true if width <= 8 => None,
                true => Some(Arithmetic::DivisionByConstant(width)),
                false => Some(Arithmetic::Division(width)),
            }
        }
        Kind::Bin(BinOp::Mul, a, b) if !is_constant(a) && !is_constant(b) => {
            Some(Arithmetic::Multiplication(width))
        }
        Kind::Bin(BinOp::Shl | BinOp::LShr | BinOp::AShr, _, by) if !is_constant(by) => {
            Some(Arithmetic::Shift(width))
        }
        Kind::Select { index, .. } if !is_constant(index) => Some(Arithmetic::Lookup),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, VarInfo};

    fn variable(pool: &mut Pool, input: u32) -> Expr {
        pool.var(VarInfo {
            name: "x".into(),
            width: 64,
            origin: Origin::Input { input, part: 0 },
        })
    }

    #[test]
    fn the_hardest_part_is_found_and_constants_are_not_hard() {
        let mut pool = Pool::new();
        let [a, b] = [0, 1].map(|input| variable(&mut pool, input));
        let three = pool.constant(64, 3);
        let scaled = pool.bin(BinOp::Mul, a, three);
        let sum = pool.bin(BinOp::Add, scaled, b);
        let small = pool.bin(BinOp::ULt, sum, three);
        let of = |pool: &Pool, term| hardest(pool, [small, term]);
        assert_eq!(of(&pool, small), None);
        let product = pool.bin(BinOp::Mul, a, b);
        let equal = pool.bin(BinOp::Eq, product, three);
        assert_eq!(of(&pool, equal), Some(Arithmetic::Multiplication(64)));
        let quotient = pool.bin(BinOp::UDiv, product, b);
        let equal = pool.bin(BinOp::Eq, quotient, three);
        let division = of(&pool, equal).expect("it divides");
        assert_eq!(division.to_string(), "division of 64 bits");
        let third = pool.bin(BinOp::URem, a, three);
        let equal = pool.bin(BinOp::Eq, third, b);
        let division = of(&pool, equal).expect("it divides");
        assert_eq!(division.to_string(), "division of 64 bits by constants");
        let [byte, ten] = [pool.extract(a, 0, 8), pool.constant(8, 10)];
        let digit = pool.bin(BinOp::URem, byte, ten);
        let equal = pool.bin(BinOp::ULt, digit, byte);
        assert_eq!(of(&pool, equal), None);
    }
}
