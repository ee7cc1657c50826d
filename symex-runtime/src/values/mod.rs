//! `Symbolic` for the types of the standard library, one file per family.

mod collections;
mod compound;
mod integers;
mod interval;
mod net;
mod pointers;
mod scalars;
mod text;
mod wrappers;

pub use interval::{Interval, draw_in};
