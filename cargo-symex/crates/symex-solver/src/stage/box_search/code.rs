//! Compilation of a query's conditions to straight-line code on ranges.
//!
//! Each condition is a segment: the operations that it needs and that no condition before it had.
//! Conditions of few operations come first, as they may make the others needless.
//!
//! Invariant: operands stand before the operations that use them, and every word has at most 64
//! bits.

use super::range::{self, BoxRange};
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{
    Array, ArrayKind, BinOp, Expr, FCast, Kind, Pool, TermOperand, UnOp, Var, Width,
};
use symex_types::bits::word_mask;

/// Greatest number of operations of a query.
const MAX_OPERATIONS: usize = 512;
/// Greatest number of conditions, as the undecided ones are a set in a word.
const MAX_CONDITIONS: usize = 64;
/// Greatest number of elements of a table that are read for an index range. For a larger range, the
/// hull of all elements is used.
const MAX_ELEMENTS: usize = 32;
/// Greatest width of a word.
const WORD: Width = 64;

#[derive(Clone, Copy, Debug)]
enum BoxOp {
    Un(UnOp),
    Bin(BinOp),
    FCast(FCast),
    Concat,
    Extract(Width),
    ZExt,
    SExt,
    Ite,
    /// Read of a table: index in the list of tables.
    Select(u32),
}

struct Operation {
    op: BoxOp,
    /// Width of the first operand, and for `Concat` of the second.
    from: Width,
    width: Width,
    operands: [u32; 3],
    to: u32,
}

struct CodeSegment {
    operations: Vec<Operation>,
    root: u32,
    /// Segments that the segment needs, including itself.
    needs: u64,
}

struct LookupTable {
    values: Vec<u64>,
    all: BoxRange,
}

/// Truth of the conditions in a box.
pub(super) enum BoxResult {
    /// Some condition is false.
    Nothing,
    /// These conditions are undecided, the others are true.
    Open(u64),
}

/// Straight-line code of a query: see the module.
pub(super) struct BoxCode {
    /// Inputs, with their widths.
    pub inputs: Vec<(Var, Width)>,
    segments: Vec<CodeSegment>,
    tables: Vec<LookupTable>,
    /// Ranges of inputs, constants, and results.
    words: Vec<BoxRange>,
    /// Number of operations done so far.
    pub work: u64,
}

impl BoxCode {
    /// Compiles conditions over these inputs; `None` if they contain an unsupported term.
    pub fn new(pool: &Pool, conditions: &[Expr], inputs: Vec<(Var, Width)>) -> Option<BoxCode> {
        let mut sized = Vec::with_capacity(conditions.len());
        for condition in conditions {
            sized.push((size(pool, *condition)?, *condition));
        }
        if sized.len() > MAX_CONDITIONS {
            return None;
        }
        sized.sort_by_key(|(size, _)| *size);
        let mut code = BoxCode {
            words: inputs
                .iter()
                .map(|(_, width)| BoxRange::full(*width))
                .collect(),
            inputs,
            segments: Vec::new(),
            tables: Vec::new(),
            work: 0,
        };
        let mut places = CodeIndices::default();
        for (_, condition) in sized {
            let mut operations = Vec::new();
            let mut needs = 1 << code.segments.len();
            let root = code.add(pool, condition, &mut places, &mut operations, &mut needs)?;
            code.segments.push(CodeSegment {
                operations,
                root,
                needs,
            });
        }
        Some(code)
    }

    /// Adds a term after all its subterms, and returns its index.
    fn add(
        &mut self,
        pool: &Pool,
        root: Expr,
        places: &mut CodeIndices,
        operations: &mut Vec<Operation>,
        needs: &mut u64,
    ) -> Option<u32> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if let Some((_, segments)) = places.terms.get(&e) {
                *needs |= segments;
                continue;
            }
            let width = pool.width(e);
            if width > WORD {
                return None;
            }
            let to = self.words.len() as u32;
            let known = match pool.kind(e) {
                Kind::Const(v) => {
                    self.words.push(BoxRange::point(v as u64));
                    Some(to)
                }
                Kind::Var(v) => {
                    let at = self.inputs.iter().position(|(input, _)| *input == v)?;
                    Some(at as u32)
                }
                _ => None,
            };
            if let Some(at) = known {
                places.terms.insert(e, (at, 0));
                continue;
            }
            if !ready {
                stack.push((e, true));
                pool.operands(e, |operand| {
                    if let TermOperand::Term(part) = operand {
                        stack.push((part, false));
                    }
                });
                continue;
            }
            let place = |e: Expr| places.terms[&e].0;
            let (op, operands, from) = match pool.kind(e) {
                Kind::Un(op, a) => (BoxOp::Un(op), [place(a), 0, 0], pool.width(a)),
                Kind::Bin(op, a, b) => (BoxOp::Bin(op), [place(a), place(b), 0], pool.width(a)),
                Kind::FCast(op, a) => (BoxOp::FCast(op), [place(a), 0, 0], pool.width(a)),
                Kind::Concat { hi, lo } => {
                    (BoxOp::Concat, [place(hi), place(lo), 0], pool.width(lo))
                }
                Kind::Extract { of, lo } => (BoxOp::Extract(lo), [place(of), 0, 0], pool.width(of)),
                Kind::ZExt(a) => (BoxOp::ZExt, [place(a), 0, 0], pool.width(a)),
                Kind::SExt(a) => (BoxOp::SExt, [place(a), 0, 0], pool.width(a)),
                Kind::Ite { cond, then, other } => {
                    (BoxOp::Ite, [place(cond), place(then), place(other)], 1)
                }
                Kind::Select { array, index } => {
                    let index_at = place(index);
                    let table = self.table(pool, array, places)?;
                    (BoxOp::Select(table), [index_at, 0, 0], pool.width(index))
                }
                _ => return None,
            };
            self.words.push(BoxRange::full(width));
            operations.push(Operation {
                op,
                from,
                width,
                operands,
                to,
            });
            let mut segments = 1 << self.segments.len();
            pool.operands(e, |operand| {
                if let TermOperand::Term(part) = operand {
                    segments |= places.terms[&part].1;
                }
            });
            places.terms.insert(e, (to, segments));
        }
        Some(places.terms[&root].0)
    }

    /// Returns the index of a table of constants.
    fn table(&mut self, pool: &Pool, array: Array, places: &mut CodeIndices) -> Option<u32> {
        if let Some(at) = places.tables.get(&array) {
            return Some(*at);
        }
        let ArrayKind::Table(elements) = pool.array_kind(array) else {
            return None;
        };
        let constant = |e: &Expr| pool.as_const(*e).map(|v| v as u64);
        let values: Vec<u64> = elements.iter().map(constant).collect::<Option<_>>()?;
        let at = self.tables.len() as u32;
        let all = hull(&values);
        self.tables.push(LookupTable { values, all });
        places.tables.insert(array, at);
        Some(at)
    }

    /// Returns the set of all conditions.
    pub fn all(&self) -> u64 {
        match self.segments.len() {
            0 => 0,
            len => u64::MAX >> (MAX_CONDITIONS - len),
        }
    }

    /// Evaluates the open conditions for inputs in these ranges.
    pub fn look(&mut self, inputs: &[BoxRange], open: u64) -> BoxResult {
        self.words[..inputs.len()].copy_from_slice(inputs);
        let mut needed = 0;
        for (at, segment) in self.segments.iter().enumerate() {
            if open >> at & 1 == 1 {
                needed |= segment.needs;
            }
        }
        let mut left = open;
        for (at, segment) in self.segments.iter().enumerate() {
            if needed >> at & 1 == 0 {
                continue;
            }
            self.work += segment.operations.len() as u64 + 1;
            for operation in &segment.operations {
                self.words[operation.to as usize] = made(&self.words, &self.tables, operation);
            }
            if open >> at & 1 == 1 {
                match self.words[segment.root as usize] {
                    BoxRange { max: 0, .. } => return BoxResult::Nothing,
                    BoxRange { min: 1, .. } => left &= !(1 << at),
                    _ => {}
                }
            }
        }
        BoxResult::Open(left)
    }
}

/// Indices of terms, with the segments that each needs; and indices of tables.
#[derive(Default)]
struct CodeIndices {
    terms: FxHashMap<Expr, (u32, u64)>,
    tables: FxHashMap<Array, u32>,
}

fn made(words: &[BoxRange], tables: &[LookupTable], operation: &Operation) -> BoxRange {
    let [a, b, c] = operation.operands.map(|at| words[at as usize]);
    let (from, width) = (operation.from, operation.width);
    match operation.op {
        BoxOp::Un(op) => range::un(op, from, a),
        BoxOp::Bin(op) => range::bin(op, from, a, b),
        BoxOp::FCast(op) => range::fcast(op, from, width, a),
        BoxOp::Concat => range::concat(from, a, b),
        BoxOp::Extract(lo) => range::extract(a, lo, width),
        BoxOp::ZExt => a,
        BoxOp::SExt => range::sext(from, width, a),
        BoxOp::Ite => match a.value() {
            Some(0) => c,
            Some(_) => b,
            None => b.hull(c),
        },
        BoxOp::Select(table) => {
            let table = &tables[table as usize];
            // What is past the end is 0.
            if a.min >= table.values.len() as u64 {
                return BoxRange::point(0);
            }
            if a.max >= table.values.len() as u64 {
                return table.all.hull(BoxRange::point(0));
            }
            let (first, last) = (a.min as usize, a.max as usize);
            match last - first < MAX_ELEMENTS {
                true => hull(&table.values[first..=last]),
                false => table.all,
            }
        }
    }
}

fn hull(values: &[u64]) -> BoxRange {
    let all = values.iter().map(|v| BoxRange::point(*v));
    all.reduce(BoxRange::hull).unwrap_or(BoxRange::point(0))
}

/// Returns the number of operations of a term, if they are not too many.
fn size(pool: &Pool, root: Expr) -> Option<usize> {
    let mut seen: FxHashSet<Expr> = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(e) = stack.pop() {
        if pool.as_const(e).is_none() && seen.insert(e) {
            pool.operands(e, |operand| {
                if let TermOperand::Term(part) = operand {
                    stack.push(part);
                }
            });
        }
        if seen.len() > MAX_OPERATIONS {
            return None;
        }
    }
    Some(seen.len())
}

/// Returns the full range of a width.
pub(super) fn whole(width: Width) -> BoxRange {
    BoxRange::new(0, word_mask(width))
}
