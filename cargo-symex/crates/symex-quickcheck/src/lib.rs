//! The library `quickcheck` of `cargo symex --quickcheck`, in the place of the one of that name.
//!
//! It has the names of quickcheck 1, or with `before_1` those of 0.7 to 0.9, so that tests compile
//! unchanged. A property is checked in one
//! case, whose arguments are drawn by symex-runtime and stand for all values; it fails by a panic.
//! Nothing is made smaller: the engine does that.

mod drawing;
mod lengths;
#[macro_use]
#[cfg_attr(before_1, path = "generator_before_1.rs")]
mod generator;
mod arbitrary;
#[cfg(before_1)]
mod numbers_before_1;
mod tester;

pub use arbitrary::{Arbitrary, NoShrink, empty_shrinker, single_shrinker};
pub use generator::Gen;
#[cfg(before_1)]
pub use generator::{StdGen, StdThreadGen};
pub use tester::{QuickCheck, TestResult, Testable, quickcheck};

/// Makes tests of functions with arguments, as quickcheck's macro of that name does.
#[macro_export]
macro_rules! quickcheck {
    (@as_items $($i:item)*) => ($($i)*);
    {
        $(
            $(#[$m:meta])*
            fn $fn_name:ident($($arg_name:ident : $arg_ty:ty),*) -> $ret:ty {
                $($code:tt)*
            }
        )*
    } => (
        $crate::quickcheck! {
            @as_items
            $(
                #[test]
                $(#[$m])*
                fn $fn_name() {
                    fn prop($($arg_name: $arg_ty),*) -> $ret {
                        $($code)*
                    }
                    $crate::quickcheck(prop as fn($($arg_ty),*) -> $ret);
                }
            )*
        }
    )
}
