use super::*;
use crate::Chain;
use crate::Unknown;
use symex_terms::{BinOp, NoAddresses, Origin, VarInfo, Width};
use symex_types::config::SolverConfig;

/// More time than any of these tests needs.
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

    fn input(&mut self, input: u32, width: Width) -> (Expr, Var) {
        let x = self.pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input, part: 0 },
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
fn what_must_hold_is_told_from_what_may() {
    let mut p = Path::new();
    let (x, _) = p.input(0, 16);
    let ten = p.pool.constant(16, 10);
    let c = p.pool.ult(x, ten);
    p.assume(c);
    let (eleven, five) = (p.pool.constant(16, 11), p.pool.constant(16, 5));
    let (sure, open) = (p.pool.ult(x, eleven), p.pool.ult(x, five));
    assert!(matches!(
        p.ask(|a, pool| a.counterexample(pool, sure, Purpose::Check)),
        Answer::Unsat
    ));
    let answer = p.ask(|a, pool| a.counterexample(pool, open, Purpose::Check));
    let Answer::Sat(counter) = answer else {
        panic!("it need not")
    };
    assert!(p.holds(&counter) && p.pool.eval(open, &counter, &NoAddresses) == 0);
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
    let small = p.ask(|a, pool| a.minimise(pool, &[vx, vy, vz, vw], QueryBudget::new(200, LONG)));
    assert!(p.holds(&small));
    assert_eq!(small.get(vx), 143);
    assert_eq!(small.get(vy), b'a' as u128);
    assert_eq!(small.get(vz), 0);
    assert_eq!(small.get(vw), 144);
    // Without queries it is less small but still right.
    let quick = p.ask(|a, pool| a.minimise(pool, &[vx, vy, vz, vw], QueryBudget::new(0, LONG)));
    assert!(p.holds(&quick));
    assert_eq!(quick.get(vz), 0);
}

/// Solver that answers every query with unknown.
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
        ask.counterexample(pool, not, Purpose::Branch),
        Answer::Unknown(Unknown::Timeout)
    ));
}
