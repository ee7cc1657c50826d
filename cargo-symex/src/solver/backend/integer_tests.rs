use super::*;
use crate::expr::{Assignment, NoAddresses, Origin, VarInfo};
use crate::solver::backend::{Z3, Z3Settings};
use crate::solver::{Answer, Purpose, Query, Solver};
use std::time::Duration;

/// A small generator of fixed sequences (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) % n
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// Small, near the ends, near a power of two, or any.
    fn value(&mut self, width: Width) -> u128 {
        let near = (self.below(13) as u128).wrapping_sub(6);
        match self.below(4) {
            0 => near,
            1 => (1u128 << (width - 1)).wrapping_add(near),
            2 => (1u128 << self.below(width as u64)).wrapping_add(near),
            _ => (self.below(u64::MAX) as u128) << 64 | self.below(u64::MAX) as u128,
        }
    }

    fn constant(&mut self, pool: &mut Pool, width: Width) -> Expr {
        let v = self.value(width);
        pool.constant(width, v)
    }

    /// A term that integers can say, mostly.
    fn term(&mut self, pool: &mut Pool, vars: &[Expr], width: Width, depth: u32) -> Expr {
        use BinOp::*;
        if depth == 0 {
            if self.below(6) == 0 {
                return self.constant(pool, width);
            }
            let v = self.one_of(vars);
            let from = pool.width(v);
            return match self.below(2) {
                _ if from == width => v,
                0 if from < width => pool.sext(v, width),
                1 if from < width => pool.zext(v, width),
                n => pool.extract(v, n as Width * (from - width), width),
            };
        }
        let d = depth - 1;
        match self.below(18) {
            0..4 => {
                let (a, b) = (
                    self.term(pool, vars, width, d),
                    self.term(pool, vars, width, d),
                );
                let op = self.one_of(&[Add, Sub]);
                pool.bin(op, a, b)
            }
            4..9 => {
                let (a, c) = (self.term(pool, vars, width, d), self.constant(pool, width));
                let op = self.one_of(&[
                    Add, Mul, Mul, UDiv, URem, SDiv, SRem, Shl, LShr, AShr, And, Or, Xor,
                ]);
                let c = match op {
                    Shl | LShr | AShr => {
                        let by = self.below(width as u64);
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
                let low = 1 + self.below(width as u64 - 1) as Width;
                let (hi, lo) = (
                    self.term(pool, vars, width - low, d),
                    self.term(pool, vars, low, d),
                );
                pool.concat(hi, lo)
            }
            11 => {
                let more = self.below(4) as Width;
                let a = self.term(pool, vars, (width + more).min(128), d);
                let lo = self.below((pool.width(a) - width + 1) as u64) as Width;
                pool.extract(a, lo, width)
            }
            12 if width > 1 => {
                let from = 1 + self.below(width as u64 - 1) as Width;
                let a = self.term(pool, vars, from, d);
                match self.below(2) {
                    0 => pool.zext(a, width),
                    _ => pool.sext(a, width),
                }
            }
            13 => {
                let by = match self.below(2) {
                    0 => {
                        let c = self.condition(pool, vars, 0);
                        let (a, b) = (self.constant(pool, width), self.constant(pool, width));
                        pool.ite(c, a, b)
                    }
                    _ => self.element(pool, vars, width, 0),
                };
                let a = self.term(pool, vars, width, d);
                let op = self.one_of(&[Mul, UDiv, URem]);
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
        let elems: Vec<Expr> = (0..1 + self.below(5))
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
        let width = match self.below(3) {
            0 => pool.width(vars[0]),
            1 => pool.width(vars[1]),
            _ => 1 + self.below(16) as Width,
        };
        let a = self.term(pool, vars, width, depth);
        let op = self.one_of(&[Eq, ULt, ULe, SLt, SLe, UMulO, SMulO]);
        let b = match self.below(3) {
            0 if matches!(op, UMulO | SMulO) => self.element(pool, vars, width, 0),
            0 => self.term(pool, vars, width, depth),
            _ => self.constant(pool, width),
        };
        let (a, b) = match self.below(4) {
            0 => (b, a),
            _ => (a, b),
        };
        let c = pool.bin(op, a, b);
        match self.below(3) {
            0 => pool.not(c),
            1 if depth > 0 => {
                let other = self.condition(pool, vars, depth - 1);
                let op = self.one_of(&[And, Or, Xor]);
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
                draw: i as u32,
                part: 0,
            },
        }));
    }
    vars
}

fn check(pool: &Pool, conditions: &[Expr]) -> Outcome {
    let integers = Integers::encode(pool, conditions, 1).unwrap();
    let Some(integers) = integers else {
        // Nothing to calculate.
        return Outcome {
            verdict: Verdict::Unknown("trivial".into()),
            values: Vec::new(),
            exact: true,
        };
    };
    let end = Instant::now() + Duration::from_secs(2);
    integers.check(end, &InterruptHandle::new()).unwrap()
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

#[test]
fn small_queries_are_decided_as_by_trying_all_values() {
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    let rounds = if cfg!(debug_assertions) { 400 } else { 3000 };
    for seed in 0..rounds {
        let (pool, random) = (&mut Pool::new(), &mut Random(seed));
        let first = 1 + random.below(8) as Width;
        let widths = [first, 1 + random.below(11 - first as u64) as Width];
        let vars = inputs(pool, widths);
        let conditions: Vec<Expr> = (0..1 + random.below(4))
            .map(|_| random.condition(pool, &vars, 3))
            .collect();
        let names: Vec<Var> = vars
            .iter()
            .map(|v| match pool.kind(*v) {
                Kind::Var(v) => v,
                _ => unreachable!(),
            })
            .collect();
        let possible = (0..1u128 << widths[0]).any(|x| {
            (0..1u128 << widths[1])
                .any(|y| satisfies(pool, &conditions, &[(names[0], x), (names[1], y)]))
        });
        let outcome = check(pool, &conditions);
        match outcome.verdict {
            Verdict::Unsat => {
                assert!(!possible, "seed {seed}: {}", show(pool, &conditions));
                unsat += 1;
            }
            Verdict::Sat if outcome.exact => {
                assert!(
                    satisfies(pool, &conditions, &outcome.values),
                    "seed {seed}: {:?} {}",
                    outcome.values,
                    show(pool, &conditions)
                );
                sat += 1;
            }
            _ => open += 1,
        }
    }
    assert!(
        sat > rounds / 4 && unsat > rounds / 10,
        "{sat} {unsat} {open}"
    );
}

#[test]
fn wide_queries_are_decided_as_by_bit_vectors() {
    let (mut sat, mut unsat, mut open) = (0, 0, 0);
    let rounds = if cfg!(debug_assertions) { 150 } else { 1000 };
    for seed in 0..rounds {
        let (pool, random) = (&mut Pool::new(), &mut Random(seed + 1_000_000));
        let widths = [16, 20, 32, 33, 64, 65, 100, 126, 127, 128];
        let widths = [random.one_of(&widths), random.one_of(&widths)];
        let vars = inputs(pool, widths);
        let conditions: Vec<Expr> = (0..1 + random.below(5))
            .map(|_| random.condition(pool, &vars, 2))
            .collect();
        let outcome = check(pool, &conditions);
        match outcome.verdict {
            Verdict::Unsat => {
                let settings = Z3Settings {
                    timeout: Duration::from_secs(1),
                    memory: u64::MAX,
                    log: None,
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
                if let Answer::Sat(a) = z3.check(pool, &query) {
                    panic!("seed {seed}: {a:?} {}", show(pool, &conditions));
                }
                unsat += 1;
            }
            Verdict::Sat if outcome.exact => {
                assert!(
                    satisfies(pool, &conditions, &outcome.values),
                    "seed {seed}: {:?} {}",
                    outcome.values,
                    show(pool, &conditions)
                );
                sat += 1;
            }
            _ => open += 1,
        }
    }
    assert!(
        sat > rounds / 4 && unsat > rounds / 10,
        "{sat} {unsat} {open}"
    );
}
