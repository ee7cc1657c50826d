//! Every setting of a run, as plain typed data. Nothing else reads options.

mod experiment;
pub mod failing;
pub mod world;

pub use experiment::Experiment;
pub use world::World;

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the exploration of one harness. Defaults are those of [`Config::default`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub limits: Limits,
    pub search: SearchKind,
    /// Seed of everything random. Default 0.
    pub seed: u64,
    pub solver: SolverConfig,
    pub memory: MemoryConfig,
    /// What is said of the world around the program. Default nothing.
    pub world: World,
    /// Is it a bug of a program with a `main` if it ends with another status than 0? Of a harness
    /// it always is. Default false.
    pub check_status: bool,
    /// Report what is never freed and cannot be reached at the end of a path. Default false.
    pub leaks: bool,
    /// Which paths that end well are recorded, with inputs and output. Default none.
    pub record_paths: RecordPaths,
    /// Mechanisms that benches and tests turn off. Default none.
    pub experiment: Experiment,
}

/// See [`Config::record_paths`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum RecordPaths {
    #[default]
    None,
    All,
    /// Enough of them for a sample of this size (`outcome::sample`).
    Sample(usize),
}

/// When to stop. `None` is no limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Wall-clock time of one harness. Default 60 s.
    pub timeout: Option<Duration>,
    /// Number of paths followed to their end. Default none.
    pub max_paths: Option<u64>,
    /// Instructions of one path. A path that reaches it is a suspected hang. Default 50 million.
    pub max_steps: Option<u64>,
    /// Bytes of engine memory of one harness. Default 4 GiB.
    pub max_memory: Option<u64>,
    /// Bytes a single allocation may ask for before it fails as the allocator would. Default 1 GiB.
    pub max_allocation: u64,
    /// Depth of calls at which a path ends as a stack overflow. Default 20,000.
    pub max_depth: u32,
    /// Stop at the first bug. Default false.
    pub stop_at_first_bug: bool,
    /// Paths in a row without another bug or new code after which a harness with a bug is ended.
    /// Default 10,000.
    pub after_bug: Option<u64>,
}

/// Order in which paths are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    Dfs,
    Bfs,
    RandomPath,
    Coverage,
    /// Coverage-guided and random path in turn.
    Interleaved,
}

/// Settings of the solver chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SolverConfig {
    /// Time for one query. Default 20 s.
    pub query_timeout: Duration,
    /// Stages of the chain that are left out, by name, for comparison. Default none.
    pub without_stages: Vec<String>,
    /// Check every cached answer against the solver. Default false.
    pub validate_cache: bool,
    /// File into which every query is written as it enters the chain, with its answer: see `log` of
    /// `symex-solver`. Default none.
    pub query_log: Option<PathBuf>,
    /// Directory into which every query that reaches Z3 is written as SMT-LIB. Default none.
    pub smtlib_log: Option<PathBuf>,
}

/// Settings of the memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryConfig {
    /// What to do with a pointer that may refer to several objects. Default `Adaptive`.
    pub model: MemoryModelKind,
    /// Greatest size, in bytes, of an object whose size depends on inputs. Greater ones are left
    /// out. Default 4096.
    pub max_symbolic_size: u64,
    /// Bytes of a segment beyond which the models that move objects together begin another. Default
    /// 10 KiB [SMM 3].
    pub segment_threshold: u64,
    /// Segments with the same contents have the same arrays, on whichever paths they were made, so
    /// that answers about one are answers about the other [RAM 2.3.3]. Else, for comparison, each
    /// new segment has arrays of its own. Default true.
    pub reuse_segments: bool,
    /// Number of innermost calls, besides that of the allocator, that objects have in common if
    /// `dynamic` moves them together. Default none: only those that the pointer may refer to are
    /// moved.
    pub context_depth: Option<u32>,
    /// Bytes of the parts in which accesses at symbolic offsets see large objects [RAM 2.4]. None:
    /// they see the whole object. Default: as the memory model says.
    pub split_objects: Option<PartSize>,
    /// Bytes of an object beyond which it is large. Default 300 [RAM 4.3].
    pub split_threshold: u64,
    /// What the model `planes` keeps as records. Default `boosted`.
    pub planes: PlanesKind,
    /// Where a branch depends on addresses alone, follow both ways: objects are placed anew for the
    /// other. Default false.
    pub explore_placements: bool,
    /// Take memory that nothing was written to for zeros, instead of reporting what depends on it.
    /// Default false.
    pub zeroed: bool,
}

/// How large the parts of an object are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartSize {
    /// Whole objects, but as `Auto`, without a path per part if that is possible, where the memory
    /// model takes an object for large.
    ByModel,
    /// A size that suits the object and the access.
    Auto,
    /// A size in bytes, rounded down to a power of two.
    Bytes(u64),
}

/// The memory models.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryModelKind {
    /// One object is accessed; the others are dropped.
    Single,
    /// There is a path per object.
    Forking,
    /// All objects at once, by a choice of values.
    Merging,
    /// All objects at once, after all memory was moved into one segment.
    Flat,
    /// All objects at once, moved into the segments that a points-to analysis of the program has
    /// for them.
    Segmented,
    /// All objects at once, moved into one segment when a pointer may refer to several.
    Dynamic,
    /// All objects at once: what is written at an address that is no constant is a record, and a
    /// read chooses among those that it may meet.
    Planes,
    /// Merged, moved together or forked, whichever is cheaper for the access.
    Adaptive,
}

/// What the model `planes` keeps as records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanesKind {
    /// Every write of the program, none of which is left out of a read. For comparison.
    Naive,
    /// Writes at addresses that are no constants.
    Boosted,
}

impl MemoryModelKind {
    /// Every model. What is compared or measured model by model takes them from here.
    pub const ALL: &[Self] = &[
        Self::Single,
        Self::Forking,
        Self::Merging,
        Self::Flat,
        Self::Segmented,
        Self::Dynamic,
        Self::Planes,
        Self::Adaptive,
    ];

    /// Does it follow a pointer to all objects that the inputs lead to? All complete models must
    /// agree.
    pub fn is_complete(self) -> bool {
        match self {
            Self::Single => false,
            Self::Forking
            | Self::Merging
            | Self::Flat
            | Self::Segmented
            | Self::Dynamic
            | Self::Planes
            | Self::Adaptive => true,
        }
    }

    /// Does it look at objects that the harness does not reach? Then a verdict depends on the whole
    /// program.
    pub fn looks_at_all(self) -> bool {
        match self {
            Self::Single | Self::Forking | Self::Merging | Self::Planes | Self::Adaptive => false,
            // They move objects together that no pointer refers to, or analyse the program.
            Self::Flat | Self::Segmented | Self::Dynamic => true,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            limits: Limits::default(),
            search: SearchKind::Interleaved,
            seed: 0,
            solver: SolverConfig::default(),
            memory: MemoryConfig::default(),
            world: World::default(),
            check_status: false,
            leaks: false,
            record_paths: RecordPaths::None,
            experiment: Experiment::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            timeout: Some(Duration::from_secs(60)),
            max_paths: None,
            max_steps: Some(50_000_000),
            max_memory: Some(4 << 30),
            max_allocation: 1 << 30,
            max_depth: 20_000,
            stop_at_first_bug: false,
            after_bug: Some(10_000),
        }
    }
}

impl Default for SolverConfig {
    fn default() -> Self {
        SolverConfig {
            query_timeout: Duration::from_secs(20),
            without_stages: Vec::new(),
            validate_cache: false,
            query_log: None,
            smtlib_log: None,
        }
    }
}

impl Default for MemoryConfig {
    fn default() -> Self {
        MemoryConfig {
            model: MemoryModelKind::Adaptive,
            max_symbolic_size: 4096,
            segment_threshold: 10 << 10,
            reuse_segments: true,
            context_depth: None,
            split_objects: Some(PartSize::ByModel),
            split_threshold: 300,
            planes: PlanesKind::Boosted,
            explore_placements: false,
            zeroed: false,
        }
    }
}
