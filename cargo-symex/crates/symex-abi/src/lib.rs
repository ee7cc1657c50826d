//! The contract between a program with symex-runtime in it and `cargo symex`.
//!
//! **What it is.** A harness is linked once. The engine performs the functions named in [`HOOKS`]
//! itself and never runs their bodies; a native process runs the bodies, which take recorded or
//! random inputs. All that the two sides have in common is here, once: the [hooks], the layout of a
//! harness's description ([`Meta`]), the [names] of what the attribute generates, exit codes and
//! environment variables of a native run, the format of the [inputs] that it replays, the files of
//! [pre-runs](pre_runs), and [`symex.h`](HEADER).
//!
//! **What it needs.** Nothing: it is linked into every program under test.
//!
//! **What it promises.** Whatever changes here in meaning or layout raises [`VERSION`], which is
//! the first field of [`Meta`] and is compared before anything else is read. Its code names no
//! hook: the linker searches the code of crates for those names.

#![warn(missing_docs)]

pub mod hooks;
pub mod inputs;
mod meta;
pub mod names;
pub mod pre_runs;
mod process;

pub use hooks::HOOKS;
pub use meta::{FLAG_IGNORED, FLAG_KANI_PROOF, FLAG_SHOULD_PANIC, Meta, Str, VERSION};
pub use process::{
    ENV_INPUTS_OUT, ENV_OUTPUT_MARK, ENV_PRE_RUNS, ENV_RANDOM, ENV_REPLAY, ENV_SEED,
    EXIT_ASSUMPTION, EXIT_BAD_INPUTS, EXIT_NO_DEFINITION,
};

/// Name by which C programs include [`HEADER`].
pub const HEADER_NAME: &str = "symex.h";

/// Text of `symex.h`, which declares the hooks that C programs may call.
pub const HEADER: &str = include_str!("../include/symex.h");
