//! Results of functions of libm whose operands depend on inputs: tables for few bits, and else what
//! is true of any result.
//!
//! What is told at first, where the result is no number and between which numbers it lies, follows
//! from the mathematics of the functions, and holds after rounding, too: a bound that is a float is
//! not passed by rounding to the nearest one. What is told of rising and falling functions, near
//! operands for which they have been computed, allows for libraries that are some floats off.

use crate::exec::instruction::symbolic;
use crate::exec::path::applications::{Claim, Compute};
use smallvec::SmallVec;
use std::f64::consts::{FRAC_PI_2, PI};
use symex_program::Un;
use symex_terms::domain::float::{bits, rank};
use symex_terms::{Assignment, BinOp, Expr, NoAddresses, Pool, Symbol, UnOp, Var, Width, eval};

const INF: f64 = f64::INFINITY;

/// Operands of which the result is a number, apart from those that are none themselves.
#[derive(Clone, Copy)]
enum Domain {
    /// A range of numbers, bounds included.
    Within(f64, f64),
    Finite,
}

/// Way in which the result changes when the operand grows.
#[derive(Clone, Copy, PartialEq)]
enum Slope {
    Either,
    /// It rises, through a point of which the result is exact, if there is one.
    Rising(Option<(f64, f64)>),
    Falling,
}

/// Properties of a function of one operand.
struct Properties {
    domain: Domain,
    /// Least and greatest result.
    range: (f64, f64),
    slope: Slope,
}

/// Distance, in floats, by which a result may be off: that of the worst libraries, and some more.
const ERROR: i128 = 16;

/// Returns the properties of a function of one operand; `None` if nothing is known of it.
fn properties(name: &str) -> Option<Properties> {
    let all = Domain::Within(-INF, INF);
    let any = (-INF, INF);
    let rising = |from: f64, to: f64| Slope::Rising(Some((from, to)));
    let odd = rising(0.0, 0.0);
    let (domain, range, slope) = match name {
        "sin" | "cos" => (Domain::Finite, (-1.0, 1.0), Slope::Either),
        "tan" => (Domain::Finite, any, Slope::Either),
        "asin" => (Domain::Within(-1.0, 1.0), (-FRAC_PI_2, FRAC_PI_2), odd),
        "acos" => (Domain::Within(-1.0, 1.0), (0.0, PI), Slope::Falling),
        "atan" => (all, (-FRAC_PI_2, FRAC_PI_2), odd),
        "sinh" | "asinh" | "cbrt" => (all, any, odd),
        "cosh" => (all, (1.0, INF), Slope::Either),
        "tanh" | "erf" => (all, (-1.0, 1.0), odd),
        "acosh" => (Domain::Within(1.0, INF), (0.0, INF), rising(1.0, 0.0)),
        "atanh" => (Domain::Within(-1.0, 1.0), any, odd),
        "exp" | "exp2" | "exp10" => (all, (0.0, INF), rising(0.0, 1.0)),
        "expm1" => (all, (-1.0, INF), odd),
        "log" | "log2" | "log10" => (Domain::Within(0.0, INF), any, rising(1.0, 0.0)),
        "log1p" => (Domain::Within(-1.0, INF), any, odd),
        "erfc" => (all, (0.0, 2.0), Slope::Falling),
        _ => return None,
    };
    Some(Properties {
        domain,
        range,
        slope,
    })
}

/// Makes the condition that any result of a function with these operands fulfils.
pub fn known(p: &mut Pool, name: &str, operands: &[Expr], result: Expr) -> Expr {
    match *operands {
        [x] => match properties(name) {
            Some(properties) => known_of_one(p, &properties, x, result),
            None => p.bool(true),
        },
        [x, y] => known_of_two(p, name, [x, y], result),
        _ => p.bool(true),
    }
}

fn known_of_one(p: &mut Pool, properties: &Properties, x: Expr, result: Expr) -> Expr {
    let is_number = is_number(p, result);
    let mut all = match properties.domain {
        Domain::Within(low, high) => {
            let inside = within(p, x, low, high);
            p.eq(is_number, inside)
        }
        Domain::Finite => {
            let inside = is_finite(p, x);
            p.eq(is_number, inside)
        }
    };
    let (low, high) = properties.range;
    let inside = within(p, result, low, high);
    all = where_number(p, all, is_number, inside);
    if let Slope::Rising(Some((from, to))) = properties.slope {
        for side in [Side::Above, Side::Below] {
            let (operand, outcome) = (side.of(p, x, from), side.of(p, result, to));
            let holds = implies(p, operand, outcome);
            all = where_number(p, all, is_number, holds);
        }
    }
    all
}

/// Makes a condition that any result fulfils, of what the function is for other operands: where it
/// rises or falls, results lie on the side of that one on which the operands lie. The operands are
/// those given, and the furthest for which the result is on the same side of what is claimed: so
/// that claim is refuted for all of them at once.
pub fn near(
    p: &mut Pool,
    name: &str,
    operands: &[Expr],
    result: Expr,
    claim: &Claim,
    compute: Compute,
) -> Expr {
    let mut all = p.bool(true);
    let (varying, slope) = match *operands {
        [_] => (0, properties(name).map_or(Slope::Either, |p| p.slope)),
        [x, y] if name == "pow" => slope_of_power(p, x, y),
        _ => return all,
    };
    let (x, word) = (operands[varying], claim.operands[varying]);
    let width = p.width(x);
    // A power rises or falls with a base that is positive.
    let zero = constant(p, width, 0.0);
    let is_base = operands.len() > 1 && varying == 0;
    let is_below = is_base && word >> (width - 1) == 1;
    let are_numbers = ![word, claim.result].iter().any(|w| is_nan(width, *w));
    if slope == Slope::Either || is_below || !are_numbers {
        return all;
    }
    let is_inside = match is_base {
        false => p.bool(true),
        true => p.bin(BinOp::FLt, zero, x),
    };
    let known: SmallVec<[Option<u128>; 2]> = operands.iter().map(|e| p.as_const(*e)).collect();
    let value = |word| {
        let operands: SmallVec<[u128; 2]> = known.iter().map(|k| k.unwrap_or(word)).collect();
        compute(name, width, &operands).filter(|value| !is_nan(width, *value))
    };
    let least = if is_base {
        1
    } else {
        rank(width, word_of(width, -INF))
    };
    let furthest = furthest(width, slope, [word, claim.result], least, value);
    for word in [Some(word), furthest].into_iter().flatten() {
        let Some(value) = value(word) else {
            continue;
        };
        let point = p.constant(width, word);
        let [low, high] = [-ERROR, ERROR].map(|by| p.constant(width, moved(width, value, by)));
        let is_number = is_number(p, result);
        for above in [true, false] {
            let here = match above {
                true => p.bin(BinOp::FLe, point, x),
                false => p.bin(BinOp::FLe, x, point),
            };
            let outcome = match above == (slope != Slope::Falling) {
                true => p.bin(BinOp::FLe, low, result),
                false => p.bin(BinOp::FLe, result, high),
            };
            let here = p.and(is_inside, here);
            let holds = implies(p, here, outcome);
            all = where_number(p, all, is_number, holds);
        }
    }
    all
}

/// Returns the furthest operand from a given one, of at least the rank `least`, for which a
/// function that rises or falls is on the same side of what is claimed to be its result there;
/// `None` if the claim is not plainly wrong.
fn furthest(
    width: Width,
    slope: Slope,
    [word, claimed]: [u128; 2],
    least: i128,
    value: impl Fn(u128) -> Option<u128>,
) -> Option<u128> {
    // Both zeros are one number.
    let (least_claimed, most_claimed) = match rank(width, claimed) {
        -1 | 0 => (-1, 0),
        claimed => (claimed, claimed),
    };
    let is_above = |at: i128| {
        let value = value(bits(width, at))?;
        match rank(width, value) {
            value if value - ERROR > most_claimed => Some(true),
            value if value + ERROR < least_claimed => Some(false),
            _ => None,
        }
    };
    let start = rank(width, word);
    let side = is_above(start)?;
    // A rising function that is above the claim is so further up, too: the claim lies below.
    let end = match side == (slope != Slope::Falling) {
        true => least,
        false => rank(width, word_of(width, INF)),
    };
    if is_above(end) == Some(side) {
        return Some(bits(width, end));
    }
    let (mut on, mut off) = (start, end);
    while (on - off).abs() > 1 {
        let middle = on + (off - on) / 2;
        match is_above(middle) == Some(side) {
            true => on = middle,
            false => off = middle,
        }
    }
    Some(bits(width, on))
}

/// Returns the result for operands that depend on few bits of inputs, as a table of all results.
pub fn tabulated(p: &mut Pool, name: &str, x: &[Expr], compute: Compute) -> Option<Expr> {
    /// Greatest number of bits.
    const MOST_BITS: u32 = 12;
    let mut vars: SmallVec<[Var; 12]> = SmallVec::new();
    for symbol in x.iter().flat_map(|e| p.support(*e)) {
        match symbol {
            Symbol::Var(var) if vars.contains(var) => {}
            Symbol::Var(var) if vars.len() < vars.inline_size() => vars.push(*var),
            _ => return None,
        }
    }
    let widths: SmallVec<[u32; 12]> = vars.iter().map(|v| p.var_info(*v).width).collect();
    let count: u32 = widths.iter().sum();
    if count > MOST_BITS {
        return None;
    }
    let width = p.width(x[0]);
    let mut results = Vec::new();
    for number in 0..1_u128 << count {
        let mut assignment = Assignment::default();
        let mut rest = number;
        for (var, width) in vars.iter().zip(&widths) {
            assignment.set(*var, rest & ((1 << width) - 1));
            rest >>= width;
        }
        let words = x.iter().map(|e| p.eval(*e, &assignment, &NoAddresses));
        let words: SmallVec<[u128; 3]> = words.collect();
        let result = compute(name, width, &words)?;
        results.push(p.constant(width, result));
    }
    let mut index: Option<Expr> = None;
    for var in vars {
        let next = p.var(p.var_info(var).clone());
        index = Some(match index {
            Some(index) => p.concat(next, index),
            None => next,
        });
    }
    let index = p.zext(index?, 64);
    let table = p.table(results.into());
    Some(p.select(table, index))
}

/// Returns how a power changes when one of base and exponent grows, and which: the one that is not
/// known. A base that grows is positive.
fn slope_of_power(p: &mut Pool, base: Expr, exponent: Expr) -> (usize, Slope) {
    let width = p.width(base);
    let [zero, one] = [0.0, 1.0].map(|number| constant(p, width, number));
    let [least, most] = [-INF, INF].map(|number| constant(p, width, number));
    let mut is_between = |low, e, high| {
        let (above, below) = (p.bin(BinOp::FLt, low, e), p.bin(BinOp::FLt, e, high));
        [above, below].map(|e| p.as_const(e)) == [Some(1); 2]
    };
    if is_between(one, base, most) {
        (1, Slope::Rising(None))
    } else if is_between(zero, base, one) {
        (1, Slope::Falling)
    } else if is_between(zero, exponent, most) {
        (0, Slope::Rising(None))
    } else if is_between(least, exponent, zero) {
        (0, Slope::Falling)
    } else {
        (0, Slope::Either)
    }
}

/// Returns the float that is some floats further up.
fn moved(width: Width, word: u128, by: i128) -> u128 {
    let [least, most] = [-INF, INF].map(|number| rank(width, word_of(width, number)));
    bits(width, (rank(width, word) + by).clamp(least, most))
}

fn is_nan(width: Width, word: u128) -> bool {
    eval::un(UnOp::FIsNan, width, word) == 1
}

/// Returns numbers that are worth a try as operands.
pub fn simple(width: Width) -> Vec<u128> {
    let numbers = [
        0.0, 1.0, FRAC_PI_2, PI, 0.5, 2.0, 4.0, 10.0, 0.1, 100.0, 1000.0, 1e9,
    ];
    let signed = numbers.iter().flat_map(|x| [*x, -x]);
    signed.map(|x| word_of(width, x)).collect()
}

fn known_of_two(p: &mut Pool, name: &str, [x, y]: [Expr; 2], result: Expr) -> Expr {
    let are_numbers = {
        let both = [x, y].map(|e| is_number(p, e));
        p.and(both[0], both[1])
    };
    let is_number = is_number(p, result);
    match name {
        "atan2" => {
            let same = p.eq(is_number, are_numbers);
            let inside = within(p, result, -PI, PI);
            where_number(p, same, is_number, inside)
        }
        "hypot" | "fdim" => {
            let some = implies(p, are_numbers, is_number);
            let positive = at_least(p, result, 0.0);
            where_number(p, some, is_number, positive)
        }
        // Zeros have a sign, which shows in powers that are infinite.
        "pow" => {
            let zero = constant(p, p.width(x), 0.0);
            let is_positive = p.bin(BinOp::FLt, zero, x);
            let positive = [x, y].map(|e| at_least(p, e, 0.0));
            let positive = p.and(positive[0], positive[1]);
            let is_real = p.or(is_positive, positive);
            let is_real = p.and(is_real, are_numbers);
            let outcome = at_least(p, result, 0.0);
            let mut all = implies(p, is_real, outcome);
            // Powers are on the side of one on which the base is, or on the other side of it.
            for (base, exponent, outcome) in [
                (Side::Above, Side::Above, Side::Above),
                (Side::Above, Side::Below, Side::Below),
                (Side::Below, Side::Above, Side::Below),
                (Side::Below, Side::Below, Side::Above),
            ] {
                let base = base.of(p, x, 1.0);
                let exponent = exponent.of(p, y, 0.0);
                let outcome = outcome.of(p, result, 1.0);
                let here = p.and(base, exponent);
                let here = p.and(here, is_positive);
                let holds = implies(p, here, outcome);
                all = p.and(all, holds);
            }
            all
        }
        _ => p.bool(true),
    }
}

/// Makes the condition that a float is a number in a range, bounds included.
fn within(p: &mut Pool, e: Expr, low: f64, high: f64) -> Expr {
    match (low == -INF, high == INF) {
        (true, true) => is_number(p, e),
        (true, false) => at_most(p, e, high),
        (false, true) => at_least(p, e, low),
        (false, false) => {
            let (above, below) = (at_least(p, e, low), at_most(p, e, high));
            p.and(above, below)
        }
    }
}

/// A side of a number, with the number itself.
#[derive(Clone, Copy)]
enum Side {
    Above,
    Below,
}

impl Side {
    /// Makes the condition that a float is on this side of a number.
    fn of(self, p: &mut Pool, e: Expr, number: f64) -> Expr {
        match self {
            Side::Above => at_least(p, e, number),
            Side::Below => at_most(p, e, number),
        }
    }
}

/// Adds to some conditions that one holds where the result is a number.
fn where_number(p: &mut Pool, all: Expr, is_number: Expr, holds: Expr) -> Expr {
    let holds = implies(p, is_number, holds);
    p.and(all, holds)
}

/// Makes the condition that one condition holds where another does.
fn implies(p: &mut Pool, here: Expr, holds: Expr) -> Expr {
    let elsewhere = p.not(here);
    p.or(elsewhere, holds)
}

/// Returns the bits of a number as a float.
fn word_of(width: Width, value: f64) -> u128 {
    match width {
        32 => (value as f32).to_bits().into(),
        _ => value.to_bits().into(),
    }
}

fn constant(p: &mut Pool, width: Width, value: f64) -> Expr {
    p.constant(width, word_of(width, value))
}

fn at_least(p: &mut Pool, e: Expr, low: f64) -> Expr {
    let low = constant(p, p.width(e), low);
    p.bin(BinOp::FLe, low, e)
}

fn at_most(p: &mut Pool, e: Expr, high: f64) -> Expr {
    let high = constant(p, p.width(e), high);
    p.bin(BinOp::FLe, e, high)
}

fn is_number(p: &mut Pool, e: Expr) -> Expr {
    let is_nan = p.un(UnOp::FIsNan, e);
    p.not(is_nan)
}

fn is_finite(p: &mut Pool, e: Expr) -> Expr {
    let (e, infinite) = (symbolic::un(p, Un::FAbs, e), constant(p, p.width(e), INF));
    p.bin(BinOp::FLt, e, infinite)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::math::compute;
    use symex_terms::{Kind, Origin, VarInfo};

    const OF_ONE: &[&str] = &[
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf",
        "erfc", "tgamma", "lgamma", "logb",
    ];
    const OF_TWO: &[&str] = &["pow", "atan2", "hypot", "fdim", "remainder", "nextafter"];

    /// Returns numbers at the edges of the functions' domains, and some of random bits.
    fn operands(width: Width) -> Vec<u128> {
        let edges = [
            0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 20.0, 89.0, 710.0, 1e-40, 1e-310, 1e30, 1e300, INF,
            FRAC_PI_2, PI,
        ];
        let word = |x: f64| match width {
            32 => u128::from((x as f32).to_bits()),
            _ => u128::from(x.to_bits()),
        };
        let mut all: Vec<u128> = edges.iter().flat_map(|x| [word(*x), word(-x)]).collect();
        all.push(word(f64::NAN));
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            all.push(u128::from(random >> (64 - width)));
        }
        all
    }

    /// Reports whether a result has the properties of a function.
    fn holds(width: Width, name: &str, words: &[u128], result: u128) -> bool {
        let p = &mut Pool::new();
        let operands: Vec<Expr> = words.iter().map(|w| p.constant(width, *w)).collect();
        let result = p.constant(width, result);
        let known = known(p, name, &operands, result);
        p.as_const(known).expect("a condition of constants") == 1
    }

    /// Reports whether a result may be that of a function, by what it is where one of the operands
    /// is another.
    fn is_near_to(
        width: Width,
        name: &str,
        words: &[u128],
        result: u128,
        (varying, other): (usize, u128),
    ) -> bool {
        let p = &mut Pool::new();
        let mut operands: Vec<Expr> = words.iter().map(|w| p.constant(width, *w)).collect();
        let x = p.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input: 0, part: 0 },
        });
        operands[varying] = x;
        let mut claim = Claim {
            operands: words.into(),
            result: other,
        };
        claim.operands[varying] = other;
        let result = p.constant(width, result);
        let near = near(p, name, &operands, result, &claim, compute);
        let mut assignment = Assignment::default();
        if let Kind::Var(x) = p.kind(x) {
            assignment.set(x, words[varying]);
        }
        p.eval(near, &assignment, &NoAddresses) == 1
    }

    #[test]
    fn results_have_the_properties_that_are_told_of_them() {
        for width in [32, 64] {
            let operands = operands(width);
            for name in OF_ONE {
                for &x in &operands {
                    let result = compute(name, width, &[x]).expect("it can be computed");
                    let other = operands[(x % operands.len() as u128) as usize];
                    let text = || format!("{name}({x:#x}) = {result:#x}, near {other:#x}");
                    assert!(holds(width, name, &[x], result), "{}", text());
                    assert!(
                        is_near_to(width, name, &[x], result, (0, other)),
                        "{}",
                        text()
                    );
                }
            }
            for name in OF_TWO {
                for &x in &operands {
                    for &y in &operands {
                        let result = compute(name, width, &[x, y]).expect("it can be computed");
                        let text = || format!("{name}({x:#x}, {y:#x}) = {result:#x}");
                        assert!(holds(width, name, &[x, y], result), "{}", text());
                        let other = operands[(x % operands.len() as u128) as usize];
                        let is_near = is_near_to(width, name, &[x, y], result, (0, other));
                        assert!(is_near, "{} near {other:#x}", text());
                        let other = operands[(y % operands.len() as u128) as usize];
                        let is_near = is_near_to(width, name, &[x, y], result, (1, other));
                        assert!(is_near, "{} near {other:#x} as exponent", text());
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_result_lacks_them() {
        let of = |name: &str, x: f64, result: f64| {
            holds(64, name, &[x.to_bits().into()], result.to_bits().into())
        };
        for (name, x, result) in [
            ("sin", 1.0, 1.5),
            ("sin", INF, 0.0),
            ("cos", 0.0, f64::NAN),
            ("acos", 0.5, -0.5),
            ("atan", -1.0, 1.0),
            ("exp", 1.0, 0.5),
            ("exp", -1.0, -1.0),
            ("log", 0.5, 0.5),
            ("log", -1.0, 0.0),
        ] {
            assert!(!of(name, x, result), "{name}({x}) = {result}");
        }
        let of_two = |name: &str, x: f64, y: f64, result: f64| {
            let words = [x, y].map(|x| x.to_bits().into());
            holds(64, name, &words, result.to_bits().into())
        };
        assert!(!of_two("pow", 2.0, -1.0, -0.5));
        assert!(!of_two("pow", 0.5, 2.0, 1.5));
        assert!(!of_two("pow", 2.0, 2.0, 0.5));
        assert!(!of_two("atan2", 1.0, 1.0, 4.0));
        assert!(!of_two("hypot", 1.0, 1.0, f64::NAN));
        let [one, two, four] = [1.0, 2.0, 4.0].map(|x: f64| u128::from(x.to_bits()));
        assert!(!is_near_to(64, "exp", &[two], two, (0, one)));
        assert!(!is_near_to(64, "erfc", &[two], two, (0, one)));
        assert!(!is_near_to(64, "pow", &[two, two], 0, (0, one)));
        assert!(!is_near_to(64, "pow", &[two, two], one, (1, one)));
        assert!(is_near_to(64, "pow", &[two, two], four, (0, one)));
    }
}
