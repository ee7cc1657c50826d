//! Tests of sets, formulas and answers against enumeration.

use super::number_set::{Fold, NumberSet};
use super::periodic::Periodic;
use super::search::CongruenceSearch;
use super::view::Word;
use super::*;
use crate::stage::test_queries::{self, input, var};
use symex_terms::{Assignment, BinOp, NoAddresses, mask};
use symex_types::splitmix::Random;

/// Draws a set of a few ranges, of numbers below 100 or so.
fn set(random: &mut Random) -> Periodic {
    let mut number = |below| u128::from(random.below(below));
    let period = 1 + number(60);
    let mut ranges = Vec::new();
    for _ in 0..1 + number(3) {
        let (a, b) = (number(period as u64 + 1), number(period as u64 + 1));
        ranges.push((a.min(b), a.max(b)));
    }
    match number(3) {
        0 => Periodic::once(ranges),
        _ => Periodic::every(period, ranges),
    }
    .expect("few ranges")
}

/// An inverse image, and the predicate that it must equal: `None` for numbers that do not matter.
type Image<'a> = (Option<NumberSet>, &'a dyn Fn(u128) -> Option<bool>);

/// Checks inverse images of a set under operations with a number. Only the first, that of a
/// product, may have too many ranges.
fn check_images(set: &dyn std::fmt::Debug, c: u128, images: &[Image<'_>]) {
    for (i, (image, expected)) in images.iter().enumerate() {
        let Some(image) = image else {
            assert!(i == 0, "operation {i} of {set:?} with {c}");
            continue;
        };
        for n in 0..400 {
            if let Some(expected) = expected(n) {
                let has = image.at(n).0;
                assert_eq!(has, expected, "operation {i} of {set:?} with {c}: {n}");
            }
        }
    }
}

#[test]
fn inverse_images_of_sets_are_those_of_their_numbers() {
    let mut random = Random::new(11);
    for _ in 0..3_000 {
        let s = set(&mut random);
        let c = 1 + u128::from(random.below(40));
        let has = |n| s.at(n).0;
        let end = 1 + u128::from(random.below(150));
        let of = |image: Option<Periodic>| image.map(NumberSet::Periodic);
        let images: [Image; 8] = [
            (of(s.of_product(c)), &|n| Some(has(n * c))),
            (of(s.of_quotient(c)), &|n| Some(has(n / c))),
            (of(s.of_remainder(c)), &|n| Some(has(n % c))),
            (of(s.of_sum(c)), &|n| Some(has(n + c))),
            (of(s.of_difference(c)), &|n| Some(has(n.checked_sub(c)?))),
            (of(s.of_reflection(c)), &|n| Some(has(c.checked_sub(n)?))),
            (of(s.below(end)), &|n| (n < end).then(|| has(n))),
            (of(s.complement(end)), &|n| {
                (n < end || s.period().is_some()).then(|| !has(n))
            }),
        ];
        check_images(&(&s, end), c, &images);
    }
}

#[test]
fn the_next_edge_is_the_next_number_of_another_kind() {
    let mut random = Random::new(12);
    for _ in 0..2_000 {
        let s = set(&mut random);
        let from = u128::from(random.below(200));
        let (inside, edge) = s.at(from);
        let next = (from..from + 300).find(|n| s.at(*n).0 != inside);
        assert_eq!(edge, next, "{s:?} from {from}");
    }
}

#[test]
fn intersections_hold_the_common_numbers() {
    let mut random = Random::new(13);
    let mut met = 0;
    for _ in 0..5_000 {
        let (a, b) = (set(&mut random), set(&mut random));
        let end = 1 + u128::from(random.below(8_000));
        let Some(both) = a.intersection(&b, end, 8) else {
            continue;
        };
        met += 1;
        for n in 0..end {
            let expected = a.at(n).0 && b.at(n).0;
            assert_eq!(both.at(n).0, expected, "{a:?} and {b:?} at {n}: {both:?}");
        }
    }
    assert!(met > 500, "{met}");
}

/// Draws a set that is folded up to three times.
fn nested(random: &mut Random) -> NumberSet {
    let mut nested = NumberSet::Periodic(set(random));
    for _ in 0..1 + random.below(3) {
        let mut number = |below| u128::from(random.below(below));
        let (addend, divisor, modulus) = (number(90), 1 + number(4), 1 + number(60));
        let fold = Fold::new(addend, divisor, modulus, nested.into());
        nested = NumberSet::Folded(fold.expect("small blocks"));
    }
    nested
}

#[test]
fn inverse_images_of_folded_sets_are_those_of_their_numbers() {
    let mut random = Random::new(16);
    for _ in 0..3_000 {
        let s = nested(&mut random);
        let c = 1 + u128::from(random.below(40));
        let has = |n| s.at(n).0;
        let images: [Image; 6] = [
            (s.of_product(c), &|n| Some(has(n * c))),
            (s.of_quotient(c), &|n| Some(has(n / c))),
            (s.of_remainder(c), &|n| Some(has(n % c))),
            (s.of_sum(c), &|n| Some(has(n + c))),
            (s.of_difference(c), &|n| Some(has(n.checked_sub(c)?))),
            (s.complement(400), &|n| Some(!has(n))),
        ];
        check_images(&s, c, &images);
    }
}

#[test]
fn folded_sets_say_where_they_change_and_repeat() {
    let mut random = Random::new(17);
    let (mut cuts, mut repeated) = (0, 0);
    for _ in 0..3_000 {
        let s = nested(&mut random);
        let lo = u128::from(random.below(500));
        let hi = lo + 1 + u128::from(random.below(200));
        let has = |n| s.at(n).0;
        let (inside, edge) = s.at(lo);
        let same = lo..edge.unwrap_or(lo + 300).min(lo + 300);
        assert!(edge.is_none_or(|edge| edge > lo), "{s:?} from {lo}");
        assert!(
            same.into_iter().all(|n| has(n) == inside),
            "{s:?} from {lo}"
        );
        if let Some(cut) = s.cut(lo, hi) {
            assert!(cut > lo, "{s:?} from {lo} to {hi}");
            cuts += 1;
        } else {
            assert!(
                (lo..hi).all(|n| has(n) == inside),
                "{s:?} from {lo} to {hi}"
            );
        }
        if let Some(period) = s.period(lo, hi) {
            let again = (lo..hi).take_while(|n| n + period < hi);
            for n in again {
                assert_eq!(has(n), has(n + period), "{s:?} from {lo} to {hi}: {n}");
                repeated += 1;
            }
        }
    }
    assert!(cuts > 1_000 && repeated > 1_000, "{cuts} {repeated}");
}

/// Draws a term over `x` by operations with constants.
fn term(pool: &mut Pool, random: &mut Random, x: Expr, depth: u32) -> Expr {
    let mut e = x;
    for _ in 0..depth {
        let width = pool.width(e);
        let few = u128::from(random.below(24)) & mask(width);
        let any = match random.below(3) {
            0 => few,
            1 => mask(width) - few,
            _ => u128::from(random.bits()) & mask(width),
        };
        let c = pool.constant(width, any);
        let small = pool.constant(width, few.max(1));
        e = match random.below(16) {
            0 | 1 => pool.bin(BinOp::UDiv, e, small),
            2 | 3 => pool.bin(BinOp::URem, e, small),
            4 => pool.add(e, c),
            5 => pool.sub(c, e),
            6 => pool.bin(BinOp::Mul, e, small),
            7 => pool.bin(BinOp::LShr, e, small),
            8 => pool.bin(BinOp::Shl, e, small),
            9 => {
                let lo = random.below(u64::from(width)) as u32;
                let len = 1 + random.below(u64::from(width - lo)) as u32;
                pool.extract(e, lo, len)
            }
            10 if width < 24 => pool.zext(e, width + 1 + random.below(8) as u32),
            11 if width < 24 => pool.sext(e, width + 1 + random.below(8) as u32),
            12 => {
                let cond = pool.ult(e, c);
                let other = pool.bin(BinOp::UDiv, e, small);
                pool.ite(cond, other, e)
            }
            13 if width <= 6 => {
                let elements: Vec<Expr> = (0..1 << width)
                    .map(|_| pool.constant(9, u128::from(random.below(512))))
                    .collect();
                let table = pool.table(elements.into());
                let index = pool.zext(e, 64);
                pool.select(table, index)
            }
            14 => {
                let low = pool.constant(3, any & 7);
                match width < 24 {
                    true => pool.concat(e, low),
                    false => e,
                }
            }
            _ => pool.bin(BinOp::SRem, e, small),
        };
    }
    e
}

/// Draws a condition over `x` that is not constant.
fn condition(pool: &mut Pool, random: &mut Random, x: Expr) -> Expr {
    loop {
        let e = any_condition(pool, random, x);
        if pool.as_const(e).is_none() {
            return e;
        }
    }
}

fn any_condition(pool: &mut Pool, random: &mut Random, x: Expr) -> Expr {
    let depth = 1 + random.below(5) as u32;
    let e = term(pool, random, x, depth);
    let width = pool.width(e);
    let c = pool.constant(width, u128::from(random.bits()) & mask(width));
    let low = pool.constant(width, u128::from(random.below(12)) & mask(width));
    let c = [c, low][random.below(2) as usize];
    use BinOp::*;
    let op = [Eq, ULt, ULe, SLt, SLe, ULt][random.below(6) as usize];
    let e = match random.below(2) {
        0 => pool.bin(op, e, c),
        _ => pool.bin(op, c, e),
    };
    match random.below(3) {
        0 => pool.not(e),
        1 => {
            let other = pool.eq(x, x);
            pool.and(e, other)
        }
        _ => e,
    }
}

#[test]
fn conditions_are_seen_as_what_they_are_or_as_less() {
    let mut random = Random::new(14);
    let (mut exact, mut more, mut open) = (0, 0, 0);
    for round in 0..4_000 {
        let mut pool = Pool::new();
        let width = 6 + random.below(6) as u32;
        let x = input(&mut pool, 0, width);
        let v = var(&pool, x);
        let c = condition(&mut pool, &mut random, x);
        let other = condition(&mut pool, &mut random, x);
        let c = match round % 4 {
            0 => pool.or(c, other),
            1 => pool.bin(BinOp::Xor, c, other),
            2 => {
                let (y, z) = (
                    term(&mut pool, &mut random, x, 3),
                    term(&mut pool, &mut random, x, 2),
                );
                let (y, z) = (pool.resize(y, 16), pool.resize(z, 16));
                let op = [BinOp::ULt, BinOp::SLe, BinOp::Eq][random.below(3) as usize];
                let compared = pool.bin(op, y, z);
                pool.and(compared, c)
            }
            _ => c,
        };
        if pool.as_const(c).is_some() {
            continue;
        }
        let words = Word::all(&pool, &[c]);
        let Some(formula) = words[0].see(&pool, c) else {
            open += 1;
            continue;
        };
        let mut assignment = Assignment::default();
        let mut same = true;
        for n in 0..1u128 << width {
            assignment.set(v, n);
            let expected = pool.eval(c, &assignment, &NoAddresses) == 1;
            let seen = CongruenceSearch::holds(&formula, n);
            assert!(seen || !expected, "{c:?} at {n}: {formula:?}");
            same &= seen == expected;
        }
        match same {
            true => exact += 1,
            false => more += 1,
        }
    }
    assert!(exact > more + open, "{exact} {more} {open}");
}

fn ask(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> Option<Answer> {
    match test_queries::ask(&mut Congruence::default(), pool, constraints, goal) {
        StageOutcome::Answer(answer) => Some(answer),
        _ => None,
    }
}

#[test]
fn answers_are_those_of_enumeration() {
    let mut random = Random::new(15);
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    for _ in 0..3_000 {
        let mut pool = Pool::new();
        let width = 8 + random.below(5) as u32;
        // One input, or two put together.
        let (x, parts) = match random.below(2) {
            0 => {
                let x = input(&mut pool, 0, width);
                (x, vec![x])
            }
            _ => {
                let (hi, lo) = (input(&mut pool, 0, width - 4), input(&mut pool, 1, 4));
                (pool.concat(hi, lo), vec![lo, hi])
            }
        };
        let mut conditions: Vec<Expr> = (0..2 + random.below(4))
            .map(|_| condition(&mut pool, &mut random, x))
            .collect();
        let goal = conditions.pop().expect("two or more");
        let mut assignment = Assignment::default();
        let mut exists = false;
        for n in 0..1u128 << width {
            let mut rest = n;
            for part in &parts {
                let (v, width) = (var(&pool, *part), pool.width(*part));
                assignment.set(v, rest & mask(width));
                rest >>= width;
            }
            let mut all = conditions.iter().chain([&goal]);
            exists |= all.all(|c| pool.eval(*c, &assignment, &NoAddresses) == 1);
        }
        match ask(&mut pool, &conditions, goal) {
            Some(Answer::Sat(_)) => {
                assert!(exists);
                sat += 1;
            }
            Some(Answer::Unsat) => {
                assert!(!exists, "{conditions:?} {goal:?}");
                unsat += 1;
            }
            _ => open += 1,
        }
    }
    assert!(sat > 300 && unsat > 300, "{sat} {unsat} {open}");
    assert!(sat + unsat > 1400, "{sat} {unsat} {open}");
}

/// Makes `x / divisor % modulus == value`.
fn digit(pool: &mut Pool, x: Expr, divisor: u128, modulus: u128, value: u128) -> Expr {
    let width = pool.width(x);
    let [divisor, modulus, value] = [divisor, modulus, value].map(|v| pool.constant(width, v));
    let quotient = pool.bin(BinOp::UDiv, x, divisor);
    let rest = pool.bin(BinOp::URem, quotient, modulus);
    pool.eq(rest, value)
}

#[test]
fn digits_of_a_long_number_are_found_from_either_end() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 64);
    let digits = [7, 3, 0, 9, 9, 1, 4, 2, 8, 5, 6, 6, 0, 1, 2, 3, 4, 7];
    let mut conditions: Vec<Expr> = (0u32..)
        .zip(digits)
        .map(|(i, d)| digit(&mut pool, x, 10u128.pow(i), 10, d))
        .collect();
    let goal = conditions.pop().expect("digits");
    let Some(Answer::Sat(found)) = ask(&mut pool, &conditions, goal) else {
        panic!("not found");
    };
    let value = found.get(var(&pool, x));
    assert_eq!(value % 10u128.pow(18), 743_210_665_824_199_037);
    // Two digits at one place.
    let twice = digit(&mut pool, x, 1_000_000, 10, 5);
    conditions.push(goal);
    assert!(matches!(
        ask(&mut pool, &conditions, twice),
        Some(Answer::Unsat)
    ));
}

#[test]
fn rare_numbers_of_two_periods_are_found_or_refuted() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 64);
    let a = digit(&mut pool, x, 1, 1_000_000_007, 5);
    let b = digit(&mut pool, x, 1, 998_244_353, 77);
    let Some(Answer::Sat(found)) = ask(&mut pool, &[a], b) else {
        panic!("not found");
    };
    let value = found.get(var(&pool, x));
    assert_eq!((value % 1_000_000_007, value % 998_244_353), (5, 77));
    // Multiples of 2^20 * 10^6 and of 10^6 + 1 more never meet.
    let a = digit(&mut pool, x, 1, 1_048_576_000_000, 0);
    let b = digit(&mut pool, x, 1, 3_000_000_000, 1);
    assert!(matches!(ask(&mut pool, &[a], b), Some(Answer::Unsat)));
}

#[test]
fn parts_of_remainders_are_found_where_no_divisor_divides_the_next() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 64);
    let by = |pool: &mut Pool, op, e, c| {
        let c = pool.constant(64, c);
        pool.bin(op, e, c)
    };
    // Seconds as years of 365.25 days, months of 30.44, days, hours, minutes and seconds.
    let units = [31_557_600, 2_630_016, 86_400, 3_600, 60];
    let values = [583, 7, 29, 23, 59, 58];
    let mut conditions = Vec::new();
    let mut rest = x;
    for (unit, value) in units.into_iter().zip(values) {
        let count = by(&mut pool, BinOp::UDiv, rest, unit);
        let value = pool.constant(64, value);
        conditions.push(pool.eq(count, value));
        rest = by(&mut pool, BinOp::URem, rest, unit);
    }
    let seconds = pool.constant(64, values[5]);
    let goal = pool.eq(rest, seconds);
    let expected = (units.iter().zip(values)).fold(values[5], |sum, (unit, v)| sum + unit * v);
    let Some(Answer::Sat(found)) = ask(&mut pool, &conditions, goal) else {
        panic!("not found");
    };
    assert_eq!(found.get(var(&pool, x)), expected);
    // A month of 30.44 days has no 31st day of 14 hours.
    let mut days = conditions[..2].to_vec();
    days.extend([(2, 86_400, 30), (3, 3_600, 14)].map(|(i, unit, value)| {
        let mut rest = x;
        for unit in &units[..i] {
            rest = by(&mut pool, BinOp::URem, rest, *unit);
        }
        let count = by(&mut pool, BinOp::UDiv, rest, unit);
        let value = pool.constant(64, value);
        pool.eq(count, value)
    }));
    let goal = days.pop().expect("conditions");
    assert!(matches!(ask(&mut pool, &days, goal), Some(Answer::Unsat)));
}
