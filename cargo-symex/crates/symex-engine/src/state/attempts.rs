//! Calls of the system that a path has made, where some are taken to fail: so that a native run
//! finds the same call.

use std::collections::BTreeMap;

/// See the module. Empty where no call is taken to fail.
#[derive(Clone, Default, Debug)]
pub struct Attempts {
    /// By the name of the call and, for those on open files, the descriptor.
    made: BTreeMap<(&'static str, Option<u32>), u32>,
    /// Number of those that were taken to fail.
    pub failed: u32,
}

impl Attempts {
    /// Which one comes next, counted from 1.
    pub fn next(&self, call: &'static str, descriptor: Option<u32>) -> u32 {
        self.made
            .get(&(call, descriptor))
            .map_or(1, |made| made + 1)
    }

    /// Counts one that was made.
    pub fn add(&mut self, call: &'static str, descriptor: Option<u32>) {
        *self.made.entry((call, descriptor)).or_insert(0) += 1;
    }
}
