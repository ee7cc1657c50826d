use super::range;
use super::*;
use crate::stage::test_queries::{self, input};
use symex_terms::eval;
use symex_terms::{BinOp, Expr, FCast, Kind, NoAddresses, UnOp, mask};
use symex_types::splitmix::Random;

fn ask(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> StageOutcome {
    test_queries::ask(&mut BoxSearch::default(), pool, constraints, goal)
}

/// Makes one of Newton's steps to the square root of `x`: the mean of `s` and `x / s`.
fn step(pool: &mut Pool, x: Expr, s: Expr) -> Expr {
    let quotient = pool.bin(BinOp::UDiv, x, s);
    let sum = pool.add(s, quotient);
    let half = pool.extract(sum, 1, 31);
    pool.zext(half, 32)
}

/// Makes the condition that the 32-bit number `x` is below the square of `s + more`.
fn below_square(pool: &mut Pool, x: Expr, s: Expr, more: u128) -> Expr {
    let (x, s) = (pool.zext(x, 64), pool.zext(s, 64));
    let more = pool.constant(64, more);
    let s = pool.add(s, more);
    let square = pool.bin(BinOp::Mul, s, s);
    pool.ult(x, square)
}

#[test]
fn newtons_steps_end_at_the_root() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = input(pool, 0, 32);
    let three = pool.constant(32, 3);
    let large = pool.ult(three, x);
    let bits = pool.un(UnOp::Clz, x);
    let all = pool.constant(32, 32);
    let bits = pool.bin(BinOp::Sub, all, bits);
    let half = pool.extract(bits, 1, 31);
    let half = pool.zext(half, 32);
    let one = pool.constant(32, 1);
    let mut s = pool.bin(BinOp::Shl, one, half);
    let mut smaller = vec![large];
    for _ in 0..3 {
        let next = step(pool, x, s);
        smaller.push(pool.ult(next, s));
        s = next;
    }
    let next = step(pool, x, s);
    let last = pool.ule(s, next);
    let mut path = smaller.clone();
    path.push(last);
    // It is the root, rounded down.
    let too_large = below_square(pool, x, s, 0);
    assert!(matches!(
        ask(pool, &path, too_large),
        StageOutcome::Answer(Answer::Unsat)
    ));
    let large_enough = below_square(pool, x, s, 1);
    let too_small = pool.not(large_enough);
    assert!(matches!(
        ask(pool, &path, too_small),
        StageOutcome::Answer(Answer::Unsat)
    ));
    // Some numbers need one more step.
    let more = pool.ult(next, s);
    let StageOutcome::Answer(Answer::Sat(found)) = ask(pool, &smaller, more) else {
        panic!("there are such numbers");
    };
    assert_eq!(pool.eval(more, &found, &NoAddresses), 1);
}

#[test]
fn roots_of_floats_are_whole_for_squares_alone() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = input(pool, 0, 32);
    let float = pool.fcast(FCast::FromUnsigned, x, 64);
    let root = pool.un(UnOp::FSqrt, float);
    let root = pool.fcast(FCast::ToUnsigned, root, 32);
    let too_large = below_square(pool, x, root, 0);
    assert!(matches!(
        ask(pool, &[], too_large),
        StageOutcome::Answer(Answer::Unsat)
    ));
    let large_enough = below_square(pool, x, root, 1);
    let too_small = pool.not(large_enough);
    assert!(matches!(
        ask(pool, &[], too_small),
        StageOutcome::Answer(Answer::Unsat)
    ));
}

#[test]
fn more_bits_than_few_are_passed_on() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 32), input(pool, 0, 8));
    let y = pool.zext(y, 32);
    let product = pool.bin(BinOp::Mul, x, y);
    let goal = pool.eq(product, x);
    assert!(matches!(ask(pool, &[], goal), StageOutcome::Pass));
}

#[test]
fn halves_are_looked_at_as_if_alone() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 16), input(pool, 1, 16));
    let (wide_x, wide_y) = (pool.zext(x, 32), pool.zext(y, 32));
    let root = step(pool, wide_x, wide_y);
    let below = below_square(pool, wide_x, root, 1);
    let above = pool.ult(wide_y, root);
    let rest = pool.bin(BinOp::URem, x, y);
    let chosen = pool.ite(above, rest, x);
    let equal = pool.eq(chosen, y);
    let query = [above, equal, below];
    let known = |e: Expr| match pool.kind(e) {
        Kind::Var(v) => (v, 16),
        _ => panic!("an input is a variable"),
    };
    let inputs = vec![known(x), known(y)];
    let mut code = BoxCode::new(pool, &query, inputs).expect("supported");
    let all = code.all();
    let mut random = Random::new(5);
    for _ in 0..10_000 {
        let mut range = || {
            let (from, bits) = (random.below(1 << 16), random.below(17));
            BoxRange::new(from, (from + (1 << bits) - 1).min(0xffff))
        };
        let (x, low, high) = (range(), range(), range());
        let open = 1 + random.below(all);
        let mut look = |halves| {
            let looks = code.look(&[x, low], (1, halves), open);
            looks.map(|look| (look.work, (!look.fails).then_some(look.open)))
        };
        let [first, second] = look([low, high]);
        assert_eq!([first, first], look([low, low]));
        assert_eq!([second, second], look([high, high]));
    }
}

/// Draws values of a width: small, close to the ends, and any.
fn value(random: &mut Random, width: Width) -> u64 {
    let m = mask(width) as u64;
    let any = random.bits() & m;
    match random.below(5) {
        0 => any & 7 & m,
        1 => m - (any & 7 & m),
        2 => (1 << (width - 1)) ^ (any & 3 & m),
        // Floats that have no sign and are not too large.
        3 => any >> 1,
        _ => any,
    }
}

fn between(random: &mut Random, range: BoxRange) -> u64 {
    let size = u128::from(range.max - range.min) + 1;
    range.min + (u128::from(random.bits()) % size) as u64
}

#[test]
fn ranges_hold_all_values() {
    use BinOp::*;
    let mut random = Random::new(7);
    let whole = [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, ULt, ULe, SLt,
        SLe, UMulO, SMulO,
    ];
    let floats = [FAdd, FSub, FMul, FDiv, FRem, FEq, FLt, FLe];
    for round in 0..200_000 {
        let is_float = round % 3 == 0;
        let width = match is_float {
            true => [16, 32, 64][random.below(3) as usize],
            false => [1, 2, 7, 8, 31, 32, 63, 64][random.below(8) as usize],
        };
        let mut range = || {
            let (a, b) = (value(&mut random, width), value(&mut random, width));
            // Every fourth one is a point.
            let b = if random.below(4) == 0 { a } else { b };
            BoxRange::new(a.min(b), a.max(b))
        };
        let (a, b) = (range(), range());
        let op = match is_float {
            true => floats[random.below(8) as usize],
            false => whole[random.below(20) as usize],
        };
        let made = range::bin(op, width, a, b);
        let points = a.value().is_some() && b.value().is_some();
        assert!(
            !points || made.value().is_some(),
            "{op:?} {width} {a:?} {b:?}: {made:?}"
        );
        for _ in 0..4 {
            let (x, y) = (between(&mut random, a), between(&mut random, b));
            let v = eval::bin(op, width, x.into(), y.into()) as u64;
            assert!(
                made.min <= v && v <= made.max,
                "{op:?} {width} {a:?} {b:?}: {made:?} without {x} {y} {v}"
            );
            one_operand(&mut random, is_float, width, a, x);
        }
    }
}

/// Tests unary operators on a range and a value of it.
fn one_operand(random: &mut Random, is_float: bool, width: Width, a: BoxRange, x: u64) {
    let holds = |made: BoxRange, v: u128, what: &dyn std::fmt::Debug| {
        let inside = u128::from(made.min) <= v && v <= u128::from(made.max);
        let exact = a.value().is_none() || made.value().is_some();
        assert!(
            inside && exact,
            "{what:?} {width} {a:?}: {made:?} without {x} {v}"
        );
    };
    let x = u128::from(x);
    let to = [16, 32, 64][random.below(3) as usize];
    if is_float {
        for op in UnOp::ALL.iter().copied().filter(|op| op.is_float()) {
            holds(range::un(op, width, a), eval::un(op, width, x), &op);
        }
        for op in [FCast::ToSigned, FCast::ToUnsigned, FCast::Float] {
            holds(
                range::fcast(op, width, to, a),
                eval::fcast(op, width, to, x),
                &op,
            );
        }
        return;
    }
    for op in [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz] {
        holds(range::un(op, width, a), eval::un(op, width, x), &op);
    }
    for op in [FCast::FromSigned, FCast::FromUnsigned] {
        holds(
            range::fcast(op, width, to, a),
            eval::fcast(op, width, to, x),
            &op,
        );
    }
    let lo = random.below(width.into()) as Width;
    let part = 1 + random.below((width - lo).into()) as Width;
    holds(
        range::extract(a, lo, part),
        x >> lo & mask(part),
        &(lo, part),
    );
    let spread = eval::sign_extend(x, width) as u128 & mask(64);
    holds(range::sext(width, 64, a), spread, &"sext");
    if width <= 32 {
        let above = range::concat(width, a, a);
        assert!(u128::from(above.min) <= x << width | x && x << width | x <= u128::from(above.max));
    }
}
