//! Finds the outside programs a build needs, and says what to install when one is missing.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::error::BuildError;
use super::stand_in;

/// The major version of LLVM whose clang and lld are used: that of the bitcode reader this tool is built with.
const LLVM_VERSION: u32 = 22;

const INSTALL_CLANG: &str =
    "install clang and lld 22 (Debian and Ubuntu: `apt install clang-22 lld-22`, see apt.llvm.org)";

/// `clang`, or `clang++` with `cxx`: looked for as `clang-22` on the path, then where LLVM's packages put it, then plain.
pub fn clang(cxx: bool) -> PathBuf {
    let plain = if cxx { "clang++" } else { "clang" };
    let plain_name = || on_path(OsStr::new(plain));
    let found = llvm_tool(plain).or_else(plain_name);
    // A name that no stand-in of ours has, which would look here again.
    found.unwrap_or_else(|| PathBuf::from(format!("{plain}-{LLVM_VERSION}")))
}

/// `llvm-ar`, if it is installed. The system's `ar` may have a plugin for another version of LLVM.
pub fn archiver() -> Option<PathBuf> {
    llvm_tool("llvm-ar")
}

/// `llvm-symbolizer`, if it is installed: names the places of addresses in executables.
pub fn symbolizer() -> Option<PathBuf> {
    llvm_tool("llvm-symbolizer")
}

fn llvm_tool(plain: &str) -> Option<PathBuf> {
    let versioned = format!("{plain}-{LLVM_VERSION}");
    let packaged = || PathBuf::from(format!("/usr/lib/llvm-{LLVM_VERSION}/bin/{plain}"));
    on_path(OsStr::new(&versioned)).or_else(|| Some(packaged()).filter(|file| file.is_file()))
}

/// Cargo: the one that runs us, or the one on the path.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The error for a tool that did not start.
pub fn not_started(tool: &Path, source: std::io::Error) -> BuildError {
    let name = tool
        .file_name()
        .unwrap_or(tool.as_os_str())
        .to_string_lossy()
        .into_owned();
    let hint = if name.starts_with("clang") {
        INSTALL_CLANG
    } else {
        "install Rust from https://rustup.rs"
    };
    BuildError::Tool {
        tool: name,
        source,
        hint: hint.to_owned(),
    }
}

/// Runs a tool and returns what it says.
pub fn output(command: &mut Command) -> Result<Output, BuildError> {
    let tool = PathBuf::from(command.get_program());
    command
        .output()
        .map_err(|source| not_started(&tool, source))
}

/// Where a program is on the path, our own stand-ins left out.
pub fn on_path(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let ours = stand_in::plain_directory();
    std::env::split_paths(&path)
        .filter(|dir| Some(dir) != ours.as_ref())
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}
