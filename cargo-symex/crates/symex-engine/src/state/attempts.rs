//! System calls that a path has made, where some are made to fail, so that a native run finds the
//! same call.

use std::collections::BTreeMap;

/// Numbers of calls made: see the module. Empty where no call is made to fail.
#[derive(Clone, Default, Debug)]
pub struct Attempts {
    /// Number of calls by name and, for those on open files, descriptor.
    made: BTreeMap<(&'static str, Option<u32>), u32>,
    /// Number of calls that were made to fail.
    pub failed: u32,
}

impl Attempts {
    /// Returns the number of the next call, from 1.
    pub fn next(&self, call: &'static str, descriptor: Option<u32>) -> u32 {
        self.made
            .get(&(call, descriptor))
            .map_or(1, |made| made + 1)
    }

    /// Counts a call that was made.
    pub fn add(&mut self, call: &'static str, descriptor: Option<u32>) {
        *self.made.entry((call, descriptor)).or_insert(0) += 1;
    }
}
