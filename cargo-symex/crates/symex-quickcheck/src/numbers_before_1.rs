//! Numbers as quickcheck before version 1 draws them: smaller than the size of the generator.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize};

use crate::drawing::Draw;
use crate::{Arbitrary, Gen};

/// Implements the trait for types, of which `Self` is the one that is drawn.
macro_rules! numbers {
    ($($ty:ident)*; $g:ident => $draw:expr) => {$(
        impl Arbitrary for $ty {
            arbitrary!($g => $draw);
        }
    )*};
}

// From 0 on.
numbers!(u8 u16 u32 u64 u128 usize; g => {
    let most = u64::try_from(Self::MAX).unwrap_or(u64::MAX);
    g.up_to(g.magnitude().min(most).max(1) - 1) as Self
});

// On both sides of 0.
numbers!(i8 i16 i32 i64 i128 isize; g => {
    let most = u64::try_from(Self::MAX).unwrap_or(i64::MAX as u64);
    let half = g.magnitude().min(most).max(1);
    let drawn = i128::from(g.up_to(2 * half - 1));
    (drawn - i128::from(half)) as Self
});

numbers!(f32 f64; g => {
    let size = g.magnitude() as Self;
    let drawn: Self = g.draw();
    symex::assume(-size <= drawn && drawn < size);
    drawn
});

// In the place of 0, quickcheck draws 1.
numbers!(NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroUsize; g => {
    Self::new(Arbitrary::arbitrary(g)).unwrap_or(Self::MIN)
});
