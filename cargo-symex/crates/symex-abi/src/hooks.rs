//! Hooks: the symbols that the engine performs itself.
//!
//! Names are pointers to C strings. An *input* is one entry of a replay's [inputs](crate::inputs);
//! a hook makes an input of as many bytes on both sides.

/// Fills memory with fresh bytes, which are one input of that size.
///
/// `symex_make_symbolic(ptr: *mut u8, size: usize, name: *const c_char)`
pub const MAKE_SYMBOLIC: &str = "symex_make_symbolic";

/// Gives a fresh integer of 1 to 64 bits, zero-extended: one input of the whole bytes that hold
/// it.
///
/// `symex_any_int(bits: u32, name: *const c_char) -> u64`
pub const ANY_INT: &str = "symex_any_int";

/// Gives a fresh integer with `lo <= value <= hi`: one input of eight bytes.
///
/// `symex_any_range(lo: u64, hi: u64, name: *const c_char) -> u64`
pub const ANY_RANGE: &str = "symex_any_range";

/// Gives a fresh length with `length <= max`: one input of eight bytes.
///
/// `symex_any_len(max: u64, name: *const c_char) -> u64`
///
/// It tells the engine that the harness's inputs were cut at `max`; whether a length forks is the
/// engine's choice. The body calls `symex_any_range(0, max, name)`.
pub const ANY_LEN: &str = "symex_any_len";

/// Gives C a fresh `int` with `begin <= value < end`: one input of its size.
///
/// `symex_range(begin: c_int, end: c_int, name: *const c_char) -> c_int`
///
/// Rust has [`ANY_RANGE`].
pub const RANGE: &str = "symex_range";

/// Lets the path go on only where a condition holds.
///
/// `symex_assume(cond: bool)`
pub const ASSUME: &str = "symex_assume";

/// Ends the path as an assumption that does not hold, with a reason.
///
/// `symex_reject(reason: *const c_char) -> !`
pub const REJECT: &str = "symex_reject";

/// Ends the path because a bound of the runtime was reached, such as the depth of a recursive type.
///
/// `symex_cut(what: *const c_char) -> !`
///
/// The result is then bounded. The body calls `symex_reject`.
pub const CUT: &str = "symex_cut";

/// Ends the path as one that cannot be explored, and says why.
///
/// `symex_unsupported(what: *const c_char) -> !`
///
/// The result is then inconclusive. The body calls `symex_reject`.
pub const UNSUPPORTED: &str = "symex_unsupported";

/// Says that the result holds only where something is so that is not checked.
///
/// `symex_assumed(what: *const c_char)`
///
/// The path goes on, and a pass is bounded by it. The body does nothing.
pub const ASSUMED: &str = "symex_assumed";

/// Puts a function in the place of another, from here on to the end of the path.
///
/// `symex_stub(what: *const c_char, function: *const c_void)`
///
/// `what` is of three lines: the module in which the path of the other is written, that path, and
/// that of the function itself, for messages. The body does nothing.
pub const STUB: &str = "symex_stub";

/// Says that a cover point is met where a condition holds.
///
/// `symex_cover(cond: bool, name: *const c_char)`
pub const COVER: &str = "symex_cover";

/// Names the check that fails next on this path.
///
/// `symex_check_name(name: *const c_char)`
pub const CHECK_NAME: &str = "symex_check_name";

/// Tells whether the engine runs the program: true there, false in a native process.
///
/// `symex_is_symbolic() -> bool`
pub const IS_SYMBOLIC: &str = "symex_is_symbolic";

/// All hooks, in the order of their bodies in symex-runtime.
pub const HOOKS: [&str; 14] = [
    MAKE_SYMBOLIC,
    ANY_INT,
    ANY_RANGE,
    ANY_LEN,
    RANGE,
    ASSUME,
    REJECT,
    CUT,
    UNSUPPORTED,
    ASSUMED,
    STUB,
    COVER,
    CHECK_NAME,
    IS_SYMBOLIC,
];

/// Prefix of the names of all hooks. Functions with such names are never executed by their bodies.
pub const PREFIX: &str = "symex_";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_told_by_their_beginning() {
        for name in HOOKS {
            assert!(name.starts_with(PREFIX), "{name}");
        }
    }

    #[test]
    fn what_the_header_declares_are_hooks() {
        let declared: Vec<&str> = crate::HEADER
            .lines()
            .filter(|line| line.ends_with(");") && !line.starts_with(' '))
            .filter_map(|line| line.split_once('(')?.0.rsplit(' ').next())
            .collect();
        assert_eq!(declared, [MAKE_SYMBOLIC, RANGE, ASSUME, COVER]);
    }
}
