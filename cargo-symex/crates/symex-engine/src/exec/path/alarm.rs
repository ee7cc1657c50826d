//! The alarm of a run: what ends it from outside of the paths, namely time, memory and the user.

use super::holders::Holder;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use symex_types::outcome::Bound;

/// Limits on time and memory of one run, and whether one was reached.
///
/// A thread beside the exploration calls [`Self::look`] every few milliseconds, because single
/// instructions and queries may take long.
pub struct Alarm {
    /// Set from outside to stop soon.
    stop: Arc<AtomicBool>,
    deadline: Option<Instant>,
    max_memory: Option<u64>,
    /// What the exploration holds of the memory, if others may hold some, too.
    holder: Option<Holder>,
    /// Bytes that the exploration will need at once, soon.
    imminent: AtomicU64,
    /// Bytes in use at the last look.
    last: AtomicU64,
    /// Whether the memory was seen above its limit.
    is_memory_used_up: AtomicBool,
    rings: AtomicBool,
}

/// Part of the memory limit that is left for what is used between a look and the end of the run.
const RESERVE: u64 = 20;

/// Part of the memory limit by which a larger table, made beside the old one, may exceed it.
const TOLERANCE: u64 = 16;

impl Alarm {
    /// Makes an alarm with these limits.
    pub fn new(stop: Arc<AtomicBool>, deadline: Option<Instant>, max_memory: Option<u64>) -> Self {
        Alarm {
            stop,
            deadline,
            max_memory,
            holder: None,
            imminent: AtomicU64::new(0),
            last: AtomicU64::new(u64::MAX),
            is_memory_used_up: AtomicBool::new(false),
            rings: AtomicBool::new(false),
        }
    }

    /// Makes the alarm that of an exploration among others.
    pub fn with_holder(self, holder: Holder) -> Self {
        Alarm {
            holder: Some(holder),
            ..self
        }
    }

    /// Sets the bytes that the exploration holds, as far as it knows.
    pub fn hold(&self, bytes: u64) {
        if let Some(holder) = &self.holder {
            holder.set(bytes);
        }
    }

    /// Returns the time at which the run ends.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns the reason why the run must end, if there is one at this time.
    pub fn reason(&self, now: Instant) -> Option<Bound> {
        if self.stop.load(Ordering::Relaxed) {
            Some(Bound::Interrupted)
        } else if self.deadline.is_some_and(|deadline| now >= deadline) {
            Some(Bound::Timeout)
        } else if self.is_memory_used_up.load(Ordering::Relaxed) {
            Some(Bound::MaxMemory)
        } else {
            None
        }
    }

    /// Reports whether the last look found a reason to end the run: cheap enough to ask at each
    /// instruction.
    #[inline]
    pub fn rings(&self) -> bool {
        self.rings.load(Ordering::Relaxed)
    }

    /// Returns the bytes in use at the last look; `None` if there was none.
    pub fn memory(&self) -> Option<u64> {
        let last = self.last.load(Ordering::Relaxed);
        (last != u64::MAX && self.max_memory.is_some()).then_some(last)
    }

    /// Sets the bytes that the exploration will need at once, soon.
    #[inline]
    pub fn expect(&self, bytes: usize) {
        self.imminent.store(bytes as u64, Ordering::Relaxed);
    }

    /// Compares time and memory with their limits, and reports whether the run must end.
    /// `memory`: measures the memory in use; `waited`: the time since the last look; `wait`: that
    /// until the next.
    pub fn look(&self, memory: impl FnOnce() -> u64, waited: Duration, wait: Duration) -> bool {
        if let Some(most) = self.max_memory {
            let used = memory();
            let soon = used + self.imminent.load(Ordering::Relaxed);
            // Until the next look, it grows as fast as since the last one, which may have been long
            // ago where others use the cores.
            let grown = used.saturating_sub(self.last.swap(used, Ordering::Relaxed));
            let share = wait.as_secs_f64() / waited.max(wait).as_secs_f64();
            let next = used + (grown as f64 * share) as u64;
            let is_over =
                next > most - most / RESERVE || soon > most.saturating_add(most / TOLERANCE);
            let holder = self.holder.as_ref();
            if is_over && holder.is_none_or(|holder| holder.has_to_end(used, most)) {
                self.is_memory_used_up.store(true, Ordering::Relaxed);
            }
        }
        let over = self.reason(Instant::now()).is_some();
        self.rings.fetch_or(over, Ordering::Relaxed);
        self.rings()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(5);

    /// Looks where this much memory is in use, as long after the last look as before the next.
    fn look(alarm: &Alarm, memory: u64) -> bool {
        alarm.look(|| memory, TICK, TICK)
    }

    #[test]
    fn it_rings_for_the_user_for_time_and_for_memory() {
        let stop = Arc::new(AtomicBool::new(false));
        let now = Instant::now();
        let silent = Alarm::new(stop.clone(), None, None);
        assert!(!look(&silent, u64::MAX) && silent.reason(now).is_none());

        let late = Alarm::new(stop.clone(), Some(now), None);
        assert!(!late.rings() && look(&late, 0) && late.rings());
        assert_eq!(late.reason(now), Some(Bound::Timeout));

        let fast = Alarm::new(stop.clone(), None, Some(1600));
        assert!(!look(&fast, 1000) && look(&fast, 1300));
        let delayed = Alarm::new(stop.clone(), None, Some(1600));
        assert!(!look(&delayed, 1000) && !delayed.look(|| 1300, TICK * 10, TICK));

        let full = Alarm::new(stop.clone(), None, Some(1600));
        full.expect(200);
        assert!(!look(&full, 1500));
        full.expect(201);
        assert!(look(&full, 1500));
        // What was above once does not count as below again.
        full.expect(0);
        assert!(look(&full, 0));
        assert_eq!(full.reason(now), Some(Bound::MaxMemory));

        stop.store(true, Ordering::Relaxed);
        assert_eq!(silent.reason(now), Some(Bound::Interrupted));
        assert!(look(&silent, 0));
    }
}
