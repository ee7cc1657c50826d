//! The link manifest: all arguments of rustc's request to link an executable.
//!
//! The linker stand-in writes it next to the executable, and the build reads it. Inputs that rustc
//! deletes after linking are kept in a directory beside it, and the arguments name the kept files,
//! so that the link can be done later and repeatedly.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::BuildError;

/// Format version, raised when manifests of earlier versions cannot be used any more. It is part of
/// the flags that rustc gets, so that cargo then builds again.
pub const MANIFEST_VERSION: u32 = 2;

/// A link that rustc requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkManifest {
    /// [`MANIFEST_VERSION`]
    pub version: u32,
    /// The executable to be linked.
    pub output: PathText,
    /// The directory in which the linker was started.
    pub current_dir: PathText,
    /// The directory of the package, if cargo runs the compiler.
    pub package: Option<PathText>,
    /// The arguments without `-o OUTPUT`, in the notation of a C compiler driver.
    pub arguments: Vec<PathText>,
    /// The environment variables that affect what a linker finds.
    pub environment: Vec<(String, PathText)>,
}

/// Text that need not be Unicode, serialised as a string if it is Unicode, else as bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredText", into = "StoredText")]
pub struct PathText(pub OsString);

#[derive(Serialize, Deserialize)]
enum StoredText {
    #[serde(rename = "text")]
    Text(String),
    #[serde(rename = "bytes")]
    Bytes(Vec<u8>),
}

impl From<StoredText> for PathText {
    fn from(stored: StoredText) -> Self {
        PathText(match stored {
            StoredText::Text(text) => text.into(),
            StoredText::Bytes(bytes) => OsString::from_vec(bytes),
        })
    }
}

impl From<PathText> for StoredText {
    fn from(text: PathText) -> Self {
        match text.0.into_string() {
            Ok(text) => StoredText::Text(text),
            Err(other) => StoredText::Bytes(other.into_vec()),
        }
    }
}

impl PathText {
    /// Returns the text as a path.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl<T: Into<OsString>> From<T> for PathText {
    fn from(text: T) -> Self {
        PathText(text.into())
    }
}

/// Returns the path of an executable's manifest.
pub fn manifest_path(executable: &Path) -> PathBuf {
    beside(executable, ".symex-link.json")
}

/// Returns the directory that keeps those inputs of an executable that rustc deletes.
pub fn kept_inputs(executable: &Path) -> PathBuf {
    beside(executable, ".symex-inputs")
}

/// Returns the path of a file next to `file`, named like it with a suffix.
pub fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().as_bytes().to_vec();
    path.extend(suffix.as_bytes());
    OsString::from_vec(path).into()
}

impl LinkManifest {
    /// Reads the manifest of an executable, and returns its text as well, for hashing.
    pub fn read(executable: &Path) -> Result<(Self, Vec<u8>), BuildError> {
        let path = manifest_path(executable);
        let text =
            std::fs::read(&path).map_err(BuildError::file("reading the link manifest", &path))?;
        let manifest: LinkManifest =
            serde_json::from_slice(&text).map_err(|error| BuildError::Manifest {
                path: path.clone(),
                reason: error.to_string(),
            })?;
        if manifest.version != MANIFEST_VERSION {
            let reason = format!(
                "it has version {}, this tool writes {MANIFEST_VERSION}",
                manifest.version
            );
            return Err(BuildError::Manifest { path, reason });
        }
        Ok((manifest, text))
    }

    /// Writes the manifest beside its executable.
    pub fn write(&self) -> Result<(), BuildError> {
        let path = manifest_path(self.output.as_path());
        let text = serde_json::to_vec_pretty(self).map_err(|error| BuildError::Manifest {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        std::fs::write(&path, text).map_err(BuildError::file("writing the link manifest", &path))
    }
}
