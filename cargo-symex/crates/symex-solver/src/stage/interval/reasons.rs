//! Reasons: the conditions of a query from which a domain follows.
//!
//! Sets only ever grow by union, and a set with more conditions than necessary is still right: the
//! domain follows from it all the same. So conditions beyond the bits of a word may share bits.

use symex_terms::Expr;

/// A set of conditions, given by their indices. Conditions whose indices differ by a multiple of
/// the number of bits are in it together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reasons(u128);

/// Reason of a step that narrows a domain.
#[derive(Clone, Copy)]
pub(super) enum Why {
    /// A condition, by its index, which is true.
    Condition(usize),
    /// A choice of the search, all alternatives of which are searched.
    Choice,
    /// The relation between a node and its operands.
    Operator(u32),
}

impl Reasons {
    pub const NONE: Reasons = Reasons(0);

    pub fn condition(place: usize) -> Reasons {
        Reasons(1 << (place % u128::BITS as usize))
    }

    /// Returns the union.
    pub fn and(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    /// Returns the conditions that are in the set.
    pub fn of(self, conditions: &[Expr]) -> Box<[Expr]> {
        let is_in = |place: usize| self.and(Reasons::condition(place)) == self;
        let places = (0..conditions.len()).filter(|place| is_in(*place));
        places.map(|place| conditions[place]).collect()
    }
}
