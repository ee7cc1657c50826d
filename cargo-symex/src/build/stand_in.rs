//! The `cargo-symex` executable in another part: as linker, C compiler, starter of an executable not yet linked, or process
//! that reads bitcode.
//!
//! Which part is told by the name it is started under: for those whom others start, the build puts symbolic links into a
//! directory of the target directory. Variables would be seen by everything a build starts, names only by whom they are given to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::error::BuildError;
use super::{bitcode_process, cc, header, linker, native};

const LINKER: &str = "symex-ld";
const C_COMPILER: &str = "symex-cc";
const CXX_COMPILER: &str = "symex-c++";
const STARTER: &str = "symex-start";
/// Started by this tool only, so it needs no link.
pub(super) const BITCODE_PROCESS: &str = "symex-bitcode";

/// The links to this executable in one target directory.
pub struct StandIns {
    directory: PathBuf,
}

impl StandIns {
    /// Makes the links, or finds them made.
    pub fn install(executable: &Path, target_dir: &Path) -> Result<Self, BuildError> {
        let unwritable = |source| BuildError::TargetDir {
            path: target_dir.to_owned(),
            source,
        };
        let directory = target_dir.join("stand-ins");
        std::fs::create_dir_all(&directory).map_err(unwritable)?;
        for name in [LINKER, C_COMPILER, CXX_COMPILER, STARTER] {
            let link = directory.join(name);
            if std::fs::read_link(&link).is_ok_and(|known| known == executable) {
                continue;
            }
            // Replaced by renaming, so that a build that runs at the same time never finds it missing.
            let fresh = directory.join(format!("{name}.{}", std::process::id()));
            let _ = std::fs::remove_file(&fresh);
            std::os::unix::fs::symlink(executable, &fresh).map_err(unwritable)?;
            std::fs::rename(&fresh, &link).map_err(unwritable)?;
        }
        let stand_ins = StandIns { directory };
        header::install(&cc::headers_beside(&stand_ins.c_compiler()))?;
        Ok(stand_ins)
    }

    /// What rustc gets as linker.
    pub fn linker(&self) -> PathBuf {
        self.directory.join(LINKER)
    }

    /// What build scripts get as C compiler.
    pub fn c_compiler(&self) -> PathBuf {
        self.directory.join(C_COMPILER)
    }

    /// What build scripts get as C++ compiler.
    pub fn cxx_compiler(&self) -> PathBuf {
        self.directory.join(CXX_COMPILER)
    }
}

/// The starter that belongs to the linker of this name.
pub(super) fn starter_beside(linker: &Path) -> PathBuf {
    linker.with_file_name(STARTER)
}

/// Plays the part that the name asks for; `None` when this is an ordinary run of the command.
pub fn dispatch(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter();
    let started_as = PathBuf::from(arguments.next()?);
    let result = match started_as.file_name()?.to_str()? {
        LINKER => linker::run(&started_as, arguments.collect()),
        C_COMPILER => cc::run(&started_as, false, arguments.collect()),
        CXX_COMPILER => cc::run(&started_as, true, arguments.collect()),
        STARTER => native::start(arguments.collect()),
        BITCODE_PROCESS => bitcode_process::run(),
        _ => return None,
    };
    Some(result.unwrap_or_else(|error| {
        eprintln!("error: failed to build: {error}");
        ExitCode::FAILURE
    }))
}
