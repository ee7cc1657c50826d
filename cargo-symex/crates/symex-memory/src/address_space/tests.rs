//! Tests of single objects: contents, bounds, liveness and addresses.

use super::*;
use crate::tests::{new_object, var};

fn heap(m: &mut AddressSpace, size: u64) -> ObjectId {
    m.allocate(new_object(
        size,
        ObjectKind::Heap(crate::Allocator::C),
        Initial::Uninit,
    ))
}

#[test]
fn the_fast_path_refuses_what_is_not_plain() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = heap(&mut m, 12);
    let word = Value::Int(7);
    assert_eq!(m.load_fast(a, 0, 8, 0), None);
    assert!(m.store_fast(a, 0, 8, 0, word));
    assert_eq!(m.load_fast(a, 0, 8, 0), Some(word));
    assert_eq!(m.load_fast(a, 4, 8, 0), None);
    for offset in [5, 12, 13, u64::MAX, u64::MAX - 7] {
        assert_eq!(m.load_fast(a, offset, 8, 0), None);
        assert!(!m.store_fast(a, offset, 8, 0, word));
    }
    let c = m.allocate(new_object(8, ObjectKind::Constant, Initial::Zero));
    assert!(!m.store_fast(c, 0, 8, 0, word));
    assert_eq!(m.load_fast(c, 0, 8, 0), Some(Value::Int(0)));
    m.store(pool, c, 0, 64, Value::Ptr(a, 4));
    assert_eq!(m.load_fast(c, 0, 8, 0), Some(Value::Ptr(a, 4)));
    let f = m.allocate(new_object(0, ObjectKind::Function, Initial::Uninit));
    assert!(m.is_live(f));
    assert_eq!(m.load_fast(f, 0, 1, 0), None);
    m.free(a);
    assert!(!m.is_live(a));
    assert_eq!(m.load_fast(a, 0, 8, 0), None);
    assert!(!m.store_fast(a, 0, 8, 0, word));
    assert_eq!(m.object(a).size, 12);
    assert_eq!(m.load_fast(ObjectId(99), 0, 1, 0), None);
}

#[test]
fn addresses_lead_back() {
    let mut m = AddressSpace::default();
    let kinds = [
        ObjectKind::Heap(crate::Allocator::C),
        ObjectKind::Stack,
        ObjectKind::Global,
        ObjectKind::Constant,
        ObjectKind::Function,
    ];
    let ids: Vec<ObjectId> = (0..300u64)
        .map(|i| m.allocate(new_object(i % 40, kinds[i as usize % 5], Initial::Zero)))
        .collect();
    assert_eq!(ids[0], ObjectId(1));
    assert_eq!(m.allocations(), 300);
    for id in &ids {
        let (at, size) = (m.object(*id).address, m.object(*id).size);
        assert_eq!(at % 8, 0);
        for offset in [0, size / 2, size] {
            assert_eq!(m.find(at + offset), Some((*id, offset)));
        }
        assert_eq!(m.find(at + size + 1), None);
        assert_eq!(m.find(at - 1), None);
    }
    let live = m.live();
    assert!(live.is_sorted_by_key(|id| m.object(*id).address));
    assert_eq!(live.len(), 300);
    let at = m.object(ids[7]).address;
    m.free(ids[7]);
    assert_eq!(m.find(at), None);
    assert_eq!(m.find_ended(at), Some((ids[7], 0)));
    assert_eq!(m.live().len(), 299);
    for wild in [0, 1, u64::MAX, 1 << 63] {
        assert_eq!(m.find(wild), None);
    }
    let huge = new_object(
        u64::MAX,
        ObjectKind::Heap(crate::Allocator::C),
        Initial::Uninit,
    );
    assert_eq!(m.try_allocate(huge), None);
}

#[test]
fn values_come_back_as_they_were() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = heap(&mut m, 64);
    let x = var(pool, 0, 128);
    m.store(pool, a, 3, 128, Value::Expr(x));
    assert_eq!(m.load(pool, a, 3, 128), Value::Expr(x));
    let low = pool.extract(x, 0, 32);
    assert_eq!(m.load(pool, a, 3, 32), Value::Expr(low));
    let bit = var(pool, 1, 1);
    m.store(pool, a, 40, 1, Value::Expr(bit));
    assert_eq!(m.load(pool, a, 40, 1), Value::Expr(bit));
    assert_eq!(m.first_uninit(pool, a, 40, 2), Some(41));
    m.store(pool, a, 40, 1, Value::Int(1));
    assert_eq!(m.load(pool, a, 40, 8), Value::Int(1));
    let wide = pool.constant(128, 5 << 100);
    m.store(pool, a, 20, 128, Value::Expr(wide));
    assert_eq!(m.load(pool, a, 20, 128), Value::Expr(wide));
    assert_eq!(
        m.concrete_bytes(a, 20, 16),
        Some((5u128 << 100).to_le_bytes().to_vec())
    );
}

#[test]
fn pointers_survive_being_copied_byte_by_byte() {
    for size in [32, 300] {
        let mut m = AddressSpace::default();
        let pool = &mut Pool::new();
        let (a, b) = (heap(&mut m, size), heap(&mut m, size));
        let p = Value::Ptr(b, 24);
        m.store(pool, a, size - 8, 64, p);
        for i in 0..8 {
            let byte = m.load(pool, a, size - 8 + i, 8);
            m.store(pool, b, 3 + i, 8, byte);
        }
        assert_eq!(m.load(pool, b, 3, 64), p);
        m.copy(pool, (b, 2), (b, 3), 8);
        assert_eq!(m.load(pool, b, 2, 64), p);
        assert_eq!(m.load(pool, a, size - 8, 64), p);
    }
    // Across the border of two pages it is kept in two parts.
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = heap(&mut m, 600);
    let p = Value::Ptr(a, 8);
    assert!(!m.store_fast(a, 252, 8, 0, p));
    m.store(pool, a, 252, 64, p);
    assert_eq!(m.load(pool, a, 252, 64), p);
}

#[test]
fn unwritten_bytes_are_the_same_variables_in_all_widths() {
    let mut m = AddressSpace::default();
    let pool = &mut Pool::new();
    let a = heap(&mut m, 16);
    let Value::Expr(all) = m.load(pool, a, 0, 64) else {
        panic!("unwritten memory is a term");
    };
    assert!(pool.has_uninit(all));
    let part = pool.extract(all, 16, 16);
    assert_eq!(m.load(pool, a, 2, 16), Value::Expr(part));
    m.fill(pool, a, 0, 16, Value::Int(3));
    assert_eq!(m.first_uninit(pool, a, 0, 16), None);
    m.store(pool, a, 4, 32, Value::Undef);
    assert_eq!(m.first_uninit(pool, a, 0, 16), Some(4));
    assert_eq!(m.load_fast(a, 4, 4, 0), None);
    let b = heap(&mut m, 16);
    m.fill(pool, b, 0, 16, Value::Int(3));
    m.copy(pool, (b, 0), (a, 0), 16);
    assert_eq!(m.first_uninit(pool, b, 0, 16), Some(4));
    assert_eq!(m.first_uninit(pool, b, 8, 8), None);
}

#[test]
fn forks_share_until_they_write() {
    let mut a = AddressSpace::default();
    let id = heap(&mut a, 1 << 16);
    assert!(a.store_fast(id, 0, 8, 0, Value::Int(1)));
    let mut b = a.clone();
    assert!(b.store_fast(id, 0, 8, 0, Value::Int(2)));
    let only_b = heap(&mut b, 8);
    assert_eq!(a.load_fast(id, 0, 8, 0), Some(Value::Int(1)));
    assert_eq!(b.load_fast(id, 0, 8, 0), Some(Value::Int(2)));
    assert!(!a.is_live(only_b));
    b.free(id);
    assert!(a.is_live(id));
}
