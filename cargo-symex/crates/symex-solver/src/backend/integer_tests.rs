use super::*;
use crate::backend::{Z3, Z3Settings};
use crate::{Answer, Purpose, Query, Solver};
use std::time::Duration;
use symex_terms::{Assignment, NoAddresses, Origin, VarInfo};
use symex_testing::random::TestRandom;

/// Generator of random terms.
struct Terms(TestRandom);

impl Terms {
    /// Draws a value that is small, near the ends, near a power of two, or any.
    fn value(&mut self, width: Width) -> u128 {
        let near = (self.0.below(13) as u128).wrapping_sub(6);
        match self.0.below(4) {
            0 => near,
            1 => (1u128 << (width - 1)).wrapping_add(near),
            2 => (1u128 << self.0.below(width as usize)).wrapping_add(near),
            _ => (self.0.below(usize::MAX) as u128) << 64 | self.0.below(usize::MAX) as u128,
        }
    }

    fn constant(&mut self, pool: &mut Pool, width: Width) -> Expr {
        let v = self.value(width);
        pool.constant(width, v)
    }

    /// Draws a term, mostly of operators that integers can express.
    fn term(&mut self, pool: &mut Pool, vars: &[Expr], width: Width, depth: u32) -> Expr {
        use BinOp::*;
        if depth == 0 {
            if self.0.below(6) == 0 {
                return self.constant(pool, width);
            }
            let v = self.0.pick(vars);
            let from = pool.width(v);
            return match self.0.below(2) {
                _ if from == width => v,
                0 if from < width => pool.sext(v, width),
                1 if from < width => pool.zext(v, width),
                n => pool.extract(v, n as Width * (from - width), width),
            };
        }
        let d = depth - 1;
        match self.0.below(20) {
            18 | 19 => {
                let (a, b) = (
                    self.term(pool, vars, width, d),
                    self.term(pool, vars, width, d),
                );
                let op = self.0.pick(&[Mul, Mul, UDiv, URem, SDiv, SRem]);
                pool.bin(op, a, b)
            }
            0..4 => {
                let (a, b) = (
                    self.term(pool, vars, width, d),
                    self.term(pool, vars, width, d),
                );
                let op = self.0.pick(&[Add, Sub]);
                pool.bin(op, a, b)
            }
            4..9 => {
                let (a, c) = (self.term(pool, vars, width, d), self.constant(pool, width));
                let op = self.0.pick(&[
                    Add, Mul, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr, And, Or, Xor,
                ]);
                let c = match op {
                    Shl | LShr | AShr => {
                        let by = self.0.below(width as usize);
                        pool.constant(width, by as u128)
                    }
                    _ => c,
                };
                pool.bin(op, a, c)
            }
            9 => {
                let a = self.term(pool, vars, width, d);
                pool.not(a)
            }
            10 if width > 1 => {
                let low = 1 + self.0.below(width as usize - 1) as Width;
                let (hi, lo) = (
                    self.term(pool, vars, width - low, d),
                    self.term(pool, vars, low, d),
                );
                pool.concat(hi, lo)
            }
            11 => {
                let more = self.0.below(4) as Width;
                let a = self.term(pool, vars, (width + more).min(128), d);
                let lo = self.0.below((pool.width(a) - width + 1) as usize) as Width;
                pool.extract(a, lo, width)
            }
            12 if width > 1 => {
                let from = 1 + self.0.below(width as usize - 1) as Width;
                let a = self.term(pool, vars, from, d);
                match self.0.below(2) {
                    0 => pool.zext(a, width),
                    _ => pool.sext(a, width),
                }
            }
            13 => {
                let by = match self.0.below(2) {
                    0 => {
                        let c = self.condition(pool, vars, 0);
                        let (a, b) = (self.constant(pool, width), self.constant(pool, width));
                        pool.ite(c, a, b)
                    }
                    _ => self.element(pool, vars, width, 0),
                };
                let a = self.term(pool, vars, width, d);
                let op = self.0.pick(&[Mul, UDiv, URem]);
                pool.bin(op, a, by)
            }
            14 => self.element(pool, vars, width, d),
            _ => {
                let c = self.condition(pool, vars, d);
                let (a, b) = (
                    self.term(pool, vars, width, d),
                    self.term(pool, vars, width, d),
                );
                pool.ite(c, a, b)
            }
        }
    }

    fn element(&mut self, pool: &mut Pool, vars: &[Expr], width: Width, depth: u32) -> Expr {
        let elems: Vec<Expr> = (0..1 + self.0.below(5))
            .map(|_| self.constant(pool, width))
            .collect();
        let len = pool.constant(8, elems.len() as u128);
        let table = pool.table(elems.into());
        let index = self.term(pool, vars, 8, depth);
        let index = pool.bin(BinOp::URem, index, len);
        let index = pool.zext(index, 64);
        pool.select(table, index)
    }

    fn condition(&mut self, pool: &mut Pool, vars: &[Expr], depth: u32) -> Expr {
        use BinOp::*;
        let width = match self.0.below(3) {
            0 => pool.width(vars[0]),
            1 => pool.width(vars[1]),
            _ => 1 + self.0.below(16) as Width,
        };
        let a = self.term(pool, vars, width, depth);
        let op = self.0.pick(&[Eq, ULt, ULe, SLt, SLe, UMulO, SMulO]);
        let b = match self.0.below(3) {
            0 if matches!(op, UMulO | SMulO) => self.element(pool, vars, width, 0),
            0 => self.term(pool, vars, width, depth),
            _ => self.constant(pool, width),
        };
        let (a, b) = match self.0.below(4) {
            0 => (b, a),
            _ => (a, b),
        };
        let c = pool.bin(op, a, b);
        match self.0.below(3) {
            0 => pool.not(c),
            1 if depth > 0 => {
                let other = self.condition(pool, vars, depth - 1);
                let op = self.0.pick(&[And, Or, Xor]);
                pool.bin(op, c, other)
            }
            _ => c,
        }
    }
}

fn inputs(pool: &mut Pool, widths: [Width; 2]) -> Vec<Expr> {
    let mut vars = Vec::new();
    for (i, width) in widths.into_iter().enumerate() {
        vars.push(pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input {
                input: i as u32,
                part: 0,
            },
        }));
    }
    vars
}

/// Time for a query: most that are decided at all take milliseconds.
const LIMIT: Duration = Duration::from_millis(100);

fn check(pool: &Pool, conditions: &[Expr]) -> AttemptResult {
    let integers = Integers::encode(pool, conditions, 1).unwrap();
    let Some(integers) = integers else {
        // Nothing to calculate.
        return AttemptResult {
            verdict: CheckResult::Unknown("trivial".into()),
            values: Vec::new(),
            exact: true,
            work: 0,
        };
    };
    let end = Instant::now() + LIMIT;
    integers
        .check(u32::MAX, end, &InterruptHandle::new(), false)
        .unwrap()
}

fn satisfies(pool: &mut Pool, conditions: &[Expr], values: &[(Var, u128)]) -> bool {
    let mut a = Assignment::default();
    for (v, value) in values {
        a.set(*v, *value);
    }
    conditions
        .iter()
        .all(|c| pool.eval(*c, &a, &NoAddresses) == 1)
}

fn show(pool: &Pool, conditions: &[Expr]) -> String {
    let lines: Vec<String> = conditions
        .iter()
        .map(|c| pool.display(*c).to_string())
        .collect();
    lines.join("\n")
}

/// Counts of queries by how they were decided.
#[derive(Default, Debug)]
struct Tally {
    sat: u64,
    unsat: u64,
    open: u64,
}

impl Tally {
    /// Decides a query, and checks the answer: if unsatisfiable, another solver finds no solution
    /// either; if satisfiable, the values are a solution.
    fn decide(
        &mut self,
        pool: &mut Pool,
        conditions: &[Expr],
        seed: u64,
        solution: impl FnOnce(&mut Pool) -> Option<String>,
    ) {
        let outcome = check(pool, conditions);
        match outcome.verdict {
            CheckResult::Unsat => {
                let solution = solution(pool);
                assert_eq!(solution, None, "seed {seed}: {}", show(pool, conditions));
                self.unsat += 1;
            }
            CheckResult::Sat if outcome.exact => {
                assert!(
                    satisfies(pool, conditions, &outcome.values),
                    "seed {seed}: {:?} {}",
                    outcome.values,
                    show(pool, conditions)
                );
                self.sat += 1;
            }
            _ => self.open += 1,
        }
    }

    fn decided_many_of(&self, rounds: u64) {
        println!("{self:?}");
        assert!(
            self.sat > rounds / 4 && self.unsat > rounds / 10,
            "{self:?}"
        );
    }
}

#[test]
fn small_queries_are_decided_as_by_trying_all_values() {
    let mut tally = Tally::default();
    let rounds = if cfg!(debug_assertions) { 400 } else { 3000 };
    for seed in 0..rounds {
        let (pool, terms) = (&mut Pool::new(), &mut Terms(TestRandom::new(seed)));
        let first = 1 + terms.0.below(8) as Width;
        let widths = [first, 1 + terms.0.below(11 - first as usize) as Width];
        let vars = inputs(pool, widths);
        let conditions: Vec<Expr> = (0..1 + terms.0.below(4))
            .map(|_| terms.condition(pool, &vars, 3))
            .collect();
        let names: Vec<Var> = vars
            .iter()
            .map(|v| match pool.kind(*v) {
                Kind::Var(v) => v,
                _ => unreachable!(),
            })
            .collect();
        tally.decide(pool, &conditions, seed, |pool| {
            let pairs =
                (0..1u128 << widths[0]).flat_map(|x| (0..1u128 << widths[1]).map(move |y| (x, y)));
            let mut solutions = pairs
                .filter(|(x, y)| satisfies(pool, &conditions, &[(names[0], *x), (names[1], *y)]));
            solutions.next().map(|values| format!("{values:?}"))
        });
    }
    tally.decided_many_of(rounds);
}

#[test]
fn the_least_number_by_minus_one_is_itself_in_its_width_only() {
    let pool = &mut Pool::new();
    let vars = inputs(pool, [16, 16]);
    let (x, y) = (vars[0], vars[1]);
    let narrow = pool.bin(BinOp::SDiv, x, y);
    let narrow = pool.sext(narrow, 32);
    let (x, y) = (pool.sext(x, 32), pool.sext(y, 32));
    let wide = pool.bin(BinOp::SDiv, x, y);
    let same = pool.eq(narrow, wide);
    let differ = pool.not(same);
    assert_ne!(check(pool, &[differ]).verdict, CheckResult::Unsat);
    let minus_one = pool.constant(32, u128::MAX);
    let is_minus_one = pool.eq(y, minus_one);
    let is_another = pool.not(is_minus_one);
    let zero = pool.constant(32, 0);
    let is_zero = pool.eq(y, zero);
    let is_number = pool.not(is_zero);
    let verdict = check(pool, &[is_number, is_another, differ]).verdict;
    assert_eq!(verdict, CheckResult::Unsat);
}

#[test]
fn wide_queries_are_decided_as_by_bit_vectors() {
    let mut tally = Tally::default();
    let rounds = if cfg!(debug_assertions) { 150 } else { 1000 };
    for seed in 0..rounds {
        let (pool, terms) = (
            &mut Pool::new(),
            &mut Terms(TestRandom::new(seed + 1_000_000)),
        );
        let widths = [16, 20, 32, 33, 64, 65, 100, 126, 127, 128];
        let widths = [terms.0.pick(&widths), terms.0.pick(&widths)];
        let vars = inputs(pool, widths);
        let conditions: Vec<Expr> = (0..1 + terms.0.below(5))
            .map(|_| terms.condition(pool, &vars, 2))
            .collect();
        tally.decide(pool, &conditions, seed, |pool| {
            let settings = Z3Settings {
                timeout: Duration::from_secs(1),
                memory: u64::MAX,
                log: None,
                compare_stores: true,
            };
            let goal = *conditions.last().unwrap();
            let query = Query {
                constraints: &conditions[..conditions.len() - 1],
                goal,
                addresses: &NoAddresses,
                hint: &Assignment::default(),
                purpose: Purpose::Check,
            };
            let mut z3 = Z3::new(settings, InterruptHandle::new());
            z3.integers = false;
            match z3.check(pool, &query) {
                Answer::Sat(a) => Some(format!("{a:?}")),
                _ => None,
            }
        });
    }
    tally.decided_many_of(rounds);
}
