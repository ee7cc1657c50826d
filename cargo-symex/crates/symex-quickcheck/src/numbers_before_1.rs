//! Numbers as quickcheck before version 1 draws them: smaller than the size of the generator.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize};

use crate::drawing::Draw;
use crate::{Arbitrary, Gen};

/// Implements the trait for integers from 0 on.
macro_rules! unsigned {
    ($($ty:ident)*) => {$(
        impl Arbitrary for $ty {
            arbitrary!(g => {
                let most = u64::try_from($ty::MAX).unwrap_or(u64::MAX);
                g.up_to(g.magnitude().min(most).max(1) - 1) as $ty
            });
        }
    )*};
}

unsigned!(u8 u16 u32 u64 u128 usize);

/// Implements the trait for integers on both sides of 0.
macro_rules! signed {
    ($($ty:ident)*) => {$(
        impl Arbitrary for $ty {
            arbitrary!(g => {
                let most = u64::try_from($ty::MAX).unwrap_or(i64::MAX as u64);
                let half = g.magnitude().min(most).max(1);
                let drawn = i128::from(g.up_to(2 * half - 1));
                (drawn - i128::from(half)) as $ty
            });
        }
    )*};
}

signed!(i8 i16 i32 i64 i128 isize);

/// Implements the trait for floating-point numbers.
macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl Arbitrary for $ty {
            arbitrary!(g => {
                let size = g.magnitude() as $ty;
                let drawn: $ty = g.draw();
                symex::assume(-size <= drawn && drawn < size);
                drawn
            });
        }
    )*};
}

floats!(f32 f64);

/// Implements the trait for integers without 0, in the place of which 1 is drawn.
macro_rules! non_zero {
    ($($ty:ident)*) => {$(
        impl Arbitrary for $ty {
            arbitrary!(g => $ty::new(Arbitrary::arbitrary(g)).unwrap_or($ty::MIN));
        }
    )*};
}

non_zero!(NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroUsize);
