//! The search for a solution in boxes, by all processors.
//!
//! Threads take box after box, in order; the first solution in the first box that has one is the
//! answer. So the answer does not depend on the number of threads, nor on their speed.

use super::boxes::{Divider, ValueBox};
use super::program::Runner;
use crate::stage::QueryLimit;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Outcome of a search.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// The first solution: a value of each input.
    Solution(Vec<u64>),
    /// There is none.
    Nothing,
    /// It was ended.
    Ended,
}

/// Searches boxes from number `start` on. Returns what was found, and the number of boxes from the
/// first one on that are known to have no solution.
pub(super) fn search(
    divider: &Divider,
    boxes: &[ValueBox],
    start: usize,
    runner: Runner,
    threads: usize,
    limit: &QueryLimit,
) -> (Found, usize) {
    let end = limit.end();
    let next = AtomicUsize::new(start);
    // The first box that is left undone, or that has a solution.
    let first = AtomicUsize::new(boxes.len());
    let solution: Mutex<Option<(usize, Vec<u64>)>> = Mutex::new(None);
    let work = || {
        let mut divider = divider.clone();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= first.load(Ordering::Relaxed) {
                return;
            }
            if limit.is_over(end) {
                first.fetch_min(at, Ordering::Relaxed);
                return;
            }
            if let Some(found) = divider.find(boxes[at], |ranges| runner.first(ranges)) {
                first.fetch_min(at, Ordering::Relaxed);
                let mut solution = solution.lock().unwrap_or_else(PoisonError::into_inner);
                if solution.as_ref().is_none_or(|(of, _)| at < *of) {
                    *solution = Some((at, found));
                }
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(boxes.len() - start) {
            // With fewer threads it takes longer.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let first = first.into_inner();
    let solution = solution
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let found = match solution {
        Some((_, values)) => Found::Solution(values),
        None if first == boxes.len() => Found::Nothing,
        None => Found::Ended,
    };
    (found, first)
}
