//! `Symbolic` for `bool`, `char`, floats, and types with a handful of values. None of them forks
//! the path when it is drawn.

use core::cmp::Ordering;
use core::fmt::{self, Write as _};
use core::marker::{PhantomData, PhantomPinned};

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

impl Symbolic for bool {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        cx.int(1) != 0
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        write!(out, "{self}")
    }
}

/// Converts a number to a `char`; the caller has drawn a number of at most `char::MAX`.
///
/// `transmute`, because `char::from_u32_unchecked` checks its argument in debug builds, by
/// branches.
///
/// # Safety
/// `value` is at most `char::MAX`.
#[inline]
#[allow(unnecessary_transmutes, clippy::manual_range_contains)]
pub(super) unsafe fn character(value: u32) -> char {
    crate::assume((value < 0xd800) | (value > 0xdfff));
    // SAFETY: the caller's promise, and no surrogate.
    unsafe { core::mem::transmute::<u32, char>(value) }
}

impl Symbolic for char {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let value = cx.range(0, char::MAX as u64) as u32;
        // SAFETY: the range drawn from.
        unsafe { character(value) }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        match self {
            '"' => write!(out, "'\"'"),
            c => write!(out, "'{}'", c.escape_debug()),
        }
    }
}

macro_rules! float {
    ($t:ident, $bits:ty) => {
        impl Symbolic for $t {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                $t::from_bits(cx.int(<$bits>::BITS) as $bits)
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                // `{:?}` is the shortest text that reads back as the same value, for finite ones.
                if self.is_finite() {
                    write!(out, "{self:?}")
                } else {
                    write!(
                        out,
                        concat!(stringify!($t), "::from_bits({:#x})"),
                        self.to_bits()
                    )
                }
            }

            #[inline]
            unsafe fn __fill(cx: &mut Cx, at: *mut Self, count: usize) {
                // SAFETY: the caller's promise; every bit pattern is a float.
                unsafe { cx.plain(at, count) }
            }
        }
    };
}

float!(f32, u32);
float!(f64, u64);

impl Symbolic for Ordering {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        match cx.range(0, 2) {
            0 => Ordering::Less,
            1 => Ordering::Equal,
            _ => Ordering::Greater,
        }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        write!(out, "core::cmp::Ordering::{self:?}")
    }
}

macro_rules! constant {
    ($([$($generic:tt)*] $t:ty = $value:expr, $source:literal;)*) => {$(
        impl $($generic)* Symbolic for $t {
            #[inline]
            fn any(_: &mut Cx) -> Self {
                $value
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                write!(out, $source)
            }
        }
    )*};
}

constant! {
    [] () = (), "()";
    [<T: ?Sized>] PhantomData<T> = PhantomData, "core::marker::PhantomData";
    [] PhantomPinned = PhantomPinned, "core::marker::PhantomPinned";
    [] core::ops::RangeFull = .., "..";
}
