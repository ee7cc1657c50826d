//! Tests of the linear stage.

use super::super::test_queries::{ask, input, is_unsat};
use super::*;
use symex_terms::{Assignment, NoAddresses, mask};
use symex_types::splitmix::Random;

/// Asks a fresh stage.
fn is_refuted(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> bool {
    is_unsat(&ask(&mut Linear, pool, constraints, goal))
}

#[test]
fn what_was_found_to_be_there_can_be_subtracted() {
    let mut pool = Pool::new();
    let inputs = [0, 1, 2, 3].map(|at| input(&mut pool, at, 32));
    let [start, a, b, c] = inputs.map(|x| pool.zext(x, 64));
    let mut constraints = Vec::new();
    let mut balance = start;
    for amount in [a, b] {
        constraints.push(pool.ule(amount, balance));
        balance = pool.sub(balance, amount);
    }
    // It does not wrap.
    let wrapped = pool.ult(start, balance);
    assert!(is_refuted(&mut pool, &constraints, wrapped));
    let sum = pool.add(balance, c);
    let overflow = pool.ult(sum, c);
    assert!(is_refuted(&mut pool, &constraints, overflow));
    // Nothing says that there is more.
    let less = pool.ult(balance, c);
    assert!(!is_refuted(&mut pool, &constraints, less));
    assert!(!is_refuted(&mut pool, &constraints[1..], wrapped));
    // What was taken away and what is left is what was there.
    let taken = pool.add(a, b);
    let all = pool.add(balance, taken);
    let differs = pool.ne(all, start);
    assert!(pool.as_const(differs) == Some(0) || is_refuted(&mut pool, &constraints, differs));
}

#[test]
fn signed_sums_of_wider_numbers_are_exact() {
    let mut pool = Pool::new();
    let inputs = [0, 1, 2].map(|at| input(&mut pool, at, 32));
    let [a, b, c] = inputs.map(|x| pool.sext(x, 64));
    let (sum, chain) = (
        pool.add(a, b),
        [pool.bin(BinOp::SLt, a, c), pool.bin(BinOp::SLt, b, a)],
    );
    let twice = pool.add(c, c);
    let goal = pool.bin(BinOp::SLe, twice, sum);
    assert!(is_refuted(&mut pool, &chain, goal));
    assert!(!is_refuted(&mut pool, &chain[..1], goal));
}

/// Makes a sum of random terms of a few bits.
fn random_sum(pool: &mut Pool, inputs: &[Expr], random: &mut Random) -> Expr {
    let mut sum = pool.constant(WIDTH, u128::from(random.below(1 << WIDTH)));
    for _ in 0..=random.below(3) {
        let x = inputs[random.below(inputs.len() as u64) as usize];
        let narrow = pool.width(x) < WIDTH;
        let x = match random.below(2) {
            _ if !narrow => x,
            0 => pool.zext(x, WIDTH),
            _ => pool.sext(x, WIDTH),
        };
        let factor = pool.constant(WIDTH, u128::from(random.below(4)));
        let x = match random.below(4) {
            0 => pool.bin(BinOp::Mul, x, factor),
            _ => x,
        };
        sum = match random.below(2) {
            0 => pool.add(sum, x),
            _ => pool.sub(sum, x),
        };
    }
    sum
}

/// Width of the sums.
const WIDTH: Width = 5;

/// What is refuted has no solution among all values of the inputs.
#[test]
fn random_queries_are_refuted_only_if_no_values_satisfy_them() {
    const QUERIES: usize = 6_000;
    let mut random = Random::new(0x5eed);
    let (mut refuted, mut unsatisfiable) = (0, 0);
    for number in 0..QUERIES {
        let mut pool = Pool::new();
        let widths: [Width; 3] = [3, 3, WIDTH];
        let inputs: Vec<Expr> = (0..3)
            .map(|at| input(&mut pool, at, widths[at as usize]))
            .collect();
        let mut conditions = Vec::new();
        for _ in 0..2 + random.below(3) {
            let a = random_sum(&mut pool, &inputs, &mut random);
            let b = match random.below(3) {
                0 => random_sum(&mut pool, &inputs, &mut random),
                1 => pool.constant(WIDTH, u128::from(random.below(1 << WIDTH))),
                _ => {
                    let x = inputs[random.below(3) as usize];
                    match pool.width(x) < WIDTH {
                        true => pool.zext(x, WIDTH),
                        false => x,
                    }
                }
            };
            conditions.push(match random.below(6) {
                0 => pool.ult(a, b),
                1 => pool.ule(a, b),
                2 => pool.bin(BinOp::SLt, a, b),
                3 => pool.bin(BinOp::SLe, a, b),
                4 => pool.eq(a, b),
                _ => pool.ne(a, b),
            });
        }
        let goal = conditions.pop().expect("at least two");
        let is_refuted = is_refuted(&mut pool, &conditions, goal);
        conditions.push(goal);
        let all = 1u32 << widths.iter().sum::<Width>();
        let solution = (0..all).find(|values| {
            let mut assignment = Assignment::default();
            let mut rest = *values;
            for (x, width) in inputs.iter().zip(widths) {
                let Kind::Var(var) = pool.kind(*x) else {
                    unreachable!("it is an input")
                };
                assignment.set(var, u128::from(rest) & mask(width));
                rest >>= width;
            }
            conditions
                .iter()
                .all(|c| pool.eval(*c, &assignment, &NoAddresses) == 1)
        });
        if let Some(values) = solution {
            assert!(!is_refuted, "query {number} holds for {values:#x}");
        } else {
            unsatisfiable += 1;
            refuted += usize::from(is_refuted);
        }
    }
    // Most of the others wrap, and have no solution since few values are left.
    assert!(refuted * 8 > unsatisfiable, "{refuted} of {unsatisfiable}");
}

#[test]
fn a_long_chain_of_differences_is_followed() {
    let mut pool = Pool::new();
    let inputs: Vec<Expr> = (0..9).map(|at| input(&mut pool, at, 32)).collect();
    let mut wide = inputs
        .iter()
        .map(|x| pool.zext(*x, 64))
        .collect::<Vec<_>>()
        .into_iter();
    let mut balance = wide.next().expect("nine inputs");
    let (mut sum, mut constraints) = (balance, Vec::new());
    for (at, amount) in wide.enumerate() {
        if at % 3 == 0 {
            balance = pool.add(balance, amount);
            sum = pool.add(sum, amount);
            continue;
        }
        constraints.push(pool.ule(amount, balance));
        balance = pool.sub(balance, amount);
    }
    let wrapped = pool.ult(sum, balance);
    assert!(is_refuted(&mut pool, &constraints, wrapped));
    assert!(!is_refuted(&mut pool, &constraints[1..], wrapped));
}
