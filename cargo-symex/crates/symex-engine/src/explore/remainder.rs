//! Remainders: what an exploration that stopped has found out, and the regions that it has not
//! explored. Another exploration goes on from there, in another process or on another day.

use super::forest::Forest;
use super::parts::{Found, Regions, Sum};
use super::results::Results;
use crate::exec::Executor;
use serde::{Deserialize, Serialize};
use symex_program::Program;
use symex_types::outcome::Stats;

/// What an exploration that stopped has found out, and what it has not explored.
#[derive(Clone, Serialize, Deserialize)]
pub struct Remainder {
    found: Found,
    open: Regions,
    /// Time that went into the exploration, in seconds.
    seconds: f64,
    /// The part of it that went into it before the run that left this.
    earlier_seconds: f64,
    /// The memory limit that the exploration has reached, in bytes.
    memory_reached: Option<u64>,
    by_address: u64,
}

/// Keeper of what explorations leave.
pub trait Keeper {
    /// Keeps a remainder, instead of the last one.
    fn keep(&mut self, remainder: &Remainder);
}

impl Remainder {
    /// Makes the remainder of an exploration with these results and regions; `None` if nothing is
    /// left, or if the results cannot be written.
    pub(super) fn new(
        program: &Program,
        results: &Results,
        open: Forest,
        memory_reached: Option<u64>,
    ) -> Option<Self> {
        if open.len() == 0 {
            return None;
        }
        Some(Remainder {
            found: Found::of(program, results)?,
            open: Regions::of(program, open),
            seconds: results.stats().seconds,
            earlier_seconds: results.stats().earlier_seconds,
            memory_reached,
            by_address: results.stats().by_address,
        })
    }

    /// Reports whether the exploration has depended on the placement of objects in memory.
    pub fn has_looked_at_addresses(&self) -> bool {
        self.by_address > 0
    }

    /// Returns the memory limit at which the exploration stopped, in bytes.
    pub fn memory_reached(&self) -> Option<u64> {
        self.memory_reached
    }

    /// Returns the time that went into the exploration over all runs, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns the time that went into it before the run that left this, in seconds.
    pub fn earlier_seconds(&self) -> f64 {
        self.earlier_seconds
    }

    /// Returns the number of regions that are not explored.
    pub fn regions(&self) -> usize {
        self.open.count()
    }

    /// Writes the remainder in the form that [`Self::from_bytes`] reads. `None` if that fails.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// Reads a remainder; `None` if the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let remainder: Remainder = postcard::from_bytes(bytes).ok()?;
        remainder.open.is_whole().then_some(remainder)
    }

    /// Makes the remainder of an exploration by several that share its regions: what they have
    /// found out together, and what they have not explored. `None` if nothing is left, or if the
    /// results cannot be written.
    pub fn of_parts(sum: &Sum, open: Vec<Regions>) -> Option<Self> {
        let mut all = Forest::default();
        open.into_iter().for_each(|part| all.append(part.forest));
        Self::new(sum.program(), sum.results(), all, None)
    }

    /// Returns what was found out and the regions that are not explored.
    pub fn into_parts(self) -> (Found, Regions) {
        (self.found, self.open)
    }

    /// Lets an executor go on from the results, and returns the statistics and the regions; `None`
    /// if the remainder cannot be read. The program may be another one, if what the harness reaches
    /// is the same.
    pub(super) fn go_on(self, executor: &mut Executor) -> Option<(Stats, Forest)> {
        let program = executor.program;
        let (results, entered) = self.found.read()?;
        let open = self.open.of_program(program)?;
        executor.entered.enter_by_name(program, &entered);
        Some((results.hand_over(executor), open))
    }
}
