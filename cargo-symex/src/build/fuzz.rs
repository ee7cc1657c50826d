//! Fuzz targets: binaries that are made for a fuzzer, and are built without it.
//!
//! The crate `libfuzzer-sys` can be told to link another library than the libFuzzer that comes with
//! it. It is given an empty one: nothing of libFuzzer is compiled. In a native run, a driver of our
//! own calls the target, once. The crates `afl` and `honggfuzz` link nothing by themselves; in a
//! native run, what they call is defined by a driver of our own.

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

/// Functions by which programs ask AFL and honggfuzz for their inputs.
const REQUESTS: [&str; 2] = ["__afl_persistent_loop", "HF_ITER"];

/// The variable that names the file with the input of a native run of a program.
pub const INPUT_VARIABLE: &str = "SYMEX_FUZZ_INPUT";

/// Source by which both drivers read the input.
const INPUT: &str = include_str!("fuzz_input.c");

/// Source of the driver that calls a target natively.
const DRIVER: &str = include_str!("fuzz_driver.c");

/// Source of what programs ask for their inputs natively.
const PROGRAM_DRIVER: &str = include_str!("fuzz_program.c");

/// The way in which a fuzz target gets its input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FuzzInterface {
    /// libFuzzer calls the function of this symbol with it.
    Called(&'static str),
    /// `main` asks AFL or honggfuzz for it.
    Asks,
}

impl FuzzInterface {
    /// Returns the symbol of the function with which the target begins.
    pub fn symbol(self) -> &'static str {
        match self {
            FuzzInterface::Called(symbol) => symbol,
            FuzzInterface::Asks => "main",
        }
    }
}

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

/// Returns how a fuzz target gets its input, if these object files of its crate are of one.
pub fn interface(objects: &[PathBuf]) -> Result<Option<FuzzInterface>, BuildError> {
    let called = TARGETS.map(|name| (name, FuzzInterface::Called(name)));
    let asks = REQUESTS.map(|name| (name, FuzzInterface::Asks));
    for (name, interface) in called.into_iter().chain(asks) {
        for object in objects {
            let mentions = object_files::mentions(object, name.as_bytes());
            if mentions.map_err(BuildError::file("reading", object))? {
                return Ok(Some(interface));
            }
        }
    }
    Ok(None)
}

/// Returns the native executable of a fuzz target, which takes a file with the input: as its
/// argument if it is called with it, else in [`INPUT_VARIABLE`]. It is linked on first use.
pub fn native_executable(
    placeholder: &Path,
    interface: FuzzInterface,
) -> Result<PathBuf, BuildError> {
    let driver = match interface {
        FuzzInterface::Called(_) => DRIVER,
        FuzzInterface::Asks => PROGRAM_DRIVER,
    };
    let source = format!(
        "#define REJECTED {EXIT_ASSUMPTION}\n#define UNREADABLE {EXIT_BAD_INPUTS}\n\
         #define VARIABLE \"{INPUT_VARIABLE}\"\n{INPUT}{driver}"
    );
    native::executable_with(placeholder, Some(&source))
}
