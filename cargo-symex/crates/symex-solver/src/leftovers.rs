//! What ended runs leave behind: memory that takes long to free, and checks of Z3 that were given
//! up and have not noticed yet. Threads of their own see to them, so that no run is late for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Stack size of a thread in bytes: terms are deep, and Z3 recurses over them. Unused stack costs
/// no memory.
pub const STACK: usize = 256 << 20;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static LOCK: Mutex<()> = Mutex::new(());
static GONE: Condvar = Condvar::new();

/// Runs work on a thread of its own, without waiting for it. Fails if there can be no thread; the
/// work is dropped then.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("symex-beside".into());
    thread.stack_size(STACK).spawn(work).map(|_| ())
}

/// Frees a value on a thread of its own.
pub fn dispose(value: impl Send + 'static) {
    let left = Leftover::new(value);
    // Without a thread, the value is freed here, with the work that held it.
    let _ = spawn(move || drop(left));
}

/// Counts a thread that will end soon as left behind, until it has.
pub fn outlive<T: Send + 'static>(thread: JoinHandle<T>) {
    let left = Leftover::new(());
    let _ = spawn(move || {
        thread.join().ok();
        drop(left);
    });
}

/// Reports whether ended runs have left something behind.
pub fn remain() -> bool {
    COUNT.load(Ordering::SeqCst) > 0
}

/// Waits until nothing is left behind by ended runs, so that its memory is not taken for that of
/// the next one; for this long at most.
pub fn wait(most: Duration) {
    let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = GONE.wait_timeout_while(lock, most, |()| remain());
}

/// A value that counts as left behind until it is freed.
pub(crate) struct Leftover<T> {
    // Freed first, as the first field.
    _value: T,
    _counted: LeftoverToken,
}

impl<T> Leftover<T> {
    /// Counts a value as left behind.
    pub fn new(value: T) -> Self {
        COUNT.fetch_add(1, Ordering::SeqCst);
        Leftover {
            _value: value,
            _counted: LeftoverToken,
        }
    }
}

/// Token of one leftover.
struct LeftoverToken;

impl Drop for LeftoverToken {
    fn drop(&mut self) {
        let _lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        COUNT.fetch_sub(1, Ordering::SeqCst);
        GONE.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Value that takes a while to drop.
    struct Slow;

    impl Drop for Slow {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    #[test]
    fn they_are_waited_for() {
        dispose(Slow);
        assert!(remain());
        wait(Duration::from_secs(20));
        assert!(!remain());
    }
}
