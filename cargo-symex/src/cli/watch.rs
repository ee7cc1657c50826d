//! `cargo symex watch`: runs harnesses again whenever a file of theirs changes. What an edit cannot
//! have changed has its verdict from the cache, so that a run takes as long as what it concerns.

mod folders;

use super::args::RunArgs;
use super::project::Project;
use super::run::here;
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::interrupt::Interrupt;
use crate::pipeline::roles;
use crate::report::output;
use crate::source::place::Places;
use folders::Folders;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Time without a change after which a run begins: editors write in several steps.
const SETTLED: Duration = Duration::from_millis(100);

/// Time between two looks at whether a run has ended.
const LOOK: Duration = Duration::from_millis(50);

/// Time that a run has to end when something has changed, before it is stopped at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// What wakes the command.
enum Wake {
    /// These files have changed, or may have.
    Changed(Vec<PathBuf>),
    /// Ctrl-C.
    Stop,
}

/// Runs `cargo symex watch`.
pub fn watch(args: &RunArgs) -> Result<ExitCode, CommandError> {
    let (sender, wakes) = channel();
    let stop = sender.clone();
    Interrupt::install(move || {
        // Without a receiver the command has ended.
        let _ = stop.send(Wake::Stop);
    })?;
    let places = Places {
        here: here(),
        ..Places::default()
    };
    let mut folders = Folders::of(&Project::read(&args.cargo)?, sender)?;
    loop {
        let mut run = Run::start()?;
        let next = match wait(&wakes, &mut folders, Some(&mut run))? {
            Next::Ended => {
                output::note("watching for changes; Ctrl-C ends");
                wait(&wakes, &mut folders, None)?
            }
            next => next,
        };
        run.stop();
        match next {
            Next::Changed(files) => {
                let files: Vec<String> = files.iter().map(|file| places.relative(file)).collect();
                output::note(format_args!("changed: {}", files.join(", ")));
            }
            Next::Stop | Next::Ended => return Ok(ExitCode::Interrupted),
        }
    }
}

/// What comes next.
enum Next {
    Changed(BTreeSet<PathBuf>),
    /// The run has ended.
    Ended,
    Stop,
}

/// Waits until a file has changed and no other one follows at once, until the run ends, if there is
/// one, or until Ctrl-C.
fn wait(
    wakes: &Receiver<Wake>,
    folders: &mut Folders,
    mut run: Option<&mut Run>,
) -> Result<Next, CommandError> {
    let mut changed = BTreeSet::new();
    loop {
        let most = match (changed.is_empty(), &run) {
            (false, _) => SETTLED,
            (true, Some(_)) => LOOK,
            (true, None) => Duration::MAX,
        };
        match wakes.recv_timeout(most) {
            Ok(Wake::Changed(files)) => {
                let is_running = run.as_mut().is_some_and(|run| !run.has_ended());
                changed.extend(folders.relevant(files, is_running)?);
            }
            Ok(Wake::Stop) | Err(RecvTimeoutError::Disconnected) => return Ok(Next::Stop),
            Err(RecvTimeoutError::Timeout) if !changed.is_empty() => {
                return Ok(Next::Changed(changed));
            }
            Err(RecvTimeoutError::Timeout) => {
                if run.as_mut().is_some_and(|run| run.has_ended()) {
                    return Ok(Next::Ended);
                }
            }
        }
    }
}

/// A run in a process of its own, which is the leader of a group: Ctrl-C comes to this process.
struct Run {
    process: Child,
}

impl Run {
    /// Starts this command without `watch`.
    fn start() -> Result<Self, CommandError> {
        let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
        if let Some(at) = args.iter().position(|arg| arg == "watch") {
            args.remove(at);
        }
        let executable = roles::executable()?;
        let process = Command::new(&executable)
            .args(args)
            .process_group(0)
            .spawn();
        let process = process.map_err(|error| {
            let path = executable.display();
            CommandError::usage(format!("failed to start {path}: {error}"))
        })?;
        Ok(Run { process })
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.process.try_wait(), Ok(None))
    }

    /// Ends the run, which reports what it has found if it can do so soon.
    fn stop(&mut self) {
        for _ in 0..2 {
            let began = Instant::now();
            if !self.has_ended() {
                self.interrupt();
            }
            while !self.has_ended() && began.elapsed() < PATIENCE {
                std::thread::sleep(LOOK);
            }
        }
        if !self.has_ended() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    fn interrupt(&self) {
        if let Some(group) = i32::try_from(self.process.id())
            .ok()
            .and_then(Pid::from_raw)
        {
            // It may have ended by itself.
            let _ = kill_process_group(group, Signal::INT);
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.stop();
    }
}
