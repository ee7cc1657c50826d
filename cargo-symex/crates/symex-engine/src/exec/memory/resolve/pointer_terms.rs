//! Facts that follow from the terms of pointers alone, worked out once for all paths.

use super::Place;
use super::choices::{Group, groups};
use super::offsets::{MemberOffsets, offsets};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symex_memory::AddressSpace;
use symex_terms::{BinOp, Expr, Kind, Pool};

/// Facts about terms of pointers.
#[derive(Default)]
pub(in crate::exec) struct PointerTerms {
    /// The candidates of terms that choose between objects.
    candidates: FxHashMap<Expr, Option<Rc<[Group]>>>,
    /// Pointers as offsets in segments, by what they name.
    offsets: FxHashMap<(Expr, MemberOffsets), Option<Expr>>,
}

impl PointerTerms {
    /// The candidates of a term that chooses between objects. `None`: it is no such choice, or has
    /// too many.
    pub fn candidates(
        &mut self,
        pool: &mut Pool,
        memory: &AddressSpace,
        atom: Expr,
    ) -> Option<Rc<[Group]>> {
        if let Some(known) = self.candidates.get(&atom) {
            return known.clone();
        }
        let found = groups(pool, memory, atom).map(Rc::from);
        self.candidates.insert(atom, found.clone());
        found
    }

    /// `term` with offsets in place of the members' bases; `None` if it leads to no member.
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

/// The place of a term that is the base of one object and an offset.
pub(super) fn object_of(pool: &mut Pool, e: Expr) -> Option<Place> {
    let mut parts = Vec::new();
    addends(pool, e, &mut parts);
    let base = parts.iter().find_map(|a| match pool.kind(*a) {
        Kind::Base { object, .. } => Some((*a, object)),
        _ => None,
    });
    let (atom, object) = base?;
    let offset = sum_without(pool, &parts, atom);
    (!pool.has_base(offset)).then(|| Place::Object(object, pool.value(offset)))
}

/// Adds what a term is the sum of to a list.
pub(super) fn addends(pool: &Pool, e: Expr, into: &mut Vec<Expr>) {
    match pool.kind(e) {
        Kind::Bin(BinOp::Add, a, b) => {
            addends(pool, a, into);
            addends(pool, b, into);
        }
        _ => into.push(e),
    }
}

/// The sum of all addends but one.
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
