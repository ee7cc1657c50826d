//! Harness descriptions that the attribute leaves in a program.

/// Version of the whole contract, stored in every [`Meta`].
pub const VERSION: u32 = 3;

/// Flag: the harness is expected to panic on every input.
pub const FLAG_SHOULD_PANIC: u32 = 1;

/// Flag: the harness carries `#[ignore]`.
pub const FLAG_IGNORED: u32 = 2;

/// Flag: the harness is a proof written for Kani. With [`FLAG_SHOULD_PANIC`], it is expected to
/// panic on some input, and not on every one.
pub const FLAG_KANI_PROOF: u32 = 4;

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
    /// Describes the given string.
    pub const fn new(text: &'static str) -> Self {
        Str {
            ptr: text.as_ptr(),
            len: text.len(),
        }
    }

    /// Returns the string.
    pub const fn get(self) -> &'static str {
        // SAFETY: `new` is the only constructor in Rust code, and it stores the parts of a
        // `&'static str`. The fields are public for the layout's sake; the attribute macro never
        // writes them.
        unsafe { core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.ptr, self.len)) }
    }
}

/// The description of a harness, which the attribute leaves in the program.
///
/// The tool reads it from the initial memory of a global (see [`names`](crate::names)) and executes
/// nothing.
///
/// The layout is C's, of integers of fixed sizes, pointers and lengths: it is the same for all
/// targets with pointers of 64 bits and with `u64` aligned to eight bytes.
#[repr(C)]
pub struct Meta {
    /// [`VERSION`]: the first field in every version, so that it can be read of any.
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
    /// Limit on the instructions of all paths, 0 where unset.
    pub max_instructions: u64,
    /// Limit on the solver queries of all paths, 0 where unset.
    pub max_queries: u64,
    /// Reserved, zero.
    pub unused: u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

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
            offset_of!(Meta, max_instructions),
            offset_of!(Meta, max_queries),
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
            0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 88, 104, 120, 124, 128, 144, 160, 176, 192,
            208,
        ];
        assert_eq!(offsets, expected);
    }
}
