//! `Symbolic` for the types of the standard library, one file per family.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod collections;
mod compound;
mod integers;
mod interval;
mod net;
mod pointers;
mod scalars;
mod text;
mod wrappers;

#[cfg(feature = "arbitrary")]
pub use arbitrary::Arbitrary;
pub use interval::{Interval, draw_in};
