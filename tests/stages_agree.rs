//! Every chain of stages gives the answers of a fresh Z3 without any, and every `Sat` evaluates to true.
//!
//! Queries are made as a run makes them: random goals on paths that grow by the goals found satisfiable, over
//! bit-vectors of many widths, tables, stores and base addresses.

mod support;

use cargo_symex::config::SolverConfig;
use cargo_symex::expr::{
    AddressMap, Array, Assignment, BinOp, Expr, ObjectId, Origin, PathCondition, Pool, UnOp,
    VarInfo, Width,
};
use cargo_symex::solver::backend::Abstraction;
use cargo_symex::solver::backend::rough::Limits;
use cargo_symex::solver::stage::Stage;
use cargo_symex::solver::stage::address::Address;
use cargo_symex::solver::stage::assignment_cache::AssignmentCache;
use cargo_symex::solver::stage::diagram::Diagram;
use cargo_symex::solver::stage::equality::Equality;
use cargo_symex::solver::stage::interval::Interval;
use cargo_symex::solver::stage::order::Order;
use cargo_symex::solver::stage::query_cache::QueryCache;
use cargo_symex::solver::stage::small_domain::SmallDomain;
use cargo_symex::solver::stage::trivial::Trivial;
use cargo_symex::solver::{Answer, Chain, Purpose, Query, Solver};
use support::limited::{LIMIT, watch};
use support::random::Random;

struct Addresses;

impl AddressMap for Addresses {
    fn address(&self, object: ObjectId) -> u64 {
        0x10_0000 + object.0 as u64 * 0x1000
    }
}

/// What goals are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any terms.
    Any,
    /// Comparisons of few terms with one another, as sorting and searching ask them.
    Order,
}

/// Makes terms over a few inputs.
struct Terms {
    random: Random,
    vars: Vec<Expr>,
    tables: Vec<(Array, usize)>,
}

const WIDTHS: [Width; 7] = [1, 8, 8, 8, 16, 32, 64];

impl Terms {
    fn new(pool: &mut Pool, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let vars: Vec<Expr> = WIDTHS
            .iter()
            .enumerate()
            .map(|(i, w)| {
                pool.var(VarInfo {
                    name: "in".into(),
                    width: *w,
                    origin: Origin::Input {
                        draw: i as u32,
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
        }
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
            1 if width == 64 => {
                let object = ObjectId(self.random.below(3) as u32);
                pool.base(object, 4)
            }
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
        }
    }

    /// A comparison of inputs, of two inputs joined, of sums and of constants near each other.
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

type MakeStage = fn() -> Box<dyn Stage>;

fn stages() -> Vec<(&'static str, MakeStage)> {
    vec![
        ("address", || Box::new(Address::default())),
        ("trivial", || Box::new(Trivial)),
        ("query cache", || Box::new(QueryCache::default())),
        ("equality", || Box::new(Equality::default())),
        ("small domain", || Box::new(SmallDomain::default())),
        ("diagram", || Box::new(Diagram::default())),
        ("order", || Box::new(Order)),
        ("interval", || Box::new(Interval::glance())),
        ("interval search", || Box::new(Interval::search())),
        ("assignment cache", || Box::new(AssignmentCache::default())),
        // Hashes do not come about by chance, so that less must do.
        ("abstraction", || {
            Box::new(Abstraction::opening(Limits {
                operators: 3,
                small: 0,
            }))
        }),
    ]
}

/// The whole chain, the chain without each stage, each stage alone, and the chain that validates its caches.
fn chains(config: &SolverConfig) -> Vec<(String, Chain)> {
    let mut all = vec![
        ("all".to_string(), Chain::new(config)),
        ("bare".to_string(), Chain::bare(config)),
    ];
    for (i, (name, make)) in stages().into_iter().enumerate() {
        let others = stages()
            .into_iter()
            .enumerate()
            .filter(|(j, _)| *j != i)
            .map(|(_, s)| s.1())
            .collect();
        all.push((
            format!("without {name}"),
            Chain::with_stages(config, others),
        ));
        all.push((
            format!("only {name}"),
            Chain::with_stages(config, vec![make()]),
        ));
    }
    let validating = SolverConfig {
        validate_cache: true,
        ..config.clone()
    };
    all.push(("validating".to_string(), Chain::new(&validating)));
    let arrays = SolverConfig {
        compare_stores: false,
        ..config.clone()
    };
    all.push(("stores as stores".to_string(), Chain::new(&arrays)));
    all
}

/// What a variant answered, and which assignments it gave.
fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

fn run(kind_of_goals: Kind, seed: u64, paths: usize, steps: usize) {
    let _watch = watch(LIMIT);
    let config = SolverConfig::default();
    let mut pool = Pool::new();
    let mut terms = Terms::new(&mut pool, seed);
    let mut chains = chains(&config);
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..paths {
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
            for (name, chain) in &mut chains {
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
}

#[test]
fn short_paths() {
    for seed in 0..4 {
        run(Kind::Any, seed, 12, 5);
    }
}

#[test]
fn long_paths() {
    for seed in 100..102 {
        run(Kind::Any, seed, 2, 25);
    }
}

#[test]
fn paths_of_comparisons() {
    for seed in 200..208 {
        run(Kind::Order, seed, 4, 20);
    }
}

#[test]
fn the_same_queries_give_the_same_assignments() {
    let record = || {
        let mut pool = Pool::new();
        let mut terms = Terms::new(&mut pool, 7);
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
