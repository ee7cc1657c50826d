//! The unsigned half of a term's domain: bits that are always zero or one, and an unsigned range.
//! It is kept for every term; the signed half ([`SignedRange`](super::SignedRange)) only where it
//! says more.
//!
//! Invariant: facts hold under every assignment and every address map (except for selects past the
//! end of their array, whose value is unspecified). They are computed once, when a term is
//! interned, from the domains of its operands.

use super::build::mask;
use super::node::*;
use super::pool::Pool;

/// Known bits and unsigned range of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits that are always zero (within the width).
    pub zero: u128,
    /// Bits that are always one.
    pub one: u128,
    /// Least value.
    pub min: u128,
    /// Greatest value.
    pub max: u128,
}

impl Facts {
    /// Makes the facts of a term of which only the width is known.
    pub fn unknown(width: Width) -> Facts {
        Facts {
            zero: 0,
            one: 0,
            min: 0,
            max: mask(width),
        }
    }

    /// Makes the facts of a constant.
    pub fn constant(width: Width, v: u128) -> Facts {
        Facts {
            zero: !v & mask(width),
            one: v,
            min: v,
            max: v,
        }
    }

    /// Returns the value, if there is only one.
    pub fn as_const(&self) -> Option<u128> {
        (self.min == self.max).then_some(self.min)
    }

    /// Reports whether the term may have this value.
    pub fn allows(&self, v: u128) -> bool {
        v & self.zero == 0 && !v & self.one == 0 && self.min <= v && v <= self.max
    }

    /// Reports whether there is no value that both allow.
    pub fn excludes(&self, other: &Facts) -> bool {
        self.zero & other.one != 0
            || self.one & other.zero != 0
            || self.max < other.min
            || other.max < self.min
    }

    /// Returns the number of low bits that are known to be zero.
    pub fn trailing_zeros(&self) -> Width {
        self.zero.trailing_ones()
    }

    /// Reports whether the top bit is known to be zero.
    pub fn is_nonnegative(&self, width: Width) -> bool {
        self.zero >> (width - 1) & 1 == 1
    }

    /// Reports whether the top bit is known to be one.
    pub fn is_negative(&self, width: Width) -> bool {
        self.one >> (width - 1) & 1 == 1
    }

    fn either(a: Facts, b: Facts) -> Facts {
        Facts {
            zero: a.zero & b.zero,
            one: a.one & b.one,
            min: a.min.min(b.min),
            max: a.max.max(b.max),
        }
    }
}

/// Facts in the size that most terms need: four words, or the index of wider facts.
#[derive(Clone, Copy)]
pub(super) struct PackedFacts([u64; 4]);

impl PackedFacts {
    pub(super) fn pack(f: Facts, width: Width, wide: &mut Vec<Facts>) -> PackedFacts {
        if width <= 64 {
            return PackedFacts([f.zero as u64, f.one as u64, f.min as u64, f.max as u64]);
        }
        wide.push(f);
        PackedFacts([wide.len() as u64 - 1, 0, 0, 0])
    }

    pub(super) fn unpack(self, width: Width, wide: &[Facts]) -> Facts {
        let [zero, one, min, max] = self.0.map(u128::from);
        if width <= 64 {
            Facts {
                zero,
                one,
                min,
                max,
            }
        } else {
            wide[self.0[0] as usize]
        }
    }
}

impl Pool {
    /// Returns the facts that hold for a term under any assignment.
    pub fn facts(&self, e: Expr) -> Facts {
        self.facts[e.index()].unpack(self.width(e), &self.wide_facts)
    }

    /// Returns facts that hold for each element of an array.
    pub fn array_facts(&self, a: Array) -> Facts {
        self.arrays[a.index()].facts
    }

    /// Derives facts that hold for each element of an array.
    pub(super) fn derive_array_facts(&self, kind: &ArrayKind, width: Width) -> Facts {
        match kind {
            ArrayKind::Table(elems) => {
                let unknown = Facts::unknown(width);
                let mut all = self.facts(elems[0]);
                for e in &elems[1..] {
                    if all == unknown {
                        break;
                    }
                    all = Facts::either(all, self.facts(*e));
                }
                all
            }
            ArrayKind::Store { array, value, .. } => {
                Facts::either(self.arrays[array.index()].facts, self.facts(*value))
            }
        }
    }
}
