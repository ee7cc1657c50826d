//! Replacement of source files in a build, so that no file of the user's is touched.
//!
//! Cargo starts our stand-in for rustc, which gives rustc another root source file where a rule
//! says so: that of a library of ours instead of a published crate with the same names, or a
//! changed copy of a test crate.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use super::error::BuildError;
use super::manifest::PathText;
use super::stand_in::StandIns;
use super::tools;

/// A rule about crates whose root source file is replaced.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Replacement {
    pub of: Replaced,
    /// Root source file that is compiled.
    pub source: PathText,
    /// Further flags for rustc.
    pub flags: Vec<PathText>,
}

/// Crates that are replaced.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Replaced {
    /// A published crate, by a library of ours, which is of edition 2024.
    Published {
        /// Name of the crate, and of its package.
        name: String,
        /// First numbers of the versions that are replaced.
        version: String,
    },
    /// The test executable with this root source file.
    Tests { source: PathText },
}

/// What a build with replacements asks for.
pub(super) struct Replacing {
    /// The path that cargo starts in the place of rustc.
    pub compiler: PathBuf,
    /// Flags for all crates.
    pub flags: Vec<OsString>,
}

/// Edition of our libraries.
const EDITION: &str = "--edition=2024";

/// Writes down for the stand-in what it is to replace, and returns its path: for each crate, the
/// first rule that is about it is followed.
pub(super) fn install(rules: &[Replacement], stand_ins: &StandIns) -> Result<PathBuf, BuildError> {
    let text = serde_json::to_vec(rules).expect("texts are written as they are");
    // Other rules may be followed at the same time, in a target directory that builds share.
    let hash = blake3::hash(&text).to_hex();
    let stand_in = stand_ins.rust_compiler(&format!("replacing-{}", &hash[..16]))?;
    let file = beside(&stand_in);
    if !std::fs::read(&file).is_ok_and(|there| there == text) {
        // Renamed when it is complete, since it may be read meanwhile.
        let fresh = file.with_extension(std::process::id().to_string());
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &file))
            .map_err(BuildError::file("writing", &file))?;
    }
    Ok(stand_in)
}

/// Returns the file that says what a stand-in replaces.
fn beside(stand_in: &Path) -> PathBuf {
    stand_in.with_file_name("replaced.json")
}

/// Acts as the Rust compiler whose path comes first among the arguments.
pub(super) fn compile(started_as: &Path, arguments: Vec<OsString>) -> Result<ExitCode, BuildError> {
    let mut arguments = arguments.into_iter();
    let rustc = PathBuf::from(arguments.next().unwrap_or_default());
    let mut arguments: Vec<OsString> = arguments.collect();
    let file = beside(started_as);
    let text = std::fs::read(&file).map_err(BuildError::file("reading", &file))?;
    let rules: Vec<Replacement> =
        serde_json::from_slice(&text).map_err(|error| BuildError::ToolAnswer {
            tool: file.display().to_string(),
            reason: error.to_string(),
        })?;
    let compiled = Compiled::here(&arguments);
    if let Some(rule) = rules.iter().find(|rule| rule.is_about(&compiled)) {
        arguments = rule.follow(arguments);
    }
    let error = Command::new(&rustc).args(arguments).exec();
    Err(tools::not_started(&rustc, error))
}

/// What cargo has compiled.
struct Compiled<'a> {
    arguments: &'a [OsString],
    /// Directory against which the path of the source file is resolved.
    directory: PathBuf,
    package: Option<OsString>,
    version: Option<String>,
    /// Whether it belongs to a package that was asked for, as opposed to a dependency.
    is_primary: bool,
}

impl<'a> Compiled<'a> {
    fn here(arguments: &'a [OsString]) -> Self {
        Compiled {
            arguments,
            directory: std::env::current_dir().unwrap_or_default(),
            package: std::env::var_os("CARGO_PKG_NAME"),
            version: std::env::var("CARGO_PKG_VERSION").ok(),
            is_primary: std::env::var_os("CARGO_PRIMARY_PACKAGE").is_some(),
        }
    }

    fn is_named(&self, name: &str) -> bool {
        let mut pairs = self.arguments.windows(2);
        pairs.any(|pair| pair[0] == "--crate-name" && pair[1] == name)
    }

    /// Reports whether its version begins with these numbers.
    fn is_of(&self, version: &str) -> bool {
        let own = self.version.as_deref().unwrap_or_default();
        let rest = own.strip_prefix(version);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn is_test(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--test")
    }

    fn source(&self) -> Option<PathBuf> {
        let mut arguments = self.arguments.iter();
        let source = arguments.find(|argument| is_source(argument))?;
        Some(self.directory.join(source))
    }
}

/// Reports whether two paths lead to the same file, by links as well.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| Some(one) == real(other))
}

fn is_source(argument: &OsStr) -> bool {
    let bytes = argument.as_bytes();
    bytes.ends_with(b".rs") && !bytes.starts_with(b"-")
}

impl Replacement {
    fn is_about(&self, compiled: &Compiled<'_>) -> bool {
        match &self.of {
            Replaced::Published { name, version } => {
                compiled.is_named(name)
                    && compiled.package.as_deref() == Some(name.as_ref())
                    && compiled.is_of(version)
                    // A crate of that name that is itself under test stays what it is.
                    && !compiled.is_primary
            }
            Replaced::Tests { source } => {
                let compiled_from = |file: PathBuf| is_same(&file, source.as_path());
                compiled.is_test() && compiled.source().is_some_and(compiled_from)
            }
        }
    }

    /// Returns the arguments with our source file in the place of the crate's own.
    fn follow(&self, arguments: Vec<OsString>) -> Vec<OsString> {
        let is_ours = matches!(self.of, Replaced::Published { .. });
        let is_edition = |argument: &OsString| argument.as_bytes().starts_with(b"--edition=");
        let replaced = arguments.into_iter().map(|argument| match &argument {
            argument if is_source(argument) => self.source.0.clone(),
            argument if is_ours && is_edition(argument) => EDITION.into(),
            _ => argument,
        });
        let flags = self.flags.iter().map(|flag| flag.0.clone());
        replaced.chain(flags).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(given: &[&str]) -> Vec<OsString> {
        given.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_published_crate_is_replaced() {
        let given = arguments(&[
            "--crate-name",
            "quickcheck",
            "--edition=2018",
            "/registry/quickcheck-1.0.3/src/lib.rs",
            "--cfg",
            "feature=\"default\"",
        ]);
        let rule = Replacement {
            of: Replaced::Published {
                name: "quickcheck".to_owned(),
                version: "1".to_owned(),
            },
            source: "/ours/lib.rs".into(),
            flags: vec!["-Lours".into()],
        };
        let mut compiled = Compiled {
            arguments: &given,
            directory: PathBuf::from("/"),
            package: Some("quickcheck".into()),
            version: Some("1.0.3".to_owned()),
            is_primary: false,
        };
        assert!(rule.is_about(&compiled));
        for (numbers, is_of) in [("1", true), ("1.0", true), ("1.03", false), ("0.9", false)] {
            assert_eq!(compiled.is_of(numbers), is_of, "{numbers}");
        }
        compiled.is_primary = true;
        assert!(!rule.is_about(&compiled));
        let now = rule.follow(given.clone());
        assert_eq!(now[2], EDITION);
        assert_eq!(now[3], "/ours/lib.rs");
        assert_eq!((&now[..2], &now[4..6]), (&given[..2], &given[4..]));
        assert_eq!(now[6], "-Lours");
    }

    #[test]
    fn only_the_tests_of_a_crate_are_replaced() {
        let rule = Replacement {
            of: Replaced::Tests {
                source: "/w/member/src/lib.rs".into(),
            },
            source: "/copy/member/src/lib.rs".into(),
            flags: Vec::new(),
        };
        let given = arguments(&["--edition=2018", "member/src/lib.rs", "--test"]);
        let compiled = |arguments| Compiled {
            arguments,
            directory: PathBuf::from("/w"),
            package: None,
            version: None,
            is_primary: true,
        };
        assert!(rule.is_about(&compiled(&given)));
        assert!(!rule.is_about(&compiled(&given[..2])));
        let now = rule.follow(given.clone());
        assert_eq!((&now[0], &now[2]), (&given[0], &given[2]));
        assert_eq!(now[1], "/copy/member/src/lib.rs");
    }
}
