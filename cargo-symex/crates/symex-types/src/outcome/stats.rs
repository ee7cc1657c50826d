//! Statistics of one run: the one place that defines what is counted. The numbers are counted where
//! the work is done, and shown by `--stats` and in JSON.
//!
//! Counts are the same for the same input and seed, whatever ran beside; times, in seconds, are
//! not.

use super::arithmetic::Arithmetic;
use super::profile::Profile;
use super::tree::Tree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Statistics of one run.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Stats {
    /// Paths explored to their end, whatever the end.
    pub paths: u64,
    /// Paths that reached the end of the harness.
    pub completed: u64,
    /// Paths ended by a false assumption.
    pub assumed_away: u64,
    /// The share of the tree of paths that was explored, if each fork halves what stems from it: an
    /// estimate, 1 where all was. 0 where paths are merged from the start.
    #[serde(default)]
    pub explored: f64,
    /// The shape of the tree of paths, as far as it was explored. Empty where paths are merged from
    /// the start.
    #[serde(default)]
    pub tree: Tree,
    /// Lines at which paths forked, or the solver took long, in the order of files and lines.
    #[serde(default)]
    pub lines: Vec<LineStats>,
    /// Where the work was done, if that was asked for.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// Given inputs that were followed, such as those on which native runs failed. Their paths are
    /// not counted otherwise.
    #[serde(default)]
    pub followed: u64,
    /// Findings on given inputs that the exploration had not come to.
    #[serde(default)]
    pub foretold: u64,
    pub forks: u64,
    /// Regions of the tree of paths that another thread took over.
    #[serde(default)]
    pub regions: u64,
    /// Regions whose root another thread did not reach, so that who gave them away explored them.
    #[serde(default)]
    pub diverged: u64,
    /// Times that the exploration began anew with its waiting states as regions, since the memory
    /// was nearly used up.
    #[serde(default)]
    pub renewals: u64,
    /// Workers of a cluster that have explored paths.
    #[serde(default)]
    pub workers: u64,
    /// States that were merged into others.
    pub merged: u64,
    /// Queries that were too hard about a merged state, which was parted then.
    pub parted: u64,
    pub instructions: u64,
    /// Distinct basic blocks entered.
    pub covered: u64,
    pub queries: u64,
    /// Queries that no stage answered, so that the final solver was asked.
    pub solver_queries: u64,
    /// Queries for which a stage itself asked a solver. Some of them are counted in
    /// `solver_queries`, too.
    pub solver_queries_of_stages: u64,
    /// Queries without an answer.
    pub unanswered: u64,
    /// Decisions that depended on the addresses of objects. Of those that depend on addresses
    /// alone, only the first of each path counts.
    pub by_address: u64,
    pub solver_seconds: f64,
    pub seconds: f64,
    /// Seconds that earlier runs took, which this one continued: a part of `seconds`.
    #[serde(default)]
    pub earlier_seconds: f64,
    /// Seconds in which this exploration waited for another one of the same paths, which merged
    /// them and was given up: a part of `seconds`.
    #[serde(default)]
    pub beside_seconds: f64,
    pub peak_states: u64,
    pub terms: u64,
    /// Bytes of the terms, without what the solver makes of them.
    #[serde(default)]
    pub term_bytes: u64,
    pub memory: MemoryStats,
    /// Functions and variables that the program takes from the C library in bitcode, ordered by
    /// name.
    #[serde(default)]
    pub library: Vec<String>,
    /// Number of queries by purpose.
    pub purposes: BTreeMap<String, u64>,
    /// Statistics of each stage of the solver chain, in their order, then of Z3.
    pub stages: Vec<StageStats>,
}

/// Statistics of memory accesses, memory models and memory use.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemoryStats {
    /// Accesses through pointers that depend on inputs. A path that was forked off in an access
    /// repeats it.
    pub accesses: u64,
    /// Resolutions of a pointer that had been resolved on the path before.
    pub remembered: u64,
    /// Resolutions by the pointer's numeric value.
    pub by_value: u64,
    /// Resolutions with several candidates.
    pub several: u64,
    /// Candidates of the resolutions with several, together.
    pub candidates: u64,
    /// Most candidates of one access.
    pub most_candidates: u64,
    /// Accesses with several candidates, meant to be merged, of which the path condition leaves
    /// one.
    pub left_alone: u64,
    /// Accesses with several candidates that were carried out on a path per candidate.
    pub forked: u64,
    /// Accesses with several candidates that were carried out on all of them at once.
    pub merged: u64,
    /// Accesses to several objects after these were moved into segments.
    pub segmented: u64,
    /// Accesses with several candidates that were carried out on one alone.
    pub single: u64,
    /// Objects split into parts for accesses at symbolic offsets, over all paths.
    pub split_objects: u64,
    /// Accesses to one of several parts of such an object. A path that was forked off in an access
    /// repeats it.
    pub split_accesses: u64,
    /// Parts from which the arrays of those accesses were made.
    pub parts: u64,
    /// Segments made, over all paths.
    pub segments: u64,
    /// Objects moved into a segment, or from one to another, over all paths.
    pub moved_objects: u64,
    /// Bytes of the largest segment.
    pub largest_segment: u64,
    /// Greatest number of members of a segment.
    pub most_members: u64,
    /// Reads at symbolic offsets, by the size of the object: see [`SIZE_CLASSES`].
    pub symbolic_reads: [u64; SIZE_CLASSES.len() + 1],
    /// Writes at symbolic offsets, by the size of the object.
    pub symbolic_writes: [u64; SIZE_CLASSES.len() + 1],
    /// Arrays made for accesses at symbolic offsets.
    pub arrays: u64,
    /// Elements of those arrays together.
    pub array_elements: u64,
    /// Loads and stores by whether they involved records of writes.
    #[serde(rename = "planes")]
    pub records: RecordStats,
    /// Update layers that writes left over the previous contents.
    pub updates: UpdateStats,
    /// Bytes that states held together at the greatest measurement: objects, their contents and
    /// their identities. Measured when more states wait than ever and their number passes a power
    /// of two, and at the end of each path whose number is a power of two. So this is a lower bound
    /// of the true maximum.
    pub state_bytes: u64,
    /// Bytes of `state_bytes` held by a single state each, over all states.
    pub owned_bytes: u64,
    /// Bytes of `state_bytes` with several holders, each counted once.
    pub shared_bytes: u64,
    /// Bytes of `owned_bytes` held by contents of objects at known offsets. Objects of up to 32
    /// bytes are not counted.
    pub owned_contents: u64,
    /// Bytes of `shared_bytes` held by contents of objects at known offsets. Objects of up to 32
    /// bytes are not counted.
    pub shared_contents: u64,
    /// States measured for these numbers.
    pub measured_states: u64,
}

/// Update layers [FGM III-B] of contents, over all paths, by kind. Records of writes are counted in
/// [`RecordStats`].
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct UpdateStats {
    /// Pages of updates at known offsets: 256 bytes of a larger object, made by the first write to
    /// them over the object's initial contents.
    pub pages: u64,
    /// Blocks and pages of updates at known offsets, up to 256 bytes, that were copied because
    /// something else held them, too: another state, a layer below records, or another object.
    /// Objects of up to 32 bytes have none.
    pub copies: u64,
    /// Elements that were written at known offsets on top of an array and then moved into it.
    pub absorbed: u64,
    /// Elements stored in arrays at symbolic offsets.
    pub stores: u64,
    /// Writes whose length in bytes depends on an input, each over the range that it may reach.
    pub ranges: u64,
}

/// Bytes, by number of holders.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Held {
    /// Bytes with one holder.
    pub owned: u64,
    /// Bytes with several holders, each counted once.
    pub shared: u64,
}

impl UpdateStats {
    fn add(&mut self, other: &UpdateStats) {
        self.pages += other.pages;
        self.copies += other.copies;
        self.absorbed += other.absorbed;
        self.stores += other.stores;
        self.ranges += other.ranges;
    }
}

/// Work done on records of writes [SOP 5]. Under memory models that keep no records, only maps are
/// read and written.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct RecordStats {
    /// Loads for which no record had to be examined.
    pub map_reads: u64,
    /// Stores that did not become records.
    pub map_writes: u64,
    /// Loads for which records were examined.
    pub list_reads: u64,
    /// Stores that became records.
    pub list_writes: u64,
    /// Entries of records in lists, one for each object that the write may affect.
    pub entries: u64,
    /// Maps of an object from which records took out bytes.
    pub layers: u64,
    /// Collision formulae satisfied by the path's own assignment.
    pub witnessed: u64,
    /// Collision formulae answered by the cache.
    pub cache_hits: u64,
    /// Collision formulae sent to the solver.
    pub cache_misses: u64,
    /// Collision formulae not sent to the solver, because they were not worth a query.
    pub not_asked: u64,
    /// Records that cannot collide under the path condition.
    pub ruled_out: u64,
    /// Seconds spent on loads for which records were examined.
    pub list_read_seconds: f64,
    /// Seconds spent on stores that became records.
    pub list_write_seconds: f64,
    /// Seconds of these two spent on formulae that were sent to the solver.
    pub query_seconds: f64,
}

impl RecordStats {
    fn add(&mut self, other: &RecordStats) {
        self.map_reads += other.map_reads;
        self.map_writes += other.map_writes;
        self.list_reads += other.list_reads;
        self.list_writes += other.list_writes;
        self.entries += other.entries;
        self.layers += other.layers;
        self.witnessed += other.witnessed;
        self.cache_hits += other.cache_hits;
        self.cache_misses += other.cache_misses;
        self.not_asked += other.not_asked;
        self.ruled_out += other.ruled_out;
        self.list_read_seconds += other.list_read_seconds;
        self.list_write_seconds += other.list_write_seconds;
        self.query_seconds += other.query_seconds;
    }
}

/// Greatest object size of each size class, in bytes. A last class holds all larger sizes.
pub const SIZE_CLASSES: [u64; 5] = [16, 64, 256, 1024, 4096];

/// Returns the size class of an object of this size.
pub fn size_class(size: u64) -> usize {
    SIZE_CLASSES.partition_point(|most| *most < size)
}

/// Statistics of one line of the source.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct LineStats {
    pub file: String,
    pub line: u32,
    /// Forks of paths there, or in calls from there into Rust's library.
    pub forks: u64,
    /// Seconds of queries there that took more than a millisecond.
    pub solver_seconds: f64,
    /// The seconds of those that had arithmetic which is hard for solvers, by the hardest kind in
    /// each, in the order of kinds.
    #[serde(default)]
    pub arithmetic: Vec<(Arithmetic, f64)>,
}

impl LineStats {
    /// Adds what was counted for the same line elsewhere.
    pub fn add(&mut self, other: &LineStats) {
        self.forks += other.forks;
        self.solver_seconds += other.solver_seconds;
        for (kind, seconds) in &other.arithmetic {
            match self.arithmetic.binary_search_by_key(kind, |one| one.0) {
                Ok(at) => self.arithmetic[at].1 += seconds,
                Err(at) => self.arithmetic.insert(at, (*kind, *seconds)),
            }
        }
    }
}

/// Statistics of one stage of the solver chain.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct StageStats {
    pub name: String,
    /// Queries that the stage answered.
    pub answered: u64,
    /// Answered queries whose answer is a satisfying assignment.
    pub satisfied: u64,
    /// Queries that the stage replaced by equivalent ones.
    pub rewritten: u64,
    pub seconds: f64,
}

impl Stats {
    /// Returns the seconds that all stages of the solver took, those of several threads together.
    pub fn query_seconds(&self) -> f64 {
        let stages: f64 = self.stages.iter().map(|stage| stage.seconds).sum();
        stages.max(self.solver_seconds)
    }

    /// Adds what was counted of lines elsewhere.
    pub fn add_lines(&mut self, lines: &[LineStats]) {
        for line in lines {
            let key = |line: &LineStats| (line.file.clone(), line.line);
            match self.lines.binary_search_by_key(&key(line), key) {
                Ok(at) => self.lines[at].add(line),
                Err(at) => self.lines.insert(at, line.clone()),
            }
        }
    }

    /// Adds the statistics of another run: counts and times add up, maxima keep the greater.
    pub fn add(&mut self, other: &Stats) {
        self.paths += other.paths;
        self.completed += other.completed;
        self.assumed_away += other.assumed_away;
        self.explored += other.explored;
        self.tree.add(&other.tree);
        self.add_lines(&other.lines);
        if let Some(profile) = &other.profile {
            self.profile.get_or_insert_default().add(profile);
        }
        self.followed += other.followed;
        self.foretold += other.foretold;
        self.forks += other.forks;
        self.regions += other.regions;
        self.diverged += other.diverged;
        self.renewals += other.renewals;
        self.workers += other.workers;
        self.merged += other.merged;
        self.parted += other.parted;
        self.instructions += other.instructions;
        self.covered += other.covered;
        self.queries += other.queries;
        self.solver_queries += other.solver_queries;
        self.solver_queries_of_stages += other.solver_queries_of_stages;
        self.unanswered += other.unanswered;
        self.by_address += other.by_address;
        self.solver_seconds += other.solver_seconds;
        self.seconds += other.seconds;
        self.earlier_seconds += other.earlier_seconds;
        self.beside_seconds += other.beside_seconds;
        self.peak_states = self.peak_states.max(other.peak_states);
        self.terms += other.terms;
        self.term_bytes += other.term_bytes;
        self.memory.add(&other.memory);
        for (purpose, count) in &other.purposes {
            *self.purposes.entry(purpose.clone()).or_default() += count;
        }
        for stage in &other.stages {
            match self.stages.iter_mut().find(|s| s.name == stage.name) {
                None => self.stages.push(stage.clone()),
                Some(s) => {
                    s.answered += stage.answered;
                    s.satisfied += stage.satisfied;
                    s.rewritten += stage.rewritten;
                    s.seconds += stage.seconds;
                }
            }
        }
    }
}

impl MemoryStats {
    fn add(&mut self, other: &MemoryStats) {
        self.accesses += other.accesses;
        self.remembered += other.remembered;
        self.left_alone += other.left_alone;
        self.by_value += other.by_value;
        self.several += other.several;
        self.candidates += other.candidates;
        self.most_candidates = self.most_candidates.max(other.most_candidates);
        self.forked += other.forked;
        self.merged += other.merged;
        self.segmented += other.segmented;
        self.single += other.single;
        self.split_objects += other.split_objects;
        self.split_accesses += other.split_accesses;
        self.parts += other.parts;
        self.segments += other.segments;
        self.moved_objects += other.moved_objects;
        self.largest_segment = self.largest_segment.max(other.largest_segment);
        self.most_members = self.most_members.max(other.most_members);
        for (sum, n) in self.symbolic_reads.iter_mut().zip(other.symbolic_reads) {
            *sum += n;
        }
        for (sum, n) in self.symbolic_writes.iter_mut().zip(other.symbolic_writes) {
            *sum += n;
        }
        self.arrays += other.arrays;
        self.array_elements += other.array_elements;
        self.records.add(&other.records);
        self.updates.add(&other.updates);
        let all = Held {
            owned: other.owned_bytes,
            shared: other.shared_bytes,
        };
        let contents = Held {
            owned: other.owned_contents,
            shared: other.shared_contents,
        };
        self.measured(other.measured_states, all, contents);
    }

    /// Records a measurement of the memory of several states: of all of it, and of contents alone.
    pub fn measured(&mut self, states: u64, all: Held, contents: Held) {
        let bytes = all.owned + all.shared;
        if bytes > self.state_bytes {
            self.state_bytes = bytes;
            (self.owned_bytes, self.shared_bytes) = (all.owned, all.shared);
            (self.owned_contents, self.shared_contents) = (contents.owned, contents.shared);
            self.measured_states = states;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fall_into_classes() {
        let classes: Vec<usize> = [0, 16, 17, 64, 4096, 4097, u64::MAX].map(size_class).into();
        assert_eq!(classes, [0, 0, 1, 1, 4, 5, 5]);
    }

    #[test]
    fn counts_add_up_and_peaks_do_not() {
        let run = |n: u64| {
            let mut stats = Stats {
                paths: n,
                peak_states: n,
                purposes: [("branch".to_owned(), n)].into(),
                stages: vec![StageStats {
                    name: "z3".into(),
                    answered: n,
                    satisfied: n,
                    ..StageStats::default()
                }],
                ..Stats::default()
            };
            stats.memory.candidates = n;
            stats.memory.most_candidates = n;
            stats.memory.symbolic_reads[2] = n;
            stats.memory.updates.copies = n;
            let of = |owned| Held { owned, shared: 2 };
            stats.memory.measured(7, of(n), of(1));
            stats
        };
        let mut sum = run(3);
        sum.add(&run(4));
        assert_eq!((sum.paths, sum.peak_states), (7, 4));
        assert_eq!((sum.purposes["branch"], sum.stages[0].answered), (7, 7));
        assert_eq!((sum.memory.candidates, sum.memory.most_candidates), (7, 4));
        assert_eq!(
            (sum.memory.symbolic_reads[2], sum.memory.updates.copies),
            (7, 7)
        );
        let MemoryStats {
            state_bytes,
            owned_bytes,
            owned_contents,
            shared_contents,
            measured_states,
            ..
        } = sum.memory;
        assert_eq!((state_bytes, owned_bytes, measured_states), (6, 4, 7));
        assert_eq!((owned_contents, shared_contents), (1, 2));
    }
}
