use super::*;
use crate::Chain;
use symex_terms::{BinOp, NoAddresses, Origin, VarInfo, Width};
use symex_types::config::SolverConfig;

/// More time than any of these needs.
const LONG: Duration = Duration::from_secs(600);

struct Path {
    pool: Pool,
    chain: Chain,
    condition: PathCondition,
    assignment: Assignment,
}

impl Path {
    fn new() -> Self {
        Path {
            pool: Pool::new(),
            chain: Chain::new(&SolverConfig::default()),
            condition: PathCondition::default(),
            assignment: Assignment::default(),
        }
    }

    fn input(&mut self, draw: u32, width: Width) -> (Expr, Var) {
        let x = self.pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { draw, part: 0 },
        });
        let Kind::Var(v) = self.pool.kind(x) else {
            unreachable!()
        };
        (x, v)
    }

    /// Adds a constraint as the executor does: with an assignment that satisfies it.
    fn assume(&mut self, c: Expr) {
        let answer = self.ask(|ask, pool| ask.may_be_true(pool, c, Purpose::Check));
        let Answer::Sat(a) = answer else {
            panic!("{answer:?}")
        };
        self.condition.add(&mut self.pool, c);
        self.assignment = a;
    }

    fn ask<T>(&mut self, f: impl FnOnce(&mut Ask, &mut Pool) -> T) -> T {
        let mut ask = Ask {
            solver: &mut self.chain,
            condition: &self.condition,
            addresses: &NoAddresses,
            assignment: &self.assignment,
        };
        f(&mut ask, &mut self.pool)
    }

    fn holds(&mut self, a: &Assignment) -> bool {
        self.condition
            .all()
            .into_iter()
            .all(|c| self.pool.eval(c, a, &NoAddresses) == 1)
    }
}

#[test]
fn bounds_are_those_of_the_condition() {
    let mut p = Path::new();
    let (x, _) = p.input(0, 32);
    let (low, high) = (p.pool.constant(32, 1000), p.pool.constant(32, 70_000));
    let (c, d) = (p.pool.ule(low, x), p.pool.ule(x, high));
    p.assume(c);
    p.assume(d);
    let three = p.pool.constant(32, 3);
    let scaled = p.pool.bin(BinOp::Mul, x, three);
    let range = p.ask(|ask, pool| ask.range(pool, scaled, Purpose::Value));
    assert_eq!((range.low, range.high, range.exact), (3000, 210_000, true));
    let (least, at) = p.ask(|ask, pool| ask.min(pool, x, Purpose::Value));
    let at = at.unwrap();
    assert_eq!(least, 1000);
    assert_eq!(p.pool.eval(x, &at, &NoAddresses), 1000);
    assert!(p.holds(&at));
}

#[test]
fn what_must_hold_is_told_from_what_may() {
    let mut p = Path::new();
    let (x, _) = p.input(0, 16);
    let ten = p.pool.constant(16, 10);
    let c = p.pool.ult(x, ten);
    p.assume(c);
    let (eleven, five) = (p.pool.constant(16, 11), p.pool.constant(16, 5));
    let (sure, open) = (p.pool.ult(x, eleven), p.pool.ult(x, five));
    assert!(matches!(
        p.ask(|a, pool| a.must_be_true(pool, sure, Purpose::Check)),
        Must::Yes
    ));
    let Must::No(counter) = p.ask(|a, pool| a.must_be_true(pool, open, Purpose::Check)) else {
        panic!("it need not")
    };
    assert!(p.holds(&counter) && p.pool.eval(open, &counter, &NoAddresses) == 0);
}

#[test]
fn values_are_listed_up_to_a_limit() {
    let mut p = Path::new();
    let (x, _) = p.input(0, 32);
    let six = p.pool.constant(32, 6);
    let masked = p.pool.and(x, six);
    let found = p.ask(|a, pool| a.all_values(pool, masked, 10, Purpose::Resolve));
    let mut values: Vec<u128> = found.values.iter().map(|v| v.0).collect();
    values.sort_unstable();
    assert_eq!(values, [0, 2, 4, 6]);
    assert!(found.complete && found.unknown.is_none());
    for (v, a) in &found.values {
        assert_eq!(p.pool.eval(masked, a, &NoAddresses), *v);
    }
    let found = p.ask(|a, pool| a.all_values(pool, masked, 3, Purpose::Resolve));
    assert_eq!(found.values.len(), 3);
    assert!(!found.complete);
    let exactly = p.ask(|a, pool| a.all_values(pool, masked, 4, Purpose::Resolve));
    assert!(exactly.complete);
}

#[test]
fn inputs_become_small_and_readable() {
    let mut p = Path::new();
    let (x, vx) = p.input(0, 32);
    let (y, vy) = p.input(1, 8);
    let (z, vz) = p.input(2, 64);
    let (w, vw) = p.input(3, 32);
    // x * 7 > 1000, y is no control character and no space, z is free, w follows x.
    let seven = p.pool.constant(32, 7);
    let limit = p.pool.constant(32, 1_000_000);
    let below = p.pool.ult(x, limit);
    p.assume(below);
    let product = p.pool.bin(BinOp::Mul, x, seven);
    let thousand = p.pool.constant(32, 1000);
    let c = p.pool.ult(thousand, product);
    p.assume(c);
    let space = p.pool.constant(8, 0x20);
    let c = p.pool.ult(space, y);
    p.assume(c);
    let _ = z;
    let c = p.pool.ult(x, w);
    p.assume(c);
    p.assignment.set(vz, 0xdead_beef);
    p.assignment.set(vy, 0xf3);
    let small = p.ask(|a, pool| a.minimise(pool, &[vx, vy, vz, vw], Effort::new(200, LONG)));
    assert!(p.holds(&small));
    assert_eq!(small.get(vx), 143);
    assert_eq!(small.get(vy), b'a' as u128);
    assert_eq!(small.get(vz), 0);
    assert_eq!(small.get(vw), 144);
    // Without queries it is less small but still right.
    let quick = p.ask(|a, pool| a.minimise(pool, &[vx, vy, vz, vw], Effort::new(0, LONG)));
    assert!(p.holds(&quick));
    assert_eq!(quick.get(vz), 0);
}

/// Answers nothing.
struct Clueless;

impl Solver for Clueless {
    fn check(&mut self, _: &mut Pool, _: &Query) -> Answer {
        Answer::Unknown(Unknown::Timeout)
    }
}

#[test]
fn an_unknown_stays_one() {
    let mut p = Path::new();
    let (x, vx) = p.input(0, 8);
    p.assignment.set(vx, 9);
    let mut ask = Ask {
        solver: &mut Clueless,
        condition: &p.condition,
        addresses: &NoAddresses,
        assignment: &p.assignment,
    };
    let pool = &mut p.pool;
    let five = pool.constant(8, 5);
    let goal = pool.eq(x, five);
    assert!(matches!(
        ask.may_be_true(pool, goal, Purpose::Branch),
        Answer::Unknown(Unknown::Timeout)
    ));
    let not = pool.not(goal);
    assert!(matches!(
        ask.must_be_true(pool, not, Purpose::Branch),
        Must::Unknown(Unknown::Timeout)
    ));
    let range = ask.range(pool, x, Purpose::Value);
    assert_eq!((range.low, range.high, range.exact), (0, 255, false));
    let values = ask.all_values(pool, x, 5, Purpose::Value);
    assert_eq!(
        (values.values.len(), values.complete, values.unknown),
        (1, false, Some(Unknown::Timeout))
    );
}
