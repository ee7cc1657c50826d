//! Operations of compiled conditions, on the ranges that words have in the two halves of a box.
//!
//! Each operator has a function of its own, which is chosen when a query is compiled. So there is
//! one jump for an operation, and its function has no operators left to tell apart. Both halves
//! pass through it together: what an operation waits for in one half, it need not wait for in the
//! other.

use super::range::{self, BoxRange};
use symex_terms::{BinOp, FCast, UnOp, Width};

/// Greatest number of elements of a table that are read for an index range. For a larger range, the
/// hull of all elements is used.
const MAX_ELEMENTS: usize = 32;

/// Ranges of a word in the two halves of a box.
pub(in crate::stage) type Halves = [BoxRange; 2];

#[derive(Clone, Copy, Debug)]
pub(super) enum BoxOp {
    Un(UnOp),
    Bin(BinOp),
    FCast(FCast),
    Concat,
    Extract(Width),
    SExt,
    Ite,
    /// Read of a table: index in the list of tables.
    Select(u32),
}

/// A table of constants.
#[derive(Clone)]
pub(super) struct LookupTable {
    values: Vec<u64>,
    all: BoxRange,
}

impl LookupTable {
    pub fn new(values: Vec<u64>) -> LookupTable {
        let all = hull(&values);
        LookupTable { values, all }
    }

    /// Returns the range of the elements at these indices.
    fn select(&self, index: BoxRange) -> BoxRange {
        // What is past the end is 0.
        if index.min >= self.values.len() as u64 {
            return BoxRange::point(0);
        }
        if index.max >= self.values.len() as u64 {
            return self.all.hull(BoxRange::point(0));
        }
        let (first, last) = (index.min as usize, index.max as usize);
        match last - first < MAX_ELEMENTS {
            true => hull(&self.values[first..=last]),
            false => self.all,
        }
    }
}

fn hull(values: &[u64]) -> BoxRange {
    let all = values.iter().map(|v| BoxRange::point(*v));
    all.reduce(BoxRange::hull).unwrap_or(BoxRange::point(0))
}

/// Computes an operation's result from its operands, in both halves.
type Run = fn(&Operation, &mut [Halves], &[LookupTable]);

/// An operation: where its operands are, and where its result goes.
#[derive(Clone)]
pub(super) struct Operation {
    run: Run,
    op: BoxOp,
    /// Width of the first operand, and for `Concat` of the second.
    from: Width,
    width: Width,
    operands: [u32; 3],
    to: u32,
}

impl Operation {
    pub fn new(op: BoxOp, from: Width, width: Width, operands: [u32; 3], to: u32) -> Operation {
        Operation {
            run: run_of(op),
            op,
            from,
            width,
            operands,
            to,
        }
    }

    /// Computes the result.
    #[inline(always)]
    pub fn run(&self, words: &mut [Halves], tables: &[LookupTable]) {
        (self.run)(self, words, tables);
    }

    #[inline(always)]
    fn unary(&self, words: &mut [Halves], made: impl Fn(BoxRange) -> BoxRange) {
        let a = words[self.operands[0] as usize];
        words[self.to as usize] = [made(a[0]), made(a[1])];
    }

    #[inline(always)]
    fn binary(&self, words: &mut [Halves], made: impl Fn(BoxRange, BoxRange) -> BoxRange) {
        let a = words[self.operands[0] as usize];
        let b = words[self.operands[1] as usize];
        words[self.to as usize] = [made(a[0], b[0]), made(a[1], b[1])];
    }
}

/// Makes a function for each of these operators, and one for the others.
macro_rules! runs_of_binary {
    ($op:expr; $($known:ident)*) => {
        match $op {
            $(BinOp::$known => |o, words, _| {
                o.binary(words, |a, b| range::bin(BinOp::$known, o.from, a, b));
            },)*
            _ => |o, words, _| {
                let BoxOp::Bin(op) = o.op else { return };
                o.binary(words, |a, b| range::bin(op, o.from, a, b));
            },
        }
    };
}

/// Returns the function of an operator.
fn run_of(op: BoxOp) -> Run {
    match op {
        BoxOp::Un(UnOp::Not) => |o, words, _| o.unary(words, |a| range::un(UnOp::Not, o.from, a)),
        BoxOp::Un(UnOp::Clz) => |o, words, _| o.unary(words, |a| range::un(UnOp::Clz, o.from, a)),
        BoxOp::Un(_) => |o, words, _| {
            let BoxOp::Un(op) = o.op else { return };
            o.unary(words, |a| range::un(op, o.from, a));
        },
        BoxOp::Bin(op) => runs_of_binary!(
            op; Add Sub Mul UDiv URem And Or Xor Shl LShr Eq ULt ULe SLt SLe UMulO
        ),
        BoxOp::FCast(_) => |o, words, _| {
            let BoxOp::FCast(op) = o.op else { return };
            o.unary(words, |a| range::fcast(op, o.from, o.width, a));
        },
        BoxOp::Concat => |o, words, _| o.binary(words, |hi, lo| range::concat(o.from, hi, lo)),
        BoxOp::Extract(_) => |o, words, _| {
            let BoxOp::Extract(lo) = o.op else { return };
            o.unary(words, |a| range::extract(a, lo, o.width));
        },
        BoxOp::SExt => |o, words, _| o.unary(words, |a| range::sext(o.from, o.width, a)),
        BoxOp::Ite => |o, words, _| {
            let [cond, then, other] = o.operands.map(|at| words[at as usize]);
            let made = |half: usize| range::ite(cond[half], then[half], other[half]);
            words[o.to as usize] = [made(0), made(1)];
        },
        BoxOp::Select(_) => |o, words, tables| {
            let BoxOp::Select(table) = o.op else { return };
            let table = &tables[table as usize];
            o.unary(words, |index| table.select(index));
        },
    }
}
