//! Models of character classes in the "C" locale: functions as terms, and glibc's tables, which its
//! headers index directly.

use super::errno::{library_object, library_object_once};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use std::rc::Rc;
use symex_memory::Initial;
use symex_terms::{Expr, Value};

pub const ROWS: &[Row] = &[
    row("isalnum", class),
    row("isalpha", class),
    row("isblank", class),
    row("iscntrl", class),
    row("isdigit", class),
    row("isgraph", class),
    row("islower", class),
    row("isprint", class),
    row("ispunct", class),
    row("isspace", class),
    row("isupper", class),
    row("isxdigit", class),
    row("isascii", class),
    row("tolower", tolower),
    row("toupper", toupper),
    row("toascii", toascii),
    row("__ctype_b_loc", b_loc),
    row("__ctype_tolower_loc", tolower_loc),
    row("__ctype_toupper_loc", toupper_loc),
];

/// Returns the ranges of bytes of a class, both ends included.
fn ranges(name: &str) -> &'static [(u8, u8)] {
    match name {
        "isalnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "isalpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "isblank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "iscntrl" => &[(0, 31), (127, 127)],
        "isdigit" => &[(b'0', b'9')],
        "isgraph" => &[(33, 126)],
        "islower" => &[(b'a', b'z')],
        "isprint" => &[(32, 126)],
        "ispunct" => &[(33, 47), (58, 64), (91, 96), (123, 126)],
        "isspace" => &[(9, 13), (32, 32)],
        "isupper" => &[(b'A', b'Z')],
        "isxdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        "isascii" => &[(0, 127)],
        _ => &[],
    }
}

/// Makes the condition that a term is in one of the ranges.
fn within(m: &mut Executor, e: Expr, ranges: &[(u8, u8)]) -> Expr {
    let w = m.pool.width(e);
    let mut any = m.pool.bool(false);
    for (lo, hi) in ranges {
        let low = m.pool.constant(w, *lo as u128);
        let span = m.pool.constant(w, (hi - lo) as u128);
        let offset = m.pool.sub(e, low);
        let inside = m.pool.ule(offset, span);
        any = m.pool.or(any, inside);
    }
    any
}

fn class(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let e = m.term(st, c.arg(0), 32);
    let inside = within(m, e, ranges(c.name));
    let wide = m.pool.zext(inside, 32);
    Flow::value(m.pool.value(wide))
}

/// Converts the letters of one case to the other in a term.
fn fold(m: &mut Executor, e: Expr, from: (u8, u8)) -> Expr {
    let w = m.pool.width(e);
    let letter = within(m, e, &[from]);
    let bit = m.pool.constant(w, 0x20);
    let other = m.pool.bin(symex_terms::BinOp::Xor, e, bit);
    m.pool.ite(letter, other, e)
}

/// Returns the lower-case form of a byte.
pub fn lower_byte(m: &mut Executor, st: &State, v: Value) -> Value {
    let e = m.term(st, v, 8);
    let lower = fold(m, e, (b'A', b'Z'));
    m.pool.value(lower)
}

fn tolower(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let e = m.term(st, c.arg(0), 32);
    let r = fold(m, e, (b'A', b'Z'));
    Flow::value(m.pool.value(r))
}

fn toupper(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let e = m.term(st, c.arg(0), 32);
    let r = fold(m, e, (b'a', b'z'));
    Flow::value(m.pool.value(r))
}

fn toascii(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let e = m.term(st, c.arg(0), 32);
    let low = m.pool.constant(32, 0x7f);
    let r = m.pool.and(e, low);
    Flow::value(m.pool.value(r))
}

/// Index of the first entry of the tables, which have one for each of -128..=255.
const FIRST: i32 = -128;
const ENTRIES: i32 = 384;

/// Returns glibc's class bits on little-endian machines.
fn class_bits(byte: u8) -> u16 {
    const BITS: [(&str, u16); 12] = [
        ("isupper", 1 << 8),
        ("islower", 1 << 9),
        ("isalpha", 1 << 10),
        ("isdigit", 1 << 11),
        ("isxdigit", 1 << 12),
        ("isspace", 1 << 13),
        ("isprint", 1 << 14),
        ("isgraph", 1 << 15),
        ("isblank", 1),
        ("iscntrl", 1 << 1),
        ("ispunct", 1 << 2),
        ("isalnum", 1 << 3),
    ];
    BITS.iter()
        .filter(|(name, _)| {
            ranges(name)
                .iter()
                .any(|(lo, hi)| (*lo..=*hi).contains(&byte))
        })
        .map(|(_, bit)| bit)
        .sum()
}

/// Returns a pointer to a pointer to a table's entry of 0; both are made once per path.
fn table(
    m: &mut Executor,
    st: &mut State,
    name: &'static str,
    entry: usize,
    value: impl Fn(i32) -> i32,
) -> Res<Flow> {
    Flow::value(library_object_once(m, st, name, |m, st| {
        let mut bytes = Vec::with_capacity(ENTRIES as usize * entry);
        for i in FIRST..FIRST + ENTRIES {
            bytes.extend_from_slice(&value(i).to_le_bytes()[..entry]);
        }
        let size = bytes.len() as u64;
        let contents = library_object(st, size, Initial::Bytes(Rc::from(bytes)));
        let pointer = library_object(st, 8, Initial::Zero);
        let zero = Value::Ptr(contents, FIRST.unsigned_abs() as u64 * entry as u64);
        st.memory.store(&mut m.pool, pointer, 0, 64, zero);
        pointer
    }))
}

fn b_loc(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    table(m, st, "ctype classes", 2, |i| match u8::try_from(i) {
        Ok(b) => class_bits(b) as i32,
        Err(_) => 0,
    })
}

fn mapped(i: i32, map: fn(&u8) -> u8) -> i32 {
    match u8::try_from(i) {
        Ok(b) => map(&b) as i32,
        Err(_) => i,
    }
}

fn tolower_loc(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    table(m, st, "ctype lower", 4, |i| {
        mapped(i, u8::to_ascii_lowercase)
    })
}

fn toupper_loc(m: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    table(m, st, "ctype upper", 4, |i| {
        mapped(i, u8::to_ascii_uppercase)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_bits_are_those_of_glibc() {
        // As the table of a glibc on x86-64 has them.
        assert_eq!(class_bits(b'A'), 0xd508);
        assert_eq!(class_bits(b'a'), 0xd608);
        assert_eq!(class_bits(b'g'), 0xc608);
        assert_eq!(class_bits(b'0'), 0xd808);
        assert_eq!(class_bits(b' '), 0x6001);
        assert_eq!(class_bits(b'\n'), 0x2002);
        assert_eq!(class_bits(b'!'), 0xc004);
        assert_eq!(class_bits(0x80), 0);
    }
}
