//! Replacement of a published crate by a library of ours, which has the same names.
//!
//! Cargo starts our stand-in for rustc. When the crate is to be compiled, rustc is given our source
//! file instead. So no manifest and no lock file is touched, and whatever depends on the crate is
//! compiled against ours.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use super::error::BuildError;
use super::tools;

/// A crate that is replaced.
pub(super) struct Replacement {
    /// Name of the crate, and of its package.
    pub name: &'static str,
    /// First number of the versions that are replaced.
    pub major: &'static str,
    /// Root source file of our library, of edition 2024.
    pub source: PathBuf,
    /// Flags by which it finds what it depends on.
    pub flags: Vec<OsString>,
}

/// Edition of our libraries.
const EDITION: &str = "--edition=2024";

impl Replacement {
    /// Writes down for the stand-in what it is to replace.
    pub fn install(&self, stand_in: &Path) -> Result<(), BuildError> {
        let mut parts: Vec<&OsStr> = vec![self.name.as_ref(), self.major.as_ref()];
        parts.push(self.source.as_os_str());
        parts.extend(self.flags.iter().map(OsString::as_os_str));
        let text = parts.join(OsStr::new("\0"));
        let file = beside(stand_in);
        if std::fs::read(&file).is_ok_and(|there| there == text.as_bytes()) {
            return Ok(());
        }
        std::fs::write(&file, text.as_bytes()).map_err(BuildError::file("writing", &file))
    }
}

/// Returns the file that says what a stand-in replaces.
fn beside(stand_in: &Path) -> PathBuf {
    stand_in.with_file_name("replaced")
}

/// Acts as the Rust compiler whose path comes first among the arguments.
pub(super) fn compile(started_as: &Path, arguments: Vec<OsString>) -> Result<ExitCode, BuildError> {
    let mut arguments = arguments.into_iter();
    let rustc = PathBuf::from(arguments.next().unwrap_or_default());
    let mut arguments: Vec<OsString> = arguments.collect();
    let file = beside(started_as);
    let text = std::fs::read(&file).map_err(BuildError::file("reading", &file))?;
    let parts: Vec<&OsStr> = text
        .split(|byte| *byte == 0)
        .map(OsStr::from_bytes)
        .collect();
    if let [name, major, source, flags @ ..] = parts.as_slice()
        && is_of(&arguments, name)
        && variable("CARGO_PKG_NAME").as_deref() == Some(*name)
        && variable("CARGO_PKG_VERSION_MAJOR").as_deref() == Some(*major)
        // A crate of that name that is itself under test stays what it is.
        && variable("CARGO_PRIMARY_PACKAGE").is_none()
    {
        arguments = replaced(arguments, source);
        arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
    }
    let error = Command::new(&rustc).args(arguments).exec();
    Err(tools::not_started(&rustc, error))
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Reports whether a crate of this name is compiled.
fn is_of(arguments: &[OsString], name: &OsStr) -> bool {
    let mut pairs = arguments.windows(2);
    pairs.any(|pair| pair[0] == "--crate-name" && pair[1] == name)
}

/// Returns the arguments with this source file in the place of the crate's own.
fn replaced(arguments: Vec<OsString>, source: &OsStr) -> Vec<OsString> {
    let is_source = |argument: &OsString| {
        let bytes = argument.as_bytes();
        bytes.ends_with(b".rs") && !bytes.starts_with(b"-")
    };
    let is_edition = |argument: &OsString| argument.as_bytes().starts_with(b"--edition=");
    let replaced = arguments.into_iter().map(|argument| match &argument {
        argument if is_source(argument) => source.to_owned(),
        argument if is_edition(argument) => EDITION.into(),
        _ => argument,
    });
    replaced.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_and_its_edition_are_replaced() {
        let given = [
            "--crate-name",
            "quickcheck",
            "--edition=2018",
            "/registry/quickcheck-1.0.3/src/lib.rs",
            "--cfg",
            "feature=\"default\"",
        ];
        let given: Vec<OsString> = given.map(OsString::from).to_vec();
        assert!(is_of(&given, OsStr::new("quickcheck")));
        assert!(!is_of(&given, OsStr::new("rand")));
        let now = replaced(given.clone(), OsStr::new("/ours/lib.rs"));
        assert_eq!(now[2], EDITION);
        assert_eq!(now[3], "/ours/lib.rs");
        assert_eq!((&now[..2], &now[4..]), (&given[..2], &given[4..]));
    }
}
