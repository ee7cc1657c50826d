use super::*;
use crate::{ObjectId, Origin, VarInfo};

fn byte(pool: &mut Pool, n: u32) -> Expr {
    pool.var(VarInfo {
        name: "x".into(),
        width: 8,
        origin: Origin::Input { input: n, part: 0 },
    })
}

fn less(pool: &mut Pool, a: Expr, n: u128) -> Expr {
    let c = pool.constant(8, n);
    pool.ult(a, c)
}

#[test]
fn a_slice_holds_what_is_connected_in_order() {
    let mut p = Pool::new();
    let x: Vec<Expr> = (0..4).map(|i| byte(&mut p, i)).collect();
    let singles: Vec<Expr> = (0..4)
        .map(|i| less(&mut p, x[i], 100 + i as u128))
        .collect();
    let mut pc = PathCondition::default();
    for i in [2, 0, 3, 1] {
        pc.add(&mut p, singles[i]);
    }
    assert_eq!(pc.slice(&p, x[0]), [singles[0]]);
    let link = p.ult(x[0], x[3]);
    pc.add(&mut p, link);
    assert_eq!(pc.slice(&p, x[3]), [singles[0], singles[3], link]);
    assert_eq!(pc.slice(&p, x[1]), [singles[1]]);
    let both = p.ult(x[1], x[0]);
    assert_eq!(
        pc.slice(&p, both),
        [singles[0], singles[3], singles[1], link]
    );
    assert_eq!(
        pc.all(),
        [singles[2], singles[0], singles[3], singles[1], link]
    );
    assert_eq!(pc.len(), 5);
}

#[test]
fn what_is_there_is_not_added_again() {
    let mut p = Pool::new();
    let (x, y) = (byte(&mut p, 0), byte(&mut p, 1));
    let (a, b) = (less(&mut p, x, 9), less(&mut p, y, 9));
    let both = p.and(a, b);
    let mut pc = PathCondition::default();
    pc.add(&mut p, a);
    pc.add(&mut p, both);
    let yes = p.bool(true);
    pc.add(&mut p, yes);
    assert_eq!(pc.all(), [a, b]);
    assert!(pc.contains(&p, b));
    let other = less(&mut p, x, 8);
    assert!(!pc.contains(&p, other));
}

#[test]
fn forks_do_not_see_each_other() {
    let mut p = Pool::new();
    let x = byte(&mut p, 0);
    let (a, b, c) = (less(&mut p, x, 9), less(&mut p, x, 8), less(&mut p, x, 7));
    let mut left = PathCondition::default();
    left.add(&mut p, a);
    let mut right = left.clone();
    left.add(&mut p, b);
    right.add(&mut p, c);
    assert_eq!(left.all(), [a, b]);
    assert_eq!(right.all(), [a, c]);
}

#[test]
fn bases_do_not_connect() {
    let mut p = Pool::new();
    let base = p.base(ObjectId(3), 4);
    let with_base = |p: &mut Pool, n| {
        let x = byte(p, n);
        let wide = p.zext(x, 64);
        let sum = p.add(base, wide);
        let c = p.constant(64, 0x1000_0000_0000);
        (x, p.ult(sum, c))
    };
    let ((x, a), (_, b)) = (with_base(&mut p, 0), with_base(&mut p, 1));
    let mut pc = PathCondition::default();
    pc.add(&mut p, a);
    pc.add(&mut p, b);
    assert_eq!(pc.slice(&p, x), [a]);
}

#[test]
fn a_deep_conjunction_is_split() {
    let mut p = Pool::new();
    let mut all = p.bool(true);
    for i in 0..2000 {
        let x = byte(&mut p, i);
        let c = less(&mut p, x, 9);
        all = p.and(all, c);
    }
    let mut pc = PathCondition::default();
    pc.add(&mut p, all);
    assert_eq!(pc.len(), 2000);
}

#[test]
fn constraints_take_the_form_they_have_under_earlier_equations() {
    let mut p = Pool::new();
    let (x, y) = (byte(&mut p, 0), byte(&mut p, 1));
    let five = p.constant(8, 5);
    let before = p.ult(y, x);
    let is_five = p.eq(x, five);
    let sum = p.add(x, y);
    let after = less(&mut p, sum, 100);
    let mut pc = PathCondition::default();
    for c in [before, is_five, after] {
        pc.add(&mut p, c);
    }
    let eight = p.add(y, five);
    let reduced = less(&mut p, eight, 100);
    assert_eq!(pc.all(), [before, is_five, reduced]);
    for c in [before, is_five, after, reduced] {
        assert!(pc.contains(&p, c));
    }
    // What the equations decide says nothing new; a contradiction is not hidden.
    let implied = less(&mut p, x, 9);
    pc.add(&mut p, implied);
    assert_eq!(pc.len(), 3);
    assert!(pc.contains(&p, implied));
    let false_now = less(&mut p, x, 4);
    pc.add(&mut p, false_now);
    assert_eq!(pc.len(), 4);
}

#[test]
fn conditions_are_split_by_what_a_goal_depends_on() {
    let mut p = Pool::new();
    let x: Vec<Expr> = (0..5).map(|i| byte(&mut p, i)).collect();
    let single = less(&mut p, x[4], 9);
    let (far, near) = (p.ult(x[2], x[1]), p.ult(x[1], x[0]));
    let apart = p.ult(x[3], x[4]);
    let conditions = [single, far, apart, near];
    let goal = less(&mut p, x[0], 3);
    assert_eq!(
        connected(&mut p, &conditions, goal),
        (vec![far, near], vec![single, apart])
    );
    let all = p.ult(x[2], x[3]);
    assert_eq!(
        connected(&mut p, &conditions, all),
        (conditions.to_vec(), vec![])
    );
}
