//! Symbolic execution of a program: explores every path of a function, and returns findings and a
//! verdict.
//!
//! **What it is.** [`explore()`] runs one [`Job`]: [`search`] picks a [`state`], [`exec`] runs it
//! instruction by instruction and forks it where both sides of a branch are feasible, [`models`]
//! stand in for functions that have no bitcode.
//!
//! **What it needs.** A program (`symex-program`), memory, the solver and terms. It prints nothing:
//! events go to an [`Observer`](symex_types::event::Observer), all results to the
//! [`Outcome`](symex_types::outcome::Outcome).
//!
//! **What it promises.** Nothing is passed over in silence: unsupported operations and paths left
//! out on request keep the verdict from being `pass (complete)`. Each state's assignment satisfies
//! its path condition. The same program, settings and seed give the same paths, up to limits on
//! time and memory.

pub mod coverage;
pub mod exec;
mod explore;
pub mod models;
pub mod search;
pub mod state;

pub use exec::path::course::Choice;
pub use explore::{
    Aids, Cores, Entry, ExpectedPanic, FollowedEnd, FollowedPath, Found, FuzzTarget, GivenInputs,
    InputSource, Job, Keeper, Part, Regions, Remainder, RunMemory, Seat, Sum, explore,
    explore_regions, explore_with, follow_path,
};
