//! `Symbolic` for integers, and for types that are an integer with a condition: `NonZero`,
//! `Wrapping`, `Saturating`.
//!
//! Lists of integers are one draw over their whole memory.

use core::fmt::{self, Write as _};
use core::num::{NonZero, Saturating, Wrapping};

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

macro_rules! integer {
    ($t:ty, $draw:expr, $in_list:literal) => {
        impl Symbolic for $t {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                let draw: fn(&Cx) -> $t = $draw;
                draw(cx)
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                write!(out, "{self}")
            }

            #[inline]
            unsafe fn __fill(cx: &mut Cx, at: *mut Self, count: usize) {
                // SAFETY: the caller's promise; every bit pattern is an integer.
                unsafe { cx.plain(at, count) }
            }

            fn __source_in_list(&self, out: &mut Source) -> fmt::Result {
                write!(out, $in_list, self)
            }
        }

        impl Symbolic for NonZero<$t> {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                let value: $t = cx.any();
                crate::assume(value != 0);
                match NonZero::new(value) {
                    Some(value) => value,
                    None => cx.reject(c"zero for a NonZero"),
                }
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                write!(out, "core::num::NonZero::new({self}).unwrap()")
            }
        }
    };
}

macro_rules! word {
    ($($t:ty),*) => {$(
        integer!($t, |cx| cx.int(<$t>::BITS) as $t, "{}");
    )*};
}

integer!(u8, |cx| cx.int(8) as u8, "0x{:02x}");
word!(u16, u32, u64, usize, i8, i16, i32, i64, isize);
integer!(u128, double, "{}");
integer!(i128, |cx| double(cx) as i128, "{}");

/// Draws 128 bits as two draws, the low half first.
#[inline]
fn double(cx: &Cx) -> u128 {
    let low = cx.int(64) as u128;
    let high = cx.int(64) as u128;
    low | high << 64
}

macro_rules! newtype {
    ($($path:literal $t:ident),*) => {$(
        impl<T: Symbolic> Symbolic for $t<T> {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                $t(cx.any())
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                write!(out, concat!($path, "("))?;
                self.0.source(out)?;
                write!(out, ")")
            }
        }
    )*};
}

newtype!("core::num::Wrapping" Wrapping, "core::num::Saturating" Saturating);
