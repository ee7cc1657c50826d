//! `--paths-to`: the paths on which a program comes to its end, in a file, one JSON object a line.
//!
//! | field | |
//! |---|---|
//! | `number` | from 1, in the order in which they ended |
//! | `exit_code` | what `main` returned, or `exit` was called with |
//! | `inputs` | `[{name, role, bytes}]`, as in findings (`report/json.rs`); bytes are numbers |
//! | `stdout`, `stderr` | what was written, as bytes |
//! | `files` | `[{name, bytes}]`: all that is in the working directory at the end |

use super::error::CliError;
use crate::event::{Event, Observer};
use crate::report::progress::Watch;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes the paths, and lets another observer see all events.
pub struct PathLog {
    watch: Watch,
    file: Option<BufWriter<File>>,
}

impl PathLog {
    /// Begins the file, if there is to be one.
    pub fn start(watch: Watch, path: Option<&Path>) -> Result<Self, CliError> {
        let open =
            |path: &Path| File::create(path).map_err(|error| CliError::unwritable(path, error));
        let file = path.map(open).transpose()?.map(BufWriter::new);
        Ok(PathLog { watch, file })
    }
}

impl Observer for PathLog {
    fn event(&mut self, event: Event) {
        if let (Event::Ended(path), Some(file)) = (&event, &mut self.file) {
            let written = serde_json::to_writer(&mut *file, path)
                .map_err(std::io::Error::from)
                .and_then(|()| writeln!(file));
            if let Err(error) = written {
                anstream::eprintln!("warning: failed to write a path: {error}");
                self.file = None;
            }
        }
        self.watch.event(event);
    }
}

impl Drop for PathLog {
    fn drop(&mut self) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.flush()
        {
            anstream::eprintln!("warning: failed to write the last paths: {error}");
        }
    }
}
