//! The paths on which a program comes to its end: a sample of them, for `--replay-paths`, and all
//! of them in a file, for `--paths-to`, one JSON object a line, or in a corpus for fuzzers.
//!
//! | field | |
//! |---|---|
//! | `number` | from 1, in the order in which they ended |
//! | `exit_code` | what `main` returned, or `exit` was called with |
//! | `inputs` | `[{name, role, bytes}]`, as in findings (`report/json.rs`); bytes are numbers |
//! | `stdout`, `stderr` | what was written, as bytes |
//! | `address_dependent` | whether anything on the path rests on the numeric value of an address |
//! | `new_coverage` | whether it entered code that none of those before did |
//! | `files` | `[{name, bytes}]`: all that is in the working directory at the end |

use super::error::CommandError;
use super::event::{Monitor, Notice};
use super::explore::RunContext;
use crate::confirm::fuzz_target;
use crate::confirm::path_replay::{PathReplay, PathReplays};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use symex_types::event::{Event, Observer};
use symex_types::outcome::{EndedPath, sample};

/// Paths to be replayed natively.
#[derive(Default)]
pub struct PathSample(Vec<EndedPath>);

/// Keeps a sample of the paths, and lets another observer see all events.
pub struct Sampling<'a> {
    watch: &'a mut dyn Observer,
    size: usize,
    paths: BTreeMap<usize, EndedPath>,
}

impl<'a> Sampling<'a> {
    /// Creates an observer that keeps a sample of `size` paths.
    pub fn new(watch: &'a mut dyn Observer, size: usize) -> Self {
        Sampling {
            watch,
            size,
            paths: BTreeMap::new(),
        }
    }

    /// Returns the sample of all observed paths.
    pub fn finish(self) -> PathSample {
        let mut paths: Vec<EndedPath> = self.paths.into_values().collect();
        paths.sort_by_key(|path| path.number);
        PathSample(paths)
    }
}

impl Observer for Sampling<'_> {
    fn event(&mut self, event: Event) {
        if let Event::Ended(path) = &event
            && let Some(slot) = sample::slot(path.number, self.size)
        {
            self.paths.insert(slot, (*path).clone());
        }
        self.watch.event(event);
    }
}

impl PathSample {
    /// Replays the paths natively; `None` if there are none.
    pub(super) fn replay(
        &self,
        harness: &str,
        context: &RunContext,
        run: impl Fn(&EndedPath) -> Result<PathReplay, String>,
    ) -> Option<PathReplays> {
        let mut replays = PathReplays::default();
        for (number, path) in self.0.iter().enumerate() {
            if context.interrupt.happened() || replays.failed.is_some() {
                break;
            }
            context.warn_of_rights();
            let (number, all) = (number + 1, self.0.len());
            context.monitor.notice(Notice::ReplayingPath {
                harness,
                number,
                of: all,
            });
            replays.add(path, run(path));
        }
        (!self.0.is_empty()).then_some(replays)
    }
}

/// The place to which all paths of a run are written, if any.
#[derive(Default)]
pub struct PathLog(Option<PathSink>);

/// Form in which paths are written.
enum PathSink {
    Lines(BufWriter<File>),
    /// A folder with the input of each path of new coverage in a file.
    Corpus(PathBuf),
}

impl PathSink {
    fn write(&mut self, path: &EndedPath) -> std::io::Result<()> {
        match self {
            PathSink::Lines(file) => {
                serde_json::to_writer(&mut *file, path)?;
                writeln!(file)
            }
            PathSink::Corpus(folder) if path.new_coverage => {
                let bytes = fuzz_target::bytes(&path.inputs);
                std::fs::write(folder.join(fuzz_target::hash(bytes)), bytes)
            }
            PathSink::Corpus(_) => Ok(()),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            PathSink::Lines(file) => file.flush(),
            PathSink::Corpus(_) => Ok(()),
        }
    }
}

impl PathLog {
    /// Creates the file, if a path is given.
    pub fn start(path: Option<&Path>) -> Result<Self, CommandError> {
        let open =
            |path: &Path| File::create(path).map_err(|error| CommandError::unwritable(path, error));
        let file = path.map(open).transpose()?;
        Ok(PathLog(
            file.map(|file| PathSink::Lines(BufWriter::new(file))),
        ))
    }

    /// Creates the folder of a corpus for one fuzz target.
    pub fn corpus(folder: PathBuf) -> Result<Self, CommandError> {
        std::fs::create_dir_all(&folder)
            .map_err(|error| CommandError::unwritable(&folder, error))?;
        Ok(PathLog(Some(PathSink::Corpus(folder))))
    }

    /// Reports whether each path that is explored is written, and twice if explored twice.
    pub(super) fn lists_paths(&self) -> bool {
        matches!(self.0, Some(PathSink::Lines(_)))
    }

    /// Returns an observer that writes all paths, and forwards all events to another observer.
    pub(super) fn observe<'a>(
        &'a mut self,
        watch: &'a mut dyn Observer,
        monitor: &'a dyn Monitor,
    ) -> Logging<'a> {
        Logging {
            file: &mut self.0,
            watch,
            monitor,
        }
    }
}

/// Observer that writes paths to the log.
pub(super) struct Logging<'a> {
    file: &'a mut Option<PathSink>,
    watch: &'a mut dyn Observer,
    monitor: &'a dyn Monitor,
}

impl Logging<'_> {
    fn warn(&self, what: &str, error: std::io::Error) {
        let text = format!("failed to write {what}: {error}");
        self.monitor.notice(Notice::Warning { text, help: None });
    }
}

impl Observer for Logging<'_> {
    fn event(&mut self, event: Event) {
        if let (Event::Ended(path), Some(file)) = (&event, &mut self.file)
            && let Err(error) = file.write(path)
        {
            self.warn("a path", error);
            *self.file = None;
        }
        self.watch.event(event);
    }
}

impl Drop for Logging<'_> {
    fn drop(&mut self) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.flush()
        {
            self.warn("the last paths", error);
        }
    }
}
