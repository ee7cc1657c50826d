//! The runs of this process that hold memory at the same time. The limit on memory is that of the
//! process; where it is reached, the run that holds most has to end, and not all.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Whether a run ended for want of memory that others held.
#[derive(Default, Debug)]
pub struct RunMemory {
    is_crowded_out: AtomicBool,
}

impl RunMemory {
    /// Reports whether the run has met its limit on memory while others held most of it: alone, it
    /// may not meet it.
    pub fn is_crowded_out(&self) -> bool {
        self.is_crowded_out.load(Ordering::Relaxed)
    }
}

/// Explorations that hold memory, of all runs.
static HOLDERS: Mutex<Vec<Arc<Held>>> = Mutex::new(Vec::new());

/// What one exploration holds.
struct Held {
    run: Arc<RunMemory>,
    bytes: AtomicU64,
}

fn holders() -> MutexGuard<'static, Vec<Arc<Held>>> {
    HOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An exploration among those that hold memory, until it is dropped. A run may have several.
pub struct Holder(Arc<Held>);

impl Holder {
    /// Adds an exploration of a run.
    pub fn new(run: Arc<RunMemory>) -> Self {
        let bytes = AtomicU64::new(0);
        let held = Arc::new(Held { run, bytes });
        holders().push(held.clone());
        Holder(held)
    }

    /// Sets the bytes that the exploration holds, as far as it knows.
    pub fn set(&self, bytes: u64) {
        self.0.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Reports whether the run has to end, where the process uses so many bytes and may use that
    /// many at most.
    pub fn has_to_end(&self, used: u64, most: u64) -> bool {
        let shares = Shares::of(&holders(), &self.0.run);
        if !shares.have_to_end(used, most) {
            return false;
        }
        if shares.are_few(most) {
            self.0.run.is_crowded_out.store(true, Ordering::Relaxed);
        }
        true
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        holders().retain(|held| !Arc::ptr_eq(held, &self.0));
    }
}

/// Part of the memory limit by which it may be exceeded while the run that holds most ends.
const TOLERANCE: u64 = 16;

/// Bytes that a run holds, and that others hold.
#[derive(Default, Debug)]
struct Shares {
    own: u64,
    has_others: bool,
    /// Bytes of the greatest of the others.
    greatest: u64,
    all: u64,
}

impl Shares {
    fn of(holders: &[Arc<Held>], run: &Arc<RunMemory>) -> Self {
        let mut runs: Vec<(&Arc<RunMemory>, u64)> = Vec::new();
        for held in holders {
            let bytes = held.bytes.load(Ordering::Relaxed);
            match runs
                .iter_mut()
                .find(|(other, _)| Arc::ptr_eq(other, &held.run))
            {
                Some((_, sum)) => *sum += bytes,
                None => runs.push((&held.run, bytes)),
            }
        }
        let mut shares = Shares::default();
        for (other, bytes) in runs {
            shares.all += bytes;
            if Arc::ptr_eq(other, run) {
                shares.own = bytes;
            } else {
                shares.has_others = true;
                shares.greatest = shares.greatest.max(bytes);
            }
        }
        shares
    }

    /// Reports whether the run has had little of the memory, and others may have had the rest.
    fn are_few(&self, most: u64) -> bool {
        self.has_others && self.own < most / 2
    }

    /// Reports whether a run that has reached the limit on memory has to end: because it holds the
    /// most of all runs, or because it is unknown which run does.
    fn have_to_end(&self, used: u64, most: u64) -> bool {
        let is_much_too_much = used > most.saturating_add(most / TOLERANCE);
        // As what the solver holds.
        let unknown = used.saturating_sub(self.all);
        !self.has_others
            || is_much_too_much
            || self.own >= self.greatest
            || unknown > 2 * self.greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(own: u64, others: &[u64]) -> Shares {
        let run = Arc::<RunMemory>::default();
        let held = |run: &Arc<RunMemory>, bytes: u64| {
            let bytes = AtomicU64::new(bytes);
            Arc::new(Held {
                run: run.clone(),
                bytes,
            })
        };
        // A run's threads count together.
        let mut all = vec![held(&run, own / 2), held(&run, own - own / 2)];
        all.extend(others.iter().map(|bytes| held(&Arc::default(), *bytes)));
        Shares::of(&all, &run)
    }

    #[test]
    fn the_run_that_holds_most_has_to_end() {
        assert!(shares(5, &[]).have_to_end(100, 100));
        assert!(shares(70, &[5, 10]).have_to_end(100, 100));
        assert!(!shares(10, &[5, 70]).have_to_end(100, 100));
        // It takes too long until the other ends.
        assert!(shares(10, &[5, 70]).have_to_end(107, 100));
        // Something else holds most.
        assert!(shares(10, &[5, 20]).have_to_end(100, 100));
    }

    #[test]
    fn a_run_that_others_left_little_is_crowded_out() {
        assert!(shares(10, &[5, 70]).are_few(100));
        assert!(!shares(60, &[40]).are_few(100));
        // What it used is its own.
        assert!(!shares(10, &[]).are_few(100));
    }
}
