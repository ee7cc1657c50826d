//! Errors on the way from a crate to its bitcode. Texts read after "failed to build: ".

use std::path::{Path, PathBuf};

use super::diagnosis::Diagnosis;
use super::object_files::ObjectFileError;
use symex_bitcode::LoadError;
use symex_bitcode::link::LinkError;
use symex_program::store::StoreError;

/// Reasons for which there is no program to execute.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The crate does not compile. The compiler has said why.
    #[error("the crate does not compile")]
    Compile(Diagnosis),
    /// Cargo refused before it compiled anything, and has said why.
    #[error("cargo stopped ({status})")]
    Cargo { status: std::process::ExitStatus },
    /// The crate is to be compiled for another machine.
    #[error(
        "{by} asks for {triple}, but harnesses run on the machine that explores them, {host}, only"
    )]
    OtherMachine {
        by: &'static str,
        triple: String,
        host: String,
    },
    /// The toolchain does not say where references are made.
    #[error(
        "--aliasing needs Rust 1.{oldest} or newer, whose rustc says where references are made, and the toolchain is {release}: choose another, as by `cargo +nightly symex`"
    )]
    NoRetags { oldest: u32, release: String },
    /// A tool could not be started.
    #[error("{tool} could not be started: {source}; {hint}")]
    Tool {
        tool: String,
        source: std::io::Error,
        hint: String,
    },
    /// An answer of `cargo metadata`, `rustc -vV` or the like could not be used.
    #[error("{tool} gave an answer that cannot be used: {reason}")]
    ToolAnswer { tool: String, reason: String },
    /// Builds of other packages go on in the target directory, and put their executables in place
    /// of this one's.
    #[error(
        "{path} is of another package again and again, whose build uses the same target directory; name another one with --target-dir"
    )]
    Taken { path: PathBuf },
    /// The target directory cannot be written to.
    #[error(
        "the target directory {path} cannot be written to: {source}; name another one with --target-dir or CARGO_TARGET_DIR"
    )]
    TargetDir {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A file of the tool's own could not be read or written.
    #[error("{action} {path}: {source}")]
    File {
        action: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    /// A link manifest could not be parsed.
    #[error("the link manifest {path} cannot be used: {reason}")]
    Manifest { path: PathBuf, reason: String },
    /// A file on the link line could not be read.
    #[error("reading {0}")]
    ObjectFile(#[from] ObjectFileError),
    /// A file that was given as a program contains no code.
    #[error("{path} is neither bitcode nor an object file, an archive or a source")]
    NotAProgram { path: PathBuf },
    /// No LLVM was found that can read the bitcode. The text says what is missing.
    #[error("{0}")]
    NoLlvm(String),
    /// The bitcode could not be linked.
    #[error("linking the bitcode of {target}: {source}")]
    Link { target: String, source: LinkError },
    /// The linked bitcode could not be translated.
    #[error("translating: failed to {0}")]
    Translate(LoadError),
    /// A program stored by an earlier run could not be read, nor built again.
    #[error("failed to {0}")]
    Stored(StoreError),
    /// LLVM crashed on the bitcode or did not terminate.
    #[error("{what}: LLVM cannot {verb} this bitcode ({how})")]
    LlvmCrashed {
        what: String,
        verb: &'static str,
        how: String,
    },
    /// The bitcode process was killed by another process, or by the system for lack of memory.
    #[error("{what}: the process that reads bitcode was ended from outside ({status})")]
    Stopped {
        what: String,
        status: std::process::ExitStatus,
    },
    /// The bitcode process exited by itself without an answer.
    #[error("{what}: the process that reads bitcode gave up ({status}): {printed}")]
    NoAnswer {
        what: String,
        status: std::process::ExitStatus,
        printed: String,
    },
    /// The native executable, needed to replay a finding, could not be linked.
    #[error("linking natively: {reason}")]
    NativeLink { reason: String },
    /// A library that this tool carries does not build. Cargo has said why.
    #[error("the library `{name}`, which comes with this command, does not build")]
    Carried { name: &'static str, offline: bool },
    /// rustdoc did not describe the crate. Cargo has said why.
    #[error("rustdoc does not describe the crate")]
    NoDescription,
    /// An optional component is not installed.
    #[error("{what} is not installed (Debian: {package})")]
    NotInstalled { what: &'static str, package: String },
}

impl BuildError {
    /// Returns the error for a file of the tool's own.
    pub(super) fn file(
        action: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| BuildError::File {
            action,
            path,
            source,
        }
    }
}
