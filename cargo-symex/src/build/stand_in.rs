//! Other roles of the `cargo-symex` executable: linker, C compiler, Rust compiler, starter of an
//! executable not yet linked, and bitcode process.
//!
//! The name under which it is started selects the role. For the roles that other programs start,
//! the build puts links into a directory of the target directory. Environment variables would be
//! seen by everything that a build starts; a name only by the program it is given to.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::error::BuildError;
use super::{bitcode_process, cc, header, linker, native, replacement, tools};

const LINKER: &str = "symex-ld";
const C_COMPILER: &str = "symex-cc";
const CXX_COMPILER: &str = "symex-c++";
const RUST_COMPILER: &str = "symex-rustc";
const STARTER: &str = "symex-start";
/// Names under which build scripts start a C compiler without asking for its path, and whether it
/// compiles C++.
const PLAIN_COMPILERS: [(&str, bool); 6] = [
    ("cc", false),
    ("gcc", false),
    ("clang", false),
    ("c++", true),
    ("g++", true),
    ("clang++", true),
];
/// The subdirectory for the links with plain names.
const PLAIN_DIRECTORY: &str = "plain";
/// Names the variable that tells a stand-in with a plain name where the links are.
pub(super) const DIRECTORY_VARIABLE: &str = "CARGO_SYMEX_STAND_INS";
/// Name of the bitcode process. Only this tool starts it, so it needs no link.
pub(super) const BITCODE_PROCESS: &str = "symex-bitcode";

/// The links to this executable in one target directory.
pub struct StandIns {
    directory: PathBuf,
}

impl StandIns {
    /// Creates the links, unless they exist.
    pub fn install(executable: &Path, target_dir: &Path) -> Result<Self, BuildError> {
        let unwritable = |source| BuildError::TargetDir {
            path: target_dir.to_owned(),
            source,
        };
        let directory = target_dir.join("stand-ins");
        let plain = directory.join(PLAIN_DIRECTORY);
        std::fs::create_dir_all(&plain).map_err(unwritable)?;
        link(executable, &directory, LINKER).map_err(unwritable)?;
        // Linked to the first, which may be a copy of the executable.
        let first = directory.join(LINKER);
        for name in [C_COMPILER, CXX_COMPILER, STARTER] {
            link(&first, &directory, name).map_err(unwritable)?;
        }
        for (name, _) in PLAIN_COMPILERS {
            link(&first, &plain, name).map_err(unwritable)?;
        }
        let stand_ins = StandIns { directory };
        header::install(&cc::headers_beside(&stand_ins.c_compiler()))?;
        Ok(stand_ins)
    }

    /// Puts the compilers with plain names at the front of the path, for build scripts or `make`
    /// that start them by name.
    pub fn put_on_path(&self, command: &mut Command) {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let plain = self.directory.join(PLAIN_DIRECTORY);
        let all = std::iter::once(plain).chain(std::env::split_paths(&path));
        // A directory with a colon in its name cannot be on the path; such scripts then compile as
        // usual.
        if let Ok(all) = std::env::join_paths(all) {
            command.env("PATH", all);
            command.env(DIRECTORY_VARIABLE, &self.directory);
        }
    }

    /// Returns the path that rustc uses as linker.
    pub fn linker(&self) -> PathBuf {
        self.directory.join(LINKER)
    }

    /// Returns the path that cargo starts in the place of rustc, with rustc's path first. It is in
    /// a directory of its own by this name, which is created.
    pub fn rust_compiler(&self, directory: &str) -> Result<PathBuf, BuildError> {
        let directory = self.directory.join(directory);
        std::fs::create_dir_all(&directory)
            .and_then(|()| link(&self.directory.join(LINKER), &directory, RUST_COMPILER))
            .map_err(BuildError::file("creating", &directory))?;
        Ok(directory.join(RUST_COMPILER))
    }

    /// Returns the path that build scripts use as C compiler.
    pub fn c_compiler(&self) -> PathBuf {
        self.directory.join(C_COMPILER)
    }

    /// Returns the path that build scripts use as C++ compiler.
    pub fn cxx_compiler(&self) -> PathBuf {
        self.directory.join(CXX_COMPILER)
    }
}

/// Creates a link to the executable, unless it exists. If possible the link holds the file itself,
/// because the file at its path may be replaced while a build goes on.
fn link(executable: &Path, directory: &Path, name: &str) -> std::io::Result<()> {
    let link = directory.join(name);
    if is_same(&link, executable) {
        return Ok(());
    }
    // Replaced by renaming, so that a build that runs at the same time never finds it missing.
    let fresh = directory.join(format!("{name}.{}", std::process::id()));
    let _ = std::fs::remove_file(&fresh);
    match std::fs::canonicalize(executable) {
        Ok(path) if is_same(&path, executable) => std::fs::hard_link(&path, &fresh)
            .or_else(|_| std::os::unix::fs::symlink(&path, &fresh))?,
        // The executable is running but has no path any more.
        _ => std::fs::copy(executable, &fresh).map(drop)?,
    }
    std::fs::rename(&fresh, &link)
}

/// Reports whether two paths lead to the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (std::fs::metadata(one), std::fs::metadata(other)) else {
        return false;
    };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Returns the directory of compilers with plain names, if it is on the path.
pub(super) fn plain_directory() -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os(DIRECTORY_VARIABLE)?).join(PLAIN_DIRECTORY))
}

/// Acts as a compiler that was started by a plain name: what a build script compiles for the
/// program becomes bitcode; everything else is passed to the real compiler of that name.
fn plain(name: &str, cxx: bool, arguments: Vec<OsString>) -> Result<ExitCode, BuildError> {
    if let Some(directory) = std::env::var_os(DIRECTORY_VARIABLE)
        && cc::in_build_script()
    {
        let compiler = if cxx { CXX_COMPILER } else { C_COMPILER };
        return cc::run(&Path::new(&directory).join(compiler), cxx, arguments);
    }
    let real = tools::on_path(OsStr::new(name));
    let real = real.unwrap_or_else(|| Path::new("/usr/bin").join(name));
    let error = Command::new(&real).args(arguments).exec();
    Err(tools::not_started(&real, error))
}

/// Returns the starter that belongs to the linker of this name.
pub(super) fn starter_beside(linker: &Path) -> PathBuf {
    linker.with_file_name(STARTER)
}

/// Plays the role that the name selects; `None` if this is an ordinary run of the command.
pub fn dispatch(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter();
    let started_as = PathBuf::from(arguments.next()?);
    let name = started_as.file_name()?.to_str()?;
    if let Some((name, cxx)) = PLAIN_COMPILERS.iter().find(|known| known.0 == name) {
        return Some(ended(plain(name, *cxx, arguments.collect())));
    }
    let result = match name {
        LINKER => linker::run(&started_as, arguments.collect()),
        C_COMPILER => cc::run(&started_as, false, arguments.collect()),
        CXX_COMPILER => cc::run(&started_as, true, arguments.collect()),
        RUST_COMPILER => replacement::compile(&started_as, arguments.collect()),
        STARTER => native::start(arguments.collect()),
        BITCODE_PROCESS => bitcode_process::run().map(|never| match never {}),
        _ => return None,
    };
    Some(ended(result))
}

fn ended(result: Result<ExitCode, BuildError>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("error: failed to build: {error}");
        ExitCode::FAILURE
    })
}
