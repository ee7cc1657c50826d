//! The names and layouts shared by the user's program and the engine.
//!
//! A harness is linked once. The engine intercepts the functions named in [`HOOKS`] and never runs their bodies; a
//! native process runs the bodies in `hooks.rs`, which feed recorded or random inputs. So this file is all the two
//! sides have in common: hook names, the layout of [`Meta`], exit codes, environment variables.
//! Invariant: whatever changes here in meaning or layout raises [`VERSION`].

use core::ffi::c_char;

/// Version of this interface, stored in every [`Meta`].
pub const VERSION: u32 = 2;

/// Exit code of a native replay in which an assumption did not hold.
pub const EXIT_ASSUMPTION: i32 = 86;
/// Exit code of a native replay whose inputs file could not be read, or whose output could not be written.
pub const EXIT_BAD_INPUTS: i32 = 87;

/// Path of a file with the inputs to replay.
pub const ENV_REPLAY: &str = "SYMEX_REPLAY";
/// Path of the file that receives the typed values of a replay, as JSON.
pub const ENV_INPUTS_OUT: &str = "SYMEX_INPUTS_OUT";
/// A text to be printed before and after what the harness prints in a replay.
pub const ENV_OUTPUT_MARK: &str = "SYMEX_OUTPUT_MARK";
/// Number of random inputs to run.
pub const ENV_RANDOM: &str = "SYMEX_RANDOM";
/// Seed of the random inputs (decimal or 0x-hexadecimal).
pub const ENV_SEED: &str = "SYMEX_SEED";

/// The harness is expected to panic on every input.
pub const FLAG_SHOULD_PANIC: u32 = 1;
/// The harness carries `#[ignore]`.
pub const FLAG_IGNORED: u32 = 2;

/// The symbols the engine intercepts, in the order of the declarations in `hooks.rs`.
///
/// - `symex_make_symbolic(ptr: *mut u8, size: usize, name: *const c_char)`: `size` fresh bytes at `ptr`, one draw.
/// - `symex_any_int(bits: u32, name: *const c_char) -> u64`: a fresh value of 1..=64 bits, zero-extended, one draw.
/// - `symex_any_range(lo: u64, hi: u64, name: *const c_char) -> u64`: a fresh value with `lo <= v <= hi`, one draw.
/// - `symex_any_len(max: u64, name: *const c_char) -> u64`: a fresh length with `v <= max`, one draw. It tells the
///   engine that the harness's inputs were cut at `max`; whether a length forks is the engine's choice.
///   (The body calls `symex_any_range(0, max, name)`.)
/// - `symex_range(begin: c_int, end: c_int, name: *const c_char) -> c_int`: a fresh value with `begin <= v < end`, one draw
///   of the size of an `int`. For C (`include/symex.h`); Rust has `symex_any_range`.
/// - `symex_assume(cond: bool)`: this path goes on only where `cond` holds.
/// - `symex_reject(reason: *const c_char)`: `assume(false)` with a reason; does not return.
/// - `symex_cut(what: *const c_char)`: `reject` because a bound of ours was reached (a recursive type): the result is
///   then bounded; does not return. (The body calls `symex_reject`.)
/// - `symex_cover(cond: bool, name: *const c_char)`: the cover point `name` is met where `cond` holds.
/// - `symex_check_name(name: *const c_char)`: names the `check!` that fails next on this path.
/// - `symex_is_symbolic() -> bool`: true in the engine, false in a native process.
pub const HOOKS: [&str; 11] = [
    "symex_make_symbolic",
    "symex_any_int",
    "symex_any_range",
    "symex_any_len",
    "symex_range",
    "symex_assume",
    "symex_reject",
    "symex_cut",
    "symex_cover",
    "symex_check_name",
    "symex_is_symbolic",
];

/// A string with a fixed layout: not NUL-terminated, UTF-8.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    /// First byte.
    pub ptr: *const u8,
    /// Length in bytes.
    pub len: usize,
}

impl Str {
    /// The given string.
    pub const fn new(text: &'static str) -> Self {
        Str {
            ptr: text.as_ptr(),
            len: text.len(),
        }
    }

    /// The string again.
    pub const fn get(self) -> &'static str {
        // SAFETY: `new` is the only constructor in Rust code, and it stores the parts of a `&'static str`. The fields
        // are public for the layout's sake; the attribute macro never writes them.
        unsafe { core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.ptr, self.len)) }
    }
}

/// What the engine reads about one harness, from the initial memory of the global `…::__symex_<name>::META`.
#[repr(C)]
pub struct Meta {
    /// [`VERSION`].
    pub version: u32,
    /// `FLAG_*` bits.
    pub flags: u32,
    /// Time limit in milliseconds, 0 where the attribute gives none.
    pub timeout_ms: u64,
    /// Path limit, 0 where unset.
    pub max_paths: u64,
    /// Step limit of one path, 0 where unset.
    pub max_steps: u64,
    /// Memory limit in bytes, 0 where unset.
    pub max_memory: u64,
    /// The bound on lengths that arguments without a bound of their own use.
    pub bound: u64,
    /// Zero.
    pub unused: [u64; 3],
    /// The function's name.
    pub name: Str,
    /// `module_path!()` of the harness, crate name first.
    pub module: Str,
    /// `file!()` of the harness.
    pub file: Str,
    /// Line of the function's name.
    pub line: u32,
    /// Column of the function's name.
    pub column: u32,
    /// `CARGO_MANIFEST_DIR` of the package, empty outside cargo.
    pub manifest_dir: Str,
    /// File of the regression tests, relative to `manifest_dir`; empty where it cannot be known.
    pub regressions: Str,
    /// The arguments as written: `data: [u8; 8], len: usize`.
    pub args: Str,
    /// Text that the expected panic's message contains; empty for any.
    pub should_panic_expected: Str,
    /// Memory model asked for; empty for the default.
    pub memory_model: Str,
}

// SAFETY: all pointers are to immutable static memory.
unsafe impl Sync for Meta {}

const _: () = assert!(size_of::<*const c_char>() == size_of::<usize>());

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn every_hook_is_defined_and_none_is_unlisted() {
        let bodies = include_str!("hooks.rs");
        for name in HOOKS {
            assert!(
                bodies.contains(&format!("extern \"C-unwind\" fn {name}(")),
                "{name}"
            );
        }
        assert_eq!(bodies.matches("#[unsafe(no_mangle)]").count(), HOOKS.len());
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_layout_is_what_the_engine_reads() {
        let offsets = [
            offset_of!(Meta, version),
            offset_of!(Meta, flags),
            offset_of!(Meta, timeout_ms),
            offset_of!(Meta, max_paths),
            offset_of!(Meta, max_steps),
            offset_of!(Meta, max_memory),
            offset_of!(Meta, bound),
            offset_of!(Meta, unused),
            offset_of!(Meta, name),
            offset_of!(Meta, module),
            offset_of!(Meta, file),
            offset_of!(Meta, line),
            offset_of!(Meta, column),
            offset_of!(Meta, manifest_dir),
            offset_of!(Meta, regressions),
            offset_of!(Meta, args),
            offset_of!(Meta, should_panic_expected),
            offset_of!(Meta, memory_model),
            size_of::<Meta>(),
        ];
        let expected = [
            0, 4, 8, 16, 24, 32, 40, 48, 72, 88, 104, 120, 124, 128, 144, 160, 176, 192, 208,
        ];
        assert_eq!(offsets, expected);
    }
}
