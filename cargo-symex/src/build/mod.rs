//! The build: from a crate to linked bitcode, one program per test executable.
//!
//! [`build()`] runs cargo with this tool as the linker, which records the files of each test
//! executable; the bitcode in those files is then linked, starting from the harnesses. Nothing here
//! calls LLVM directly or executes anything.

mod bitcode_process;
mod cache;
mod cargo;
mod carried;
mod cc;
mod changed;
mod collect;
mod compile_errors;
mod diagnosis;
mod drafts;
mod error;
mod files;
mod flags;
mod fuzz;
mod header;
mod kani;
pub mod libc;
mod linker;
mod machine;
mod manifest;
mod native;
mod native_files;
pub mod object_files;
mod options;
mod parallel;
mod parts;
mod quickcheck;
mod replacement;
mod response_file;
mod sanitized;
pub mod stand_in;
mod target;
mod tools;

pub use bitcode_process::BitcodeProcess;
pub use cache::LinkedCode;
pub use cargo::{Prepared, metadata, target_dir_within};
pub use carried::{RUNTIME, install as install_runtime};
pub use compile_errors::{CompileError, ErrorPlace};
pub use diagnosis::{Diagnosis, has_runtime};
pub use drafts::{check_tests, describe, write_changed};
pub use error::BuildError;
pub use files::{FilesOptions, LinkedFiles, build_files, translate_files, translate_first};
pub use flags::Checks;
pub use fuzz::{
    FuzzInterface, INITIALISE as FUZZ_INITIALISE, INPUT_VARIABLE as FUZZ_INPUT_VARIABLE,
};
pub use header::install as install_header;
pub use native_files::NativeFiles;
pub use options::{BuildOptions, ChangedRoot, ChangedTests, Executables, OPAQUE, TargetSelection};
pub use parallel::in_parallel;
pub use sanitized::Sanitized;
pub use target::{Roots, TestTarget, build};
pub use tools::clang as c_compiler;
