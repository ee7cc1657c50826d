//! The processes that descend from this one, and their end.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};
use std::time::{Duration, Instant};

/// Time after which processes that keep starting others are left alone.
const PATIENCE: Duration = Duration::from_secs(5);

/// A running process.
#[derive(Clone, Copy)]
pub(super) struct Process {
    pid: Pid,
    parent: i32,
    /// Memory in bytes that it has now.
    pub memory: u64,
}

impl Process {
    /// Reads a process from its line in `/proc/PID/stat`.
    fn read(stat: &str) -> Option<Self> {
        let (pid, _) = stat.split_once(' ')?;
        // The name, in parentheses, may contain anything.
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let pages: u64 = fields.get(21)?.parse().ok()?;
        Some(Process {
            pid: Pid::from_raw(pid.parse().ok()?)?,
            parent: fields.get(1)?.parse().ok()?,
            memory: pages * rustix::param::page_size() as u64,
        })
    }
}

/// Returns the processes that descend from this one.
pub(super) fn descendants() -> Vec<Process> {
    let mut others: Vec<Process> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            entry.file_name().to_str()?.parse::<u32>().ok()?;
            Process::read(&std::fs::read_to_string(entry.path().join("stat")).ok()?)
        })
        .collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![getpid().as_raw_pid()];
    while let Some(parent) = parents.pop() {
        let (children, rest): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|process| process.parent == parent);
        others = rest;
        parents.extend(children.iter().map(|child| child.pid.as_raw_pid()));
        found.extend(children);
    }
    found
}

/// Ends all processes that descend from this one. Those that lose their parent have to become
/// children of this process.
pub(super) fn end_descendants() {
    let start = Instant::now();
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => continue,
            Err(_) => return,
            Ok(None) if start.elapsed() > PATIENCE => return,
            Ok(None) => {}
        }
        for process in descendants() {
            let _ = kill_process(process.pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_have_any_name() {
        let line = "17 (a) b (c) S 12 17 17 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 5 4096 3 9 1";
        let process = Process::read(line).unwrap();
        assert_eq!((process.pid.as_raw_pid(), process.parent), (17, 12));
        assert_eq!(process.memory, 3 * rustix::param::page_size() as u64);
        assert!(Process::read("17 (a").is_none());
    }
}
