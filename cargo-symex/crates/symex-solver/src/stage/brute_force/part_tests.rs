use super::tests::with_query;
use super::*;

use crate::stage::test_queries::{input, var};
use symex_terms::{Assignment, BinOp, NoAddresses};

/// Returns the upper and lower half of the product of a word and a constant, combined.
fn folded(pool: &mut Pool, x: Expr) -> Expr {
    let by = pool.constant(128, 0xa076_1d64_78bd_642f);
    let wide = pool.zext(x, 128);
    let product = pool.bin(BinOp::Mul, wide, by);
    let (high, low) = (pool.extract(product, 64, 64), pool.extract(product, 0, 64));
    pool.bin(BinOp::Xor, high, low)
}

/// Asks for a search after a glance that brought nothing.
fn ask_again(
    stage: &mut BruteForce,
    pool: &mut Pool,
    (constraints, goal): (&[Expr], Expr),
    hint: &Assignment,
) -> StageOutcome {
    with_query(constraints, goal, hint, |query| {
        assert!(matches!(stage.before(pool, query), StageOutcome::Pass));
        stage.after_glance(pool, query)
    })
}

#[test]
fn a_part_of_too_many_values_is_searched() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let seed = input(pool, 0, 64);
    let once = folded(pool, seed);
    let twice = folded(pool, once);
    let mixed = pool.extract(twice, 7, 20);
    let by = pool.constant(20, 0x1_2345);
    let goal = pool.eq(mixed, by);
    let mut stage = BruteForce::default();
    stage.bound(&InterruptHandle::new(), None, Duration::from_secs(10));
    let none = Assignment::default();
    match ask_again(&mut stage, pool, (&[], goal), &none) {
        StageOutcome::Answer(Answer::Sat(found)) => {
            assert_eq!(pool.eval(goal, &found, &NoAddresses), 1)
        }
        _ => panic!("no answer"),
    }

    // More inputs than are varied, of which the last ones keep their values.
    let letters: Vec<Expr> = (0..12).map(|part| input(pool, part + 1, 8)).collect();
    let mut constraints = Vec::new();
    let mut hint = Assignment::default();
    let mut sum = seed;
    for letter in &letters {
        let [least, most] = [b'a', b'z'].map(|byte| pool.constant(8, u128::from(byte)));
        constraints.push(pool.bin(BinOp::ULe, least, *letter));
        constraints.push(pool.bin(BinOp::ULe, *letter, most));
        hint.set(var(pool, *letter), u128::from(b'q'));
        let wide = pool.zext(*letter, 64);
        let xored = pool.bin(BinOp::Xor, sum, wide);
        sum = folded(pool, xored);
    }
    let mixed = pool.extract(sum, 9, 16);
    let by = pool.constant(16, 0xabcd);
    let goal = pool.eq(mixed, by);
    match ask_again(&mut stage, pool, (&constraints, goal), &hint) {
        StageOutcome::Answer(Answer::Sat(found)) => {
            for constraint in &constraints {
                assert_eq!(pool.eval(*constraint, &found, &NoAddresses), 1);
            }
            assert_eq!(pool.eval(goal, &found, &NoAddresses), 1);
            assert_eq!(found.get(var(pool, letters[11])), u128::from(b'q'));
        }
        _ => panic!("no answer"),
    }
}

#[test]
fn a_part_of_the_values_proves_nothing_and_gets_less_each_time() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 64), input(pool, 1, 64));
    let square = pool.bin(BinOp::Mul, x, x);
    let turned = pool.bin(BinOp::Xor, square, y);
    let again = pool.bin(BinOp::Xor, turned, y);
    let two = pool.constant(64, 2);
    let no_square = pool.eq(again, two);
    let less = pool.ult(y, x);
    let mut stage = BruteForce::default();
    stage.bound(&InterruptHandle::new(), None, Duration::from_secs(1));
    let none = Assignment::default();
    let mut last = u64::MAX;
    for _ in 0..3 {
        let before = stage.work();
        let outcome = ask_again(&mut stage, pool, (&[less], no_square), &none);
        assert!(matches!(outcome, StageOutcome::Pass));
        let work = stage.work() - before;
        assert!(work > 0 && work < last / 2, "{work} after {last}");
        last = work;
    }
}
