//! Tests of queries in digits against enumeration.

use super::*;
use crate::Purpose;
use crate::stage::test_queries::{self, input, var};
use symex_terms::{BinOp, Kind, NoAddresses, Width, mask};
use symex_types::splitmix::Random;

/// Makes an operation with a constant.
fn by(pool: &mut Pool, op: BinOp, e: Expr, c: i128) -> Expr {
    let width = pool.width(e);
    let c = pool.constant(width, c as u128 & mask(width));
    pool.bin(op, e, c)
}

/// Makes `x.div_euclid(c)` and `x.rem_euclid(c)` as the standard library computes them.
fn euclid(pool: &mut Pool, x: Expr, c: i128) -> [Expr; 2] {
    let quotient = by(pool, BinOp::SDiv, x, c);
    let rest = by(pool, BinOp::SRem, x, c);
    let negative = pool.extract(rest, pool.width(x) - 1, 1);
    let below = by(pool, BinOp::Add, quotient, -1);
    let above = by(pool, BinOp::Add, rest, c);
    [
        pool.ite(negative, below, quotient),
        pool.ite(negative, above, rest),
    ]
}

/// Draws a quotient, a remainder or the number itself, of an input as a signed or unsigned number.
fn part(pool: &mut Pool, random: &mut Random, x: Expr, divisors: &[i128]) -> Expr {
    let signed = random.below(2) == 0;
    let mut e = match signed {
        true => pool.sext(x, 16),
        false => pool.zext(x, 16),
    };
    if random.below(2) == 0 {
        let offset = i128::from(random.below(600)) - if signed { 300 } else { 0 };
        e = by(pool, BinOp::Add, e, offset);
    }
    if random.below(6) == 0 {
        e = x;
    }
    for _ in 0..1 + random.below(3) {
        let c = divisors[random.below(divisors.len() as u64) as usize];
        e = match random.below(8) {
            0 => by(pool, BinOp::UDiv, e, c),
            1 => by(pool, BinOp::URem, e, c),
            2 => by(pool, BinOp::SDiv, e, c),
            3 => by(pool, BinOp::SRem, e, c),
            4 => euclid(pool, e, c)[0],
            5 => euclid(pool, e, c)[1],
            6 => e,
            _ => by(pool, BinOp::Mul, e, c),
        };
    }
    e
}

fn condition(pool: &mut Pool, random: &mut Random, x: Expr, divisors: &[i128]) -> Expr {
    let (a, b) = (
        part(pool, random, x, divisors),
        part(pool, random, x, divisors),
    );
    let width: Width = 20;
    let (a, b) = (pool.sext(a, width), pool.sext(b, width));
    let c = pool.constant(width, u128::from(random.below(40)));
    use BinOp::*;
    let op = [Eq, ULt, ULe, SLt, SLe][random.below(5) as usize];
    let e = match random.below(3) {
        0 => pool.bin(op, a, b),
        1 => pool.bin(op, a, c),
        _ => pool.bin(op, c, a),
    };
    match random.below(3) {
        0 => pool.not(e),
        _ => e,
    }
}

/// Reports whether all conditions hold for values.
fn all_hold(pool: &mut Pool, conditions: &[Expr], assignment: &Assignment) -> bool {
    let mut all = conditions.iter();
    all.all(|c| pool.eval(*c, assignment, &NoAddresses) == 1)
}

#[test]
fn queries_in_digits_have_the_same_solutions() {
    let mut random = Random::new(31);
    let (mut split, mut answered) = (0, 0);
    let families: [&[i128]; 4] = [&[3, 6, 12], &[10, 100], &[7], &[5, 4, 20, 60]];
    for round in 0..4_000 {
        let mut pool = Pool::new();
        let width = 7 + random.below(3) as Width;
        let x = input(&mut pool, 0, width);
        let x_var = var(&pool, x);
        let divisors = families[round % families.len()];
        let mut conditions = Vec::new();
        while conditions.len() < 2 + round % 3 {
            let c = condition(&mut pool, &mut random, x, divisors);
            if pool.as_const(c).is_none() {
                conditions.push(c);
            }
        }
        let goal = conditions.pop().expect("two or more");
        let hint = Assignment::default();
        let query = Query {
            constraints: &conditions,
            goal,
            addresses: &NoAddresses,
            hint: &hint,
            purpose: Purpose::Branch,
        };
        let mut stage = MixedRadix::default();
        let Some(digits) = stage.split(&mut pool, &query) else {
            continue;
        };
        split += 1;
        let mut all = conditions.clone();
        all.push(goal);
        let mut all_in_digits = digits.constraints.clone();
        all_in_digits.push(digits.goal);
        let mut exists = false;
        for n in 0..1u128 << width {
            let mut assignment = Assignment::default();
            assignment.set(x_var, n);
            let expected = all_hold(&mut pool, &all, &assignment);
            exists |= expected;
            digits.splits.iter().for_each(|s| s.add_to(&mut assignment));
            let got = all_hold(&mut pool, &all_in_digits, &assignment);
            assert_eq!(got, expected, "{n}: {all:?} and {all_in_digits:?}");
            let Answer::Sat(joined) = digits.join(Answer::Sat(assignment)) else {
                unreachable!("joined from one that is satisfiable");
            };
            assert_eq!(joined.get(x_var), n);
        }
        // No digits but those of a number.
        let vars = Query {
            constraints: &digits.constraints,
            goal: digits.goal,
            ..query
        }
        .vars(&pool);
        let widths: Vec<Width> = vars.iter().map(|v| pool.var_info(*v).width).collect();
        let bits: Width = widths.iter().sum();
        for n in (0..1u128 << bits).take(1 << 13) {
            let mut assignment = Assignment::default();
            let mut rest = n;
            for (v, width) in vars.iter().zip(&widths) {
                assignment.set(*v, rest & mask(*width));
                rest >>= width;
            }
            if all_hold(&mut pool, &all_in_digits, &assignment) {
                let Answer::Sat(joined) = digits.join(Answer::Sat(assignment)) else {
                    unreachable!("joined from one that is satisfiable");
                };
                assert!(all_hold(&mut pool, &all, &joined), "{all:?}");
            }
        }
        match stage.before(&mut pool, &query) {
            StageOutcome::Answer(Answer::Sat(_)) => assert!(exists, "{all:?}"),
            StageOutcome::Answer(_) => assert!(!exists, "{all:?}"),
            _ => continue,
        }
        answered += 1;
    }
    assert!(split > 1_000 && answered > 600, "{split} {answered}");
}

/// Makes days since 1970 as year, month and day: `(year, month, day)` of the proleptic Gregorian
/// calendar, in 64 bits [Hinnant, chrono-compatible low-level date algorithms].
fn civil(pool: &mut Pool, days: Expr) -> [Expr; 3] {
    use BinOp::*;
    let z = by(pool, Add, days, 719_468);
    let [era, of_era] = euclid(pool, z, 146_097);
    let sub = |pool: &mut Pool, a, op, b, c| {
        let b = by(pool, op, b, c);
        pool.sub(a, b)
    };
    let mut e = sub(pool, of_era, UDiv, of_era, 1_460);
    let centuries = by(pool, UDiv, of_era, 36_524);
    e = pool.add(e, centuries);
    e = sub(pool, e, UDiv, of_era, 146_096);
    let year_of_era = by(pool, UDiv, e, 365);
    let four_hundred = by(pool, Mul, era, 400);
    let year = pool.add(year_of_era, four_hundred);
    let mut day = sub(pool, of_era, Mul, year_of_era, 365);
    day = sub(pool, day, UDiv, year_of_era, 4);
    let centuries = by(pool, UDiv, year_of_era, 100);
    day = pool.add(day, centuries);
    let five = by(pool, Mul, day, 5);
    let shifted = by(pool, Add, five, 2);
    let month = by(pool, UDiv, shifted, 153);
    let before = by(pool, Mul, month, 153);
    let before = by(pool, Add, before, 2);
    let before = by(pool, UDiv, before, 5);
    [year, month, pool.sub(day, before)]
}

#[test]
fn dates_are_split_into_eras() {
    let mut pool = Pool::new();
    let days = input(&mut pool, 0, 32);
    let wide = pool.sext(days, 64);
    let [_, month, _] = civil(&mut pool, wide);
    let twelve = pool.constant(64, 12);
    let goal = pool.ule(twelve, month);
    let outcome = test_queries::ask(&mut MixedRadix::default(), &mut pool, &[], goal);
    let StageOutcome::Split(digits) = outcome else {
        panic!("not split");
    };
    // What is asked depends on the day of an era alone.
    let [symex_terms::Symbol::Var(day)] = pool.support(digits.goal) else {
        panic!("{:?}", pool.support(digits.goal));
    };
    assert_eq!(pool.var_info(*day).width, 18);
}

#[test]
fn what_was_taken_apart_is_put_together() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 32);
    let x = pool.zext(x, 64);
    let units = [31_557_600, 2_630_016];
    let (mut rest, mut sum) = (x, pool.constant(64, 0));
    for unit in units {
        let count = by(&mut pool, BinOp::UDiv, rest, unit);
        // As two digits in a byte each.
        let [tens, ones] = [BinOp::UDiv, BinOp::URem].map(|op| {
            let digit = by(&mut pool, op, count, 10);
            let byte = pool.extract(digit, 0, 8);
            pool.zext(byte, 64)
        });
        let tens = by(&mut pool, BinOp::Mul, tens, 10);
        let count = pool.add(tens, ones);
        let seconds = by(&mut pool, BinOp::Mul, count, unit);
        sum = pool.add(sum, seconds);
        rest = by(&mut pool, BinOp::URem, rest, unit);
    }
    sum = pool.add(sum, rest);
    let same = pool.eq(sum, x);
    let goal = pool.not(same);
    assert!(!matches!(pool.kind(goal), Kind::Const(_)));
    let outcome = test_queries::ask(&mut MixedRadix::default(), &mut pool, &[], goal);
    assert!(test_queries::is_unsat(&outcome));
}
