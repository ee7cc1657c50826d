//! Encoding of the pool's terms as terms of Z3, each handle once per context.
//!
//! One bit is a Boolean, wider terms are bit-vectors; a one-bit term used as a number is converted
//! once. The walk keeps its own stack, so deep terms cannot overflow the native one. A table is an
//! array variable whose contents are a separate assertion ([`Encoder::contents`]), which must be
//! added with any asserted term that mentions it. Operators on single terms are in `encode_op` and
//! `encode_float`, arrays in `encode_array`.

use super::division::{Dividend, Division};
use super::encode_array::{ArrayReads, TableRuns};
use super::interrupt::InterruptHandle;
use super::raw::{BackEndFailure, Context, Fallible, Sort, Term};
use super::rough::Mixing;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;
use symex_terms::{Array, ArrayKind, Expr, Kind, Pool, Var, Width};

/// Number of gates that one query may add before it counts as heavy.
const MAX_WEIGHT: u64 = 400_000;

/// Number of terms between two looks at the clock.
const TICK: u32 = 256;

/// An encoded term with the properties needed to assert it.
#[derive(Clone, Copy)]
pub(super) struct Encoded {
    pub term: Term,
    /// Whether it contains float arithmetic.
    pub float: bool,
    /// Whether an incremental solver would bit-blast it for longer than a timeout can be overrun.
    pub heavy: bool,
    /// Definitions to be asserted with the term.
    pub definitions: DefinitionSet,
}

/// Assertion of a definition.
#[derive(Clone, Copy)]
pub(super) struct EncodedContents {
    /// The assertion.
    pub term: Term,
    /// Number of elements of a table.
    pub len: usize,
    /// Number of bits of all its elements and, roughly, their indices.
    pub bits: u64,
    /// Whether it is a table whose elements are all constants.
    pub fixed: bool,
}

/// Definition of a Z3 variable, which must be asserted with each term that mentions the variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Definition {
    /// The contents of a table.
    Table(Array),
    /// Quotient and remainder: see [`super::division`].
    Division(u32),
}

/// Handle of a sorted set of definitions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct DefinitionSet(u32);

impl DefinitionSet {
    pub const EMPTY: DefinitionSet = DefinitionSet(0);
}

/// Encoder of terms, with the encodings of one context.
pub(super) struct Encoder {
    pub(super) cx: Rc<Context>,
    terms: FxHashMap<Expr, Encoded>,
    /// Encodings of one-bit terms as bit-vectors.
    bits: FxHashMap<Expr, Term>,
    variables: FxHashMap<Var, Term>,
    pub(super) arrays: FxHashMap<Array, Encoded>,
    pub(super) contents: FxHashMap<Array, EncodedContents>,
    /// Whether reads over stores are encoded as comparisons with the indices of the stores.
    pub(super) compare_stores: bool,
    /// Encodings of reads, by array.
    pub(super) choices: FxHashMap<Array, ArrayReads>,
    /// Runs of tables that have few of them.
    pub(super) runs: FxHashMap<Array, Option<TableRuns>>,
    pub(super) divisions: Vec<Division>,
    pub(super) division_ids: FxHashMap<(Dividend, u128), u32>,
    sets: Vec<Arc<[Definition]>>,
    set_ids: FxHashMap<Arc<[Definition]>, DefinitionSet>,
    unions: FxHashMap<(DefinitionSet, DefinitionSet), DefinitionSet>,
    bv_sorts: FxHashMap<Width, Sort>,
    pub(super) float_sorts: FxHashMap<Width, Sort>,
    /// Floats that operations make, by the encoding of their bits.
    pub(super) floats: FxHashMap<Term, Term>,
    /// The terms to leave open, if any are left open.
    pub(super) rough: Option<Mixing>,
    /// Approximate number of gates of all terms encoded so far.
    pub(super) weight: u64,
    /// Weight before the present root was started.
    weight_before: u64,
    /// End of the present query.
    limit: Option<(Instant, InterruptHandle)>,
    /// Terms begun so far, for looking at the clock.
    steps: u32,
}

enum PendingTerm {
    Expr(Expr),
    Array(Array),
}

/// Properties of an encoded term that it inherits from its subterms.
#[derive(Clone, Copy)]
pub(super) struct Traits {
    pub float: bool,
    pub heavy: bool,
    pub definitions: DefinitionSet,
}

impl Traits {
    /// Traits of a term without subterms.
    const NONE: Traits = Traits {
        float: false,
        heavy: false,
        definitions: DefinitionSet::EMPTY,
    };

    /// Makes an encoded term with these traits.
    pub fn of(self, term: Term) -> Encoded {
        Encoded {
            term,
            float: self.float,
            heavy: self.heavy,
            definitions: self.definitions,
        }
    }
}

impl Encoder {
    /// Makes an encoder. `compare_stores`: encode reads over stores as comparisons.
    pub fn new(cx: Rc<Context>, compare_stores: bool) -> Self {
        let empty: Arc<[Definition]> = Arc::from([]);
        Encoder {
            cx,
            terms: FxHashMap::default(),
            bits: FxHashMap::default(),
            variables: FxHashMap::default(),
            arrays: FxHashMap::default(),
            contents: FxHashMap::default(),
            compare_stores,
            choices: FxHashMap::default(),
            runs: FxHashMap::default(),
            divisions: Vec::new(),
            division_ids: FxHashMap::default(),
            sets: vec![empty.clone()],
            set_ids: FxHashMap::from_iter([(empty, DefinitionSet::EMPTY)]),
            unions: FxHashMap::default(),
            bv_sorts: FxHashMap::default(),
            rough: None,
            float_sorts: FxHashMap::default(),
            floats: FxHashMap::default(),
            weight: 0,
            weight_before: 0,
            limit: None,
            steps: 0,
        }
    }

    /// Sets the end of the query whose terms are encoded next.
    pub fn until(&mut self, end: Instant, interrupt: &InterruptHandle) {
        self.limit = Some((end, interrupt.clone()));
    }

    /// Fails if the query's time is over. Looks at the clock every few hundred terms.
    fn tick(&mut self) -> Fallible<()> {
        self.steps = self.steps.wrapping_add(1);
        match &self.limit {
            Some((end, interrupt))
                if self.steps.is_multiple_of(TICK) && interrupt.is_over(*end) =>
            {
                Err(BackEndFailure("timeout".into()))
            }
            _ => Ok(()),
        }
    }

    /// Makes an encoder for an abstraction: terms that mix their inputs become variables, and reads
    /// become if-then-elses rather than arrays where there are few elements to choose from.
    pub fn rough(cx: Rc<Context>, mixing: Mixing) -> Self {
        Encoder {
            rough: Some(mixing),
            ..Encoder::new(cx, true)
        }
    }

    fn opens(&mut self, pool: &Pool, e: Expr) -> bool {
        self.rough.as_mut().is_some_and(|m| m.opens(pool, e))
    }

    /// Returns the number of terms encoded so far.
    pub fn len(&self) -> usize {
        self.terms.len() + self.arrays.len()
    }

    /// Returns the definitions of a set, sorted.
    pub fn definitions(&self, set: DefinitionSet) -> &Arc<[Definition]> {
        &self.sets[set.0 as usize]
    }

    /// Returns the Z3 constant of a variable that has been encoded.
    pub fn variable(&self, v: Var) -> Option<Term> {
        self.variables.get(&v).copied()
    }

    /// Returns the assertion of a definition whose variables have been encoded.
    pub fn contents(&self, definition: Definition) -> EncodedContents {
        match definition {
            Definition::Table(table) => self.contents[&table],
            Definition::Division(id) => EncodedContents {
                term: self.divisions[id as usize].definition,
                len: 0,
                bits: 0,
                fixed: false,
            },
        }
    }

    /// Returns all assertions for some terms: the terms, and the definitions of the variables that
    /// they mention.
    pub fn assertions<'a>(
        &self,
        encoded: impl Iterator<Item = &'a Encoded>,
    ) -> Fallible<Vec<Term>> {
        let mut terms = Vec::new();
        let mut done = FxHashSet::default();
        for e in encoded {
            for definition in self.definitions(e.definitions).iter() {
                if done.insert(*definition) {
                    terms.push(self.contents(*definition).term);
                    terms.extend(self.links(*definition, &done)?);
                }
            }
            terms.push(e.term);
        }
        Ok(terms)
    }

    /// Encodes a term. A one-bit term becomes a Boolean.
    pub fn encode(&mut self, pool: &Pool, root: Expr) -> Fallible<Encoded> {
        if let Some(e) = self.terms.get(&root) {
            return Ok(*e);
        }
        self.weight_before = self.weight;
        let mut stack = vec![(PendingTerm::Expr(root), false)];
        let mut parts: Vec<PendingTerm> = Vec::new();
        while let Some((item, open)) = stack.pop() {
            if self.is_done(&item) {
                continue;
            }
            if open {
                self.tick()?;
                match item {
                    PendingTerm::Expr(e) => self.build(pool, e)?,
                    PendingTerm::Array(a) => self.build_array(pool, a)?,
                }
                continue;
            }
            match item {
                PendingTerm::Expr(e) if self.opens(pool, e) => {}
                PendingTerm::Expr(e) => self.parts(pool, e, &mut parts),
                PendingTerm::Array(a) => array_parts(pool, a, &mut parts),
            }
            stack.push((item, true));
            for part in parts.drain(..) {
                if !self.is_done(&part) {
                    stack.push((part, false));
                }
            }
        }
        Ok(self.terms[&root])
    }

    fn is_done(&self, item: &PendingTerm) -> bool {
        match item {
            PendingTerm::Expr(e) => self.terms.contains_key(e),
            PendingTerm::Array(a) => self.arrays.contains_key(a),
        }
    }

    fn parts(&mut self, pool: &Pool, e: Expr, out: &mut Vec<PendingTerm>) {
        match pool.kind(e) {
            Kind::Const(_) | Kind::Var(_) | Kind::Base { .. } => {}
            Kind::Un(_, a)
            | Kind::Extract { of: a, .. }
            | Kind::ZExt(a)
            | Kind::SExt(a)
            | Kind::FCast(_, a) => out.push(PendingTerm::Expr(a)),
            Kind::Bin(_, a, b) | Kind::Concat { hi: a, lo: b } => {
                out.extend([PendingTerm::Expr(a), PendingTerm::Expr(b)])
            }
            Kind::Ite {
                cond: a,
                then: b,
                other: c,
            }
            | Kind::Fma(a, b, c) => out.extend([
                PendingTerm::Expr(a),
                PendingTerm::Expr(b),
                PendingTerm::Expr(c),
            ]),
            Kind::Select { array, index } => {
                out.push(PendingTerm::Expr(index));
                let choice = self.choice(pool, array);
                out.extend(choice.parts(pool, index).map(PendingTerm::Expr));
                out.extend(choice.array().map(PendingTerm::Array));
            }
        }
    }

    /// Returns the traits of a term apart from its subterms: it is heavy if the present root has
    /// too many gates so far.
    pub(super) fn traits(&self) -> Traits {
        Traits {
            heavy: self.weight - self.weight_before > MAX_WEIGHT,
            ..Traits::NONE
        }
    }

    fn build(&mut self, pool: &Pool, e: Expr) -> Fallible<()> {
        let width = pool.width(e);
        if self.opens(pool, e) {
            let sort = self.bv_sort(width)?;
            let open = self.cx.constant(&format!("o{}", e.index()), sort)?;
            self.terms.insert(e, Traits::NONE.of(open));
            return Ok(());
        }
        self.weight += gates(pool, e, width);
        let mut t = self.traits();
        let term = match pool.kind(e) {
            Kind::Const(v) => self.numeral(width, v)?,
            Kind::Var(v) => {
                let sort = if width == 1 {
                    self.cx.bool_sort()?
                } else {
                    self.bv_sort(width)?
                };
                let term = self.cx.constant(&format!("v{}", v.0), sort)?;
                self.variables.insert(v, term);
                term
            }
            Kind::Base { object, .. } => {
                return Err(BackEndFailure(format!(
                    "the base address of object {} was not substituted",
                    object.0
                )));
            }
            Kind::Un(op, a) => {
                self.join(&mut t, a);
                t.float |= op.is_float();
                self.un(pool, op, a)?
            }
            Kind::Bin(op, a, b) => {
                self.join(&mut t, a);
                self.join(&mut t, b);
                t.float |= op.is_float();
                match self.divided(pool, op, a, b)? {
                    Some((term, division)) => {
                        let by = self.divisions[division as usize].by;
                        let own = [Some(division), by].into_iter().flatten();
                        self.define(&mut t, own.map(Definition::Division).collect());
                        term
                    }
                    None => self.bin(pool, op, a, b)?,
                }
            }
            Kind::Concat { hi, lo } => {
                self.join(&mut t, hi);
                self.join(&mut t, lo);
                let (hi, lo) = (self.bits(pool, hi)?, self.bits(pool, lo)?);
                self.cx.binary(z3_sys::Z3_mk_concat, hi, lo)?
            }
            Kind::Extract { of, lo } => {
                self.join(&mut t, of);
                let of = self.bits(pool, of)?;
                let bits = self.cx.extract(of, lo, width)?;
                self.natural(bits, width)?
            }
            Kind::ZExt(a) => {
                self.join(&mut t, a);
                let by = width - pool.width(a);
                let a = self.bits(pool, a)?;
                self.cx.zero_extend(a, by)?
            }
            Kind::SExt(a) => {
                self.join(&mut t, a);
                let by = width - pool.width(a);
                let a = self.bits(pool, a)?;
                self.cx.sign_extend(a, by)?
            }
            Kind::Ite { cond, then, other } => {
                for part in [cond, then, other] {
                    self.join(&mut t, part);
                }
                self.cx
                    .ite(self.term(cond), self.term(then), self.term(other))?
            }
            Kind::Select { array, index } => {
                self.join(&mut t, index);
                self.select(pool, &mut t, array, index, width)?
            }
            Kind::FCast(op, a) => {
                self.join(&mut t, a);
                t.float = true;
                self.fcast(pool, op, a, width)?
            }
            Kind::Fma(a, b, c) => {
                for part in [a, b, c] {
                    self.join(&mut t, part);
                }
                t.float = true;
                self.fma(pool, a, b, c)?
            }
        };
        self.terms.insert(e, t.of(term));
        Ok(())
    }

    /// Returns the encoding of a term that has been encoded.
    pub(super) fn term(&self, e: Expr) -> Term {
        self.terms[&e].term
    }

    /// Returns the encoding of a term as a bit-vector, also if it is one bit wide.
    pub(super) fn bits(&mut self, pool: &Pool, e: Expr) -> Fallible<Term> {
        let term = self.term(e);
        if pool.width(e) > 1 {
            return Ok(term);
        }
        if let Some(bits) = self.bits.get(&e) {
            return Ok(*bits);
        }
        let sort = self.bv_sort(1)?;
        let (one, zero) = (self.cx.numeral(1, sort)?, self.cx.numeral(0, sort)?);
        let bits = self.cx.ite(term, one, zero)?;
        self.bits.insert(e, bits);
        Ok(bits)
    }

    /// Converts a bit-vector to the form in which terms of its width are encoded.
    pub(super) fn natural(&mut self, bits: Term, width: Width) -> Fallible<Term> {
        if width > 1 {
            return Ok(bits);
        }
        let sort = self.bv_sort(1)?;
        let one = self.cx.numeral(1, sort)?;
        self.cx.eq(bits, one)
    }

    /// Encodes a constant in the form of terms of its width.
    pub(super) fn numeral(&mut self, width: Width, value: u128) -> Fallible<Term> {
        if width == 1 {
            return self.cx.truth(value == 1);
        }
        self.bv_numeral(width, value)
    }

    /// Encodes a constant as a bit-vector.
    pub(super) fn bv_numeral(&mut self, width: Width, value: u128) -> Fallible<Term> {
        let sort = self.bv_sort(width)?;
        self.cx.numeral(value, sort)
    }

    pub(super) fn bv_sort(&mut self, width: Width) -> Fallible<Sort> {
        if let Some(s) = self.bv_sorts.get(&width) {
            return Ok(*s);
        }
        let sort = self.cx.bv_sort(width)?;
        self.bv_sorts.insert(width, sort);
        Ok(sort)
    }

    /// Adds the traits of a subterm to those of a term.
    pub(super) fn join(&mut self, t: &mut Traits, part: Expr) {
        self.take_over(t, self.terms[&part]);
    }

    /// Adds the traits of an array subterm to those of a term, and returns its encoding.
    pub(super) fn join_array(&mut self, t: &mut Traits, part: Array) -> Term {
        let array = self.arrays[&part];
        self.take_over(t, array);
        array.term
    }

    fn take_over(&mut self, t: &mut Traits, part: Encoded) {
        t.float |= part.float;
        t.heavy |= part.heavy;
        t.definitions = self.union(t.definitions, part.definitions);
    }

    /// Adds definitions to the traits of a term.
    pub(super) fn define(&mut self, t: &mut Traits, mut own: Vec<Definition>) {
        own.sort_unstable();
        let own = self.intern_set(own);
        t.definitions = self.union(t.definitions, own);
    }

    /// Returns the union of two sets of definitions.
    pub fn union(&mut self, a: DefinitionSet, b: DefinitionSet) -> DefinitionSet {
        if a == b || b == DefinitionSet::EMPTY {
            return a;
        }
        if a == DefinitionSet::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(u) = self.unions.get(&key) {
            return *u;
        }
        let mut all: Vec<Definition> = self
            .definitions(a)
            .iter()
            .chain(self.definitions(b).iter())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        let set = self.intern_set(all);
        self.unions.insert(key, set);
        set
    }

    fn intern_set(&mut self, sorted: Vec<Definition>) -> DefinitionSet {
        let set: Arc<[Definition]> = sorted.into();
        if let Some(id) = self.set_ids.get(&set) {
            return *id;
        }
        let id = DefinitionSet(self.sets.len() as u32);
        self.sets.push(set.clone());
        self.set_ids.insert(set, id);
        id
    }
}

fn array_parts(pool: &Pool, array: Array, out: &mut Vec<PendingTerm>) {
    match pool.array_kind(array) {
        ArrayKind::Table(elems) => out.extend(elems.iter().map(|e| PendingTerm::Expr(*e))),
        ArrayKind::Store {
            array,
            index,
            value,
        } => out.extend([
            PendingTerm::Array(*array),
            PendingTerm::Expr(*index),
            PendingTerm::Expr(*value),
        ]),
    }
}

/// Estimates the number of gates of one operator.
fn gates(pool: &Pool, e: Expr, width: Width) -> u64 {
    let width = width as u64;
    match pool.kind(e) {
        Kind::Bin(op, a, _) => {
            use symex_terms::BinOp::*;
            let operand = pool.width(a) as u64;
            match op {
                Mul | UDiv | SDiv | URem | SRem | UMulO | SMulO => operand * operand,
                Shl | LShr | AShr => operand * 8,
                _ => operand,
            }
        }
        Kind::Un(..) | Kind::Ite { .. } | Kind::Select { .. } => width,
        _ => 0,
    }
}
