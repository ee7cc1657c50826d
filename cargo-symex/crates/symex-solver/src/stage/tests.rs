//! Tests of which queries each stage answers, and which it passes. `stages_agree` tests that no
//! answer is wrong.

use super::address::Address;
use super::address_aware_cache::AddressAwareCache;
use super::assignment_cache::AssignmentCache;
use super::case_split::CaseSplit;
use super::equality::Equality;
use super::query_cache::QueryCache;
use super::renaming_cache::RenamingCache;
use super::small_domain::SmallDomain;
use super::stored_answers::StoredAnswers;
use super::test_queries::is_unsat;
use super::value_list::ValueLists;
use super::*;
use crate::Purpose;
use symex_terms::{AddressMap, Assignment, BinOp, Kind, ObjectId, Origin, Var, VarInfo, Width};

struct Fixed;

impl AddressMap for Fixed {
    fn address(&self, object: ObjectId) -> u64 {
        0x1000_0000_0000 + 0x1000 * u64::from(object.0)
    }
}

struct Bench {
    pool: Pool,
    hint: Assignment,
}

impl Bench {
    fn new() -> Self {
        Bench {
            pool: Pool::new(),
            hint: Assignment::default(),
        }
    }

    fn input(&mut self, input: u32, width: Width) -> Expr {
        self.pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input, part: 0 },
        })
    }

    fn var(&self, x: Expr) -> Var {
        let Kind::Var(v) = self.pool.kind(x) else {
            unreachable!()
        };
        v
    }

    fn with_query<T>(
        &mut self,
        constraints: &[Expr],
        goal: Expr,
        f: impl FnOnce(&mut Pool, &Query) -> T,
    ) -> T {
        let hint = self.hint.clone();
        let query = Query {
            constraints,
            goal,
            addresses: &Fixed,
            hint: &hint,
            purpose: Purpose::Branch,
        };
        f(&mut self.pool, &query)
    }

    fn before(&mut self, stage: &mut dyn Stage, constraints: &[Expr], goal: Expr) -> StageOutcome {
        self.with_query(constraints, goal, |pool, q| stage.before(pool, q))
    }

    fn after(&mut self, stage: &mut dyn Stage, constraints: &[Expr], goal: Expr, answer: &Answer) {
        self.with_query(constraints, goal, |pool, q| stage.after(pool, q, answer))
    }

    fn is(&mut self, x: Expr, op: BinOp, value: u128) -> Expr {
        let c = self.pool.constant(self.pool.width(x), value);
        self.pool.bin(op, x, c)
    }
}

fn found(step: StageOutcome) -> Assignment {
    match step {
        StageOutcome::Answer(Answer::Sat(a)) => a,
        StageOutcome::Answer(other) => panic!("{other:?}"),
        StageOutcome::Pass => panic!("passed"),
        StageOutcome::Rewrite(..) | StageOutcome::Split(_) => panic!("rewritten"),
    }
}

#[test]
fn address_replaces_bases_and_leaves_other_queries() {
    let mut b = Bench::new();
    let base = b.pool.base(ObjectId(2), 4);
    let x = b.input(0, 64);
    let goal = b.pool.ult(x, base);
    let StageOutcome::Rewrite(constraints, goal) = b.before(&mut Address::default(), &[], goal)
    else {
        panic!("not rewritten")
    };
    assert!(constraints.is_empty());
    assert_eq!(goal, b.is(x, BinOp::ULt, 0x1000_0000_2000));
    assert!(matches!(
        b.before(&mut Address::default(), &[], goal),
        StageOutcome::Pass
    ));
}

#[test]
fn address_answers_what_becomes_constant() {
    let mut b = Bench::new();
    let base = b.pool.base(ObjectId(2), 4);
    let (here, elsewhere) = (0x1000_0000_2000, 0x1000_0000_3000);
    let (yes, no) = (
        b.is(base, BinOp::Eq, here),
        b.is(base, BinOp::Eq, elsewhere),
    );
    let x = b.input(0, 64);
    let goal = b.is(x, BinOp::Eq, 7);
    let stage = &mut Address::default();
    assert!(is_unsat(&b.before(stage, &[], no)));
    assert!(is_unsat(&b.before(stage, &[no], goal)));
    let hint = b.hint.clone();
    assert_eq!(found(b.before(stage, &[], yes)), hint);
    let StageOutcome::Rewrite(constraints, _) = b.before(stage, &[yes], goal) else {
        panic!("not rewritten")
    };
    assert!(constraints.is_empty());
}

#[test]
fn equality_propagates_into_the_goal() {
    let mut b = Bench::new();
    let (x, y, z) = (b.input(0, 32), b.input(1, 32), b.input(2, 32));
    let sum = b.pool.bin(BinOp::Mul, x, y);
    let is_seven = b.is(sum, BinOp::Eq, 7);
    let below = b.is(sum, BinOp::ULt, 7);
    assert!(is_unsat(&b.before(
        &mut Equality::default(),
        &[is_seven],
        below
    )));
    let goal = b.pool.ult(sum, z);
    let StageOutcome::Rewrite(constraints, goal) =
        b.before(&mut Equality::default(), &[is_seven], goal)
    else {
        panic!("not rewritten")
    };
    assert_eq!(constraints, [is_seven]);
    let seven = b.pool.constant(32, 7);
    assert_eq!(goal, b.pool.ult(seven, z));
    // What the goal no longer depends on is left out if the hint satisfies it.
    b.hint.set(Var(0), 7);
    b.hint.set(Var(1), 1);
    let goal = b.pool.ult(sum, z);
    let StageOutcome::Rewrite(constraints, _) =
        b.before(&mut Equality::default(), &[is_seven], goal)
    else {
        panic!("not rewritten")
    };
    assert!(constraints.is_empty());
    // A constraint inside the goal is true there.
    let (c, other) = (b.pool.ult(x, y), b.pool.ult(y, z));
    let both = b.pool.and(c, other);
    let StageOutcome::Rewrite(_, goal) = b.before(&mut Equality::default(), &[c], both) else {
        panic!("not rewritten")
    };
    assert_eq!(goal, other);
}

#[test]
fn equality_knows_the_bytes_of_what_is_bounded() {
    let mut b = Bench::new();
    let bytes: Vec<Expr> = (0..4).map(|i| b.input(i, 8)).collect();
    let p = &mut b.pool;
    let whole = bytes[1..]
        .iter()
        .fold(bytes[0], |low, byte| p.concat(*byte, low));
    let z = b.input(4, 32);
    // Of what is below 300, nine bits may be set.
    let bounded = b.is(whole, BinOp::ULt, 300);
    let sum = b.pool.add(whole, z);
    let goal = b.is(sum, BinOp::Eq, 1000);
    let stage = &mut Equality::default();
    let StageOutcome::Rewrite(constraints, goal) = b.before(stage, &[bounded], goal) else {
        panic!("not rewritten")
    };
    assert_eq!(constraints, [bounded]);
    let high = b.pool.extract(bytes[1], 0, 1);
    let low = b.pool.concat(high, bytes[0]);
    let low = b.pool.zext(low, 32);
    let sum = b.pool.add(low, z);
    assert_eq!(goal, b.is(sum, BinOp::Eq, 1000));
    // A value says more than a bound, whichever comes first.
    let is = b.is(whole, BinOp::Eq, 0x102);
    let goal = b.is(bytes[0], BinOp::Eq, 3);
    for constraints in [[bounded, is], [is, bounded]] {
        assert!(is_unsat(&b.before(stage, &constraints, goal)));
        assert!(is_unsat(&b.before(
            &mut Equality::default(),
            &constraints,
            goal
        )));
    }
}

#[test]
fn query_cache_remembers_by_set_and_goal() {
    let mut b = Bench::new();
    let (x, y, z) = (b.input(0, 32), b.input(1, 32), b.input(2, 32));
    let (c, d, goal) = (b.pool.ult(x, y), b.pool.ult(z, y), b.pool.ult(x, z));
    let mut cache = QueryCache::default();
    assert!(matches!(
        b.before(&mut cache, &[c, d], goal),
        StageOutcome::Pass
    ));
    let mut answer = Assignment::default();
    let (vx, vy, vz) = (b.var(x), b.var(y), b.var(z));
    for (v, n) in [(vx, 1), (vy, 3), (vz, 2)] {
        answer.set(v, n);
    }
    b.after(&mut cache, &[c, d], goal, &Answer::Sat(answer.clone()));
    let other = b.input(3, 8);
    let unrelated = b.var(other);
    b.hint.set(unrelated, 77);
    let got = found(b.before(&mut cache, &[d, c], goal));
    assert_eq!(
        (got.get(vx), got.get(vy), got.get(vz), got.get(unrelated)),
        (1, 3, 2, 77)
    );
    assert!(matches!(
        b.before(&mut cache, &[c], goal),
        StageOutcome::Pass
    ));
    b.after(
        &mut cache,
        &[c],
        goal,
        &Answer::Unknown(crate::Unknown::Timeout),
    );
    assert!(matches!(
        b.before(&mut cache, &[c], goal),
        StageOutcome::Pass
    ));
    cache.reset();
    assert!(matches!(
        b.before(&mut cache, &[c, d], goal),
        StageOutcome::Pass
    ));
}

#[test]
fn assignment_cache_uses_subsets_and_old_assignments() {
    let mut b = Bench::new();
    let (x, y, z) = (b.input(0, 32), b.input(1, 32), b.input(2, 32));
    let (c, d, e) = (b.pool.ult(x, y), b.pool.ult(y, z), b.pool.ult(z, x));
    let mut cache = AssignmentCache::default();
    assert!(matches!(
        b.before(&mut cache, &[c, d], e),
        StageOutcome::Pass
    ));
    b.after(&mut cache, &[c, d], e, &Answer::Unsat);
    let more = b.is(x, BinOp::ULt, 9);
    assert!(is_unsat(&b.before(&mut cache, &[more, e, c], d)));
    assert!(matches!(
        b.before(&mut cache, &[more, e], c),
        StageOutcome::Pass
    ));
    let mut a = Assignment::default();
    let (vx, vy) = (b.var(x), b.var(y));
    a.set(vx, 4);
    a.set(vy, 5);
    b.after(&mut cache, &[], c, &Answer::Sat(a));
    let got = found(b.before(&mut cache, &[more], c));
    assert_eq!((got.get(vx), got.get(vy)), (4, 5));
    let less = b.is(x, BinOp::ULt, 3);
    assert!(matches!(
        b.before(&mut cache, &[less], c),
        StageOutcome::Pass
    ));
}

#[test]
fn small_domain_decides_bytes() {
    let mut b = Bench::new();
    let (x, y) = (b.input(0, 8), b.input(1, 8));
    let three = b.pool.constant(8, 3);
    let cube = b.pool.bin(BinOp::Mul, x, x);
    let cube = b.pool.bin(BinOp::Mul, cube, x);
    let sum = b.pool.add(cube, three);
    let low = b.is(x, BinOp::ULt, 100);
    let goal = b.is(sum, BinOp::Eq, 128);
    let mut stage = SmallDomain::default();
    let vx = b.var(x);
    let a = found(b.before(&mut stage, &[low], goal));
    assert_eq!(a.get(vx), 5);
    // No square ends in binary 10.
    let square = b.pool.bin(BinOp::Mul, x, x);
    let c = b.pool.constant(8, 3);
    let ending = b.pool.and(square, c);
    let goal = b.is(ending, BinOp::Eq, 2);
    assert!(is_unsat(&b.before(&mut stage, &[low], goal)));
    // Two bytes with few values left: complete by combination.
    let (cx, cy) = (b.is(x, BinOp::ULt, 10), b.is(y, BinOp::ULt, 10));
    let product = b.pool.bin(BinOp::Mul, x, y);
    let goal = b.is(product, BinOp::Eq, 73);
    assert!(is_unsat(&b.before(&mut stage, &[cx, cy], goal)));
    let goal = b.is(product, BinOp::Eq, 72);
    let a = found(b.before(&mut stage, &[cx, cy], goal));
    let vy = b.var(y);
    assert_eq!(a.get(vx) * a.get(vy), 72);
    // Two bytes without bounds are too many at a glance.
    let goal = b.is(product, BinOp::Eq, 71);
    assert!(matches!(
        b.before(&mut stage, &[], goal),
        StageOutcome::Pass
    ));
}

#[test]
fn values_of_wide_variables_are_listed_where_they_are_bounded() {
    let mut b = Bench::new();
    let (x, y) = (b.input(0, 64), b.input(1, 32));
    let (low, few) = (b.is(x, BinOp::ULt, 600), b.is(y, BinOp::ULe, 40));
    let wide = b.pool.zext(y, 64);
    let square = b.pool.bin(BinOp::Mul, x, x);
    let sum = b.pool.add(square, wide);
    let goal = b.is(sum, BinOp::Eq, 599 * 599 + 40);
    let mut search = ValueLists::default();
    let (vx, vy) = (b.var(x), b.var(y));
    let a = found(b.before(&mut search, &[low, few], goal));
    assert_eq!((a.get(vx), a.get(vy)), (599, 40));
    let never = b.is(sum, BinOp::Eq, 599 * 599 + 41);
    assert!(is_unsat(&b.before(&mut search, &[low, few], never)));
    // What was known of the term is of no use without the bound.
    assert!(matches!(
        b.before(&mut search, &[low], never),
        StageOutcome::Pass
    ));
    let square_alone = b.is(square, BinOp::Eq, 1 << 40);
    assert!(is_unsat(&b.before(&mut search, &[low], square_alone)));
    let a = b.before(&mut search, &[], square_alone);
    assert!(!is_unsat(&a), "a square of 2^20 is 2^40");
}

#[test]
fn small_domain_leaves_out_what_the_values_left_imply() {
    let mut b = Bench::new();
    let [x, y, z] = [0, 1, 2].map(|i| b.input(i, 8));
    // Not `null`, not `true`: conditions of all three, decided as soon as the first is a digit.
    let mut no_word = |word: [u128; 3]| {
        let letters = [x, y, z].into_iter().zip(word);
        let letters: Vec<Expr> = letters.map(|(e, c)| b.is(e, BinOp::Eq, c)).collect();
        let word = letters.into_iter().reduce(|a, c| b.pool.and(a, c));
        b.pool.not(word.expect("letters"))
    };
    let words = [no_word([110, 117, 108]), no_word([116, 114, 117])];
    let (low, high) = (b.is(x, BinOp::ULt, 58), b.is(x, BinOp::ULt, 48));
    let digit = b.pool.not(high);
    let product = b.pool.bin(BinOp::Mul, x, x);
    let shifted = b.pool.bin(BinOp::Mul, product, y);
    let small = b.is(y, BinOp::ULt, 3);
    let constraints = [words[0], words[1], low, digit, small];
    // The third may be anything, which is too much for all three together.
    let sought = b.is(shifted, BinOp::Eq, 98);
    let mut stage = SmallDomain::default();
    let (vx, vy) = (b.var(x), b.var(y));
    b.hint.set(vx, 48);
    let a = found(b.before(&mut stage, &constraints, sought));
    assert_eq!((a.get(vx), a.get(vy)), (57, 2));
    let never = b.is(shifted, BinOp::Eq, 99);
    assert!(is_unsat(&b.before(&mut stage, &constraints, never)));
    // Where all may be letters, a word may be meant.
    let loose = [words[0], words[1]];
    assert!(matches!(
        b.before(&mut stage, &loose, never),
        StageOutcome::Pass
    ));
}

#[test]
fn address_follows_the_map_of_each_query() {
    struct At(u64);
    impl AddressMap for At {
        fn address(&self, object: ObjectId) -> u64 {
            0x1000_0000_0000 + self.0 + 16 * u64::from(object.0)
        }
    }
    let mut b = Bench::new();
    let stage = &mut Address::default();
    let x = b.input(0, 64);
    let bases = [0, 1].map(|i| b.pool.base(ObjectId(i), 4));
    let goals = bases.map(|base| b.pool.ult(x, base));
    // The second object is met first at a time when the first one's address has been remembered.
    for (address, goal, want) in [(64, 0, 64), (64, 1, 80), (96, 1, 112), (96, 0, 96)] {
        let query = Query {
            constraints: &[],
            goal: goals[goal],
            addresses: &At(address),
            hint: &b.hint,
            purpose: Purpose::Branch,
        };
        let StageOutcome::Rewrite(_, got) = stage.before(&mut b.pool, &query) else {
            panic!("not rewritten")
        };
        assert_eq!(got, b.is(x, BinOp::ULt, 0x1000_0000_0000 + want));
    }
}

/// Objects with sizes, as on a path: all but the first are of 16 bytes.
struct Sized(u64);

impl AddressMap for Sized {
    fn address(&self, object: ObjectId) -> u64 {
        0x1000_0000_0000 + (self.0 ^ u64::from(object.0)) * 0x100
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        Some(if object.0 == 0 { 8 } else { 16 })
    }
}

#[test]
fn the_address_aware_cache_does_not_see_where_objects_lie() {
    let b = &mut Bench::new();
    let stage = &mut AddressAwareCache::default();
    let [i, j, k] = [0, 1, 2].map(|input| b.input(input, 8));
    // Are the elements of a table of pointers at two places the same?
    let same = |b: &mut Bench, [x, y]: [Expr; 2], objects: [u32; 3]| {
        let p = &mut b.pool;
        let bases = objects.map(|object| p.base(ObjectId(object), 4));
        let table = p.table(bases.into_iter().collect());
        let [x, y] = [x, y].map(|index| {
            let index = p.zext(index, 64);
            p.select(table, index)
        });
        p.eq(x, y)
    };
    let ask = |b: &mut Bench, stage: &mut AddressAwareCache, goal, purpose, map: &Sized| {
        stage.before(
            &mut b.pool,
            &Query {
                constraints: &[],
                goal,
                addresses: map,
                hint: &b.hint,
                purpose,
            },
        )
    };
    let goal = same(b, [i, j], [1, 2, 3]);
    let first = ask(b, stage, goal, Purpose::Branch, &Sized(0));
    assert!(matches!(first, StageOutcome::Pass));
    let mut answer = Assignment::default();
    answer.set(b.var(i), 2);
    answer.set(b.var(j), 2);
    b.after(stage, &[], goal, &Answer::Sat(answer));
    // Another path: other inputs, other objects elsewhere.
    let goal = same(b, [k, j], [6, 4, 5]);
    let got = found(ask(b, stage, goal, Purpose::Branch, &Sized(77)));
    assert_eq!((got.get(b.var(k)), got.get(b.var(j))), (2, 2));
    // Two objects are one, or one is of another size.
    for objects in [[6, 4, 6], [0, 4, 5]] {
        let goal = same(b, [k, j], objects);
        let step = ask(b, stage, goal, Purpose::Branch, &Sized(0));
        assert!(matches!(step, StageOutcome::Pass), "{objects:?}");
    }
    // What the engine asks about addresses for itself.
    let goal = same(b, [k, j], [6, 4, 5]);
    let step = ask(b, stage, goal, Purpose::Resolve, &Sized(0));
    assert!(matches!(step, StageOutcome::Pass));
    // Which of two objects comes first is no matter of names.
    let bases = [1, 2].map(|object| b.pool.base(ObjectId(object), 4));
    let goal = b.pool.ult(bases[0], bases[1]);
    for _ in 0..2 {
        let step = ask(b, stage, goal, Purpose::Branch, &Sized(0));
        assert!(matches!(step, StageOutcome::Pass));
        b.after(stage, &[], goal, &Answer::Unsat);
    }
}

#[test]
fn the_renaming_cache_does_not_see_which_inputs_they_are() {
    let b = &mut Bench::new();
    let stage = &mut RenamingCache::default();
    let inputs: Vec<Expr> = (0..6).map(|input| b.input(input, 32)).collect();
    let chain = |b: &mut Bench, x: Expr, y: Expr, z: Expr| {
        let c = b.pool.ult(x, y);
        (c, b.pool.ult(y, z))
    };
    let (c, goal) = chain(b, inputs[0], inputs[1], inputs[2]);
    assert!(matches!(b.before(stage, &[c], goal), StageOutcome::Pass));
    let mut answer = Assignment::default();
    for (at, value) in [(0, 4), (1, 5), (2, 6)] {
        answer.set(b.var(inputs[at]), value);
    }
    b.after(stage, &[c], goal, &Answer::Sat(answer));
    let (c, goal) = chain(b, inputs[5], inputs[3], inputs[4]);
    let got = found(b.before(stage, &[c], goal));
    let values = [5, 3, 4].map(|at| got.get(b.var(inputs[at])));
    assert_eq!(values, [4, 5, 6]);
    // A cycle is no chain.
    let (c, goal) = chain(b, inputs[5], inputs[3], inputs[5]);
    assert!(matches!(b.before(stage, &[c], goal), StageOutcome::Pass));
    b.after(stage, &[c], goal, &Answer::Unsat);
    let (c, goal) = chain(b, inputs[0], inputs[1], inputs[0]);
    assert!(is_unsat(&b.before(stage, &[c], goal)));
}

/// A store that several runs use in turn.
#[derive(Clone, Default)]
struct Kept(std::sync::Arc<std::sync::Mutex<std::collections::BTreeMap<[u8; 32], Vec<u8>>>>);

impl AnswerStore for Kept {
    fn get(&mut self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&mut self, key: &[u8; 32], value: &[u8]) {
        self.0.lock().unwrap().insert(*key, value.to_vec());
    }
}

#[test]
fn stored_answers_serve_later_runs_and_are_tried() {
    let kept = Kept::default();
    let run = |noise: u32| {
        let mut b = Bench::new();
        for input in 0..noise {
            b.input(100 + input, 8);
        }
        let mut stage = StoredAnswers::default();
        stage.keep_answers(&mut Some(Box::new(kept.clone())));
        let (x, y) = (b.input(noise, 32), b.input(noise + 1, 32));
        let less = b.pool.ult(x, y);
        let other = b.pool.ult(y, x);
        (b, stage, x, y, less, other)
    };
    let (mut b, mut stage, x, y, less, other) = run(0);
    assert!(matches!(
        b.before(&mut stage, &[], less),
        StageOutcome::Pass
    ));
    let mut answer = Assignment::default();
    answer.set(b.var(x), 3);
    answer.set(b.var(y), 9);
    b.after(&mut stage, &[], less, &Answer::Sat(answer));
    assert!(matches!(
        b.before(&mut stage, &[less], other),
        StageOutcome::Pass
    ));
    b.after(&mut stage, &[less], other, &Answer::Unsat);
    let (mut b, mut stage, x, y, less, other) = run(3);
    let got = found(b.before(&mut stage, &[], less));
    assert_eq!((got.get(b.var(x)), got.get(b.var(y))), (3, 9));
    assert!(is_unsat(&b.before(&mut stage, &[less], other)));
    // What is no answer, or no assignment of the query, is not believed.
    let keys: Vec<[u8; 32]> = kept.0.lock().unwrap().keys().copied().collect();
    for bytes in [&[][..], &[9, 9], &[0, 2, 7, 7], &[0, 1, 0], &[0, 2, 9, 3]] {
        for key in &keys {
            kept.clone().put(key, bytes);
        }
        let (mut b, mut stage, _, _, less, _) = run(1);
        assert!(
            matches!(b.before(&mut stage, &[], less), StageOutcome::Pass),
            "{bytes:?}"
        );
    }
}

#[test]
fn case_split_decides_products_by_the_values_of_a_scale() {
    let mut b = Bench::new();
    let (x, scale) = (b.input(0, 64), b.input(1, 8));
    let powers: Vec<Expr> = (0..10)
        .map(|i| b.pool.constant(64, 10u128.pow(i)))
        .collect();
    let table = b.pool.table(powers.into());
    let ten = b.pool.constant(8, 10);
    let place = b.pool.bin(BinOp::URem, scale, ten);
    let index = b.pool.zext(place, 64);
    let power = b.pool.select(table, index);
    let quotient = b.pool.bin(BinOp::UDiv, x, power);
    let rest = b.pool.bin(BinOp::URem, x, power);
    let large = b.is(place, BinOp::ULt, 3);
    let large = b.pool.not(large);
    let small = b.is(place, BinOp::ULt, 8);
    // No remainder by one of these powers of ten is that large.
    let end = b.pool.constant(64, 10_000_000);
    let goal = b.pool.ule(end, rest);
    let stage = &mut CaseSplit::by_factors();
    assert!(is_unsat(&b.before(stage, &[large, small], goal)));
    // By 10^6 alone, as the remainder has six digits; the hint's own case has none.
    b.hint.set(Var(1), 4);
    let (a, c) = (
        b.is(rest, BinOp::Eq, 999_999),
        b.is(quotient, BinOp::Eq, 123_456_789_012),
    );
    let six = b.is(place, BinOp::ULt, 7);
    let a = found(b.before(stage, &[large, six, a], c));
    assert_eq!(a.get(Var(0)), 123_456_789_012_999_999);
    assert_eq!(a.get(Var(1)) % 10, 6);
}

#[test]
fn case_split_goes_on_as_the_only_case_left_open() {
    let mut b = Bench::new();
    let (x, y, shift) = (b.input(0, 64), b.input(1, 64), b.input(2, 8));
    let shifted = {
        let shift = b.pool.zext(shift, 64);
        b.pool.bin(BinOp::Shl, x, shift)
    };
    let mixed = {
        let product = b.pool.bin(BinOp::Mul, y, y);
        let product = b.pool.bin(BinOp::Xor, product, y);
        b.pool.bin(BinOp::Mul, product, x)
    };
    let few = b.is(shift, BinOp::ULt, 2);
    let odd = b.is(shifted, BinOp::Eq, 0x1357);
    let goal = b.is(mixed, BinOp::Eq, 0x0123_4567_89ab_cdef);
    let stage = &mut CaseSplit::by_factors();
    let StageOutcome::Rewrite(constraints, _) = b.before(stage, &[few, odd], goal) else {
        panic!("not rewritten")
    };
    // Only without a shift is the result odd.
    let zero = b.is(shift, BinOp::Eq, 0);
    assert!(constraints.contains(&zero));
    let is = b.is(x, BinOp::Eq, 0x1357);
    assert!(constraints.contains(&is));
}

#[test]
fn case_split_by_places_decides_what_is_read_from_a_text() {
    let mut b = Bench::new();
    let text: Vec<Expr> = (0..8).map(|i| b.input(i, 8)).collect();
    let place = b.input(8, 8);
    let table = b.pool.table(text.clone().into());
    let low = b.pool.extract(place, 0, 3);
    let index = b.pool.zext(low, 64);
    let read = b.pool.select(table, index);
    // It is none of those that there are.
    let mut others: Vec<Expr> = text.iter().map(|t| b.pool.ne(read, *t)).collect();
    let goal = others.pop().expect("eight");
    let step = b.before(&mut CaseSplit::by_factors(), &others, goal);
    assert!(matches!(step, StageOutcome::Pass));
    assert!(is_unsat(&b.before(
        &mut CaseSplit::by_places(),
        &others,
        goal
    )));
}
