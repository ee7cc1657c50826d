//! The input that AFL or honggfuzz has for a program which asks for it.

use symex_terms::Value;

/// AFL's variable that points to the input, where it is handed over in memory.
pub const AFL_INPUT: &str = "__afl_fuzz_ptr";

/// AFL's variable that points to the length of the input, a number of 32 bits.
pub const AFL_LENGTH: &str = "__afl_fuzz_len";

/// An input, which the program may ask for once.
#[derive(Clone, Debug)]
pub struct FuzzInput {
    pub data: Value,
    /// Number of bytes, of 64 bits.
    pub length: Value,
    /// Whether the program has asked for it.
    pub is_taken: bool,
}
