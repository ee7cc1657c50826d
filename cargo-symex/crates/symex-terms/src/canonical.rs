//! Canonical names for sets of terms: two sets that differ only in the names of variables and bases
//! get the same key, in whichever pool, path or run [AAQC III-B; FGM III-C].
//!
//! Symbols are numbered in the order in which one walk over the terms meets them. So equal keys
//! stand for a bijection between the symbols, where bases correspond only if their sizes and
//! alignments are equal: the bidirectional map of [AAQC, algorithm 1], found here without looking
//! at the other query. Tables count by their contents and not by their names.
//!
//! The walk takes terms, and operands that may be swapped, in the order of their structural hashes
//! (terms over fewer symbols first). Ties are broken by the order in which they were met, and else
//! by age. Then two sets that could be matched may get two keys: a missed cache hit, never a wrong
//! one.

use super::node::*;
use super::pool::{Pool, SupportId};
use super::structural_hash::{StructuralHashes, tag};
use rustc_hash::FxHashMap;

/// Version of the keys, raised when the same key comes to stand for another set.
const FORMAT: u64 = 1;

/// Number of elements of a table of constants beyond which a set with it has no canonical name.
const MAX_CONSTANTS: usize = 1 << 17;

/// The canonical name of a set of terms, independent of the names of their symbols.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Canonical {
    /// Cryptographic hash: equal keys mean equal sets.
    pub key: [u8; 32],
    /// Variables in the order of their numbers.
    pub vars: Vec<Var>,
}

/// Remembered hashes of a pool's terms and tables, for canonical names.
#[derive(Default)]
pub(super) struct Canonizer {
    shapes: StructuralHashes,
    /// Hashes of tables of constants.
    tables: FxHashMap<Array, [u8; 32]>,
}

impl Pool {
    /// Returns the canonical name of a set of terms, whose order does not matter. `None`: it has
    /// more than `limit` nodes, or a base whose object `size` does not know.
    pub fn canonical(
        &mut self,
        terms: &[Expr],
        size: &dyn Fn(ObjectId) -> Option<u64>,
        limit: usize,
    ) -> Option<Canonical> {
        let mut canonizer = std::mem::take(&mut self.canonizer);
        let named = canonizer.canonical(self, terms, size, limit);
        self.canonizer = canonizer;
        named
    }
}

impl Canonizer {
    /// Returns the bytes taken by the remembered hashes.
    pub(super) fn bytes(&self) -> usize {
        self.shapes.bytes() + self.tables.len() * size_of::<(Array, [u8; 32])>()
    }

    fn canonical(
        &mut self,
        pool: &Pool,
        terms: &[Expr],
        size: &dyn Fn(ObjectId) -> Option<u64>,
        limit: usize,
    ) -> Option<Canonical> {
        // Terms over few symbols first: they leave the least to chance where operands tie.
        let mut sorted: Vec<(usize, u64, Expr)> = terms
            .iter()
            .map(|e| (pool.support(*e).len(), self.shapes.of(pool, *e), *e))
            .collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut walk = CanonicalWalk {
            pool,
            canonizer: self,
            size,
            limit,
            terms: FxHashMap::default(),
            arrays: FxHashMap::default(),
            vars: Vec::new(),
            bases: 0,
            words: vec![FORMAT],
            stack: Vec::new(),
        };
        for (_, _, e) in &sorted {
            walk.term(*e)?;
            let number = walk.terms[e];
            walk.words.extend([ROOT, number]);
        }
        let mut hasher = blake3::Hasher::new();
        for word in &walk.words {
            hasher.update(&word.to_le_bytes());
        }
        Some(Canonical {
            key: *hasher.finalize().as_bytes(),
            vars: walk.vars,
        })
    }

    /// Returns the hash of the values in a table of constants.
    fn constants(&mut self, pool: &Pool, a: Array) -> [u8; 32] {
        if let Some(known) = self.tables.get(&a) {
            return *known;
        }
        let mut hasher = blake3::Hasher::new();
        if let ArrayKind::Table(elems) = pool.array_kind(a) {
            for e in elems.iter() {
                let value = pool.as_const(*e).expect("the table holds constants");
                hasher.update(&value.to_le_bytes());
            }
        }
        let hash = *hasher.finalize().as_bytes();
        self.tables.insert(a, hash);
        hash
    }
}

/// Words that start entries other than terms. Terms start with their tags, which are smaller.
const ROOT: u64 = 1 << 32;
const TABLE: u64 = ROOT + 1;
const CONSTANTS: u64 = ROOT + 2;
const STORE: u64 = ROOT + 3;

/// State of one walk: each node is written once, after its operands, and is referred to by its
/// number from then on.
struct CanonicalWalk<'a> {
    pool: &'a Pool,
    canonizer: &'a mut Canonizer,
    size: &'a dyn Fn(ObjectId) -> Option<u64>,
    limit: usize,
    terms: FxHashMap<Expr, u64>,
    arrays: FxHashMap<Array, u64>,
    vars: Vec<Var>,
    bases: u64,
    words: Vec<u64>,
    stack: Vec<(super::TermOperand, bool)>,
}

impl CanonicalWalk<'_> {
    fn term(&mut self, root: Expr) -> Option<()> {
        use super::TermOperand::{Array, Term};
        self.stack.push((Term(root), false));
        while let Some((operand, ready)) = self.stack.pop() {
            let known = match operand {
                Term(e) => self.terms.contains_key(&e),
                Array(a) => self.arrays.contains_key(&a),
            };
            if known {
                continue;
            }
            if self.terms.len() + self.stack.len() > self.limit {
                return None;
            }
            if let Array(a) = operand
                && self.is_too_long(a)
            {
                return None;
            }
            match operand {
                Term(e) if ready => {
                    self.write_term(e)?;
                    let number = self.terms.len() as u64;
                    self.terms.insert(e, number);
                }
                Array(a) if ready || self.is_constant(a) => {
                    self.write_array(a);
                    let number = self.arrays.len() as u64;
                    self.arrays.insert(a, number);
                }
                Term(e) => {
                    self.stack.push((operand, true));
                    let first = self.stack.len();
                    if let Some((a, b)) = self.swapped(e) {
                        self.stack.extend([(Term(a), false), (Term(b), false)]);
                    } else {
                        self.pool.operands(e, |o| self.stack.push((o, false)));
                    }
                    // The first operand is met first.
                    self.stack[first..].reverse();
                }
                Array(a) => {
                    self.stack.push((operand, true));
                    let first = self.stack.len();
                    self.pool.array_operands(a, |o| self.stack.push((o, false)));
                    self.stack[first..].reverse();
                }
            }
        }
        Some(())
    }

    /// Returns the operands of a commutative operator if the second is to be visited first: by
    /// their structural hashes, or else by the order in which they were met before.
    fn swapped(&mut self, e: Expr) -> Option<(Expr, Expr)> {
        let Kind::Bin(op, a, b) = self.pool.kind(e) else {
            return None;
        };
        let mut rank = |e: Expr| {
            let number = self.terms.get(&e).copied();
            (
                self.canonizer.shapes.of(self.pool, e),
                number.unwrap_or(u64::MAX),
            )
        };
        (op.is_commutative() && rank(b) < rank(a)).then_some((b, a))
    }

    /// Reports whether the array is a table with too many elements to visit. Tables of constants
    /// may be larger, since each is hashed once.
    fn is_too_long(&self, a: Array) -> bool {
        let ArrayKind::Table(elems) = self.pool.array_kind(a) else {
            return false;
        };
        let most = if self.is_constant(a) {
            MAX_CONSTANTS
        } else {
            self.limit
        };
        elems.len() > most
    }

    fn is_constant(&self, a: Array) -> bool {
        self.pool.arrays[a.index()].properties.support == SupportId::EMPTY
            && matches!(self.pool.array_kind(a), ArrayKind::Table(_))
    }

    fn write_term(&mut self, e: Expr) -> Option<()> {
        let kind = self.pool.kind(e);
        self.words
            .push(tag(&kind) << 8 | u64::from(self.pool.width(e)));
        match kind {
            Kind::Const(v) => self.words.extend([v as u64, (v >> 64) as u64]),
            Kind::Var(v) => {
                self.words.push(self.vars.len() as u64);
                self.vars.push(v);
            }
            Kind::Base { object, align_log2 } => {
                let size = (self.size)(object)?;
                self.words.extend([self.bases, u64::from(align_log2), size]);
                self.bases += 1;
            }
            _ => {
                if let Kind::Extract { lo, .. } = kind {
                    self.words.push(u64::from(lo));
                }
                let (terms, arrays, words) = (&self.terms, &self.arrays, &mut self.words);
                let first = words.len();
                self.pool.operands(e, |o| {
                    words.push(match o {
                        super::TermOperand::Term(e) => terms[&e],
                        super::TermOperand::Array(a) => arrays[&a],
                    });
                });
                if let Kind::Bin(op, ..) = kind
                    && op.is_commutative()
                {
                    self.words[first..].sort_unstable();
                }
            }
        }
        Some(())
    }

    fn write_array(&mut self, a: Array) {
        let (width, len) = self.pool.array_shape(a);
        if self.is_constant(a) {
            let hash = self.canonizer.constants(self.pool, a);
            self.words.extend([CONSTANTS, u64::from(width), len]);
            let words = hash.chunks_exact(8).map(|bytes| {
                u64::from_le_bytes(bytes.try_into().expect("eight bytes make a word"))
            });
            self.words.extend(words);
            return;
        }
        let word = match self.pool.array_kind(a) {
            ArrayKind::Table(_) => TABLE,
            ArrayKind::Store { .. } => STORE,
        };
        self.words.extend([word, u64::from(width), len]);
        let (terms, arrays, words) = (&self.terms, &self.arrays, &mut self.words);
        self.pool.array_operands(a, |o| {
            words.push(match o {
                super::TermOperand::Term(e) => terms[&e],
                super::TermOperand::Array(a) => arrays[&a],
            });
        });
    }
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
