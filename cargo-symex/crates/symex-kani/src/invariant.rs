//! The trait of types that have an invariant.

/// A type with an invariant, which proofs check.
///
/// ```
/// use kani::Invariant;
///
/// #[derive(kani::Invariant)]
/// struct Month {
///     #[safety_constraint((1..=12).contains(number))]
///     number: u8,
/// }
///
/// assert!(Month { number: 2 }.is_safe());
/// assert!(!Month { number: 13 }.is_safe());
/// ```
pub trait Invariant: Sized {
    /// Tells whether the invariant holds.
    fn is_safe(&self) -> bool;
}

macro_rules! without_invariant {
    ($($t:ident)*) => {$(
        impl Invariant for $t {
            #[inline(always)]
            fn is_safe(&self) -> bool {
                true
            }
        }
    )*};
}

without_invariant!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char);

impl Invariant for () {
    #[inline(always)]
    fn is_safe(&self) -> bool {
        true
    }
}
