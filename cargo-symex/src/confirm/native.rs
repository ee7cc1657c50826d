//! Runs a native executable with limits on time and on memory of this process, and records how it
//! ends and what it prints. What the end means is decided in `replay`.

use super::native_inputs::NativeInputs;
use super::sanitizer;
use rustix::io::{FdFlags, fcntl_setfd};
use std::ffi::OsStr;
use std::io::{Read, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use symex_abi::{ENV_INPUTS_OUT, ENV_OUTPUT_MARK, ENV_RANDOM, ENV_REPLAY};
use wait_timeout::ChildExt as _;

/// Number of bytes kept from the beginning of each output stream. The end would matter more only
/// for panics, which print little.
const KEPT: usize = 256 * 1024;

/// A native test executable.
#[derive(Clone, Debug)]
pub struct Native {
    pub executable: PathBuf,
    /// Working directory, as cargo sets it for tests: the package's root.
    pub dir: PathBuf,
    /// Additional environment, such as paths of shared libraries.
    pub env: Vec<(String, String)>,
}

/// The way in which a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Code(i32),
    Signal(i32),
    /// The process was killed because it exceeded the time limit.
    TooLong,
}

/// The observed behaviour of a native run.
#[derive(Clone, Debug)]
pub struct Run {
    pub end: End,
    pub stdout: String,
    pub stderr: String,
}

impl Native {
    /// Runs one test by its exact name.
    pub fn run_test(
        &self,
        test: &str,
        env: &[(&str, &OsStr)],
        timeout: Duration,
    ) -> std::io::Result<Run> {
        let mut command = self.command();
        command.args(["--exact", test, "--nocapture", "--include-ignored"]);
        command.arg("--test-threads=1");
        command.envs(env.iter().copied());
        run(command, None, timeout)
    }

    /// Returns the names of all tests.
    pub fn list(&self, timeout: Duration) -> std::io::Result<Vec<String>> {
        let mut command = self.command();
        command.args(["--list", "--format", "terse"]);
        let run = run(command, None, timeout)?;
        let names = run.stdout.lines();
        Ok(names
            .filter_map(|line| line.strip_suffix(": test"))
            .map(str::to_owned)
            .collect())
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.dir);
        for name in [
            ENV_REPLAY,
            ENV_INPUTS_OUT,
            ENV_OUTPUT_MARK,
            ENV_RANDOM,
            "RUST_TEST_THREADS",
        ] {
            command.env_remove(name);
        }
        command.env("CARGO_MANIFEST_DIR", &self.dir);
        command.env("RUST_BACKTRACE", "0");
        command.env_remove("RUST_LIB_BACKTRACE");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// Runs a program that is not a test, in an environment like the engine's: only with the given
/// inputs, and in a directory of its own. With `leaks`, an AddressSanitizer in the program looks
/// for leaks at the end.
pub fn run_program(
    executable: &Path,
    given: &NativeInputs,
    dir: &Path,
    leaks: bool,
    timeout: Duration,
) -> std::io::Result<Run> {
    given.write_files(dir)?;
    keep_inherited_files()?;
    let mut command = Command::new(executable);
    if let [name, rest @ ..] = given.arguments.as_slice() {
        command.arg0(name).args(rest);
    }
    command.current_dir(dir).env_clear();
    command.envs(given.variables.iter().cloned());
    command.env("ASAN_OPTIONS", sanitizer::options(leaks, None));
    // Standard input is a pipe, as in the engine, even if it is empty.
    run(command, given.stdin.as_deref().or(Some(&[])), timeout)
}

/// Keeps the files that this process inherited, for example from `make` or a shell, from being
/// passed on. A program sees the numbers of its descriptors, and the engine gives it the standard
/// ones only.
fn keep_inherited_files() -> std::io::Result<()> {
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let Some(number) = entry?
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        if number > 2 {
            // SAFETY: it is used for this call only, which fails if it was closed in the meantime.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
    }
    Ok(())
}

/// Runs a command, which reads `input` from a pipe; without `input`, standard input is empty.
fn run(mut command: Command, input: Option<&[u8]>, timeout: Duration) -> std::io::Result<Run> {
    command.stdin(match input {
        None => Stdio::null(),
        Some(_) => Stdio::piped(),
    });
    command.stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let (Some(mut pipe), Some(input)) = (child.stdin.take(), input) {
        let input = input.to_vec();
        // On a thread, because the program may never read all of it.
        std::thread::spawn(move || pipe.write_all(&input));
    }
    let stdout = keep(child.stdout.take());
    let stderr = keep(child.stderr.take());
    let end = wait(&mut child, timeout)?;
    Ok(Run {
        end,
        stdout: stdout.text(),
        stderr: stderr.text(),
    })
}

fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<End> {
    let Some(status) = child.wait_timeout(timeout)? else {
        child.kill()?;
        child.wait()?;
        return Ok(End::TooLong);
    };
    Ok(match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    })
}

/// The kept bytes of a stream that a thread reads.
struct Kept {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

/// Reads a stream to its end on a thread, so that a process that prints much does not stall.
fn keep(stream: Option<impl Read + Send + 'static>) -> Kept {
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
    Kept { bytes, reader }
}

impl Kept {
    /// Returns the text read so far. A grandchild may hold the stream open, so the wait for its end
    /// is short.
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

/// Returns the name of a signal on Linux.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: Duration) -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, None, timeout).unwrap()
    }

    #[test]
    fn ends_and_outputs_are_kept() {
        let long = Duration::from_secs(10);
        let run = shell("echo out; echo err >&2; exit 3", long);
        assert_eq!(run.end, End::Code(3));
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("out\n", "err\n")
        );
        assert_eq!(shell("kill -SEGV $$", long).end, End::Signal(11));
    }

    #[test]
    fn what_is_given_arrives_whether_it_is_read_or_not() {
        let dir = tempfile::tempdir().unwrap();
        let given = |script: &str| NativeInputs {
            arguments: ["sh", "-c", script].map(Into::into).into(),
            stdin: Some(b"in\n".repeat(1 << 20)),
            files: [("f".to_owned(), b"file".to_vec())].into(),
            variables: vec![("NAME".into(), "value".into())],
            has_inputs: true,
        };
        let long = Duration::from_secs(10);
        let shell = Path::new("/bin/sh");
        let script = given("read line; cat f; echo $line $NAME $HOME");
        let run = run_program(shell, &script, dir.path(), false, long).unwrap();
        assert_eq!(run.stdout, "filein value\n");
        let run = run_program(shell, &given("exit 3"), dir.path(), false, long).unwrap();
        assert_eq!(run.end, End::Code(3));
    }

    #[test]
    fn a_run_without_end_is_killed_and_endless_output_is_cut() {
        let run = shell("exec yes", Duration::from_millis(300));
        assert_eq!(run.end, End::TooLong);
        assert_eq!(run.stdout.len(), KEPT);
    }

    #[test]
    fn a_grandchild_with_the_stream_does_not_hold_us() {
        let start = Instant::now();
        let run = shell("sleep 30 & echo done", Duration::from_secs(10));
        assert_eq!(run.stdout, "done\n");
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
