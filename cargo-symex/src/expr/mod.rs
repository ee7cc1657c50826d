//! Layer 1: the expression graph. Knows no LLVM, no state and no solver.
//!
//! Terms are made only through [`Pool`]'s smart constructors, which check widths and simplify; [`eval`] gives the
//! value of a term under an [`Assignment`] and is the ground truth for every rule and every solver.

pub mod assignment;
mod build;
mod canonical;
mod conditional;
pub mod constraints;
pub mod eval;
mod extended;
pub mod facts;
mod lanes;
pub mod node;
mod number;
mod parts;
mod pool;
mod shape;
mod signed;
mod simplify;
mod table;
pub mod text;
pub mod value;
mod visit;

pub use assignment::{ADDRESSES_END, AddressMap, Assignment, LOWEST_ADDRESS, NoAddresses};
pub(crate) use build::mask;
pub(crate) use canonical::Canonical;
pub use conditional::Stored;
pub use constraints::{PathCondition, connected};
pub use facts::Facts;
pub(crate) use lanes::Lanes;
pub use node::*;
pub use pool::Pool;
pub use signed::SignedRange;
pub(crate) use table::UniqueTable;
pub use value::Value;
pub(crate) use visit::Operand;
pub use visit::{AddressSubstitution, Substitution};
