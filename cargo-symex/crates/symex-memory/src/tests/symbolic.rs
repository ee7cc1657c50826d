//! Tests of accesses at symbolic offsets by example.

use super::object;
use crate::{AddressSpace, Checked, Initial, Within};
use symex_terms::{Array, ArrayKind, BinOp, Expr, Kind, ObjectId, Pool, Value, Width};

/// Makes an input of `width` bits, for use as an offset.
fn var(pool: &mut Pool, input: u32, width: Width) -> Expr {
    let e = super::var(pool, input, width);
    pool.zext(e, 64)
}

fn place(id: ObjectId, offset: Expr) -> Checked {
    Checked::new(id, Value::Expr(offset))
}

fn scaled(pool: &mut Pool, i: Expr, by: u32, plus: u64) -> Expr {
    let by = pool.constant(64, u128::from(by));
    let e = pool.bin(BinOp::Shl, i, by);
    let plus = pool.constant(64, u128::from(plus));
    pool.add(e, plus)
}

fn selected(pool: &Pool, v: Value) -> (Array, Expr) {
    let Value::Expr(e) = v else {
        panic!("not a term: {v:?}");
    };
    let Kind::Select { array, index } = pool.kind(e) else {
        panic!("not a select: {:?}", pool.kind(e));
    };
    (array, index)
}

#[test]
fn an_array_of_pointers_is_a_table_of_bases() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let row = object(&mut m, 8, Initial::Zero);
    let rows = object(&mut m, 16 + 8 * 8, Initial::Uninit);
    for i in 0..8 {
        m.store(pool, rows, 16 + 8 * i, 64, Value::Ptr(row, i));
    }
    let i = var(pool, 0, 3);
    let offset = scaled(pool, i, 3, 16);
    let v = m.load_symbolic_parts(pool, place(rows, offset), 64);
    assert_eq!(v.written, None);
    let (array, index) = selected(pool, v.exact);
    assert_eq!(index, i);
    assert_eq!(pool.array_shape(array), (64, 8));
    for k in 0..8 {
        let k8 = pool.constant(64, k as u128);
        let e = pool.select(array, k8);
        assert_eq!(pool.value(e), Value::Ptr(row, k));
    }
}

#[test]
fn tables_are_as_narrow_as_the_offset_and_made_once() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let bytes = (0..=255u8).map(|b| b.wrapping_mul(7)).collect();
    let t = object(&mut m, 256, Initial::Bytes(bytes));
    let i = var(pool, 0, 4);
    let first = m.load_symbolic(pool, t, i, 8);
    assert_eq!(pool.array_shape(selected(pool, first).0), (8, 16));
    let made = pool.len();
    assert_eq!(m.load_symbolic(pool, t, i, 8), first);
    let mut fork = m.clone();
    assert_eq!(fork.load_symbolic(pool, t, i, 8), first);
    assert_eq!(pool.len(), made);
    assert!(fork.store_fast(t, 0, 1, 0, Value::Int(9)));
    assert_ne!(fork.load_symbolic(pool, t, i, 8), first);
    assert_eq!(m.load_symbolic(pool, t, i, 8), first);
    // One field of an array of structs of 16 bytes.
    let field = scaled(pool, i, 4, 8);
    let v = m.load_symbolic(pool, t, field, 32);
    let (array, index) = selected(pool, v);
    assert_eq!((pool.array_shape(array), index), ((32, 16), i));
}

#[test]
fn a_region_that_is_overwritten_is_gone() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = object(&mut m, 64, Initial::Zero);
    let i = var(pool, 0, 3);
    let offset = scaled(pool, i, 3, 0);
    m.store_symbolic(pool, place(a, offset), 64, Value::Int(5));
    assert_eq!(m.load_fast(a, 0, 8, 0), None);
    assert_eq!(m.regions_of(a), [(0, 64)]);
    for k in 0..8 {
        assert!(m.store_fast(a, 8 * k, 8, 0, Value::Int(k)));
        assert_eq!(m.load_fast(a, 8 * k, 8, 0), Some(Value::Int(k)));
    }
    let v = m.load_symbolic(pool, a, offset, 64);
    assert_eq!(m.regions_of(a), []);
    let (array, index) = selected(pool, v);
    assert_eq!(index, i);
    assert!(matches!(pool.array_kind(array), ArrayKind::Table(_)));
}

#[test]
fn fields_of_structs_are_regions_of_their_own() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let other = object(&mut m, 16, Initial::Zero);
    // Sixteen structs of a count, of 4 bytes, and a pointer.
    let a = object(&mut m, 256, Initial::Zero);
    for k in 0..16 {
        assert!(m.store_fast(a, 16 * k + 8, 8, 0, Value::Ptr(other, k)));
    }
    let i = var(pool, 0, 4);
    let (count, pointer) = (scaled(pool, i, 4, 0), scaled(pool, i, 4, 8));
    m.store_symbolic(pool, place(a, count), 32, Value::Int(1));
    assert_eq!(m.regions_of(a), [(0, 244)]);
    assert_eq!(m.load_fast(a, 8, 8, 0), Some(Value::Ptr(other, 0)));
    // The pointers are those that were stored, read in one piece.
    let v = m.load_symbolic(pool, a, pointer, 64);
    let (array, index) = selected(pool, v);
    assert_eq!((pool.array_shape(array), index), ((64, 16), i));
    assert_eq!(m.regions_of(a).len(), 1);
    // Stores to them leave the counts alone, and the other way around.
    m.store_symbolic(pool, place(a, pointer), 64, Value::Ptr(other, 5));
    let v = m.load_symbolic(pool, a, pointer, 64);
    assert_eq!(v, Value::Ptr(other, 5));
    assert_eq!(m.load_symbolic(pool, a, count, 32), Value::Int(1));
    assert_eq!(m.regions_of(a), [(0, 244), (8, 256)]);
    // What is not part of a field is not part of a region, though it lies between them.
    assert_eq!(m.load_fast(a, 4, 4, 0), Some(Value::Int(0)));
    // Every second struct is of the same fields.
    let half = var(pool, 1, 3);
    let second = scaled(pool, half, 5, 8);
    m.load_symbolic(pool, a, second, 64);
    assert_eq!(m.regions_of(a), [(0, 244), (8, 256)]);
    // An access to both fields makes one region of them.
    let both = scaled(pool, i, 4, 0);
    m.load_symbolic(pool, a, both, 64);
    assert_eq!(m.regions_of(a), [(0, 256)]);
    assert_eq!(m.load_symbolic(pool, a, count, 32), Value::Int(1));
}

#[test]
fn structs_that_are_closer_together_share_the_regions_of_their_fields() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = object(&mut m, 256, Initial::Zero);
    let (half, all) = (var(pool, 0, 3), var(pool, 1, 4));
    let second = scaled(pool, half, 5, 8);
    let first = scaled(pool, half, 5, 0);
    let every = scaled(pool, all, 4, 8);
    m.store_symbolic(pool, place(a, second), 64, Value::Int(1));
    m.store_symbolic(pool, place(a, first), 32, Value::Int(2));
    assert_eq!(m.regions_of(a), [(0, 228), (8, 240)]);
    // Twice as many of the second field; those of the first stay apart from it.
    m.store_symbolic(pool, place(a, every), 64, Value::Int(3));
    assert_eq!(m.regions_of(a), [(0, 228), (8, 256)]);
    assert_eq!(m.load_symbolic(pool, a, every, 64), Value::Int(3));
    assert_eq!(m.load_symbolic(pool, a, first, 32), Value::Int(2));
}

#[test]
fn accesses_join_the_regions_that_they_reach() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = object(&mut m, 256, Initial::Zero);
    let offset = |pool: &mut Pool, input, bits, by, first| {
        let i = var(pool, input, bits);
        scaled(pool, i, by, first)
    };
    let words = offset(pool, 0, 3, 3, 0);
    let bytes = offset(pool, 1, 4, 0, 100);
    let last = offset(pool, 2, 2, 2, 240);
    m.store_symbolic(pool, place(a, words), 64, Value::Int(5));
    m.store_symbolic(pool, place(a, bytes), 8, Value::Int(6));
    m.store_symbolic(pool, place(a, last), 32, Value::Int(7));
    assert_eq!(m.regions_of(a), [(0, 64), (100, 116), (240, 256)]);
    // What is between them is not part of any, and what is on top of one leaves the others alone.
    assert_eq!(m.load_fast(a, 64, 8, 0), Some(Value::Int(0)));
    assert!(m.store_fast(a, 104, 1, 0, Value::Int(1)));
    let v = m.load_symbolic_parts(pool, place(a, words), 64);
    assert_eq!(v.exact, Value::Int(5));
    // Reads between them go to no region, and reads that reach two join them.
    let between = offset(pool, 3, 4, 1, 64);
    m.load_symbolic_parts(pool, place(a, between), 8);
    assert_eq!(m.regions_of(a).len(), 3);
    let wide = offset(pool, 4, 5, 2, 0);
    m.load_symbolic_parts(pool, place(a, wide), 32);
    assert_eq!(m.regions_of(a), [(0, 128), (240, 256)]);
    // The parts of a split object are apart whatever the term says.
    let b = object(&mut m, 256, Initial::Zero);
    let anywhere = offset(pool, 5, 8, 0, 0);
    for from in [64, 192] {
        let within = Some(Within {
            from,
            to: from + 64,
        });
        let at = place(b, anywhere);
        m.store_symbolic(pool, Checked { within, ..at }, 8, Value::Int(9));
        let v = m.load_symbolic_parts(pool, Checked { within, ..at }, 8);
        assert_eq!(v.exact, Value::Int(9));
    }
    assert_eq!(m.regions_of(b), [(64, 128), (192, 256)]);
}

#[test]
fn reads_within_a_part_make_its_array_alone() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let bytes = (0..=255u8).collect();
    let t = object(&mut m, 256, Initial::Bytes(bytes));
    let i = var(pool, 0, 8);
    let whole = m.load_symbolic(pool, t, i, 8);
    assert_eq!(pool.array_shape(selected(pool, whole).0), (8, 256));
    let within = Some(Within { from: 64, to: 128 });
    let at = Checked {
        within,
        ..place(t, i)
    };
    let byte = m.load_symbolic_parts(pool, at, 8).exact;
    assert_eq!(pool.array_shape(selected(pool, byte).0), (8, 64));
    // One that begins in the part may end in the next.
    let word = m.load_symbolic_parts(pool, at, 32).exact;
    let Value::Expr(word) = word else {
        panic!("depends on the index")
    };
    let low = pool.extract(word, 0, 8);
    let low = pool.value(low);
    assert_eq!(pool.array_shape(selected(pool, low).0), (8, 67));
}

#[test]
fn a_store_leaves_what_it_cannot_reach() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = object(&mut m, 64, Initial::Zero);
    let i = var(pool, 0, 2);
    m.store_symbolic(pool, place(a, i), 8, Value::Int(5));
    assert_eq!(m.load_fast(a, 4, 4, 0), Some(Value::Int(0)));
    assert!(m.load_fast(a, 3, 1, 0).is_none());
    let wide = m.load(pool, a, 0, 64);
    let Value::Expr(e) = wide else {
        panic!("depends on the index");
    };
    assert_eq!(pool.width(e), 64);
}

#[test]
fn spare_capacity_does_not_taint_what_was_written() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = object(&mut m, 8, Initial::Uninit);
    for k in 0..5 {
        assert!(m.store_fast(a, k, 1, 0, Value::Int(k + 1)));
    }
    let i = var(pool, 0, 3);
    let v = m.load_symbolic_parts(pool, place(a, i), 8);
    let Value::Expr(value) = v.value else {
        panic!("depends on the index");
    };
    assert!(v.written.is_some());
    assert!(!pool.has_uninit(value));
    let j = var(pool, 1, 2);
    assert_eq!(m.load_symbolic_parts(pool, place(a, j), 8).written, None);
    // A store at a symbolic place leaves the written part written.
    m.store_symbolic(pool, place(a, j), 8, Value::Int(9));
    assert_eq!(m.load_parts(pool, a, 2, 8).written, None);
    assert_eq!(m.load_parts(pool, a, 4, 8).exact, Value::Int(5));
    assert_eq!(m.first_uninit(pool, a, 0, 8), Some(5));
}

#[test]
fn views_of_contents_tell_no_memories_apart() {
    let mut a = AddressSpace::default();
    let pool = &mut Pool::new();
    let bytes = (0..64).map(|byte| byte * 3).collect();
    let table = object(&mut a, 64, Initial::Bytes(bytes));
    let mut b = a.clone();
    let at = var(pool, 0, 6);
    b.load_symbolic_parts(pool, place(table, at), 8);
    let found = a.differences(pool, &b, 8).expect("they are alike");
    assert!(found.places.is_empty());
    // What was stored there lies in a region.
    let value = pool.constant(8, 7);
    b.store_symbolic(pool, place(table, at), 8, Value::Expr(value));
    assert!(a.differences(pool, &b, 8).is_none());
}
