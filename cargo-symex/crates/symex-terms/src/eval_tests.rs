use crate::*;
use std::cell::Cell;

fn input(pool: &mut Pool, part: u32, width: Width) -> (Expr, Var) {
    let e = pool.var(VarInfo {
        name: "x".into(),
        width,
        origin: Origin::Input { input: 0, part },
    });
    let Kind::Var(v) = pool.kind(e) else {
        unreachable!()
    };
    (e, v)
}

struct Moving(Cell<u64>);

impl AddressMap for Moving {
    fn address(&self, object: ObjectId) -> u64 {
        LOWEST_ADDRESS + self.0.get() + u64::from(object.0)
    }
}

#[test]
fn a_changed_assignment_is_noticed() {
    let p = &mut Pool::new();
    let (x, vx) = input(p, 0, 32);
    let (y, vy) = input(p, 1, 32);
    let e = p.bin(BinOp::Mul, x, y);
    let mut a = Assignment::default();
    a.set(vx, 3);
    a.set(vy, 4);
    assert_eq!(p.eval(e, &a, &NoAddresses), 12);
    // In place, in a copy, and in storage that may have been freed and given out again.
    a.set(vy, 5);
    assert_eq!(p.eval(e, &a, &NoAddresses), 15);
    for i in 0..100 {
        let mut b = Assignment::default();
        b.set(vx, i);
        b.set(vy, 7);
        assert_eq!(p.eval(e, &b, &NoAddresses), 7 * i);
    }
    assert_eq!(p.eval(e, &a, &NoAddresses), 15);
}

#[test]
fn addresses_are_asked_again_in_each_call() {
    let p = &mut Pool::new();
    let (x, vx) = input(p, 0, 64);
    let base = p.base(ObjectId(3), 0);
    let e = p.bin(BinOp::Mul, base, x);
    let mut a = Assignment::default();
    a.set(vx, 2);
    let map = Moving(Cell::new(100));
    let twice = |address: u64| 2 * u128::from(LOWEST_ADDRESS + address);
    assert_eq!(p.eval(e, &a, &map), twice(103));
    map.0.set(200);
    assert_eq!(p.eval(e, &a, &map), twice(203));
    assert_eq!(p.eval(x, &a, &map), 2);
}

#[test]
fn the_newest_store_wins_and_past_the_end_is_zero() {
    let p = &mut Pool::new();
    let (i, vi) = input(p, 0, 64);
    let (j, vj) = input(p, 1, 64);
    let (x, vx) = input(p, 2, 8);
    let (y, vy) = input(p, 3, 8);
    let elems = (10..14).map(|v| p.constant(8, v)).collect();
    let table = p.table(elems);
    let array = p.store(table, i, x);
    let array = p.store(array, j, y);
    let (k, vk) = input(p, 4, 64);
    let e = p.select(array, k);
    let mut a = Assignment::default();
    a.set(vx, 77);
    a.set(vy, 88);
    for (i, j, k, want) in [
        (1, 2, 0, 10),
        (1, 2, 1, 77),
        (1, 2, 2, 88),
        (1, 1, 1, 88),
        (1, 2, 4, 0),
        (1, 2, u64::MAX, 0),
    ] {
        a.set(vi, i);
        a.set(vj, j);
        a.set(vk, k as u128);
        assert_eq!(p.eval(e, &a, &NoAddresses), want, "{i} {j} {k}");
    }
}

#[test]
fn only_the_taken_branch_of_an_ite_is_evaluated() {
    let p = &mut Pool::new();
    let (c, vc) = input(p, 0, 1);
    let (x, vx) = input(p, 1, 64);
    let base = p.base(ObjectId(0), 3);
    let e = p.ite(c, x, base);
    let mut a = Assignment::default();
    a.set(vc, 1);
    a.set(vx, 9);
    // `NoAddresses` panics when asked.
    assert_eq!(p.eval(e, &a, &NoAddresses), 9);
}
