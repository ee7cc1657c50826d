//! The functions that a harness's body calls: draws, assumptions, and [`in_symex`].

use core::ffi::CStr;
use core::ops::RangeBounds;

use crate::abi::inputs::Input;
use crate::cx::{Cx, DEFAULT_BOUND};
use crate::hooks;
use crate::native::active::{Current, Inputs, OnReject};
use crate::symbolic::Symbolic;
use crate::values::{Interval, draw_in};

/// Draws a value in the body of a harness: it stands for every value of its type.
///
/// Lengths are at most [`DEFAULT_BOUND`], whatever the harness's attribute says of its arguments;
/// [`any_bounded`] takes another limit.
///
/// ```
/// fn doubles() {
///     let n: u8 = symex::any();
///     assert_eq!(n.wrapping_mul(2), n << 1);
/// }
///
/// // A harness that calls it is run for every `n`, a test for those that are recorded.
/// symex::with_inputs(&[&[200]], doubles);
/// ```
#[inline]
pub fn any<T: Symbolic>() -> T {
    any_named(c"any")
}

/// Draws a value under a name, which reports show.
///
/// ```
/// let width = || symex::any_named::<u16>(c"width");
/// assert_eq!(symex::with_inputs(&[&[0x80, 0x02]], width), 640);
/// ```
#[inline]
pub fn any_named<T: Symbolic>(name: &'static CStr) -> T {
    T::any(&mut Cx::new(name, DEFAULT_BOUND))
}

/// Draws a value in which lengths are at most `bound`.
///
/// ```
/// // Recorded are a length and the bytes.
/// let name = || symex::any_bounded::<String>(16);
/// assert_eq!(symex::with_inputs(&[&[5], b"alice"], name), "alice");
/// ```
#[inline]
pub fn any_bounded<T: Symbolic>(bound: usize) -> T {
    T::any(&mut Cx::new(c"any", bound as u64))
}

/// Draws a vector of at most `bound` elements.
///
/// ```
/// let digits = || symex::any_vec::<u8>(8);
/// assert_eq!(symex::with_inputs(&[&[3], &[4, 0, 2]], digits), [4, 0, 2]);
/// ```
#[inline]
pub fn any_vec<T: Symbolic>(bound: usize) -> Vec<T> {
    any_bounded(bound)
}

/// Draws a value for which `condition` holds.
///
/// ```
/// let even = || symex::any_where(|n: &u32| n % 2 == 0);
/// assert_eq!(symex::with_inputs(&[&[6]], even), 6);
/// ```
#[inline]
pub fn any_where<T: Symbolic>(condition: impl FnOnce(&T) -> bool) -> T {
    let value = any();
    assume(condition(&value));
    value
}

/// Draws an integer or `char` of a range; where that is empty, no path goes on.
///
/// ```
/// let month = || symex::any_in(1..=12u8);
/// assert_eq!(symex::with_inputs(&[&[7]], month), 7);
/// ```
#[inline]
pub fn any_in<T: Interval>(range: impl RangeBounds<T>) -> T {
    draw_in(&mut Cx::new(c"any", DEFAULT_BOUND), range)
}

/// Narrows the inputs to those for which `condition` holds.
///
/// All others end here, neither passed nor failed.
///
/// ```
/// #[symex::harness]
/// fn divides(a: u32, b: u32) {
///     symex::assume(b != 0);
///     assert_eq!(a / b * b + a % b, a);
/// }
/// # divides(7, 2);
/// ```
#[inline]
pub fn assume(condition: bool) {
    hooks::symex_assume(condition)
}

/// Tells whether the engine is executing the program, as opposed to an ordinary process.
///
/// For what only the engine should skip, such as slow logging. A harness that *behaves* differently
/// under the engine can report what does not happen, and the native replay will say so.
///
/// ```
/// # let state = 1;
/// if !symex::in_symex() {
///     println!("{state:?}");
/// }
/// ```
#[inline]
pub fn in_symex() -> bool {
    hooks::symex_is_symbolic()
}

fn recorded(draws: &[&[u8]]) -> Current {
    let draws = draws
        .iter()
        .map(|bytes| Input {
            name: String::new(),
            bytes: bytes.to_vec(),
        })
        .collect();
    Current::start(Inputs::Recorded { draws, next: 0 }, OnReject::Panic, None)
}

/// Runs `body` with recorded inputs for what it draws, in order.
///
/// The regression tests of harnesses that draw in their body use it. Where the inputs run out,
/// zeros follow.
///
/// ```
/// let drawn = symex::with_inputs(&[&[1, 2], &[3]], || (symex::any::<u16>(), symex::any::<u8>()));
/// assert_eq!(drawn, (0x0201, 3));
/// ```
///
/// # Panics
/// Where `body` does, and where the inputs no longer meet its assumptions.
pub fn with_inputs<R>(draws: &[&[u8]], body: impl FnOnce() -> R) -> R {
    let _current = recorded(draws);
    body()
}

/// Rebuilds a value from recorded draws.
///
/// Regression tests use it for values that cannot be written down, such as those with private
/// fields.
///
/// ```
/// let pair: (u8, Option<bool>) = symex::value(&[&[9], &[1], &[1]]);
/// assert_eq!(pair, (9, Some(true)));
/// ```
///
/// # Panics
/// Where the draws no longer meet the assumptions of `T`.
pub fn value<T: Symbolic>(draws: &[&[u8]]) -> T {
    let _current = recorded(draws);
    // Lengths are what the draws say.
    T::any(&mut Cx::new(c"value", u64::MAX))
}
