//! Properties that follow from the terms of pointers alone, computed once for all paths.

use super::ResolvedPointer;
use super::choices::{CandidateGroup, groups};
use super::offsets::{MemberOffsets, offsets};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symex_memory::AddressSpace;
use symex_terms::{BinOp, Expr, Kind, Pool};

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

/// Returns the place of a term that is the base of one object plus an offset.
pub(super) fn object_of(pool: &mut Pool, e: Expr) -> Option<ResolvedPointer> {
    let mut parts = Vec::new();
    addends(pool, e, &mut parts);
    let base = parts.iter().find_map(|a| match pool.kind(*a) {
        Kind::Base { object, .. } => Some((*a, object)),
        _ => None,
    });
    let (atom, object) = base?;
    let offset = sum_without(pool, &parts, atom);
    (!pool.has_base(offset)).then(|| ResolvedPointer::Object(object, pool.value(offset)))
}

/// Appends the addends of a term to a list.
pub(super) fn addends(pool: &Pool, e: Expr, into: &mut Vec<Expr>) {
    match pool.kind(e) {
        Kind::Bin(BinOp::Add, a, b) => {
            addends(pool, a, into);
            addends(pool, b, into);
        }
        _ => into.push(e),
    }
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
