//! `Symbolic` for types that the crate `arbitrary` makes out of bytes.

use core::fmt;

use arbitrary::Unstructured;

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

/// A value that [`arbitrary`] makes, of a type that need not be [`Symbolic`].
///
/// An argument of a harness needs no such wrapper; it serves for the fields of a type of your own,
/// the elements of a collection, and in the body. A type that takes a known number of bytes is
/// drawn completely. Of others, all values are drawn that can be made of its least number of bytes
/// and four bytes more for each element that the bound on lengths allows, and a result over them is
/// reported as bounded.
///
/// The bytes are kept for the rest of the process, since values may borrow from them.
///
/// ```
/// use symex::Arbitrary;
///
/// #[derive(arbitrary::Arbitrary)]
/// struct Pixel {
///     at: (u16, u16),
///     is_set: bool,
/// }
///
/// #[symex::harness]
/// fn draws(Arbitrary(pixel): Arbitrary<Pixel>) {
///     assert!(u32::from(pixel.at.0) + u32::from(pixel.is_set) <= 0x1_0000);
/// }
///
/// // Recorded are the bytes, one more than the value takes.
/// let drawn: Arbitrary<Pixel> = symex::value(&[&[1, 0, 2, 0, 1, 0]]);
/// assert_eq!((drawn.0.at, drawn.0.is_set), ((1, 2), true));
/// # draws(drawn);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Arbitrary<T>(pub T);

/// Number of bytes that are drawn for each element that the bound on lengths allows.
const BYTES_OF_ELEMENT: u64 = 4;

impl<T: arbitrary::Arbitrary<'static>> Symbolic for Arbitrary<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        match T::size_hint(0) {
            (_, Some(most)) => known_size(cx, most),
            (least, None) => {
                let most = cx.bound().saturating_mul(BYTES_OF_ELEMENT);
                let bytes = Vec::<u8>::any(&mut cx.bounded(most.saturating_add(least as u64)));
                let made = T::arbitrary_take_rest(Unstructured::new(Vec::leak(bytes)));
                Arbitrary(made.unwrap_or_else(|_| cx.reject(REFUSED)))
            }
        }
    }

    fn source(&self, _: &mut Source) -> fmt::Result {
        Err(fmt::Error)
    }
}

const REFUSED: &core::ffi::CStr = c"`Arbitrary` makes no value of these bytes";

/// Draws a value that takes at most `most` bytes, as its type says.
fn known_size<T: arbitrary::Arbitrary<'static>>(cx: &mut Cx, most: usize) -> Arbitrary<T> {
    // One byte more, which is left over if the type takes as many as it says. If it is used up,
    // the path is cut, so that the result does not count as complete: values that take more bytes
    // are left out.
    let mut bytes = vec![0_u8; most + 1];
    // SAFETY: the vector has as many bytes.
    unsafe { cx.plain(bytes.as_mut_ptr(), bytes.len()) }
    let mut rest = Unstructured::new(Vec::leak(bytes));
    let made = T::arbitrary(&mut rest);
    if rest.is_empty() && most > 0 {
        // SAFETY: a C string literal.
        unsafe { crate::hooks::symex_cut(c"bytes of a value that `Arbitrary` makes".as_ptr()) }
    }
    Arbitrary(made.unwrap_or_else(|_| cx.reject(REFUSED)))
}

impl<T: fmt::Debug> fmt::Debug for Arbitrary<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}
