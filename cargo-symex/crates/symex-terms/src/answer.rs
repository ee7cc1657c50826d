//! Answers to the question whether an assignment satisfies given terms.

use super::assignment::Assignment;
use serde::{Deserialize, Serialize};

/// Answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Satisfiable, by this assignment (which keeps the hint's values for variables outside the
    /// query).
    Sat(Assignment),
    /// Unsatisfiable.
    Unsat,
    /// Undecided.
    Unknown(Unknown),
}

/// Reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unknown {
    /// The timeout of the query ran out.
    Timeout,
    /// The back end was to spend little, and that was too little.
    Brief,
    /// The run was interrupted.
    Interrupted,
    /// The solver ran out of memory.
    Memory,
    /// The back end gave up, for this reason.
    GaveUp(String),
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Unknown::Timeout => f.write_str("a query took longer than allowed (--query-timeout)"),
            Unknown::Brief => f.write_str("a query took more work than it was given"),
            Unknown::Interrupted => f.write_str("interrupted"),
            Unknown::Memory => f.write_str("out of memory"),
            Unknown::GaveUp(why) => write!(f, "gave up: {why}"),
        }
    }
}
