//! Profiles: where the time, the paths and the instructions of an exploration went, by calls and
//! lines.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Where the work of an exploration was done, as a tree of calls.
///
/// Threads are added up, so that the seconds may be more than have passed.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Profile {
    /// Lines that were run, each by the calls that led there; a caller stands before what it calls.
    pub calls: Vec<ProfiledCall>,
    /// Seconds in which no path was run: in which states were chosen, kept and merged.
    pub other_seconds: f64,
}

/// A line that was run by a sequence of calls.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProfiledCall {
    /// Index of the line from which its function was called; `None` for the outermost function.
    pub caller: Option<usize>,
    /// Function that has the line, as people read it.
    pub function: String,
    /// File of the line as the compiler gave it, and its number from 1; `None` if there is none.
    pub line: Option<(String, u32)>,
    /// What was done there, but for what was done in calls from there.
    pub work: Work,
}

/// An amount of work.
#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Work {
    /// Seconds, those of the solver included.
    pub seconds: f64,
    /// Seconds in queries.
    pub solver_seconds: f64,
    /// Forks of paths.
    pub forks: u64,
    /// Paths that ended.
    pub ends: u64,
    /// Instructions.
    pub instructions: u64,
}

impl Work {
    /// Adds other work to this.
    pub fn add(&mut self, other: &Work) {
        self.seconds += other.seconds;
        self.solver_seconds += other.solver_seconds;
        self.forks += other.forks;
        self.ends += other.ends;
        self.instructions += other.instructions;
    }
}

impl Profile {
    /// Adds the profile of another exploration of the program.
    pub fn add(&mut self, other: &Profile) {
        let mut builder = ProfileBuilder::from(std::mem::take(self));
        let mut indices: Vec<usize> = Vec::with_capacity(other.calls.len());
        for call in &other.calls {
            let caller = call.caller.map(|caller| indices[caller]);
            let at = builder.call(caller, &call.function, call.line.clone());
            builder.work(at).add(&call.work);
            indices.push(at);
        }
        *self = builder.finish(other.other_seconds);
    }

    /// Returns the work of all calls together, without the seconds in which no path was run.
    pub fn total(&self) -> Work {
        let mut total = Work::default();
        self.calls.iter().for_each(|call| total.add(&call.work));
        total
    }

    /// Iterates over the indices of a call and its callers, innermost first.
    pub fn stack(&self, call: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(call), |at| self.calls[*at].caller)
    }
}

/// Key of a call among those from the same line.
type CallKey = (Option<usize>, String, Option<(String, u32)>);

/// A profile to which calls are added, each once.
#[derive(Default)]
pub struct ProfileBuilder {
    profile: Profile,
    indices: HashMap<CallKey, usize>,
}

impl From<Profile> for ProfileBuilder {
    fn from(profile: Profile) -> Self {
        let calls = profile.calls.iter().enumerate();
        let indices = calls.map(|(at, call)| {
            let key = (call.caller, call.function.clone(), call.line.clone());
            (key, at)
        });
        ProfileBuilder {
            indices: indices.collect(),
            profile,
        }
    }
}

impl ProfileBuilder {
    /// Returns the index of a call; it is added if it is new.
    pub fn call(
        &mut self,
        caller: Option<usize>,
        function: &str,
        line: Option<(String, u32)>,
    ) -> usize {
        let calls = &mut self.profile.calls;
        let key = (caller, function.to_owned(), line);
        *self.indices.entry(key).or_insert_with_key(|key| {
            calls.push(ProfiledCall {
                caller,
                function: key.1.clone(),
                line: key.2.clone(),
                work: Work::default(),
            });
            calls.len() - 1
        })
    }

    /// Returns the work at a call.
    pub fn work(&mut self, call: usize) -> &mut Work {
        &mut self.profile.calls[call].work
    }

    /// Returns the profile, with so many more seconds in which no path was run.
    pub fn finish(mut self, other_seconds: f64) -> Profile {
        self.profile.other_seconds += other_seconds;
        self.profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(calls: &[(Option<usize>, &str, u32, u64)]) -> Profile {
        let mut builder = ProfileBuilder::default();
        for (caller, function, line, forks) in calls {
            let line = Some(("lib.rs".to_owned(), *line));
            let at = builder.call(*caller, function, line);
            builder.work(at).forks += forks;
        }
        builder.finish(1.0)
    }

    #[test]
    fn the_same_calls_are_added_up_and_others_are_kept() {
        let mut sum = profile(&[(None, "main", 1, 1), (Some(0), "parse", 7, 2)]);
        // The same function from another line is another call, and calls come in another order.
        sum.add(&profile(&[
            (None, "main", 2, 10),
            (Some(0), "parse", 7, 20),
            (None, "main", 1, 40),
            (Some(2), "parse", 7, 80),
        ]));
        let counts: Vec<(Option<usize>, u64)> = sum
            .calls
            .iter()
            .map(|call| (call.caller, call.work.forks))
            .collect();
        assert_eq!(
            counts,
            [(None, 41), (Some(0), 82), (None, 10), (Some(2), 20)]
        );
        assert_eq!((sum.total().forks, sum.other_seconds), (153, 2.0));
        assert_eq!(sum.stack(3).collect::<Vec<_>>(), [3, 2]);
    }
}
