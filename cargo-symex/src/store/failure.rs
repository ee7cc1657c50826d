//! What can be wrong with the file, as far as it makes a difference.

use rusqlite::ErrorCode;

/// Why the database did not do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Failure {
    /// It is not as it was written: it has to be started anew.
    Damaged,
    /// No room left, on the disk or within our own bound.
    Full,
    /// The file cannot be read or written, for this reason of the system.
    Unusable(String),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        let Some(code) = error.sqlite_error_code() else {
            // A column of another type than was written, and the like.
            return Failure::Damaged;
        };
        match code {
            // A statement of ours that does not fit the tables has code `Unknown`.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::TooBig
            | ErrorCode::Unknown => Failure::Damaged,
            ErrorCode::DiskFull => Failure::Full,
            _ => Failure::Unusable(error.to_string()),
        }
    }
}

pub(super) type Fallible<T> = Result<T, Failure>;
