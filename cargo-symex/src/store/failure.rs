//! Failures of the database file, as far as they are handled differently.

use rusqlite::ErrorCode;

/// The reasons for which a database operation failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum DatabaseFailure {
    /// The file is damaged and has to be replaced.
    Damaged,
    /// There is no room left, on the disk or within our own limit.
    Full,
    /// The file cannot be read or written, for this reason given by the system.
    Unusable(String),
}

impl From<rusqlite::Error> for DatabaseFailure {
    fn from(error: rusqlite::Error) -> Self {
        let Some(code) = error.sqlite_error_code() else {
            // An error of the binding, such as a column of another type than was written.
            return DatabaseFailure::Damaged;
        };
        match code {
            // `Unknown` is the code for a statement that does not fit the tables.
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::TooBig
            | ErrorCode::Unknown => DatabaseFailure::Damaged,
            ErrorCode::DiskFull => DatabaseFailure::Full,
            _ => DatabaseFailure::Unusable(error.to_string()),
        }
    }
}

pub(super) type DatabaseResult<T> = Result<T, DatabaseFailure>;
