//! System calls whose failure can be explored: their names, as a user gives them, the errors each
//! can fail with, and the C functions that stand for them.
//!
//! Functions that fail as a whole fail where the program calls them. What works on an open file
//! (`read`, `write`, `close`) fails where the system is asked, as often below a stream as below the
//! function of its name, and has no functions here.

use serde::{Deserialize, Serialize};

/// A system call, or a family of them that fail alike.
#[derive(Debug)]
pub struct FailingCall {
    pub name: &'static str,
    /// Errors that the call can fail with; a path is forked for each.
    pub errors: &'static [Error],
    pub functions: &'static [(&'static str, ErrorReturn)],
}

/// Return value of a C function that fails, besides setting `errno`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorReturn {
    MinusOne,
    Null,
    /// Null, after closing the stream passed in (`freopen`).
    Reopens,
}

/// An `errno` value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Error(pub u32);

pub const EINTR: Error = Error(4);
pub const EIO: Error = Error(5);
pub const ENOMEM: Error = Error(12);
pub const EACCES: Error = Error(13);
pub const EMFILE: Error = Error(24);
pub const ENOSPC: Error = Error(28);
pub const ESPIPE: Error = Error(29);

impl Error {
    /// Returns the error's name in C.
    pub fn name(self) -> &'static str {
        match self {
            EINTR => "EINTR",
            EIO => "EIO",
            ENOMEM => "ENOMEM",
            EACCES => "EACCES",
            EMFILE => "EMFILE",
            ENOSPC => "ENOSPC",
            ESPIPE => "ESPIPE",
            Error(_) => "an error",
        }
    }
}

use ErrorReturn::{MinusOne, Null, Reopens};

/// All calls whose failure can be explored.
pub const CALLS: &[FailingCall] = &[
    FailingCall {
        name: "open",
        errors: &[EACCES, EMFILE],
        functions: &[
            ("open", MinusOne),
            ("open64", MinusOne),
            ("__open_2", MinusOne),
            ("__open64_2", MinusOne),
            ("openat", MinusOne),
            ("openat64", MinusOne),
            ("creat", MinusOne),
            ("creat64", MinusOne),
            ("fopen", Null),
            ("fopen64", Null),
            ("freopen", Reopens),
            ("freopen64", Reopens),
            ("tmpfile", Null),
            ("tmpfile64", Null),
            ("mkstemp", MinusOne),
            ("mkstemp64", MinusOne),
            ("mkostemp", MinusOne),
            ("mkostemp64", MinusOne),
            ("opendir", Null),
        ],
    },
    FailingCall {
        name: "read",
        errors: &[EIO],
        functions: &[],
    },
    FailingCall {
        name: "write",
        errors: &[ENOSPC],
        functions: &[],
    },
    FailingCall {
        name: "close",
        errors: &[EIO],
        functions: &[],
    },
    FailingCall {
        name: "lseek",
        errors: &[ESPIPE],
        functions: &[("lseek", MinusOne), ("lseek64", MinusOne)],
    },
    FailingCall {
        name: "fstat",
        errors: &[EIO],
        functions: &[
            ("fstat", MinusOne),
            ("fstat64", MinusOne),
            ("__fxstat", MinusOne),
            ("__fxstat64", MinusOne),
        ],
    },
    FailingCall {
        name: "stat",
        errors: &[EACCES],
        functions: &[
            ("stat", MinusOne),
            ("stat64", MinusOne),
            ("lstat", MinusOne),
            ("lstat64", MinusOne),
            ("fstatat", MinusOne),
            ("fstatat64", MinusOne),
            ("__xstat", MinusOne),
            ("__xstat64", MinusOne),
            ("__lxstat", MinusOne),
            ("__lxstat64", MinusOne),
        ],
    },
    FailingCall {
        name: "ftruncate",
        errors: &[ENOSPC],
        functions: &[
            ("ftruncate", MinusOne),
            ("ftruncate64", MinusOne),
            ("truncate", MinusOne),
            ("truncate64", MinusOne),
        ],
    },
    FailingCall {
        name: "fsync",
        errors: &[EIO],
        functions: &[("fsync", MinusOne), ("fdatasync", MinusOne)],
    },
    FailingCall {
        name: "mmap",
        errors: &[ENOMEM],
        functions: &[("mmap", MinusOne), ("mmap64", MinusOne)],
    },
    FailingCall {
        name: "pipe",
        errors: &[EMFILE],
        functions: &[("pipe", MinusOne), ("pipe2", MinusOne)],
    },
    FailingCall {
        name: "dup",
        errors: &[EMFILE],
        functions: &[("dup", MinusOne), ("dup2", MinusOne), ("dup3", MinusOne)],
    },
    FailingCall {
        name: "mkdir",
        errors: &[ENOSPC],
        functions: &[
            ("mkdir", MinusOne),
            ("mkdirat", MinusOne),
            ("mkdtemp", Null),
        ],
    },
    FailingCall {
        name: "unlink",
        errors: &[EACCES],
        functions: &[
            ("unlink", MinusOne),
            ("unlinkat", MinusOne),
            ("remove", MinusOne),
            ("rmdir", MinusOne),
        ],
    },
    FailingCall {
        name: "rename",
        errors: &[ENOSPC],
        functions: &[
            ("rename", MinusOne),
            ("renameat", MinusOne),
            ("renameat2", MinusOne),
            ("link", MinusOne),
            ("linkat", MinusOne),
            ("symlink", MinusOne),
            ("symlinkat", MinusOne),
        ],
    },
    FailingCall {
        name: "chdir",
        errors: &[EACCES],
        functions: &[("chdir", MinusOne), ("fchdir", MinusOne)],
    },
    FailingCall {
        name: "getcwd",
        errors: &[EACCES],
        functions: &[("getcwd", Null)],
    },
    FailingCall {
        name: MALLOC,
        errors: &[ENOMEM],
        functions: &[
            ("malloc", Null),
            ("calloc", Null),
            ("realloc", Null),
            ("reallocarray", Null),
            ("aligned_alloc", Null),
            ("memalign", Null),
            ("valloc", Null),
            ("strdup", Null),
            ("__strdup", Null),
            ("strndup", Null),
            ("__strndup", Null),
        ],
    },
];

/// Name of the one entry that is not a system call: allocation fails only where the user asks for
/// it.
pub const MALLOC: &str = "malloc";

/// Finds a call by its name.
pub fn call(name: &str) -> Option<&'static FailingCall> {
    CALLS.iter().find(|call| call.name == name)
}

/// Finds the call that a C function stands for, with the function's return value on failure.
pub fn of_function(name: &str) -> Option<(&'static FailingCall, ErrorReturn)> {
    CALLS.iter().find_map(|call| {
        let function = call.functions.iter().find(|function| function.0 == name)?;
        Some((call, function.1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_comes_to_one_call_and_each_error_has_a_name() {
        let mut seen = std::collections::BTreeSet::new();
        for call in CALLS {
            assert!(call.errors.iter().all(|error| error.name() != "an error"));
            assert!(call.functions.iter().all(|(name, _)| seen.insert(name)));
        }
        assert_eq!(of_function("lstat").map(|found| found.0.name), Some("stat"));
        assert!(of_function("read").is_none() && call("read").is_some());
    }
}
