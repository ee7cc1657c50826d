//! The macros of symex-runtime, which re-exports and documents them as `symex::harness` and
//! `symex::Symbolic`.
//!
//! Each macro is a folder: parse (syntax), validate (checks, with errors at the user's token),
//! codegen. Expanded code names everything by paths through the runtime crate and contains no
//! `unsafe`, so that it compiles in crates of any edition, without std, and under
//! `#![forbid(unsafe_code)]`.

use proc_macro::TokenStream;

mod derive;
mod draw;
mod harness;
mod krate;

/// Makes a function a symbolic test.
///
/// All arguments are inputs. The test fails for the inputs that make the function panic, return
/// `Err`, or do what no Rust program may (out-of-bounds access, overflow, …).
///
/// ```
/// # fn parse(data: &[u8], strict: bool) -> Option<u8> {
/// #     data.first().copied().filter(|byte| !strict || byte.is_ascii())
/// # }
/// #[symex::harness(bound(data = 16), timeout = "30s")]
/// fn parses(data: &[u8], strict: bool) {
///     let parsed = parse(data, strict);
///     assert!(parsed.is_some() || strict || data.is_empty());
/// }
///
/// // It stays a function, which regression tests call.
/// parses(b"text", true);
/// ```
///
/// | key | meaning |
/// |---|---|
/// | `should_panic` | every input must panic |
/// | `should_panic = "text"` | every input must panic, with a message that contains the text |
/// | `bound = 8` | the largest length of collections and strings (4) |
/// | `bound(data = 16)` | the largest length of one argument |
/// | `timeout = "30s"` | time limit: seconds, or a text with `ms`, `s`, `m`, `h` |
/// | `max_paths = 1000` | limit on the paths explored |
/// | `max_steps = 1_000_000` | limit on the steps of one path |
/// | `max_instructions = 100_000_000` | limit on the instructions of all paths together |
/// | `max_queries = 10_000` | limit on the solver queries of all paths together |
/// | `max_memory = "1GB"` | memory limit: bytes, or a text with `kB`, `MB`, `GB`, `KiB`, `MiB`, `GiB` |
/// | `memory_model = "name"` | the engine's memory model |
/// | `crate = path` | where symex-runtime is found, if not at `::symex` |
///
/// An argument may have the attribute of a field of [`Symbolic`](macro@Symbolic):
///
/// ```
/// #[symex::harness]
/// fn days_pass(#[symex(range = 1..=12)] month: u8, #[symex(bound = 8)] notes: &[u8]) {
///     assert!(month <= 12 && notes.len() <= 8);
/// }
/// # days_pass(12, &[]);
/// ```
///
/// Arguments written `&T`, `&mut T`, `&[T]`, `&mut [T]`, `&str` borrow from values drawn for the
/// call. Generic, `async`, `unsafe` and `extern` functions and methods cannot be harnesses; wrap
/// them in one.
#[proc_macro_attribute]
pub fn harness(attribute: TokenStream, item: TokenStream) -> TokenStream {
    harness::expand(attribute.into(), item.into()).into()
}

/// Implements `symex::Symbolic` for a struct or enum whose fields are all `Symbolic`.
///
/// ```
/// #[derive(symex::Symbolic)]
/// #[symex(assume = |date| date.month != 2 || date.day < 30)]
/// struct Date {
///     #[symex(range = 1..=12)]
///     month: u8,
///     #[symex(range = 1..32)]
///     day: u8,
///     #[symex(bound = 8)]
///     notes: String,
/// }
///
/// let date: Date = symex::value(&[&[2], &[29], &[3], b"gap"]);
/// assert_eq!((date.month, date.day, date.notes.as_str()), (2, 29, "gap"));
/// ```
///
/// On a field, or an argument of a harness:
/// - `#[symex(range = 1..=12)]` draws an integer or `char` from a range;
/// - `#[symex(bound = 8)]` sets the largest length of the collections in it;
/// - `#[symex(with = expression)]` takes the expression's value; it may draw by `symex::any()`;
/// - `#[symex(assume = path_or_closure)]`, also beside one of these: only values for which this
///   function of a reference is true.
///
/// On the type:
/// - `#[symex(assume = path_or_closure)]`: only values for which this function of `&Self` is true;
/// - `#[symex(depth = 5)]`: how often the type may contain itself, 3 by default; results are then
///   reported as bounded. Needed where types contain each other: only one that mentions itself is
///   recognised as recursive;
/// - `#[symex(crate = path)]`: where symex-runtime is found, if not at `::symex`.
#[proc_macro_derive(Symbolic, attributes(symex))]
pub fn symbolic(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}
