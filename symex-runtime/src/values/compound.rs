//! `Symbolic` for arrays, tuples, `Option`, `Result`, `Bound` and ranges.

use core::fmt::{self, Write as _};
use core::mem::MaybeUninit;
use core::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

impl<T: Symbolic, const N: usize> Symbolic for [T; N] {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let mut array = MaybeUninit::<[T; N]>::uninit();
        // SAFETY: `fill` initialises all N elements.
        unsafe {
            T::__fill(cx, array.as_mut_ptr().cast(), N);
            array.assume_init()
        }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_char('[')?;
        out.list(self)?;
        out.write_char(']')
    }

    #[inline]
    unsafe fn __fill(cx: &mut Cx, at: *mut Self, count: usize) {
        // SAFETY: arrays lie without gaps, so these are `count * N` elements in a row.
        unsafe { T::__fill(cx, at.cast(), count * N) }
    }
}

macro_rules! tuple {
    ($($t:ident $i:tt),+) => {
        impl<$($t: Symbolic),+> Symbolic for ($($t,)+) {
            #[inline]
            fn any(cx: &mut Cx) -> Self {
                ($($t::any(cx),)+)
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                out.write_char('(')?;
                $(
                    if $i > 0 {
                        out.write_str(", ")?;
                    }
                    self.$i.source(out)?;
                )+
                out.write_str(if [$($i),+].len() == 1 { ",)" } else { ")" })
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// Writes `name(value)`.
fn wrapped<T: Symbolic>(out: &mut Source, name: &str, value: &T) -> fmt::Result {
    write!(out, "{name}(")?;
    value.source(out)?;
    out.write_char(')')
}

impl<T: Symbolic> Symbolic for Option<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        if cx.any() { Some(cx.any()) } else { None }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        match self {
            Some(value) => wrapped(out, "Some", value),
            None => write!(out, "None"),
        }
    }
}

impl<T: Symbolic, E: Symbolic> Symbolic for Result<T, E> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        if cx.any() {
            Ok(cx.any())
        } else {
            Err(cx.any())
        }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        match self {
            Ok(value) => wrapped(out, "Ok", value),
            Err(error) => wrapped(out, "Err", error),
        }
    }
}

impl<T: Symbolic> Symbolic for Bound<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        match cx.range(0, 2) {
            0 => Bound::Included(cx.any()),
            1 => Bound::Excluded(cx.any()),
            _ => Bound::Unbounded,
        }
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        match self {
            Bound::Included(value) => wrapped(out, "core::ops::Bound::Included", value),
            Bound::Excluded(value) => wrapped(out, "core::ops::Bound::Excluded", value),
            Bound::Unbounded => write!(out, "core::ops::Bound::Unbounded"),
        }
    }
}

// Ranges are drawn whole: `start` may be above `end`, as it may be in any program.

impl<T: Symbolic> Symbolic for Range<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let start = cx.any();
        start..cx.any()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.operand(&self.start)?;
        out.write_str("..")?;
        out.operand(&self.end)
    }
}

impl<T: Symbolic> Symbolic for RangeInclusive<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let start = cx.any();
        start..=cx.any()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.operand(self.start())?;
        out.write_str("..=")?;
        out.operand(self.end())
    }
}

impl<T: Symbolic> Symbolic for RangeFrom<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        cx.any()..
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.operand(&self.start)?;
        out.write_str("..")
    }
}

impl<T: Symbolic> Symbolic for RangeTo<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        ..cx.any()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("..")?;
        out.operand(&self.end)
    }
}

impl<T: Symbolic> Symbolic for RangeToInclusive<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        ..=cx.any()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("..=")?;
        out.operand(&self.end)
    }
}
