//! Fuzz targets: binaries that are made for libFuzzer, and are built without it.
//!
//! The crate `libfuzzer-sys` can be told to link another library than the libFuzzer that comes with
//! it. It is given an empty one: nothing of libFuzzer is compiled. In a native run, a driver of our
//! own calls the target, once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::BuildError;
use super::{native, object_files};
use symex_abi::{EXIT_ASSUMPTION, EXIT_BAD_INPUTS};

/// Flags that cargo-fuzz gives to rustc as well.
pub const FLAGS: [&str; 2] = ["--cfg=fuzzing", "--check-cfg=cfg(fuzzing)"];

/// The function that `fuzz_target!` defines, and the one that libFuzzer calls.
const TARGETS: [&str; 2] = ["rust_fuzzer_test_input", "LLVMFuzzerTestOneInput"];

/// The function that libFuzzer calls once before.
pub const INITIALISE: &str = "LLVMFuzzerInitialize";

/// Source of the driver that calls a target natively.
const DRIVER: &str = include_str!("fuzz_driver.c");

/// An archive without members.
const EMPTY_ARCHIVE: &[u8] = b"!<arch>\n";

/// Returns the variables that make `libfuzzer-sys` do without libFuzzer.
pub fn library_variables(target_dir: &Path) -> [(&'static str, OsString); 2] {
    let library = target_dir.join("libsymex_no_fuzzer.a");
    // If it cannot be written, the build says so.
    let _ = std::fs::create_dir_all(target_dir);
    let is_there = std::fs::read(&library).is_ok_and(|bytes| bytes == EMPTY_ARCHIVE);
    if !is_there {
        let _ = std::fs::write(&library, EMPTY_ARCHIVE);
    }
    [
        ("CUSTOM_LIBFUZZER_PATH", library.into_os_string()),
        ("CUSTOM_LIBFUZZER_STD_CXX", "none".into()),
    ]
}

/// Returns the function of a fuzz target that is called with inputs, if one of these object files
/// of its crate defines it.
pub fn target_function(objects: &[PathBuf]) -> Result<Option<&'static str>, BuildError> {
    for name in TARGETS {
        for object in objects {
            let mentions = object_files::mentions(object, name.as_bytes());
            if mentions.map_err(BuildError::file("reading", object))? {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}

/// Returns the native executable of a fuzz target, which takes a file with the input; it is linked
/// on first use.
pub fn native_executable(placeholder: &Path) -> Result<PathBuf, BuildError> {
    let codes =
        format!("#define REJECTED {EXIT_ASSUMPTION}\n#define UNREADABLE {EXIT_BAD_INPUTS}\n");
    let source = codes + DRIVER;
    native::executable_with(placeholder, Some(&source))
}
