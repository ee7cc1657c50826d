//! Time limits: of processes that tests start, each the leader of a process group, and of the
//! tests' own work.
//!
//! The output of a process is read while it runs, so that a full pipe stops no process. When the
//! limit expires the test fails and reports what is known of every process of the group, which is
//! then killed as a whole; the same happens when a process prints without end. A process is over
//! when it has ended and no process can write to its output any more: processes that it leaves
//! running with that output count as part of it.

use procfs::process::{Stat, all_processes};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// Time limit of a process unless its test gives another.
pub const LIMIT: Duration = Duration::from_secs(300);

/// Time limit for a run of hundreds of harnesses.
pub const LONG: Duration = Duration::from_secs(900);

/// Greatest output of a process, in bytes.
const MOST: usize = 256 << 20;

/// Greatest part of a stream that a failure shows, in bytes: its end.
const SHOWN: usize = 64 * 1024;

/// Time for a killed group to close its output.
const KILLED: Duration = Duration::from_secs(5);

/// Runs a command within [`LIMIT`], and returns its output and exit status.
#[track_caller]
pub fn output(command: &mut Command) -> Output {
    output_within(LIMIT, command)
}

/// Runs a command within a limit, and returns its output and exit status.
#[track_caller]
pub fn output_within(limit: Duration, command: &mut Command) -> Output {
    LimitedProcess::start(limit, command).end()
}

/// Runs a command that must succeed, within [`LIMIT`].
#[track_caller]
pub fn succeed(command: &mut Command) -> Output {
    let output = output(command);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        shown(&output.stdout, &output.stderr)
    );
    output
}

/// A running process.
pub struct LimitedProcess {
    child: Child,
    /// Whether the child was waited for; afterwards its process id may be reused.
    over: bool,
    command: String,
    limit: Duration,
    started: Instant,
    printed: Receiver<(OutputStream, Vec<u8>)>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

#[derive(Clone, Copy)]
enum OutputStream {
    Stdout,
    Stderr,
}

impl LimitedProcess {
    /// Starts a command that reads nothing and whose output is kept.
    #[track_caller]
    pub fn start(limit: Duration, command: &mut Command) -> Self {
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        default_signals(command);
        let mut child = command
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let (to, printed) = sync_channel(16);
        read(child.stdout.take(), OutputStream::Stdout, to.clone());
        read(child.stderr.take(), OutputStream::Stderr, to);
        LimitedProcess {
            child,
            over: false,
            command: format!("{command:?}"),
            limit,
            started: Instant::now(),
            printed,
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }

    /// Waits until standard output or standard error contains one of these texts; returns all that
    /// standard output contains then.
    #[track_caller]
    pub fn wait_for(&mut self, texts: &[&str]) -> String {
        loop {
            let printed = String::from_utf8_lossy(&self.stdout);
            let told = String::from_utf8_lossy(&self.stderr);
            let is_there = |text: &&str| printed.contains(*text) || told.contains(*text);
            if texts.iter().any(is_there) {
                return printed.into_owned();
            }
            if !self.next() {
                panic!(
                    "{} ended without {texts:?}\n{}",
                    self.command,
                    shown(&self.stdout, &self.stderr)
                );
            }
        }
    }

    /// Sends SIGINT to the process, as `kill -INT` does, but not to its children.
    #[track_caller]
    pub fn interrupt(&self) {
        kill_process(self.pid(), Signal::INT).expect("the process is there");
    }

    /// Waits for the end.
    #[track_caller]
    pub fn end(mut self) -> Output {
        while self.next() {}
        let status = match self.child.wait_timeout(self.left()) {
            Ok(Some(status)) => status,
            Ok(None) => self.fail(format!("not over after {:?}", self.limit)),
            Err(error) => panic!("{}: {error}", self.command),
        };
        self.over = true;
        Output {
            status,
            stdout: std::mem::take(&mut self.stdout),
            stderr: std::mem::take(&mut self.stderr),
        }
    }

    /// Takes the next output; false at the end of both streams.
    #[track_caller]
    fn next(&mut self) -> bool {
        match self.printed.recv_timeout(self.left()) {
            Ok(piece) => self.keep(piece),
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) => self.fail(format!("not over after {:?}", self.limit)),
        }
        if self.stdout.len() + self.stderr.len() > MOST {
            self.fail(format!("printed more than {MOST} bytes"));
        }
        true
    }

    fn keep(&mut self, (stream, bytes): (OutputStream, Vec<u8>)) {
        match stream {
            OutputStream::Stdout => self.stdout.extend(bytes),
            OutputStream::Stderr => self.stderr.extend(bytes),
        }
    }

    fn left(&self) -> Duration {
        self.limit.saturating_sub(self.started.elapsed())
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Fails the test, with what is known.
    #[track_caller]
    fn fail(&mut self, why: String) -> ! {
        let group = self.child.id() as i32;
        let processes: Vec<ProcessEntry> =
            running().filter(|(_, stat)| stat.pgrp == group).collect();
        let processes = told(&processes);
        self.kill();
        let killed = Instant::now();
        while let Some(left) = KILLED.checked_sub(killed.elapsed())
            && let Ok(piece) = self.printed.recv_timeout(left)
        {
            self.keep(piece);
        }
        panic!(
            "{why} and killed: {}\n--- its processes\n{processes}\n{}",
            self.command,
            shown(&self.stdout, &self.stderr)
        );
    }

    /// Kills the process and those that it started.
    fn kill(&mut self) {
        // Not yet waited for, hence still the number of this group.
        if !self.over {
            let _ = kill_process_group(self.pid(), Signal::KILL);
            let _ = self.child.wait_timeout(KILLED);
            self.over = true;
        }
    }
}

impl Drop for LimitedProcess {
    /// Kills the process, so that a test that fails for another reason leaves nothing running.
    fn drop(&mut self) {
        self.kill();
    }
}

/// Resets signal dispositions of a command to the default: a shell starts background processes with
/// SIGINT ignored, `nohup` with SIGHUP, and ignored signals stay ignored in all children.
fn default_signals(command: &mut Command) {
    let restore = || {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
            // SAFETY: a disposition is set to what it is by default.
            if unsafe { libc::signal(signal, libc::SIG_DFL) } == libc::SIG_ERR {
                return Err(std::io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec nothing is done but `signal`, which may be called there.
    unsafe { command.pre_exec(restore) };
}

/// Forwards the output of a stream, from a thread that ends with the stream.
fn read(
    stream: Option<impl Read + Send + 'static>,
    name: OutputStream,
    to: SyncSender<(OutputStream, Vec<u8>)>,
) {
    let mut stream = stream.expect("the stream is piped");
    std::thread::spawn(move || {
        let mut buffer = [0; 8192];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) if to.send((name, buffer[..count].to_vec())).is_err() => break,
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    });
}

/// Formats the ends of both streams.
fn shown(stdout: &[u8], stderr: &[u8]) -> String {
    let end = |bytes: &[u8]| {
        let cut = bytes.len().saturating_sub(SHOWN);
        let dots = if cut > 0 { "…" } else { "" };
        format!("{dots}{}", String::from_utf8_lossy(&bytes[cut..]))
    };
    format!("--- stdout\n{}\n--- stderr\n{}", end(stdout), end(stderr))
}

/// A process of the machine, with its status.
type ProcessEntry = (procfs::process::Process, Stat);

/// Iterates over all processes of the machine. One that ends meanwhile is left out.
fn running() -> impl Iterator<Item = ProcessEntry> {
    let processes = all_processes().into_iter().flatten().flatten();
    processes.filter_map(|process| process.stat().ok().map(|stat| (process, stat)))
}

/// Formats a line for each process and each of its threads: the state, the time spent, and the
/// kernel function in which it waits. The lines show where a process hangs, and whether it
/// computes.
fn told(processes: &[ProcessEntry]) -> String {
    let ticks = procfs::ticks_per_second() as f64;
    let mut text = String::new();
    for (process, stat) in processes {
        let arguments = process.cmdline().unwrap_or_default().join(" ");
        let _ = writeln!(text, "{} ({}) {arguments}", stat.pid, stat.comm);
        for task in process.tasks().into_iter().flatten().flatten() {
            let Ok(stat) = task.stat() else { continue };
            let place = format!("/proc/{}/task/{}/wchan", task.pid, task.tid);
            let _ = writeln!(
                text,
                "    thread {} ({}) {}: user {:.2} s, system {:.2} s, in {}",
                task.tid,
                stat.comm,
                stat.state,
                stat.utime as f64 / ticks,
                stat.stime as f64 / ticks,
                std::fs::read_to_string(place).unwrap_or_default()
            );
        }
    }
    text
}

/// A time limit on a test's work in its own process, from [`watch`] until it is dropped.
#[must_use]
pub struct Watch {
    /// Channel to which nothing is sent: closing it wakes the watching thread.
    _end: SyncSender<()>,
    /// Whether the end or the limit has come; the other of the two comes too late.
    decided: Arc<AtomicBool>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        while self.decided.swap(true, Ordering::SeqCst) {
            // A test that goes on because its children were killed does not get ahead of the abort.
            std::thread::park();
        }
    }
}

/// Limits the time of a test's work without a process of its own. A thread cannot be ended from
/// outside, so when the limit expires the whole test process is aborted, with its children, and the
/// other tests in it are lost.
pub fn watch(limit: Duration) -> Watch {
    let (_end, end) = sync_channel::<()>(0);
    let decided = Arc::new(AtomicBool::new(false));
    let watch = Watch {
        _end,
        decided: decided.clone(),
    };
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test").to_owned();
    std::thread::spawn(move || {
        let woken = end.recv_timeout(limit);
        if woken == Err(RecvTimeoutError::Timeout) && !decided.swap(true, Ordering::SeqCst) {
            abort(&test, limit);
        }
    });
    watch
}

/// Aborts this process and all that it started, after reporting them.
fn abort(test: &str, limit: Duration) -> ! {
    let all = with_descendants(std::process::id() as i32);
    // Not by a macro of the standard library's: a test's output would be kept for its end.
    let text = format!("{test}: not over after {limit:?}, aborted\n{}", told(&all));
    let _ = std::io::stderr().write_all(text.as_bytes());
    for (_, stat) in &all[1..] {
        if let Some(pid) = Pid::from_raw(stat.pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    std::process::abort()
}

/// Returns a process and all its descendants, itself first.
fn with_descendants(pid: i32) -> Vec<ProcessEntry> {
    let (mut found, mut others): (Vec<ProcessEntry>, Vec<ProcessEntry>) =
        running().partition(|(_, stat)| stat.pid == pid);
    let mut next = 0;
    while let Some(parent) = found.get(next).map(|(_, stat)| stat.pid) {
        let (children, rest) = others
            .into_iter()
            .partition(|(_, stat)| stat.ppid == parent);
        let children: Vec<ProcessEntry> = children;
        found.extend(children);
        others = rest;
        next += 1;
    }
    found
}
