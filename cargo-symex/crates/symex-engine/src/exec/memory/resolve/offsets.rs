//! Conversion of a pointer's term to offsets in a segment: each base of a member is replaced by the
//! member's offset there, so that an if-then-else of pointers becomes one of numbers.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use symex_terms::{Array, ArrayKind, BinOp, Expr, Kind, ObjectId, Pool};

/// Members of a segment that a term names, with their offsets there; ascending.
pub(in crate::exec) type MemberOffsets = Vec<(ObjectId, u64)>;

/// Conversion of one term. The result is arbitrary where the term leads to no member.
struct Offsets<'a> {
    pool: &'a mut Pool,
    members: &'a MemberOffsets,
    terms: FxHashMap<Expr, Option<Expr>>,
    tables: FxHashMap<Array, Option<OffsetElements>>,
}

/// Elements of a table of pointers as offsets.
#[derive(Clone, Copy)]
enum OffsetElements {
    /// Evenly spaced: element `i` is `first + i * step`.
    Even {
        first: u64,
        step: u64,
    },
    Table(Array),
}

/// Converts `term` by replacing members' bases by offsets; `None` if it leads to no member. Where
/// it leads to other objects the result does not matter. Only the forms that
/// [`groups`](super::choices::groups) handles are converted.
pub(super) fn offsets(pool: &mut Pool, term: Expr, members: &MemberOffsets) -> Option<Expr> {
    let mut work = Offsets {
        pool,
        members,
        terms: FxHashMap::default(),
        tables: FxHashMap::default(),
    };
    work.term(term)
}

impl Offsets<'_> {
    fn term(&mut self, e: Expr) -> Option<Expr> {
        if !self.pool.has_base(e) {
            return None;
        }
        if let Some(known) = self.terms.get(&e) {
            return *known;
        }
        let found = match self.pool.kind(e) {
            Kind::Base { object, .. } => {
                let at = self.members.binary_search_by_key(&object, |m| m.0).ok()?;
                let offset = self.members[at].1;
                Some(self.pool.constant(64, u128::from(offset)))
            }
            Kind::Ite { cond, then, other } => {
                let then = self.term(then);
                let other = self.term(other);
                match (then, other) {
                    (Some(then), Some(other)) => Some(self.pool.ite(cond, then, other)),
                    (one, other) => one.or(other),
                }
            }
            Kind::Select { array, index } => self.element(array, index),
            Kind::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let (based, plain) = match op == BinOp::Sub || self.pool.has_base(a) {
                    true => (a, b),
                    false => (b, a),
                };
                let offset = self.term(based)?;
                (!self.pool.has_base(plain)).then(|| self.pool.bin(op, offset, plain))
            }
            _ => None,
        };
        self.terms.insert(e, found);
        found
    }

    fn element(&mut self, array: Array, index: Expr) -> Option<Expr> {
        match *self.pool.array_kind(array) {
            ArrayKind::Table(_) => match self.table(array)? {
                OffsetElements::Even { first, step } => {
                    let [first, step] = [first, step].map(|n| self.pool.constant(64, n.into()));
                    let steps = self.pool.bin(BinOp::Mul, index, step);
                    Some(self.pool.add(steps, first))
                }
                OffsetElements::Table(table) => Some(self.pool.select(table, index)),
            },
            ArrayKind::Store {
                array: under,
                index: at,
                value,
            } => {
                let below = self.element(under, index);
                let here = self.term(value);
                match (here, below) {
                    (Some(here), Some(below)) => {
                        let same = self.pool.eq(index, at);
                        Some(self.pool.ite(same, here, below))
                    }
                    (one, other) => one.or(other),
                }
            }
        }
    }

    fn table(&mut self, table: Array) -> Option<OffsetElements> {
        if let Some(known) = self.tables.get(&table) {
            return *known;
        }
        let ArrayKind::Table(elements) = self.pool.array_kind(table) else {
            return None;
        };
        let elements = elements.clone();
        let offsets: Vec<Option<Expr>> = elements.iter().map(|e| self.term(*e)).collect();
        let found = self.even(&offsets).or_else(|| {
            // Any member's offset will do where there is none; a neighbour's adds no further value.
            let mut last = offsets.iter().copied().flatten().next()?;
            let filled: Arc<[Expr]> = offsets
                .iter()
                .map(|offset| {
                    last = offset.unwrap_or(last);
                    last
                })
                .collect();
            Some(OffsetElements::Table(self.pool.table(filled)))
        });
        self.tables.insert(table, found);
        found
    }

    /// Recognises evenly spaced offsets: objects of one size that were moved in one after the other
    /// lie at equal distances, as the rows of one matrix do.
    fn even(&self, offsets: &[Option<Expr>]) -> Option<OffsetElements> {
        let known = |(i, offset): (usize, &Option<Expr>)| {
            offset.map(|e| self.pool.as_const(e).map(|c| (i as u64, c as u64)))
        };
        // A term among them: no.
        let known: Vec<(u64, u64)> = offsets
            .iter()
            .enumerate()
            .filter_map(known)
            .collect::<Option<_>>()?;
        let [(i, a), (j, b), ..] = known[..] else {
            return None;
        };
        let step = b.checked_sub(a)? / (j - i);
        let first = a.checked_sub(step * i)?;
        let even = known.iter().all(|(i, offset)| first + step * i == *offset);
        even.then_some(OffsetElements::Even { first, step })
    }
}
