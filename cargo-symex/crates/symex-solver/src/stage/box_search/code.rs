//! Compilation of a query's conditions to straight-line code on ranges.
//!
//! Each condition is a segment: the operations that it needs and that no condition before it had.
//! Conditions of few operations come first, as they may make the others needless.
//!
//! Invariant: operands stand before the operations that use them, and every word has at most 64
//! bits.

use super::operation::{BoxOp, Halves, LookupTable, Operation};
use super::range::BoxRange;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{Array, ArrayKind, Expr, Kind, Pool, TermOperand, Var, Width};
use symex_types::bits::word_mask;

/// Greatest number of operations of a query.
const MAX_OPERATIONS: usize = 512;
/// Greatest number of conditions, as the undecided ones are a set in a word.
const MAX_CONDITIONS: usize = 64;
/// Greatest width of a word.
const WORD: Width = 64;

#[derive(Clone)]
struct CodeSegment {
    operations: Vec<Operation>,
    /// Number of operations, also of those that need not be done, and one for the condition.
    work: u64,
    root: u32,
    /// Segments that the segment needs, including itself.
    needs: u64,
}

/// What the conditions are in a box.
#[derive(Clone, Copy)]
pub(in crate::stage) struct Look {
    /// The conditions that are undecided, unless one fails. The others are true.
    pub open: u64,
    /// Whether some condition is false.
    pub fails: bool,
    /// Number of operations until that was known.
    pub work: u64,
}

/// Straight-line code of a query: see the module.
#[derive(Clone)]
pub(in crate::stage) struct BoxCode {
    /// Inputs, with their widths.
    pub inputs: Vec<(Var, Width)>,
    segments: Vec<CodeSegment>,
    tables: Vec<LookupTable>,
    /// Ranges of inputs, constants, and results, in both halves of a box.
    words: Vec<Halves>,
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
                .map(|(_, width)| [BoxRange::full(*width); 2])
                .collect(),
            inputs,
            segments: Vec::new(),
            tables: Vec::new(),
        };
        let mut places = CodeIndices::default();
        for (_, condition) in sized {
            let mut segment = CodeSegment {
                operations: Vec::new(),
                work: 1,
                root: 0,
                needs: 1 << code.segments.len(),
            };
            segment.root = code.add(pool, condition, &mut places, &mut segment)?;
            code.segments.push(segment);
        }
        Some(code)
    }

    /// Adds a term to a segment, after all its subterms, and returns the index of its word.
    fn add(
        &mut self,
        pool: &Pool,
        root: Expr,
        places: &mut CodeIndices,
        segment: &mut CodeSegment,
    ) -> Option<u32> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if let Some((_, segments)) = places.terms.get(&e) {
                segment.needs |= segments;
                continue;
            }
            let width = pool.width(e);
            if width > WORD {
                return None;
            }
            let to = self.words.len() as u32;
            let known = match pool.kind(e) {
                Kind::Const(v) => {
                    self.words.push([BoxRange::point(v as u64); 2]);
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
            let mut segments = 1 << self.segments.len();
            pool.operands(e, |operand| {
                if let TermOperand::Term(part) = operand {
                    segments |= places.terms[&part].1;
                }
            });
            segment.work += 1;
            let place = |e: Expr| places.terms[&e].0;
            if let Kind::ZExt(a) = pool.kind(e) {
                // The same number, so that it needs no word of its own.
                places.terms.insert(e, (place(a), segments));
                continue;
            }
            let (op, operands, from) = match pool.kind(e) {
                Kind::Un(op, a) => (BoxOp::Un(op), [place(a), 0, 0], pool.width(a)),
                Kind::Bin(op, a, b) => (BoxOp::Bin(op), [place(a), place(b), 0], pool.width(a)),
                Kind::FCast(op, a) => (BoxOp::FCast(op), [place(a), 0, 0], pool.width(a)),
                Kind::Concat { hi, lo } => {
                    (BoxOp::Concat, [place(hi), place(lo), 0], pool.width(lo))
                }
                Kind::Extract { of, lo } => (BoxOp::Extract(lo), [place(of), 0, 0], pool.width(of)),
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
            self.words.push([BoxRange::full(width); 2]);
            let operation = Operation::new(op, from, width, operands, to);
            segment.operations.push(operation);
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
        self.tables.push(LookupTable::new(values));
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

    /// Evaluates the open conditions in the two halves of a box: its inputs are in these ranges,
    /// but `split` is the number of one that has a range of its own in each half.
    pub fn look(&mut self, inputs: &[BoxRange], split: (usize, Halves), open: u64) -> [Look; 2] {
        if inputs.len() > 1 {
            for (word, range) in self.words.iter_mut().zip(inputs) {
                *word = [*range; 2];
            }
        }
        self.words[split.0] = split.1;
        let mut needed = 0;
        for at in bits(open) {
            needed |= self.segments[at].needs;
        }
        let mut looks = [Look {
            open,
            fails: false,
            work: 0,
        }; 2];
        for at in bits(needed) {
            let segment = &self.segments[at];
            for operation in &segment.operations {
                operation.run(&mut self.words, &self.tables);
            }
            let condition = open & 1 << at;
            for (look, range) in looks.iter_mut().zip(&self.words[segment.root as usize]) {
                look.work += if look.fails { 0 } else { segment.work };
                look.fails |= condition != 0 && range.max == 0;
                look.open &= if range.min == 1 { !condition } else { u64::MAX };
            }
            if looks[0].fails && looks[1].fails {
                break;
            }
        }
        looks
    }
}

/// Returns the numbers of the bits that are set, from the lowest on.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(at)
    })
}

/// Indices of the words of terms, with the segments that each needs; and indices of tables.
#[derive(Default)]
struct CodeIndices {
    terms: FxHashMap<Expr, (u32, u64)>,
    tables: FxHashMap<Array, u32>,
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
