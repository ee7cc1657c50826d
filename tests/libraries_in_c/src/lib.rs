//! Libraries written in C, called as their own crates declare them. Each harness prints its
//! results, so that paths can be compared with native runs.
#![cfg(test)]

mod bzip2;
mod lua;
mod lz4;
mod sqlite;
mod webp;
mod zlib;
