//! Clean environment of tests: environment variables that could influence the results are removed
//! before `main` runs, when no other thread reads them. Processes that the tests start inherit the
//! rest, and so does the code under test in their own process.

use rustix::io::{FdFlags, fcntl_setfd};
use std::ffi::OsStr;
use std::os::fd::BorrowedFd;

/// Variables that are kept, given by prefix if the name ends in a star: locations of programs,
/// homes and temporary files, network access, and settings of the tests themselves.
const KEPT: [&str; 26] = [
    "ALL_PROXY",
    "CARGO",
    "CARGO_HOME",
    "CARGO_HTTP_*",
    "CARGO_NET_*",
    "CARGO_REGISTRIES_*",
    "CARGO_SOURCE_*",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LD_LIBRARY_PATH",
    "LLVM_PROFILE_FILE",
    "NO_PROXY",
    "PATH",
    "RUSTUP_*",
    "RUST_BACKTRACE",
    "RUST_TEST_*",
    "SNAPSHOTS",
    "SSL_CERT_*",
    "SYMEX_SAMPLES",
    "SYMEX_TEST_*",
    "TMPDIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

fn is_kept(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    KEPT.iter().any(|kept| match kept.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *kept,
    })
}

/// Removes all other variables; for [`clear_at_start`](crate::clear_at_start) only.
pub extern "C" fn clear() {
    // Nor are files open that the tests were started with: programs see the numbers of descriptors.
    for number in 3..1024 {
        // SAFETY: it is used for this call only, which fails if there is no such descriptor.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
    }
    for (name, _) in std::env::vars_os() {
        if !is_kept(&name) {
            // SAFETY: the loader calls this before the process has another thread.
            unsafe { std::env::remove_var(name) };
        }
    }
}

/// Makes a test program start with a clean environment.
#[macro_export]
macro_rules! clear_at_start {
    () => {
        #[used]
        #[unsafe(link_section = ".init_array")]
        static CLEAR_AT_START: extern "C" fn() = $crate::start::clear;
    };
}

#[cfg(test)]
clear_at_start!();

#[test]
fn what_is_not_for_the_tests_is_removed() {
    for (name, kept) in [
        ("PATH", true),
        ("CARGO_HTTP_PROXY", true),
        ("SYMEX_TEST_SEED", true),
        ("SYMEX_TIMEOUT", false),
        ("CARGO_TERM_COLOR", false),
        ("CI", false),
        ("LC_ALL", false),
    ] {
        assert_eq!(is_kept(OsStr::new(name)), kept, "{name}");
    }
    // Cargo sets it for every test.
    assert_eq!(std::env::var_os("CARGO_MANIFEST_DIR"), None);
}
