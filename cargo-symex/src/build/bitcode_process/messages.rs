//! What the tool and the bitcode process say to each other: a line of JSON a message, bytes behind
//! the line that counts them.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::build::error::BuildError;
use crate::build::manifest::PathText;
use crate::build::object_files::ObjectFileError;
use symex_bitcode::link::{LinkError, LinkOptions, ProgramError, ProgramInfo};
use symex_bitcode::{LoadError, Step};

/// A file to link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Input {
    /// The object file or archive.
    pub file: PathText,
    /// All members of the archive belong to the program.
    pub whole_archive: bool,
    /// The file the user gave, which messages name and which must hold code; `None` for one of a
    /// link line.
    pub given: Option<PathText>,
}

/// The only message to the process.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The shared library of LLVM to do it with.
    pub llvm: PathText,
    /// What is to be done.
    pub request: Request,
}

/// Where parts of programs are kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parts {
    pub directory: PathText,
    /// Is what is there to be used? What is made is kept in any case.
    pub is_read: bool,
    /// Which build of this tool it is.
    pub tool: String,
}

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Link these files.
    Link {
        inputs: Vec<Input>,
        options: LinkOptions,
    },
    /// Link these files and translate the program, with the libraries of crates by themselves where
    /// there is a place to keep what they come to.
    LinkAndTranslate {
        inputs: Vec<Input>,
        options: LinkOptions,
        parts: Option<Parts>,
    },
    /// Translate a file of bitcode.
    Translate { file: PathText },
}

impl Request {
    /// Bytes of all files to read.
    pub fn size(&self) -> u64 {
        let size = |file: &PathText| std::fs::metadata(file.as_path()).map_or(0, |data| data.len());
        match self {
            Request::Link { inputs, .. } | Request::LinkAndTranslate { inputs, .. } => {
                inputs.iter().map(|input| size(&input.file)).sum()
            }
            Request::Translate { file } => size(file),
        }
    }
}

/// What the process says: steps, then one of the others.
#[derive(Debug, Serialize, Deserialize)]
pub enum Message {
    /// This is about to be done.
    Step(Step),
    /// It cannot be done.
    Refused(Refusal),
    /// It is linked; `bytes` of bitcode follow.
    Linked { info: ProgramInfo, bytes: usize },
    /// It is translated; `bytes` of a stored program follow. `info` is there where it was linked.
    Translated {
        info: Option<ProgramInfo>,
        bytes: usize,
    },
}

/// Why files are no program.
#[derive(Debug, Serialize, Deserialize)]
pub enum Refusal {
    /// LLVM could not be loaded.
    NoLlvm(String),
    ObjectFile(ObjectFileError),
    NotAProgram(PathText),
    Link(LinkError),
    Translate(LoadError),
    /// The program could not be put into bytes.
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
    /// The refusal as an error of the build of `target`.
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
