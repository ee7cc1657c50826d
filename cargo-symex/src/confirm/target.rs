//! A test executable with its native forms, which are linked on first use.

use super::native::Native;
use super::sanitizer;
use crate::build::{Sanitized, TestTarget};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A test executable with its harnesses and its lazily linked native executables.
pub struct NativeTarget {
    target: TestTarget,
    native: OnceLock<Result<PathBuf, String>>,
    sanitized: OnceLock<Result<Option<Sanitized>, String>>,
}

impl NativeTarget {
    /// Creates a target of which nothing is linked yet.
    pub fn new(target: TestTarget) -> Self {
        NativeTarget {
            target,
            native: OnceLock::new(),
            sanitized: OnceLock::new(),
        }
    }

    /// Returns the test executable as the build describes it.
    pub fn built(&self) -> &TestTarget {
        &self.target
    }

    /// Returns the native executable, linked on first use by one thread while others wait.
    pub fn native(&self) -> Result<Native, String> {
        let link = || {
            self.target
                .native_executable()
                .map_err(|error| error.to_string())
        };
        let executable = self.native.get_or_init(link).clone()?;
        Ok(self.starting(executable, Vec::new()))
    }

    /// Returns the native executable with AddressSanitizer, which also looks for `leaks` if asked;
    /// `None` if there is no C.
    pub fn sanitized(&self, leaks: bool) -> Result<Option<Native>, String> {
        let link = || {
            self.target
                .sanitized_executable()
                .map_err(|error| error.to_string())
        };
        let sanitized = self.sanitized.get_or_init(link).clone()?;
        Ok(sanitized.map(
            |Sanitized {
                 executable,
                 symbolizer,
             }| {
                let env = [
                    ("ASAN_OPTIONS", sanitizer::options(leaks, Some(&symbolizer))),
                    ("LSAN_OPTIONS", String::new()),
                ];
                let env = env.map(|(name, value)| (name.to_owned(), value));
                self.starting(executable, env.into())
            },
        ))
    }

    fn starting(&self, executable: PathBuf, env: Vec<(String, String)>) -> Native {
        let package = self.target.manifest_path.parent();
        Native {
            executable,
            package: package.unwrap_or(Path::new(".")).to_owned(),
            env,
        }
    }
}
