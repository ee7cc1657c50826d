//! Which conditions of a query a domain follows from.
//!
//! Sets only ever grow by union, so that one which holds more than is needed is still right: from
//! the conditions in it the domain follows all the same. So conditions beyond the bits of a word
//! share bits.

use symex_terms::Expr;

/// A set of conditions, by their places; those whose places differ by a multiple of the bits are in
/// it together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reasons(u128);

/// What narrows a domain.
#[derive(Clone, Copy)]
pub(super) enum Why {
    /// A condition, by its place, which is true.
    Condition(usize),
    /// A choice of the search, of which each alternative is looked at.
    Choice,
    /// What the operator of a node has to do with its operands.
    Operator(u32),
}

impl Reasons {
    pub const NONE: Reasons = Reasons(0);

    pub fn condition(place: usize) -> Reasons {
        Reasons(1 << (place % u128::BITS as usize))
    }

    /// The union.
    pub fn and(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    /// Those of some conditions that are in the set.
    pub fn of(self, conditions: &[Expr]) -> Box<[Expr]> {
        let is_in = |place: usize| self.and(Reasons::condition(place)) == self;
        let places = (0..conditions.len()).filter(|place| is_in(*place));
        places.map(|place| conditions[place]).collect()
    }
}
