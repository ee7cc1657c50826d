//! Support for expanded macros. Not for direct use: anything here may change.

#![allow(missing_docs)]

pub use core;
pub use std;

use core::ffi::CStr;
use core::fmt::{self, Debug, Write as _};
use core::marker::PhantomData;

use crate::abi::Str;
use crate::cx::Cx;
use crate::hooks;
use crate::symbolic::Symbolic;

pub use crate::constants::{Constant, constant, generalized};
pub use crate::cx::{DEFAULT_BOUND, DEFAULT_DEPTH};
pub use crate::native::library::{DrawnArgument, begin_replay, describe};
pub use crate::native::record::{Recorder, Redraw};
pub use crate::native::run::{Harness, run};
pub use crate::source::{Place, Reach, Source};
pub use crate::values::draw_in;

/// Converts a literal that ends in NUL to a name for the hooks.
pub const fn name(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a name must not contain NUL"),
    }
}

/// An argument of type `T` that is about to be drawn, by its method `draw`.
///
/// A type that is [`Symbolic`] draws itself; for others the method is found one dereference
/// further.
pub struct Draw<T>(DrawOther<T>);

/// An argument that is about to be drawn, and whose type is not [`Symbolic`].
pub struct DrawOther<T>(Cx, PhantomData<T>);

impl<T> Draw<T> {
    #[inline(always)]
    pub const fn new(cx: Cx) -> Self {
        Draw(DrawOther(cx, PhantomData))
    }
}

impl<T: Symbolic> Draw<T> {
    #[inline(always)]
    pub fn draw(mut self) -> T {
        T::any(&mut self.0.0)
    }
}

impl<T> core::ops::Deref for Draw<T> {
    type Target = DrawOther<T>;

    #[inline(always)]
    fn deref(&self) -> &DrawOther<T> {
        &self.0
    }
}

#[cfg(feature = "arbitrary")]
impl<T> DrawOther<T> {
    #[inline(always)]
    pub fn draw(&self) -> T
    where
        crate::Arbitrary<T>: Symbolic,
    {
        <crate::Arbitrary<T>>::any(&mut { self.0 }).0
    }
}

#[cfg(not(feature = "arbitrary"))]
impl<T> DrawOther<T> {
    /// Reports by its bound that the type cannot be drawn.
    pub fn draw(&self) -> T
    where
        T: Symbolic,
    {
        T::any(&mut { self.0 })
    }
}

#[inline(always)]
pub fn cover(condition: bool, name: &'static CStr) {
    // SAFETY: a C string.
    unsafe { hooks::symex_cover(condition, name.as_ptr()) }
}

/// Ends the path as one that cannot be explored, for this reason.
#[inline(always)]
pub fn unsupported(what: &'static CStr) -> ! {
    // SAFETY: a C string.
    unsafe { hooks::symex_unsupported(what.as_ptr()) }
}

/// Ends the path because this bound was reached.
#[inline(always)]
pub fn cut(what: &'static CStr) -> ! {
    // SAFETY: a C string.
    unsafe { hooks::symex_cut(what.as_ptr()) }
}

/// Says that the result holds only where this is so.
#[inline(always)]
pub fn assumed(what: &'static CStr) {
    // SAFETY: a C string.
    unsafe { hooks::symex_assumed(what.as_ptr()) }
}

/// Puts a function in the place of another.
#[inline(always)]
pub fn stub(what: &'static CStr, function: *const ()) {
    // SAFETY: a C string.
    unsafe { hooks::symex_stub(what.as_ptr(), function.cast()) }
}

#[inline(always)]
pub fn check_name(name: &'static CStr) {
    // SAFETY: a C string.
    unsafe { hooks::symex_check_name(name.as_ptr()) }
}

/// Returns a string for [`Meta`](crate::abi::Meta).
pub const fn text(text: &'static str) -> Str {
    Str::new(text)
}

/// A type that a harness may return.
#[diagnostic::on_unimplemented(
    message = "a harness cannot return `{Self}`",
    label = "not `()` or a `Result` whose error is `Debug`",
    note = "a harness fails by panicking or by returning `Err`"
)]
pub trait Outcome {
    #[track_caller]
    fn finish(self);
}

impl Outcome for () {
    #[inline]
    fn finish(self) {}
}

impl<T: Outcome, E: Debug> Outcome for Result<T, E> {
    #[inline]
    fn finish(self) {
        match self {
            Ok(value) => value.finish(),
            Err(error) => panic!("the harness returned Err({error:?})"),
        }
    }
}

impl Outcome for core::convert::Infallible {
    fn finish(self) {
        match self {}
    }
}

/// Passes or fails on a harness's return value, like libtest.
#[inline]
#[track_caller]
pub fn finish<T: Outcome>(outcome: T) {
    outcome.finish()
}

/// Access to the properties of an argument without naming its type's traits.
///
/// A method is found on `Probe` if the trait is implemented, and otherwise, one dereference
/// further, on `Unknown`. So only the draw reports a type that is not [`Symbolic`].
pub struct Probe<'a, T>(pub &'a T);

impl<T: Debug> Probe<'_, T> {
    pub fn symex_debug(&self) -> Option<String> {
        // It is the user's code: it may panic, and the values must be written all the same.
        let text = std::panic::AssertUnwindSafe(|| format!("{:?}", self.0));
        std::panic::catch_unwind(text).ok()
    }
}

impl<T: Symbolic> Probe<'_, T> {
    pub fn symex_source(&self, out: &mut Source) -> fmt::Result {
        self.0.source(out)
    }

    pub fn symex_redraw(&self) -> Redraw {
        Redraw::Symbolic
    }
}

impl<T: Symbolic> Probe<'_, Vec<T>> {
    pub fn symex_list(&self, out: &mut Source) -> fmt::Result {
        out.write_char('[')?;
        out.list(self.0)?;
        out.write_char(']')
    }
}

pub struct Unknown;

impl Unknown {
    pub fn symex_debug(&self) -> Option<String> {
        None
    }

    pub fn symex_source(&self, _: &mut Source) -> fmt::Result {
        Err(fmt::Error)
    }

    pub fn symex_redraw(&self) -> Redraw {
        Redraw::Arbitrary
    }

    pub fn symex_list(&self, _: &mut Source) -> fmt::Result {
        Err(fmt::Error)
    }
}

impl<T> core::ops::Deref for Probe<'_, T> {
    type Target = Unknown;

    fn deref(&self) -> &Unknown {
        &Unknown
    }
}
