//! Tests of the simplifier against the solver: a random term built with all rules and the same term
//! built with none are never different, by the back end's answer. `src/expr/simplify/fuzz.rs` tries
//! many more terms on single assignments.

use crate::support::limited::{LIMIT, watch};
use std::time::Duration;
use symex_solver::backend::{InterruptHandle, Z3, Z3Settings};
use symex_solver::{Answer, Purpose, Query, Solver};
use symex_terms::*;
use symex_testing::random::TestRandom;

/// Builds the term of a seed; it is the same for every pool, except for simplification.
fn build(p: &mut Pool, seed: u64, vars: &[Expr]) -> Expr {
    use BinOp::*;
    let mut r = TestRandom::new(seed);
    let mut terms = vars.to_vec();
    // Widths depend on the seed alone, never on what a rule made of a term.
    let of_width = |p: &mut Pool, r: &mut TestRandom, terms: &[Expr], w: Width| {
        let t = terms[r.below(terms.len())];
        let (signed, at, constant) = (r.below(2) == 0, r.below(128) as Width, r.below(3));
        let v = [
            r.below(4) as u128,
            1u128 << at,
            (1u128 << at) - 1,
            u128::MAX << at,
            r.below(256) as u128,
        ][r.below(5)];
        match p.width(t) {
            _ if constant == 0 => p.constant(w, v),
            from if from >= w => p.extract(t, at % (from - w + 1), w),
            _ if signed => p.sext(t, w),
            _ => p.zext(t, w),
        }
    };
    for _ in 0..6 + r.below(8) {
        let a = terms[terms.len() - 1 - r.below(terms.len().min(4))];
        let w = p.width(a);
        let b = of_width(p, &mut r, &terms, w);
        let (a, b) = if r.below(2) == 0 { (a, b) } else { (b, a) };
        let e = match r.below(12) {
            0 => {
                let op = [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz][r.below(4)];
                p.un(op, a)
            }
            1..=5 => {
                let ops = [
                    Add, Sub, And, Or, Xor, Shl, LShr, AShr, Add, Mul, UDiv, URem, SDiv, SRem,
                ];
                // Multiplication and division of wide terms are beyond a quick solver.
                let op = ops[r.below(if w <= 8 { 14 } else { 9 })];
                p.bin(op, a, b)
            }
            6..=8 => {
                let ops = [Eq, ULt, ULe, SLt, SLe, UMulO, SMulO];
                let op = ops[r.below(if w <= 8 { 7 } else { 5 })];
                p.bin(op, a, b)
            }
            9 => {
                let c = of_width(p, &mut r, &terms, 1);
                p.ite(c, a, b)
            }
            10 if 2 * w <= MAX_WIDTH => p.concat(a, b),
            _ => {
                let lo = r.below(w as usize) as Width;
                let width = 1 + r.below((w - lo) as usize) as Width;
                p.extract(a, lo, width)
            }
        };
        terms.push(e);
    }
    terms[terms.len() - 1]
}

#[test]
fn simplified_and_raw_terms_are_equal_for_the_solver() {
    let _watch = watch(LIMIT);
    let settings = Z3Settings {
        timeout: Duration::from_secs(2),
        memory: 1 << 30,
        log: None,
        compare_stores: true,
    };
    let mut z3 = Z3::new(settings, InterruptHandle::new());
    let (mut asked, mut proved) = (0, 0);
    for seed in 0..600 {
        let p = &mut Pool::new();
        let vars: Vec<Expr> = [1, 2, 3, 4, 8, 8, 13, 32]
            .iter()
            .enumerate()
            .map(|(i, width)| {
                let origin = Origin::Input {
                    input: i as u32,
                    part: 0,
                };
                p.var(VarInfo {
                    name: "v".into(),
                    width: *width,
                    origin,
                })
            })
            .collect();
        // Simplified first: what is interned raw would be found by constructors that simplify.
        let simplified = build(p, seed, &vars);
        p.set_simplify(false);
        let raw = build(p, seed, &vars);
        if raw == simplified {
            continue;
        }
        let goal = p.ne(raw, simplified);
        let hint = Assignment::default();
        let query = Query {
            constraints: &[],
            goal,
            addresses: &NoAddresses,
            hint: &hint,
            purpose: Purpose::Check,
        };
        asked += 1;
        match z3.check(p, &query) {
            Answer::Unsat => proved += 1,
            Answer::Sat(a) => panic!(
                "seed {seed}: {} became {}, differs under {a:?}",
                p.display(raw),
                p.display(simplified)
            ),
            Answer::Unknown(_) => {}
        }
    }
    assert!(
        asked > 200 && proved * 10 >= asked * 9,
        "{proved} of {asked} proved"
    );
}
