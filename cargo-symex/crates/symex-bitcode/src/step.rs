//! What LLVM is about to do, told before it starts, so that whoever watches from outside knows what
//! it was at when it crashed.

use serde::{Deserialize, Serialize};

/// A piece of work of LLVM's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// Reading an input of this origin; its function bodies are read when it is linked, which is
    /// the same step.
    Read(String),
    /// Checking the linked program and running the passes over it.
    Prepare,
    /// Reading the linked program again, for the translation.
    Translate,
}

impl Step {
    /// The input at work, when it is one.
    pub fn origin(&self) -> Option<&str> {
        match self {
            Step::Read(origin) => Some(origin),
            Step::Prepare | Step::Translate => None,
        }
    }

    /// Reads after "LLVM cannot ".
    pub fn verb(&self) -> &'static str {
        match self {
            Step::Read(_) => "read",
            Step::Prepare => "prepare",
            Step::Translate => "translate",
        }
    }
}
