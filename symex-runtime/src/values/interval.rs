//! Draws of values between two limits: `any_in(1..=12)` and `#[symex(range = 1..=12)]`.
//!
//! They take one draw and no branch: the engine gets the limits with the draw, and random runs hit
//! them at once.

use core::ops::{Bound, RangeBounds};

use crate::cx::Cx;
use crate::symbolic::Symbolic;

/// A type whose values can be drawn from a range: an integer, or `char`.
///
/// ```
/// fn in_order<T: symex::Interval>(low: T, high: T) -> (T, T) {
///     let first = symex::any_in(low..high);
///     (first, symex::any_in(first..=high))
/// }
///
/// assert_eq!(symex::with_inputs(&[&[3], &[8]], || in_order(1u8, 9)), (3, 8));
/// assert_eq!(symex::with_inputs(&[b"b", b"b"], || in_order('a', 'z')), ('b', 'b'));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be drawn from a range",
    label = "only integers and `char` can be drawn from a range",
    note = "draw any value and narrow it by `symex::assume`"
)]
pub trait Interval: Symbolic + Copy + PartialOrd {
    /// The least value.
    #[doc(hidden)]
    const LEAST: Self;
    /// The greatest value.
    #[doc(hidden)]
    const GREATEST: Self;
    /// Returns the next value, if there is one.
    #[doc(hidden)]
    fn next(self) -> Option<Self>;
    /// Returns the previous value, if there is one.
    #[doc(hidden)]
    fn previous(self) -> Option<Self>;
    /// Draws from `low..=high`, which is not empty.
    #[doc(hidden)]
    fn between(low: Self, high: Self, cx: &mut Cx) -> Self;
}

macro_rules! interval {
    ($($t:ty),*) => {$(
        impl Interval for $t {
            const LEAST: Self = <$t>::MIN;
            const GREATEST: Self = <$t>::MAX;

            #[inline]
            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }

            #[inline]
            fn previous(self) -> Option<Self> {
                self.checked_sub(1)
            }

            #[inline]
            fn between(low: Self, high: Self, cx: &mut Cx) -> Self {
                // `low` is a constant as a rule, so one of these remains.
                if low as i128 >= 0 {
                    return cx.range(low as u64, high as u64) as $t;
                }
                let span = (high as i128 - low as i128) as u64;
                low.wrapping_add(cx.range(0, span) as $t)
            }
        }
    )*};
}

interval!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

macro_rules! wide {
    ($($t:ty),*) => {$(
        impl Interval for $t {
            const LEAST: Self = <$t>::MIN;
            const GREATEST: Self = <$t>::MAX;

            #[inline]
            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }

            #[inline]
            fn previous(self) -> Option<Self> {
                self.checked_sub(1)
            }

            #[inline]
            fn between(low: Self, high: Self, cx: &mut Cx) -> Self {
                let span = high.wrapping_sub(low) as u128;
                if span <= u64::MAX as u128 {
                    return low.wrapping_add(cx.range(0, span as u64) as $t);
                }
                let value: $t = cx.any();
                crate::assume((low <= value) & (value <= high));
                value
            }
        }
    )*};
}

wide!(u128, i128);

impl Interval for char {
    const LEAST: Self = '\0';
    const GREATEST: Self = char::MAX;

    fn next(self) -> Option<Self> {
        (self..=char::MAX).nth(1)
    }

    fn previous(self) -> Option<Self> {
        ('\0'..=self).rev().nth(1)
    }

    #[inline]
    fn between(low: Self, high: Self, cx: &mut Cx) -> Self {
        let value = cx.range(low as u64, high as u64) as u32;
        // SAFETY: `high` is a `char`.
        unsafe { super::scalars::character(value) }
    }
}

/// Draws a value of `range`; leaves the path where the range is empty.
#[inline]
pub fn draw_in<T: Interval, R: RangeBounds<T>>(cx: &mut Cx, range: R) -> T {
    let low = match range.start_bound() {
        Bound::Included(&low) => Some(low),
        Bound::Excluded(&low) => low.next(),
        Bound::Unbounded => Some(T::LEAST),
    };
    let high = match range.end_bound() {
        Bound::Included(&high) => Some(high),
        Bound::Excluded(&high) => high.previous(),
        Bound::Unbounded => Some(T::GREATEST),
    };
    match (low, high) {
        (Some(low), Some(high)) if low <= high => T::between(low, high, cx),
        _ => cx.reject(c"an empty range"),
    }
}
