//! Steps of LLVM's work, each reported before it starts, so that an observer outside knows what
//! LLVM was doing when it crashed.

use serde::{Deserialize, Serialize};

/// A step of LLVM's work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Reads the input of this origin. Its function bodies are read when it is linked, which is the
    /// same step.
    Read(String),
    /// Checks the linked program and runs the passes over it.
    Prepare,
    /// Reads the linked program again, for the translation.
    Translate,
}

impl Step {
    /// Returns the input being processed, if any.
    pub fn origin(&self) -> Option<&str> {
        match self {
            Step::Read(origin) => Some(origin),
            Step::Prepare | Step::Translate => None,
        }
    }

    /// Returns a verb phrase that follows "LLVM cannot ".
    pub fn verb(&self) -> &'static str {
        match self {
            Step::Read(_) => "read",
            Step::Prepare => "prepare",
            Step::Translate => "translate",
        }
    }
}
