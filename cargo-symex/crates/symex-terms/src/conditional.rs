//! Conditional stores: a store under a guard keeps the old element where the guard is false.
//!
//! A write to one of several objects is a store to each under its guard: a store of an if-then-else
//! of the value and the old element. A reader that recognises it as a conditional store need not
//! look at that element when it reads another one.

use super::node::{Array, ArrayKind, Expr, Kind};
use super::pool::Pool;

/// Greatest number of elements compared to find out whether they are all one term.
const MAX_ELEMENTS: u128 = 1 << 16;

/// A store, seen as a possibly conditional one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConditionalStore {
    /// Index of the element, 64 bits.
    pub index: Expr,
    /// Guard of the store, if it is conditional: a bit, and the value of the bit under which the
    /// store happens.
    pub guard: Option<(Expr, bool)>,
    /// Value that is stored if the guard holds.
    pub value: Expr,
}

impl ConditionalStore {
    /// Iterates over the terms of the store.
    pub fn parts(&self) -> impl Iterator<Item = Expr> + use<> {
        let guard = self.guard.map(|(bit, _)| bit);
        [self.index, self.value].into_iter().chain(guard)
    }
}

impl Pool {
    /// Returns the last store of an array, and the array before it.
    pub fn stored(&self, array: Array) -> Option<(ConditionalStore, Array)> {
        let ArrayKind::Store {
            array: under,
            index,
            value,
        } = *self.array_kind(array)
        else {
            return None;
        };
        let (guard, value) = match self.kind(value) {
            Kind::Ite { cond, then, other } if self.is_element(under, index, other) => {
                (Some((cond, true)), then)
            }
            Kind::Ite { cond, then, other } if self.is_element(under, index, then) => {
                (Some((cond, false)), other)
            }
            _ => (None, value),
        };
        let stored = ConditionalStore {
            index,
            guard,
            value,
        };
        Some((stored, under))
    }

    /// Reports whether a term is plainly the element of an array at an index.
    fn is_element(&self, array: Array, index: Expr, term: Expr) -> bool {
        let own = match self.kind(term) {
            Kind::Select {
                array: own,
                index: i,
            } => (i == index).then_some(own),
            Kind::Const(_) => None,
            _ => return false,
        };
        let place = self.facts(index);
        let mut at = array;
        loop {
            if own == Some(at) {
                return true;
            }
            match self.array_kind(at) {
                ArrayKind::Store {
                    array: under,
                    index: elsewhere,
                    ..
                } if self.facts(*elsewhere).excludes(&place) => at = *under,
                ArrayKind::Table(_) if own.is_none() => {
                    return self.only_element(at, index) == Some(term);
                }
                _ => return false,
            }
        }
    }

    /// Returns the term that all elements of a table in the range of an index are, if they are one
    /// term and not too many.
    pub(super) fn only_element(&self, table: Array, index: Expr) -> Option<Expr> {
        let ArrayKind::Table(elems) = self.array_kind(table) else {
            return None;
        };
        let place = self.facts(index);
        let (first, last) = (place.min, place.max.min(elems.len() as u128 - 1));
        if first > last || last - first >= MAX_ELEMENTS {
            return None;
        }
        let elem = elems[first as usize];
        let mut rest = elems[first as usize..=last as usize].iter();
        rest.all(|e| *e == elem).then_some(elem)
    }
}
