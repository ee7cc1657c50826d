//! Tests of queries on few of many inputs against enumeration.

use super::*;
use crate::stage::test_queries::{input, var};
use crate::{Purpose, Query};
use symex_terms::{Assignment, BinOp, NoAddresses};
use symex_types::splitmix::Random;

/// Width of an input.
const BITS: Width = 3;
/// Number of inputs.
const INPUTS: usize = 4;

/// Makes a term of some inputs: a word of them, looked up in a table or not, and computed with.
fn word(pool: &mut Pool, random: &mut Random, of: &[Expr]) -> Expr {
    let mut word = of[0];
    for other in &of[1..] {
        word = pool.concat(word, *other);
    }
    let index = pool.zext(word, 64);
    let length = 1usize << pool.width(word);
    let step = 1 + random.below(3) as usize;
    let elements = (0..length).map(|at| {
        let sorted = (at / step) as u128;
        let any = u128::from(random.below(64));
        pool.constant(9, if step == 3 { any } else { sorted })
    });
    let elements: Vec<Expr> = elements.collect();
    let table = pool.table(elements.into());
    match random.below(3) {
        0 => pool.zext(word, 9),
        1 => pool.select(table, index),
        _ => {
            let (read, word) = (pool.select(table, index), pool.zext(word, 9));
            let factor = pool.constant(9, u128::from(3 + 2 * random.below(20)));
            let product = pool.bin(BinOp::Mul, word, factor);
            pool.bin(BinOp::Xor, read, product)
        }
    }
}

/// Makes a condition on some inputs.
fn condition(pool: &mut Pool, random: &mut Random, of: &[Expr]) -> Expr {
    let word = word(pool, random, of);
    let bound = pool.constant(9, u128::from(random.below(64)));
    let e = match random.below(3) {
        0 => pool.eq(word, bound),
        1 => pool.ult(word, bound),
        _ => pool.ult(bound, word),
    };
    match random.below(3) {
        0 => pool.not(e),
        _ => e,
    }
}

/// Draws neighbouring inputs, up to three.
fn some<'a>(random: &mut Random, inputs: &'a [Expr]) -> &'a [Expr] {
    let count = 1 + random.below(3) as usize;
    let first = random.below((INPUTS - count + 1) as u64) as usize;
    &inputs[first..first + count]
}

/// Returns the values of all inputs under which all conditions hold.
fn solutions(pool: &mut Pool, vars: &[Var], conditions: &[Expr]) -> Vec<Assignment> {
    let mut found = Vec::new();
    for n in 0..1u128 << (BITS as usize * vars.len()) {
        let mut assignment = Assignment::default();
        for (at, var) in vars.iter().enumerate() {
            assignment.set(*var, n >> (BITS as usize * at) & 7);
        }
        if conditions
            .iter()
            .all(|c| pool.eval(*c, &assignment, &NoAddresses) == 1)
        {
            found.push(assignment);
        }
    }
    found
}

#[test]
fn answers_are_those_of_enumeration() {
    let mut random = Random::new(5);
    let (mut sat, mut unsat, mut passed) = (0, 0, 0);
    for _ in 0..60 {
        let mut pool = Pool::new();
        let inputs: Vec<Expr> = (0..INPUTS as u32)
            .map(|n| input(&mut pool, n, BITS))
            .collect();
        let vars: Vec<Var> = inputs.iter().map(|x| var(&pool, *x)).collect();
        let mut stage = ValueLists::default();
        // A path, which forks at each condition.
        let mut path: Vec<Expr> = Vec::new();
        let mut hint = Assignment::default();
        for _ in 0..12 {
            let of = some(&mut random, &inputs);
            let goal = condition(&mut pool, &mut random, of);
            if pool.as_const(goal).is_some() {
                continue;
            }
            let query = Query {
                constraints: &path,
                goal,
                addresses: &NoAddresses,
                hint: &hint,
                purpose: Purpose::Branch,
            };
            let outcome = stage.before(&mut pool, &query);
            let all = [&path[..], &[goal]].concat();
            let expected = solutions(&mut pool, &vars, &all);
            match outcome {
                StageOutcome::Answer(Answer::Sat(found)) => {
                    sat += 1;
                    assert!(query.holds(&mut pool, &found), "{all:?}");
                }
                StageOutcome::Answer(Answer::Unsat) => {
                    unsat += 1;
                    assert!(expected.is_empty(), "{all:?}");
                }
                _ => passed += 1,
            }
            let taken = match expected.first() {
                Some(_) if random.below(3) > 0 => goal,
                _ => pool.not(goal),
            };
            path.push(taken);
            match solutions(&mut pool, &vars, &path).first() {
                Some(found) => hint = found.clone(),
                None => {
                    path.pop();
                }
            }
        }
    }
    assert!(sat > 160 && unsat > 80, "{sat} {unsat}");
    assert!(passed < (sat + unsat) / 20, "{sat} {unsat} {passed}");
}

#[test]
fn a_long_list_is_not_made() {
    let mut pool = Pool::new();
    let inputs: Vec<Expr> = (0..3).map(|n| input(&mut pool, n, 8)).collect();
    let word = pool.concat(inputs[0], inputs[1]);
    let word = pool.concat(word, inputs[2]);
    let odd = pool.constant(24, 0x9e3779);
    let product = pool.bin(BinOp::Mul, word, odd);
    let wanted = pool.constant(24, 77);
    let goal = pool.eq(product, wanted);
    let ask = |pool: &mut Pool, stage: &mut ValueLists, constraints: &[Expr]| {
        crate::stage::test_queries::ask(stage, pool, constraints, goal)
    };
    let mut stage = ValueLists::default();
    let outcome = ask(&mut pool, &mut stage, &[]);
    assert!(matches!(outcome, StageOutcome::Pass));
    // Of few values there is one.
    let few = pool.constant(8, 16);
    let constraints: Vec<Expr> = inputs.iter().map(|x| pool.ult(*x, few)).collect();
    let outcome = ask(&mut pool, &mut stage, &constraints);
    assert!(!matches!(outcome, StageOutcome::Pass));
}
