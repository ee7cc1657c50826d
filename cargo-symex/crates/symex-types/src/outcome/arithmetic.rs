//! Kinds of arithmetic that are hard for solvers, for people who ask why a harness is slow.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// A kind of arithmetic that is hard for solvers, the hardest last, with its width in bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// Shifts by an amount that is not constant.
    Shift(u32),
    /// Look-ups in arrays at an index that is not constant.
    Lookup,
    /// Divisions by constants, and remainders, of more than a byte.
    DivisionByConstant(u32),
    /// Products of two factors that are not constant.
    Multiplication(u32),
    /// Operations on floats.
    Float(u32),
    /// Divisions and remainders by what is not constant.
    Division(u32),
}

impl Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shift(width) => write!(f, "shifts of {width} bits"),
            Self::Lookup => write!(f, "look-ups in arrays"),
            Self::DivisionByConstant(width) => write!(f, "division of {width} bits by constants"),
            Self::Multiplication(width) => write!(f, "multiplication of {width} bits"),
            Self::Float(width) => write!(f, "floats of {width} bits"),
            Self::Division(width) => write!(f, "division of {width} bits"),
        }
    }
}
