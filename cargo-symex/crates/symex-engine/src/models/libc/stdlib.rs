//! Models of the rest of `stdlib.h`: numbers from text, arithmetic, pseudo-random numbers.

use super::decimal::{self, FloatFormat};
use super::numerals;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::instruction::symbolic;
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Fault, Res};
use crate::models::long_double;
use crate::models::table::{Row, row};
use crate::state::State;
use std::ffi::CString;
use std::rc::Rc;
use symex_program::Un;
use symex_terms::{BinOp, Value};
use symex_types::outcome::{FindingKind, Unsupported};

pub const ROWS: &[Row] = &[
    row("abs", abs),
    row("labs", abs),
    row("llabs", abs),
    row("imaxabs", abs),
    row("ffs", ffs),
    row("ffsl", ffs),
    row("ffsll", ffs),
    row("div", div),
    row("ldiv", div),
    row("lldiv", div),
    row("atoi", atoi),
    row("atol", atol),
    row("atoll", atol),
    row("strtol", strtol),
    row("__isoc23_strtol", strtol),
    row("strtoll", strtol),
    row("__isoc23_strtoll", strtol),
    row("strtoimax", strtol),
    row("strtoul", strtoul),
    row("__isoc23_strtoul", strtoul),
    row("strtoull", strtoul),
    row("__isoc23_strtoull", strtoul),
    row("strtoumax", strtoul),
    row("atof", strtod),
    row("strtod", strtod),
    row("strtof", strtof),
    row("strtold", strtold),
    row("rand", rand),
    row("random", rand),
    row("srand", srand),
    row("srandom", srand),
    row("ntohl", swap),
    row("htonl", swap),
    row("ntohs", swap),
    row("htons", swap),
];

fn width(c: &Call) -> u32 {
    c.args.first().map_or(32, |a| a.1)
}

fn abs(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let e = m.term(st, c.arg(0), width(c));
    let r = symbolic::un(&mut m.pool, Un::Abs, e);
    Flow::value(m.pool.value(r))
}

/// Performs `htonl` and the like: swaps the bytes of a number between network and machine order.
fn swap(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let e = m.term(st, c.arg(0), width(c));
    let r = symbolic::un(&mut m.pool, Un::ByteSwap, e);
    Flow::value(m.pool.value(r))
}

/// Performs `ffs`: number of the lowest bit set, from 1; 0 for none.
fn ffs(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let w = width(c);
    let e = m.term(st, c.arg(0), w);
    let lowest = symbolic::un(&mut m.pool, Un::Ctz, e);
    let (zero, one) = (m.pool.constant(w, 0), m.pool.constant(w, 1));
    let number = m.pool.add(lowest, one);
    let none = m.pool.eq(e, zero);
    let r = m.pool.ite(none, zero, number);
    let r = m.pool.resize(r, 32);
    Flow::value(m.pool.value(r))
}

/// Performs `div` and `ldiv`: `div_t` is returned as one word of two halves, `ldiv_t` as two words.
fn div(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let w = width(c);
    let (a, b) = (m.term(st, c.arg(0), w), m.term(st, c.arg(1), w));
    let zero = m.pool.constant(w, 0);
    let some = m.pool.ne(b, zero);
    m.require(st, some, || {
        Fault::new(FindingKind::DivisionByZero, "division by zero")
    })?;
    let q = m.pool.bin(BinOp::SDiv, a, b);
    let r = m.pool.bin(BinOp::SRem, a, b);
    if c.returns.len() == 2 {
        let (q, r) = (m.pool.value(q), m.pool.value(r));
        return Ok(Flow::Return(smallvec::SmallVec::from_slice(&[q, r])));
    }
    let both = m.pool.concat(r, q);
    Flow::value(m.pool.value(both))
}

fn atoi(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let parsed = numerals::parse(m, st, c.arg(0), 10, true, 64)?;
    let e = m.term(st, parsed.value, 64);
    let low = m.pool.extract(e, 0, 32);
    Flow::value(m.pool.value(low))
}

fn atol(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let parsed = numerals::parse(m, st, c.arg(0), 10, true, 64)?;
    Flow::value(parsed.value)
}

fn strtol(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    integer(m, st, c, true)
}

fn strtoul(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    integer(m, st, c, false)
}

/// Returns the object and offset to which `end` points, unless it is null.
fn out(m: &mut Executor, st: &mut State, end: Value) -> Res<Option<(symex_terms::ObjectId, u64)>> {
    if end == Value::NULL {
        return Ok(None);
    }
    m.check_range(st, end, 8, Access::Write).map(Some)
}

/// Performs `strtol(text, end **, base)` and the like.
fn integer(m: &mut Executor, st: &mut State, c: &Call, signed: bool) -> Res<Flow> {
    let base = m.concretise(st, c.arg(2), 32)?;
    let parsed = numerals::parse(m, st, c.arg(0), base, signed, 64)?;
    if let Some((object, offset)) = out(m, st, c.arg(1))? {
        let end = m.offset_pointer(st, c.arg(0), parsed.used);
        st.memory.store(&mut m.pool, object, offset, 64, end);
    }
    numerals::note_range(m, st, parsed.out_of_range);
    Flow::value(parsed.value)
}

/// Performs `strtod(text, end **)` and the like.
fn float(m: &mut Executor, st: &mut State, c: &Call, format: FloatFormat) -> Res<Flow> {
    let text = numerals::StringAt::new(m, st, c.arg(0))?;
    let parsed = decimal::parse(m, st, format, text)?;
    if c.args.len() > 1
        && let Some((object, offset)) = out(m, st, c.arg(1))?
    {
        let end = m.offset_pointer(st, c.arg(0), parsed.used);
        st.memory.store(&mut m.pool, object, offset, 64, end);
    }
    numerals::note_range(m, st, parsed.out_of_range);
    Flow::value(parsed.value)
}

fn strtod(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    float(m, st, c, FloatFormat::Double)
}

fn strtof(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    float(m, st, c, FloatFormat::Single)
}

/// Performs `strtold` by this machine's library, since Rust has no such type.
fn strtold(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let text = numerals::float_text(m, st, c.arg(0))?;
    let parsed = CString::new(text.as_str()).ok();
    let parsed = parsed.and_then(|text| long_double::parse(&text));
    let Some((value, used)) = parsed else {
        return Err(Unsupported::NoModel("strtold".into()).into());
    };
    if let Some((object, offset)) = out(m, st, c.arg(1))? {
        let end = m.offset_pointer(st, c.arg(0), used as u64);
        st.memory.store(&mut m.pool, object, offset, 64, end);
    }
    let is_infinite = value << 49 == 0x7fff_8000_0000_0000_0000 << 49;
    let too_large = is_infinite && !text.to_ascii_lowercase().contains("inf");
    numerals::note_range(m, st, too_large);
    let value = m.pool.constant(80, value);
    Flow::value(m.pool.value(value))
}

/// Counters of the pseudo-random numbers: the seed, and how many were drawn.
const SEED: &str = "rand seed";
const DRAWN: &str = "rand drawn";

fn srand(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let seed = m.concretise(st, c.arg(0), 32)?;
    let counters = &mut Rc::make_mut(&mut st.world).counters;
    counters.insert(SEED, seed);
    counters.insert(DRAWN, 0);
    Flow::void()
}

fn rand(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    let counters = &mut Rc::make_mut(&mut st.world).counters;
    let seed = counters.get(SEED).copied().unwrap_or(1) as u32;
    let drawn = counters.entry(DRAWN).or_insert(0);
    *drawn += 1;
    let number = *drawn;
    if number > 1 << 16 {
        return Err(Unsupported::Model("more than 65536 calls of rand".into()).into());
    }
    Flow::int(glibc_random(seed, number) as u64)
}

/// Returns the `n`-th number (from 1) of glibc's `random` after `srandom(seed)`, so that a native
/// run gets the same.
fn glibc_random(seed: u32, n: u64) -> u32 {
    const DEGREE: usize = 31;
    const SEPARATION: usize = 3;
    let mut r = [0u32; DEGREE];
    r[0] = if seed == 0 { 1 } else { seed };
    let mut word = r[0] as i32 as i64;
    for slot in r.iter_mut().skip(1) {
        // 16807 * word modulo 2^31 - 1, as the library computes it.
        let (high, low) = (word / 127_773, word % 127_773);
        word = 16_807 * low - 2_836 * high;
        if word < 0 {
            word += 2_147_483_647;
        }
        *slot = word as u32;
    }
    let (mut front, mut rear) = (SEPARATION, 0);
    let mut result = 0;
    for _ in 0..10 * DEGREE as u64 + n {
        r[front] = r[front].wrapping_add(r[rear]);
        result = r[front] >> 1;
        front = (front + 1) % DEGREE;
        rear = (rear + 1) % DEGREE;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::glibc_random;

    #[test]
    fn random_numbers_are_those_of_glibc() {
        let first: Vec<u32> = (1..=3).map(|n| glibc_random(1, n)).collect();
        assert_eq!(first, [1804289383, 846930886, 1681692777]);
        assert_eq!(glibc_random(42, 1), 71876166);
    }
}
