//! The options of the exploration, of all commands that explore.

use super::project;
use super::units::{self, Limit};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;
use symex_solver::Chain;
use symex_types::config::PartSize;

/// Options of the exploration, on the command line or in the settings of a project. The value of an
/// absent option is decided by the next source.
#[derive(Args, Deserialize, Debug, Clone, Default)]
#[command(next_help_heading = "Exploration")]
#[serde(
    default,
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table of settings"
)]
pub struct EngineArgs {
    /// Time limit for one harness: 60s, 5m, none [default: 60s]
    #[arg(long, env = "SYMEX_TIMEOUT", value_parser = units::duration_limit, value_name = "TIME")]
    #[serde(deserialize_with = "project::duration_limit")]
    pub timeout: Option<Limit<Duration>>,
    /// Limit on the paths that are followed to their end [default: none]
    #[arg(long, env = "SYMEX_MAX_PATHS", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub max_paths: Option<Limit<u64>>,
    /// Limit on the instructions of all paths together [default: none]
    ///
    /// With `--max-queries` and without limits on time, a verdict is the same on a machine of any
    /// speed and load.
    #[arg(long, env = "SYMEX_MAX_INSTRUCTIONS", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub max_instructions: Option<Limit<u64>>,
    /// Limit on the solver queries of all paths together [default: none]
    #[arg(long, env = "SYMEX_MAX_QUERIES", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub max_queries: Option<Limit<u64>>,
    /// Memory limit for one harness: 4GiB, none [default: 4GiB]
    ///
    /// It is compared with the memory of the whole process: with several jobs, that of all
    /// harnesses that are explored at the same time, and of all threads of one.
    #[arg(long, env = "SYMEX_MAX_MEMORY", value_parser = units::size_limit, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size_limit")]
    pub max_memory: Option<Limit<u64>>,
    /// Instructions of one path beyond which it is a suspected hang [default: 50 million]
    #[arg(long, env = "SYMEX_MAX_STEPS", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub max_steps: Option<Limit<u64>>,
    /// Depth of calls beyond which the stack has overflowed [default: 20000]
    #[arg(long, env = "SYMEX_MAX_DEPTH", value_name = "N")]
    pub max_depth: Option<u32>,
    /// Times on a path that a thread is preempted, where there are several [default: 1]
    ///
    /// Threads take turns where one waits or ends. Other orders are explored as well: those in
    /// which a thread is preempted before an operation that the others can see, at most so many
    /// times on a path. Most faults of threads need one or two; each more multiplies the paths.
    #[arg(long, env = "SYMEX_PREEMPTIONS", value_name = "N")]
    pub preemptions: Option<u32>,
    /// Order of exploration: dfs, bfs, random-path, coverage, interleaved [default: interleaved]
    #[arg(long, env = "SYMEX_SEARCH", value_name = "ORDER")]
    pub search: Option<String>,
    /// Merging of paths where the ways from a branch meet again: off, equal, similar, auto
    /// [default: auto]
    ///
    /// `equal`: paths become one if they differ in their conditions alone. `similar`: also if they
    /// differ in a few values that are neither pointers nor positions and decide no loop. `auto`:
    /// paths are not merged; where that does not end within a second or two, a second exploration
    /// merges similar ones, on a thread beside the first, and the one that ends first counts.
    #[arg(long, env = "SYMEX_MERGE", value_name = "WHICH")]
    pub merge: Option<String>,
    /// Seed of all random choices [default: 0]
    ///
    /// The same seed gives the same run, up to limits on time and memory.
    #[arg(long, env = "SYMEX_SEED", value_parser = units::number, value_name = "N")]
    #[serde(deserialize_with = "project::number")]
    pub seed: Option<u64>,
    /// Native runs of a harness on made-up inputs, to find what is shallow at once [default: 10000]
    ///
    /// They are made beside an exploration that takes longer than a moment, in one process and in
    /// at most a second. The exploration follows first the inputs on which a run failed. `none`, or
    /// `--replay=off`: none are made.
    #[arg(long, env = "SYMEX_PRE_RUNS", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub pre_runs: Option<Limit<u64>>,
    /// How to access memory through a pointer to several objects [default: adaptive]
    ///
    /// `forking`: a path per object. `merging`: all at once. `dynamic`: all at once, after the
    /// objects were moved into one segment. `segmented`: into the segments that a points-to
    /// analysis gives. `flat`: with all other memory. `planes`: all at once; what is written at a
    /// symbolic address is a record, and a read chooses among the records that it may meet.
    /// `single`: one of the objects, which is never complete. `adaptive`: whichever of `forking`,
    /// `merging` and `dynamic` is cheapest for the access. In all models, operations other than
    /// loads and stores (`free`, `memcpy`, calls) take a path per object.
    #[arg(long, env = "SYMEX_MEMORY_MODEL", value_name = "MODEL")]
    pub memory_model: Option<String>,
    /// Largest size of an object whose size depends on inputs [default: 4KiB]
    ///
    /// Larger sizes are left out, and the verdict says so.
    #[arg(long, env = "SYMEX_MAX_SYMBOLIC_SIZE", value_parser = units::size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size")]
    pub max_symbolic_size: Option<u64>,
    /// Size of a segment beyond which `dynamic` and `segmented` begin another [default: 10KiB]
    #[arg(long, env = "SYMEX_SEGMENT_THRESHOLD", value_parser = units::size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size")]
    pub segment_threshold: Option<u64>,
    /// Give each new segment arrays of its own, for comparison
    ///
    /// Answers of the solver about a segment with the same contents on another path are then not
    /// used again.
    #[arg(
        long,
        env = "SYMEX_NO_SEGMENT_REUSE",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new()
    )]
    pub no_segment_reuse: Option<bool>,
    /// With `dynamic`, also move objects that were allocated by the same last N calls
    ///
    /// By default, only the objects that the pointer may refer to are moved.
    #[arg(long, env = "SYMEX_CONTEXT_DEPTH", value_name = "N")]
    pub context_depth: Option<u32>,
    /// Size of the parts in which accesses see large objects: 32, 64, ..., auto, off, model
    /// [default: model]
    ///
    /// It concerns accesses at offsets that depend on inputs. Where the memory model forks there is
    /// a path per part; otherwise the parts between the first and the last that the inputs lead to
    /// are accessed as one. `auto`: the size suits the access. `model`: `adaptive` splits where an
    /// access may go to many elements, other models do not.
    #[arg(long, env = "SYMEX_SPLIT_OBJECTS", value_parser = units::part_size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::part_size")]
    pub split_objects: Option<Limit<PartSize>>,
    /// Largest size of an object that is not split [default: 300]
    #[arg(long, env = "SYMEX_SPLIT_THRESHOLD", value_parser = units::size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size")]
    pub split_threshold: Option<u64>,
    /// With the memory model `planes`, what is kept as records: naive (all writes, for comparison),
    /// boosted
    #[arg(long, hide = true, value_name = "KIND")]
    #[serde(skip)]
    pub memory_planes: Option<String>,
    /// Follow both sides of a branch that depends only on where objects lie in memory
    ///
    /// Such branches compare the order of two allocations, or the low bits of an address. Otherwise
    /// only the side is followed that the one placement of the run takes.
    #[arg(
        long,
        env = "SYMEX_EXPLORE_PLACEMENTS",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new()
    )]
    pub explore_placements: Option<bool>,
    /// Time limit for one solver query [default: 20s]
    #[arg(long, env = "SYMEX_QUERY_TIMEOUT", value_parser = units::duration, value_name = "TIME")]
    #[serde(deserialize_with = "project::duration")]
    pub query_timeout: Option<Duration>,
    /// Write the queries of each harness, with their answers, into a file in this folder
    ///
    /// `cargo symex replay-queries` asks them again.
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub query_log: Option<PathBuf>,
    /// Write every query that reaches Z3 into a subfolder of this folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub smtlib_log: Option<PathBuf>,
    /// Check every cached answer against the solver
    #[arg(long)]
    #[serde(skip)]
    pub validate_cache: bool,
    /// Leave out this stage of the solver, for comparison; may be repeated
    #[arg(long, hide = true, value_name = "STAGE", value_parser = stage)]
    #[serde(skip)]
    pub without_stage: Vec<String>,
    /// End a harness at its first bug
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new()
    )]
    pub stop_at_first_bug: Option<bool>,
    /// Once a harness has a bug, end it after N paths with nothing new [default: 10000]
    ///
    /// These are paths in a row that neither found another bug nor ran new code. `none`: only other
    /// limits end it.
    #[arg(long, env = "SYMEX_AFTER_BUG", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub after_bug: Option<Limit<u64>>,
    /// Treat uninitialised memory as zeros instead of reporting its use
    ///
    /// A pass is then bounded by that.
    #[arg(
        long,
        env = "SYMEX_ZEROED",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new()
    )]
    pub zeroed: Option<bool>,
    /// Run each path once more by its decisions, and report those that differ: a slow self-check.
    #[arg(long, hide = true)]
    pub check_paths: bool,
    /// Part merged paths at every question about them, as if each was too hard, for tests.
    #[arg(long, hide = true)]
    #[serde(skip)]
    pub part_always: bool,
    /// Keep what is left of an exploration each time this has passed, for tests.
    #[arg(long, hide = true, value_parser = units::duration, value_name = "TIME")]
    #[serde(skip)]
    pub keep_every: Option<Duration>,
    /// Report memory leaks
    ///
    /// A leak is memory from an allocator that is not freed, and that nothing refers to at the end
    /// of a path: not globals or what they reach, nor, where `exit` ends the program, its frames.
    /// The finding names the calls of the allocation. It is confirmed where clang's LeakSanitizer
    /// is in the native program: in programs in C, and in the tests of a crate with C in it.
    #[arg(
        long,
        env = "SYMEX_LEAKS",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new()
    )]
    pub leaks: Option<bool>,
    /// Also check references where they are made: references, or tree (Tree Borrows)
    ///
    /// With `references`, each must lead to memory that is there, whether it is used or not; with
    /// `tree`, Rust's rules of aliasing are checked as well. Both keep what rustc would drop as
    /// unused. It needs Rust 1.99 or newer, and builds the crate and its dependencies anew, with
    /// RUSTC_BOOTSTRAP=1, in a directory of their own. Accesses in the precompiled standard library
    /// count as made through the pointers that it was given; C is not checked.
    #[arg(long, env = "SYMEX_ALIASING", value_name = "MODEL")]
    #[serde(skip)]
    pub aliasing: Option<String>,
}

/// Parses the name of a stage, in which a hyphen may stand for a space.
pub fn stage(typed: &str) -> Result<String, String> {
    let names = Chain::stage_names();
    let typed_form = |name: &str| name.replace(' ', "-");
    let meant = names
        .iter()
        .find(|name| typed_form(name) == typed_form(typed));
    meant.map(|name| name.to_string()).ok_or_else(|| {
        let names: Vec<String> = names.iter().map(|name| typed_form(name)).collect();
        format!("the stages are {}", names.join(", "))
    })
}
