//! The functions a harness's body calls: draws, assumptions, and whether the engine is at work.

use core::ffi::CStr;
use core::ops::RangeBounds;

use crate::abi::inputs::Draw;
use crate::cx::{Cx, DEFAULT_BOUND};
use crate::hooks;
use crate::native::active::{Current, Inputs, OnReject};
use crate::symbolic::Symbolic;
use crate::values::{Interval, draw_in};

/// Draws a value in the body of a harness: it stands for every value of its type.
///
/// Lengths are at most [`DEFAULT_BOUND`], whatever the harness's attribute says of its arguments; [`any_bounded`] takes
/// another limit.
#[inline]
pub fn any<T: Symbolic>() -> T {
    any_named(c"any")
}

/// [`any`] under a name that reports show.
#[inline]
pub fn any_named<T: Symbolic>(name: &'static CStr) -> T {
    T::any(&mut Cx::new(name, DEFAULT_BOUND))
}

/// [`any`] with lengths up to `bound`.
#[inline]
pub fn any_bounded<T: Symbolic>(bound: usize) -> T {
    T::any(&mut Cx::new(c"any", bound as u64))
}

/// Draws a vector of at most `bound` elements.
#[inline]
pub fn any_vec<T: Symbolic>(bound: usize) -> Vec<T> {
    any_bounded(bound)
}

/// Draws a value for which `condition` holds.
///
/// ```no_run
/// let even: u32 = symex::any_where(|n| n % 2 == 0);
/// ```
#[inline]
pub fn any_where<T: Symbolic>(condition: impl FnOnce(&T) -> bool) -> T {
    let value = any();
    assume(condition(&value));
    value
}

/// Draws an integer or `char` of a range. An empty range leaves the path.
///
/// ```no_run
/// let month = symex::any_in(1..=12u8);
/// ```
#[inline]
pub fn any_in<T: Interval>(range: impl RangeBounds<T>) -> T {
    draw_in(&mut Cx::new(c"any", DEFAULT_BOUND), range)
}

/// Narrows the inputs to those for which `condition` holds; all others end here, neither passed nor failed.
#[inline]
pub fn assume(condition: bool) {
    hooks::symex_assume(condition)
}

/// Whether the engine is executing, as opposed to an ordinary process.
///
/// For what only the engine should skip, such as slow logging. A harness that *behaves* differently under the engine
/// can report what does not happen, and the native replay will say so.
#[inline]
pub fn in_symex() -> bool {
    hooks::symex_is_symbolic()
}

fn recorded(draws: &[&[u8]]) -> Current {
    let draws = draws
        .iter()
        .map(|bytes| Draw {
            name: String::new(),
            bytes: bytes.to_vec(),
        })
        .collect();
    Current::start(Inputs::Recorded { draws, next: 0 }, OnReject::Panic, None)
}

/// Runs `body` with recorded inputs for what it draws, in order; used by the regression tests of harnesses that draw
/// in their body. Where the inputs run out, zeros follow.
///
/// # Panics
/// Where `body` does, and where the inputs no longer meet its assumptions.
pub fn with_inputs<R>(draws: &[&[u8]], body: impl FnOnce() -> R) -> R {
    let _current = recorded(draws);
    body()
}

/// Rebuilds a value from recorded draws; used by regression tests for values that cannot be written down, such as
/// those with private fields.
///
/// # Panics
/// Where the draws no longer meet the assumptions of `T`.
pub fn value<T: Symbolic>(draws: &[&[u8]]) -> T {
    let _current = recorded(draws);
    // Lengths are what the draws say.
    T::any(&mut Cx::new(c"value", u64::MAX))
}
