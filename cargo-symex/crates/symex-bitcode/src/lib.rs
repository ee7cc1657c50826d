//! Linking of LLVM bitcode and its translation to a [`Program`](symex_program::Program).
//!
//! **What it is.** `link` joins modules, the libraries of crates each by itself
//! ([`link::link_divided`]); `passes` prepares the result. `load` reads a file, `module` walks its
//! globals and functions, `body` translates code, `constants` and `initializers` values known at
//! link time, `debug_info` locations and names. [`toolchain`] finds the Rust toolchain whose LLVM
//! is loaded ([`llvm`]).
//!
//! **What it needs.** `symex-program`, and libLLVM of the toolchain at run time.
//!
//! **What it promises.** No LLVM object outlives a call into this crate, and anything without
//! counterpart in our program becomes an instruction that says so. But LLVM, given damaged bitcode,
//! may crash or loop for ever: a caller that cannot afford this calls from a process of its own, as
//! the command does, and is told each [`Step`].

mod body;
mod constants;
mod debug_info;
mod demangle;
mod initializers;
pub mod link;
mod ll;
pub mod llvm;
mod load;
mod module;
pub mod passes;
mod step;
#[cfg(test)]
mod tests;
pub mod toolchain;
mod types;

pub use load::{LoadError, read, translate_file, translate_ir, with_module};
pub use module::translate_module;
pub use step::Step;
