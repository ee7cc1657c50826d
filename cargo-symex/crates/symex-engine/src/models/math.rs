//! Models of libm. Functions with a term (roots, rounding, minimum, remainder, fused multiply-add,
//! signs) are exact for symbolic operands; all others are computed natively, by the libm with which
//! this tool is linked. Another libm may differ in the last bit where the function is not required
//! to be exact. Where the operands depend on few bits of inputs, results come from a table; where
//! they depend on many, a result is any value that has the properties of the function's results.
//!
//! One model serves a function's C name, its `float` and `long double` forms and LLVM's intrinsic
//! of a vector, lane by lane.

use super::table::{Row, row};
use super::{long_double, math_results};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::instruction::symbolic;
use crate::exec::memory::access::Access;
use crate::exec::path::applications::{Library, of_symbolic_value};
use crate::exec::path::end::{Res, Stop};
use crate::models::enumerate;
use crate::state::State;
use smallvec::SmallVec;
use symex_program::{Bin, FCmp, Un};
use symex_terms::{BinOp, Expr, FCast, Pool, Value, eval};
use symex_types::bits::word_sign_extend;
use symex_types::outcome::Unsupported;

/// Declares a C function of one or two operands with its `float` and `long double` forms.
macro_rules! rows {
    ($($name:literal)*) => {
        &[$(
            row($name, by_name),
            row(concat!($name, "f"), by_name),
            row(concat!($name, "l"), by_name),
        )*
            row("ldexp", ldexp),
            row("ldexpl", ldexp),
            row("ldexpf", ldexp),
            row("scalbn", ldexp),
            row("scalbnl", ldexp),
            row("scalbnf", ldexp),
            row("scalbln", ldexp),
            row("scalblnl", ldexp),
            row("scalblnf", ldexp),
            row("frexp", frexp),
            row("frexpl", frexp),
            row("frexpf", frexp),
            row("modf", modf),
            row("modfl", modf),
            row("modff", modf),
            row("sincos", sincos),
            row("sincosl", sincos),
            row("sincosf", sincos),
            row("lround", to_integer),
            row("lroundl", to_integer),
            row("lroundf", to_integer),
            row("llround", to_integer),
            row("llroundl", to_integer),
            row("llroundf", to_integer),
            row("lrint", to_integer),
            row("lrintl", to_integer),
            row("lrintf", to_integer),
            row("llrint", to_integer),
            row("llrintl", to_integer),
            row("llrintf", to_integer),
            row("ilogb", ilogb),
            row("ilogbl", ilogb),
            row("ilogbf", ilogb),
            row("lgamma_r", lgamma_r),
            row("lgammaf_r", lgamma_r),
        ]
    };
}

/// Rows of libm.
pub const ROWS: &[Row] = rows!(
    "sin" "cos" "tan" "asin" "acos" "atan" "sinh" "cosh" "tanh" "asinh" "acosh" "atanh" "exp" "exp2" "exp10" "expm1"
    "log" "log2" "log10" "log1p" "cbrt" "erf" "erfc" "tgamma" "lgamma" "logb" "sqrt" "fabs" "floor" "ceil" "trunc"
    "rint" "nearbyint" "round" "roundeven" "pow" "atan2" "hypot" "fmod" "remainder" "fdim" "nextafter" "fmin" "fmax"
    "copysign" "fma"
);

mod native {
    //! Functions of libm that Rust's library lacks.
    unsafe extern "C" {
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erff(x: f32) -> f32;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn erfcf(x: f32) -> f32;
        pub safe fn tgamma(x: f64) -> f64;
        pub safe fn tgammaf(x: f32) -> f32;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn lgammaf(x: f32) -> f32;
        pub safe fn logb(x: f64) -> f64;
        pub safe fn logbf(x: f32) -> f32;
        pub safe fn exp10(x: f64) -> f64;
        pub safe fn exp10f(x: f32) -> f32;
        pub safe fn remainder(x: f64, y: f64) -> f64;
        pub safe fn remainderf(x: f32, y: f32) -> f32;
        pub safe fn fdim(x: f64, y: f64) -> f64;
        pub safe fn fdimf(x: f32, y: f32) -> f32;
        pub safe fn nextafter(x: f64, y: f64) -> f64;
        pub safe fn nextafterf(x: f32, y: f32) -> f32;
        pub safe fn ldexp(x: f64, n: i32) -> f64;
    }
}

/// Computes a function of known operands; `None` if it is not supported.
macro_rules! known {
    ($f:ty, $name:expr, $x:expr, $suffix:ident) => {{
        let (x, y): ($f, $f) = ($x[0], $x.get(1).copied().unwrap_or(0.0));
        Some(match $name {
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.tan(),
            "asin" => x.asin(),
            "acos" => x.acos(),
            "atan" => x.atan(),
            "sinh" => x.sinh(),
            "cosh" => x.cosh(),
            "tanh" => x.tanh(),
            "asinh" => x.asinh(),
            "acosh" => x.acosh(),
            "atanh" => x.atanh(),
            "exp" => x.exp(),
            "exp2" => x.exp2(),
            "expm1" => x.exp_m1(),
            "log" => x.ln(),
            "log2" => x.log2(),
            "log10" => x.log10(),
            "log1p" => x.ln_1p(),
            "cbrt" => x.cbrt(),
            "pow" => x.powf(y),
            "atan2" => x.atan2(y),
            "hypot" => x.hypot(y),
            _ => return $suffix($name, x, y),
        })
    }};
}

fn known64(name: &str, x: &[f64]) -> Option<f64> {
    fn rest(name: &str, x: f64, y: f64) -> Option<f64> {
        Some(match name {
            "erf" => native::erf(x),
            "erfc" => native::erfc(x),
            "tgamma" => native::tgamma(x),
            "lgamma" => native::lgamma(x),
            "logb" => native::logb(x),
            "exp10" => native::exp10(x),
            "remainder" => native::remainder(x, y),
            "fdim" => native::fdim(x, y),
            "nextafter" => native::nextafter(x, y),
            _ => return None,
        })
    }
    known!(f64, name, x, rest)
}

fn known32(name: &str, x: &[f32]) -> Option<f32> {
    fn rest(name: &str, x: f32, y: f32) -> Option<f32> {
        Some(match name {
            "erf" => native::erff(x),
            "erfc" => native::erfcf(x),
            "tgamma" => native::tgammaf(x),
            "lgamma" => native::lgammaf(x),
            "logb" => native::logbf(x),
            "exp10" => native::exp10f(x),
            "remainder" => native::remainderf(x, y),
            "fdim" => native::fdimf(x, y),
            "nextafter" => native::nextafterf(x, y),
            _ => return None,
        })
    }
    known!(f32, name, x, rest)
}

/// Returns a result's bits, with NaNs made canonical.
fn bits64(x: f64) -> u64 {
    if x.is_nan() {
        0x7ff8 << 48
    } else {
        x.to_bits()
    }
}

fn bits32(x: f32) -> u64 {
    match x.is_nan() {
        true => 0x7fc0_0000,
        false => x.to_bits().into(),
    }
}

fn bits80(m: &mut Executor, x: long_double::Bits) -> Value {
    let exact = eval::fcast(FCast::Float, 80, 80, x);
    let e = m.pool.constant(80, exact);
    m.pool.value(e)
}

/// Returns the term of a function that has one.
fn exact(m: &mut Executor, name: &str, x: &[Expr]) -> Option<Expr> {
    let p = &mut m.pool;
    let unary = match name {
        "sqrt" => Some(Un::FSqrt),
        "fabs" => Some(Un::FAbs),
        "floor" => Some(Un::FFloor),
        "ceil" => Some(Un::FCeil),
        "trunc" => Some(Un::FTrunc),
        "rint" | "nearbyint" | "roundeven" => Some(Un::FRint),
        "round" => Some(Un::FRound),
        _ => None,
    };
    if let Some(op) = unary {
        return Some(symbolic::un(p, op, x[0]));
    }
    let binary = match name {
        "fmod" => Bin::FRem,
        "fmin" => Bin::FMinNum,
        "fmax" => Bin::FMaxNum,
        "copysign" => Bin::FCopySign,
        "fma" => return Some(p.fma(x[0], *x.get(1)?, *x.get(2)?)),
        _ => return None,
    };
    Some(symbolic::bin(p, binary, x[0], *x.get(1)?))
}

fn evaluate(m: &mut Executor, st: &mut State, name: &str, x: &[(Value, u32)]) -> Res<Value> {
    let width = x.first().map_or(0, |a| a.1);
    if !matches!(width, 32 | 64 | 80) {
        return Err(Unsupported::Model(format!("{name} of {width} bits")).into());
    }
    let mut terms: SmallVec<[Expr; 3]> = x.iter().map(|(v, w)| m.term(st, *v, *w)).collect();
    if let Some(e) = exact(m, name, &terms) {
        return Ok(m.pool.value(e));
    }
    for e in &mut terms {
        let defined = m.defined(st, Value::Expr(*e))?;
        *e = m.term(st, defined, width);
    }
    let are_known = terms.iter().all(|e| m.pool.as_const(*e).is_some());
    if !are_known && width != 80 {
        return match math_results::tabulated(&mut m.pool, name, &terms, compute) {
            Some(e) => Ok(m.pool.value(e)),
            None => apply(m, st, name, &terms),
        };
    }
    let mut words: SmallVec<[u128; 3]> = SmallVec::new();
    for e in &terms {
        match enumerate::value(m, st, *e)? {
            Some(v) => words.push(v),
            None => return Err(of_symbolic_value(name).into()),
        }
    }
    let result = match compute(name, width, &words) {
        Some(word) => Some(Value::Int(word as u64)),
        None if width == 80 => long_double::known(name, &words).map(|x| bits80(m, x)),
        None => None,
    };
    result.ok_or_else(|| Unsupported::NoModel(name.to_string()).into())
}

/// Computes a function of floats of 32 or 64 bits.
pub(super) fn compute(name: &str, width: u32, words: &[u128]) -> Option<u128> {
    match width {
        64 => {
            let x: SmallVec<[f64; 3]> = words.iter().map(|w| f64::from_bits(*w as u64)).collect();
            known64(name, &x).map(|x| bits64(x).into())
        }
        32 => {
            let x: SmallVec<[f32; 3]> = words.iter().map(|w| f32::from_bits(*w as u32)).collect();
            known32(name, &x).map(|x| bits32(x).into())
        }
        _ => None,
    }
}

/// The functions of this module for operands that depend on inputs.
static LIBM: Library = Library {
    compute,
    known: math_results::known,
    near: |pool, name, operands, result, claim| {
        math_results::near(pool, name, operands, result, claim, compute)
    },
    simple: math_results::simple,
};

/// Returns a result of operands that depend on inputs.
fn apply(m: &mut Executor, st: &mut State, name: &str, x: &[Expr]) -> Res<Value> {
    match m.apply(st, name, x, &LIBM) {
        Some(result) => Ok(m.pool.value(result)),
        None => Err(Unsupported::NoModel(name.to_string()).into()),
    }
}

/// Computes all lanes of a call: the operands come one after another, each with all its lanes.
fn lanes(m: &mut Executor, st: &mut State, name: &str, c: &Call) -> Res<Flow> {
    let lanes = c.returns.len().max(1);
    let mut results = SmallVec::new();
    for i in 0..lanes {
        let x: SmallVec<[(Value, u32); 3]> =
            c.args.iter().skip(i).step_by(lanes).copied().collect();
        results.push(evaluate(m, st, name, &x)?);
    }
    Ok(Flow::Return(results))
}

/// Performs a function by its C name.
fn by_name(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let suffix = match c.args.first() {
        Some((_, 32)) => "f",
        Some((_, 80)) => "l",
        _ => "",
    };
    let name = c.name.strip_suffix(suffix).unwrap_or(c.name);
    lanes(m, st, name, c)
}

/// Performs a function by LLVM's name, such as `llvm.sin.f64`.
pub fn by_intrinsic(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    lanes(m, st, c.name.split('.').nth(1).unwrap_or(c.name), c)
}

/// Returns the value of a float that must be known.
fn known_float(m: &mut Executor, st: &mut State, name: &str, v: Value, width: u32) -> Res<f64> {
    let e = m.term(st, v, width);
    match (enumerate::value(m, st, e)?, width) {
        (Some(bits), 64) => Ok(f64::from_bits(bits as u64)),
        (Some(bits), 32) => Ok(f32::from_bits(bits as u32) as f64),
        (None, 32 | 64) => Err(of_symbolic_value(name).into()),
        _ => Err(Unsupported::Model(format!("{name} of {width} bits")).into()),
    }
}

/// Returns the bits of a `long double` that must be known.
fn known_long_double(m: &mut Executor, st: &State, name: &str, v: Value) -> Res<u128> {
    let e = m.term(st, v, 80);
    m.pool
        .as_const(e)
        .ok_or_else(|| of_symbolic_value(name).into())
}

/// Makes the end of a path that needs a `long double` on a processor without it.
fn no_long_double(name: &str) -> Stop {
    Unsupported::NoModel(format!("{name} of a long double")).into()
}

/// Returns the bits of a result of some width.
fn float_value(x: f64, width: u32) -> Value {
    Value::Int(match width {
        64 => bits64(x),
        _ => bits32(x as f32),
    })
}

/// Performs `llvm.powi`: repeated multiplication, as compiler-rt does it.
pub fn powi(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    let n_width = c.args.get(1).map_or(32, |a| a.1);
    let n = m.concretise(st, c.arg(1), n_width)?;
    let n = word_sign_extend(n, n_width.clamp(1, 64));
    let mut base = m.term(st, c.arg(0), width);
    let one = m.pool.bool(true);
    let one = m.pool.fcast(FCast::FromUnsigned, one, width);
    let (mut result, mut left) = (one, n.unsigned_abs());
    loop {
        if left & 1 == 1 {
            result = symbolic::bin(&mut m.pool, Bin::FMul, result, base);
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        base = symbolic::bin(&mut m.pool, Bin::FMul, base, base);
    }
    if n < 0 {
        result = symbolic::bin(&mut m.pool, Bin::FDiv, one, result);
    }
    Flow::value(m.pool.value(result))
}

pub fn ldexp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    let n_width = c.args.get(1).map_or(32, |a| a.1);
    let n = m.concretise(st, c.arg(1), n_width)?;
    let n = word_sign_extend(n, n_width.clamp(1, 64)).clamp(-40_000, 40_000) as i32;
    if width == 80 {
        let x = known_long_double(m, st, "ldexp", c.arg(0))?;
        let scaled = long_double::scaled(x, n).ok_or_else(|| no_long_double("ldexp"))?;
        return Flow::value(bits80(m, scaled));
    }
    let x = known_float(m, st, "ldexp", c.arg(0), width)?;
    // A `float` scaled as a double stays exact where the result is a float at all, so it is rounded
    // only once.
    Flow::value(float_value(native::ldexp(x, n), width))
}

/// Returns fraction in [0.5, 1) and exponent of a `float` or `double`, the exponent in `bits` bits.
fn split(m: &mut Executor, st: &mut State, x: Value, width: u32, bits: u32) -> Res<(Value, Value)> {
    if !matches!(width, 32 | 64) {
        return Err(Unsupported::Model(format!("frexp of {width} bits")).into());
    }
    let x = m.term(st, x, width);
    let (fraction, exponent) = split_term(&mut m.pool, x);
    let exponent = m.pool.sext(exponent, 64);
    let exponent = m.pool.extract(exponent, 0, bits);
    Ok((m.pool.value(fraction), m.pool.value(exponent)))
}

/// Returns fraction and exponent as terms, the exponent in 16 bits. Zero, infinities and NaN are
/// their own fractions.
fn split_term(p: &mut Pool, x: Expr) -> (Expr, Expr) {
    let width = p.width(x);
    // Where the exponent begins, its width, what is added to it, and a power of two that makes all
    // numbers normal.
    let (at, size, bias, power) = match width {
        32 => (23, 8, 127, u128::from(2f32.powi(32).to_bits())),
        _ => (52, 11, 1023, u128::from(2f64.powi(64).to_bits())),
    };
    let power = p.constant(width, power);
    let none = p.constant(size, 0);
    let all = p.constant(size, (1 << size) - 1);
    let written = p.extract(x, at, size);
    let (is_small, is_special) = (p.eq(written, none), p.eq(written, all));
    let scaled = p.bin(BinOp::FMul, x, power);
    let normal = p.ite(is_small, scaled, x);
    let mask = p.constant(width, !(((1u128 << size) - 1) << at));
    let half = p.constant(width, (bias - 1) << at);
    let fraction = p.and(normal, mask);
    let fraction = p.or(fraction, half);
    let exponent = p.extract(normal, at, size);
    let exponent = p.zext(exponent, 16);
    let (less, more) = (bias - 1, bias - 1 + u128::from(width));
    let (less, more) = (p.constant(16, less), p.constant(16, more));
    let less = p.ite(is_small, more, less);
    let exponent = p.sub(exponent, less);
    let magnitude = p.extract(x, 0, width - 1);
    let zero = p.constant(width - 1, 0);
    let is_zero = p.eq(magnitude, zero);
    let as_it_is = p.or(is_zero, is_special);
    let nothing = p.constant(16, 0);
    (
        p.ite(as_it_is, x, fraction),
        p.ite(as_it_is, nothing, exponent),
    )
}

/// Returns fraction and exponent of a `long double`.
fn split_long_double(x: u128) -> Option<(u128, i32)> {
    let exponent = exponent_of(x)? + 1;
    Some((long_double::scaled(x, -exponent)?, exponent))
}

/// Returns the exponent of a `long double`; `None` for zero and non-finite numbers.
fn exponent_of(x: u128) -> Option<i32> {
    let exponent = long_double::known("logb", &[x])?;
    let exponent = eval::fcast(FCast::Float, 80, 64, exponent);
    let exponent = f64::from_bits(exponent as u64);
    exponent.is_finite().then_some(exponent as i32)
}

/// `frexp(x, exponent *)`.
fn frexp(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    let (fraction, exponent) = if width == 80 {
        let x = known_long_double(m, st, "frexp", c.arg(0))?;
        let (fraction, exponent) = split_long_double(x).unwrap_or((x, 0));
        let exponent = Value::Int(exponent as u32 as u64);
        (bits80(m, fraction), exponent)
    } else {
        split(m, st, c.arg(0), width, 32)?
    };
    m.store(st, c.arg(1), 32, 2, exponent)?;
    Flow::value(fraction)
}

/// Performs LLVM's `frexp`, which returns both results.
pub fn frexp_pair(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if c.args.len() != 1 {
        return Err(Unsupported::Model("frexp of a vector".into()).into());
    }
    let width = c.args[0].1;
    let bits = c.returns.get(1).copied().unwrap_or(32).clamp(1, 64);
    let (fraction, exponent) = split(m, st, c.arg(0), width, bits)?;
    Ok(Flow::Return(SmallVec::from_slice(&[fraction, exponent])))
}

/// `modf(x, whole *)`.
fn modf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    let (object, offset) = m.check_range(st, c.arg(1), width as u64 / 8, Access::Write)?;
    let (rest, whole) = parts(m, st, c.arg(0), width);
    st.memory.store(&mut m.pool, object, offset, width, whole);
    Flow::value(rest)
}

/// Performs LLVM's `modf`, which returns both results.
pub fn modf_pair(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let [(x, width)] = *c.args else {
        return Err(Unsupported::Model("modf of a vector".into()).into());
    };
    let (rest, whole) = parts(m, st, x, width);
    Ok(Flow::Return(SmallVec::from_slice(&[rest, whole])))
}

/// Returns the fractional and the integral part of a number.
fn parts(m: &mut Executor, st: &State, x: Value, width: u32) -> (Value, Value) {
    let x = m.term(st, x, width);
    let p = &mut m.pool;
    let whole = symbolic::un(p, Un::FTrunc, x);
    let rest = symbolic::bin(p, Bin::FSub, x, whole);
    // Of an infinity nothing is left over.
    let is_whole = symbolic::fcmp(p, FCmp::OEq, x, whole);
    let zero = p.constant(width, 0);
    let rest = p.ite(is_whole, zero, rest);
    let rest = symbolic::bin(p, Bin::FCopySign, rest, x);
    (p.value(rest), p.value(whole))
}

/// `sincos(x, sin *, cos *)`.
fn sincos(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    let x = [(c.arg(0), width)];
    let sin = evaluate(m, st, "sin", &x)?;
    let cos = evaluate(m, st, "cos", &x)?;
    let a = m.check_range(st, c.arg(1), width as u64 / 8, Access::Write)?;
    let b = m.check_range(st, c.arg(2), width as u64 / 8, Access::Write)?;
    st.memory.store(&mut m.pool, a.0, a.1, width, sin);
    st.memory.store(&mut m.pool, b.0, b.1, width, cos);
    Flow::void()
}

/// Performs LLVM's `sincos`, which returns both results.
pub fn sincos_pair(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let [x] = *c.args else {
        return Err(Unsupported::Model("sincos of a vector".into()).into());
    };
    let (sin, cos) = (evaluate(m, st, "sin", &[x])?, evaluate(m, st, "cos", &[x])?);
    Ok(Flow::Return(SmallVec::from_slice(&[sin, cos])))
}

/// Performs `lround` and `lrint` in all forms: to nearest, ties away from zero or to even.
pub fn to_integer(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    if c.args.len() != 1 || !matches!(width, 32 | 64 | 80) {
        return Err(Unsupported::Model(format!("{} of {width} bits", c.name)).into());
    }
    let op = if c.name.contains("rint") {
        Un::FRint
    } else {
        Un::FRound
    };
    let x = m.term(st, c.arg(0), width);
    let rounded = symbolic::un(&mut m.pool, op, x);
    let to = c.returns.first().copied().unwrap_or(64);
    let e = m.pool.fcast(FCast::ToSigned, rounded, to);
    Flow::value(m.pool.value(e))
}

fn ilogb(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    if width == 80 {
        let bits = known_long_double(m, st, "ilogb", c.arg(0))?;
        if let Some(n) = exponent_of(bits) {
            return Flow::int(n as u32 as u64);
        }
    }
    // What has no exponent is the same in all formats.
    let x = m.term(st, c.arg(0), width);
    let x = m.pool.fcast(FCast::Float, x, 64);
    let x = m.pool.value(x);
    let x = known_float(m, st, "ilogb", x, 64)?;
    let n = if x == 0.0 || x.is_nan() {
        i32::MIN
    } else if x.is_infinite() {
        i32::MAX
    } else {
        native::logb(x) as i32
    };
    Flow::int(n as u32 as u64)
}

/// `lgamma_r(x, sign *)`.
fn lgamma_r(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let width = c.args.first().map_or(64, |a| a.1);
    let x = [(c.arg(0), width)];
    let value = evaluate(m, st, "lgamma", &x)?;
    let x = known_float(m, st, "lgamma", c.arg(0), width)?;
    // Negative between two poles of which the upper one is even.
    let negative = x < 0.0 && x != x.floor() && x.floor().rem_euclid(2.0) != 0.0;
    let sign = Value::Int(if negative { u32::MAX as u64 } else { 1 });
    m.store(st, c.arg(1), 32, 2, sign)?;
    Flow::value(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_those_of_libm() {
        assert_eq!(known64("sin", &[1.0]), Some(1f64.sin()));
        assert_eq!(known64("pow", &[2.0, 0.5]), Some(2f64.sqrt()));
        assert_eq!(known64("exp10", &[2.0]), Some(100.0));
        assert_eq!(known32("remainder", &[5.0, 3.0]), Some(-1.0));
        assert_eq!(known64("nothing", &[1.0]), None);
    }

    #[test]
    fn fraction_and_exponent() {
        let mut pool = Pool::new();
        let mut split = |width: u32, x: u128| {
            let x = pool.constant(width, x);
            let (fraction, exponent) = split_term(&mut pool, x);
            let exponent = pool.as_const(exponent).expect("known") as i16;
            (pool.as_const(fraction).expect("known"), exponent)
        };
        let mut double = |x: f64| {
            let (fraction, exponent) = split(64, x.to_bits().into());
            (f64::from_bits(fraction as u64), exponent)
        };
        assert_eq!(double(8.0), (0.5, 4));
        assert_eq!(double(-0.75), (-0.75, 0));
        assert_eq!(double(f64::MIN_POSITIVE / 4.0), (0.5, -1023));
        assert_eq!(double(-f64::from_bits(1)), (-0.5, -1073));
        assert_eq!(double(f64::MAX).1, 1024);
        assert_eq!(double(0.0), (0.0, 0));
        assert_eq!(double(f64::INFINITY), (f64::INFINITY, 0));
        let single = split(32, f32::from_bits(3).to_bits().into());
        assert_eq!(single, (0.75f32.to_bits().into(), -147));
    }
}
