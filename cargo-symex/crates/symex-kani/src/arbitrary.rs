//! The trait of types whose values can be drawn, for types of the standard library.
//!
//! Each draw is named after its type: reports show it so, and tell its value in that type.

use core::marker::{PhantomData, PhantomPinned};
use core::mem::MaybeUninit;
use core::num::NonZero;
use core::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use core::time::Duration;

use crate::assume;
use symex::Cx;

/// A type whose values can be drawn by [`any`](crate::any).
#[diagnostic::on_unimplemented(
    message = "`kani::any` cannot make a `{Self}`",
    label = "`kani::Arbitrary` is not implemented for `{Self}`",
    note = "put `#[derive(kani::Arbitrary)]` on the type, or implement `kani::Arbitrary` for it"
)]
pub trait Arbitrary: Sized {
    /// Draws a value that stands for every value of the type.
    fn any() -> Self;

    /// Draws all elements of an array.
    fn any_array<const N: usize>() -> [Self; N] {
        [(); N].map(|()| Self::any())
    }
}

/// Implements the trait by the draw of symex-runtime, for types of which every bit pattern is a
/// value: arrays are one draw.
macro_rules! plain {
    ($($t:ident)*) => {$(
        impl Arbitrary for $t {
            #[inline(always)]
            fn any() -> Self {
                const NAME: &core::ffi::CStr =
                    symex::__rt::name(concat!("kani::any::<", stringify!($t), ">()\0"));
                Cx::new(NAME, 0).any()
            }

            #[inline(always)]
            fn any_array<const N: usize>() -> [Self; N] {
                const NAME: &core::ffi::CStr =
                    symex::__rt::name(concat!("kani::any::<[", stringify!($t), "; _]>()\0"));
                Cx::new(NAME, 0).any()
            }
        }
    )*};
}

plain!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

impl Arbitrary for bool {
    #[inline(always)]
    fn any() -> Self {
        Cx::new(c"kani::any::<bool>()", 0).any()
    }
}

impl Arbitrary for char {
    #[inline(always)]
    fn any() -> Self {
        Cx::new(c"kani::any::<char>()", 0).any()
    }
}

macro_rules! nonzero {
    ($($t:ident)*) => {$(
        impl Arbitrary for NonZero<$t> {
            #[inline(always)]
            fn any() -> Self {
                let value = $t::any();
                assume(value != 0);
                // SAFETY: it was assumed not to be zero.
                unsafe { NonZero::new_unchecked(value) }
            }
        }
    )*};
}

nonzero!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {
    #[inline(always)]
    fn any() -> Self {
        T::any_array()
    }
}

impl<T: Arbitrary> Arbitrary for Option<T> {
    fn any() -> Self {
        bool::any().then(T::any)
    }
}

impl<T: Arbitrary, E: Arbitrary> Arbitrary for Result<T, E> {
    fn any() -> Self {
        match bool::any() {
            true => Ok(T::any()),
            false => Err(E::any()),
        }
    }
}

impl<T: Arbitrary> Arbitrary for Box<T> {
    fn any() -> Self {
        Box::new(T::any())
    }
}

impl<T: ?Sized> Arbitrary for PhantomData<T> {
    fn any() -> Self {
        PhantomData
    }
}

impl Arbitrary for PhantomPinned {
    fn any() -> Self {
        PhantomPinned
    }
}

impl<T: Arbitrary> Arbitrary for MaybeUninit<T> {
    fn any() -> Self {
        match bool::any() {
            true => MaybeUninit::new(T::any()),
            false => MaybeUninit::uninit(),
        }
    }
}

impl Arbitrary for core::cmp::Ordering {
    fn any() -> Self {
        Cx::new(c"kani::any::<Ordering>()", 0).any()
    }
}

impl Arbitrary for Duration {
    fn any() -> Self {
        let seconds = u64::any();
        let nanoseconds = u32::any();
        assume(nanoseconds < 1_000_000_000);
        Duration::new(seconds, nanoseconds)
    }
}

impl<T: Arbitrary> Arbitrary for Bound<T> {
    fn any() -> Self {
        match crate::internal::variant(2, c"kani::any::<Bound<_>>()") {
            0 => Bound::Included(T::any()),
            1 => Bound::Excluded(T::any()),
            _ => Bound::Unbounded,
        }
    }
}

impl<T: Arbitrary> Arbitrary for Range<T> {
    fn any() -> Self {
        T::any()..T::any()
    }
}

impl<T: Arbitrary> Arbitrary for RangeFrom<T> {
    fn any() -> Self {
        T::any()..
    }
}

impl<T: Arbitrary> Arbitrary for RangeInclusive<T> {
    fn any() -> Self {
        T::any()..=T::any()
    }
}

impl<T: Arbitrary> Arbitrary for RangeTo<T> {
    fn any() -> Self {
        ..T::any()
    }
}

impl<T: Arbitrary> Arbitrary for RangeToInclusive<T> {
    fn any() -> Self {
        ..=T::any()
    }
}

impl Arbitrary for () {
    fn any() -> Self {}
}

macro_rules! tuple {
    ($($t:ident)*) => {
        impl<$($t: Arbitrary),*> Arbitrary for ($($t,)*) {
            #[inline(always)]
            fn any() -> Self {
                ($($t::any(),)*)
            }
        }
    };
}

tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E F);
tuple!(A B C D E F G);
tuple!(A B C D E F G H);
tuple!(A B C D E F G H I);
tuple!(A B C D E F G H I J);
tuple!(A B C D E F G H I J K);
tuple!(A B C D E F G H I J K L);
