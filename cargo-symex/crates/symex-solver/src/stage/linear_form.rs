//! Linear forms over the integers, which do not wrap: sums of atoms with coefficients.
//!
//! All arithmetic is checked: where it would overflow, there is no form.

use smallvec::SmallVec;
use symex_terms::Width;

/// Greatest number of atoms of a form.
const MOST_ATOMS: usize = 24;

/// Least and greatest value.
pub(super) type Range = (i128, i128);

/// A sum of atoms with coefficients, none of them 0, in the order of the atoms, and a constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct LinearForm<A> {
    pub terms: SmallVec<[(A, i128); 4]>,
    pub constant: i128,
}

impl<A> Default for LinearForm<A> {
    fn default() -> Self {
        LinearForm {
            terms: SmallVec::new(),
            constant: 0,
        }
    }
}

impl<A: Copy + Ord> LinearForm<A> {
    /// Makes the form of a constant.
    pub fn constant(value: i128) -> Self {
        LinearForm {
            terms: SmallVec::new(),
            constant: value,
        }
    }

    /// Makes the form of an atom.
    pub fn atom(atom: A) -> Self {
        LinearForm {
            terms: SmallVec::from_slice(&[(atom, 1)]),
            constant: 0,
        }
    }

    /// Returns the only atom, if the form is nothing else.
    pub fn as_atom(&self) -> Option<A> {
        match (&self.terms[..], self.constant) {
            ([(atom, 1)], 0) => Some(*atom),
            _ => None,
        }
    }

    /// Returns the sum of this form and a multiple of another.
    pub fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let constant = other.constant.checked_mul(factor)?;
        let mut sum = Self::constant(self.constant.checked_add(constant)?);
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (atom, k) = match (a.peek(), b.peek()) {
                (None, None) => return (sum.terms.len() <= MOST_ATOMS).then_some(sum),
                (Some(x), y) if y.is_none_or(|y| x.0 < y.0) => *a.next()?,
                (x, Some(y)) if x.is_none_or(|x| y.0 < x.0) => {
                    let (atom, k) = *b.next()?;
                    (atom, k.checked_mul(factor)?)
                }
                _ => {
                    let ((atom, x), (_, y)) = (*a.next()?, *b.next()?);
                    (atom, x.checked_add(y.checked_mul(factor)?)?)
                }
            };
            if k != 0 {
                sum.terms.push((atom, k));
            }
        }
    }

    /// Moves a form, whose values are in a range, by a multiple of `2^width` so that they are from
    /// `start` to `start + 2^width`; `None` if no single multiple does that.
    pub fn moved(self, (least, most): Range, width: Width, start: i128) -> Option<Self> {
        let modulus = 1i128 << width;
        let turns = least.checked_sub(start)?.div_euclid(modulus);
        if turns != most.checked_sub(start)?.div_euclid(modulus) {
            return None;
        }
        self.plus(&Self::constant(turns.checked_mul(modulus)?), -1)
    }

    /// Returns a multiple.
    pub fn times(&self, factor: i128) -> Option<Self> {
        Self::default().plus(self, factor)
    }
}

/// Returns the greatest common divisor of two numbers, not negative.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
