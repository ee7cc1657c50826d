//! A check of Z3 on a thread of its own, which is given up at the end of the run.
//!
//! Z3 notices an interrupt soon, but what it has made until then it frees before the check returns:
//! a second for each gigabyte. A run that is over does not wait for that.
//!
//! Invariant: a context's objects are used by one thread at a time. While the check runs, the
//! thread that started it waits; when it gives the check up, it hands over all that it has of the
//! context.

use super::interrupt::InterruptHandle;
use super::raw::{BackEndFailure, CheckResult, RawSolver, Term};
use crate::leftovers::{self, Leftover};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use z3_sys::Z3_context;

/// Interval at which the waiting thread looks whether the run is over.
const TICK: Duration = Duration::from_millis(5);
/// Time that an interrupted check has to return before it is given up.
const GRACE: Duration = Duration::from_millis(30);

/// A running check. `T` is what the owner has of the context besides the solver.
pub(super) struct Checking<T> {
    result: Receiver<Handed<(RawSolver, CheckResult)>>,
    rest: Sender<Handed<Leftover<T>>>,
    interrupt: InterruptHandle,
}

/// Wrapper of a value that one thread hands to another.
struct Handed<T>(T);

// SAFETY: by the invariant of the module, the value is used by one thread at a time.
unsafe impl<T> Send for Handed<T> {}

impl<T> Handed<T> {
    /// Unwraps the value. Being a method, it makes a closure capture the whole.
    fn take(self) -> T {
        self.0
    }
}

impl<T: 'static> Checking<T> {
    /// Starts a check of these assertions, which ends at `end`, or when the interrupt is raised.
    ///
    /// They are asserted on the thread, too: Z3 rewrites what it is given, and does not look for
    /// interrupts meanwhile.
    pub fn start(
        solver: RawSolver,
        assertions: Vec<Term>,
        context: Z3_context,
        end: Instant,
        interrupt: &InterruptHandle,
    ) -> Result<Checking<T>, BackEndFailure> {
        let (tell, result) = channel();
        let (rest, take) = channel::<Handed<Leftover<T>>>();
        let handed = Handed((solver, assertions, context));
        let watch = interrupt.clone();
        let work = move || {
            let (solver, assertions, context) = handed.take();
            let ready = watch.prepared(context, end, || {
                assertions.into_iter().for_each(|term| solver.assert(term));
                Ok(())
            });
            let verdict = match ready {
                Ok(Some(())) => watch.during(context, end, || solver.check()),
                _ => CheckResult::Unknown("timeout".into()),
            };
            if let Err(unheard) = tell.send(Handed((solver, verdict))) {
                // Given up. What is left of the context comes by the other way.
                let rest = take.recv();
                drop(unheard);
                drop(rest);
            }
        };
        leftovers::spawn(work).map_err(|why| BackEndFailure(format!("Z3 has no thread: {why}")))?;
        Ok(Checking {
            result,
            rest,
            interrupt: interrupt.clone(),
        })
    }

    /// Waits for the check. `Err`: the run is over, by an interrupt or at `last`, and the check has
    /// not returned; it has to be given up.
    pub fn wait(self, last: Option<Instant>) -> Result<(RawSolver, CheckResult), Checking<T>> {
        let mut over: Option<Instant> = None;
        loop {
            match self.result.recv_timeout(TICK) {
                Ok(result) => return Ok(result.take()),
                // The thread panicked, and the solver is gone.
                Err(RecvTimeoutError::Disconnected) => return Err(self),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = Instant::now();
            if self.interrupt.is_raised() || last.is_some_and(|last| last <= now) {
                let since = *over.get_or_insert(now);
                if now.duration_since(since) >= GRACE {
                    return Err(self);
                }
            }
        }
    }

    /// Leaves the check alone, with what the owner has of its context: all of it is freed when the
    /// check returns.
    pub fn give_up(self, rest: T) {
        let Checking {
            result, rest: send, ..
        } = self;
        drop(result);
        // If the check returned just now, its result was freed with the receiver, or its thread
        // takes the rest. If the thread is gone, the rest is freed here.
        let _ = send.send(Handed(Leftover::new(rest)));
    }
}
