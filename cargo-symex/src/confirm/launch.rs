//! Starts native runs by a supervisor, a separate process of this executable, and records how they
//! end and what they print.

use super::confinement::Rights;
use super::run_directory::RunDirectory;
use super::supervisor::{self, RunOrder, RunReport};
use std::io::{Error, Read, Result, Write as _};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt as _;

/// Number of bytes kept from the beginning of each output stream. The end would matter more only
/// for panics, which print little.
pub const KEPT: usize = 256 * 1024;

/// Time that the supervisor has beyond the limit of a run to end all its processes.
const GRACE: Duration = Duration::from_secs(10);

/// The way in which a process ended.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// The process was killed because it exceeded the time limit.
    TooLong,
    /// The process was killed because it and those that it started used too much memory.
    TooMuchMemory,
}

/// The observed behaviour of a native run.
#[derive(Clone, Debug)]
pub struct NativeRun {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
    /// Whether the run was confined.
    pub confined: bool,
}

/// Starts native runs with certain rights.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// This tool's executable, which is started as the supervisor.
    executable: PathBuf,
    rights: Rights,
}

impl Launcher {
    /// Creates a launcher that uses this `cargo-symex` executable as the supervisor.
    pub fn new(executable: impl Into<PathBuf>, rights: Rights) -> Self {
        Launcher {
            executable: executable.into(),
            rights,
        }
    }

    /// Reports whether native runs are confined.
    pub fn confines(&self) -> bool {
        self.rights == Rights::Confined
    }

    /// Carries out an order, for which the directory was made. The program reads `input` from a
    /// pipe; without `input`, standard input is empty.
    pub fn run(
        &self,
        mut order: RunOrder,
        directory: &RunDirectory,
        input: Option<&[u8]>,
    ) -> Result<NativeRun> {
        if self.rights == Rights::Off {
            return Err(Error::other("native runs are turned off"));
        }
        order.writable = self.confines().then(|| directory.writable());
        supervisor::write(&order, directory.path())?;
        let mut command = Command::new(&self.executable);
        command.arg0(supervisor::NAME).arg(directory.path());
        // Ctrl-C is not for the run: this process handles it, and the supervisor sees if it ends.
        command.process_group(0);
        command.stdin(match input {
            None => Stdio::null(),
            Some(_) => Stdio::piped(),
        });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
            let input = input.to_vec();
            // On a thread, because the program may never read all of it.
            std::thread::spawn(move || pipe.write_all(&input));
        }
        let stdout = keep(child.stdout.take());
        let stderr = keep(child.stderr.take());
        if child.wait_timeout(order.timeout + GRACE)?.is_none() {
            child.kill()?;
            child.wait()?;
        }
        let (stdout, stderr) = (stdout.text(), stderr.text());
        let end = match supervisor::read(directory.path()) {
            Ok(RunReport::Ended(end)) => end,
            Ok(RunReport::NotStarted(reason)) => return Err(Error::other(reason)),
            Err(_) => {
                let said = stderr.lines().last().unwrap_or("it said nothing");
                let text = format!("its supervisor did not come to its end: {said}");
                return Err(Error::other(text));
            }
        };
        Ok(NativeRun {
            end,
            stdout,
            stderr,
            confined: self.confines(),
        })
    }
}

/// The kept bytes of a stream that a thread reads.
struct KeptBytes {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

/// Reads a stream to its end on a thread, so that a process that prints much does not stall.
fn keep(stream: Option<impl Read + Send + 'static>) -> KeptBytes {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let shared = bytes.clone();
    let reader = stream.map(|mut stream| {
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                let mut bytes = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let room = KEPT.saturating_sub(bytes.len()).min(count);
                bytes.extend_from_slice(&buffer[..room]);
            }
        })
    });
    KeptBytes { bytes, reader }
}

impl KeptBytes {
    /// Returns the text read so far. A process that escaped the supervisor may hold the stream
    /// open, so the wait for its end is short.
    fn text(self) -> String {
        let start = Instant::now();
        while let Some(reader) = &self.reader {
            if reader.is_finished() || start.elapsed() > Duration::from_millis(500) {
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
