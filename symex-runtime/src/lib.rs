//! Symbolic tests: functions that hold for *every* input, checked by `cargo symex`.
//!
//! ```
//! fn mean(a: u32, b: u32) -> u32 {
//!     a / 2 + b / 2 + (a & b & 1)
//! }
//!
//! #[symex::harness]
//! fn the_mean_lies_between(a: u32, b: u32) {
//!     let mean = mean(a, b);
//!     assert!(a.min(b) <= mean && mean <= a.max(b));
//! }
//! ```
//!
//! `cargo symex` explores all inputs of a harness at once. It reports the inputs that make it
//! panic, overflow, or touch memory it must not, confirms them by running the compiled harness, and
//! leaves a `#[test]` behind. Where there are none it says so.
//!
//! # Inputs
//! Arguments of a harness may have any type that is [`Symbolic`]: integers, floats, `bool`, `char`,
//! arrays, tuples, `Option`, `Result`, ranges, addresses, `Duration`, and strings and collections
//! up to a [bound](DEFAULT_BOUND); also `&T`, `&mut T`, `&[T]`, `&mut [T]` and `&str`. Structs and
//! enums of your own get it by [`#[derive(symex::Symbolic)]`](macro@Symbolic). More can be drawn in
//! the body by [`any`]; [`assume`] narrows inputs, [`cover!`] asks that a place be reached,
//! [`check!`] is an assertion with a name.
//!
//! With the feature `arbitrary`, arguments may also have the types for which the crate of that name
//! has its `Arbitrary`.
//!
//! # Under `cargo test`
//! A harness `parses` is also the test `symex_parses`, which does nothing by itself and is marked
//! `#[ignore]`: what was found earlier are ordinary tests, beside it, in `symex_parses::*`. They
//! are read from `symex-regressions/<source file>/<inline modules>/parses.rs` in the package's
//! directory. With `--include-ignored`, environment variables make `symex_parses` run the harness:
//!
//! | variable | meaning |
//! |---|---|
//! | `SYMEX_RANDOM=<n>` | run `n` random inputs |
//! | `SYMEX_SEED=<n>` | seed of the random inputs, 0 by default |
//! | `SYMEX_REPLAY=<file>` | run the recorded inputs of a file: a line `<name> <hex bytes>` for each draw, in order |
//! | `SYMEX_INPUTS_OUT=<file>` | with `SYMEX_REPLAY`: write the typed arguments, as JSON, before the harness is called; points covered are appended to `<file>.cover` |
//!
//! `cargo symex` also has it run many inputs in one process, beside the exploration.
//!
//! A replay exits with 86 where an assumption does not hold and with 87 where a file cannot be read
//! or written.
//!
//! # Where it runs
//! One build serves the engine and ordinary processes: the functions of
//! [`HOOKS`](symex_abi::HOOKS) have bodies for the latter, the engine performs them itself. A crate
//! under test may be `#![no_std]` and of any edition (2015 needs `extern crate symex;`).

#![warn(missing_docs)]

#[doc(hidden)]
#[path = "rt.rs"]
pub mod __rt;
mod constants;
mod cx;
mod draw;
mod hooks;
mod macros;
mod native;
mod source;
mod symbolic;
mod values;

// What the attribute expands to names the description's type by this path.
#[doc(hidden)]
pub use symex_abi as abi;

pub use cx::{Cx, DEFAULT_BOUND, DEFAULT_DEPTH};
pub use draw::{
    any, any_bounded, any_in, any_named, any_vec, any_where, assume, in_symex, value, with_inputs,
};
pub use source::Source;
pub use symbolic::Symbolic;
#[doc(inline)]
pub use symex_macros::{Symbolic, harness};
#[cfg(feature = "arbitrary")]
pub use values::Arbitrary;
pub use values::Interval;

/// The directory of `symex.h`, which declares the functions by which C asks for inputs.
///
/// `cargo symex` finds that file by itself; a build script that is to work without it says
/// `cc::Build::new().include(symex::C_HEADERS)`. The functions are defined in this library.
///
/// ```
/// let header = std::path::Path::new(symex::C_HEADERS).join("symex.h");
/// assert!(header.is_file());
/// ```
pub const C_HEADERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/include");

#[cfg(test)]
mod tests {
    use crate::abi::HOOKS;

    #[test]
    fn every_hook_is_defined_and_none_is_unlisted() {
        let bodies = include_str!("hooks.rs");
        let mut rest = bodies;
        for name in HOOKS {
            let head = format!("extern \"C-unwind\" fn {name}(");
            rest = rest.split_once(&head).expect(name).1;
        }
        assert_eq!(bodies.matches("#[unsafe(no_mangle)]").count(), HOOKS.len());
    }
}
