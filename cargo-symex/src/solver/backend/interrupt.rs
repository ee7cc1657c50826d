//! Stopping a running query from another thread.
//!
//! Invariant: a context is named here only while a check runs in it, under a lock that its owner takes before it
//! may free the context. Raising is sticky until it is cleared.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use z3_sys::{Z3_context, Z3_interrupt};

/// Stops the query that a back end works on, and every later one until [`clear`](Self::clear). Cheap to clone.
#[derive(Clone, Default)]
pub struct InterruptHandle(Arc<Shared>);

#[derive(Default)]
struct Shared {
    raised: AtomicBool,
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    context: Option<Z3_context>,
    checks: u64,
}

// SAFETY: the context is used through `Z3_interrupt` alone, which may be called from any thread.
unsafe impl Send for Running {}

impl InterruptHandle {
    /// A handle that has not been raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for an end of the running query and of later ones. Returns when it ended, or after a second.
    pub fn interrupt(&self) {
        self.0.raised.store(true, Ordering::SeqCst);
        // Z3 forgets an interrupt that comes just before a check starts, so it is repeated until the check is over.
        let mut seen = None;
        for _ in 0..200 {
            {
                let running = self.lock();
                let Some(context) = running.context else {
                    return;
                };
                if *seen.get_or_insert(running.checks) != running.checks {
                    return;
                }
                // SAFETY: the owner keeps the context alive while it is named here.
                unsafe { Z3_interrupt(context) };
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Has it been raised?
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// Lets queries run again.
    pub fn clear(&self) {
        self.0.raised.store(false, Ordering::SeqCst);
    }

    /// Runs a check that the handle can stop.
    pub(super) fn during<T>(&self, context: Z3_context, check: impl FnOnce() -> T) -> T {
        {
            let mut running = self.lock();
            running.context = Some(context);
            running.checks += 1;
        }
        let result = check();
        self.lock().context = None;
        result
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
