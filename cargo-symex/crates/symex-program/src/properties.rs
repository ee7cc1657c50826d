//! Names of the functions by which tests of properties get their inputs and run their cases: those
//! that the engine has to see the calls of. They are proptest's, and of what it uses of rand.

use crate::rust_path::{TraitMethod, without_arguments};

/// The module of the runner.
pub const RUNNER: &str = "proptest::test_runner::";

/// Runs one case.
pub const RUN_CASE: &str = "<proptest::test_runner::runner::TestRunner>::gen_and_run_case";

/// Calls the test of a case, and catches its panics.
pub const CALL_TEST: &str = "proptest::test_runner::runner::call_test";

/// Makes the values of a case that failed smaller.
pub const SHRINK: &str = "<proptest::test_runner::runner::TestRunner>::shrink";

/// Count rejected cases, and rejected values.
pub const REJECT: [&str; 2] = [
    "<proptest::test_runner::runner::TestRunner>::reject_global",
    "<proptest::test_runner::runner::TestRunner>::reject_local",
];

/// Makes the error of a failed case.
pub const FAIL: &str = "<proptest::test_runner::errors::TestCaseError>::fail";

/// Settings that have cases run in other processes.
pub const PROCESSES: [&str; 2] = [
    "<proptest::test_runner::config::Config>::fork",
    "<proptest::test_runner::config::Config>::timeout",
];

/// Makes the seed of a generator from another one.
pub const NEW_SEED: &str = "<proptest::test_runner::rng::TestRng>::new_rng_seed";

/// Give a word of the generator.
pub const WORDS: [&str; 4] = [
    "<proptest::test_runner::rng::TestRng as rand_core::RngCore>::next_u32",
    "<proptest::test_runner::rng::TestRng as rand_core::RngCore>::next_u64",
    "<proptest::test_runner::rng::TestRng as rand_core::TryRng>::try_next_u32",
    "<proptest::test_runner::rng::TestRng as rand_core::TryRng>::try_next_u64",
];

/// Give bytes of the generator.
pub const BYTES: [&str; 3] = [
    "<proptest::test_runner::rng::TestRng as rand_core::RngCore>::fill_bytes",
    "<proptest::test_runner::rng::TestRng as rand_core::RngCore>::try_fill_bytes",
    "<proptest::test_runner::rng::TestRng as rand_core::TryRng>::try_fill_bytes",
];

/// Multiply a word of a generator by the size of a range, for a value in the range: in rand before
/// 0.9, and since.
pub const MULTIPLY: [&str; 2] = [
    "rand::distributions::utils::WideningMultiply::wmul",
    "rand::distr::utils::WideningMultiply::wmul",
];

/// Traits whose methods multiply so.
const SAMPLERS: [&str; 2] = [
    "rand::distributions::uniform::UniformSampler",
    "rand::distr::uniform::UniformSampler",
];

/// Reports whether a function, by its demangled name, is one of these.
pub fn is_of_properties(display: &str) -> bool {
    let path = without_arguments(display);
    let single = [RUN_CASE, CALL_TEST, SHRINK, FAIL, NEW_SEED];
    let all = [&single[..], &REJECT, &PROCESSES, &WORDS, &BYTES];
    all.concat().contains(&path)
        || TraitMethod::of(display).is_some_and(|method| {
            MULTIPLY.iter().any(|path| method.is(path)) || SAMPLERS.contains(&method.trait_path)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for name in [
            "proptest::test_runner::runner::call_test::<u8, fn(u8) -> T>",
            "<proptest::test_runner::runner::TestRunner>::shrink::<A, B>",
            "<proptest::test_runner::rng::TestRng as rand_core::RngCore>::next_u32",
            "<u32 as rand::distr::utils::WideningMultiply>::wmul",
            "<rand::distr::uniform::int::UniformInt<u8> as rand::distr::uniform::UniformSampler>::sample::<R>",
        ] {
            assert!(is_of_properties(name), "{name}");
        }
        for name in [
            "<u32 as user::WideningMultiply>::wmul",
            "<proptest::test_runner::runner::TestRunner>::run::<A, B>",
            "call_test",
        ] {
            assert!(!is_of_properties(name), "{name}");
        }
    }
}
