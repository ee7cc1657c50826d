//! The overseer: a thread beside the exploration that holds it to its limits on time and memory,
//! also within one query or one instruction.

use crate::exec::path::alarm::Alarm;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symex_solver::chain::Chain;
use symex_solver::leftovers;

/// Time between two looks: what may be exceeded of a limit before it is noticed.
const TICK: Duration = Duration::from_millis(5);

/// Part of the memory limit from which on memory is asked back from the allocator before a run.
const MUCH: u64 = 8;

/// Greatest time for which a run waits until the memory of earlier ones is freed.
const LEFTOVERS: Duration = Duration::from_secs(60);

/// Thread that looks at the alarm of a run, and interrupts the solver when it rings.
pub struct Overseer {
    done: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Overseer {
    /// Starts to oversee a run.
    pub fn start(alarm: Arc<Alarm>, solver: &Chain) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let handle = solver.interrupt_handle();
        let flag = done.clone();
        let thread = std::thread::spawn(move || {
            let mut last = Instant::now();
            while !flag.load(Ordering::Relaxed) {
                let now = Instant::now();
                if alarm.look(process_memory, now - last, TICK) {
                    handle.interrupt();
                    return;
                }
                last = now;
                std::thread::park_timeout(TICK);
            }
        });
        Overseer {
            done,
            thread: Some(thread),
        }
    }
}

impl Drop for Overseer {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

/// Returns the resident memory of this process in bytes; 0 where the system does not tell.
pub fn process_memory() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_whitespace().nth(1)?.parse::<u64>().ok())
        .unwrap_or(0);
    pages * 4096
}

/// Gives memory that earlier runs have freed back to the system, if it is much, so that it does not
/// count for the next run, which has this limit.
pub fn release_memory(limit: Option<u64>) {
    leftovers::wait(LEFTOVERS);
    if limit.is_none_or(|limit| process_memory() < limit / MUCH) {
        return;
    }
    trim();
}

/// Gives free memory of the process back to the system.
pub fn trim() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}
