//! Sets of the numbers that conditions on remainders describe: a periodic set, or the numbers of
//! which a remainder is in another set.
//!
//! `x % 31557600 % 2630016 < 86400` is periodic, but by its first divisor, with a list of ranges as
//! long as there are months in a year; the hours, minutes and seconds below multiply that. Such a
//! set is not written out: it is the inner set, in each block of numbers with one quotient.

use super::periodic::Periodic;
use std::sync::Arc;

/// A set of integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumberSet {
    Periodic(Periodic),
    Folded(Fold),
}

/// The numbers `n` for which `(n + addend) / divisor % modulus` is in a set.
///
/// Invariant: the addend is below the length of a block, and a block's length times two fits into
/// 128 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    addend: u128,
    divisor: u128,
    modulus: u128,
    inner: Arc<NumberSet>,
}

/// A number seen in its block: the numbers with its quotient by divisor and modulus.
struct Place {
    /// Number of numbers from the block's start to this one, counting those before 0.
    offset: u128,
    /// First number of the next block; `None` if that is too large.
    next: Option<u128>,
}

impl Fold {
    /// Makes a fold; `None` if its blocks would be too long.
    pub fn new(addend: u128, divisor: u128, modulus: u128, inner: Arc<NumberSet>) -> Option<Fold> {
        let block = divisor.checked_mul(modulus)?;
        block.checked_mul(2)?;
        Some(Fold {
            addend: addend % block,
            divisor,
            modulus,
            inner,
        })
    }

    /// Returns the length of a block.
    fn block(&self) -> u128 {
        self.divisor * self.modulus
    }

    /// Returns a number's place; `None` if the sum with the addend is too large.
    fn place(&self, number: u128) -> Option<Place> {
        let block = self.block();
        let offset = number.checked_add(self.addend)? % block;
        Some(Place {
            offset,
            next: number.checked_add(block - offset),
        })
    }

    /// Returns the first and last number of a range as those of the inner set, if they are in one
    /// block; `place` is that of the first.
    fn within(&self, place: &Place, lo: u128, hi: u128) -> Option<(u128, u128)> {
        let last = place.offset.checked_add(hi - 1 - lo)?;
        let inside = last < self.block();
        inside.then(|| (place.offset / self.divisor, last / self.divisor))
    }

    /// Returns the number at which an inner number begins, in the block of another one.
    fn number_at(&self, number: u128, place: &Place, inner: u128) -> Option<u128> {
        match inner < self.modulus {
            true => number.checked_add(inner * self.divisor - place.offset),
            false => place.next,
        }
    }
}

impl NumberSet {
    /// Makes a set from half-open ranges. As for all constructors: `None` if it would have too many
    /// ranges, or too large a period.
    pub fn once(ranges: impl IntoIterator<Item = (u128, u128)>) -> Option<NumberSet> {
        Periodic::once(ranges).map(NumberSet::Periodic)
    }

    /// Returns the number of a set with one element, if that is evident.
    pub fn only(&self) -> Option<u128> {
        match self {
            NumberSet::Periodic(set) => set.only(),
            NumberSet::Folded(_) => None,
        }
    }

    /// Returns one more than the greatest number, if there is one.
    pub fn end(&self) -> Option<u128> {
        match self {
            NumberSet::Periodic(set) => set.end(),
            NumberSet::Folded(_) => None,
        }
    }

    /// Restricts the set to numbers below `end`, where that makes it simpler.
    pub fn below(&self, end: u128) -> Option<NumberSet> {
        match self {
            NumberSet::Periodic(set) => set.below(end).map(NumberSet::Periodic),
            NumberSet::Folded(_) => Some(self.clone()),
        }
    }

    /// Returns the numbers below `end` that are not in the set.
    pub fn complement(&self, end: u128) -> Option<NumberSet> {
        Some(match self {
            NumberSet::Periodic(set) => NumberSet::Periodic(set.complement(end)?),
            NumberSet::Folded(fold) => NumberSet::Folded(Fold {
                inner: Arc::new(fold.inner.complement(fold.modulus)?),
                ..*fold
            }),
        })
    }

    /// Returns the numbers whose remainder by `modulus` is in the set.
    pub fn of_remainder(&self, modulus: u128) -> Option<NumberSet> {
        match self {
            NumberSet::Folded(fold) if modulus.is_multiple_of(fold.block()) => Some(self.clone()),
            NumberSet::Periodic(set) if let Some(flat) = set.of_remainder(modulus) => {
                Some(NumberSet::Periodic(flat))
            }
            _ => {
                let inner = Arc::new(self.below(modulus)?);
                Fold::new(0, 1, modulus, inner).map(NumberSet::Folded)
            }
        }
    }

    /// Returns the numbers whose quotient by `divisor`, rounded down, is in the set.
    pub fn of_quotient(&self, divisor: u128) -> Option<NumberSet> {
        self.image(
            |set| set.of_quotient(divisor),
            |fold| {
                let addend = fold.addend.checked_mul(divisor)?;
                Some((addend, fold.divisor.checked_mul(divisor)?))
            },
        )
    }

    /// Returns the numbers whose product with `factor` is in the set.
    pub fn of_product(&self, factor: u128) -> Option<NumberSet> {
        self.image(
            |set| set.of_product(factor),
            |fold| {
                let even = |v: u128| v.is_multiple_of(factor).then(|| v / factor);
                Some((even(fold.addend)?, even(fold.divisor)?))
            },
        )
    }

    /// Returns the numbers whose sum with `addend` is in the set.
    pub fn of_sum(&self, addend: u128) -> Option<NumberSet> {
        self.image(
            |set| set.of_sum(addend),
            |fold| Some((fold.addend + addend % fold.block(), fold.divisor)),
        )
    }

    /// Returns the numbers `n` from `subtrahend` on for which `n - subtrahend` is in the set.
    pub fn of_difference(&self, subtrahend: u128) -> Option<NumberSet> {
        self.image(
            |set| set.of_difference(subtrahend),
            |fold| {
                let block = fold.block();
                Some((fold.addend + (block - subtrahend % block), fold.divisor))
            },
        )
    }

    /// Returns the numbers `n` up to `minuend` for which `minuend - n` is in the set.
    pub fn of_reflection(&self, minuend: u128) -> Option<NumberSet> {
        self.image(|set| set.of_reflection(minuend), |_| None)
    }

    /// Returns the inverse image under an operation: of a periodic set, or of a fold by its new
    /// addend and divisor.
    fn image(
        &self,
        periodic: impl FnOnce(&Periodic) -> Option<Periodic>,
        folded: impl FnOnce(&Fold) -> Option<(u128, u128)>,
    ) -> Option<NumberSet> {
        match self {
            NumberSet::Periodic(set) => periodic(set).map(NumberSet::Periodic),
            NumberSet::Folded(fold) => {
                let (addend, divisor) = folded(fold)?;
                let fold = Fold::new(addend, divisor, fold.modulus, fold.inner.clone())?;
                Some(NumberSet::Folded(fold))
            }
        }
    }

    /// Returns the numbers below `end` in both sets, if they are few ranges: see
    /// [`Periodic::intersection`].
    pub fn intersection(&self, other: &NumberSet, end: u128, most: usize) -> Option<NumberSet> {
        match (self, other) {
            (NumberSet::Periodic(a), NumberSet::Periodic(b)) => {
                a.intersection(b, end, most).map(NumberSet::Periodic)
            }
            _ => None,
        }
    }

    /// Reports whether a number is in the set, and returns the next number for which that may be
    /// otherwise, if there is one.
    pub fn at(&self, number: u128) -> (bool, Option<u128>) {
        match self {
            NumberSet::Periodic(set) => set.at(number),
            NumberSet::Folded(fold) => {
                let Some(place) = fold.place(number) else {
                    return (true, number.checked_add(1));
                };
                let (inside, edge) = fold.inner.at(place.offset / fold.divisor);
                let end = fold.number_at(number, &place, edge.unwrap_or(fold.modulus));
                (inside, end)
            }
        }
    }

    /// Returns a period of the set within a range of numbers, if it has one there.
    pub fn period(&self, lo: u128, hi: u128) -> Option<u128> {
        match self {
            NumberSet::Periodic(set) => set.period(),
            NumberSet::Folded(fold) => {
                let place = fold.place(lo);
                match place.and_then(|place| fold.within(&place, lo, hi)) {
                    Some((first, last)) => {
                        let inner = fold.inner.period(first, last + 1)?;
                        inner.checked_mul(fold.divisor)
                    }
                    None => Some(fold.block()),
                }
            }
        }
    }

    /// Returns the number from which on the set's longest period within a range begins another
    /// part: an edge of a range, or a block.
    pub fn cut(&self, lo: u128, hi: u128) -> Option<u128> {
        match self {
            NumberSet::Periodic(set) => set.at(lo).1,
            NumberSet::Folded(fold) => {
                let place = fold.place(lo)?;
                match fold.within(&place, lo, hi) {
                    Some((first, last)) => {
                        let edge = fold.inner.cut(first, last + 1)?;
                        fold.number_at(lo, &place, edge)
                    }
                    None => place.next,
                }
            }
        }
    }
}
