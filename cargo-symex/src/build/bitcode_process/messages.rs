//! Messages between the tool and the bitcode process: one line of JSON per message, followed by as
//! many raw bytes as the line announces.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::build::error::BuildError;
use crate::build::manifest::PathText;
use crate::build::object_files::ObjectFileError;
use symex_bitcode::link::{LinkError, LinkOptions, ProgramError, ProgramInfo};
use symex_bitcode::{LoadError, Step};

/// A file to link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileToLink {
    /// The object file or archive.
    pub file: PathText,
    /// Whether all members of the archive belong to the program.
    pub whole_archive: bool,
    /// The file as the user gave it, which messages name and which must contain code; `None` for a
    /// file of a link line.
    pub given: Option<PathText>,
}

/// The order: the only message that the tool sends to the process.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProcessOrder {
    /// The shared library of LLVM to load.
    pub llvm: PathText,
    /// The work to do.
    pub request: ProcessRequest,
}

/// The directory of stored program parts and how to use it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartStorage {
    pub directory: PathText,
    /// Whether existing parts are read. New parts are written in any case.
    pub is_read: bool,
    /// Identifies the build of this tool.
    pub tool: String,
}

/// The work that the process is asked to do.
#[derive(Debug, Serialize, Deserialize)]
pub enum ProcessRequest {
    /// Link these files.
    Link {
        inputs: Vec<FileToLink>,
        options: LinkOptions,
    },
    /// Link these files and translate the program. With `parts`, the libraries of crates are linked
    /// separately and kept there.
    LinkAndTranslate {
        inputs: Vec<FileToLink>,
        options: LinkOptions,
        parts: Option<PartStorage>,
    },
    /// Translate a bitcode file.
    Translate { file: PathText },
}

impl ProcessRequest {
    /// Returns the total size in bytes of all files to read.
    pub fn size(&self) -> u64 {
        let size = |file: &PathText| std::fs::metadata(file.as_path()).map_or(0, |data| data.len());
        match self {
            ProcessRequest::Link { inputs, .. }
            | ProcessRequest::LinkAndTranslate { inputs, .. } => {
                inputs.iter().map(|input| size(&input.file)).sum()
            }
            ProcessRequest::Translate { file } => size(file),
        }
    }
}

/// A message of the process: any number of steps, then one final answer.
#[derive(Debug, Serialize, Deserialize)]
pub enum ProcessMessage {
    /// The step that the process starts now.
    Step(Step),
    /// The request failed.
    Refused(Refusal),
    /// The program is linked; `bytes` bytes of bitcode follow.
    Linked { info: ProgramInfo, bytes: usize },
    /// The program is translated; `bytes` bytes of a stored program follow. `info` is present if
    /// the program was linked as well.
    Translated {
        info: Option<ProgramInfo>,
        bytes: usize,
    },
}

/// The reasons for which the process refuses a request.
#[derive(Debug, Serialize, Deserialize)]
pub enum Refusal {
    /// LLVM could not be loaded.
    NoLlvm(String),
    ObjectFile(ObjectFileError),
    NotAProgram(PathText),
    Link(LinkError),
    Translate(LoadError),
    /// The program could not be serialised.
    Store(String),
}

impl From<ProgramError> for Refusal {
    fn from(error: ProgramError) -> Self {
        match error {
            ProgramError::Link(error) => Refusal::Link(error),
            ProgramError::Translate(error) => Refusal::Translate(error),
        }
    }
}

impl Refusal {
    /// Converts the refusal into a build error for `target`.
    pub fn into_error(self, target: &str) -> BuildError {
        match self {
            Refusal::NoLlvm(reason) => BuildError::NoLlvm(reason),
            Refusal::ObjectFile(error) => BuildError::ObjectFile(error),
            Refusal::NotAProgram(path) => BuildError::NotAProgram {
                path: path.as_path().to_owned(),
            },
            Refusal::Link(source) => BuildError::Link {
                target: target.to_owned(),
                source,
            },
            Refusal::Translate(error) => BuildError::Translate(error),
            Refusal::Store(reason) => super::unusable(reason),
        }
    }
}

/// Sends a message and the bytes that belong to it.
pub fn send(mut to: impl Write, message: &impl Serialize, bytes: &[u8]) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)?;
    to.write_all(bytes)
}
