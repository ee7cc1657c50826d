use super::backward;
use super::*;
use crate::stage::test_queries::input;
use crate::{Chain, Purpose, Solver};
use symex_terms::domain::float::{FloatRange, rank};
use symex_terms::domain::transfer;
use symex_terms::eval::{self, sign_extend};
use symex_terms::{Assignment, BinOp, Expr, FCast, NoAddresses, UnOp, Width, mask};
use symex_terms::{Domain, Met};
use symex_types::config::SolverConfig;
use symex_types::splitmix::Random;

const BINARY: [BinOp; 20] = {
    use BinOp::*;
    [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, ULt, ULe, SLt,
        SLe, UMulO, SMulO,
    ]
};
const UNARY: [UnOp; 4] = [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz];

/// Draws a number of a width: any, one near the ends or the middle, or a small one.
pub(super) fn number(random: &mut Random, width: Width) -> u128 {
    let m = mask(width);
    let any = u128::from(random.bits()) << 64 | u128::from(random.bits());
    let near = u128::from(random.below(4));
    match random.below(6) {
        0 => near & m,
        1 => m - (near & m),
        2 => (m / 2).wrapping_add(near) & m,
        3 => any & m & 0xff,
        4 => any & m >> random.below(u64::from(width)),
        _ => any & m,
    }
}

/// Draws a domain of a few numbers: one, two, or those of a range.
fn domain(random: &mut Random, width: Width) -> Domain {
    let (a, b) = (number(random, width), number(random, width));
    let single = Domain::constant(width, a);
    let mut d = match random.below(5) {
        0 => single,
        1 => single.hull(&Domain::constant(width, b)),
        2 => Domain::unsigned(width, a.min(b), a.max(b)),
        3 => {
            let (x, y) = (sign_extend(a, width), sign_extend(b, width));
            Domain::signed(width, x.min(y), x.max(y))
        }
        _ => Domain {
            zero: !a & b,
            one: a & b,
            ..Domain::full(width)
        },
    };
    d = met(&Domain::full(width), &d, width).expect("it holds a number");
    d
}

fn met(a: &Domain, b: &Domain, width: Width) -> Option<Domain> {
    let mut a = *a;
    (a.meet(b, width) != Met::Empty).then_some(a)
}

/// Returns the numbers of a domain: all of them, or some if they are many.
fn values(random: &mut Random, d: &Domain, width: Width) -> Vec<u128> {
    let all: Vec<u128> = if width <= 6 {
        (0..=mask(width)).collect()
    } else {
        let near = |v: u128| d.near(v, width);
        let mut some: Vec<u128> = (0..6).map(|_| near(number(random, width))).collect();
        some.extend([d.min, d.max]);
        some.extend([d.smin as u128 & mask(width), d.smax as u128 & mask(width)]);
        some
    };
    all.into_iter().filter(|v| d.allows(*v, width)).collect()
}

const WIDTHS: [Width; 9] = [1, 2, 4, 5, 8, 63, 64, 127, 128];

/// An operand of a tested operator: its domain, its width and its values.
struct Operand(Domain, Width, Vec<u128>);

fn operand(random: &mut Random, width: Width) -> Operand {
    let d = domain(random, width);
    let values = values(random, &d, width);
    assert!(!values.is_empty(), "{d:?} of {width} bits");
    Operand(d, width, values)
}

/// Asserts that the operator's values are in the forward result, and that, where a value is in the
/// result's domain, the operands are in the backward results.
fn check(
    random: &mut Random,
    what: &str,
    width: Width,
    operands: &[&Operand],
    value: impl Fn(&[u128]) -> u128,
    made: Domain,
    left: impl Fn(&Domain) -> Vec<Domain>,
) {
    let result = domain(random, width);
    let left = left(&result);
    let mut points: Vec<Vec<u128>> = vec![Vec::new()];
    for operand in operands {
        points = points
            .iter()
            .flat_map(|p| operand.2.iter().map(|v| [p.as_slice(), &[*v]].concat()))
            .collect();
    }
    let domains: Vec<&Domain> = operands.iter().map(|o| &o.0).collect();
    for point in points {
        let v = value(&point);
        assert!(
            met(&Domain::full(width), &made, width).is_some_and(|d| d.allows(v, width)),
            "{what}{point:?} = {v} is not in {made:?}, from {domains:?}"
        );
        if !result.allows(v, width) {
            continue;
        }
        for ((operand, left), x) in operands.iter().zip(&left).zip(&point) {
            assert!(
                met(&operand.0, left, operand.1).is_some_and(|d| d.allows(*x, operand.1)),
                "{what}{point:?} = {v} of {result:?}: {x} is not in {left:?}, from {domains:?}"
            );
        }
    }
}

#[test]
fn ranges_and_bits_trim_each_other_without_loss() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let width = 5;
        let (a, b) = (domain(&mut random, width), domain(&mut random, width));
        let both: Vec<u128> = (0..32)
            .filter(|v| a.allows(*v, width) && b.allows(*v, width))
            .collect();
        match met(&a, &b, width) {
            None => assert!(both.is_empty(), "{a:?} {b:?}"),
            Some(d) => {
                let left: Vec<u128> = (0..32).filter(|v| d.allows(*v, width)).collect();
                assert_eq!(left, both, "{a:?} {b:?}");
                assert!(left.len() as u128 <= d.spread() + 1, "{d:?}");
                assert!(d.allows(d.near(random.below(32).into(), width), width) || d.smin < 0);
            }
        }
        assert!(!a.excludes(&b) || both.is_empty());
        let hull = a.hull(&b);
        assert!((0..32).all(|v| hull.allows(v, width) || !a.allows(v, width)));
    }
}

#[test]
fn operators_of_two_operands_lose_no_value() {
    let mut random = Random::new(2);
    for op in BINARY {
        for turn in 0..6_000 {
            let width = WIDTHS[turn % WIDTHS.len()];
            let (a, b) = (operand(&mut random, width), operand(&mut random, width));
            let result = if op.is_predicate() { 1 } else { width };
            check(
                &mut random,
                &format!("{op:?} of {width} bits"),
                result,
                &[&a, &b],
                |v| eval::bin(op, width, v[0], v[1]),
                transfer::bin(op, width, &a.0, &b.0),
                |d| {
                    let (x, y) = backward::bin(op, width, d, &a.0, &b.0);
                    vec![x, y]
                },
            );
        }
    }
}

#[test]
fn operators_of_one_operand_lose_no_value() {
    let mut random = Random::new(3);
    for turn in 0..40_000 {
        let width = WIDTHS[turn % WIDTHS.len()];
        let a = operand(&mut random, width);
        let op = UNARY[random.below(4) as usize];
        // In one bit, two do not fit.
        if width > 2 || op == UnOp::Not {
            check(
                &mut random,
                &format!("{op:?} of {width} bits"),
                width,
                &[&a],
                |v| eval::un(op, width, v[0]),
                transfer::un(op, width, &a.0),
                |d| vec![backward::un(op, width, d, &a.0)],
            );
        }
        let wide = width + random.below(u64::from(128 - width) + 1) as Width;
        check(
            &mut random,
            &format!("zext of {width} to {wide} bits"),
            wide,
            &[&a],
            |v| v[0],
            transfer::zext(width, wide, &a.0),
            |d| vec![backward::zext(width, d)],
        );
        check(
            &mut random,
            &format!("sext of {width} to {wide} bits"),
            wide,
            &[&a],
            |v| sign_extend(v[0], width) as u128 & mask(wide),
            transfer::sext(width, wide, &a.0),
            |d| vec![backward::sext(width, d)],
        );
        let lo = random.below(u64::from(width)) as Width;
        let part = 1 + random.below(u64::from(width - lo)) as Width;
        check(
            &mut random,
            &format!("{part} bits at {lo} of {width} bits"),
            part,
            &[&a],
            |v| v[0] >> lo & mask(part),
            transfer::extract(width, &a.0, lo, part),
            |d| vec![backward::extract(width, d, &a.0, lo, part)],
        );
        let low = 1 + random.below(if width < 8 { 4 } else { 64 }) as Width;
        if width + low <= 128 {
            let b = operand(&mut random, low);
            check(
                &mut random,
                &format!("concatenation of {width} and {low} bits"),
                width + low,
                &[&a, &b],
                |v| v[0] << low | v[1],
                transfer::concat(low, &a.0, &b.0),
                |d| {
                    let (x, y) = backward::concat((width, low), d, &a.0, &b.0);
                    vec![x, y]
                },
            );
        }
    }
}

/// Draws the operand of an operator on floats: also of few values, or of one sign.
fn float_operand(random: &mut Random, width: Width) -> Operand {
    if random.below(2) == 0 {
        return operand(random, width);
    }
    let of = |v: i128| eval::fcast(FCast::FromSigned, 8, width, v as u128 & 0xff);
    let (a, b) = (random.below(9) as i128 - 4, random.below(9) as i128 - 4);
    let d = FloatRange {
        width,
        min: rank(width, of(a.min(b))) - random.below(3) as i128,
        max: rank(width, of(a.max(b))) + random.below(3) as i128,
        nan: false,
    };
    let d = met(&Domain::full(width), &d.domain(), width).expect("it holds a number");
    let mut values = values(random, &d, width);
    values.extend((-4..5).map(of).filter(|v| d.allows(*v, width)));
    Operand(d, width, values)
}

const FLOAT_WIDTHS: [Width; 4] = [16, 32, 64, 128];

#[test]
fn operators_of_floats_lose_no_value() {
    let mut random = Random::new(4);
    for turn in 0..1_600 {
        let width = FLOAT_WIDTHS[turn % FLOAT_WIDTHS.len()];
        let (a, b) = (
            float_operand(&mut random, width),
            float_operand(&mut random, width),
        );
        for op in BinOp::ALL.iter().filter(|op| op.is_float()) {
            let result = if op.is_predicate() { 1 } else { width };
            check(
                &mut random,
                &format!("{op:?} of {width} bits"),
                result,
                &[&a, &b],
                |v| eval::bin(*op, width, v[0], v[1]),
                transfer::bin(*op, width, &a.0, &b.0),
                |d| {
                    let (x, y) = backward::bin(*op, width, d, &a.0, &b.0);
                    vec![x, y]
                },
            );
        }
        for op in UnOp::ALL.iter().filter(|op| op.is_float()) {
            let result = if op.is_predicate() { 1 } else { width };
            check(
                &mut random,
                &format!("{op:?} of {width} bits"),
                result,
                &[&a],
                |v| eval::un(*op, width, v[0]),
                transfer::un(*op, width, &a.0),
                |d| vec![backward::un(*op, width, d, &a.0)],
            );
        }
        let other = FLOAT_WIDTHS[random.below(4) as usize];
        let integer = [1, 8, 31, 64, 128][random.below(5) as usize];
        let c = operand(&mut random, integer);
        for (name, op) in FCast::NAMES {
            let (of, to) = match op {
                FCast::ToSigned | FCast::ToUnsigned => (&a, integer),
                FCast::FromSigned | FCast::FromUnsigned => (&c, other),
                FCast::Float => (&a, other),
            };
            check(
                &mut random,
                &format!("{name} of {} bits", of.1),
                to,
                &[of],
                |v| eval::fcast(*op, of.1, to, v[0]),
                transfer::fcast(*op, of.1, to, &of.0),
                |d| vec![backward::fcast(*op, of.1, to, d, &of.0)],
            );
        }
        let size = transfer::extract(width, &a.0, 0, width - 1);
        check(
            &mut random,
            "size",
            width - 1,
            &[&a],
            |v| v[0] & mask(width - 1),
            size,
            |d| vec![backward::extract(width, d, &a.0, 0, width - 1)],
        );
    }
}

/// Makes a query of conditions, the last one being the goal.
pub(super) fn query<'a>(conditions: &'a [Expr], hint: &'a Assignment) -> Query<'a> {
    let (goal, constraints) = conditions.split_last().expect("a goal");
    Query {
        constraints,
        goal: *goal,
        addresses: &NoAddresses,
        hint,
        purpose: Purpose::Branch,
    }
}

/// Runs the stage on conditions, the last one being the goal.
pub(super) fn decide(pool: &mut Pool, conditions: &[Expr]) -> Option<bool> {
    let hint = Assignment::default();
    let query = query(conditions, &hint);
    let mut stage = IntervalStage::search();
    let answer = |step: StageOutcome, pool: &mut Pool| match step {
        StageOutcome::Answer(Answer::Sat(a)) => {
            assert!(query.holds(pool, &a));
            Some(true)
        }
        StageOutcome::Answer(Answer::Unsat) => Some(false),
        _ => None,
    };
    let step = stage.before(pool, &query);
    let first = answer(step, pool);
    let step = stage.before(pool, &query);
    assert_eq!(answer(step, pool), first, "another answer");
    assert_eq!(stage.refuted.has(&query), first == Some(false));
    first
}

pub(super) fn parsed(pool: &mut Pool, conditions: &[&str]) -> Option<bool> {
    let conditions: Vec<Expr> = conditions
        .iter()
        .map(|text| pool.parse(text).expect("a term"))
        .collect();
    decide(pool, &conditions)
}

#[test]
fn calendars_are_decided() {
    // A day of a cycle of 400 years, its year, and the days of leap years before that.
    let day = "(srem (add d:32 365:32) 146097:32)";
    let pool = &mut Pool::new();
    let is_in_cycle = format!("(not (extract 31 1 {day}))");
    let in_year = format!("(urem {day} 365:32)");
    let year = format!("(udiv {day} 365:32)");
    let leap = format!("(udiv {year} 4:32)");
    let before = format!("(ult {in_year} {leap})");
    for (goal, answer) in [
        (format!("(ult {day} 365:32)"), false),
        (format!("(ult (add {in_year} 264:32) {leap})"), false),
        (format!("(ult 400:32 {year})"), false),
        (
            format!("(and (eq {year} 400:32) (eq {in_year} 96:32))"),
            true,
        ),
        (
            format!("(and (eq {year} 399:32) (eq {in_year} 98:32))"),
            true,
        ),
        (
            format!("(and (eq {year} 400:32) (eq {in_year} 97:32))"),
            false,
        ),
    ] {
        assert_eq!(
            parsed(pool, &[&is_in_cycle, &before, &goal]),
            Some(answer),
            "{goal}"
        );
    }
}

#[test]
fn floats_are_decided() {
    let pool = &mut Pool::new();
    let number = "(not (fisnan x:32))";
    let unsat = |pool: &mut Pool, conditions: &[&str]| {
        assert_eq!(parsed(pool, conditions), Some(false), "{conditions:?}");
    };
    let positive = "(not (flt x:32 0:32))";
    unsat(pool, &[number, positive, "(not (fle 0:32 x:32))"]);
    // Zeros of both signs are neither below nor above each other.
    let set = "(eq (extract 31 1 x:32) 1:1)";
    assert_eq!(parsed(pool, &[number, positive, set]), Some(true));
    // From 0.1 to 100 and from -100 to -0.1: neither their quotient nor their product is infinite.
    let x = ["(flt 0x3dcccccd:32 x:32)", "(flt x:32 0x42c80000:32)"];
    let y = ["(flt 0xc2c80000:32 y:32)", "(flt y:32 0xbdcccccd:32)"];
    for op in ["fadd", "fsub", "fmul", "fdiv"] {
        let infinite = format!("(ult 0x7f7fffff:31 (extract 0 31 ({op} x:32 y:32)))");
        unsat(pool, &[x[0], x[1], y[0], y[1], &infinite]);
    }
    unsat(
        pool,
        &[x[0], x[1], y[0], y[1], "(fle 0:32 (fmul x:32 y:32))"],
    );
    // What is rounded to a number below 3 is below 2.5.
    let below = "(fle (fround.even x:32) 0x40000000:32)";
    unsat(pool, &[below, "(flt 0x40200000:32 x:32)"]);
    unsat(
        pool,
        &["(ult (to_unsigned 8 x:32) 7:8)", "(fle 0x40e00000:32 x:32)"],
    );
    unsat(
        pool,
        &["(slt (to_signed 8 x:32) 0:8)", "(flt 0xbf800000:32 x:32)"],
    );
    unsat(
        pool,
        &["(flt (from_signed 32 a:64) 0:32)", "(sle 0:64 a:64)"],
    );
}

#[test]
fn digits_are_decided() {
    let pool = &mut Pool::new();
    let x = "(concat a:8 (concat b:8 (concat c:8 d:8)))";
    let digit = |power: u32| format!("(urem (udiv {x} {power}:32) 10:32)");
    let small = format!("(ult {x} 100000:32)");
    let nine = format!("(eq {} 9:32)", digit(10_000));
    let one = format!("(eq {} 1:32)", digit(100));
    let over = format!("(ult 99199:32 {x})");
    assert_eq!(parsed(pool, &[&small, &nine, &one, &over]), Some(false));
    let over = format!("(ult 99198:32 {x})");
    assert_eq!(parsed(pool, &[&small, &nine, &one, &over]), Some(true));
    // Few multiples of a power of two are that small.
    let x = "(udiv (extract 1 63 m:64) 10000000:63)";
    let low = format!("(eq (extract 0 32 {x}) 0:32)");
    let some = format!("(ult 0xcc00000000:63 {x})");
    let top = format!("(ult 0xd600000000:63 {x})");
    assert_eq!(parsed(pool, &[&low, &some]), Some(true));
    assert_eq!(parsed(pool, &[&low, &top]), Some(false));
}

#[test]
fn tables_are_decided() {
    let pool = &mut Pool::new();
    let table: Vec<String> = (0..100).map(|i| format!("{}:16", i * i)).collect();
    let table = table.join(" ");
    let index = "(udiv (zext 64 x:16) 700:64)";
    let square = format!("(select (table {table}) {index})");
    let is = |v: u32| format!("(eq {square} {v}:16)");
    assert_eq!(parsed(pool, &[&is(64 * 64)]), Some(true));
    assert_eq!(parsed(pool, &[&is(64 * 64 + 1)]), Some(false));
    assert_eq!(
        parsed(pool, &["(ult x:16 44800:16)", &is(64 * 64)]),
        Some(false)
    );
    // An index past the end bounds nothing.
    let far = format!("(eq (select (table {table}) (zext 64 x:16)) 9:16)");
    assert_eq!(parsed(pool, &["(ult 200:16 x:16)", &far]), None);
    assert_eq!(
        parsed(pool, &["(ult 3:16 x:16)", "(ult x:16 50:16)", &far]),
        Some(false)
    );
    // Elements that are inputs, and stores.
    let stored = "(select (store (table a:8 b:8 c:8 d:8) (zext 64 (extract 0 2 y:8)) 7:8) 2:64)";
    let all = "(ult (or (or a:8 b:8) (or c:8 d:8)) 7:8)";
    let third = "(not (eq (extract 0 2 y:8) 2:2))";
    let is = format!("(eq {stored} 7:8)");
    assert_eq!(parsed(pool, &[all, &is]), Some(true));
    assert_eq!(parsed(pool, &[all, third, &is]), Some(false));
}

#[test]
fn sums_of_the_same_terms_bound_each_other() {
    let pool = &mut Pool::new();
    let digit = |name: &str| format!("(zext 64 (urem {name}:8 60:8))");
    let difference = |a: &str, b: &str| format!("(sub {} {})", digit(a), digit(b));
    let seconds = |m: String, s: String| format!("(add (mul {m} 60:64) {s})");
    let there = seconds(difference("m1", "m2"), difference("s1", "s2"));
    let back = seconds(difference("m2", "m1"), difference("s2", "s1"));
    let positive = |sum: &str| format!("(slt 0:64 {sum})");
    let ends = [positive(&there), positive(&back)];
    assert_eq!(parsed(pool, &[&ends[0], &ends[1]]), Some(false));
    assert_eq!(parsed(pool, &[&ends[0]]), Some(true));
    let negated = format!("(not (eq {there} (sub 0:64 {back})))");
    assert_eq!(parsed(pool, &[&negated]), Some(false));
    let more = format!("(slt {there} (add {there} (zext 64 x:8)))");
    assert_eq!(parsed(pool, &[&more, "(ult x:8 1:8)"]), Some(false));
}

#[test]
fn what_it_is_no_good_for_is_left() {
    let pool = &mut Pool::new();
    let square = "(eq (mul x:64 x:64) 0x123456789abcdef1:64)";
    assert_eq!(parsed(pool, &[square]), None);
    assert_eq!(parsed(pool, &["(flt x:64 y:64)", "(flt y:64 x:64)"]), None);
}

/// Draws random terms over three small inputs.
fn term(pool: &mut Pool, random: &mut Random, inputs: &[Expr], width: Width, depth: u32) -> Expr {
    let pick = |random: &mut Random, n: usize| random.below(n as u64) as usize;
    if depth == 0 {
        return match random.below(3) {
            0 => {
                let value = number(random, width);
                pool.constant(width, value)
            }
            _ => pool.resize(inputs[pick(random, inputs.len())], width),
        };
    }
    let d = depth - 1;
    if width == 1 {
        let op = BINARY[7 + pick(random, 3)];
        let comparison = BINARY[13 + pick(random, 7)];
        let wide = [3, 5, 8][pick(random, 3)];
        let (op, w) = if random.below(4) == 0 {
            (op, 1)
        } else {
            (comparison, wide)
        };
        let (a, b) = (
            term(pool, random, inputs, w, d),
            term(pool, random, inputs, w, d),
        );
        let e = pool.bin(op, a, b);
        return if random.below(2) == 0 { pool.not(e) } else { e };
    }
    match random.below(12) {
        0..=5 => {
            let op = BINARY[pick(random, 13)];
            let a = term(pool, random, inputs, width, d);
            let b = match random.below(2) {
                0 => pool.constant(width, 1 + u128::from(random.below(6))),
                _ => term(pool, random, inputs, width, d),
            };
            pool.bin(op, a, b)
        }
        6 => {
            let a = term(pool, random, inputs, width, d);
            pool.un(UNARY[pick(random, 4)], a)
        }
        7 => {
            let c = term(pool, random, inputs, 1, d);
            let (a, b) = (
                term(pool, random, inputs, width, d),
                term(pool, random, inputs, width, d),
            );
            pool.ite(c, a, b)
        }
        8 => {
            let a = term(pool, random, inputs, width + 3, d);
            pool.extract(a, pick(random, 4) as Width, width)
        }
        9 => {
            let low = 1 + pick(random, width as usize - 1) as Width;
            let (a, b) = (
                term(pool, random, inputs, width - low, d),
                term(pool, random, inputs, low, d),
            );
            pool.concat(a, b)
        }
        10 => {
            let a = term(pool, random, inputs, width - 1, d);
            pool.sext(a, width)
        }
        _ => {
            let elements: Vec<Expr> = (0..8)
                .map(|i| match i % 4 {
                    3 => pool.resize(inputs[i % inputs.len()], width),
                    _ => {
                        let value = number(random, width);
                        pool.constant(width, value)
                    }
                })
                .collect();
            let mut array = pool.table(elements.into());
            let index = |pool: &mut Pool, random: &mut Random| {
                let i = term(pool, random, inputs, 3, d);
                pool.zext(i, 64)
            };
            if random.below(3) == 0 {
                let at = index(pool, random);
                let value = pool.resize(inputs[0], width);
                array = pool.store(array, at, value);
            }
            let at = index(pool, random);
            pool.select(array, at)
        }
    }
}

#[test]
fn random_queries_have_the_answers_of_a_bare_solver() {
    let mut random = Random::new(7);
    let (mut decided, mut asked) = ([0, 0], 0);
    for _ in 0..40 {
        let pool = &mut Pool::new();
        let inputs = [input(pool, 0, 4), input(pool, 1, 8), input(pool, 2, 8)];
        let mut bare = Chain::bare(&SolverConfig::default());
        for _ in 0..25 {
            let conditions: Vec<Expr> = (0..1 + random.below(3))
                .map(|_| term(pool, &mut random, &inputs, 1, 3))
                .collect();
            let answer = bare.check(pool, &query(&conditions, &Assignment::default()));
            let right = match answer {
                Answer::Sat(_) => true,
                Answer::Unsat => false,
                Answer::Unknown(_) => continue,
            };
            asked += 1;
            if let Some(found) = decide(pool, &conditions) {
                assert_eq!(
                    found,
                    right,
                    "{:?}",
                    conditions
                        .iter()
                        .map(|c| pool.display(*c).to_string())
                        .collect::<Vec<_>>()
                );
                decided[usize::from(found)] += 1;
            }
        }
    }
    let [unsat, sat] = decided;
    // 20 bits of input are few enough.
    assert!(unsat + sat >= asked * 9 / 10, "{unsat} + {sat} of {asked}");
    assert!(unsat >= asked / 10 && sat >= asked / 10);
}

#[test]
fn what_is_remembered_is_refuted_by_a_bare_solver() {
    let mut random = Random::new(11);
    let (mut refuted, mut smaller) = (0, 0);
    for _ in 0..40 {
        let pool = &mut Pool::new();
        let inputs = [input(pool, 0, 4), input(pool, 1, 8), input(pool, 2, 8)];
        let mut bare = Chain::bare(&SolverConfig::default());
        let mut stage = IntervalStage::search();
        for _ in 0..25 {
            let conditions: Vec<Expr> = (0..2 + random.below(6))
                .map(|_| term(pool, &mut random, &inputs, 1, 2))
                .collect();
            let hint = Assignment::default();
            let query = query(&conditions, &hint);
            let step = stage.before(pool, &query);
            let StageOutcome::Answer(Answer::Unsat) = step else {
                continue;
            };
            let mut reason = stage.refuted.latest(query.goal).to_vec();
            assert!(reason.iter().all(|c| query.constraints.contains(c)));
            refuted += 1;
            smaller += u32::from(reason.len() < query.constraints.len());
            reason.push(query.goal);
            let answer = bare.check(pool, &self::query(&reason, &hint));
            let shown: Vec<_> = reason
                .iter()
                .map(|c| pool.display(*c).to_string())
                .collect();
            assert!(matches!(answer, Answer::Unsat), "{shown:?}");
        }
    }
    assert!(refuted > 200 && smaller > 100, "{refuted}, {smaller}");
}

#[test]
fn conditions_beyond_the_bits_of_a_set_share_them() {
    let pool = &mut Pool::new();
    let mut conditions: Vec<Expr> = (0..300)
        .map(|i| pool.parse(&format!("(ult x{i}:8 9:8)")).expect("a term"))
        .collect();
    conditions.push(pool.parse("(ult 8:8 x290:8)").expect("a term"));
    let hint = Assignment::default();
    let query = query(&conditions, &hint);
    let mut stage = IntervalStage::search();
    let step = stage.before(pool, &query);
    assert!(matches!(step, StageOutcome::Answer(Answer::Unsat)));
    let reason = stage.refuted.latest(query.goal);
    assert!(reason.contains(&conditions[290]));
    assert!(reason.len() <= 6, "{}", reason.len());
}

#[test]
fn goals_left_open_are_passed_on_more_and_more() {
    let mut pool = Pool::new();
    let goals = ["(ult x:8 y:8)", "(ult y:8 x:8)"].map(|text| pool.parse(text).expect("a term"));
    let mut open = OpenGoals::default();
    let skipped = |open: &mut OpenGoals, goal| {
        (0..1000)
            .take_while(|_| open.is_to_be_skipped(goal))
            .count()
    };
    assert_eq!(skipped(&mut open, goals[0]), 0);
    for expected in [3, 7, 15, 31, 63, 64, 64] {
        open.tried(goals[0], true, 64);
        assert_eq!(skipped(&mut open, goals[0]), expected);
        assert_eq!(skipped(&mut open, goals[1]), 0);
    }
    open.tried(goals[0], true, 64);
    open.tried(goals[0], false, 64);
    assert_eq!(skipped(&mut open, goals[0]), 0);
    open.tried(goals[0], true, 0);
    assert_eq!(skipped(&mut open, goals[0]), 0);
}
