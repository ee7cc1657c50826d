//! The trait of types that can be inputs. Its implementations are in `values/`, the derive in
//! `symex-macros`.

use core::fmt;

use crate::cx::Cx;
use crate::source::Source;

/// A type whose values can be drawn: each input of a harness has such a type.
///
/// Derive it for structs and enums:
///
/// ```
/// #[derive(symex::Symbolic)]
/// struct Header {
///     version: u8,
///     #[symex(range = 1..=1500)]
///     length: u16,
///     #[symex(bound = 8)]
///     payload: Vec<u8>,
/// }
///
/// let header: Header = symex::value(&[&[1], &[2], &[2], &[0xde, 0xad]]);
/// assert_eq!((header.length, header.payload), (2, vec![0xde, 0xad]));
/// ```
///
/// or write [`any`](Symbolic::any), out of other draws and assumptions:
///
/// ```
/// struct Even(u32);
///
/// impl symex::Symbolic for Even {
///     fn any(cx: &mut symex::Cx) -> Self {
///         let value: u32 = cx.any();
///         symex::assume(value % 2 == 0);
///         Even(value)
///     }
/// }
/// # assert_eq!(symex::value::<Even>(&[&[4]]).0, 4);
/// ```
///
/// `any` runs inside the engine, on unknown values: straight-line code is cheapest, each branch on
/// a drawn value doubles the paths of everything that follows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an input of a harness",
    label = "`symex::Symbolic` is not implemented for `{Self}`",
    note = "put `#[derive(symex::Symbolic)]` on the type, or draw what it is made of and build it in the harness",
    note = "lists and strings can be taken as `Vec<T>`, `String`, `&[T]`, `&str` or `[T; N]`"
)]
pub trait Symbolic: Sized {
    /// Draws a value that stands for every value of the type.
    fn any(cx: &mut Cx) -> Self;

    /// Writes a Rust expression of this value, as it could stand in a test.
    ///
    /// Where there is none (the default), the test rebuilds the value from the bytes drawn.
    ///
    /// # Errors
    /// [`fmt::Error`] where the value cannot be written as an expression.
    fn source(&self, out: &mut Source) -> fmt::Result {
        let _ = out;
        Err(fmt::Error)
    }

    /// Draws `count` values at `at`: one draw for plain integers, one by one for all else.
    ///
    /// # Safety
    /// `at` is valid for writes of `count` values. Afterwards they are initialised.
    #[doc(hidden)]
    #[inline]
    unsafe fn __fill(cx: &mut Cx, at: *mut Self, count: usize) {
        let mut i = 0;
        while i < count {
            // SAFETY: `i < count`.
            unsafe { at.add(i).write(Self::any(cx)) };
            i += 1;
        }
    }

    /// Writes the expression of this value inside a list; bytes are written in hexadecimal there.
    #[doc(hidden)]
    fn __source_in_list(&self, out: &mut Source) -> fmt::Result {
        self.source(out)
    }
}
