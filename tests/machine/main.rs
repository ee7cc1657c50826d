//! Tests of what a machine may lack: other toolchains, the source of musl, a collection of samples,
//! the right to mount.
//!
//! Where it is missing, a test shows as ignored, with the reason, so that a run says what it was
//! made with. Libtest decides that when tests are compiled; hence this program apart from
//! `tests/main.rs`.

mod libc;
mod mounted;
mod samples;
#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;
mod toolchains;

use libtest_mimic::{Arguments, Completion, Trial};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = libc::trials();
    trials.extend(mounted::trials());
    trials.extend(samples::trials());
    trials.extend(toolchains::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test of something that may be missing; `needed` gives it, or says why it is not there.
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
