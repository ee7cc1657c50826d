//! Translation of terms to vectors of binary decision diagrams, one per bit, least significant
//! first.
//!
//! Variable order: inputs of up to a byte one after the other, each with its highest bit nearest
//! the root, so that ranges of bytes and tables indexed by them stay small; below them wider
//! inputs, interleaved from the highest bit, so that sums and comparisons of two of them stay
//! small. Elements past the end of a table are zero, and an index keeps only the bits that the
//! length needs: past the length an element is unspecified.

use super::graph::{Bdd, Level, Ref};
use crate::Query;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symex_terms::{
    Array, ArrayKind, Assignment, BinOp, Expr, Kind, Pool, TermOperand, UnOp, Var, Width,
};

/// Greatest number of stores over a table that a select may pass.
const MAX_STORES: usize = 32;
/// Number of elements of the longest table.
const MAX_TABLE: usize = 1 << 18;

pub(super) type BddBits = Arc<[Ref]>;

/// Diagrams of terms, each computed once.
#[derive(Default)]
pub(super) struct Circuits {
    pub bdd: Bdd,
    /// Diagrams of each term. `None`: it has none of acceptable size.
    terms: FxHashMap<Expr, Option<BddBits>>,
    tables: FxHashMap<Array, Option<Arc<TableTree>>>,
    /// Number of elements of the longest table in each term.
    longest: FxHashMap<Expr, u32>,
}

/// A table as a tree over the index bits in which equal parts are shared: `levels[i]` has the two
/// halves of each distinct part of `1 << i + 1` elements, as positions on the level below (`elems`
/// for `levels[0]`).
struct TableTree {
    elems: Vec<Expr>,
    levels: Vec<Vec<(u32, u32)>>,
}

impl Circuits {
    /// Returns the diagram of a one-bit term; `None` if it has none or the budget is used up.
    pub fn truth(&mut self, pool: &Pool, e: Expr) -> Option<Ref> {
        self.term(pool, e).map(|bits| bits[0])
    }

    /// Returns the number of elements of the longest table of constants that a query reads, among
    /// those short enough to be used.
    pub fn longest_table(&mut self, pool: &Pool, query: &Query) -> u32 {
        let terms = query.constraints.iter().chain([&query.goal]);
        terms
            .map(|e| self.longest_table_in(pool, *e))
            .max()
            .unwrap_or(0)
    }

    fn longest_table_in(&mut self, pool: &Pool, root: Expr) -> u32 {
        if let Some(known) = self.longest.get(&root) {
            return *known;
        }
        let mut longest = 0;
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(e) = stack.pop() {
            if !seen.insert(e) {
                continue;
            }
            if let Some(known) = self.longest.get(&e) {
                longest = longest.max(*known);
                continue;
            }
            if let Kind::Select { array, .. } = pool.kind(e) {
                let len = pool.array_shape(array).1;
                if len <= MAX_TABLE as u64 {
                    longest = longest.max(len as u32);
                }
            }
            pool.operands(e, |o| {
                if let TermOperand::Term(t) = o {
                    stack.push(t);
                }
            });
        }
        self.longest.insert(root, longest);
        longest
    }

    /// Returns an assignment that satisfies a diagram (not `FALSE`), as near to the hint as one
    /// walk down finds.
    pub fn model(&self, mut f: Ref, hint: &Assignment) -> Assignment {
        let mut found = hint.clone();
        while f.as_constant().is_none() {
            let (level, low, high) = self.bdd.split(f);
            let (var, bit) = variable(level);
            let value = found.get(var);
            let set = value >> bit & 1 == 1;
            let (wanted, other) = if set { (high, low) } else { (low, high) };
            if wanted == Ref::FALSE {
                found.set(var, value ^ 1 << bit);
                f = other;
            } else {
                f = wanted;
            }
        }
        found
    }

    fn term(&mut self, pool: &Pool, root: Expr) -> Option<BddBits> {
        if let Some(known) = self.terms.get(&root) {
            return known.clone();
        }
        let mut stack = vec![(root, false)];
        while let Some((e, open)) = stack.pop() {
            if self.terms.contains_key(&e) {
                continue;
            }
            if !open {
                stack.push((e, true));
                self.operands(pool, e, &mut stack);
                continue;
            }
            let before = self.bdd.budget();
            let bits = self.build(pool, e);
            debug_assert!(
                bits.as_ref()
                    .is_none_or(|b| b.len() == pool.width(e) as usize)
            );
            if bits.is_none() {
                if self.bdd.budget() > 0 || self.bdd.spent_since(before) >= super::BUDGET / 2 {
                    // Nothing above it has a diagram either.
                    let above = stack.iter().filter(|item| item.1).map(|item| item.0);
                    for e in above.chain([e]) {
                        self.terms.insert(e, None);
                    }
                }
                return None;
            }
            self.terms.insert(e, bits.map(Arc::from));
        }
        self.terms[&root].clone()
    }

    fn operands(&self, pool: &Pool, e: Expr, stack: &mut Vec<(Expr, bool)>) {
        pool.operands(e, |o| {
            if let TermOperand::Term(t) = o {
                stack.push((t, false));
            }
        });
        if let Kind::Select { array, .. } = pool.kind(e) {
            let mut array = array;
            for _ in 0..=MAX_STORES {
                let Some((store, below)) = pool.stored(array) else {
                    break;
                };
                stack.extend(store.parts().map(|e| (e, false)));
                array = below;
            }
            if let ArrayKind::Table(elems) = pool.array_kind(array) {
                let open = elems.iter().filter(|e| pool.as_const(**e).is_none());
                stack.extend(open.map(|e| (*e, false)));
            }
        }
    }

    /// Returns the diagrams of an operand, which has been translated.
    fn get(&self, pool: &Pool, e: Expr) -> Option<BddBits> {
        match pool.as_const(e) {
            Some(v) => Some(constant(pool.width(e), v).into()),
            None => self.terms.get(&e)?.clone(),
        }
    }

    fn build(&mut self, pool: &Pool, e: Expr) -> Option<Vec<Ref>> {
        let width = pool.width(e);
        Some(match pool.kind(e) {
            Kind::Const(v) => constant(width, v),
            Kind::Var(v) => (0..width)
                .map(|i| self.bdd.variable(level(v, width, i)))
                .collect(),
            Kind::Base { .. } | Kind::FCast(..) | Kind::Fma(..) => return None,
            Kind::Un(op, a) => {
                let a = self.get(pool, a)?;
                self.un(op, &a)?
            }
            Kind::Bin(op, a, b) => {
                let (a, b) = (self.get(pool, a)?, self.get(pool, b)?);
                self.bin(op, &a, &b)?
            }
            Kind::Concat { hi, lo } => {
                let (hi, lo) = (self.get(pool, hi)?, self.get(pool, lo)?);
                [&lo[..], &hi[..]].concat()
            }
            Kind::Extract { of, lo } => {
                self.get(pool, of)?[lo as usize..(lo + width) as usize].to_vec()
            }
            Kind::ZExt(a) => extend(&self.get(pool, a)?, width as usize, Ref::FALSE),
            Kind::SExt(a) => {
                let a = self.get(pool, a)?;
                extend(&a, width as usize, a[a.len() - 1])
            }
            Kind::Ite { cond, then, other } => {
                let cond = self.get(pool, cond)?[0];
                let (then, other) = (self.get(pool, then)?, self.get(pool, other)?);
                self.choose(cond, &then, &other)?
            }
            Kind::Select { array, index } => self.select(pool, array, index)?,
        })
    }

    fn select(&mut self, pool: &Pool, array: Array, index: Expr) -> Option<Vec<Ref>> {
        let index = self.get(pool, index)?;
        let mut array = array;
        let mut stores = Vec::new();
        while let Some((store, below)) = pool.stored(array) {
            if stores.len() == MAX_STORES {
                return None;
            }
            stores.push(store);
            array = below;
        }
        let ArrayKind::Table(elems) = pool.array_kind(array) else {
            return None;
        };
        let width = pool.array_shape(array).0;
        let blocks = self
            .tables
            .entry(array)
            .or_insert_with(|| {
                (elems.len() <= MAX_TABLE).then(|| Arc::new(TableTree::new(pool, elems, width)))
            })
            .clone()?;
        let top = blocks.levels.len();
        let mut known = FxHashMap::default();
        let mut element: Vec<Ref> = self
            .block(pool, &blocks, &index, top, 0, &mut known)?
            .to_vec();
        for store in stores.into_iter().rev() {
            let (at, value) = (self.get(pool, store.index)?, self.get(pool, store.value)?);
            let mut here = self.equal(&at, &index)?;
            if let Some((bit, when)) = store.guard {
                let bit = self.get(pool, bit)?[0];
                let guard = if when { bit } else { !bit };
                here = self.bdd.and(guard, here)?;
            }
            element = self.choose(here, &value, &element)?;
        }
        Some(element)
    }

    /// Returns the diagrams of the element at an index in a part of a table.
    fn block(
        &mut self,
        pool: &Pool,
        blocks: &TableTree,
        index: &[Ref],
        level: usize,
        at: u32,
        known: &mut FxHashMap<(usize, u32), BddBits>,
    ) -> Option<BddBits> {
        if let Some(bits) = known.get(&(level, at)) {
            return Some(bits.clone());
        }
        let bits = match level.checked_sub(1) {
            None => match blocks.elems.get(at as usize) {
                Some(e) => self.get(pool, *e)?,
                None => return None,
            },
            Some(below) => {
                let (low, high) = blocks.levels[below][at as usize];
                let bit = index.get(below).copied().unwrap_or(Ref::FALSE);
                let mut half = |s: &mut Self, at| s.block(pool, blocks, index, below, at, known);
                match bit.as_constant() {
                    Some(true) => half(self, high)?,
                    Some(false) => half(self, low)?,
                    None if low == high => half(self, low)?,
                    None => {
                        let (low, high) = (half(self, low)?, half(self, high)?);
                        self.choose(bit, &high, &low)?.into()
                    }
                }
            }
        };
        known.insert((level, at), bits.clone());
        Some(bits)
    }

    fn un(&mut self, op: UnOp, a: &[Ref]) -> Option<Vec<Ref>> {
        let width = a.len();
        Some(match op {
            UnOp::Not => invert(a),
            UnOp::Popcount => {
                let mut sum = vec![Ref::FALSE; width];
                for bit in a {
                    let one = extend(&[*bit], width, Ref::FALSE);
                    sum = self.add(&sum, &one, Ref::FALSE)?;
                }
                sum
            }
            UnOp::Clz | UnOp::Ctz => {
                let mut count = constant(width as Width, width as u128);
                for i in 0..width {
                    // The bit that decides last is looked at last.
                    let at = if op == UnOp::Clz { i } else { width - 1 - i };
                    let zeros = constant(width as Width, (width - 1 - i) as u128);
                    count = self.choose(a[at], &zeros, &count)?;
                }
                count
            }
            _ => return None,
        })
    }

    fn bin(&mut self, op: BinOp, a: &[Ref], b: &[Ref]) -> Option<Vec<Ref>> {
        use BinOp::*;
        let width = a.len();
        let sign = width - 1;
        Some(match op {
            Add => self.add(a, b, Ref::FALSE)?,
            Sub => self.subtract(a, b)?.0,
            Mul => self.multiply(a, b)?,
            UDiv => self.divide(a, b)?.0,
            URem => self.divide(a, b)?.1,
            SDiv | SRem => {
                let (ma, mb) = (self.magnitude(a)?, self.magnitude(b)?);
                let (q, r) = self.divide(&ma, &mb)?;
                let (result, negative) = match op {
                    SDiv => (q, self.bdd.xor(a[sign], b[sign])?),
                    _ => (r, a[sign]),
                };
                let negated = self.negate(&result)?;
                self.choose(negative, &negated, &result)?
            }
            And => self.each(a, b, Bdd::and)?,
            Or => self.each(a, b, Bdd::or)?,
            Xor => self.each(a, b, Bdd::xor)?,
            Shl | LShr | AShr => self.shift(op, a, b)?,
            Eq => vec![self.equal(a, b)?],
            ULt => vec![self.less(a, b)?],
            ULe => vec![!self.less(b, a)?],
            SLt | SLe => {
                let flip = |x: &[Ref]| {
                    let mut x = x.to_vec();
                    x[sign] = !x[sign];
                    x
                };
                let (a, b) = (flip(a), flip(b));
                vec![match op {
                    SLt => self.less(&a, &b)?,
                    _ => !self.less(&b, &a)?,
                }]
            }
            UMulO | SMulO => {
                let wide = |x: &[Ref]| match op {
                    UMulO => extend(x, 2 * width, Ref::FALSE),
                    _ => extend(x, 2 * width, x[sign]),
                };
                let product = self.multiply(&wide(a), &wide(b))?;
                let again = wide(&product[..width]);
                vec![!self.equal(&product, &again)?]
            }
            _ => return None,
        })
    }

    fn each(
        &mut self,
        a: &[Ref],
        b: &[Ref],
        op: fn(&mut Bdd, Ref, Ref) -> Option<Ref>,
    ) -> Option<Vec<Ref>> {
        a.iter()
            .zip(b)
            .map(|(a, b)| op(&mut self.bdd, *a, *b))
            .collect()
    }

    fn choose(&mut self, cond: Ref, then: &[Ref], other: &[Ref]) -> Option<Vec<Ref>> {
        then.iter()
            .zip(other)
            .map(|(t, o)| self.bdd.ite(cond, *t, *o))
            .collect()
    }

    fn add(&mut self, a: &[Ref], b: &[Ref], carry: Ref) -> Option<Vec<Ref>> {
        Some(self.add_with_carry(a, b, carry)?.0)
    }

    /// Returns the sum, and the carry out of it.
    fn add_with_carry(&mut self, a: &[Ref], b: &[Ref], mut carry: Ref) -> Option<(Vec<Ref>, Ref)> {
        let mut sum = Vec::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let differ = self.bdd.xor(*a, *b)?;
            sum.push(self.bdd.xor(differ, carry)?);
            carry = self.bdd.ite(differ, carry, *a)?;
        }
        Some((sum, carry))
    }

    /// Returns the difference, and whether there was no borrow.
    fn subtract(&mut self, a: &[Ref], b: &[Ref]) -> Option<(Vec<Ref>, Ref)> {
        self.add_with_carry(a, &invert(b), Ref::TRUE)
    }

    fn negate(&mut self, a: &[Ref]) -> Option<Vec<Ref>> {
        let zero = vec![Ref::FALSE; a.len()];
        self.add(&zero, &invert(a), Ref::TRUE)
    }

    fn magnitude(&mut self, a: &[Ref]) -> Option<Vec<Ref>> {
        let negated = self.negate(a)?;
        self.choose(a[a.len() - 1], &negated, a)
    }

    fn multiply(&mut self, a: &[Ref], b: &[Ref]) -> Option<Vec<Ref>> {
        let width = a.len();
        let open = |x: &[Ref]| x.iter().filter(|r| **r != Ref::FALSE).count();
        let (a, b) = if open(a) < open(b) { (b, a) } else { (a, b) };
        let mut sum = vec![Ref::FALSE; width];
        for (i, bit) in b.iter().enumerate() {
            if *bit == Ref::FALSE {
                continue;
            }
            let mut row = vec![Ref::FALSE; width];
            for (to, from) in row[i..].iter_mut().zip(a) {
                *to = self.bdd.and(*from, *bit)?;
            }
            sum = self.add(&sum, &row, Ref::FALSE)?;
        }
        Some(sum)
    }

    /// Returns quotient and remainder, by restoring division. Division by zero gives all ones and
    /// the dividend.
    fn divide(&mut self, a: &[Ref], b: &[Ref]) -> Option<(Vec<Ref>, Vec<Ref>)> {
        let width = a.len();
        let b = extend(b, width + 1, Ref::FALSE);
        let mut rest = vec![Ref::FALSE; width + 1];
        let mut quotient = vec![Ref::FALSE; width];
        for i in (0..width).rev() {
            rest.pop();
            rest.insert(0, a[i]);
            let (less, fits) = self.subtract(&rest, &b)?;
            quotient[i] = fits;
            rest = self.choose(fits, &less, &rest)?;
        }
        rest.pop();
        Some((quotient, rest))
    }

    fn shift(&mut self, op: BinOp, a: &[Ref], by: &[Ref]) -> Option<Vec<Ref>> {
        let width = a.len();
        let fill = match op {
            BinOp::AShr => a[width - 1],
            _ => Ref::FALSE,
        };
        let mut result = a.to_vec();
        let mut too_far = Ref::FALSE;
        for (i, bit) in by.iter().enumerate() {
            if i >= 32 || 1usize << i >= width {
                too_far = self.bdd.or(too_far, *bit)?;
                continue;
            }
            let n = 1 << i;
            let moved: Vec<Ref> = (0..width)
                .map(|at| match op {
                    BinOp::Shl if at < n => fill,
                    BinOp::Shl => result[at - n],
                    _ => result.get(at + n).copied().unwrap_or(fill),
                })
                .collect();
            result = self.choose(*bit, &moved, &result)?;
        }
        self.choose(too_far, &vec![fill; width], &result)
    }

    fn equal(&mut self, a: &[Ref], b: &[Ref]) -> Option<Ref> {
        let mut all = Ref::TRUE;
        for (a, b) in a.iter().zip(b) {
            let differ = self.bdd.xor(*a, *b)?;
            all = self.bdd.and(all, !differ)?;
            if all == Ref::FALSE {
                break;
            }
        }
        Some(all)
    }

    fn less(&mut self, a: &[Ref], b: &[Ref]) -> Option<Ref> {
        let mut less = Ref::FALSE;
        for (a, b) in a.iter().zip(b) {
            let differ = self.bdd.xor(*a, *b)?;
            less = self.bdd.ite(differ, *b, less)?;
        }
        Some(less)
    }
}

impl TableTree {
    fn new(pool: &Pool, table: &[Expr], width: Width) -> Self {
        let mut elems: Vec<Expr> = Vec::new();
        let mut ids: FxHashMap<Expr, u32> = FxHashMap::default();
        let mut row: Vec<u32> = Vec::with_capacity(table.len().next_power_of_two());
        for e in table {
            row.push(*ids.entry(*e).or_insert_with(|| {
                elems.push(*e);
                elems.len() as u32 - 1
            }));
        }
        debug_assert!(elems.iter().all(|e| pool.width(*e) == width));
        // What is past the end may be anything; the last element makes the fewest parts.
        let last = row[row.len() - 1];
        row.resize(row.len().next_power_of_two(), last);
        let mut levels = Vec::new();
        while row.len() > 1 {
            let mut parts: Vec<(u32, u32)> = Vec::new();
            let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
            row = row
                .chunks(2)
                .map(|pair| {
                    let part = (pair[0], pair[1]);
                    *ids.entry(part).or_insert_with(|| {
                        parts.push(part);
                        parts.len() as u32 - 1
                    })
                })
                .collect();
            levels.push(parts);
        }
        TableTree { elems, levels }
    }
}

fn constant(width: Width, value: u128) -> Vec<Ref> {
    (0..width)
        .map(|i| Ref::constant(value >> i & 1 == 1))
        .collect()
}

fn invert(a: &[Ref]) -> Vec<Ref> {
    a.iter().map(|x| !*x).collect()
}

fn extend(a: &[Ref], width: usize, with: Ref) -> Vec<Ref> {
    let mut a = a.to_vec();
    a.resize(width, with);
    a
}

/// Width of the widest input whose bits are kept together in the order.
const NARROW: Width = 8;

/// Returns the level of a bit of an input: narrow inputs are ordered by input and then bit from the
/// highest; wide ones, below them, by bit from the highest and then input.
fn level(var: Var, width: Width, bit: Width) -> Level {
    let from_top = (127 - bit) as u64;
    if width <= NARROW {
        (var.0 as u64) << 7 | from_top
    } else {
        1 << 62 | from_top << 32 | var.0 as u64
    }
}

/// Returns the input and the bit of a level.
fn variable(level: Level) -> (Var, u32) {
    let (var, from_top) = if level >> 62 == 0 {
        (level >> 7, level & 127)
    } else {
        (level & 0xffff_ffff, level >> 32 & 127)
    };
    (Var(var as u32), 127 - from_top as u32)
}
