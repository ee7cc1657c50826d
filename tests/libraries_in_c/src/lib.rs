//! Libraries written in C, called as their own crates declare them. Each harness prints what it
//! got, so that what the engine says of a path can be compared with a native run.
#![cfg(test)]

mod bzip2;
mod lua;
mod lz4;
mod sqlite;
mod webp;
mod zlib;
