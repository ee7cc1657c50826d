//! Tests of queries on many inputs whose goals are about few of them.

use super::*;
use crate::Purpose;
use crate::stage::test_queries::{input, var};
use symex_terms::{Assignment, BinOp, NoAddresses};
use symex_types::splitmix::Random;

/// Mixes two bytes to a word.
fn mixed(pool: &mut Pool, random: &mut Random, [a, b]: [Expr; 2]) -> Expr {
    let word = pool.concat(a, b);
    let odd = pool.constant(16, u128::from(random.below(1 << 16) | 1));
    let word = pool.bin(BinOp::Mul, word, odd);
    let any = pool.constant(16, u128::from(random.bits() & 0xffff));
    let word = pool.bin(BinOp::Xor, word, any);
    let seven = pool.constant(16, 7);
    let high = pool.bin(BinOp::LShr, word, seven);
    pool.bin(BinOp::Xor, word, high)
}

#[test]
fn goals_on_few_inputs_are_decided_by_these() {
    let mut random = Random::new(8);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..60 {
        let mut pool = Pool::new();
        let inputs: Vec<Expr> = (0..10).map(|n| input(&mut pool, n, 8)).collect();
        let vars: Vec<Var> = inputs.iter().map(|x| var(&pool, *x)).collect();
        let [a, b] = [inputs[0], inputs[1]];
        // All are tied to the next one: there are far too many values.
        let mut constraints: Vec<Expr> = inputs
            .windows(2)
            .map(|pair| pool.ule(pair[0], pair[1]))
            .collect();
        let mut words = Vec::new();
        for _ in 0..2 {
            words.push(mixed(&mut pool, &mut random, [a, b]));
        }
        let bound = pool.constant(16, u128::from(random.below(600)));
        constraints.push(pool.ult(words[0], bound));
        let wanted = pool.constant(16, u128::from(random.below(600)));
        let goal = pool.ult(words[1], wanted);
        if pool.as_const(goal).is_some() || pool.as_const(constraints[9]).is_some() {
            continue;
        }
        // The others are as large as can be, or less, so that some of the two's values do not fit.
        let mut hint = Assignment::default();
        let others = [90, 255][random.below(2) as usize];
        vars.iter().skip(2).for_each(|var| hint.set(*var, others));
        let query = Query {
            constraints: &constraints,
            goal,
            addresses: &NoAddresses,
            hint: &hint,
            purpose: Purpose::Branch,
        };
        let outcome = BruteForce::default().before(&mut pool, &query);
        let mut exists = false;
        for n in 0..1u128 << 16 {
            let mut values = hint.clone();
            // As the others could be, too.
            vars.iter().skip(2).for_each(|var| values.set(*var, 255));
            values.set(vars[0], n >> 8);
            values.set(vars[1], n & 255);
            exists |= query.holds(&mut pool, &values);
        }
        match &outcome {
            StageOutcome::Answer(Answer::Sat(found)) => {
                assert!(query.holds(&mut pool, found));
                sat += 1;
            }
            StageOutcome::Answer(Answer::Unsat) => {
                assert!(!exists, "{constraints:?} {goal:?}");
                unsat += 1;
            }
            _ => {}
        }
    }
    assert!(sat > 12 && unsat > 6, "{sat} {unsat}");
}
