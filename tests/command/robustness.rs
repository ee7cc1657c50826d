//! Tests of hard cases from the outside: each ends with one clear message and the documented exit
//! code, never with a panic of the tool, and never without end. Cases that other files here cover
//! (no harness, a crate that does not compile, a bodiless function in LLVM assembly, Ctrl-C between
//! two harnesses, a tree where tests cannot be written) are not repeated.

mod bitcode;
mod harnesses;
mod misbehaving;
mod packages;
mod programs;
mod world;
