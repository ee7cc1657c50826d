use super::circuit::Circuits;
use super::graph::Ref;
use crate::stage::test_queries::input;
use symex_terms::{Assignment, BinOp, Expr, NoAddresses, Pool, UnOp, Width};

/// Asserts that all terms evaluate as their diagrams do, for all values of the inputs.
fn check(pool: &mut Pool, inputs: &[(Expr, Width)], terms: &[Expr]) {
    let mut circuits = Circuits::default();
    circuits.bdd.set_budget(u32::MAX);
    let total: u32 = inputs.iter().map(|i| i.1).sum();
    for e in terms {
        // The value of a term is right if each "the term is this value" is.
        for point in 0..1u128 << total {
            let mut assignment = Assignment::default();
            let mut rest = point;
            for (var, width) in inputs {
                let symex_terms::Kind::Var(v) = pool.kind(*var) else {
                    unreachable!()
                };
                assignment.set(v, rest & ((1 << width) - 1));
                rest >>= width;
            }
            let value = pool.eval(*e, &assignment, &NoAddresses);
            let width = pool.width(*e);
            let value = pool.constant(width, value);
            let is = pool.eq(*e, value);
            let f = circuits.truth(pool, is).expect("budget enough");
            assert_ne!(f, Ref::FALSE);
            let kept = circuits.model(f, &assignment);
            assert!(
                kept.is_same(&assignment),
                "{:?} has another value under {assignment:?}",
                pool.kind(*e)
            );
        }
    }
}

#[test]
fn operators_of_two_operands_agree_with_evaluation() {
    use BinOp::*;
    let mut pool = Pool::new();
    for width in [1, 3, 4] {
        let (x, y) = (
            input(&mut pool, width * 2, width),
            input(&mut pool, width * 2 + 1, width),
        );
        let ops = [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, ULt, ULe,
            SLt, SLe, UMulO, SMulO,
        ];
        let terms: Vec<Expr> = ops.iter().map(|op| pool.bin(*op, x, y)).collect();
        check(&mut pool, &[(x, width), (y, width)], &terms);
    }
}

#[test]
fn operators_of_one_operand_agree_with_evaluation() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 7);
    let mut terms: Vec<Expr> = [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz]
        .iter()
        .map(|op| pool.un(*op, x))
        .collect();
    terms.push(pool.zext(x, 11));
    terms.push(pool.sext(x, 11));
    terms.push(pool.extract(x, 2, 4));
    check(&mut pool, &[(x, 7)], &terms);
}

#[test]
fn tables_with_stores_agree_with_evaluation() {
    let mut pool = Pool::new();
    let (x, y) = (input(&mut pool, 0, 4), input(&mut pool, 1, 4));
    let elems: Vec<Expr> = [3, 3, 3, 3, 9, 1, 9, 1, 0, 2, 7, 7, 3, 3, 3, 3]
        .iter()
        .map(|v| pool.constant(8, *v))
        .collect();
    let table = pool.table(elems.into());
    let (ix, iy) = (pool.zext(x, 64), pool.zext(y, 64));
    let plain = pool.select(table, ix);
    let value = pool.zext(x, 8);
    let stored = pool.store(table, iy, value);
    let read = pool.select(stored, ix);
    let five = pool.constant(64, 5);
    let fixed = pool.select(stored, five);
    check(&mut pool, &[(x, 4), (y, 4)], &[plain, read, fixed]);
}

#[test]
fn what_grows_too_large_has_no_diagram_and_says_so_again() {
    let mut pool = Pool::new();
    let (x, y) = (input(&mut pool, 0, 32), input(&mut pool, 1, 32));
    let product = pool.bin(BinOp::Mul, x, y);
    let c = pool.constant(32, 0x1234_5677);
    let goal = pool.eq(product, c);
    let mut circuits = Circuits::default();
    circuits.bdd.set_budget(super::BUDGET);
    assert!(circuits.truth(&pool, goal).is_none());
    circuits.bdd.set_budget(super::BUDGET);
    assert!(circuits.truth(&pool, goal).is_none());
    assert!(circuits.bdd.budget() > super::BUDGET / 2, "tried again");
}
