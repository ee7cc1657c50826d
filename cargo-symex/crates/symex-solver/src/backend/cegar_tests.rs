use super::*;
use crate::{Chain, Purpose, Solver};
use symex_terms::{BinOp, Origin, VarInfo, Width};
use symex_types::config::SolverConfig;
use symex_types::splitmix::Random;

/// Makes a chain of this stage alone before the back end.
fn chain(limits: MixedLimits) -> Chain {
    Chain::with_stages(
        &SolverConfig::default(),
        vec![Box::new(Cegar::opening(limits))],
    )
}

fn answered(chain: &Chain) -> u64 {
    chain.stats().stages[0].answered
}

fn input(pool: &mut Pool, part: u32, width: Width) -> Expr {
    pool.var(VarInfo {
        name: "x".into(),
        width,
        origin: Origin::Input { input: width, part },
    })
}

fn ask(chain: &mut Chain, pool: &mut Pool, constraints: &[Expr], goal: Expr) -> Answer {
    let query = Query {
        constraints,
        goal,
        addresses: &NoAddresses,
        hint: &Assignment::default(),
        purpose: Purpose::Check,
    };
    chain.check(pool, &query)
}

/// Mixes a word by six rounds of SipHash.
fn hash(pool: &mut Pool, word: Expr) -> Expr {
    let mut v = [0x736f_6d65u128, 0x646f_7261, 0x6c79_6765, 0x7465_6462]
        .map(|c| pool.constant(64, c << 32 | c));
    v[3] = pool.bin(BinOp::Xor, v[3], word);
    let round = |pool: &mut Pool, v: &mut [Expr; 4], a: usize, b: usize, by: u32| {
        v[a] = pool.add(v[a], v[b]);
        let (high, low) = (
            pool.extract(v[b], 0, 64 - by),
            pool.extract(v[b], 64 - by, by),
        );
        let rotated = pool.concat(high, low);
        v[b] = pool.bin(BinOp::Xor, rotated, v[a]);
    };
    for _ in 0..6 {
        for (a, b, by) in [(0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)] {
            round(pool, &mut v, a, b, by);
        }
    }
    let (x, y) = (
        pool.bin(BinOp::Xor, v[0], v[1]),
        pool.bin(BinOp::Xor, v[2], v[3]),
    );
    pool.bin(BinOp::Xor, x, y)
}

#[test]
fn hashes_are_not_inverted() {
    let (mut z3, mut pool) = (chain(MixedLimits::USUAL), Pool::new());
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 64), input(pool, 1, 64));
    let (a, b) = (hash(pool, x), hash(pool, y));
    let same_word = pool.eq(x, y);
    let other = pool.not(same_word);
    let (tag, tag_too) = (pool.extract(a, 57, 7), pool.extract(b, 57, 7));
    let same = pool.eq(tag, tag_too);
    let Answer::Sat(found) = ask(&mut z3, pool, &[other], same) else {
        panic!("some words have the same tag");
    };
    assert_eq!(pool.eval(same, &found, &NoAddresses), 1);
    assert_eq!(pool.eval(other, &found, &NoAddresses), 1);
    // A place in a table of four elements of 24 bytes.
    let place = pool.extract(a, 0, 2);
    let place = pool.zext(place, 64);
    let size = pool.constant(64, 24);
    let place = pool.bin(BinOp::Mul, place, size);
    let last = pool.constant(64, 72);
    let inside = pool.ule(place, last);
    let outside = pool.not(inside);
    // The simplifier may know the answer as well.
    if pool.as_const(outside).is_none() {
        assert!(matches!(
            ask(&mut z3, pool, &[same], outside),
            Answer::Unsat
        ));
    }
    let apart = pool.not(same);
    assert!(matches!(ask(&mut z3, pool, &[same], apart), Answer::Unsat));
    // All of them, and none by Z3 alone.
    assert_eq!(answered(&z3), z3.stats().total());
    // That the stage asks Z3 for proofs is counted; two words of one tag are found by trying.
    let stats = z3.stats();
    assert_eq!(stats.back_end.queries, 0);
    assert_eq!(stats.stages[0].asked_solver, stats.unsat);
    assert_eq!(stats.reached_solver(), stats.unsat);
}

#[test]
fn places_of_hashes_are_guessed() {
    let (mut z3, mut pool) = (chain(MixedLimits::USUAL), Pool::new());
    let pool = &mut pool;
    let x = input(pool, 0, 64);
    let hashed = hash(pool, x);
    let place = pool.extract(hashed, 0, 6);
    let mut passed = Vec::new();
    for at in 0..20 {
        let at = pool.constant(6, at);
        let here = pool.eq(place, at);
        let Answer::Sat(found) = ask(&mut z3, pool, &passed, here) else {
            panic!("some word is there");
        };
        assert_eq!(pool.eval(here, &found, &NoAddresses), 1);
        passed.push(pool.not(here));
    }
    assert_eq!(answered(&z3), 20);
    assert_eq!(z3.stats().reached_solver(), 0);
}

#[test]
fn hashes_multiply_by_no_units() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = input(pool, 0, 64);
    let mut mixing = Mixing::new(MixedLimits::USUAL);
    let mut opens = |pool: &mut Pool, factor: u128| {
        let factor = pool.constant(64, factor);
        let product = pool.bin(BinOp::Mul, x, factor);
        mixing.opens(pool, product)
    };
    // Scales of decimal numbers, and the nanoseconds of a week.
    for unit in [10u128.pow(11), 10u128.pow(19), 7 * 86_400 * 10u128.pow(9)] {
        assert!(!opens(pool, unit), "{unit}");
    }
    // What rustc's hasher and others of that kind multiply by, and a power of a small prime that is
    // odd.
    for factor in [0x517c_c1b7_2722_0a95, 0x9e37_79b9_7f4a_7c15, 5u128.pow(27)] {
        assert!(opens(pool, factor), "{factor}");
    }
}

/// Draws a random term of a width over two inputs.
fn term(pool: &mut Pool, random: &mut Random, vars: &[Expr; 2], depth: u32) -> Expr {
    let width = pool.width(vars[0]);
    if depth == 0 {
        return match random.below(3) {
            0 => pool.constant(width, u128::from(random.below(1 << width))),
            n => vars[n as usize - 1],
        };
    }
    let [a, b] = [0, 1].map(|_| term(pool, random, vars, depth - 1));
    match random.below(8) {
        0 => pool.add(a, b),
        1 => pool.bin(BinOp::Mul, a, b),
        2 => pool.bin(BinOp::Xor, a, b),
        3 => pool.bin(BinOp::And, a, b),
        4 => pool.bin(BinOp::Or, a, b),
        5 => pool.bin(BinOp::LShr, a, b),
        6 => {
            let low = pool.extract(a, 0, width / 2);
            pool.zext(low, width)
        }
        _ => {
            let less = pool.ult(a, b);
            let c = term(pool, random, vars, depth - 1);
            pool.ite(less, a, c)
        }
    }
}

#[test]
fn terms_left_open_change_no_answer() {
    let mut answered_as = [0; 2];
    for seed in 0..600 {
        let limits = MixedLimits {
            operators: 1 + seed as u32 % 4,
            small: 0,
        };
        let (mut z3, mut pool) = (chain(limits), Pool::new());
        let (pool, random) = (&mut pool, &mut Random::new(seed));
        let vars = [input(pool, 0, 5), input(pool, 1, 5)];
        let mut conditions = [0, 1, 2].map(|_| {
            let [a, b] = [3, 2].map(|depth| term(pool, random, &vars, depth));
            match random.below(3) {
                0 => pool.eq(a, b),
                1 => pool.ult(a, b),
                _ => pool.ule(a, b),
            }
        });
        // The condition of a path can be met: leave out what cannot.
        let yes = pool.bool(true);
        let values = || (0..32u128).flat_map(|x| (0..32u128).map(move |y| (x, y)));
        let meets = |pool: &mut Pool, conditions: &[Expr], (x, y): (u128, u128)| {
            let mut assignment = Assignment::default();
            for (var, value) in vars.iter().zip([x, y]) {
                let symex_terms::Kind::Var(v) = pool.kind(*var) else {
                    unreachable!("inputs are variables")
                };
                assignment.set(v, value);
            }
            conditions
                .iter()
                .all(|c| pool.eval(*c, &assignment, &NoAddresses) == 1)
        };
        if !values().any(|v| meets(pool, &conditions[..2], v)) {
            conditions[..2].fill(yes);
        }
        let possible = values().any(|v| meets(pool, &conditions, v));
        match ask(&mut z3, pool, &conditions[..2], conditions[2]) {
            Answer::Sat(_) => assert!(possible, "seed {seed}"),
            Answer::Unsat => assert!(!possible, "seed {seed}"),
            Answer::Unknown(why) => panic!("seed {seed}: {why}"),
        }
        answered_as[usize::from(possible)] += answered(&z3);
    }
    let [no, yes] = answered_as;
    assert!(no > 20 && yes > 50, "{no} {yes}");
}

#[test]
fn equal_inputs_have_equal_hashes() {
    let (mut chain, mut pool) = (chain(MixedLimits::USUAL), Pool::new());
    let pool = &mut pool;
    let words = [0, 1].map(|part| {
        let bytes = [2 * part, 2 * part + 1].map(|i| input(pool, i, 8));
        let low = pool.concat(bytes[0], bytes[1]);
        pool.zext(low, 64)
    });
    let [a, b] = words.map(|word| hash(pool, word));
    let same = pool.eq(words[0], words[1]);
    let [tag, tag_too] = [a, b].map(|hash| pool.extract(hash, 57, 7));
    let tags = pool.eq(tag, tag_too);
    let differ = pool.not(tags);
    assert!(matches!(
        ask(&mut chain, pool, &[same], differ),
        Answer::Unsat
    ));
    assert_eq!(answered(&chain), 1);
}

#[test]
fn values_are_learnt_from_models() {
    let (mut chain, mut pool) = (chain(MixedLimits::USUAL), Pool::new());
    let pool = &mut pool;
    let x = input(pool, 0, 64);
    let h = hash(pool, x);
    let tag = pool.extract(h, 57, 7);
    // Twenty keys, of which those with some tag are looked for.
    let (mut any, mut with) = (pool.bool(false), Vec::new());
    let wanted = pool.constant(7, 0x31);
    for i in 0..20u64 {
        let key = pool.constant(64, u128::from(i * 0x1_0001));
        let here = pool.eq(x, key);
        any = pool.bin(BinOp::Or, any, here);
        let mut at = Assignment::default();
        let Kind::Var(v) = pool.kind(x) else {
            unreachable!("an input is a variable")
        };
        at.set(v, u128::from(i * 0x1_0001));
        with.extend((pool.eval(tag, &at, &NoAddresses) == 0x31).then_some(i));
    }
    let goal = pool.eq(tag, wanted);
    let answer = ask(&mut chain, pool, &[any], goal);
    assert_eq!(matches!(answer, Answer::Sat(_)), !with.is_empty());
    assert_eq!(answered(&chain), 1);
}
