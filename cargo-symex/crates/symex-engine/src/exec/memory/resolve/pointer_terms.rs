//! Properties that follow from the terms of pointers alone, computed once for all paths.

use super::choices::{CandidateGroup, groups};
use super::offsets::{MemberOffsets, offsets};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symex_memory::AddressSpace;
use symex_terms::{BinOp, Expr, Kind, ObjectId, Pool, Value};

/// Cache of properties of pointer terms.
#[derive(Default)]
pub(in crate::exec) struct PointerTerms {
    /// Candidates of terms that select between objects.
    candidates: FxHashMap<Expr, Option<Rc<[CandidateGroup]>>>,
    /// Pointers as offsets in segments, by the members that they name.
    offsets: FxHashMap<(Expr, MemberOffsets), Option<Expr>>,
}

impl PointerTerms {
    /// Returns the candidates of a term that selects between objects. `None`: it has another form,
    /// or too many.
    pub fn candidates(
        &mut self,
        pool: &mut Pool,
        memory: &AddressSpace,
        atom: Expr,
    ) -> Option<Rc<[CandidateGroup]>> {
        if let Some(known) = self.candidates.get(&atom) {
            return known.clone();
        }
        let found = groups(pool, memory, atom).map(Rc::from);
        self.candidates.insert(atom, found.clone());
        found
    }

    /// Converts `term` by replacing the members' bases by offsets; `None` if it leads to no member.
    pub fn offsets(&mut self, pool: &mut Pool, term: Expr, members: MemberOffsets) -> Option<Expr> {
        let key = (term, members);
        if let Some(known) = self.offsets.get(&key) {
            return *known;
        }
        let found = offsets(pool, term, &key.1);
        self.offsets.insert(key, found);
        found
    }
}

/// Returns the object that a pointer term leads to, with the offset in it, if the term is the base
/// of one object plus an offset.
pub(in crate::exec) fn object_of(pool: &mut Pool, e: Expr) -> Option<(ObjectId, Value)> {
    let (object, rest) = base_and_rest(pool, e)?;
    (!pool.has_base(rest)).then(|| (object, pool.value(rest)))
}

/// Returns the object whose base is an addend of a term, if that is one alone, and the rest, which
/// may be computed from other addresses.
pub(in crate::exec) fn base_and_rest(pool: &mut Pool, e: Expr) -> Option<(ObjectId, Expr)> {
    let mut parts = Vec::new();
    addends(pool, e, &mut parts);
    let mut bases = parts.iter().filter_map(|a| match pool.kind(*a) {
        Kind::Base { object, .. } => Some((*a, object)),
        _ => None,
    });
    let ((atom, object), None) = (bases.next()?, bases.next()) else {
        return None;
    };
    Some((object, sum_without(pool, &parts, atom)))
}

/// Appends the addends of a term to a list. What is subtracted is one of them, negated, as are the
/// low bits that are cleared of an address.
pub(super) fn addends(pool: &mut Pool, e: Expr, into: &mut Vec<Expr>) {
    match pool.kind(e) {
        Kind::Bin(BinOp::Add, a, b) => {
            addends(pool, a, into);
            addends(pool, b, into);
        }
        Kind::Bin(BinOp::Sub, a, b) if pool.as_const(a).is_none() => {
            addends(pool, a, into);
            let zero = pool.constant(64, 0);
            into.push(pool.sub(zero, b));
        }
        Kind::Bin(BinOp::And, a, mask) if pool.has_base(a) && clears_low_bits(pool, mask) => {
            addends(pool, a, into);
            let lost = pool.not(mask);
            let lost = pool.and(a, lost);
            let zero = pool.constant(64, 0);
            into.push(pool.sub(zero, lost));
        }
        _ => into.push(e),
    }
}

/// Reports whether a term is a mask of all bits but some low ones.
fn clears_low_bits(pool: &Pool, mask: Expr) -> bool {
    pool.as_const(mask).is_some_and(|mask| {
        let cleared = !(mask as u64);
        cleared & cleared.wrapping_add(1) == 0 && cleared >> 32 == 0
    })
}

/// Makes the sum of all addends but one.
pub(super) fn sum_without(pool: &mut Pool, addends: &[Expr], atom: Expr) -> Expr {
    let mut sum = pool.constant(64, 0);
    let mut dropped = false;
    for a in addends {
        if *a == atom && !dropped {
            dropped = true;
        } else {
            sum = pool.add(sum, *a);
        }
    }
    sum
}
