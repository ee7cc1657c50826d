//! Fuzz test of the simplifier: random terms, built through the constructors and computed at the
//! same time on numbers, must agree under every assignment tried. Operands prefer small constants,
//! shared terms and renamed bits, because rules match on these.

use crate::build::mask;
use crate::number;
use crate::*;
use symex_testing::random::TestRandom;

mod idioms;

/// Draws a number of this width, preferably near the edges of the range.
fn boundary_value(random: &mut TestRandom, width: Width) -> u128 {
    let wide = (random.bits() as u128) << 64 | random.bits() as u128;
    let v = match random.below(10) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => 1 << random.below(width as usize),
        4 => (1 << random.below(width as usize)) - 1,
        5 => !((1 << random.below(width as usize)) - 1),
        6 => random.below(16) as u128,
        7 => (mask(width) >> 1).wrapping_add(random.below(3) as u128),
        8 => ((1u128 << random.below(width as usize)) - 1) << random.below(width as usize),
        _ => wide >> random.below(128),
    };
    v & mask(width)
}

const SAMPLES: usize = 6;

/// A term with its values under the sample assignments.
#[derive(Clone, Copy)]
struct Twin {
    term: Expr,
    values: [u128; SAMPLES],
}

struct Addresses(u64);

impl AddressMap for Addresses {
    fn address(&self, object: ObjectId) -> u64 {
        // Multiples of 16, far apart.
        ((self.0 % 8 + 7 * object.0 as u64 + 1) << 41) + 16 * (self.0 % 77)
    }
}

struct Fuzz {
    pool: Pool,
    random: TestRandom,
    twins: Vec<Twin>,
    samples: Vec<(Assignment, Addresses)>,
    lanes: Option<BatchEvaluation>,
    /// The newest binary operator, for the message of a failure.
    last: Option<(BinOp, Expr, Expr)>,
}

impl Fuzz {
    fn new(seed: u64) -> Fuzz {
        let mut fuzz = Fuzz {
            pool: Pool::new(),
            random: TestRandom::new(seed),
            twins: Vec::new(),
            samples: Vec::new(),
            lanes: None,
            last: None,
        };
        let odd = [3, 5, 7, 12, 24, 33, 65, 100, 127];
        let mut widths = vec![1, 1, 8, 8, 8, 16, 16, 32, 32, 64, 64, 128];
        if seed.is_multiple_of(2) {
            widths = vec![1, 2, 2, 3, 3, 4, 4, 5, 8, 9, 16, 64];
        }
        widths.push(odd[fuzz.random.below(odd.len())]);
        widths.push(1 + fuzz.random.below(128) as Width);
        let vars: Vec<Expr> = (0..widths.len())
            .map(|i| {
                let origin = Origin::Input {
                    input: i as u32,
                    part: 0,
                };
                fuzz.pool.var(VarInfo {
                    name: "v".into(),
                    width: widths[i],
                    origin,
                })
            })
            .collect();
        for i in 0..SAMPLES {
            let mut assignment = Assignment::default();
            for (v, w) in vars.iter().zip(&widths) {
                let Kind::Var(var) = fuzz.pool.kind(*v) else {
                    unreachable!()
                };
                assignment.set(var, boundary_value(&mut fuzz.random, *w));
            }
            fuzz.samples
                .push((assignment, Addresses(seed.wrapping_mul(31) + i as u64)));
        }
        for (i, v) in vars.into_iter().enumerate() {
            let Kind::Var(var) = fuzz.pool.kind(v) else {
                unreachable!("variable {i}")
            };
            let values = std::array::from_fn(|s| fuzz.samples[s].0.get(var));
            fuzz.twins.push(Twin { term: v, values });
        }
        for object in 0..2 {
            let term = fuzz.pool.base(ObjectId(object), 4);
            let values =
                std::array::from_fn(|s| fuzz.samples[s].1.address(ObjectId(object)) as u128);
            fuzz.twins.push(Twin { term, values });
        }
        let given: Vec<(Expr, Vec<u128>)> = fuzz
            .twins
            .iter()
            .map(|twin| (twin.term, twin.values.to_vec()))
            .collect();
        fuzz.lanes = Some(BatchEvaluation::new(&fuzz.pool, SAMPLES, &given));
        fuzz
    }

    /// Picks an existing term, newer ones more often.
    fn any(&mut self) -> Twin {
        let n = self.twins.len();
        let at = if self.random.below(2) == 0 {
            n - 1 - self.random.below(n.min(8))
        } else {
            self.random.below(n)
        };
        self.twins[at]
    }

    /// Picks a term of the same width related to this one: rules match on related terms.
    fn related(&mut self, a: Twin) -> Twin {
        let w = self.pool.width(a.term);
        let constant = |fuzz: &mut Fuzz, v: u128| Twin {
            term: fuzz.pool.constant(w, v),
            values: [v & mask(w); SAMPLES],
        };
        match self.random.below(12) {
            0 => a,
            // A value that it takes, or one beside it.
            1 | 2 => {
                let near = a.values[self.random.below(SAMPLES)];
                let v = near
                    .wrapping_add(self.random.below(3) as u128)
                    .wrapping_sub(1);
                constant(self, v)
            }
            3..=6 => {
                use BinOp::*;
                let op = [
                    Add, Add, Sub, Mul, And, Or, Xor, UDiv, URem, Shl, LShr, AShr,
                ][self.random.below(12)];
                let v = boundary_value(&mut self.random, w);
                let c = constant(self, v);
                self.binary(op, a, c)
            }
            7 => {
                let op = [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz][self.random.below(4)];
                Twin {
                    term: self.pool.un(op, a.term),
                    values: a.values.map(|v| number::un(op, w, v)),
                }
            }
            8 | 9 => {
                let width = 1 + self.random.below(w as usize) as Width;
                let part = self.fit(a, width);
                self.fit(part, w)
            }
            10 => {
                let cond = self.of_width(1);
                let v = boundary_value(&mut self.random, w);
                let c = constant(self, v);
                let (x, y) = if self.random.below(2) == 0 {
                    (a, c)
                } else {
                    (c, a)
                };
                self.choice(cond, x, y)
            }
            _ => {
                let (cond, v, u) = (
                    self.of_width(1),
                    boundary_value(&mut self.random, w),
                    boundary_value(&mut self.random, w),
                );
                let (x, y) = (constant(self, v), constant(self, u));
                self.choice(cond, x, y)
            }
        }
    }

    fn choice(&mut self, cond: Twin, a: Twin, b: Twin) -> Twin {
        let values = std::array::from_fn(|s| {
            if cond.values[s] != 0 {
                a.values[s]
            } else {
                b.values[s]
            }
        });
        Twin {
            term: self.pool.ite(cond.term, a.term, b.term),
            values,
        }
    }

    /// Picks operands of an operator: `a` and a term that may be related to it.
    fn pair(&mut self, a: Twin) -> (Twin, Twin) {
        let w = self.pool.width(a.term);
        match self.random.below(4) {
            0 => (a, self.related(a)),
            1 => (self.related(a), self.related(a)),
            2 => {
                let b = self.of_width(w);
                (self.related(a), b)
            }
            _ => (a, self.of_width(w)),
        }
    }

    /// Returns a term of this width: an existing one if there is one, else one made to fit, or a
    /// constant.
    fn of_width(&mut self, width: Width) -> Twin {
        if self.random.below(4) == 0 {
            let v = boundary_value(&mut self.random, width);
            return Twin {
                term: self.pool.constant(width, v),
                values: [v; SAMPLES],
            };
        }
        let start = self.random.below(self.twins.len());
        let n = self.twins.len();
        for i in 0..n {
            let t = self.twins[(start + n - i) % n];
            if self.pool.width(t.term) == width {
                return t;
            }
        }
        let t = self.any();
        self.fit(t, width)
    }

    fn fit(&mut self, t: Twin, width: Width) -> Twin {
        let w = self.pool.width(t.term);
        let signed = self.random.below(2) == 0;
        let term = match () {
            _ if w >= width => self.pool.extract(t.term, 0, width),
            _ if signed => self.pool.sext(t.term, width),
            _ => self.pool.zext(t.term, width),
        };
        let values = t.values.map(|v| match () {
            _ if w >= width => v & mask(width),
            _ if signed => number::sign_extend(v, w) as u128 & mask(width),
            _ => v,
        });
        Twin { term, values }
    }

    fn step(&mut self) -> Twin {
        use BinOp::*;
        let a = self.any();
        let w = self.pool.width(a.term);
        let zip = |a: &Twin, b: &Twin, f: &dyn Fn(u128, u128) -> u128| {
            std::array::from_fn(|s| f(a.values[s], b.values[s]))
        };
        match self.random.below(29) {
            28 => self.ordered(a),
            27 => self.compared(),
            26 => self.searched(a),
            24 => self.limbs(a),
            25 => self.divided(a),
            0 => {
                let ops = [
                    UnOp::Not,
                    UnOp::Not,
                    UnOp::Not,
                    UnOp::Popcount,
                    UnOp::Clz,
                    UnOp::Ctz,
                ];
                let op = ops[self.random.below(ops.len())];
                Twin {
                    term: self.pool.un(op, a.term),
                    values: a.values.map(|v| number::un(op, w, v)),
                }
            }
            1..=9 => {
                let ops = [
                    Add, Add, Add, Sub, Sub, Mul, UDiv, SDiv, URem, SRem, And, And, And, Or, Or,
                    Or, Xor, Xor, Shl, LShr, AShr,
                ];
                let op = ops[self.random.below(ops.len())];
                let (a, b) = self.pair(a);
                self.binary(op, a, b)
            }
            10..=13 => {
                let ops = [Eq, Eq, ULt, ULt, ULe, ULe, SLt, SLt, SLe, SLe, UMulO, SMulO];
                let op = ops[self.random.below(ops.len())];
                let (a, b) = self.pair(a);
                self.binary(op, a, b)
            }
            14 | 15 => {
                let b = self.any();
                let wb = self.pool.width(b.term);
                if w + wb > MAX_WIDTH {
                    return self.step();
                }
                Twin {
                    term: self.pool.concat(a.term, b.term),
                    values: zip(&a, &b, &|x, y| x << wb | y),
                }
            }
            16 | 17 => {
                let lo = self.random.below(w as usize) as Width;
                let width = 1 + self.random.below((w - lo) as usize) as Width;
                let values = a.values.map(|v| v >> lo & mask(width));
                Twin {
                    term: self.pool.extract(a.term, lo, width),
                    values,
                }
            }
            18 => {
                let widths = [8, 16, 32, 64, 128, 1 + self.random.below(128) as Width];
                let width = widths[self.random.below(widths.len())];
                self.fit(a, width)
            }
            19 | 20 => {
                let cond = self.of_width(1);
                let (a, b) = self.pair(a);
                self.choice(cond, a, b)
            }
            21 => self.bytes(a),
            22 => self.float(a),
            _ => self.array(a),
        }
    }

    fn binary(&mut self, op: BinOp, a: Twin, b: Twin) -> Twin {
        let w = self.pool.width(a.term);
        let (a, b) = if self.random.below(2) == 0 {
            (a, b)
        } else {
            (b, a)
        };
        self.last = Some((op, a.term, b.term));
        Twin {
            term: self.pool.bin(op, a.term, b.term),
            values: std::array::from_fn(|s| number::bin(op, w, a.values[s], b.values[s])),
        }
    }

    /// Combines two comparisons of the same two terms, either of them perhaps negated.
    fn ordered(&mut self, a: Twin) -> Twin {
        use BinOp::*;
        let (a, b) = self.pair(a);
        let mut sides = [a; 2];
        for side in &mut sides {
            let op = [Eq, ULt, ULt, ULe, ULe, SLt, SLe][self.random.below(7)];
            *side = self.binary(op, a, b);
            if self.random.below(3) == 0 {
                side.term = self.pool.not(side.term);
                side.values = side.values.map(|v| v ^ 1);
            }
        }
        let op = [And, Or][self.random.below(2)];
        self.binary(op, sides[0], sides[1])
    }

    /// Splits a word into bytes and reassembles it, by concatenation or by shifts, in either order.
    fn bytes(&mut self, a: Twin) -> Twin {
        let w = self.pool.width(a.term);
        if !w.is_multiple_of(8) {
            return a;
        }
        let (shifts, swap) = (self.random.below(2) == 0, self.random.below(2) == 0);
        let n = w / 8;
        let mut whole: Option<Expr> = None;
        for i in 0..n {
            let from = if swap { n - 1 - i } else { i };
            let byte = self.pool.extract(a.term, from * 8, 8);
            whole = Some(match whole {
                None if shifts => self.pool.zext(byte, w),
                None => byte,
                Some(lo) if shifts => {
                    let byte = self.pool.zext(byte, w);
                    let by = self.pool.constant(w, i as u128 * 8);
                    let shifted = self.pool.bin(BinOp::Shl, byte, by);
                    self.pool.or(shifted, lo)
                }
                Some(lo) => self.pool.concat(byte, lo),
            });
        }
        let swapped = |v: u128| if swap { v.swap_bytes() >> (128 - w) } else { v };
        Twin {
            term: whole.expect("a byte at least"),
            values: a.values.map(swapped),
        }
    }

    fn float(&mut self, a: Twin) -> Twin {
        use BinOp::*;
        let w = [16, 32, 64, 80, 128][self.random.below(5)];
        let a = self.fit(a, w);
        match self.random.below(5) {
            0 => {
                let b = self.of_width(w);
                let op = [FAdd, FSub, FMul, FDiv, FRem, FEq, FLt, FLe][self.random.below(8)];
                self.binary(op, a, b)
            }
            1 => {
                let ops = [UnOp::FIsNan, UnOp::FSqrt, UnOp::FRoundUp, UnOp::FRoundEven];
                let op = ops[self.random.below(ops.len())];
                Twin {
                    term: self.pool.un(op, a.term),
                    values: a.values.map(|v| number::un(op, w, v)),
                }
            }
            2 => {
                let x = self.any();
                let from = self.pool.width(x.term);
                let op = [FCast::FromSigned, FCast::FromUnsigned][self.random.below(2)];
                let values = x.values.map(|v| number::fcast(op, from, w, v));
                Twin {
                    term: self.pool.fcast(op, x.term, w),
                    values,
                }
            }
            3 => {
                let op = [FCast::ToSigned, FCast::ToUnsigned][self.random.below(2)];
                let to = 1 + self.random.below(128) as Width;
                let values = a.values.map(|v| number::fcast(op, w, to, v));
                Twin {
                    term: self.pool.fcast(op, a.term, to),
                    values,
                }
            }
            _ => {
                let to = [16, 32, 64, 80, 128][self.random.below(5)];
                let values = a.values.map(|v| number::fcast(FCast::Float, w, to, v));
                Twin {
                    term: self.pool.fcast(FCast::Float, a.term, to),
                    values,
                }
            }
        }
    }

    fn by(&mut self, op: BinOp, a: Twin, c: u128) -> Twin {
        let w = self.pool.width(a.term);
        let c = Twin {
            term: self.pool.constant(w, c),
            values: [c & mask(w); SAMPLES],
        };
        self.binary(op, a, c)
    }

    fn zext(&mut self, a: Twin, width: Width) -> Twin {
        Twin {
            term: self.pool.zext(a.term, width),
            ..a
        }
    }

    fn slice(&mut self, a: Twin, lo: Width, width: Width) -> Twin {
        Twin {
            term: self.pool.extract(a.term, lo, width),
            values: a.values.map(|v| v >> lo & mask(width)),
        }
    }

    fn join(&mut self, hi: Twin, lo: Twin) -> Twin {
        let w = self.pool.width(lo.term);
        Twin {
            term: self.pool.concat(hi.term, lo.term),
            values: std::array::from_fn(|s| hi.values[s] << w | lo.values[s]),
        }
    }

    /// Writes to a table and reads from it, at indices within it.
    fn array(&mut self, a: Twin) -> Twin {
        let w = self.pool.width(a.term);
        let len = [4, 8, 64][self.random.below(3)];
        let mut elems: Vec<Twin> = vec![a];
        let fill = self.of_width(w);
        while elems.len() < len {
            let varied = self.random.below(4) == 0;
            let elem = if varied { self.of_width(w) } else { fill };
            elems.push(elem);
        }
        let mut array = self.pool.table(elems.iter().map(|t| t.term).collect());
        let mut contents: [Vec<u128>; SAMPLES] =
            std::array::from_fn(|s| elems.iter().map(|t| t.values[s]).collect());
        for _ in 0..self.random.below(4) {
            let (i, v) = (self.index(len), self.of_width(w));
            // Under a guard, or under all inputs.
            let guard = (self.random.below(2) == 0).then(|| self.of_width(1));
            let value = match &guard {
                None => v.term,
                Some(g) => {
                    let before = self.pool.select(array, i.term);
                    self.pool.ite(g.term, v.term, before)
                }
            };
            array = self.pool.store(array, i.term, value);
            for s in 0..SAMPLES {
                if guard.as_ref().is_none_or(|g| g.values[s] == 1) {
                    contents[s][i.values[s] as usize] = v.values[s];
                }
            }
        }
        let i = self.index(len);
        let values = std::array::from_fn(|s| contents[s][i.values[s] as usize]);
        Twin {
            term: self.pool.select(array, i.term),
            values,
        }
    }

    fn index(&mut self, len: usize) -> Twin {
        if self.random.below(3) == 0 {
            let i = self.random.below(len) as u128;
            return Twin {
                term: self.pool.constant(64, i),
                values: [i; SAMPLES],
            };
        }
        let x = self.any();
        let x = self.fit(x, 64);
        let m = len as u128 - 1;
        let bound = self.pool.constant(64, m);
        Twin {
            term: self.pool.and(x.term, bound),
            values: x.values.map(|v| v & m),
        }
    }

    fn check(&mut self, t: Twin) {
        let facts = self.pool.facts(t.term);
        let (range, width) = (self.pool.signed_range(t.term), self.pool.width(t.term));
        let lanes = self.lanes.as_mut().expect("made with the samples");
        let values: Option<Vec<u128>> = lanes
            .values(&self.pool, t.term, &mut usize::MAX.clone())
            .map(Iterator::collect);
        assert_eq!(
            values.as_deref(),
            Some(&t.values[..]),
            "in lanes: {}",
            self.pool.display(t.term)
        );
        for s in 0..SAMPLES {
            let (assignment, addresses) = &self.samples[s];
            let v = self.pool.eval(t.term, assignment, addresses);
            let last = || {
                self.last.map(|(op, a, b)| {
                    format!(
                        "{op:?}\n  {}\n  {}",
                        self.pool.display(a),
                        self.pool.display(b)
                    )
                })
            };
            assert_eq!(
                v,
                t.values[s],
                "sample {s}: {}, after {}",
                self.pool.display(t.term),
                last().unwrap_or_default()
            );
            assert!(
                facts.allows(v),
                "{facts:x?} exclude {v:#x}: {}",
                self.pool.display(t.term)
            );
            let signed = number::sign_extend(v, width);
            assert!(
                range.min <= signed && signed <= range.max,
                "{range:?} excludes {signed}: {}",
                self.pool.display(t.term)
            );
        }
    }
}

fn run(seed: u64, steps: usize, counts: &mut std::collections::BTreeMap<&'static str, u64>) {
    let mut fuzz = Fuzz::new(seed);
    for _ in 0..steps {
        let t = fuzz.step();
        fuzz.check(t);
        if fuzz.pool.as_const(t.term).is_none() {
            fuzz.twins.push(t);
        }
    }
    for (rule, n) in &fuzz.pool.rules.counts {
        *counts.entry(rule).or_default() += n;
    }
}

#[test]
fn random_terms_mean_what_was_asked_for() {
    let mut counts = Default::default();
    for seed in 0..3000 {
        run(seed, 60, &mut counts);
    }
    println!("{counts:#?}");
}

#[test]
#[ignore = "takes minutes; for after a change of many rules"]
fn many_random_terms_mean_what_was_asked_for() {
    for seed in 10_000..200_000 {
        run(seed, 100, &mut Default::default());
    }
}
