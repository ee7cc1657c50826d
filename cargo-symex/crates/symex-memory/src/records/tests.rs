//! Tests of records by example. `memory/tests/differential` tests at random that they agree with
//! arrays of bytes.

use super::super::tests::{object, var};
use super::super::{Checked, Initial};
use super::*;
use symex_terms::{BinOp, Kind};

fn space() -> AddressSpace {
    AddressSpace::default().represented(Representation::Records)
}

/// Makes an index `i` of three bits, and returns it with `8 * i`.
fn word(pool: &mut Pool, input: u32) -> (Expr, Expr) {
    let i = var(pool, input, 3);
    let i = pool.zext(i, 64);
    let three = pool.constant(64, 3);
    (i, pool.bin(BinOp::Shl, i, three))
}

fn store(
    m: &mut AddressSpace,
    pool: &mut Pool,
    (id, offset): (ObjectId, Expr),
    width: Width,
    value: Value,
) {
    m.store_symbolic(pool, Checked::new(id, Value::Expr(offset)), width, value);
}

fn expr(value: Value) -> Expr {
    match value {
        Value::Expr(e) => e,
        other => panic!("not a term: {other:?}"),
    }
}

#[test]
fn newer_records_come_first_and_maps_before_older_ones() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let a = object(m, 64, Initial::Zero);
    let (i, at_i) = word(pool, 0);
    let (j, at_j) = word(pool, 1);
    store(m, pool, (a, at_i), 64, Value::Int(5));
    store(m, pool, (a, at_j), 64, Value::Int(6));
    assert_eq!(m.load_fast(a, 16, 8, 0), None);
    let two = pool.constant(64, 2);
    let [five, six, zero] = [5, 6, 0].map(|n| pool.constant(64, n));
    let (is_i, is_j) = (pool.eq(i, two), pool.eq(j, two));
    let older = pool.ite(is_i, five, zero);
    let expected = pool.ite(is_j, six, older);
    assert_eq!(m.load(pool, a, 16, 64), Value::Expr(expected));
    // A write at a constant address hides them, and is hidden by a newer one.
    assert!(m.store_fast(a, 16, 8, 0, Value::Int(7)));
    assert_eq!(m.load_fast(a, 16, 8, 0), Some(Value::Int(7)));
    store(m, pool, (a, at_i), 64, Value::Int(5));
    let seven = pool.constant(64, 7);
    let expected = pool.ite(is_i, five, seven);
    assert_eq!(m.load(pool, a, 16, 64), Value::Expr(expected));
    // The very same address needs no choice.
    assert_eq!(m.load_symbolic(pool, a, at_i, 64), Value::Int(5));
}

#[test]
fn what_a_record_cannot_reach_stays_in_the_map() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let a = object(m, 64, Initial::Zero);
    let i = var(pool, 0, 2);
    let i = pool.zext(i, 64);
    store(m, pool, (a, i), 8, Value::Int(5));
    assert_eq!(m.load_fast(a, 4, 4, 0), Some(Value::Int(0)));
    assert_eq!(m.load_fast(a, 3, 1, 0), None);
    // Multiples of eight do not meet what lies four bytes behind them.
    let (_, at) = word(pool, 1);
    store(m, pool, (a, at), 32, Value::Int(9));
    assert_eq!(m.load(pool, a, 12, 32), Value::Int(0));
    assert!(matches!(m.load(pool, a, 8, 32), Value::Expr(_)));
}

#[test]
fn other_widths_take_the_bytes() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let a = object(m, 64, Initial::Zero);
    let (i, at) = word(pool, 0);
    let x = var(pool, 1, 64);
    store(m, pool, (a, at), 64, Value::Expr(x));
    let one = pool.constant(64, 1);
    let here = pool.eq(i, one);
    let part = pool.extract(x, 16, 8);
    let zero = pool.constant(8, 0);
    let expected = pool.ite(here, part, zero);
    assert_eq!(m.load(pool, a, 10, 8), Value::Expr(expected));
    // A word whose halves come from two records.
    let b = object(m, 16, Initial::Zero);
    let i = var(pool, 2, 1);
    let i = pool.zext(i, 64);
    let two = pool.constant(64, 2);
    let at = pool.bin(BinOp::Shl, i, two);
    store(m, pool, (b, at), 32, Value::Int(0x1111_1111));
    let whole = expr(m.load(pool, b, 0, 64));
    let (zero, one) = (pool.constant(64, 0), pool.constant(64, 1));
    let is_low = pool.eq(i, zero);
    let is_high = pool.eq(i, one);
    let (v, none) = (pool.constant(32, 0x1111_1111), pool.constant(32, 0));
    let (low, high) = (pool.ite(is_low, v, none), pool.ite(is_high, v, none));
    assert_eq!(whole, pool.concat(high, low));
}

#[test]
fn pointers_stay_pointers() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let (p, q) = (object(m, 8, Initial::Zero), object(m, 8, Initial::Zero));
    let a = object(m, 64, Initial::Zero);
    for k in 0..8 {
        assert!(m.store_fast(a, 8 * k, 8, 0, Value::Ptr(p, k)));
    }
    let (_, at) = word(pool, 0);
    store(m, pool, (a, at), 64, Value::Ptr(q, 4));
    assert_eq!(m.load_symbolic(pool, a, at, 64), Value::Ptr(q, 4));
    let e = expr(m.load(pool, a, 24, 64));
    let Kind::Ite { then, other, .. } = pool.kind(e) else {
        panic!("no choice: {:?}", pool.kind(e));
    };
    assert_eq!(pool.value(then), Value::Ptr(q, 4));
    assert_eq!(pool.value(other), Value::Ptr(p, 3));
    // In a copy, too.
    let b = object(m, 64, Initial::Uninit);
    m.copy(pool, (b, 0), (a, 0), 64);
    assert_eq!(m.load(pool, b, 24, 64), Value::Expr(e));
    assert!(!m.has_records(b));
}

#[test]
fn initialisation_is_the_collision_formula() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let a = object(m, 64, Initial::Uninit);
    let (i, at) = word(pool, 0);
    store(m, pool, (a, at), 64, Value::Int(5));
    let loaded = m.load_parts(pool, a, 16, 64);
    let two = pool.constant(64, 2);
    let here = pool.eq(i, two);
    // For unwritten bytes, any value will do.
    assert_eq!(loaded.value, Value::Int(5));
    let written = loaded.written.expect("it is not sure");
    let wrong = pool.ne(written, here);
    assert_eq!(pool.as_const(wrong), Some(0));
    assert_eq!(
        m.load_symbolic_parts(pool, Checked::new(a, Value::Expr(at)), 64)
            .written,
        None
    );
    // What is made uninitialised again hides records.
    m.fill(pool, a, 16, 8, Value::Undef);
    let loaded = m.load_parts(pool, a, 16, 64);
    let written = loaded.written.expect("it is not");
    assert_eq!(pool.as_const(written), Some(0));
}

#[test]
fn forks_have_lists_of_their_own() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let a = object(m, 64, Initial::Zero);
    let (_, at) = word(pool, 0);
    store(m, pool, (a, at), 64, Value::Int(5));
    let before = m.load(pool, a, 16, 64);
    let mut fork = m.clone();
    let (_, other) = word(pool, 1);
    store(&mut fork, pool, (a, other), 64, Value::Int(6));
    assert_ne!(fork.load(pool, a, 16, 64), before);
    assert_eq!(m.load(pool, a, 16, 64), before);
    m.fill(pool, a, 0, 64, Value::Int(1));
    assert!(!m.has_records(a));
    assert!(fork.has_records(a));
}

#[test]
fn a_record_for_several_objects_is_one_choice() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let (a, b) = (object(m, 8, Initial::Zero), object(m, 8, Initial::Zero));
    let which = var(pool, 0, 1);
    let not = pool.not(which);
    let choice = var(pool, 1, 64);
    let (zero, four) = (pool.constant(64, 0), pool.constant(64, 4));
    let sites = |offset| {
        [(which, a), (not, b)].map(|(guard, object)| AccessSite {
            guard,
            object,
            offset,
        })
    };
    let at = |rest| Some(Pointer { choice, rest });
    m.record(pool, &sites(zero), at(zero), 32, Value::Int(3));
    let v = expr(m.load(pool, a, 0, 32));
    let (three, none) = (pool.constant(32, 3), pool.constant(32, 0));
    assert_eq!(v, pool.ite(which, three, none));
    // Through the same pointer it is the value; beside it, it is not met at all.
    for (rest, expected) in [(zero, Value::Int(3)), (four, Value::Int(0))] {
        let reading = m.find_records(pool, &sites(rest), at(rest), 32);
        assert!(reading.open(pool).is_empty());
        assert_eq!(m.value_of_reading(pool, reading).value, expected);
    }
    // Through another one it depends on both, in one formula.
    let other = var(pool, 2, 1);
    let not = pool.not(other);
    let sites = [(other, a), (not, b)].map(|(guard, object)| AccessSite {
        guard,
        object,
        offset: zero,
    });
    let reading = m.find_records(pool, &sites, None, 32);
    assert_eq!(reading.open(pool).len(), 1);
    let mut excluded = m.find_records(pool, &sites, None, 32);
    for (record, _) in reading.open(pool) {
        excluded.rule_out(record);
    }
    assert_eq!(m.value_of_reading(pool, excluded).value, Value::Int(0));
}

#[test]
fn long_lists_need_no_deep_stack() {
    let (m, pool) = (&mut space(), &mut Pool::new());
    let a = object(m, 64, Initial::Zero);
    let (_, at) = word(pool, 0);
    for k in 0..20_000 {
        store(m, pool, (a, at), 64, Value::Int(k));
        assert!(m.store_fast(a, 8 * (k % 8), 8, 0, Value::Int(k)));
    }
    assert_eq!(m.load(pool, a, 8 * 7, 64), Value::Int(19_999));
    m.free(a);
    assert!(!m.has_records(a));
}
