//! Tests of what the order of terms decides.

use super::ComparisonGraph;
use crate::stage::StageOutcome;
use crate::stage::test_queries::{ask, input, is_sat, is_unsat};
use symex_terms::{BinOp, Expr, Pool};

/// Asks the stage about comparisons, the last of which is the goal.
fn order(pool: &mut Pool, atoms: &[(Expr, BinOp, Expr, bool)]) -> StageOutcome {
    let terms = atoms.iter().map(|(x, op, y, holds)| {
        let comparison = pool.bin(*op, *x, *y);
        if *holds {
            comparison
        } else {
            pool.not(comparison)
        }
    });
    let mut terms: Vec<Expr> = terms.collect();
    let goal = terms.pop().expect("a goal");
    ask(&mut ComparisonGraph, pool, &terms, goal)
}

#[test]
fn cycles_are_seen() {
    use BinOp::*;
    let p = &mut Pool::new();
    let [x, y, z] = [0, 1, 2].map(|i| input(p, i, 32));
    let cycle = [(x, SLt, y, true), (y, SLe, z, true), (x, SLt, z, false)];
    assert!(is_unsat(&order(p, &cycle)));
    let unequal = [(x, ULe, y, true), (y, ULe, x, true), (x, Eq, y, false)];
    assert!(is_unsat(&order(p, &unequal)));
    // A cycle needs one sense throughout.
    let mixed = [(x, SLt, y, true), (y, ULt, x, true)];
    assert!(!is_unsat(&order(p, &mixed)));
    let equal = [(x, SLe, y, true), (y, SLe, z, true), (z, SLe, x, true)];
    assert!(is_sat(&order(p, &equal)));
}

#[test]
fn bounds_are_pushed_along_chains() {
    use BinOp::*;
    let p = &mut Pool::new();
    let [x, y, z] = [0, 1, 2].map(|i| input(p, i, 32));
    let (one, two) = (p.constant(32, 1), p.constant(32, 2));
    let [first, second] = [(x, ULt, y, true), (y, ULt, z, true)];
    assert!(is_unsat(&order(p, &[first, second, (z, ULe, one, true)])));
    assert!(is_sat(&order(p, &[first, second, (z, ULe, two, true)])));
    let minus_one = p.constant(32, 0xffff_ffff);
    let below = [(x, SLt, y, true), (y, SLt, minus_one, true)];
    assert!(is_sat(&order(p, &below)));
}

#[test]
fn other_constraints_need_to_hold() {
    use BinOp::*;
    let p = &mut Pool::new();
    let [x, y] = [0, 1].map(|i| input(p, i, 32));
    let (square, nine) = (p.bin(Mul, x, x), p.constant(32, 9));
    let is_nine = p.bin(Eq, square, nine);
    let goal = p.bin(ULt, x, y);
    // The constraint does not hold for the hint's value, which the stage has no reason to leave.
    let outcome = ask(&mut ComparisonGraph, p, &[is_nine], goal);
    assert!(matches!(outcome, StageOutcome::Pass));
}

#[test]
fn order_is_known_within_a_goal() {
    use BinOp::*;
    let p = &mut Pool::new();
    let [x, y, z] = [0, 1, 2].map(|i| input(p, i, 8));
    let constraints = [p.ult(x, y), p.ult(y, z)];
    let below = [(x, y), (x, z), (z, y)].map(|(low, high)| {
        let is_below = p.ult(low, high);
        p.zext(is_below, 64)
    });
    let sum = p.add(below[0], below[1]);
    let sum = p.add(sum, below[2]);
    let three = p.constant(64, 3);
    let stage = &mut ComparisonGraph;
    // Two of them hold, and one does not.
    let is_three = p.bin(Eq, sum, three);
    assert!(is_unsat(&ask(stage, p, &constraints, is_three)));
    // What is left is a comparison that the stage decides.
    let x_below_z = p.ult(x, z);
    let least = p.ite(x_below_z, x, z);
    let goal = p.ult(y, least);
    assert!(is_unsat(&ask(stage, p, &constraints, goal)));
    // A comparison of another sense is not decided.
    let signed = p.bin(SLt, x, z);
    let least = p.ite(signed, x, z);
    let goal = p.ult(y, least);
    let outcome = ask(stage, p, &constraints, goal);
    assert!(matches!(outcome, StageOutcome::Pass));
}
