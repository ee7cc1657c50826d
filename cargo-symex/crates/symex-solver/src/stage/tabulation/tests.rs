//! Tests of tables against evaluation.

use super::*;
use crate::stage::test_queries::{self, input, var};
use symex_terms::{Assignment, BinOp, FCast, NoAddresses, UnOp, mask};
use symex_types::splitmix::Random;

fn ask(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> StageOutcome {
    test_queries::ask(&mut Tabulation::default(), pool, constraints, goal)
}

fn rewritten(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> (Vec<Expr>, Expr) {
    match ask(pool, constraints, goal) {
        StageOutcome::Rewrite(constraints, goal) => (constraints, goal),
        StageOutcome::Answer(answer) => panic!("{answer:?}"),
        StageOutcome::Pass | StageOutcome::Split(_) => panic!("it is not tabulated"),
    }
}

/// Makes the float of an unsigned integer.
fn float(pool: &mut Pool, x: Expr) -> Expr {
    pool.fcast(FCast::FromUnsigned, x, 64)
}

fn number(pool: &mut Pool, x: f64) -> Expr {
    pool.constant(64, x.to_bits().into())
}

#[test]
fn what_one_integer_decides_is_a_range() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 8);
    let (of_x, scale, most) = (
        float(&mut pool, x),
        number(&mut pool, 2.5),
        number(&mut pool, 100.0),
    );
    let product = pool.bin(BinOp::FMul, of_x, scale);
    let goal = pool.bin(BinOp::FLt, product, most);
    let (constraints, goal) = rewritten(&mut pool, &[], goal);
    let last = pool.constant(8, 39);
    assert_eq!(goal, pool.ule(x, last));
    assert_eq!(constraints, []);
}

#[test]
fn bounds_of_the_query_are_used_and_stay() {
    let mut pool = Pool::new();
    let (x, flag) = (input(&mut pool, 0, 64), input(&mut pool, 1, 1));
    let end = pool.constant(64, 6);
    let bound = pool.ult(x, end);
    // Costs as a wrapping of lines computes them: a square, and what a flag adds.
    let of_x = float(&mut pool, x);
    let wide = pool.zext(flag, 64);
    let of_flag = float(&mut pool, wide);
    let gap = pool.bin(BinOp::FSub, of_x, of_flag);
    let square = pool.bin(BinOp::FMul, gap, gap);
    let most = number(&mut pool, 8.5);
    let goal = pool.bin(BinOp::FLt, square, most);
    assert!(matches!(ask(&mut pool, &[], goal), StageOutcome::Pass));
    let (constraints, table) = rewritten(&mut pool, &[bound], goal);
    assert_eq!(constraints, [bound]);
    assert_eq!(*Tabulation::default().floats(&pool, table), []);
    let vars = [var(&pool, x), var(&pool, flag)];
    for case in 0..12 {
        let mut assignment = Assignment::default();
        assignment.set(vars[0], case / 2);
        assignment.set(vars[1], case % 2);
        let [before, after] = [goal, table].map(|e| pool.eval(e, &assignment, &NoAddresses));
        assert_eq!(before, after, "case {case}");
    }
    let never = number(&mut pool, 25.5);
    let goal = pool.bin(BinOp::FLt, never, square);
    let answer = ask(&mut pool, &[bound], goal);
    assert!(matches!(answer, StageOutcome::Answer(Answer::Unsat)));
}

/// Makes a float of some integers, with the operators of all kinds.
fn random_float(pool: &mut Pool, random: &mut Random, inputs: &[Expr], depth: u32) -> Expr {
    if depth == 0 {
        let x = inputs[random.below(inputs.len() as u64) as usize];
        let x = pool.zext(x, 32);
        let cast = [FCast::FromUnsigned, FCast::FromSigned][random.below(2) as usize];
        return pool.fcast(cast, x, 64);
    }
    let a = random_float(pool, random, inputs, depth - 1);
    let b = match random.below(3) {
        0 => number(pool, random.below(40) as f64 / 8.0 - 2.0),
        _ => random_float(pool, random, inputs, depth - 1),
    };
    match random.below(7) {
        0 => pool.bin(BinOp::FAdd, a, b),
        1 => pool.bin(BinOp::FSub, a, b),
        2 => pool.bin(BinOp::FMul, a, b),
        3 => pool.bin(BinOp::FDiv, a, b),
        4 => pool.un(UnOp::FRoundDown, a),
        5 => {
            let whole = pool.fcast(FCast::ToSigned, a, 16);
            pool.fcast(FCast::FromSigned, whole, 64)
        }
        _ => {
            let cond = pool.bin(BinOp::FLe, a, b);
            pool.ite(cond, a, b)
        }
    }
}

#[test]
fn tables_agree_with_evaluation() {
    let mut random = Random::new(7);
    let mut tables = 0;
    for _ in 0..300 {
        let mut pool = Pool::new();
        let widths = [1, 2, 3, 4].map(|most| 1 + random.below(most) as Width);
        let inputs: Vec<Expr> = (0..4)
            .map(|i| input(&mut pool, i, widths[i as usize]))
            .collect();
        let a = random_float(&mut pool, &mut random, &inputs, 3);
        let b = random_float(&mut pool, &mut random, &inputs, 1);
        let goal = pool.bin(BinOp::FLt, a, b);
        if pool.as_const(goal).is_some() {
            continue;
        }
        let result = match ask(&mut pool, &[], goal) {
            StageOutcome::Pass | StageOutcome::Split(_) => continue,
            StageOutcome::Answer(Answer::Unsat) => pool.bool(false),
            StageOutcome::Answer(_) => pool.bool(true),
            StageOutcome::Rewrite(_, goal) => goal,
        };
        tables += 1;
        let total: Width = widths.iter().sum();
        for mut point in 0..1u128 << total {
            let mut assignment = Assignment::default();
            for (x, width) in inputs.iter().zip(widths) {
                assignment.set(var(&pool, *x), point & mask(width));
                point >>= width;
            }
            let [before, after] = [goal, result].map(|e| pool.eval(e, &assignment, &NoAddresses));
            assert_eq!(before, after);
        }
    }
    assert!(tables > 150, "{tables} tables");
}
