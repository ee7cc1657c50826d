//! How arrays are encoded: the one place that chooses.
//!
//! A table is an array variable whose contents are an assertion of their own. A read of what some
//! stores left compares its index with theirs, the last one first: so the solver is given no
//! stores. Where the table under them has few runs of equal elements, as memory has that was
//! zeroed, it compares the index with where the runs begin, and the solver is given no array at
//! all: how long the table is does not matter then. Only where the stores are too many for that
//! they are stores for the solver, too.
//!
//! What that rests on, in seconds until a bug was found or excluded (`>`: not found in 30): words
//! that were zeroed, and a number of stores at 16-bit inputs with reads between and after them;
//! stores as stores against comparisons.
//!
//! | | words | stores | as stores | compared |
//! |---|---|---|---|---|
//! | pointers followed through what was stored | 512 | 6 | 3.97 | 0.02 |
//! | | 4096 | 16 | > | 0.64 |
//! | | 4096 | 40 | > | 0.14 |
//! | | 4096 | 100 | > | 0.63 |
//! | | 4096 | 200 | > | 4.51 |
//! | counters of a histogram | 300 | 4 | 0.63 | 0.22 |
//! | | 256 | 8 | 7.65 | 0.94 |
//! | | 4096 | 8 | > | 1.31 |
//! | a word from the one before it | 1024 | 4 | 2.49 | 0.17 |
//! | | 1024 | 12 | 20.0 | 0.33 |
//! | | 16384 | 24 | > | 0.63 |
//!
//! Over bytes that are inputs themselves, the same with 12 stores to 256 or 1024 of them takes 1 to
//! 2 against over 20. With 4 and 8 stores to 64 of them it is 0.2 to 1.0 as stores, 4 to 18
//! compared with an array under them, and 0.5 to 2.6 with a choice of their 64 runs: hence the two
//! limits on runs.
//!
//! Indices keep only the bits that the length needs: past the length an element is unspecified.

use super::encode::{Definition, EncodedContents, Encoder, Traits};
use super::raw::{BackEndFailure, Fallible, Term};
use std::rc::Rc;
use symex_terms::{Array, ArrayKind, ConditionalStore, Expr, Pool, Width};

/// Greatest number of runs of equal elements of a table that is encoded as an if-then-else over the
/// index.
const MAX_RUNS: usize = 16;

/// `MAX_RUNS` for a table under a store.
const MAX_RUNS_STORED: usize = 64;

/// `MAX_RUNS` where arrays are to be avoided.
const MAX_RUNS_ROUGH: usize = 256;

/// Greatest number of stores that a read is compared with one by one.
const MAX_STORES: usize = 256;

/// Number of elements of the longest table that Z3 is given. Beyond, it builds models in quadratic
/// time, ignoring all limits.
const MAX_ELEMENTS: usize = 1 << 15;

/// Number of bits of an element that take as long to assert as the rest of it.
const INDEX_BITS: Width = 16;

/// First index and element of each run of a table.
pub(super) type TableRuns = Rc<[(u64, Expr)]>;

/// Encoding of the reads of an array: the stores whose indices are compared, and the array that is
/// read where the index equals none of them.
#[derive(Clone)]
pub(super) struct ArrayReads {
    /// Stores, first one first.
    stores: Rc<[ConditionalStore]>,
    under: BaseArray,
}

#[derive(Clone)]
enum BaseArray {
    Runs(TableRuns),
    Array(Array),
}

impl ArrayReads {
    /// Returns the stores that a read at an index may see, first one first.
    fn stores(&self, pool: &Pool, place: Expr) -> impl Iterator<Item = &ConditionalStore> {
        let place = pool.facts(place);
        let stores = self.stores.iter();
        stores.filter(move |store| !pool.facts(store.index).excludes(&place))
    }

    /// Returns the terms that a read at an index is encoded from.
    pub fn parts(&self, pool: &Pool, place: Expr) -> impl Iterator<Item = Expr> {
        let runs: &[(u64, Expr)] = match &self.under {
            BaseArray::Runs(runs) => runs,
            BaseArray::Array(_) => &[],
        };
        let stored = self.stores(pool, place).flat_map(ConditionalStore::parts);
        stored.chain(runs.iter().map(|r| r.1))
    }

    /// Returns the array that the solver is given, if any.
    pub fn array(&self) -> Option<Array> {
        match self.under {
            BaseArray::Runs(_) => None,
            BaseArray::Array(array) => Some(array),
        }
    }
}

/// Returns the runs of a table, if there are at most `most`.
pub(super) fn runs(elems: &[Expr], most: usize) -> Option<Vec<(u64, Expr)>> {
    let mut runs: Vec<(u64, Expr)> = Vec::new();
    for (i, e) in elems.iter().enumerate() {
        if runs.last().is_none_or(|r| r.1 != *e) {
            if runs.len() == most {
                return None;
            }
            runs.push((i as u64, *e));
        }
    }
    (!runs.is_empty()).then_some(runs)
}

/// Returns the number of bits that an index into the array needs.
fn index_bits(pool: &Pool, array: Array) -> Width {
    let (_, len) = pool.array_shape(array);
    (64 - len.saturating_sub(1).leading_zeros()).max(1)
}

impl Encoder {
    /// Chooses how an array is read.
    pub(super) fn choice(&mut self, pool: &Pool, array: Array) -> ArrayReads {
        if let Some(known) = self.choices.get(&array) {
            return known.clone();
        }
        let mut stores: Vec<ConditionalStore> = Vec::new();
        let mut table = array;
        while let Some((store, under)) = pool.stored(table) {
            stores.push(store);
            table = under;
            if stores.len() > MAX_STORES || !self.compare_stores {
                // No comparisons then.
                (stores, table) = (Vec::new(), array);
                break;
            }
        }
        stores.reverse();
        let most = match (&self.rough, stores.is_empty()) {
            (Some(_), _) => MAX_RUNS_ROUGH,
            (None, true) => MAX_RUNS,
            (None, false) => MAX_RUNS_STORED,
        };
        let choice = ArrayReads {
            under: match self.runs(pool, table) {
                Some(runs) if runs.len() <= most => BaseArray::Runs(runs),
                _ => BaseArray::Array(table),
            },
            stores: stores.into(),
        };
        self.choices.insert(array, choice.clone());
        choice
    }

    /// Returns the runs of a table that has few of them.
    fn runs(&mut self, pool: &Pool, array: Array) -> Option<TableRuns> {
        let ArrayKind::Table(elems) = pool.array_kind(array) else {
            return None;
        };
        let known = self.runs.entry(array);
        let runs = known.or_insert_with(|| runs(elems, MAX_RUNS_ROUGH).map(Rc::from));
        runs.clone()
    }

    /// Encodes a read of an array, whose subterms have been encoded.
    pub(super) fn select(
        &mut self,
        pool: &Pool,
        t: &mut Traits,
        array: Array,
        index: Expr,
        width: Width,
    ) -> Fallible<Term> {
        let place = self.index(pool, array, index)?;
        let bits = index_bits(pool, array);
        let choice = self.choice(pool, array);
        for part in choice.parts(pool, index) {
            self.join(t, part);
        }
        let mut chosen = match &choice.under {
            BaseArray::Runs(runs) => self.run(runs, place, bits)?,
            BaseArray::Array(array) => {
                let array = self.join_array(t, *array);
                let elem = self.cx.binary(z3_sys::Z3_mk_select, array, place)?;
                self.natural(elem, width)?
            }
        };
        for store in choice.stores(pool, index) {
            self.weight += u64::from(bits + width);
            let at = self.index(pool, array, store.index)?;
            let mut here = self.cx.eq(at, place)?;
            if let Some((guard, when)) = store.guard {
                let guard = self.term(guard);
                let guard = if when { guard } else { self.cx.not(guard)? };
                here = self.cx.and(&[guard, here])?;
            }
            chosen = self.cx.ite(here, self.term(store.value), chosen)?;
        }
        Ok(chosen)
    }

    pub(super) fn build_array(&mut self, pool: &Pool, array: Array) -> Fallible<()> {
        let mut t = self.traits();
        let (width, _) = pool.array_shape(array);
        let term = match pool.array_kind(array) {
            ArrayKind::Table(elems) if elems.len() > MAX_ELEMENTS => {
                let len = elems.len();
                let why = format!(
                    "a look-up in a table of {len} elements at a place that depends on inputs"
                );
                return Err(BackEndFailure(why));
            }
            ArrayKind::Table(elems) => {
                let index_sort = self.bv_sort(index_bits(pool, array))?;
                let elem_sort = self.bv_sort(width)?;
                let sort = self.cx.array_sort(index_sort, elem_sort)?;
                let name = self.cx.constant(&format!("t{}", array.index()), sort)?;
                let mut facts = Vec::with_capacity(elems.len());
                for (i, e) in elems.iter().enumerate() {
                    self.join(&mut t, *e);
                    let index = self.cx.numeral(i as u128, index_sort)?;
                    let place = self.cx.binary(z3_sys::Z3_mk_select, name, index)?;
                    let elem = self.bits(pool, *e)?;
                    facts.push(self.cx.eq(place, elem)?);
                }
                let contents = EncodedContents {
                    term: self.cx.and(&facts)?,
                    len: elems.len(),
                    bits: elems.len() as u64 * u64::from(INDEX_BITS + width),
                    fixed: elems.iter().all(|e| pool.as_const(*e).is_some()),
                };
                self.contents.insert(array, contents);
                self.define(&mut t, vec![Definition::Table(array)]);
                name
            }
            ArrayKind::Store {
                array: under,
                index,
                value,
            } => {
                self.join(&mut t, *index);
                self.join(&mut t, *value);
                let under = self.join_array(&mut t, *under);
                let index = self.index(pool, array, *index)?;
                let value = self.bits(pool, *value)?;
                self.cx.store(under, index, value)?
            }
        };
        self.arrays.insert(array, t.of(term));
        Ok(())
    }

    /// Encodes the bits of an index that the array's length needs.
    fn index(&mut self, pool: &Pool, array: Array, index: Expr) -> Fallible<Term> {
        let bits = index_bits(pool, array);
        let index = self.bits(pool, index)?;
        self.cx.extract(index, 0, bits)
    }

    /// Encodes the element of the run that contains the index.
    fn run(&mut self, runs: &[(u64, Expr)], index: Term, bits: Width) -> Fallible<Term> {
        if let [only] = runs {
            return Ok(self.term(only.1));
        }
        let (low, high) = runs.split_at(runs.len() / 2);
        let sort = self.bv_sort(bits)?;
        let bound = self.cx.numeral(high[0].0 as u128, sort)?;
        let below = self.cx.binary(z3_sys::Z3_mk_bvult, index, bound)?;
        let (then, other) = (self.run(low, index, bits)?, self.run(high, index, bits)?);
        self.cx.ite(below, then, other)
    }
}
