//! Tests that every chain of stages gives the answers of a fresh Z3 without any, and that every
//! `Sat` assignment satisfies its query.
//!
//! Queries are made as in a run: random goals on paths that grow by the goals found satisfiable,
//! over bit-vectors of many widths, tables, stores and base addresses.
//!
//! Each path is asked of the whole chain and of a share of those with or without one stage, as most
//! of these ask Z3 the same: the paths of a seed go round the shares. `SYMEX_TEST_SHARES=1` asks
//! every chain everything.

use crate::support::limited::{LIMIT, watch};
use crate::support::number;
use std::collections::BTreeMap;
use symex_solver::backend::Cegar;
use symex_solver::backend::rough::MixedLimits;
use symex_solver::{Answer, Chain, Purpose, Query, Solver, SolverStats};
use symex_terms::{
    AddressMap, Array, Assignment, BinOp, Expr, ObjectId, Origin, PathCondition, Pool, UnOp,
    VarInfo, Width,
};
use symex_testing::random::TestRandom;
use symex_types::config::{Experiment, SolverConfig};

/// Addresses of objects: with other names, objects lie elsewhere, and in another order.
struct Addresses;

impl AddressMap for Addresses {
    fn address(&self, object: ObjectId) -> u64 {
        let (name, object) = (u64::from(object.0) / OBJECTS, u64::from(object.0) % OBJECTS);
        let place = (object * (name % 2 + 1) + name) % OBJECTS;
        0x1000_0000_0000 + name * 0x10_0000 + place * 0x1000
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        Some(8 << (u64::from(object.0) % OBJECTS))
    }
}

const OBJECTS: u64 = 3;

/// The kinds of goals.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any terms.
    Any,
    /// Comparisons of few terms with one another, as sorting and searching ask them.
    Order,
    /// Comparisons of pointers into one of a few objects.
    Pointers,
}

/// Makes terms over a few inputs.
struct Terms {
    random: TestRandom,
    vars: Vec<Expr>,
    tables: Vec<(Array, usize)>,
    /// Number that distinguishes the names of its inputs and objects.
    name: u32,
}

/// Number of shares into which the chains with or without one stage are divided.
const SHARES: usize = 3;

const WIDTHS: [Width; 7] = [1, 8, 8, 8, 16, 32, 64];

impl Terms {
    /// Creates the terms of a seed. Terms with another `name` differ only in the names of inputs
    /// and objects.
    fn new(pool: &mut Pool, seed: u64, name: u32) -> Self {
        let mut random = TestRandom::new(seed);
        let vars: Vec<Expr> = WIDTHS
            .iter()
            .enumerate()
            .map(|(i, w)| {
                pool.var(VarInfo {
                    name: "in".into(),
                    width: *w,
                    origin: Origin::Input {
                        input: name * 100 + i as u32,
                        part: 0,
                    },
                })
            })
            .collect();
        let mut tables = Vec::new();
        for len in [5, 64, 100] {
            let elems: Vec<Expr> = (0..len)
                .map(|_| pool.constant(8, random.below(256) as u128))
                .collect();
            tables.push((pool.table(elems.into()), len));
        }
        let elems: Vec<Expr> = (0..20)
            .map(|i| {
                if i % 3 == 0 {
                    vars[1 + i % 2]
                } else {
                    pool.constant(8, i as u128 * 11)
                }
            })
            .collect();
        tables.push((pool.table(elems.into()), 20));
        Terms {
            random,
            vars,
            tables,
            name,
        }
    }

    fn base(&mut self, pool: &mut Pool) -> Expr {
        let object = self.random.below(OBJECTS as usize) as u32;
        pool.base(ObjectId(self.name * OBJECTS as u32 + object), 3)
    }

    fn leaf(&mut self, pool: &mut Pool, width: Width) -> Expr {
        let fitting: Vec<Expr> = self
            .vars
            .iter()
            .copied()
            .filter(|v| pool.width(*v) == width)
            .collect();
        match self.random.below(4) {
            0 => {
                let v = match self.random.below(3) {
                    0 => self.random.below(4) as u128,
                    1 => u128::MAX,
                    _ => self.random.below(1 << 20) as u128,
                };
                pool.constant(width, v)
            }
            1 if width == 64 => self.base(pool),
            _ if !fitting.is_empty() => self.random.pick(&fitting),
            _ => {
                let v = self.random.pick(&self.vars.clone());
                pool.resize(v, width)
            }
        }
    }

    fn index(&mut self, pool: &mut Pool, len: usize, depth: u32) -> Expr {
        let byte = self.term(pool, 8, depth);
        let wide = pool.zext(byte, 64);
        let bound = pool.constant(64, len as u128);
        pool.bin(BinOp::URem, wide, bound)
    }

    fn goal(&mut self, pool: &mut Pool, kind: Kind) -> Expr {
        match kind {
            Kind::Any => self.term(pool, 1, 3),
            Kind::Order => self.comparison(pool),
            Kind::Pointers if self.random.below(3) == 0 => self.term(pool, 1, 2),
            Kind::Pointers => {
                let (a, b) = (self.pointer(pool), self.pointer(pool));
                let op = self.random.pick(&[BinOp::Eq, BinOp::Eq, BinOp::ULt]);
                let e = pool.bin(op, a, b);
                match self.random.below(2) {
                    0 => pool.not(e),
                    _ => e,
                }
            }
        }
    }

    /// Returns a pointer to or into one of a few objects, or null; sometimes one behind its object.
    fn pointer(&mut self, pool: &mut Pool) -> Expr {
        let null = pool.constant(64, 0);
        let elems: Vec<Expr> = (0..3)
            .map(|i| match self.random.below(6) {
                0 if i > 0 => null,
                _ => self.base(pool),
            })
            .collect();
        let pointer = if self.random.below(2) == 0 {
            let index = self.index(pool, elems.len(), 0);
            let table = pool.table(elems.into());
            pool.select(table, index)
        } else {
            let cond = self.comparison(pool);
            pool.ite(cond, elems[0], elems[1])
        };
        match self.random.below(3) {
            0 => {
                let offset = self.random.below(9) as u128;
                let offset = pool.constant(64, offset);
                pool.add(pointer, offset)
            }
            1 => {
                let len = self.random.pick(&[4, 9, 40]);
                let offset = self.index(pool, len, 0);
                pool.add(pointer, offset)
            }
            _ => pointer,
        }
    }

    /// Returns a comparison of inputs, of two inputs joined, of sums or of constants near each
    /// other.
    fn comparison(&mut self, pool: &mut Pool) -> Expr {
        use BinOp::*;
        let width = self.random.pick(&[8, 16, 16, 16]);
        let mut sides = [0, 1].map(|_| {
            let bytes: Vec<Expr> = self.vars[1..4].to_vec();
            let byte = self.random.pick(&bytes);
            let other = self.random.pick(&bytes);
            match (self.random.below(6), width) {
                (0, _) => {
                    let v = self.random.below(6) as u128;
                    let v = if v < 3 { v } else { (1 << (width - 1)) - v };
                    pool.constant(width, v)
                }
                (1, 8) => pool.add(byte, other),
                (_, 8) => byte,
                (1, _) => self.vars[4],
                (2, _) => pool.zext(byte, 16),
                (3, _) => pool.sext(byte, 16),
                _ => pool.concat(byte, other),
            }
        });
        if self.random.below(2) == 0 {
            sides.reverse();
        }
        let op = self.random.pick(&[SLt, SLt, SLe, ULt, ULe, Eq]);
        let e = pool.bin(op, sides[0], sides[1]);
        match self.random.below(2) {
            0 => pool.not(e),
            _ => e,
        }
    }

    fn term(&mut self, pool: &mut Pool, width: Width, depth: u32) -> Expr {
        use BinOp::*;
        if depth == 0 {
            return self.leaf(pool, width);
        }
        let d = depth - 1;
        if width == 1 {
            return match self.random.below(8) {
                0 => {
                    let a = self.term(pool, 1, d);
                    pool.not(a)
                }
                1 => {
                    let (a, b) = (self.term(pool, 1, d), self.term(pool, 1, d));
                    let op = self.random.pick(&[And, Or, Xor]);
                    pool.bin(op, a, b)
                }
                n => {
                    let w = self.random.pick(&[8, 8, 8, 16, 32, 64]);
                    let (a, b) = (self.term(pool, w, d), self.term(pool, w, d));
                    let op = match n {
                        2 | 3 => Eq,
                        4 => self.random.pick(&[SLt, SLe]),
                        5 if w <= 16 => self.random.pick(&[UMulO, SMulO]),
                        _ => self.random.pick(&[ULt, ULe]),
                    };
                    pool.bin(op, a, b)
                }
            };
        }
        match self.random.below(10) {
            0..=3 => {
                let (a, b) = (self.term(pool, width, d), self.term(pool, width, d));
                let op = self.random.pick(&[Add, Sub, And, Or, Xor, Shl, LShr, AShr]);
                pool.bin(op, a, b)
            }
            4 if width <= 16 => {
                let (a, b) = (self.term(pool, width, d), self.term(pool, width, d));
                let op = self.random.pick(&[Mul, UDiv, SDiv, URem, SRem]);
                pool.bin(op, a, b)
            }
            5 => {
                let c = self.term(pool, 1, d);
                let (a, b) = (self.term(pool, width, d), self.term(pool, width, d));
                pool.ite(c, a, b)
            }
            6 if width == 8 => {
                let (mut table, len) = self.random.pick(&self.tables.clone());
                for _ in 0..self.random.below(3) {
                    let (i, v) = (self.index(pool, len, d), self.term(pool, 8, d));
                    table = pool.store(table, i, v);
                }
                let i = self.index(pool, len, d);
                pool.select(table, i)
            }
            7 if width > 8 => {
                let (hi, lo) = (self.term(pool, width - 8, d), self.term(pool, 8, d));
                pool.concat(hi, lo)
            }
            8 if width < 64 => {
                let a = self.term(pool, width * 2, d);
                let lo = self.random.below(width as usize + 1) as Width;
                pool.extract(a, lo, width)
            }
            9 if width > 8 => {
                let a = self.term(pool, 8, d);
                if self.random.below(2) == 0 {
                    pool.zext(a, width)
                } else {
                    pool.sext(a, width)
                }
            }
            _ => {
                let a = self.term(pool, width, d);
                let op = self
                    .random
                    .pick(&[UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz]);
                pool.un(op, a)
            }
        }
    }
}

/// Returns the whole chain, the chain without each stage, each stage alone, and the chain that
/// validates its caches.
fn chains(config: &SolverConfig) -> Vec<(String, Chain)> {
    let without = |names: Vec<&str>| {
        Chain::new(&SolverConfig {
            without_stages: names.into_iter().map(str::to_owned).collect(),
            ..config.clone()
        })
    };
    let mut all = vec![
        ("all".to_string(), Chain::new(config)),
        ("bare".to_string(), Chain::bare(config)),
    ];
    for name in Chain::stage_names() {
        let mut others = Chain::stage_names();
        others.retain(|other| *other != name);
        all.push((format!("without {name}"), without(vec![name])));
        all.push((format!("only {name}"), without(others)));
    }
    // Random goals contain no hashes, so the limits are lowered.
    let abstraction = Cegar::opening(MixedLimits {
        operators: 3,
        small: 0,
    });
    all.push((
        "eager abstraction".to_string(),
        Chain::with_stages(config, vec![Box::new(abstraction)]),
    ));
    let validating = SolverConfig {
        validate_cache: true,
        ..config.clone()
    };
    all.push(("validating".to_string(), Chain::new(&validating)));
    let arrays = Experiment {
        stores_as_arrays: true,
        ..Experiment::default()
    };
    let arrays = Chain::with_experiment(config, &arrays);
    all.push(("stores as stores".to_string(), arrays));
    all
}

/// Returns the name of an answer's variant.
fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

/// Asks the chains the queries of random paths, under several sets of names; returns the statistics
/// of each chain. A path is asked of the same chains under all names.
fn run(
    kind_of_goals: Kind,
    seed: u64,
    names: u32,
    paths: usize,
    steps: usize,
) -> BTreeMap<String, SolverStats> {
    let _watch = watch(LIMIT);
    let config = SolverConfig::default();
    let mut pool = Pool::new();
    let mut chains = chains(&config);
    let shares = number("SYMEX_TEST_SHARES").map_or(SHARES, |n| n as usize);
    let (mut sat, mut unsat) = (0, 0);
    let mut terms: Vec<Terms> = (0..names)
        .map(|name| Terms::new(&mut pool, seed, name))
        .collect();
    for at in 0..paths * terms.len() {
        let count = terms.len();
        let share = (seed as usize + at / count) % shares;
        let terms = &mut terms[at % count];
        let mut condition = PathCondition::default();
        let mut assignment = Assignment::default();
        for _ in 0..steps {
            let goal = terms.goal(&mut pool, kind_of_goals);
            let constraints = condition.slice(&pool, goal);
            let query = Query {
                constraints: &constraints,
                goal,
                addresses: &Addresses,
                hint: &assignment,
                purpose: Purpose::Branch,
            };
            let want = Chain::bare(&config).check(&mut pool, &query);
            assert_ne!(kind(&want), "unknown", "{want:?}");
            // A stage has two chains in a row, so that it is in the share of both.
            let is_asked = |at: usize, name: &str| {
                let of_a_stage = name.starts_with("without ") || name.starts_with("only ");
                !of_a_stage || at / 2 % shares == share
            };
            for (at, (name, chain)) in chains.iter_mut().enumerate() {
                if !is_asked(at, name) {
                    continue;
                }
                let got = chain.check(&mut pool, &query);
                assert_eq!(
                    kind(&got),
                    kind(&want),
                    "chain '{name}', seed {seed}: {got:?} instead of {want:?}"
                );
                if let Answer::Sat(a) = &got {
                    assert!(
                        query.holds(&mut pool, a),
                        "chain '{name}', seed {seed}: a false model"
                    );
                    // It must be an assignment of the whole path, not only of the slice.
                    for c in condition.all() {
                        assert_eq!(
                            pool.eval(c, a, &Addresses),
                            1,
                            "chain '{name}', seed {seed}: the path is lost"
                        );
                    }
                }
            }
            match want {
                Answer::Sat(a) => {
                    sat += 1;
                    condition.add(&mut pool, goal);
                    assignment = a;
                }
                _ => unsat += 1,
            }
        }
    }
    assert!(
        sat > 0 && unsat > 0,
        "{sat} sat, {unsat} unsat: the queries are too much alike"
    );
    for (name, chain) in &chains {
        assert_eq!(chain.stats().cache_errors, 0, "chain '{name}'");
        assert_eq!(chain.stats().back_end.bad_models, 0, "chain '{name}'");
    }
    let whole = chains[0].1.stats();
    assert!(
        whole.back_end.queries < whole.total(),
        "the stages answer too little: {whole:?}"
    );
    let stats = chains
        .into_iter()
        .map(|(name, chain)| (name, chain.stats().clone()));
    stats.collect()
}

#[test]
fn short_paths() {
    for seed in 0..4 {
        run(Kind::Any, seed, 1, 12, 5);
    }
}

#[test]
fn long_paths() {
    for seed in 100..102 {
        run(Kind::Any, seed, 1, 2, 25);
    }
}

#[test]
fn paths_of_comparisons() {
    for seed in 200..208 {
        run(Kind::Order, seed, 1, 4, 20);
    }
}

#[test]
fn paths_that_differ_in_names() {
    let mut answered = [0, 0];
    for seed in 300..306 {
        let stats = run(Kind::Pointers, seed, 3, 3, 8);
        for (sum, name) in answered
            .iter_mut()
            .zip(["address-aware cache", "renaming cache"])
        {
            // Counted in the chain of this stage alone, where no other stage answers first.
            let alone = &stats[&format!("only {name}")];
            *sum += alone.stages[0].answered;
        }
    }
    assert!(answered.iter().all(|count| *count > 0), "{answered:?}");
}

#[test]
fn the_same_queries_give_the_same_assignments() {
    let record = || {
        let mut pool = Pool::new();
        let mut terms = Terms::new(&mut pool, 7, 0);
        let mut chain = Chain::new(&SolverConfig::default());
        let mut condition = PathCondition::default();
        let mut assignment = Assignment::default();
        let mut answers = Vec::new();
        for _ in 0..40 {
            let goal = terms.term(&mut pool, 1, 3);
            let constraints = condition.slice(&pool, goal);
            let query = Query {
                constraints: &constraints,
                goal,
                addresses: &Addresses,
                hint: &assignment,
                purpose: Purpose::Branch,
            };
            let answer = chain.check(&mut pool, &query);
            if let Answer::Sat(a) = &answer {
                condition.add(&mut pool, goal);
                assignment = a.clone();
            }
            answers.push(match answer {
                Answer::Sat(a) => Some(a),
                _ => None,
            });
        }
        answers
    };
    assert_eq!(record(), record());
}
