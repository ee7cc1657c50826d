//! Z3, built from source for programs that link with `z3-sys`.
//!
//! There is nothing to call here: the build script leaves a static `libz3.a` where the linker finds
//! what `z3-sys` asks for, which is `-lz3`. The head of `build.rs` says why `z3-sys` does not build
//! it itself.

/// The version of the Z3 that was built, or nothing where the system's is linked.
pub const VERSION: Option<&str> = option_env!("SYMEX_Z3_BUILT");
