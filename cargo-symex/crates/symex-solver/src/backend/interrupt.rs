//! Interruption of a running check from another thread: because its time is over, or on request.
//!
//! Z3's own timeouts are not used. Its timers are threads kept for the process, and in 4.8.12
//! (Debian's) a timer that is used again may miss that it was started: the check then never ends,
//! and if it does, the thread waits for its timer for ever. One thread of ours watches the checks
//! of all back ends instead, looking every `TICK`; it sleeps while there are none.
//!
//! Invariant: a context is named here only while a check runs in it, under a lock that its owner
//! takes before it may free the context. Raising is sticky until it is cleared.

use super::raw::BackEndFailure;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};
use z3_sys::{Z3_context, Z3_interrupt};

/// Greatest delay with which a check is ended.
const TICK: Duration = Duration::from_millis(5);
/// Number of looks without a check after which the watching thread sleeps: waking it costs more
/// than a look.
const IDLE_LOOKS: u32 = 100;
/// A time longer than any query's that can still be added to the present.
const LONGEST: Duration = Duration::from_secs(1 << 30);

/// Handle that stops the running query of a back end, and every later one until
/// [`clear`](Self::clear). Cheap to clone.
#[derive(Clone)]
pub struct InterruptHandle(Arc<Shared>);

#[derive(Default)]
struct Shared {
    raised: AtomicBool,
    running: Mutex<Option<Running>>,
}

/// A running check.
struct Running {
    context: Z3_context,
    end: Instant,
}

// SAFETY: the context is used through `Z3_interrupt` alone, which may be called from any thread.
unsafe impl Send for Running {}

impl Default for InterruptHandle {
    fn default() -> Self {
        Self::new()
    }
}

impl InterruptHandle {
    /// Makes a handle that has not been raised.
    pub fn new() -> Self {
        let shared = Arc::default();
        Watcher::get().watch(&shared);
        InterruptHandle(shared)
    }

    /// Requests the end of the running query and of later ones, without waiting for it.
    pub fn interrupt(&self) {
        self.0.raised.store(true, Ordering::SeqCst);
        self.0.look(Instant::now());
    }

    /// Reports whether an interrupt was requested.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::SeqCst)
    }

    /// Reports whether a query that ends at this time must end now.
    pub(super) fn is_over(&self, end: Instant) -> bool {
        self.is_raised() || Instant::now() >= end
    }

    /// Lets queries run again.
    pub fn clear(&self) {
        self.0.raised.store(false, Ordering::SeqCst);
    }

    /// Runs a check that ends at `end`, or when the handle is raised.
    pub(super) fn during<T>(
        &self,
        context: Z3_context,
        end: Instant,
        check: impl FnOnce() -> T,
    ) -> T {
        *self.0.lock() = Some(Running { context, end });
        Watcher::get().wake();
        let result = check();
        *self.0.lock() = None;
        result
    }

    /// Runs the preparation of a check, such as assertions. `None` if its time is over then: an
    /// interrupted preparation may be incomplete, and the context must not be used for a check.
    pub(super) fn prepared<T>(
        &self,
        context: Z3_context,
        end: Instant,
        prepare: impl FnOnce() -> Result<T, BackEndFailure>,
    ) -> Result<Option<T>, BackEndFailure> {
        let ready = self.during(context, end, prepare)?;
        Ok((!self.is_over(end)).then_some(ready))
    }
}

/// Returns when a query that starts now ends: after its own timeout, but not after the deadline of
/// all. A timeout too long for the clock counts as none.
pub(super) fn end_of_query(timeout: Duration, deadline: Option<Instant>) -> Instant {
    let now = Instant::now();
    let end = now.checked_add(timeout.min(LONGEST)).unwrap_or(now);
    deadline.map_or(end, |deadline| end.min(deadline))
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the check if its time is over, and reports whether a check is running. True if one is
    /// at work.
    ///
    /// Z3 forgets an interrupt that comes just before a check starts, so each look at a check that
    /// should have ended repeats it.
    fn look(&self, now: Instant) -> bool {
        let running = self.lock();
        let Some(check) = &*running else {
            return false;
        };
        if check.end <= now || self.raised.load(Ordering::SeqCst) {
            // SAFETY: the owner keeps the context alive while it is named here.
            unsafe { Z3_interrupt(check.context) };
        }
        true
    }
}

/// The thread that ends checks, one for the process.
struct Watcher {
    watched: Mutex<Vec<Weak<Shared>>>,
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

impl Watcher {
    fn get() -> &'static Watcher {
        static WATCHER: Watcher = Watcher {
            watched: Mutex::new(Vec::new()),
            asleep: AtomicBool::new(false),
            thread: OnceLock::new(),
        };
        WATCHER.thread.get_or_init(|| {
            std::thread::Builder::new()
                .name("symex-timer".into())
                .spawn(|| WATCHER.run())
                .expect("a thread can be started")
                .thread()
                .clone()
        });
        &WATCHER
    }

    fn watch(&self, shared: &Arc<Shared>) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.push(Arc::downgrade(shared));
    }

    /// Wakes the thread for a new check. The check's entry is made before this flag is read, and
    /// the thread sets the flag before it reads the entries for the last time: one of the two sees
    /// the other.
    fn wake(&self) {
        if self.asleep.swap(false, Ordering::SeqCst)
            && let Some(thread) = self.thread.get()
        {
            thread.unpark();
        }
    }

    fn run(&self) {
        let mut idle = 0;
        loop {
            if self.look() {
                idle = 0;
                std::thread::sleep(TICK);
            } else if idle < IDLE_LOOKS {
                idle += 1;
                std::thread::sleep(TICK);
            } else {
                self.asleep.store(true, Ordering::SeqCst);
                if !self.look() {
                    while self.asleep.load(Ordering::SeqCst) {
                        std::thread::park();
                    }
                }
                self.asleep.store(false, Ordering::SeqCst);
                idle = 0;
            }
        }
    }

    /// Looks at all checks, and reports whether one is running.
    fn look(&self) -> bool {
        let now = Instant::now();
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let mut any = false;
        watched.retain(|shared| match shared.upgrade() {
            Some(shared) => {
                any |= shared.look(now);
                true
            }
            None => false,
        });
        any
    }
}
