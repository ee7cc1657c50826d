//! Conditional stores: what a write under a guard leaves where the guard does not hold is what was
//! there.
//!
//! A write to one of several objects is a store to each under its guard, which is a store of a
//! choice between the value and the element itself. To see it as a store that happens or not saves
//! whoever reads elsewhere the look at that element.

use super::node::{Array, ArrayKind, Expr, Kind};
use super::pool::Pool;

/// Elements that are compared to tell that they are all one term.
const MAX_ELEMENTS: u128 = 1 << 16;

/// A store as a reader sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    /// 64 bits.
    pub index: Expr,
    /// What it is made under, if that is not all inputs: a bit, and the value that it has then.
    pub guard: Option<(Expr, bool)>,
    /// What is stored where it is made.
    pub value: Expr,
}

impl Stored {
    /// The terms that it consists of.
    pub fn parts(&self) -> impl Iterator<Item = Expr> + use<> {
        let guard = self.guard.map(|(bit, _)| bit);
        [self.index, self.value].into_iter().chain(guard)
    }
}

impl Pool {
    /// The last store that an array comes from, and the array before it.
    pub fn stored(&self, array: Array) -> Option<(Stored, Array)> {
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
        let stored = Stored {
            index,
            guard,
            value,
        };
        Some((stored, under))
    }

    /// Is a term what an array has at an index, as far as is plain to see?
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

    /// What all elements of a table are to which an index may lead, if they are one term and not
    /// too many.
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
