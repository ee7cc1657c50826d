//! Questions about floating-point numbers.

/// A float that may be converted to integers of type `I`.
pub trait ToInteger<I> {
    /// Tells whether the float without its fraction is a value of `I`.
    fn fits(self) -> bool;
}

macro_rules! to_integer {
    ($float:ident: $($integer:ident)*) => {$(
        impl ToInteger<$integer> for $float {
            fn fits(self) -> bool {
                let whole = self.trunc();
                let least = $integer::MIN as $float;
                // One more than the largest, a power of two, which a float holds exactly.
                let end = ($integer::MAX / 2 + 1) as $float * 2.0;
                self.is_finite() && whole >= least && whole < end
            }
        }
    )*};
}

to_integer!(f32: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
to_integer!(f64: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// Tells whether `to_int_unchecked::<I>` is defined for a float.
///
/// ```
/// assert!(kani::float::float_to_int_in_range::<f32, u8>(255.5));
/// assert!(!kani::float::float_to_int_in_range::<f64, i8>(-129.0));
/// assert!(!kani::float::float_to_int_in_range::<f32, i32>(f32::NAN));
/// ```
pub fn float_to_int_in_range<F: ToInteger<I>, I>(value: F) -> bool {
    value.fits()
}
