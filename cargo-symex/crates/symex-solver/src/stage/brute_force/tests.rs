use super::candidates::Candidates;
use super::*;

use crate::stage::test_queries::{input, var};
use crate::{Chain, Purpose, Solver};
use symex_terms::{Assignment, BinOp, FCast, Kind, NoAddresses, UnOp, Width, mask};
use symex_types::config::SolverConfig;
use symex_types::splitmix::Random;

pub(super) fn with_query<T>(
    constraints: &[Expr],
    goal: Expr,
    hint: &Assignment,
    f: impl FnOnce(&Query) -> T,
) -> T {
    f(&Query {
        constraints,
        goal,
        addresses: &NoAddresses,
        hint,
        purpose: Purpose::Check,
    })
}

fn ask(pool: &mut Pool, constraints: &[Expr], goal: Expr) -> StageOutcome {
    with_query(constraints, goal, &Assignment::default(), |query| {
        BruteForce::default().before(pool, query)
    })
}

fn task(pool: &Pool, constraints: &[Expr], goal: Expr) -> Task {
    let prepared = with_query(constraints, goal, &Assignment::default(), |query| {
        BruteForce::prepare(pool, query)
    });
    match prepared {
        Some(Prepared::Task(task)) => *task,
        _ => panic!("no task"),
    }
}

/// Draws values of a width: small, close to the ends, and any.
fn value(random: &mut Random, width: Width) -> u128 {
    let m = mask(width);
    let any = (u128::from(random.bits()) << 64 | u128::from(random.bits())) & m;
    match random.below(7) {
        0 => any & 7,
        1 => m - (any & 7),
        2 => (1u128 << (width - 1)) ^ (any & 3 & m),
        3 => any & u128::from(width.next_power_of_two() * 2 - 1) & m,
        4 => any >> (width / 2),
        // A float close to one.
        5 if width == 32 => any & 0x83ff_ffff | 0x3c00_0000,
        5 if width == 64 => any & 0x83ff_ffff_ffff_ffff | 0x3c00_0000_0000_0000,
        _ => any,
    }
}

/// An operand of any width: of one input, or of two above each other.
struct Operand {
    term: Expr,
    inputs: Vec<(Expr, Width)>,
}

impl Operand {
    fn new(pool: &mut Pool, part: u32, width: Width) -> Operand {
        if width <= 64 {
            let term = input(pool, part, width);
            let inputs = vec![(term, width)];
            return Operand { term, inputs };
        }
        let low = input(pool, part, 64);
        let high = input(pool, part + 10, width - 64);
        Operand {
            term: pool.concat(high, low),
            inputs: vec![(low, 64), (high, width - 64)],
        }
    }

    fn values(&self, value: u128) -> impl Iterator<Item = (Expr, u64)> + '_ {
        let parts = [value as u64, (value >> 64) as u64];
        self.inputs.iter().zip(parts).map(|((e, _), v)| (*e, v))
    }
}

/// Compiles a term over some operands, and compares its values with those that `expected` computes.
fn agrees(
    pool: &mut Pool,
    random: &mut Random,
    operands: &[Operand],
    term: Expr,
    what: &dyn std::fmt::Debug,
) {
    let width = pool.width(term);
    let result = Operand::new(pool, 5, width);
    let mut conditions = Vec::new();
    for (at, (part, part_width)) in (0..).zip(&result.inputs) {
        let slice = pool.extract(term, 64 * at, *part_width);
        conditions.push(pool.eq(slice, *part));
    }
    if conditions.iter().any(|c| pool.as_const(*c).is_some()) {
        return;
    }
    let Some(terms) = Terms::of(pool, &conditions) else {
        panic!("{what:?} of {width} bits is not supported");
    };
    let inputs = terms
        .all
        .iter()
        .filter(|e| matches!(pool.kind(**e), Kind::Var(_)));
    let inputs: Vec<Candidates> = inputs
        .map(|e| Candidates {
            var: var(pool, *e),
            term: *e,
            width: pool.width(*e),
            first: 0,
            count: 1 << pool.width(*e).min(16),
            shift: 0,
        })
        .collect();
    let boxes = [ValueBox::whole(&inputs, 0)];
    let plan = Plan::new(pool, terms, inputs, &boxes).expect("values");
    // The code of a short search, and that of a long one.
    let programs = [0, u64::MAX].map(|work| Program::new(pool, &plan, work).expect("code"));
    for at in 0..24 {
        let program = &programs[at % programs.len()];
        let mut assignment = Assignment::default();
        let mut values = Vec::new();
        for operand in operands {
            let value = value(random, pool.width(operand.term));
            values.push(value);
            for (e, v) in operand.values(value) {
                assignment.set(var(pool, e), v.into());
            }
        }
        let expected = pool.eval(term, &assignment, &NoAddresses);
        for other in [0, 1, 1 << (width - 1)] {
            for (e, v) in result.values(expected ^ other) {
                assignment.set(var(pool, e), v.into());
            }
            let ranges: Vec<[u64; 2]> = plan
                .inputs
                .iter()
                .map(|input| [assignment.get(input.var) as u64; 2])
                .collect();
            let found = program.runner().first(&ranges);
            assert_eq!(
                found.is_some(),
                other == 0,
                "{what:?} of {values:x?}, {width} bits: {expected:x} ^ {other:x}"
            );
        }
    }
}

const WIDTHS: [Width; 14] = [1, 2, 7, 8, 9, 16, 31, 32, 33, 48, 63, 64, 65, 128];

#[test]
fn compiled_operators_agree_with_evaluation() {
    let mut random = Random::new(3);
    for width in WIDTHS {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let operands = [0, 1].map(|part| Operand::new(pool, part, width));
        let [a, b] = [operands[0].term, operands[1].term];
        for op in BinOp::ALL.iter().filter(|op| !op.is_float()) {
            use BinOp::*;
            if width > 64 && matches!(op, UDiv | SDiv | URem | SRem | UMulO | SMulO) {
                continue;
            }
            let both = pool.bin(*op, a, b);
            agrees(pool, &mut random, &operands, both, op);
            for _ in 0..4 {
                let constant = value(&mut random, width);
                let constant = pool.constant(width, constant);
                for (x, y) in [(a, constant), (constant, a)] {
                    let one = pool.bin(*op, x, y);
                    agrees(pool, &mut random, &operands, one, &(op, x, y));
                }
            }
        }
        for op in [UnOp::Not, UnOp::Popcount, UnOp::Clz, UnOp::Ctz] {
            if width <= 64 || op == UnOp::Not {
                let term = pool.un(op, a);
                agrees(pool, &mut random, &operands, term, &op);
            }
        }
    }
}

#[test]
fn compiled_operators_of_floats_agree_with_evaluation() {
    let mut random = Random::new(6);
    for width in [32, 64] {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let operands = [0, 1].map(|part| Operand::new(pool, part, width));
        let [a, b] = [operands[0].term, operands[1].term];
        for op in BinOp::ALL
            .iter()
            .filter(|op| op.is_float() && **op != BinOp::FRem)
        {
            let both = pool.bin(*op, a, b);
            agrees(pool, &mut random, &operands, both, op);
            for special in [0, 1, 0x7f80_0000, 0x7fc0_0001, 0x3f80_0000] {
                let constant = pool.constant(width, special << (width - 32));
                let one = pool.bin(*op, a, constant);
                agrees(pool, &mut random, &operands, one, &(op, special));
            }
        }
        for op in UnOp::ALL
            .iter()
            .filter(|op| op.is_float() && **op != UnOp::FRoundAway)
        {
            let term = pool.un(*op, a);
            agrees(pool, &mut random, &operands, term, op);
        }
        for to in [32, 64] {
            let term = pool.fcast(FCast::Float, a, to);
            agrees(pool, &mut random, &operands, term, &(width, to));
        }
        for other in WIDTHS.iter().filter(|other| **other <= 64) {
            for op in [FCast::ToSigned, FCast::ToUnsigned] {
                let term = pool.fcast(op, a, *other);
                agrees(pool, &mut random, &operands, term, &(op, width, other));
            }
            let operands = [Operand::new(pool, 3, *other)];
            for op in [FCast::FromSigned, FCast::FromUnsigned] {
                let term = pool.fcast(op, operands[0].term, width);
                agrees(pool, &mut random, &operands, term, &(op, other, width));
            }
        }
    }
}

#[test]
fn compiled_moves_of_bits_agree_with_evaluation() {
    let mut random = Random::new(4);
    for width in WIDTHS {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let operands = [0, 1].map(|part| Operand::new(pool, part, width));
        let [a, b] = [operands[0].term, operands[1].term];
        let condition = pool.ult(a, b);
        let chosen = pool.ite(condition, a, b);
        agrees(pool, &mut random, &operands, chosen, &"ite");
        for to in WIDTHS {
            if to > width {
                for term in [pool.zext(a, to), pool.sext(a, to)] {
                    agrees(
                        pool,
                        &mut random,
                        &operands,
                        term,
                        &("extension", width, to),
                    );
                }
                let low = input(pool, 3, to - width);
                let operands = [
                    Operand::new(pool, 0, width),
                    Operand {
                        term: low,
                        inputs: vec![(low, to - width)],
                    },
                ];
                if to - width <= 64 {
                    let term = pool.concat(operands[0].term, low);
                    agrees(pool, &mut random, &operands, term, &("concat", width, to));
                }
            } else {
                let lo = random.below((width - to + 1).into()) as Width;
                let term = pool.extract(a, lo, to);
                agrees(
                    pool,
                    &mut random,
                    &operands,
                    term,
                    &("extract", width, lo, to),
                );
            }
        }
    }
}

#[test]
fn compiled_reads_agree_with_evaluation() {
    let mut random = Random::new(5);
    for (width, len) in [(1, 2), (8, 3), (8, 256), (16, 70), (32, 5), (64, 9)] {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let operands = [(0, 64), (1, 64), (2, width)];
        let operands = operands.map(|(part, width)| Operand::new(pool, part, width));
        let [index, place, stored] = [0, 1, 2].map(|at: usize| operands[at].term);
        let mut elements = Vec::new();
        for at in 0..len {
            elements.push(match at {
                1 => stored,
                _ => {
                    let value = value(&mut random, width);
                    pool.constant(width, value)
                }
            });
        }
        let table = pool.table(elements.into());
        let small = pool.extract(index, 0, 2);
        let small = pool.zext(small, 64);
        for index in [index, small] {
            let read = pool.select(table, index);
            agrees(pool, &mut random, &operands, read, &("read", width, len));
            let written = pool.store(table, place, stored);
            let zero = pool.constant(64, 0);
            let other = pool.constant(width, 1);
            let written = pool.store(written, zero, other);
            let read = pool.select(written, index);
            agrees(pool, &mut random, &operands, read, &("store", width, len));
        }
    }
}

#[test]
fn a_table_is_not_left_where_an_index_has_no_defined_value() {
    let mut random = Random::new(7);
    let mut pool = Pool::new();
    let pool = &mut pool;
    let operands = [Operand::new(pool, 0, 64)];
    // Within the first table, the index of the second is 0 to 15. What is read past the end of the
    // first is far below its elements.
    let start = 1 << 40;
    let elements: Vec<Expr> = (0..100)
        .map(|n| pool.constant(64, start + n % 16))
        .collect();
    let first = pool.table(elements.into());
    let element = pool.select(first, operands[0].term);
    let start = pool.constant(64, start);
    let index = pool.sub(element, start);
    let elements: Vec<Expr> = (0..16).map(|n| pool.constant(32, 1000 + n * n)).collect();
    let table = pool.table(elements.into());
    let read = pool.select(table, index);
    agrees(pool, &mut random, &operands, read, &"a read at an element");
}

/// Makes a random term over some inputs.
fn random_term(pool: &mut Pool, random: &mut Random, inputs: &[Expr], size: usize) -> Expr {
    let mut terms = inputs.to_vec();
    for _ in 0..size {
        let pick = |random: &mut Random, terms: &[Expr]| {
            // Later terms are larger.
            let at = random
                .below(terms.len() as u64)
                .max(random.below(terms.len() as u64));
            terms[at as usize]
        };
        let a = pick(random, &terms);
        let width = pool.width(a);
        let b = pick(random, &terms);
        let b = match pool.width(b).cmp(&width) {
            std::cmp::Ordering::Less => pool.zext(b, width),
            std::cmp::Ordering::Equal => b,
            std::cmp::Ordering::Greater => pool.extract(b, 0, width),
        };
        let b = match random.below(3) {
            0 => {
                let constant = value(random, width);
                pool.constant(width, constant)
            }
            _ => b,
        };
        let ops = [
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::UDiv,
            BinOp::SDiv,
            BinOp::URem,
            BinOp::SRem,
            BinOp::And,
            BinOp::Or,
            BinOp::Xor,
            BinOp::Shl,
            BinOp::LShr,
            BinOp::AShr,
            BinOp::ULt,
            BinOp::SLt,
            BinOp::Eq,
        ];
        let made = match random.below(8) {
            0 if width < 60 => pool.sext(a, width + 4),
            1 if width < 60 => pool.zext(a, width + 5),
            2 if width > 3 => pool.extract(a, 1, width - 2),
            3 => {
                let condition = pool.ult(a, b);
                pool.ite(condition, b, a)
            }
            _ => {
                let op = ops[random.below(ops.len() as u64) as usize];
                pool.bin(op, a, b)
            }
        };
        terms.push(made);
    }
    terms[terms.len() - 1]
}

#[test]
fn the_answer_is_the_first_of_all_solutions() {
    let mut random = Random::new(11);
    let (mut sat, mut unsat) = (0, 0);
    let mut z3 = Chain::bare(&SolverConfig::default());
    for round in 0..300 {
        let mut pool = Pool::new();
        let pool = &mut pool;
        let inputs = [(0, 5), (1, 4), (2, 1)].map(|(part, width)| input(pool, part, width));
        let mut conditions = Vec::new();
        for _ in 0..1 + round % 3 {
            let term = random_term(pool, &mut random, &inputs, 10);
            let width = pool.width(term);
            let by = value(&mut random, width);
            let by = pool.constant(width, by);
            conditions.push(match random.below(3) {
                0 => pool.eq(term, by),
                1 => pool.ult(term, by),
                _ => pool.bin(BinOp::SLe, by, term),
            });
        }
        let goal = conditions.pop().expect("one at least");
        let mut solutions = Vec::new();
        for number in 0..1u128 << 10 {
            let mut assignment = Assignment::default();
            for (e, lo) in inputs.iter().zip([0, 5, 9]) {
                assignment.set(var(pool, *e), number >> lo & mask(pool.width(*e)));
            }
            if conditions
                .iter()
                .chain([&goal])
                .all(|c| pool.eval(*c, &assignment, &NoAddresses) == 1)
            {
                solutions.push(assignment);
            }
        }
        match ask(pool, &conditions, goal) {
            // All inputs have gone.
            StageOutcome::Pass => continue,
            StageOutcome::Answer(Answer::Unsat) => {
                assert!(solutions.is_empty(), "round {round}");
                unsat += 1;
            }
            StageOutcome::Answer(Answer::Sat(found)) => {
                let holds = |c: &Expr, pool: &mut Pool| pool.eval(*c, &found, &NoAddresses) == 1;
                assert!(conditions.iter().chain([&goal]).all(|c| holds(c, pool)));
                sat += 1;
            }
            _ => panic!("no answer in round {round}"),
        }
        if round % 10 == 0 {
            let answer = with_query(&conditions, goal, &Assignment::default(), |query| {
                z3.check(pool, query)
            });
            match answer {
                Answer::Sat(_) => assert!(!solutions.is_empty(), "round {round}"),
                Answer::Unsat => assert!(solutions.is_empty(), "round {round}"),
                Answer::Unknown(why) => panic!("{why} in round {round}"),
            }
        }
    }
    assert!(sat > 60 && unsat > 60, "{sat} {unsat}");
}

#[test]
fn the_stage_agrees_with_the_back_end() {
    let mut random = Random::new(12);
    let mut z3 = Chain::bare(&SolverConfig::default());
    let mut pool = Pool::new();
    let pool = &mut pool;
    let widths = [8, 8, 8, 1, 4, 16];
    let inputs: Vec<Expr> = (0..)
        .zip(widths)
        .map(|(part, w)| input(pool, part, w))
        .collect();
    let mut elements = Vec::new();
    for at in 0..20u32 {
        elements.push(match at % 3 {
            0 => inputs[at as usize % 2],
            _ => pool.constant(8, at.into()),
        });
    }
    let table = pool.table(elements.into());
    let mut answered = 0;
    for round in 0..400 {
        let mut conditions = Vec::new();
        for _ in 0..1 + random.below(4) {
            let index = random_term(pool, &mut random, &inputs, 4);
            let index = pool.resize(index, 64);
            let len = pool.constant(64, 20);
            let index = pool.bin(BinOp::URem, index, len);
            let element = pool.select(table, index);
            let some = 1 + random.below(5) as usize;
            let mut leaves = inputs[..some].to_vec();
            leaves.push(element);
            let term = random_term(pool, &mut random, &leaves, 5);
            let width = pool.width(term);
            let by = match random.below(2) {
                0 => {
                    let other = inputs[random.below(6) as usize];
                    pool.resize(other, width)
                }
                _ => {
                    let by = value(&mut random, width);
                    pool.constant(width, by)
                }
            };
            conditions.push(match random.below(4) {
                0 => pool.eq(term, by),
                1 => pool.ult(term, by),
                _ => pool.bin(BinOp::SLe, by, term),
            });
        }
        let goal = conditions.pop().expect("one at least");
        let StageOutcome::Answer(answer) = ask(pool, &conditions, goal) else {
            continue;
        };
        answered += 1;
        let other = with_query(&conditions, goal, &Assignment::default(), |query| {
            z3.check(pool, query)
        });
        let both = (
            matches!(answer, Answer::Sat(_)),
            matches!(other, Answer::Sat(_)),
        );
        assert!(both.0 == both.1, "round {round}: {answer:?}, {other:?}");
    }
    assert!(answered > 200, "{answered}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = input(pool, 0, 26);
    let square = pool.bin(BinOp::Mul, x, x);
    let [by, rest] = [0x1f_fff7, 0x12345].map(|v| pool.constant(26, v));
    let remainder = pool.bin(BinOp::URem, square, by);
    let goals = [
        (pool.eq(remainder, rest), true),
        (pool.eq(square, rest), false),
    ];
    for (goal, is_sat) in goals {
        let task = task(pool, &[], goal);
        assert!(task.boxes.len() > 100, "{}", task.boxes.len());
        let program = Program::new(pool, &task.plan, task.operations).expect("code");
        let limit = QueryLimit::default();
        let found = [1, 2, 7].map(|threads| {
            let Task { divider, boxes, .. } = &task;
            search(divider, boxes, 0, program.runner(), threads, &limit)
        });
        assert_eq!(matches!(found[0].0, Found::Solution(_)), is_sat);
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        // A search that goes on where another one was ended finds the same.
        let Task { divider, boxes, .. } = &task;
        let done = found[0].1 / 2;
        let rest = search(divider, boxes, done, program.runner(), 2, &limit);
        assert_eq!(found[0], rest);
    }
}

#[test]
fn a_long_search_waits_for_a_glance_of_the_back_end() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 32), input(pool, 1, 28));
    let [five, seven] = [5, 7].map(|v| pool.constant(32, v));
    let multiple = pool.bin(BinOp::Mul, x, five);
    let turned = pool.bin(BinOp::Xor, multiple, x);
    let simple = pool.eq(turned, seven);
    let wide = pool.zext(y, 64);
    let mut power = wide;
    for _ in 0..2 {
        let [modulus, one] = [0xfff_ffc7, 1].map(|v| pool.constant(64, v));
        power = pool.bin(BinOp::Mul, power, power);
        power = pool.add(power, one);
        power = pool.bin(BinOp::URem, power, modulus);
    }
    let by = pool.constant(64, 0x123_4567);
    let hard = pool.eq(power, by);
    let stages: Vec<Box<dyn Stage>> = vec![Box::new(BruteForce::default())];
    let mut chain = Chain::with_stages(&SolverConfig::default(), stages);
    let hint = Assignment::default();
    let mut ask = |pool: &mut Pool, goal| {
        let answer = with_query(&[], goal, &hint, |query| chain.check(pool, query));
        (answer, chain.answered_by())
    };
    let (answer, by) = ask(pool, simple);
    assert!(
        matches!(answer, Answer::Unsat) && by == "z3",
        "{answer:?} {by}"
    );
    let (answer, by) = ask(pool, hard);
    assert!(
        !matches!(answer, Answer::Unknown(_)) && by == "brute force",
        "{answer:?} {by}"
    );
}

#[test]
fn boxes_have_each_combination_once() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let inputs = [(0, 3), (1, 16), (2, 5)].map(|(part, width)| input(pool, part, width));
    let [x, y, z] = inputs.map(|e| pool.zext(e, 32));
    let product = pool.bin(BinOp::Mul, x, y);
    let sum = pool.add(product, z);
    let by = pool.constant(32, 0x1234);
    let goal = pool.eq(sum, by);
    let Task { plan, .. } = task(pool, &[], goal);
    // Without code nothing is left out.
    let mut divider = Divider::without_code(&plan.inputs);
    let boxes = divider.boxes();
    assert!(boxes.len() > 1);
    let mut tried = 0;
    let mut seen = std::collections::BTreeSet::new();
    for part in &boxes {
        let none: Option<()> = divider.find(*part, |ranges| {
            let size = |[first, last]: &[u64; 2]| last - first + 1;
            tried += ranges.iter().map(size).product::<u64>();
            assert!(seen.insert(ranges.to_vec()));
            None
        });
        assert!(none.is_none());
    }
    let all: u64 = plan.inputs.iter().map(|input| input.count).product();
    assert_eq!(tried, all);
    let first = ask(pool, &[], goal);
    assert!(matches!(first, StageOutcome::Answer(Answer::Sat(_))));
}

#[test]
fn an_interrupt_ends_the_search() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = input(pool, 0, 16);
    let square = pool.bin(BinOp::Mul, x, x);
    let two = pool.constant(16, 2);
    let goal = pool.eq(square, two);
    let interrupt = InterruptHandle::new();
    let mut stage = BruteForce::default();
    stage.bound(&interrupt, None, Duration::from_secs(60));
    let mut ask = |pool: &mut Pool| {
        with_query(&[], goal, &Assignment::default(), |query| {
            stage.before(pool, query)
        })
    };
    interrupt.interrupt();
    assert!(matches!(ask(pool), StageOutcome::Pass));
    interrupt.clear();
    assert!(matches!(ask(pool), StageOutcome::Answer(Answer::Unsat)));
}

#[test]
fn candidates_are_what_the_conditions_leave() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let x = input(pool, 0, 64);
    let [low, high, modulus] = [-1000i64 as u128, 5000, 7].map(|v| pool.constant(64, v & mask(64)));
    let above = pool.bin(BinOp::SLt, low, x);
    let below = pool.bin(BinOp::SLt, x, high);
    let four = pool.extract(x, 0, 2);
    let zero = pool.constant(2, 0);
    let aligned = pool.eq(four, zero);
    let remainder = pool.bin(BinOp::SRem, x, modulus);
    let goal = pool.ult(remainder, modulus);
    let made = task(pool, &[above, below, aligned], goal);
    let candidates = made.plan.inputs[0];
    assert_eq!(
        (candidates.first as i64, candidates.count, candidates.shift),
        (-996, 1499, 2)
    );
    assert_eq!(candidates.value(candidates.count - 1), 4996);
    // Bits that are not read do not count.
    let middle = pool.extract(x, 20, 16);
    let square = pool.bin(BinOp::Mul, middle, middle);
    let three = pool.constant(16, 3);
    let goal = pool.eq(square, three);
    let made = task(pool, &[], goal);
    let candidates = made.plan.inputs[0];
    assert_eq!(
        (candidates.first, candidates.count, candidates.shift),
        (0, 1 << 16, 20)
    );
    assert!(matches!(
        ask(pool, &[], goal),
        StageOutcome::Answer(Answer::Unsat)
    ));
}

#[test]
fn terms_of_outer_inputs_are_computed_outside() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 12), input(pool, 1, 12));
    let mut heavy = x;
    for _ in 0..10 {
        heavy = pool.bin(BinOp::Mul, heavy, heavy);
        heavy = pool.add(heavy, x);
    }
    let five = pool.constant(12, 5);
    let outer = pool.ult(heavy, five);
    let sum = pool.add(heavy, y);
    let goal = pool.ult(sum, y);
    let plan = task(pool, &[outer], goal).plan;
    assert_eq!(
        plan.inputs.iter().map(|i| i.term).collect::<Vec<_>>(),
        [x, y]
    );
    assert_eq!(plan.levels[0].conditions, [outer]);
    assert!(plan.levels[1].cost < 8.0, "{}", plan.levels[1].cost);
}

#[test]
fn what_is_too_large_or_not_supported_is_passed_on() {
    let mut pool = Pool::new();
    let pool = &mut pool;
    let (x, y) = (input(pool, 0, 32), input(pool, 0, 8));
    let y = pool.zext(y, 32);
    let product = pool.bin(BinOp::Mul, x, y);
    let goal = pool.eq(product, x);
    assert!(matches!(ask(pool, &[], goal), StageOutcome::Pass));
    let wide = pool.zext(x, 100);
    let by = pool.constant(100, 1 << 70);
    let quotient = pool.bin(BinOp::UDiv, by, wide);
    let goal = pool.eq(quotient, wide);
    assert!(matches!(ask(pool, &[], goal), StageOutcome::Pass));
}
