//! Ledger of a stage: what it may spend on a query, by what it brought for earlier queries of the
//! same shape.
//!
//! A stage that never answers queries about hashes may well answer those about digits. So there is
//! an account for each [`Shape`]. Its allowance is the whole of what the stage may spend on a query
//! at first. A query that used it up in vain lowers it: to four times what answers took, as long as
//! they come, and then to a quarter each time. Where little of it is left, the stage rests for that
//! shape, longer each time, and then tries with the whole again. So what never answers a shape
//! costs a logarithm of the number of its queries, and whatever begins to answer is found out.
//!
//! Work is counted in the stage's own unit and never by the clock, so that the same queries in the
//! same order have the same answers.

use crate::Query;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{BinOp, Expr, Kind, Pool, TermOperand, UnOp};

/// Number of times that an allowance is quartered in a row before the stage rests.
const MOST_CUTS: u32 = 3;
/// Number of queries in vain that an answer makes up for, and that all answers do together.
const CREDIT: (u32, u32) = (2, 8);
/// Number of queries of a shape for which the stage first rests. It is four times as many each
/// time.
const REST: u64 = 32;
/// Longest rest.
const LONGEST_REST: u64 = 1 << 14;
/// Number of nodes of a goal that are looked at for its shape.
const MAX_NODES: usize = 512;

/// The shape of a query: kinds of operators in its goal, and how large that is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shape {
    /// Kinds of operators, as bits.
    kinds: u16,
    /// Number of nodes, as a power of two.
    size: u8,
}

impl Shape {
    /// Returns the shape of a query.
    pub fn of(pool: &Pool, query: &Query) -> Shape {
        let mut kinds = 0;
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut stack = vec![query.goal];
        while let Some(e) = stack.pop() {
            if pool.as_const(e).is_some() || !seen.insert(e) {
                continue;
            }
            if seen.len() == MAX_NODES {
                break;
            }
            kinds |= kind(pool, e);
            pool.operands(e, |operand| {
                if let TermOperand::Term(part) = operand {
                    stack.push(part);
                }
            });
        }
        Shape {
            kinds,
            size: seen.len().max(1).ilog2() as u8,
        }
    }
}

/// Returns the bit of a term's operator; 0 for those that are easy for all stages.
fn kind(pool: &Pool, e: Expr) -> u16 {
    let wide = pool.width(e) > 1;
    match pool.kind(e) {
        float if float.is_float() => 1 << 0,
        Kind::Bin(BinOp::Add | BinOp::Sub, ..) => 1 << 1,
        Kind::Bin(BinOp::Mul | BinOp::UMulO | BinOp::SMulO, ..) => 1 << 2,
        Kind::Bin(BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem, ..) => 1 << 3,
        Kind::Bin(BinOp::Shl | BinOp::LShr | BinOp::AShr, ..) => 1 << 4,
        Kind::Bin(BinOp::Xor, ..) if wide => 1 << 5,
        Kind::Bin(BinOp::And | BinOp::Or, ..) if wide => 1 << 6,
        Kind::Un(UnOp::Popcount | UnOp::Clz | UnOp::Ctz, _) => 1 << 7,
        Kind::Ite { .. } if wide => 1 << 8,
        Kind::Select { .. } => 1 << 9,
        _ => 0,
    }
}

/// Account of a shape.
#[derive(Clone, Copy, Debug)]
struct Account {
    /// Allowance, unless the whole is less.
    allowance: u64,
    /// Number of times that the allowance was quartered since the last answer.
    cuts: u32,
    /// Work of the dearest of the latest answers.
    dearest: u64,
    /// Number of queries in vain that are made up for by answers.
    credit: u32,
    /// Number of queries still to be passed on unseen.
    resting: u64,
    /// Length of the last rest in queries; 0 since the last answer.
    rest: u64,
}

impl Default for Account {
    fn default() -> Self {
        Account {
            allowance: u64::MAX,
            cuts: 0,
            dearest: 0,
            credit: 0,
            resting: 0,
            rest: 0,
        }
    }
}

/// Ledger of a stage: see the module.
#[derive(Default)]
pub(super) struct Ledger {
    accounts: FxHashMap<Shape, Account>,
}

impl Ledger {
    /// Returns what the stage may spend on the next query of a shape, of the `whole` that it may
    /// spend on any query; `None` if it rests.
    pub fn allowance(&mut self, shape: Shape, whole: u64) -> Option<u64> {
        let account = self.accounts.entry(shape).or_default();
        if account.resting > 0 {
            account.resting -= 1;
            return None;
        }
        Some(account.allowance.min(whole))
    }

    /// Records the work for a query of a shape, the allowance that it had, and whether it was
    /// answered.
    pub fn settle(&mut self, shape: Shape, work: u64, allowance: u64, answered: bool) {
        let account = self.accounts.entry(shape).or_default();
        let (each, most) = CREDIT;
        if answered {
            account.dearest = work.max(account.dearest - account.dearest / 8);
            account.credit = (account.credit + each).min(most);
            account.cuts = 0;
            account.rest = 0;
            if work > allowance / 4 {
                account.allowance = allowance.saturating_mul(4);
            }
        } else if work < allowance / 2 {
            // It costs little to find out that there is no answer.
        } else if account.credit > 0 {
            account.credit -= 1;
            account.allowance = allowance.min(account.dearest.saturating_mul(4)).max(1);
        } else if account.cuts < MOST_CUTS && account.rest == 0 {
            account.cuts += 1;
            account.allowance = (allowance / 4).max(1);
        } else {
            account.rest = (4 * account.rest).clamp(REST, LONGEST_REST);
            account.resting = account.rest;
            account.allowance = u64::MAX;
            account.cuts = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::{Assignment, NoAddresses, Origin, VarInfo, Width};

    const WHOLE: u64 = 1 << 20;

    fn input(pool: &mut Pool, width: Width) -> Expr {
        pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input: 0, part: 0 },
        })
    }

    fn shape(pool: &Pool, goal: Expr) -> Shape {
        Shape::of(
            pool,
            &Query {
                constraints: &[],
                goal,
                addresses: &NoAddresses,
                hint: &Assignment::default(),
                purpose: crate::Purpose::Branch,
            },
        )
    }

    /// Returns a shape, and a ledger without entries.
    fn account() -> (Shape, Ledger) {
        let mut pool = Pool::new();
        let x = input(&mut pool, 8);
        let one = pool.constant(8, 1);
        let goal = pool.bin(BinOp::ULt, x, one);
        (shape(&pool, goal), Ledger::default())
    }

    /// Returns the work for queries of a shape that each take what they may, and how many were
    /// looked at.
    fn spent(ledger: &mut Ledger, shape: Shape, queries: u64, answered: bool) -> (u64, u64) {
        let (mut work, mut looked) = (0, 0);
        for _ in 0..queries {
            if let Some(allowance) = ledger.allowance(shape, WHOLE) {
                ledger.settle(shape, allowance, allowance, answered);
                work += allowance;
                looked += 1;
            }
        }
        (work, looked)
    }

    #[test]
    fn what_never_answers_a_shape_costs_ever_less() {
        let (shape, mut ledger) = account();
        let (work, looked) = spent(&mut ledger, shape, 10_000, false);
        assert!(work < 14 * WHOLE && looked < 20, "{work} {looked}");
    }

    #[test]
    fn what_answers_is_always_asked_and_earns_its_allowance_back() {
        let (shape, mut ledger) = account();
        assert_eq!(spent(&mut ledger, shape, 100, true), (100 * WHOLE, 100));
        // Answers have made up for that.
        spent(&mut ledger, shape, 8, false);
        assert_eq!(ledger.allowance(shape, WHOLE), Some(WHOLE));
        spent(&mut ledger, shape, 2, false);
        assert_eq!(ledger.allowance(shape, WHOLE), Some(WHOLE >> 4));
        spent(&mut ledger, shape, 2, true);
        assert_eq!(ledger.allowance(shape, WHOLE), Some(WHOLE));
    }

    #[test]
    fn where_answers_are_cheap_the_rest_is_not_dear() {
        let (shape, mut ledger) = account();
        for _ in 0..100 {
            let allowance = ledger.allowance(shape, WHOLE).expect("no rest");
            ledger.settle(shape, 100, allowance, true);
            let allowance = ledger.allowance(shape, WHOLE).expect("no rest");
            ledger.settle(shape, allowance, allowance, false);
        }
        assert_eq!(ledger.allowance(shape, WHOLE), Some(400));
    }

    #[test]
    fn what_finds_out_soon_that_it_has_no_answer_keeps_its_allowance() {
        let (shape, mut ledger) = account();
        for _ in 0..100 {
            assert_eq!(ledger.allowance(shape, WHOLE), Some(WHOLE));
            ledger.settle(shape, WHOLE / 4, WHOLE, false);
        }
    }

    #[test]
    fn shapes_differ_by_operators_and_by_size_but_not_by_constants_and_comparisons() {
        let mut pool = Pool::new();
        let x = input(&mut pool, 32);
        let [seven, nine] = [7, 9].map(|v| pool.constant(32, v));
        let sum = |pool: &mut Pool, op, c| {
            let product = pool.bin(op, x, c);
            pool.bin(BinOp::ULt, product, nine)
        };
        let by_seven = sum(&mut pool, BinOp::Mul, seven);
        let by_nine = sum(&mut pool, BinOp::Mul, nine);
        let rest = sum(&mut pool, BinOp::URem, seven);
        assert_eq!(shape(&pool, by_seven), shape(&pool, by_nine));
        assert_ne!(shape(&pool, by_seven), shape(&pool, rest));
        let negated = pool.not(by_seven);
        assert_eq!(shape(&pool, negated).kinds, shape(&pool, by_seven).kinds);
        let mut long = by_seven;
        let mut word = x;
        for _ in 0..8 {
            word = pool.bin(BinOp::Mul, word, word);
            let last = pool.bin(BinOp::ULt, word, nine);
            long = pool.bin(BinOp::And, long, last);
        }
        assert!(shape(&pool, long).size > shape(&pool, by_seven).size);
    }
}
