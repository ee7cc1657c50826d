use super::super::test_queries::{self, input, var};
use super::*;
use std::sync::Arc;
use symex_terms::{Assignment, NoAddresses, Width};
use symex_types::splitmix::Random;

fn ask(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> StageOutcome {
    test_queries::ask(&mut Cancellation::default(), pool, constraints, goal)
}

/// Reports whether a goal is found to be false wherever the constraints hold.
fn is_refuted(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> bool {
    let outcome = ask(pool, constraints, goal);
    matches!(outcome, StageOutcome::Answer(Answer::Unsat))
}

/// Makes a constant table of bytes, read at an index of 64 bits.
fn read(pool: &mut Pool, bytes: &[u8], index: Expr) -> Expr {
    let elements: Vec<Expr> = bytes
        .iter()
        .map(|b| pool.constant(8, u128::from(*b)))
        .collect();
    let table = pool.table(Arc::from(elements));
    pool.select(table, index)
}

fn digits() -> [Vec<u8>; 2] {
    [
        (0..100).map(|i| b'0' + i / 10).collect(),
        (0..100).map(|i| b'0' + i % 10).collect(),
    ]
}

/// Divides a term of 32 bits, less than 10,000, by 100, as `itoa` does.
fn hundreds(pool: &mut Pool, x: Expr) -> Expr {
    let magic = pool.constant(32, 5243);
    let product = pool.bin(BinOp::Mul, x, magic);
    let quotient = pool.extract(product, 19, 13);
    pool.zext(quotient, 32)
}

/// Prints a number of 64 bits with this number of groups of four digits, and reads it again, adding
/// digits or subtracting them.
fn printed_and_read(pool: &mut Pool, x: Expr, groups: u32, with: BinOp) -> Expr {
    let [tens, units] = digits();
    let mut bytes = Vec::new();
    let mut rest = x;
    for _ in 0..groups {
        let scale = pool.constant(64, 10_000);
        let quad = pool.bin(BinOp::URem, rest, scale);
        rest = pool.bin(BinOp::UDiv, rest, scale);
        let quad = pool.extract(quad, 0, 32);
        let high = hundreds(pool, quad);
        let hundred = pool.constant(32, 100);
        let whole = pool.bin(BinOp::Mul, high, hundred);
        let low = pool.sub(quad, whole);
        for pair in [low, high] {
            let pair = pool.zext(pair, 64);
            bytes.push(read(pool, &units, pair));
            bytes.push(read(pool, &tens, pair));
        }
    }
    let mut value = pool.constant(64, 0);
    let ten = pool.constant(64, 10);
    let zero = pool.constant(32, u128::from(b'0'));
    for byte in bytes.iter().rev() {
        let digit = pool.zext(*byte, 32);
        let digit = pool.sub(digit, zero);
        let digit = pool.zext(digit, 64);
        value = pool.bin(BinOp::Mul, value, ten);
        value = pool.bin(with, value, digit);
    }
    value
}

#[test]
fn a_number_that_is_printed_and_read_is_the_same() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 64);
    let limit = pool.constant(64, 1_0000_0000_0000);
    let small = pool.bin(BinOp::ULt, x, limit);
    let again = printed_and_read(&mut pool, x, 3, BinOp::Add);
    let same = pool.eq(x, again);
    let differs = pool.not(same);
    assert!(is_refuted(&mut pool, &[small], differs));
    let answer = ask(&mut pool, &[small], same);
    assert!(matches!(answer, StageOutcome::Answer(Answer::Sat(_))));
    // Without the limit, digits are missing.
    let answer = ask(&mut pool, &[], differs);
    assert!(!matches!(answer, StageOutcome::Answer(_)));
}

#[test]
fn quotients_cancel_out_in_constraints() {
    let mut pool = Pool::new();
    let [minutes, seconds] = [0, 1].map(|number| {
        let digit = input(&mut pool, number, 6);
        let limit = pool.constant(6, 60);
        (pool.bin(BinOp::ULt, digit, limit), pool.zext(digit, 64))
    });
    let sixty = pool.constant(64, 60);
    let total = pool.bin(BinOp::Mul, minutes.1, sixty);
    let total = pool.bin(BinOp::Add, total, seconds.1);
    let whole = pool.bin(BinOp::UDiv, total, sixty);
    let five = pool.constant(64, 5);
    let at_five = pool.eq(whole, five);
    let constraints = [minutes.0, seconds.0, at_five];
    // What the constraint says of the minutes is the contrary of the goal.
    let later = pool.bin(BinOp::Add, total, sixty);
    let whole = pool.bin(BinOp::UDiv, later, sixty);
    let six = pool.constant(64, 6);
    let goal = pool.eq(whole, six);
    let goal = pool.not(goal);
    assert!(is_refuted(&mut pool, &constraints, goal));
    // What a constraint says itself is not taken for granted where it is read.
    let half = pool.constant(64, 30);
    let rounded = pool.bin(BinOp::Add, total, half);
    let rounded = pool.bin(BinOp::UDiv, rounded, sixty);
    let goal = pool.eq(rounded, six);
    let at_five = |pool: &mut Pool| pool.eq(minutes.1, five);
    match ask(&mut pool, &constraints, goal) {
        StageOutcome::Rewrite(rewritten, _) => {
            let expected = [minutes.0, seconds.0, at_five(&mut pool)];
            assert_eq!(rewritten, expected);
        }
        _ => panic!("the constraint is rewritten"),
    }
    // Nothing cancels in this goal, and nothing is known of the seconds.
    let goal = pool.bin(BinOp::ULt, five, minutes.1);
    let outcome = ask(&mut pool, &constraints, goal);
    assert!(matches!(outcome, StageOutcome::Pass));
    let short = input(&mut pool, 2, 5);
    let short = pool.zext(short, 64);
    let total = pool.bin(BinOp::Mul, minutes.1, sixty);
    let total = pool.bin(BinOp::Add, total, short);
    let whole = pool.bin(BinOp::UDiv, total, sixty);
    let also_at_five = pool.eq(whole, five);
    match ask(&mut pool, &[minutes.0, also_at_five], goal) {
        StageOutcome::Rewrite(rewritten, same) => {
            let expected = vec![minutes.0, at_five(&mut pool)];
            assert_eq!((rewritten, same), (expected, goal));
        }
        _ => panic!("the constraint is rewritten"),
    }
}

#[test]
fn what_is_left_of_a_sum_is_compared() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 64);
    let limit = pool.constant(64, 1_0000_0000);
    let small = pool.bin(BinOp::ULt, x, limit);
    let again = printed_and_read(&mut pool, x, 2, BinOp::Add);
    let bound = pool.constant(64, 12_345);
    let goal = pool.bin(BinOp::ULt, again, bound);
    let expected = pool.bin(BinOp::ULt, x, bound);
    match ask(&mut pool, &[small], goal) {
        StageOutcome::Rewrite(constraints, goal) => {
            assert_eq!((constraints, goal), (vec![small], expected));
        }
        _ => panic!("it is rewritten"),
    }
}

#[test]
fn a_quotient_times_its_divisor_is_the_dividend_less_the_remainder() {
    let mut pool = Pool::new();
    let [a, b] = [0, 1].map(|i| input(&mut pool, i, 32));
    let parts = [
        pool.bin(BinOp::SDiv, a, b),
        b,
        pool.bin(BinOp::SRem, a, b),
        a,
    ];
    let [quotient, divisor, rest, whole] = parts.map(|part| pool.sext(part, 64));
    let product = pool.bin(BinOp::Mul, quotient, divisor);
    let sum = pool.bin(BinOp::Add, product, rest);
    let same = pool.eq(sum, whole);
    let differs = pool.not(same);
    // The least number divided by -1 does not fit.
    assert!(matches!(ask(&mut pool, &[], differs), StageOutcome::Pass));
    let (least, minus_one) = (
        pool.constant(32, 1 << 31),
        pool.constant(32, u128::from(u32::MAX)),
    );
    let (is_least, is_minus_one) = (pool.eq(a, least), pool.eq(b, minus_one));
    let overflows = pool.and(is_least, is_minus_one);
    let fits = pool.not(overflows);
    assert!(is_refuted(&mut pool, &[fits], differs));
    let quotient = pool.bin(BinOp::UDiv, a, b);
    let product = pool.bin(BinOp::Mul, quotient, b);
    let is_more = pool.bin(BinOp::ULt, a, product);
    assert!(is_refuted(&mut pool, &[], is_more));
}

#[test]
fn a_negative_number_is_the_same_again() {
    let mut pool = Pool::new();
    let x = input(&mut pool, 0, 64);
    let limit = pool.constant(64, (1 << 64) - 1_0000_0000_0000);
    let small = pool.bin(BinOp::ULt, limit, x);
    let zero = pool.constant(64, 0);
    let positive = pool.sub(zero, x);
    let again = printed_and_read(&mut pool, positive, 3, BinOp::Sub);
    let same = pool.eq(x, again);
    let differs = pool.not(same);
    assert!(is_refuted(&mut pool, &[small], differs));
    let is_less = pool.bin(BinOp::SLt, again, zero);
    let is_not = pool.not(is_less);
    assert!(is_refuted(&mut pool, &[small], is_not));
}

/// Makes a term of 16 bits of an input.
fn random_term(pool: &mut Pool, random: &mut Random, inputs: &[Expr], depth: u32) -> Expr {
    let width = 16;
    if depth == 0 {
        let x = inputs[random.below(inputs.len() as u64) as usize];
        return pool.zext(x, width);
    }
    let a = random_term(pool, random, inputs, depth - 1);
    let k = [1, 2, 3, 7, 10, 16, 60, 100, 5243][random.below(9) as usize];
    let constant = pool.constant(width, k);
    match random.below(14) {
        0 | 1 => pool.bin(BinOp::UDiv, a, constant),
        2 | 3 => pool.bin(BinOp::URem, a, constant),
        4 => pool.bin(BinOp::Mul, a, constant),
        5 => {
            let low = pool.extract(a, random.below(8) as Width, 8);
            pool.zext(low, width)
        }
        6 => {
            let low = pool.extract(a, 0, 8);
            match random.below(2) {
                0 => pool.sext(low, width),
                _ => pool.concat(low, low),
            }
        }
        7 => {
            let bound = pool.constant(width, 100);
            let index = pool.bin(BinOp::URem, a, bound);
            let index = pool.zext(index, 64);
            let byte = read(pool, &digits()[random.below(2) as usize], index);
            pool.zext(byte, width)
        }
        8 => pool.not(a),
        12 => {
            let b = random_term(pool, random, inputs, depth - 1);
            multiple(pool, random, a, b)
        }
        13 => {
            let b = random_term(pool, random, inputs, depth - 1);
            let [a, b] = [a, b].map(|x| pool.extract(x, 0, 8));
            multiple(pool, random, a, b)
        }
        9 => {
            let quotient = pool.bin(BinOp::UDiv, a, constant);
            let whole = pool.bin(BinOp::Mul, quotient, constant);
            pool.sub(a, whole)
        }
        10 => {
            let b = random_term(pool, random, inputs, depth - 1);
            pool.sub(a, b)
        }
        _ => {
            let b = random_term(pool, random, inputs, depth - 1);
            pool.bin(BinOp::Add, a, b)
        }
    }
}

/// Multiplies a quotient by its divisor, both extended to 16 bits, and may add the remainder.
fn multiple(pool: &mut Pool, random: &mut Random, a: Expr, b: Expr) -> Expr {
    let signed = random.below(2) == 0;
    let (over, rest) = match signed {
        true => (BinOp::SDiv, BinOp::SRem),
        false => (BinOp::UDiv, BinOp::URem),
    };
    let parts = [pool.bin(over, a, b), b, pool.bin(rest, a, b)];
    let [quotient, divisor, rest] = parts.map(|part| match signed {
        true => pool.sext(part, 16),
        false => pool.zext(part, 16),
    });
    let product = pool.bin(BinOp::Mul, quotient, divisor);
    match random.below(2) {
        0 => product,
        _ => pool.bin(BinOp::Add, product, rest),
    }
}

#[test]
fn answers_agree_with_evaluation() {
    let mut random = Random::new(11);
    let mut answered = [0; 4];
    for _ in 0..12_000 {
        let mut pool = Pool::new();
        let inputs: Vec<Expr> = (0..2).map(|i| input(&mut pool, i, 6)).collect();
        let depth = 1 + random.below(3) as u32;
        let a = random_term(&mut pool, &mut random, &inputs, depth);
        let b = match random.below(3) {
            0 => pool.constant(16, u128::from(random.below(200))),
            _ => random_term(&mut pool, &mut random, &inputs, depth),
        };
        let ops = [
            BinOp::Eq,
            BinOp::ULt,
            BinOp::ULe,
            BinOp::SLt,
            BinOp::SLe,
            BinOp::UMulO,
        ];
        let condition = |pool: &mut Pool, random: &mut Random, a, b| {
            let made = pool.bin(ops[random.below(6) as usize], a, b);
            match random.below(2) {
                0 => pool.not(made),
                _ => made,
            }
        };
        let goal = condition(&mut pool, &mut random, a, b);
        let bound = pool.constant(6, u128::from(1 + random.below(63)));
        let bound = pool.bin(BinOp::ULt, inputs[0], bound);
        let mut constraints = vec![bound];
        if random.below(2) == 0 {
            let a = random_term(&mut pool, &mut random, &inputs, depth);
            let b = random_term(&mut pool, &mut random, &inputs, depth);
            constraints.push(condition(&mut pool, &mut random, a, b));
        }
        let mut conditions = constraints.iter().chain([&goal]);
        if conditions.any(|c| pool.as_const(*c).is_some()) {
            continue;
        }
        let (left, result) = match ask(&mut pool, &constraints, goal) {
            StageOutcome::Pass | StageOutcome::Split(_) => continue,
            StageOutcome::Answer(Answer::Unsat) => {
                answered[0] += 1;
                (constraints.clone(), pool.bool(false))
            }
            StageOutcome::Answer(_) => {
                answered[1] += 1;
                (constraints.clone(), pool.bool(true))
            }
            StageOutcome::Rewrite(left, goal) => {
                answered[2] += 1;
                answered[3] += u32::from(left != constraints);
                (left, goal)
            }
        };
        for point in 0..1u128 << 12 {
            let mut assignment = Assignment::default();
            assignment.set(var(&pool, inputs[0]), point & 63);
            assignment.set(var(&pool, inputs[1]), point >> 6);
            let mut holds = |c: &Expr| pool.eval(*c, &assignment, &NoAddresses) == 1;
            let before = constraints.iter().all(&mut holds);
            assert_eq!(before, left.iter().all(&mut holds), "{point}");
            assert!(!before || holds(&goal) == holds(&result), "{point}");
        }
    }
    assert!(answered.iter().all(|count| *count > 50), "{answered:?}");
}
