//! What can be typed, as clap sees it. Nothing is decided here; `resolve` turns it into settings.

use super::exit_code;
use super::project;
use super::units::{self, Limit};
use super::world_args::WorldArgs;
use clap::builder::BoolishValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Deserialize;
use std::path::PathBuf;
use std::time::Duration;
use symex_solver::Chain;
use symex_types::config::PartSize;

/// Symbolic testing: runs each `#[symex::harness]` on all inputs at once, and says which inputs fail, or that none do.
#[derive(Parser, Debug)]
#[command(
    name = "cargo-symex",
    bin_name = "cargo symex",
    version,
    about,
    after_help = exit_code::table(),
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The commands other than running.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the harnesses
    List(ListArgs),
    /// Run recorded inputs and regression tests natively, and show what happens
    Replay(ReplayArgs),
    /// Explore a program in C or C++
    C(Box<CArgs>),
    /// Explore a program given as LLVM bitcode
    Bitcode(Box<BitcodeArgs>),
    /// Ask the queries again that --query-log has recorded, and compare the answers
    #[command(after_help = REPLAY_CODES)]
    ReplayQueries(ReplayQueriesArgs),
    /// Say whether the C library in bitcode is there, or build it (--libc)
    #[command(after_help = SETUP_HELP)]
    Setup(SetupArgs),
    /// Print the engine's form of a program
    #[command(hide = true)]
    Dump(DumpArgs),
}

/// The default command.
#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub cargo: CargoArgs,
    #[command(flatten)]
    pub libtest: LibtestArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Arguments in the way of libtest: `cargo symex -- --list`
    #[arg(last = true, value_name = "LIBTEST ARGS")]
    pub rest: Vec<String>,
}

/// `cargo symex list`.
#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// Only names, one a line, and nothing from cargo but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// `cargo symex replay`.
#[derive(Args, Debug, Clone)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// Replay this inputs file instead of what was recorded; needs a single harness
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// What the commands that explore files share.
#[derive(Args, Debug, Clone)]
pub struct ProgramArgs {
    /// C or C++ sources, bitcode (.bc), textual IR (.ll), objects and archives with bitcode; several make one program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Function to start with: one without parameters, or C's main
    #[arg(long, default_value = "main", value_name = "NAME")]
    pub entry: String,
    /// What LLVM does to the program first: default, none, or a pipeline in LLVM's notation
    #[arg(long, value_name = "PIPELINE", default_value = "default")]
    pub passes: String,
    #[command(flatten)]
    pub world: WorldArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Take it for a bug if the program ends with another status than 0
    #[arg(long)]
    pub check_status: bool,
}

/// `cargo symex c`.
#[derive(Args, Debug, Clone)]
pub struct CArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Argument of the program, before symbolic ones; may be repeated
    #[arg(long = "arg", value_name = "TEXT", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// Options for clang: -I, -D, -std=, -fno-sanitize= and the like
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,
}

/// `cargo symex bitcode`.
#[derive(Args, Debug, Clone)]
pub struct BitcodeArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Option for clang, for C source; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cflag: Vec<String>,
    /// Arguments of the program, before symbolic ones
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<String>,
}

/// How `cargo symex replay-queries` ends.
const REPLAY_CODES: &str = "Exit codes:
    0  no answer contradicts the recorded one, nor that of --cross-check
    1  one does, or an assignment does not satisfy its query
    2  wrong command line or unusable file
    3  none does, but a query has no answer that had one";

/// `cargo symex replay-queries`.
#[derive(Args, Debug, Clone)]
pub struct ReplayQueriesArgs {
    /// Logs of queries; each is asked from the start
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Leave out this stage of the solver; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = stage)]
    pub without: Vec<String>,
    /// Leave out all stages: ask Z3 alone
    #[arg(long, conflicts_with = "without")]
    pub bare: bool,
    /// Ask a new Z3 each query too, and compare
    #[arg(long)]
    pub cross_check: bool,
    /// Print so many of the queries that reached Z3, the slowest first
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub slowest: usize,
    /// Most time for one query [default: what it had]
    #[arg(long, value_parser = units::duration, value_name = "TIME")]
    pub query_timeout: Option<Duration>,
    /// Write new logs, of the same names, into this folder
    #[arg(long, value_name = "DIR")]
    pub query_log: Option<PathBuf>,
    /// Write every query that reaches Z3 into this folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub smtlib_log: Option<PathBuf>,
}

/// A stage by its name, in which a hyphen may stand for a space.
fn stage(typed: &str) -> Result<String, String> {
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

/// What `cargo symex setup --help` ends with.
const SETUP_HELP: &str = "\
The C library is made from the source of musl, which is fetched from the mirrors of Debian that this machine uses, with \
clang 22. Programs are then linked with what they call of it and this tool has no model of; models come first. It is kept in \
cargo-symex/libc of the data directory (XDG_DATA_HOME, or ~/.local/share), or where the variable SYMEX_LIBC_DIR says; where \
that is empty, there is none. Exit codes: 0 it is there, or is not and was not asked for; 2 it could not be built.";

/// `cargo symex setup`.
#[derive(Args, Debug, Clone)]
pub struct SetupArgs {
    /// Build the C library, unless it is there
    #[arg(long)]
    pub libc: bool,
    /// Take musl's source from here instead of the network: a directory, or an archive
    #[arg(long, value_name = "DIR|ARCHIVE", requires = "libc")]
    pub from: Option<PathBuf>,
    /// Build it anew where it is there
    #[arg(long, requires = "libc")]
    pub force: bool,
}

/// `cargo symex dump`.
#[derive(Args, Debug, Clone)]
pub struct DumpArgs {
    /// Files as `bitcode` takes them
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Function to start with
    #[arg(long, default_value = "main", value_name = "NAME")]
    pub entry: String,
    /// Option for clang, for C source; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub cflag: Vec<String>,
    /// As `bitcode` takes them
    #[arg(long, value_name = "PIPELINE", default_value = "none")]
    pub passes: String,
    /// Only functions whose name contains this
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
}

/// Which harnesses.
#[derive(Args, Debug, Clone, Default)]
pub struct SelectArgs {
    /// Only harnesses whose name contains this
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// Filters must be equal to the name
    #[arg(long, help_heading = "Harness selection")]
    pub exact: bool,
    /// Leave out harnesses whose name contains this
    #[arg(long, value_name = "FILTER", help_heading = "Harness selection")]
    pub skip: Vec<String>,
    /// Only harnesses with `#[ignore]`
    #[arg(long, help_heading = "Harness selection")]
    pub ignored: bool,
    /// Harnesses with `#[ignore]` too
    #[arg(long, help_heading = "Harness selection")]
    pub include_ignored: bool,
}

/// What is built, as cargo takes it.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Package and target selection")]
pub struct CargoArgs {
    /// Package to test
    #[arg(short, long, value_name = "SPEC")]
    pub package: Vec<String>,
    /// All packages of the workspace
    #[arg(long, alias = "all")]
    pub workspace: bool,
    /// Leave out a package
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub exclude: Vec<String>,
    /// Only the library's unit tests
    #[arg(long)]
    pub lib: bool,
    /// Only this binary's unit tests
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,
    /// All binaries' unit tests
    #[arg(long)]
    pub bins: bool,
    /// Only this integration test
    #[arg(long, value_name = "NAME")]
    pub test: Vec<String>,
    /// All integration tests
    #[arg(long)]
    pub tests: bool,
    /// Features to turn on
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub features: Vec<String>,
    /// All features
    #[arg(long)]
    pub all_features: bool,
    /// Not the default feature
    #[arg(long)]
    pub no_default_features: bool,
    /// Machine to compile for: only this one
    #[arg(long, value_name = "TRIPLE")]
    pub target: Vec<String>,
    /// Profile to build with
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Path of Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Directory for what is built; a subdirectory `symex` is used
    #[arg(long, value_name = "PATH", env = "CARGO_TARGET_DIR", hide_env = true)]
    pub target_dir: Option<PathBuf>,
    /// Cargo.lock must not change
    #[arg(long)]
    pub locked: bool,
    /// No network
    #[arg(long)]
    pub offline: bool,
    /// Both of these
    #[arg(long)]
    pub frozen: bool,
    /// Link and explore anew, and keep no verdict: otherwise a harness is only explored when the code that it reaches, a
    /// setting or this tool has changed. Verdicts that come of a limit on time or memory, of a query without answer or of
    /// an interrupt are never kept
    #[arg(long)]
    pub no_cache: bool,
}

/// Flags of libtest that are not about selection.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "As libtest")]
pub struct LibtestArgs {
    /// Only list the harnesses
    #[arg(long)]
    pub list: bool,
    /// Report in libtest's form
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        conflicts_with = "message_format"
    )]
    pub format: Option<LibtestFormat>,
    /// One character a harness; the same as --format terse
    #[arg(short, long, conflicts_with = "format")]
    pub quiet: bool,
    /// Accepted and without effect: output is part of the report
    #[arg(long, alias = "no-capture")]
    pub nocapture: bool,
    /// Accepted and without effect: output is part of the report
    #[arg(long)]
    pub show_output: bool,
    /// Harnesses explored at the same time
    #[arg(
        long,
        short,
        alias = "test-threads",
        value_name = "N",
        env = "SYMEX_JOBS"
    )]
    pub jobs: Option<usize>,
    /// Accepted for libtest's sake
    #[arg(short = 'Z', hide = true, value_name = "FLAG")]
    pub unstable: Vec<String>,
}

/// How to explore, on the command line or in the settings of a project. Absent: whatever comes next decides.
#[derive(Args, Deserialize, Debug, Clone, Default)]
#[command(next_help_heading = "Exploration")]
#[serde(
    default,
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table of settings"
)]
pub struct EngineArgs {
    /// Time for one harness: 60s, 5m, none [default: 60s]
    #[arg(long, env = "SYMEX_TIMEOUT", value_parser = units::duration_limit, value_name = "TIME")]
    #[serde(deserialize_with = "project::duration_limit")]
    pub timeout: Option<Limit<Duration>>,
    /// Paths followed to their end [default: none]
    #[arg(long, env = "SYMEX_MAX_PATHS", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub max_paths: Option<Limit<u64>>,
    /// Memory of the engine: 4GiB, none [default: 4GiB]
    #[arg(long, env = "SYMEX_MAX_MEMORY", value_parser = units::size_limit, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size_limit")]
    pub max_memory: Option<Limit<u64>>,
    /// Instructions of one path, beyond which it is a suspected hang [default: 50 million]
    #[arg(long, env = "SYMEX_MAX_STEPS", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub max_steps: Option<Limit<u64>>,
    /// Depth of calls, beyond which the stack has overflowed [default: 20000]
    #[arg(long, env = "SYMEX_MAX_DEPTH", value_name = "N")]
    pub max_depth: Option<u32>,
    /// Order of exploration: dfs, bfs, random-path, coverage, interleaved [default: interleaved]
    #[arg(long, env = "SYMEX_SEARCH", value_name = "ORDER")]
    pub search: Option<String>,
    /// Seed of everything random [default: 0]
    #[arg(long, env = "SYMEX_SEED", value_parser = units::number, value_name = "N")]
    #[serde(deserialize_with = "project::number")]
    pub seed: Option<u64>,
    /// What to do with a pointer to several objects: single, forking, merging, flat,
    /// segmented, dynamic, planes, adaptive [default: adaptive]
    #[arg(long, env = "SYMEX_MEMORY_MODEL", value_name = "MODEL")]
    pub memory_model: Option<String>,
    /// Greatest size of an object whose size depends on inputs; greater ones are left out [default: 4KiB]
    #[arg(long, env = "SYMEX_MAX_SYMBOLIC_SIZE", value_parser = units::size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size")]
    pub max_symbolic_size: Option<u64>,
    /// Bytes of a segment beyond which the memory models that move objects together begin another [default: 10KiB]
    #[arg(long, env = "SYMEX_SEGMENT_THRESHOLD", value_parser = units::size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size")]
    pub segment_threshold: Option<u64>,
    /// Give each new segment arrays of its own, so that what the solver said about one with the same contents is not used again:
    /// for comparison
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
    /// With the memory model `dynamic`, move objects together that were allocated by the same last N calls [default: only
    /// those that the pointer may refer to]
    #[arg(long, env = "SYMEX_CONTEXT_DEPTH", value_name = "N")]
    pub context_depth: Option<u32>,
    /// Let accesses at symbolic offsets see large objects in parts of this size, with a path per part where the memory
    /// model forks: 32, 64, ... bytes, auto, off, model (as the memory model says: `adaptive` splits what is too large for the
    /// solver) [default: model]
    #[arg(long, env = "SYMEX_SPLIT_OBJECTS", value_parser = units::part_size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::part_size")]
    pub split_objects: Option<Limit<PartSize>>,
    /// Greatest size of an object that is not split [default: 300]
    #[arg(long, env = "SYMEX_SPLIT_THRESHOLD", value_parser = units::size, value_name = "SIZE")]
    #[serde(deserialize_with = "project::size")]
    pub split_threshold: Option<u64>,
    /// With the memory model `planes`, what is kept as records: naive (all writes, for comparison), boosted
    #[arg(long, hide = true, value_name = "KIND")]
    #[serde(skip)]
    pub memory_planes: Option<String>,
    /// Follow both ways of a branch that depends on where objects lie in memory alone
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
    /// Time for one solver query [default: 20s]
    #[arg(long, env = "SYMEX_QUERY_TIMEOUT", value_parser = units::duration, value_name = "TIME")]
    #[serde(deserialize_with = "project::duration")]
    pub query_timeout: Option<Duration>,
    /// Write all queries of a harness, with their answers, into a file in this folder: see `replay-queries`
    #[arg(long, value_name = "DIR")]
    #[serde(skip)]
    pub query_log: Option<PathBuf>,
    /// Write every query that reaches Z3 into a folder in this one, as SMT-LIB
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
    /// Stop a harness at its first bug
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        value_parser = BoolishValueParser::new()
    )]
    pub stop_at_first_bug: Option<bool>,
    /// Once a harness has a bug, stop after so many paths in a row that neither found another nor ran new code: a number,
    /// none [default: 10000]
    #[arg(long, env = "SYMEX_AFTER_BUG", value_parser = units::number_limit, value_name = "N")]
    #[serde(deserialize_with = "project::number_limit")]
    pub after_bug: Option<Limit<u64>>,
    /// Take memory that nothing was written to for zeros, instead of reporting what depends on it
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
    /// Report memory that is never freed and that nothing refers to at the end of a path
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
}

/// What is shown and written.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Print what the exploration took
    #[arg(long)]
    pub stats: bool,
    /// Form of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
    /// Do not replay findings natively
    #[arg(long)]
    pub no_replay: bool,
    /// Run a sample of N paths that end well natively, too, and compare what they print
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        conflicts_with = "no_replay"
    )]
    pub replay_paths: usize,
    /// Whether to write regression tests; auto: outside CI
    #[arg(
        long,
        value_enum,
        env = "SYMEX_WRITE_TESTS",
        default_value_t,
        value_name = "WHEN"
    )]
    pub write_tests: WriteTests,
    /// The same as --write-tests=never
    #[arg(long, conflicts_with = "write_tests")]
    pub no_write: bool,
    /// End with code 6 where a pass is bounded
    #[arg(long, alias = "strict")]
    pub require_complete: bool,
}

/// `--message-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum MessageFormat {
    #[default]
    Human,
    /// One JSON object a line
    Json,
}

/// `--format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LibtestFormat {
    Pretty,
    Terse,
    Json,
}

/// `--color`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// `--write-tests`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum WriteTests {
    /// Unconfirmed findings too
    Always,
    Never,
    /// Confirmed findings, unless the environment variable CI is set
    #[default]
    Auto,
}

/// The arguments of this process without `symex`, which cargo puts first.
pub fn without_cargo_prefix(
    args: impl Iterator<Item = std::ffi::OsString>,
) -> Vec<std::ffi::OsString> {
    let mut args: Vec<_> = args.collect();
    if args.get(1).is_some_and(|arg| arg == "symex") {
        args.remove(1);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<CommandLine, clap::Error> {
        let args = line.split_whitespace().map(Into::into);
        CommandLine::try_parse_from(without_cargo_prefix(args))
    }

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn cargo_passes_its_subcommand() {
        let line = parse("cargo-symex symex parses --exact --nocapture").unwrap();
        assert_eq!(line.run.select.filter, ["parses"]);
        assert!(line.run.select.exact && line.run.libtest.nocapture);
        let line = parse("cargo-symex parses").unwrap();
        assert_eq!(line.run.select.filter, ["parses"]);
    }

    #[test]
    fn libtest_flags_may_follow_two_dashes() {
        let line =
            parse("cargo-symex symex -p a --lib -- --list --format terse --ignored").unwrap();
        assert_eq!(line.run.rest, ["--list", "--format", "terse", "--ignored"]);
    }

    #[test]
    fn subcommands_and_their_flags() {
        let line = parse("cargo-symex symex bitcode a.bc --entry f --timeout 5s -- x --y").unwrap();
        let Some(Command::Bitcode(args)) = line.command else {
            panic!("not bitcode: {line:?}")
        };
        assert_eq!(
            (args.program.entry.as_str(), args.args),
            ("f", vec!["x".to_owned(), "--y".to_owned()])
        );
        let limit = Some(Limit::At(Duration::from_secs(5)));
        assert_eq!(args.program.engine.timeout, limit);
        let line = parse("cargo-symex symex c a.c b.c --arg -v --arg x -- -DN=3 -O2").unwrap();
        let Some(Command::C(args)) = line.command else {
            panic!("not c: {line:?}")
        };
        assert_eq!(args.arguments, ["-v", "x"]);
        assert_eq!(args.cflags, ["-DN=3", "-O2"]);
        assert_eq!(args.program.files.len(), 2);
    }

    #[test]
    fn a_switch_may_be_turned_off() {
        let leaks = |line: &str| parse(line).unwrap().run.engine.leaks;
        assert_eq!(leaks("cargo-symex"), None);
        assert_eq!(leaks("cargo-symex --leaks parses"), Some(true));
        assert_eq!(leaks("cargo-symex --leaks=false parses"), Some(false));
    }

    #[test]
    fn wrong_values_are_refused() {
        assert!(parse("cargo-symex --timeout soon").is_err());
        assert!(parse("cargo-symex --max-memory lots").is_err());
        assert!(parse("cargo-symex --format xml").is_err());
        assert!(parse("cargo-symex --no-such-flag").is_err());
    }
}
