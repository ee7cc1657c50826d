//! Quantifiers over ranges, which are loops: their conditions are evaluated for each number.

/// Tells whether a condition holds for every number from the first up to the second, without it.
///
/// ```
/// assert!(kani::forall!(|i in (2, 5)| i < 5));
/// assert!(!kani::forall!(|i in (2, 5)| i != 3));
/// ```
#[macro_export]
macro_rules! forall {
    (|$i:ident in ($low:expr, $high:expr $(,)?)| $condition:expr) => {
        $crate::internal::for_all($low, $high, |$i| $condition)
    };
    (|$i:ident| $condition:expr) => {
        $crate::internal::unsupported(c"kani::forall! over all numbers")
    };
}

/// Tells whether a condition holds for some number from the first up to the second, without it.
///
/// ```
/// assert!(kani::exists!(|i in (2, 5)| i == 4));
/// assert!(!kani::exists!(|i in (2, 5)| i == 5));
/// ```
#[macro_export]
macro_rules! exists {
    (|$i:ident in ($low:expr, $high:expr $(,)?)| $condition:expr) => {
        $crate::internal::exists($low, $high, |$i| $condition)
    };
    (|$i:ident| $condition:expr) => {
        $crate::internal::unsupported(c"kani::exists! over all numbers")
    };
}

/// Tells whether a condition holds for all numbers of a range.
pub fn for_all(low: usize, high: usize, condition: impl Fn(usize) -> bool) -> bool {
    // No condition is skipped: the paths of each then differ by the whole answer only.
    (low..high).fold(true, |all, i| all & condition(i))
}

/// Tells whether a condition holds for some number of a range.
pub fn exists(low: usize, high: usize, condition: impl Fn(usize) -> bool) -> bool {
    (low..high).fold(false, |any, i| any | condition(i))
}
