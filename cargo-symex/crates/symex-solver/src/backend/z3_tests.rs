use super::*;
use crate::Purpose;
use symex_terms::eval;
use symex_terms::{BinOp, FCast, NoAddresses, Origin, UnOp, VarInfo, Width};
use symex_testing::random::TestRandom;

/// Generator of random values.
struct Values(TestRandom);

impl Values {
    /// Draws a value of a width: small, near the ends, a single bit, or any.
    fn value(&mut self, width: Width) -> u128 {
        let any = (self.0.bits() as u128) << 64 | self.0.bits() as u128;
        let v = match self.0.below(5) {
            0 => self.0.below(5) as u128,
            1 => (self.0.below(5) as u128).wrapping_neg(),
            2 => 1 << self.0.below(width as usize),
            3 => (1u128 << (width - 1))
                .wrapping_add(self.0.below(3) as u128)
                .wrapping_sub(1),
            _ => any,
        };
        v & (u128::MAX >> (128 - width))
    }

    /// Draws the bits of a float of a width: special values, small integers, or any.
    fn float(&mut self, width: Width) -> u128 {
        let n = (self.0.below(41) as f64 - 20.0) / 2.0;
        let special = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            2f64.powi(31),
            -(2f64.powi(31)),
            2f64.powi(63),
            1e-7,
        ];
        match self.0.below(4) {
            0 => {
                let v = special[self.0.below(special.len())];
                eval::fcast(FCast::Float, 64, width, v.to_bits() as u128)
            }
            1 => eval::fcast(FCast::Float, 64, width, n.to_bits() as u128),
            2 => self.value(width),
            _ => eval::fcast(FCast::Float, 64, width, (n * 1e3 + 0.3).to_bits() as u128),
        }
    }
}

pub(super) fn back_end() -> Z3 {
    back_end_with(Duration::from_secs(20), u64::MAX)
}

fn back_end_with(timeout: Duration, memory: u64) -> Z3 {
    Z3::new(
        Z3Settings {
            timeout,
            memory,
            log: None,
            compare_stores: true,
        },
        InterruptHandle::new(),
    )
}

pub(in crate::backend) fn input(pool: &mut Pool, part: u32, width: Width) -> Expr {
    pool.var(VarInfo {
        name: "x".into(),
        width,
        origin: Origin::Input { input: width, part },
    })
}

pub(super) fn ask(z3: &mut Z3, pool: &mut Pool, constraints: &[Expr], goal: Expr) -> Answer {
    let hint = Assignment::default();
    z3.check(
        pool,
        &Query {
            constraints,
            goal,
            addresses: &NoAddresses,
            hint: &hint,
            purpose: Purpose::Check,
        },
    )
}

/// Asserts that Z3 agrees with evaluation: `op` of variables equal to `values` cannot differ from
/// the evaluated result.
fn agrees(
    z3: &mut Z3,
    pool: &mut Pool,
    values: &[(Width, u128)],
    op: impl Fn(&mut Pool, &[Expr]) -> Expr,
) {
    let mut constraints = Vec::new();
    let mut vars = Vec::new();
    let mut assignment = Assignment::default();
    for (i, (width, value)) in values.iter().enumerate() {
        let x = input(pool, i as u32, *width);
        let symex_terms::Kind::Var(var) = pool.kind(x) else {
            unreachable!()
        };
        assignment.set(var, *value);
        let c = pool.constant(*width, *value);
        constraints.push(pool.eq(x, c));
        vars.push(x);
    }
    let term = op(pool, &vars);
    let want = pool.eval(term, &assignment, &NoAddresses);
    let want_term = pool.constant(pool.width(term), want);
    let differs = pool.ne(term, want_term);
    let answer = ask(z3, pool, &constraints, differs);
    assert!(
        matches!(answer, Answer::Unsat),
        "{:?} of {values:x?}: evaluation gives {want:#x}, Z3 answers {answer:?}",
        pool.kind(term)
    );
}

#[test]
fn integer_operators_mean_what_evaluation_says() {
    use BinOp::*;
    let (mut z3, mut pool, mut r) = (back_end(), Pool::new(), Values(TestRandom::new(1)));
    let widths = [1, 2, 3, 7, 8, 13, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128];
    for width in widths {
        for op in [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, ULt, ULe,
            SLt, SLe, UMulO, SMulO,
        ] {
            for _ in 0..3 {
                let (a, b) = (r.value(width), r.value(width));
                agrees(&mut z3, &mut pool, &[(width, a), (width, b)], |p, v| {
                    p.bin(op, v[0], v[1])
                });
            }
        }
        for op in [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz] {
            for _ in 0..4 {
                let a = r.value(width);
                agrees(&mut z3, &mut pool, &[(width, a)], |p, v| p.un(op, v[0]));
            }
        }
        let (a, b, c) = (r.value(width), r.value(width), r.value(1));
        agrees(
            &mut z3,
            &mut pool,
            &[(width, a), (width, b), (1, c)],
            |p, v| p.ite(v[2], v[0], v[1]),
        );
        let (lo, to) = (
            r.0.below(width as usize) as Width,
            width + r.0.below(129 - width as usize) as Width,
        );
        let part = 1 + r.0.below((width - lo) as usize) as Width;
        agrees(&mut z3, &mut pool, &[(width, a)], |p, v| {
            p.extract(v[0], lo, part)
        });
        agrees(&mut z3, &mut pool, &[(width, a)], |p, v| p.zext(v[0], to));
        agrees(&mut z3, &mut pool, &[(width, a)], |p, v| p.sext(v[0], to));
        let other = 1 + r.0.below(127) as Width;
        if width + other <= 128 {
            let b = r.value(other);
            agrees(&mut z3, &mut pool, &[(width, a), (other, b)], |p, v| {
                p.concat(v[0], v[1])
            });
        }
    }
    assert_eq!(z3.stats().bad_models, 0);
}

#[test]
fn all_operands_of_small_integers() {
    use BinOp::*;
    let (mut z3, mut pool) = (back_end(), Pool::new());
    for width in [1, 2] {
        for op in [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, ULt, ULe, SLt, SLe, UMulO,
            SMulO,
        ] {
            for a in 0..1 << width {
                for b in 0..1 << width {
                    agrees(&mut z3, &mut pool, &[(width, a), (width, b)], |p, v| {
                        p.bin(op, v[0], v[1])
                    });
                }
            }
        }
    }
}

#[test]
fn division_by_constants_means_what_evaluation_says() {
    let (pool, z3) = (&mut Pool::new(), &mut back_end());
    let mut values = Values(TestRandom::new(11));
    for i in 0..150 {
        let width = [2, 5, 8, 33, 64, 128][values.0.below(6)];
        let (v, c, d) = (
            values.value(width),
            values.value(width).max(1),
            values.value(width).max(1),
        );
        let x = input(pool, i, width);
        let [value, c, d] = [v, c, d].map(|v| pool.constant(width, v));
        let fixed = pool.eq(x, value);
        use BinOp::{SDiv, SRem, UDiv, URem};
        let op = [UDiv, URem, SDiv, SRem][values.0.below(4)];
        // Divided once, and the quotient divided again.
        let first = if values.0.below(2) == 0 { UDiv } else { op };
        let (once, number) = (
            pool.bin(first, x, c),
            eval::bin(first, width, v, pool.as_const(c).unwrap()),
        );
        let twice = pool.bin(op, once, d);
        let result = eval::bin(op, width, number, pool.as_const(d).unwrap());
        let result = pool.constant(width, result);
        let number = pool.constant(width, number);
        let (same, right) = (pool.eq(twice, result), pool.eq(once, number));
        let goal = pool.and(same, right);
        let wrong = pool.not(goal);
        assert!(
            matches!(ask(z3, pool, &[fixed], goal), Answer::Sat(_)),
            "{op:?} {width} {v:#x}"
        );
        assert!(
            matches!(ask(z3, pool, &[fixed], wrong), Answer::Unsat),
            "{op:?} {width} {v:#x}"
        );
    }
}

#[test]
fn divisions_of_one_number_are_linked() {
    let (pool, z3) = (&mut Pool::new(), &mut back_end());
    let mut parse = |text: &str| pool.parse(text).unwrap();
    // Digit by digit, by a thousand at once, and by a divisor between.
    let low = parse("(eq (urem x:63 0xa:63) 0:63)");
    let next = parse("(eq (urem (udiv x:63 0xa:63) 0x64:63) 0:63)");
    let all = parse("(eq (urem x:63 0x3e8:63) 0:63)");
    let some = parse("(eq (urem x:63 0x64:63) 0:63)");
    let none = pool.not(all);
    let odd = pool.not(some);
    assert!(matches!(ask(z3, pool, &[low, next], none), Answer::Unsat));
    assert!(matches!(ask(z3, pool, &[all], odd), Answer::Unsat));
    assert!(matches!(ask(z3, pool, &[some, none], low), Answer::Sat(_)));
    assert!(matches!(ask(z3, pool, &[some, none], next), Answer::Unsat));
}

#[test]
fn float_operators_mean_what_evaluation_says() {
    use BinOp::*;
    let (mut z3, mut pool, mut r) = (back_end(), Pool::new(), Values(TestRandom::new(2)));
    for width in [16, 32, 64, 80, 128] {
        for op in [FAdd, FSub, FMul, FDiv, FEq, FLt, FLe] {
            for _ in 0..4 {
                let (a, b) = (r.float(width), r.float(width));
                agrees(&mut z3, &mut pool, &[(width, a), (width, b)], |p, v| {
                    p.bin(op, v[0], v[1])
                });
            }
        }
        for op in UnOp::ALL.iter().copied().filter(|op| op.is_float()) {
            for _ in 0..3 {
                let a = r.float(width);
                agrees(&mut z3, &mut pool, &[(width, a)], |p, v| p.un(op, v[0]));
            }
        }
        for _ in 0..3 {
            let (a, b, c) = (r.float(width), r.float(width), r.float(width));
            agrees(
                &mut z3,
                &mut pool,
                &[(width, a), (width, b), (width, c)],
                |p, v| p.fma(v[0], v[1], v[2]),
            );
        }
        for other in [16, 32, 64, 80, 128] {
            let a = r.float(width);
            agrees(&mut z3, &mut pool, &[(width, a)], |p, v| {
                p.fcast(FCast::Float, v[0], other)
            });
        }
        for other in [1, 8, 31, 32, 64, 128] {
            for op in [FCast::ToSigned, FCast::ToUnsigned] {
                for _ in 0..3 {
                    let a = r.float(width);
                    agrees(&mut z3, &mut pool, &[(width, a)], |p, v| {
                        p.fcast(op, v[0], other)
                    });
                }
            }
            for op in [FCast::FromSigned, FCast::FromUnsigned] {
                let a = r.value(other);
                agrees(&mut z3, &mut pool, &[(other, a)], |p, v| {
                    p.fcast(op, v[0], width)
                });
            }
        }
    }
    assert_eq!(z3.stats().bad_models, 0);
}

#[test]
fn the_remainder_of_floats_is_refused() {
    let (mut z3, mut pool) = (back_end(), Pool::new());
    let (x, y) = (input(&mut pool, 0, 64), input(&mut pool, 1, 64));
    let rem = pool.bin(BinOp::FRem, x, y);
    let goal = pool.eq(rem, x);
    match ask(&mut z3, &mut pool, &[], goal) {
        Answer::Unknown(Unknown::GaveUp(why)) => assert!(why.contains("fmod"), "{why}"),
        other => panic!("{other:?}"),
    }
    // The back end is as good as before.
    let goal = pool.ult(x, y);
    assert!(matches!(ask(&mut z3, &mut pool, &[], goal), Answer::Sat(_)));
}

#[test]
fn tables_and_stores() {
    let (mut z3, mut pool, mut r) = (back_end(), Pool::new(), Values(TestRandom::new(3)));
    for (width, len) in [(8, 1), (8, 5), (8, 40), (1, 33), (32, 256), (64, 17)] {
        for symbolic in [false, true] {
            let values: Vec<(Width, u128)> = (0..len).map(|_| (width, r.value(width))).collect();
            let (read, write, v) = (r.0.below(len), r.0.below(len), r.value(width));
            let mut inputs = vec![(64, read as u128), (64, write as u128), (width, v)];
            if symbolic {
                inputs.extend(&values);
            }
            let build = |p: &mut Pool, x: &[Expr], stores: usize| {
                let elems: Vec<Expr> = match symbolic {
                    true => x[3..].to_vec(),
                    false => values.iter().map(|v| p.constant(v.0, v.1)).collect(),
                };
                let mut array = p.table(elems.into());
                for i in 0..stores {
                    let step = p.constant(64, i as u128);
                    let place = p.bin(BinOp::Xor, x[1], step);
                    let bound = p.constant(64, len as u128);
                    let place = p.bin(BinOp::URem, place, bound);
                    array = p.store(array, place, x[2]);
                }
                p.select(array, x[0])
            };
            for stores in 0..3 {
                agrees(&mut z3, &mut pool, &inputs, |p, x| build(p, x, stores));
            }
        }
    }
}

#[test]
fn contents_of_tables_survive_other_constraints() {
    // A table that came with a constraint must be there for the goal, and be gone with the
    // constraint.
    let (mut z3, mut pool) = (back_end(), Pool::new());
    let elems: Vec<Expr> = (0..64)
        .map(|i| pool.constant(8, (i * 7 + 3) % 256))
        .collect();
    let table = pool.table(elems.into());
    let (i, j) = (input(&mut pool, 0, 64), input(&mut pool, 1, 64));
    let len = pool.constant(64, 64);
    let (ci, cj) = (pool.ult(i, len), pool.ult(j, len));
    let (at_i, at_j) = (pool.select(table, i), pool.select(table, j));
    let (seven, three) = (pool.constant(8, 10), pool.constant(8, 3));
    let (is_seven, is_three) = (pool.eq(at_i, seven), pool.eq(at_j, three));
    let one = pool.constant(64, 1);
    let (i_is_one, j_is_one) = (pool.ne(i, one), pool.eq(j, one));
    assert!(matches!(
        ask(&mut z3, &mut pool, &[ci, is_seven], i_is_one),
        Answer::Unsat
    ));
    assert!(matches!(
        ask(&mut z3, &mut pool, &[ci, is_seven, cj], is_three),
        Answer::Sat(_)
    ));
    assert!(matches!(
        ask(&mut z3, &mut pool, &[cj, is_three], j_is_one),
        Answer::Unsat
    ));
    assert!(matches!(
        ask(&mut z3, &mut pool, &[ci, is_seven, cj, is_three], j_is_one),
        Answer::Unsat
    ));
    assert!(matches!(
        ask(&mut z3, &mut pool, &[], is_three),
        Answer::Sat(_)
    ));
}

#[test]
fn only_large_tables_are_left_to_a_fresh_solver() {
    for (len, fresh) in [(256u64, 0), (16_384, 1)] {
        let (mut z3, mut pool) = (back_end(), Pool::new());
        let elems = (0..len).map(|i| pool.constant(8, u128::from(i * 7 + i / 256 * 31) % 251));
        let elems: Vec<Expr> = elems.collect();
        let table = pool.table(elems.into());
        let i = input(&mut pool, 0, 64);
        let bound = pool.constant(64, u128::from(len));
        let is_inside = pool.ult(i, bound);
        let (found, at) = (pool.select(table, i), pool.constant(8, 7));
        let is_seven = pool.eq(found, at);
        let answer = ask(&mut z3, &mut pool, &[is_inside], is_seven);
        assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
        assert_eq!(z3.stats().fresh, fresh, "{len}");
    }
}

#[test]
fn deep_terms_do_not_overflow_the_stack() {
    let (mut z3, mut pool) = (back_end_with(Duration::from_secs(1), u64::MAX), Pool::new());
    let (x, y) = (input(&mut pool, 0, 32), input(&mut pool, 1, 32));
    let mut t = x;
    for i in 0..100_000u128 {
        let c = pool.constant(32, i * 2 + 1);
        t = if i % 2 == 0 {
            pool.bin(BinOp::Xor, t, y)
        } else {
            pool.add(t, c)
        };
    }
    let c = pool.constant(32, 0x1234);
    let goal = pool.eq(t, c);
    // Whatever the answer: the process lives, and a wrong model would be noticed.
    let answer = ask(&mut z3, &mut pool, &[], goal);
    assert!(!matches!(answer, Answer::Unsat), "{answer:?}");
}

/// Makes a goal that asks for two odd factors of a 64-bit product, which takes far more than a
/// second.
fn hard_goal(pool: &mut Pool) -> Expr {
    let (x, y) = (input(pool, 0, 64), input(pool, 1, 64));
    let (wx, wy) = (pool.zext(x, 128), pool.zext(y, 128));
    let product = pool.bin(BinOp::Mul, wx, wy);
    // Of two primes near 2^63.
    let c = pool.constant(128, 9_223_372_036_854_775_783 * 9_223_372_036_854_775_643);
    let one = pool.constant(64, 1);
    let goal = pool.eq(product, c);
    let (bx, by) = (pool.ult(one, x), pool.ult(one, y));
    let goal = pool.and(goal, bx);
    let ordered = pool.ult(x, y);
    let goal = pool.and(goal, ordered);
    pool.and(goal, by)
}

#[test]
fn a_timeout_holds_and_leaves_the_back_end_usable() {
    let (mut z3, mut pool) = (back_end_with(Duration::from_secs(1), u64::MAX), Pool::new());
    let goal = hard_goal(&mut pool);
    let start = Instant::now();
    let answer = ask(&mut z3, &mut pool, &[], goal);
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
    assert!(
        matches!(answer, Answer::Unknown(Unknown::Timeout)),
        "{answer:?}"
    );
    let (x, c) = (input(&mut pool, 0, 64), pool.constant(64, 77));
    let easy = pool.eq(x, c);
    let answer = ask(&mut z3, &mut pool, &[], easy);
    let Answer::Sat(a) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(pool.eval(x, &a, &NoAddresses), 77);
}

#[test]
fn a_glance_ends_after_little_work() {
    let (mut z3, mut pool) = (back_end(), Pool::new());
    let hard = hard_goal(&mut pool);
    let (x, c) = (input(&mut pool, 0, 64), pool.constant(64, 77));
    let easy = pool.eq(x, c);
    let hint = Assignment::default();
    let mut glance = |goal| {
        let query = Query {
            constraints: &[],
            goal,
            addresses: &NoAddresses,
            hint: &hint,
            purpose: Purpose::Branch,
        };
        z3.glance(&mut pool, &query)
    };
    for _ in 0..2 {
        assert!(glance(hard).is_none());
        assert!(matches!(glance(easy), Some(Answer::Sat(_))));
    }
}

#[test]
fn a_deadline_cuts_the_time_of_a_query() {
    let (mut z3, mut pool) = (back_end(), Pool::new());
    let goal = hard_goal(&mut pool);
    z3.set_deadline(Some(Instant::now() + Duration::from_millis(300)));
    let start = Instant::now();
    assert!(matches!(
        ask(&mut z3, &mut pool, &[], goal),
        Answer::Unknown(Unknown::Timeout)
    ));
    assert!(
        start.elapsed() < Duration::from_millis(1300),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn an_interrupt_stops_a_query() {
    let handle = InterruptHandle::new();
    let settings = Z3Settings {
        timeout: Duration::from_secs(60),
        memory: u64::MAX,
        log: None,
        compare_stores: true,
    };
    let (mut z3, mut pool) = (Z3::new(settings, handle.clone()), Pool::new());
    let goal = hard_goal(&mut pool);
    let other = handle.clone();
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.interrupt();
    });
    let start = Instant::now();
    let answer = ask(&mut z3, &mut pool, &[], goal);
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
    assert!(
        matches!(answer, Answer::Unknown(Unknown::Interrupted)),
        "{answer:?}"
    );
    raiser.join().unwrap();
    let (x, c) = (input(&mut pool, 0, 64), pool.constant(64, 77));
    let easy = pool.eq(x, c);
    assert!(matches!(
        ask(&mut z3, &mut pool, &[], easy),
        Answer::Unknown(Unknown::Interrupted)
    ));
    handle.clear();
    assert!(matches!(ask(&mut z3, &mut pool, &[], easy), Answer::Sat(_)));
}

#[test]
fn a_context_is_replaced_when_memory_grows() {
    let (mut z3, mut pool) = (back_end_with(Duration::from_secs(20), 0), Pool::new());
    z3.min_terms = 50;
    let (x, y) = (input(&mut pool, 0, 64), input(&mut pool, 1, 64));
    for i in 0..100u128 {
        let c = pool.constant(64, i * 77 + 3);
        let (a, b) = (pool.bin(BinOp::Xor, x, c), pool.add(y, c));
        let goal = pool.ult(a, b);
        assert!(matches!(
            ask(&mut z3, &mut pool, &[goal], goal),
            Answer::Sat(_)
        ));
    }
    assert!(z3.stats().replaced >= 3, "{:?}", z3.stats());
}

#[test]
fn another_pool_gets_another_context() {
    let mut z3 = back_end();
    for value in [3, 4] {
        // Handles of the two pools coincide; their meanings do not.
        let mut pool = Pool::new();
        let (x, c) = (input(&mut pool, 0, 8), pool.constant(8, value));
        let goal = pool.eq(x, c);
        let Answer::Sat(a) = ask(&mut z3, &mut pool, &[], goal) else {
            panic!("satisfiable")
        };
        assert_eq!(pool.eval(x, &a, &NoAddresses), value);
    }
    assert_eq!(z3.stats().replaced, 1);
    let (a, b) = (Pool::new(), Pool::new());
    assert!(!std::sync::Arc::ptr_eq(a.identity(), b.identity()));
}

#[test]
fn a_query_is_written_as_smtlib() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Z3Settings {
        timeout: Duration::from_secs(5),
        memory: u64::MAX,
        log: Some(dir.path().join("queries")),
        compare_stores: true,
    };
    let (mut z3, mut pool) = (Z3::new(settings, InterruptHandle::new()), Pool::new());
    let (x, y) = (input(&mut pool, 0, 8), input(&mut pool, 1, 8));
    let goal = pool.ult(x, y);
    assert!(matches!(ask(&mut z3, &mut pool, &[], goal), Answer::Sat(_)));
    let text = std::fs::read_to_string(dir.path().join("queries/000001-check.smt2")).unwrap();
    assert!(
        text.contains("bvult") && text.contains("(check-sat)"),
        "{text}"
    );
}
