//! Tests that need something a machine may lack: other toolchains, crates from the network, the
//! source of musl, a collection of samples, the right to mount.
//!
//! If it is missing, the test is shown as ignored, with the reason, so that the output tells what
//! was tested. Libtest decides at compile time which tests are ignored; hence this program, apart
//! from `tests/main.rs`.

mod bolero;
mod book;
mod cluster;
mod fuzz;
mod libc;
mod mounted;
mod page;
mod proptest;
mod quickcheck;
mod samples;
#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;
mod toolchains;

use libtest_mimic::{Arguments, Completion, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = libc::trials();
    trials.extend(fuzz::trials());
    trials.extend(mounted::trials());
    trials.extend(bolero::trials());
    trials.extend(book::trials());
    trials.extend(page::trials());
    trials.extend(cluster::trials());
    trials.extend(proptest::trials());
    trials.extend(quickcheck::trials());
    trials.extend(samples::trials());
    trials.extend(toolchains::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

/// Returns a test that needs something; `needed` provides it, or says why it is missing.
fn trial<T>(
    name: String,
    needed: impl FnOnce() -> Result<T, String> + Send + 'static,
    test: impl FnOnce(T) + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || {
        Ok(match needed() {
            Ok(needed) => {
                test(needed);
                Completion::Completed
            }
            Err(reason) => Completion::ignored_with(reason),
        })
    })
}
