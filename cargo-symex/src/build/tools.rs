//! Finds the outside programs a build needs, and says what to install when one is missing.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use super::error::BuildError;
use super::stand_in;
use symex_bitcode::toolchain::{self, Toolchain};

/// Names the variable that tells the stand-ins of a build the newest LLVM whose bitcode can be
/// read: its major version.
pub const LLVM_VARIABLE: &str = "CARGO_SYMEX_LLVM";

/// The oldest clang version that is looked for.
const OLDEST_CLANG: u32 = 14;

/// Returns the newest LLVM version whose bitcode can be read, which is that of the Rust toolchain.
/// Without a toolchain, any version will do.
pub fn newest_llvm() -> u32 {
    let told = std::env::var(LLVM_VARIABLE).ok();
    told.and_then(|major| major.parse().ok())
        .or_else(|| Some(toolchain()?.llvm_major()))
        .unwrap_or(u32::MAX)
}

/// Returns the toolchain that cargo uses in the current directory, looked up once per process.
fn toolchain() -> Option<&'static Toolchain> {
    static TOOLCHAIN: OnceLock<Option<Toolchain>> = OnceLock::new();
    TOOLCHAIN
        .get_or_init(|| Toolchain::on_path(None).ok())
        .as_ref()
}

/// Returns the flags that make a C compiler link with the lld of a toolchain, by default that of
/// the current directory. If the toolchain brings no lld, the compiler's own choice is used.
pub fn lld_flags(sysroot: Option<&Path>) -> Vec<OsString> {
    let sysroot = sysroot.or_else(|| Some(&toolchain()?.sysroot));
    let directory = sysroot.and_then(toolchain::lld_directory);
    let prefix = directory.map(|directory| {
        let mut flag = OsString::from("-B");
        flag.push(directory);
        flag
    });
    prefix.into_iter().chain(["-fuse-ld=lld".into()]).collect()
}

/// Returns `clang`, or `clang++` with `cxx`, of the newest version whose bitcode the toolchain's
/// LLVM reads. Looks for names with a version, on the path and where LLVM's packages are, then for
/// the plain name.
pub fn clang(cxx: bool) -> PathBuf {
    let plain = if cxx { "clang++" } else { "clang" };
    // The fallback has a version, because a stand-in with the plain name would look here again, and
    // because the error then names the wanted version.
    let newest = newest_llvm();
    llvm_tool(plain, newest).unwrap_or_else(|| PathBuf::from(format!("{plain}-{newest}")))
}

/// Reports whether a clang of at most this version is installed.
pub fn has_clang(newest: u32) -> bool {
    llvm_tool("clang", newest).is_some()
}

/// Returns the major version of a clang, by its name or its output; `None` if neither tells.
pub fn clang_major(clang: &Path) -> Option<u32> {
    let name = clang.file_name()?.to_str()?;
    if let Some((_, version)) = name.rsplit_once('-')
        && let Ok(major) = version.parse()
    {
        return Some(major);
    }
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, version) = text.split_once("version ")?;
    version.split('.').next()?.trim().parse().ok()
}

/// Returns the path of `llvm-ar`, if it is installed. The system's `ar` may have a plugin for
/// another version of LLVM.
pub fn archiver() -> Option<PathBuf> {
    llvm_tool("llvm-ar", newest_llvm())
}

/// Returns the path of `llvm-symbolizer`, if it is installed; it names the places of addresses in
/// executables.
pub fn symbolizer() -> Option<PathBuf> {
    llvm_tool("llvm-symbolizer", newest_llvm())
}

fn llvm_tool(plain: &str, newest: u32) -> Option<PathBuf> {
    let versions = (OLDEST_CLANG..=newest.min(NEWEST_CLANG)).rev();
    let by_version = |major: u32| {
        let packaged = || PathBuf::from(format!("/usr/lib/llvm-{major}/bin/{plain}"));
        on_path(OsStr::new(&format!("{plain}-{major}")))
            .or_else(|| Some(packaged()).filter(|file| file.is_file()))
    };
    let by_name = || {
        let found = on_path(OsStr::new(plain))?;
        clang_major(&found)
            .is_some_and(|major| major <= newest)
            .then_some(found)
    };
    versions.filter_map(by_version).next().or_else(by_name)
}

/// The newest clang version that is looked for if any will do.
const NEWEST_CLANG: u32 = 40;

/// Returns the C compiler that links programs; any will do, as for rustc.
pub fn linker_driver() -> PathBuf {
    on_path(OsStr::new("cc")).unwrap_or_else(|| clang(false))
}

/// Returns the cargo to run: the one that runs us, or the one on the path.
pub fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns the error for a tool that did not start.
pub fn not_started(tool: &Path, source: std::io::Error) -> BuildError {
    let name = tool
        .file_name()
        .unwrap_or(tool.as_os_str())
        .to_string_lossy()
        .into_owned();
    let newest = newest_llvm();
    let hint = if name.starts_with("clang") {
        reads_c(newest)
    } else {
        "install Rust from https://rustup.rs".to_owned()
    };
    BuildError::Tool {
        tool: name,
        source,
        hint,
    }
}

/// Says what is needed to read C, for a toolchain with this LLVM version.
pub fn reads_c(newest: u32) -> String {
    format!(
        "C is read by clang, of a version up to {newest}, which is the LLVM of the Rust toolchain (Debian and Ubuntu: \
         `apt install clang`, or a newer one from apt.llvm.org)"
    )
}

/// Runs a tool and returns its output.
pub fn output(command: &mut Command) -> Result<Output, BuildError> {
    let tool = PathBuf::from(command.get_program());
    command
        .output()
        .map_err(|source| not_started(&tool, source))
}

/// Returns the path of a program on the path, our own stand-ins excluded.
pub fn on_path(name: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let ours = stand_in::plain_directory();
    std::env::split_paths(&path)
        .filter(|dir| Some(dir) != ours.as_ref())
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}
