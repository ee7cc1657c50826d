//! The library `kani` of `cargo symex kani`, in the place of Kani's own.
//!
//! It has the names of Kani's library, so that proofs compile unchanged; values, assumptions and
//! covers are those of symex-runtime, and `#[kani::proof]` makes a harness of it. What it cannot do
//! ends the path as unsupported, and names what was asked for: the result is then inconclusive, and
//! never a pass.

// Macros name this crate as their users do.
extern crate self as kani;

mod arbitrary;
mod bounded;
mod contract;
pub mod float;
mod futures;
mod invariant;
pub mod mem;
mod quantifiers;
pub mod shadow;
pub mod slice;
pub mod vec;

#[doc(hidden)]
pub mod internal;

pub use arbitrary::Arbitrary;
pub use bounded::BoundedArbitrary;
pub use futures::{
    JoinHandle, RoundRobin, SchedulingAssumption, SchedulingStrategy, block_on,
    block_on_with_spawn, spawn, yield_now,
};
pub use invariant::Invariant;
pub use symex_kani_macros::{
    Arbitrary, BoundedArbitrary, Invariant, ensures, loop_decreases, loop_invariant, loop_modifies,
    modifies, proof, proof_for_contract, recursion, requires, should_panic, solver, stub, stub_set,
    stub_verified, unwind, use_stub_set,
};

/// Draws a value that stands for every value of its type.
///
/// ```
/// fn halves() {
///     let n: u8 = kani::any();
///     assert!(n / 2 < 128);
/// }
///
/// kani::concrete_playback_run(vec![vec![200]], halves);
/// ```
#[inline(always)]
pub fn any<T: Arbitrary>() -> T {
    T::any()
}

/// Draws a value for which `condition` holds.
///
/// ```
/// let even = || assert_eq!(kani::any_where(|n: &u8| n % 2 == 0) & 1, 0);
/// kani::concrete_playback_run(vec![vec![6]], even);
/// ```
#[inline(always)]
pub fn any_where<T: Arbitrary, F: FnOnce(&T) -> bool>(condition: F) -> T {
    let value = T::any();
    assume(condition(&value));
    value
}

/// Draws a value in which every collection has at most `N` elements.
///
/// ```
/// let short = || assert!(kani::bounded_any::<Vec<u8>, 2>().len() <= 2);
/// kani::concrete_playback_run(vec![vec![1, 0, 0, 0, 0, 0, 0, 0], vec![7, 8]], short);
/// ```
#[inline(always)]
pub fn bounded_any<T: BoundedArbitrary, const N: usize>() -> T {
    T::bounded_any::<N>()
}

/// Narrows the values to those for which `condition` holds.
#[inline(always)]
pub fn assume(condition: bool) {
    symex::assume(condition)
}

/// Fails with this message unless `condition` holds.
#[inline(always)]
#[track_caller]
pub const fn assert(condition: bool, message: &'static str) {
    if !condition {
        panic!("{}", message)
    }
}

/// Fails with this message unless `condition` holds, as [`assert`](fn@assert) does.
#[inline(always)]
#[track_caller]
pub const fn check(condition: bool, message: &'static str) {
    assert(condition, message)
}

/// Fails with this message.
#[inline(always)]
#[track_caller]
pub const fn panic(message: &'static str) -> ! {
    panic!("{}", message)
}

/// Marks a condition that some value should meet.
#[inline(always)]
pub fn cover(condition: bool, message: &'static str) {
    internal::cover(condition, message)
}

/// Runs a proof on recorded values, in the order in which it draws them.
///
/// # Panics
/// Where the proof does, and where the values do not meet its assumptions.
pub fn concrete_playback_run<F: FnOnce()>(values: Vec<Vec<u8>>, proof: F) {
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    symex::with_inputs(&values, proof)
}

/// Marks a point, or a condition at a point, that some value should reach.
///
/// ```
/// # let n = 3;
/// kani::cover!();
/// kani::cover!(n > 2);
/// kani::cover!(n > 2, "n is large");
/// ```
#[macro_export]
macro_rules! cover {
    () => {
        $crate::internal::cover_at(
            true,
            $crate::internal::name(concat!("line ", line!(), " of ", file!(), "\0")),
        )
    };
    ($condition:expr $(,)?) => {
        $crate::internal::cover_at(
            $condition,
            $crate::internal::name(concat!(stringify!($condition), "\0")),
        )
    };
    ($condition:expr, $message:literal $(,)?) => {
        $crate::internal::cover_at($condition, $crate::internal::name(concat!($message, "\0")))
    };
}

/// Tells whether a conclusion holds wherever its premise does.
///
/// ```
/// assert!(kani::implies!(1 > 2 => false));
/// ```
#[macro_export]
macro_rules! implies {
    ($premise:expr => $conclusion:expr) => {
        !($premise) || ($conclusion)
    };
}
