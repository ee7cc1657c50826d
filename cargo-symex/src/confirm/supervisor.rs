//! The supervisor of a native run: a process of this executable, started under another name, that
//! starts the program with limits and without rights that it does not need, waits for its end, and
//! ends all processes that the program has left.
//!
//! It has one thread, so that a fork may allocate, and the processes of the run that lose their
//! parent become its children.

use super::confinement::confine;
use super::launch::End;
use super::processes::{descendants, end_descendants};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_child_subreaper,
    set_parent_process_death_signal, setrlimit, setsid,
};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::Result;
use std::os::fd::BorrowedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt as _;

/// The name under which this executable is the supervisor.
pub(super) const NAME: &str = "symex-supervisor";

/// Largest size in bytes of a file that a run may write.
const FILE_SIZE: u64 = 1 << 30;

/// Interval at which the supervisor looks at the memory of a run.
const INTERVAL: Duration = Duration::from_millis(50);

/// The program to be run, and how.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunOrder {
    pub program: PathBuf,
    /// Arguments of the program, the name under which it is started first.
    pub arguments: Vec<OsString>,
    /// The whole environment.
    pub variables: Vec<(OsString, OsString)>,
    /// Working directory.
    pub directory: PathBuf,
    /// Wall-clock limit.
    pub timeout: Duration,
    /// Most memory in bytes that the processes of the run may have at one time.
    pub memory: u64,
    /// The directory to which the run is confined; `None` if it has all rights.
    pub writable: Option<PathBuf>,
}

/// What became of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum RunReport {
    Ended(End),
    /// The program was not started, for this reason.
    NotStarted(String),
}

/// Writes the order into the directory of a run.
pub(super) fn write(order: &RunOrder, directory: &Path) -> Result<()> {
    std::fs::write(directory.join("order"), serde_json::to_vec(order)?)
}

/// Reads the supervisor's report from the directory of a run.
pub(super) fn read(directory: &Path) -> Result<RunReport> {
    Ok(serde_json::from_slice(&std::fs::read(
        directory.join("report"),
    )?)?)
}

/// Acts as the supervisor if this process was started as that; `None` if it was not.
pub fn dispatch(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter();
    (arguments.next()? == NAME).then(|| {
        let directory = PathBuf::from(arguments.next().unwrap_or_default());
        match supervise(&directory) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: failed to supervise a native run: {error}");
                ExitCode::FAILURE
            }
        }
    })
}

fn supervise(directory: &Path) -> Result<()> {
    let starter = getppid();
    let order: RunOrder = serde_json::from_slice(&std::fs::read(directory.join("order"))?)?;
    keep_inherited_files()?;
    set_child_subreaper(Some(getpid()))?;
    let report = match start(&order) {
        Err(error) => RunReport::NotStarted(error.to_string()),
        Ok(mut child) => {
            let end = wait(&mut child, &order, starter);
            child.kill()?;
            child.wait()?;
            end_descendants();
            match end? {
                Some(end) => RunReport::Ended(end),
                // Nobody else removes the directory now.
                None => return std::fs::remove_dir_all(directory),
            }
        }
    };
    std::fs::write(directory.join("report"), serde_json::to_vec(&report)?)
}

/// Keeps the files that this process inherited, for example from `make` or a shell, from being
/// passed on. A program sees the numbers of its descriptors, and the engine gives it the standard
/// ones only.
fn keep_inherited_files() -> Result<()> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        if let Some(number @ 3..) = number {
            // SAFETY: it is used for this call only, which fails if it was closed in the meantime.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
    }
    Ok(())
}

fn start(order: &RunOrder) -> Result<Child> {
    let mut command = Command::new(&order.program);
    if let [name, rest @ ..] = order.arguments.as_slice() {
        command.arg0(name).args(rest);
    }
    command.current_dir(&order.directory).env_clear();
    command.envs(order.variables.iter().cloned());
    let writable = order.writable.clone();
    let prepare = move || {
        // A session of its own has no terminal.
        setsid()?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // No core dumps: a crash is reported, not examined.
        lower(Resource::Core, 0);
        lower(Resource::Fsize, FILE_SIZE);
        match &writable {
            Some(directory) => confine(Some(directory)).map(drop),
            None => Ok(()),
        }
    };
    // SAFETY: this process has one thread, so no lock is held that the function may need.
    unsafe { command.pre_exec(prepare) };
    command.spawn()
}

/// Lowers a limit of this process; a lower one stays.
fn lower(resource: Resource, most: u64) {
    let maximum = getrlimit(resource).maximum;
    let most = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    let _ = setrlimit(resource, limit);
}

/// Waits until the process ends or is to be ended; `None` if the process that started this one has
/// gone.
fn wait(child: &mut Child, order: &RunOrder, starter: Option<Pid>) -> Result<Option<End>> {
    let start = Instant::now();
    loop {
        let left = order.timeout.saturating_sub(start.elapsed());
        if let Some(status) = child.wait_timeout(left.min(INTERVAL))? {
            return Ok(Some(match (status.code(), status.signal()) {
                (Some(code), _) => End::Code(code),
                (None, signal) => End::Signal(signal.unwrap_or(0)),
            }));
        }
        if left.is_zero() {
            return Ok(Some(End::TooLong));
        }
        if getppid() != starter {
            return Ok(None);
        }
        let memory: u64 = descendants().iter().map(|process| process.memory).sum();
        if memory > order.memory {
            return Ok(Some(End::TooMuchMemory));
        }
    }
}
