//! Hash-consed bit-vector, boolean, array and float terms, with a simplifier and an evaluator.
//!
//! **What it is.** A [`Pool`] owns terms; its constructors check widths and simplify. [`eval`]
//! gives the value of a term under an [`Assignment`], [`constraints`] keeps the condition of a
//! path, [`text`] reads and writes terms, `canonical` names them independently of variables' names.
//!
//! **What it needs.** Masks of `symex-types`; no LLVM, no states, no solver.
//!
//! **What it promises.** Terms are made by the pool's constructors only. Evaluation is the ground
//! truth for every rule of the simplifier and for every solver. Equal terms of one pool have equal
//! handles.

pub mod answer;
mod arithmetic;
pub mod assignment;
mod batch;
mod build;
mod canonical;
mod conditional;
pub mod constraints;
mod dependence;
pub mod domain;
pub mod eval;
mod extended;
pub mod facts;
pub mod node;
mod number;
mod op;
mod pool;
mod signed;
mod simplify;
mod structural_hash;
mod table;
pub mod text;
pub mod value;
mod visit;

pub use answer::{Answer, Unknown};
pub use arithmetic::hardest;
pub use assignment::{ADDRESSES_END, AddressMap, Assignment, LOWEST_ADDRESS, NoAddresses};
pub use batch::BatchEvaluation;
pub use build::mask;
pub use canonical::Canonical;
pub use conditional::ConditionalStore;
pub use constraints::{ConditionMark, PathCondition, connected};
pub use domain::{Domain, Met};
pub use facts::Facts;
pub use node::*;
pub use op::{BinInfo, BinOp, FCast, Rounding, UnInfo, UnOp};
pub use pool::Pool;
pub use signed::SignedRange;
pub use table::UniqueTable;
pub use value::Value;
pub use visit::TermOperand;
pub use visit::{AddressSubstitution, Substitution};
