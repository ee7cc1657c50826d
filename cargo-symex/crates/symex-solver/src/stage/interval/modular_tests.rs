//! Tests of sums that wrap around.

use super::super::IntervalStage;
use super::super::affine::{Reading, sums};
use super::super::network::{Network, NetworkOp};
use super::super::tests::{decide, number, parsed, query};
use crate::stage::test_queries::{input, var};
use crate::stage::{Stage, StageOutcome};
use crate::{Answer, Chain, Solver};
use rustc_hash::FxHashMap;
use symex_terms::eval::sign_extend;
use symex_terms::{Assignment, BinOp, Expr, NoAddresses, Pool, Width};
use symex_types::config::SolverConfig;
use symex_types::splitmix::Random;

/// Returns the number that some decimal digits are, as a parser computes it, and the conditions
/// that they are digits.
fn decimal(digits: usize, width: Width) -> (Vec<String>, Vec<String>) {
    let digit = |i: usize| format!("(sub (zext {width} d{i}:8) 48:{width})");
    let conditions = (0..digits).map(|i| format!("(ult {} 10:{width})", digit(i)));
    let mut numbers = vec![digit(0)];
    for i in 1..digits {
        let before = &numbers[i - 1];
        numbers.push(format!("(add (mul {before} 10:{width}) {})", digit(i)));
    }
    (numbers, conditions.collect())
}

#[test]
fn numbers_of_decimal_digits_are_decided() {
    let pool = &mut Pool::new();
    let with = |pool: &mut Pool, digits: &[String], more: &[&str]| {
        let digits = digits.iter().map(String::as_str);
        parsed(
            pool,
            &digits.chain(more.iter().copied()).collect::<Vec<_>>(),
        )
    };
    // Nine digits cannot overflow, though codes of characters do on the way.
    let (numbers, digits) = decimal(10, 32);
    let ten_times = format!("(mul {} 10:32)", numbers[7]);
    let overflows = format!("(ult {} {ten_times})", numbers[8]);
    assert_eq!(with(pool, &digits, &[&overflows]), Some(false));
    let most = format!("(ult 999999999:32 {})", numbers[8]);
    assert_eq!(with(pool, &digits, &[&most]), Some(false));
    // Ten can, but not where the first nine are small enough.
    let few = format!("(ult {} 429496730:32)", numbers[8]);
    let times = |more: &str| format!("(add (mul {} 10:32) {more})", numbers[8]);
    let carries = format!("(ult {} {})", numbers[9], times("0:32"));
    assert_eq!(with(pool, &digits, &[&few, &carries]), Some(true));
    let last = "(ult d9:8 54:8)";
    assert_eq!(with(pool, &digits, &[&few, &carries, last]), Some(false));
    let not = format!("(not {carries})");
    assert_eq!(with(pool, &digits, &[&few, &not]), Some(true));
    let great = format!("(ult 429496728:32 {})", numbers[8]);
    let last = "(ult 53:8 d9:8)";
    assert_eq!(
        with(pool, &digits, &[&few, &great, &not, last]),
        Some(false)
    );
    let few = format!("(ult {} 429496729:32)", numbers[8]);
    let ten_times = format!("(mul {} 10:32)", numbers[8]);
    let overflows = format!("(ult {} {ten_times})", numbers[9]);
    assert_eq!(with(pool, &digits, &[&few, &overflows]), Some(false));
    let great = format!("(ult 4294967289:32 {})", numbers[9]);
    assert_eq!(with(pool, &digits, &[&few, &great]), Some(false));
    let great = format!("(ult 4294967279:32 {})", numbers[9]);
    assert_ne!(with(pool, &digits, &[&few, &great]), Some(false));
    let wide = format!(
        "(ult (zext 64 {}) (mul (zext 64 {}) 10:64))",
        numbers[9], numbers[8]
    );
    assert_eq!(with(pool, &digits, &[&few, &wide]), Some(false));
}

/// Numbers with leading zeros have more digits than fit.
#[test]
fn numbers_with_many_digits_are_decided() {
    let pool = &mut Pool::new();
    let (numbers, mut conditions) = decimal(14, 32);
    for i in 9..13 {
        let before = &numbers[i - 1];
        conditions.push(format!("(ult {before} 429496730:32)"));
        conditions.push(format!("(not (ult {} (mul {before} 10:32)))", numbers[i]));
    }
    conditions.push(format!("(ult {} 429496730:32)", numbers[12]));
    let carries = format!("(ult {} (mul {} 10:32))", numbers[13], numbers[12]);
    let mut asked = |more: &[&str]| {
        let all = conditions.iter().map(String::as_str);
        parsed(pool, &all.chain(more.iter().copied()).collect::<Vec<_>>())
    };
    assert_eq!(asked(&[&carries]), Some(true));
    assert_eq!(asked(&[&carries, "(ult 48:8 d3:8)"]), Some(false));
    assert_eq!(asked(&[&carries, "(ult d13:8 54:8)"]), Some(false));
}

/// Draws a sum of multiples of inputs, some as multiples of a sum of others, as those of digits.
fn sum(pool: &mut Pool, random: &mut Random, inputs: &[Expr], width: Width) -> Expr {
    let mut sum = pool.constant(width, 0);
    for _ in 0..1 + random.below(4) {
        let factor = match random.below(3) {
            0 => 10,
            1 => 1 + u128::from(random.below(6)),
            _ => number(random, width),
        };
        let factor = pool.constant(width, factor);
        let term = pool.resize(inputs[random.below(inputs.len() as u64) as usize], width);
        let offset = number(random, width);
        let offset = pool.constant(width, offset);
        sum = match random.below(3) {
            0 => {
                let multiple = pool.bin(BinOp::Mul, sum, factor);
                let digit = pool.sub(term, offset);
                pool.add(multiple, digit)
            }
            1 => {
                let multiple = pool.bin(BinOp::Mul, term, factor);
                pool.sub(sum, multiple)
            }
            _ => {
                let multiple = pool.bin(BinOp::Mul, term, factor);
                pool.add(sum, multiple)
            }
        };
    }
    sum
}

/// Draws comparisons of sums and of inputs.
fn conditions(pool: &mut Pool, random: &mut Random, inputs: &[Expr]) -> Vec<Expr> {
    const COMPARISONS: [BinOp; 5] = [BinOp::ULt, BinOp::ULe, BinOp::SLt, BinOp::SLe, BinOp::Eq];
    let mut all = Vec::new();
    for _ in 0..2 + random.below(6) {
        let op = COMPARISONS[random.below(5) as usize];
        let condition = if random.below(3) == 0 {
            let input = inputs[random.below(inputs.len() as u64) as usize];
            let limit = number(random, pool.width(input));
            let limit = pool.constant(pool.width(input), limit);
            pool.bin(op, input, limit)
        } else {
            let width = [6, 9, 16][random.below(3) as usize];
            let left = sum(pool, random, inputs, width);
            let right = match random.below(3) {
                0 => sum(pool, random, inputs, width),
                1 => {
                    let more = sum(pool, random, inputs, width);
                    pool.add(left, more)
                }
                _ => {
                    let limit = number(random, width);
                    pool.constant(width, limit)
                }
            };
            let left = match random.below(4) {
                0 => pool.zext(left, width + 3),
                _ => left,
            };
            let right = pool.resize(right, pool.width(left));
            match random.below(2) {
                0 => pool.bin(op, left, right),
                _ => pool.bin(op, right, left),
            }
        };
        all.push(match random.below(3) {
            0 => pool.not(condition),
            _ => condition,
        });
    }
    all
}

/// Returns all assignments of inputs.
fn assignments(pool: &Pool, inputs: &[Expr]) -> Vec<Assignment> {
    let mut all = vec![Assignment::default()];
    for input in inputs {
        let values = 0..1u128 << pool.width(*input);
        let with = |before: Assignment| {
            values.clone().map(move |value| {
                let mut assignment = before.clone();
                assignment.set(var(pool, *input), value);
                assignment
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

/// Checks of each sum that a node of a network is that sum, wherever the conditions hold that are
/// its reasons. Returns the number of sums that were read past a wrap.
fn check_sums(pool: &mut Pool, inputs: &[Expr], conditions: &[Expr]) -> usize {
    let network = Network::new(pool, conditions, &mut FxHashMap::default());
    let Some((network, Ok(()))) = network else {
        return 0;
    };
    let sums = sums(&network);
    let assignments = assignments(pool, inputs);
    let mut read = 0;
    for at in 0..network.nodes.len() {
        if matches!(network.nodes[at].op, NetworkOp::Sum(_) | NetworkOp::Link(_)) {
            continue;
        }
        let unsigned = sums.unsigned[at].as_ref();
        let unsigned = unsigned.map(|sum| (sum, Reading::Unsigned));
        for (sum, reading) in unsigned
            .into_iter()
            .chain([(&sums.signed[at], Reading::Signed)])
        {
            if sum.terms == [(at as u32, 1)] {
                continue;
            }
            read += usize::from(sums.modular[at].is_some());
            let reasons = sum.reasons.of(conditions);
            for assignment in &assignments {
                let mut value = |e: Expr| pool.eval(e, assignment, &NoAddresses);
                if reasons.iter().any(|reason| value(*reason) == 0) {
                    continue;
                }
                let of_node = |at: usize, value: u128| sign_extend(value, network.nodes[at].width);
                let mut total = sum.constant;
                for (term, factor) in &sum.terms {
                    let term = *term as usize;
                    total += factor * of_node(term, value(network.exprs[term]));
                }
                let own = value(network.exprs[at]);
                let expected = match reading {
                    Reading::Signed => of_node(at, own),
                    Reading::Unsigned => own as i128,
                };
                let shown = pool.display(network.exprs[at]).to_string();
                assert_eq!(total, expected, "{shown} under {assignment:?}");
            }
        }
    }
    read
}

#[test]
fn a_node_is_the_sum_that_it_is_read_as() {
    let mut random = Random::new(3);
    let mut read = 0;
    for _ in 0..1200 {
        let pool = &mut Pool::new();
        let inputs = [input(pool, 0, 3), input(pool, 1, 4), input(pool, 2, 3)];
        let conditions = conditions(pool, &mut random, &inputs);
        read += check_sums(pool, &inputs, &conditions);
    }
    assert!(read > 500, "only {read} sums");
    // A sum of which more is known than of its terms, as part of one that wraps around or not.
    let pool = &mut Pool::new();
    let inputs = [input(pool, 0, 4), input(pool, 1, 4), input(pool, 2, 4)];
    let digits = inputs.map(|input| pool.zext(input, 9));
    let ten = pool.constant(9, 10);
    let tens = pool.bin(BinOp::Mul, digits[0], ten);
    let first = pool.add(tens, digits[1]);
    let tens = pool.bin(BinOp::Mul, first, ten);
    let second = pool.add(tens, digits[2]);
    let limits = [45, 51, 52].map(|limit| pool.constant(9, limit));
    let few = limits.map(|limit| pool.bin(BinOp::ULt, first, limit));
    let great = pool.bin(BinOp::ULt, limits[0], second);
    let carries = pool.bin(BinOp::ULt, second, tens);
    let not = pool.not(carries);
    let fits = pool.bin(BinOp::ULe, tens, second);
    for conditions in [
        [great, few[0]],
        [not, few[1]],
        [fits, few[2]],
        [few[2], fits],
        [carries, few[2]],
    ] {
        assert!(check_sums(pool, &inputs, &conditions) > 0);
    }
}

#[test]
fn random_sums_have_the_answers_of_a_bare_solver() {
    let mut random = Random::new(5);
    let mut decided = [0, 0];
    let mut smaller = 0;
    for _ in 0..60 {
        let pool = &mut Pool::new();
        let inputs = [input(pool, 0, 4), input(pool, 1, 5), input(pool, 2, 4)];
        let mut bare = Chain::bare(&SolverConfig::default());
        let mut stage = IntervalStage::search();
        let hint = Assignment::default();
        for _ in 0..40 {
            let conditions = conditions(pool, &mut random, &inputs);
            let right = match bare.check(pool, &query(&conditions, &hint)) {
                Answer::Sat(_) => true,
                Answer::Unsat => false,
                Answer::Unknown(_) => continue,
            };
            let shown = |pool: &Pool, terms: &[Expr]| -> Vec<String> {
                let terms = terms.iter();
                terms.map(|c| pool.display(*c).to_string()).collect()
            };
            if let Some(found) = decide(pool, &conditions) {
                assert_eq!(found, right, "{:?}", shown(pool, &conditions));
                decided[usize::from(found)] += 1;
            }
            // What it says of the conditions that it needed holds as well.
            let asked = query(&conditions, &hint);
            let StageOutcome::Answer(Answer::Unsat) = stage.before(pool, &asked) else {
                continue;
            };
            let mut reason = stage.refuted.latest(asked.goal).to_vec();
            smaller += u32::from(reason.len() < asked.constraints.len());
            reason.push(asked.goal);
            let answer = bare.check(pool, &query(&reason, &hint));
            assert!(
                matches!(answer, Answer::Unsat),
                "{:?}",
                shown(pool, &reason)
            );
        }
    }
    let [unsat, sat] = decided;
    assert!(
        unsat > 300 && sat > 300 && smaller > 100,
        "{unsat}, {sat}, {smaller}"
    );
}
