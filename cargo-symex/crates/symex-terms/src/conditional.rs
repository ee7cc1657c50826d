//! Conditional stores: a store under a guard keeps the old element where the guard is false.
//!
//! A write to one of several objects is a store to each under its guard: a store of an if-then-else
//! of the value and the old element. A reader that recognises it as a conditional store need not
//! look at that element when it reads another one.

use super::build::mask;
use super::node::{Array, ArrayKind, Expr, Kind};
use super::op::BinOp;
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
        let (mut first, last) = (place.min, place.max.min(elems.len() as u128 - 1));
        let (distance, rest) = self.distance(index, elems.len() as u128);
        first += (rest + distance - first % distance) % distance;
        if first > last || (last - first) / distance >= MAX_ELEMENTS {
            return None;
        }
        let elem = elems[first as usize];
        let read = elems[first as usize..=last as usize].iter();
        let mut read = read.step_by(distance as usize);
        read.all(|e| *e == elem).then_some(elem)
    }

    /// Returns a number by which the values of an index below `length` are apart, and what is left
    /// over when one is divided by it: a field of one record after the other.
    fn distance(&self, mut index: Expr, length: u128) -> (u128, u128) {
        const ANY: (u128, u128) = (1, 0);
        while let Kind::ZExt(inner) = self.kind(index) {
            index = inner;
        }
        let (product, offset) = match self.kind(index) {
            Kind::Bin(BinOp::Add, product, offset) => match self.as_const(offset) {
                Some(offset) => (product, offset),
                None => return ANY,
            },
            _ => (index, 0),
        };
        let Kind::Bin(BinOp::Mul, factor, distance) = self.kind(product) else {
            return ANY;
        };
        let Some(distance) = self.as_const(distance).filter(|d| *d > 1 && *d < length) else {
            return ANY;
        };
        let widest = mask(self.width(index));
        let most = self.facts(factor).max.checked_mul(distance);
        let Some(most) = most.filter(|most| *most <= widest) else {
            return ANY;
        };
        if most <= widest - offset {
            (distance, offset % distance)
        } else if offset >= length {
            // As if less than nothing were added: without overflow it is no index.
            let less = (widest - offset + 1) % distance;
            (distance, (distance - less) % distance)
        } else {
            ANY
        }
    }
}
