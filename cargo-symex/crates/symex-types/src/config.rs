//! Settings of a run, as plain typed data. The engine reads no options from anywhere else.

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
    /// Seed of all random choices. Default 0.
    pub seed: u64,
    /// Number of native runs on made-up inputs that a harness of a crate is given beside its
    /// exploration. Default 10,000.
    pub pre_runs: u64,
    pub solver: SolverConfig,
    pub memory: MemoryConfig,
    /// Description of the program's environment: arguments, standard input, files, variables.
    /// Default empty.
    pub world: World,
    /// Whether an exit status other than 0 is a bug of a program with a `main`. For a harness it
    /// always is. Default false.
    pub check_status: bool,
    /// Whether to report, at the end of a path, memory that was never freed and is no longer
    /// reachable. Default false.
    pub leaks: bool,
    /// Rules of references to check in Rust. They need a build in which rustc says where references
    /// are made. Default none.
    pub aliasing: Option<AliasingModel>,
    /// Greatest length in bytes of the input of a fuzz target. Default 32.
    pub max_input: u64,
    /// Greatest length to which that is raised where a fuzz target accepts no shorter input.
    /// Default 256.
    pub most_input: u64,
    /// Which paths become one where the ways from a branch meet again. Default automatic.
    pub merging: Merging,
    /// Selection of the successful paths to record, with inputs and output. Default none.
    pub record_paths: RecordPaths,
    /// Whether to record where the work is done, by calls and lines. Default false.
    pub profile: bool,
    /// Whether to record the tree of decisions. Default false.
    #[serde(default)]
    pub record_tree: bool,
    /// Switches that turn off mechanisms, for benches and tests. Default none.
    pub experiment: Experiment,
}

impl Config {
    /// Reports whether paths are counted or recorded in the order of one exploration.
    pub fn counts_or_records(&self) -> bool {
        self.limits.are_on_work() || self.record_paths != RecordPaths::None
    }
}

/// Rules of references that are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AliasingModel {
    /// That a reference is valid where it is made, whether it is used or not.
    References,
    /// What `References` checks, and which accesses references allow, by Tree Borrows.
    Tree,
}

/// Selection of the paths that are merged: see [`Config::merging`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merging {
    /// None.
    Off,
    /// Those that differ in their conditions alone.
    Equal,
    /// Those that differ in a few values, too.
    Similar,
    /// None at first; where that does not end soon, a second exploration merges similar ones.
    #[default]
    Auto,
}

impl Merging {
    /// Reports whether an exploration with this setting merges paths itself.
    pub fn is_on(self) -> bool {
        matches!(self, Self::Equal | Self::Similar)
    }
}

/// Selection of the paths to record: see [`Config::record_paths`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum RecordPaths {
    #[default]
    None,
    All,
    /// Enough paths for a sample of this size (`outcome::sample`).
    Sample(usize),
}

/// Limits at which an exploration stops. `None` is no limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Wall-clock time of one harness. Default 60 s.
    pub timeout: Option<Duration>,
    /// Number of paths explored to their end. Default none.
    pub max_paths: Option<u64>,
    /// Instructions of one path. A path that reaches it is a suspected hang. Default 50 million.
    pub max_steps: Option<u64>,
    /// Instructions of all paths together. Default none.
    pub max_instructions: Option<u64>,
    /// Solver queries of all paths together. Default none.
    pub max_queries: Option<u64>,
    /// Bytes of memory of the process that explores the harness. Default 4 GiB.
    pub max_memory: Option<u64>,
    /// Bytes of a single allocation above which it fails as the allocator would. Default 1 GiB.
    pub max_allocation: u64,
    /// Call depth at which a path ends as a stack overflow. Default 20,000.
    pub max_depth: u32,
    /// Number of times on a path that a thread is preempted, where there are several. Default 1.
    pub max_preemptions: u32,
    /// Stop at the first bug. Default false.
    pub stop_at_first_bug: bool,
    /// Number of consecutive paths without a new bug or new code after which a harness with a bug
    /// is stopped. Default 10,000.
    pub after_bug: Option<u64>,
}

impl Limits {
    /// Reports whether the work of all paths is limited: their number, instructions or queries.
    pub fn are_on_work(&self) -> bool {
        self.max_paths.is_some() || self.max_instructions.is_some() || self.max_queries.is_some()
    }
}

/// Search strategy: order in which paths are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    Dfs,
    Bfs,
    RandomPath,
    Coverage,
    /// Alternates between coverage-guided and random-path search.
    Interleaved,
}

/// Settings of the solver chain.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SolverConfig {
    /// Time for one query. Default 20 s.
    pub query_timeout: Duration,
    /// Names of the stages left out of the chain, for comparison. Default none.
    pub without_stages: Vec<String>,
    /// Check every cached answer against the solver. Default false.
    pub validate_cache: bool,
    /// File to which every query is written as it enters the chain, with its answer: see `log` of
    /// `symex-solver`. Default none.
    pub query_log: Option<PathBuf>,
    /// Directory to which every query that reaches Z3 is written as SMT-LIB. Default none.
    pub smtlib_log: Option<PathBuf>,
}

/// Settings of the memory model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryConfig {
    /// Memory model: treatment of a pointer that may refer to several objects. Default `Adaptive`.
    pub model: MemoryModelKind,
    /// Greatest size, in bytes, of an object whose size depends on inputs. Greater sizes are not
    /// explored. Default 4096.
    pub max_symbolic_size: u64,
    /// Size of a segment, in bytes, beyond which the models that move objects into segments start
    /// another. Default 10 KiB [SMM 3].
    pub segment_threshold: u64,
    /// Whether segments with the same contents share the same arrays, on whichever paths they were
    /// made, so that solver answers about one also hold for the other [RAM 2.3.3]. If false, for
    /// comparison, each new segment has arrays of its own. Default true.
    pub reuse_segments: bool,
    /// Number of innermost calls, besides the allocator's, that allocation sites must have in
    /// common for `dynamic` to move their objects together. Default none: only the objects that the
    /// pointer may refer to are moved.
    pub context_depth: Option<u32>,
    /// Size of the parts into which large objects are split for accesses at symbolic offsets [RAM
    /// 2.4]. `None`: accesses see the whole object. Default: as the memory model says.
    pub split_objects: Option<PartSize>,
    /// Size of an object, in bytes, beyond which it is large. Default 300 [RAM 4.3].
    pub split_threshold: u64,
    /// Selection of the writes that the model `planes` keeps as records. Default `boosted`.
    pub planes: PlanesKind,
    /// Whether to follow both sides of a branch that depends on addresses alone: objects are placed
    /// anew for the other side. Default false.
    pub explore_placements: bool,
    /// Whether to treat memory that was never written as zeros, instead of reporting results that
    /// depend on it. Default false.
    pub zeroed: bool,
}

/// Size of the parts into which large objects are split.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartSize {
    /// Whole objects, except where the memory model takes an object for large: then as `Auto`, if
    /// that is possible without a path per part.
    ByModel,
    /// Size chosen to suit the object and the access.
    Auto,
    /// Size in bytes, rounded down to a power of two.
    Bytes(u64),
}

/// Memory models: how an access through a pointer to several possible objects is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryModelKind {
    /// Accesses one of the objects and drops the others.
    Single,
    /// Forks a path per object.
    Forking,
    /// Accesses all objects at once, by an if-then-else over the values.
    Merging,
    /// Accesses all objects at once, after moving all memory into one segment.
    Flat,
    /// Accesses all objects at once, after moving them into the segments that a points-to analysis
    /// of the program computed for them.
    Segmented,
    /// Accesses all objects at once, moving them into one segment when a pointer may refer to
    /// several.
    Dynamic,
    /// Accesses all objects at once: a write at an address that is not constant is kept as a
    /// record, and a read chooses among the records that it may meet.
    Planes,
    /// Merges, moves into a segment or forks, whichever is cheapest for the access.
    Adaptive,
}

/// Writes that the model `planes` keeps as records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanesKind {
    /// Every write of the program, and every read considers all of them. For comparison.
    Naive,
    /// Writes at addresses that are not constant.
    Boosted,
}

impl MemoryModelKind {
    /// All models: the list that comparisons and measurements of models iterate over.
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

    /// Reports whether the model follows a pointer to every object that some input leads to. All
    /// complete models must give the same verdicts.
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

    /// Reports whether the model considers objects that the harness does not reach. A verdict then
    /// depends on the whole program.
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
            pre_runs: 10_000,
            solver: SolverConfig::default(),
            memory: MemoryConfig::default(),
            world: World::default(),
            check_status: false,
            leaks: false,
            aliasing: None,
            max_input: 32,
            most_input: 256,
            merging: Merging::Auto,
            record_paths: RecordPaths::None,
            profile: false,
            record_tree: false,
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
            max_instructions: None,
            max_queries: None,
            max_memory: Some(4 << 30),
            max_allocation: 1 << 30,
            max_depth: 20_000,
            max_preemptions: 1,
            stop_at_first_bug: false,
            after_bug: Some(10_000),
        }
    }
}

impl SolverConfig {
    /// Reports whether queries are logged.
    pub fn is_logged(&self) -> bool {
        self.query_log.is_some() || self.smtlib_log.is_some()
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
