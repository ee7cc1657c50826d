//! The command-line arguments, as declared for clap. Nothing is decided here; `resolve` turns
//! arguments into settings.

pub use super::auto_args::AutoArgs;
use super::cluster_args::WORKER_HELP;
pub use super::cluster_args::{ClusterArgs, ClusterCommandArgs, WorkerArgs};
pub use super::engine_args::EngineArgs;
use super::engine_args::stage;
pub use super::generalize_args::GeneralizeArgs;
pub use super::kind_args::KindArgs;
pub use super::recorded_args::{MergeArgs, RecordedArgs, ReviewArgs, RunName};
use super::recorded_args::{RECORDED_HELP, REVIEW_HELP};
pub use super::report_args::{
    Color, LibtestFormat, MessageFormat, ReplayRights, ReportArgs, RunFormat, Stats, WriteTests,
};
use super::units;
use super::world_args::WorldArgs;
use crate::pipeline::exit_code;
use crate::pipeline::partition::Partition;
use crate::pipeline::select::Filters;
use clap::builder::BoolishValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Symbolic testing: runs each `#[symex::harness]` on all inputs at once, and says which inputs
/// fail, or that none do.
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
    /// Explore the fuzz targets of a crate: for cargo-fuzz, AFL or honggfuzz
    Fuzz(Box<FuzzArgs>),
    /// Explore the functions of a crate that has no harnesses: harnesses are drafted for them
    Auto(Box<AutoArgs>),
    /// Explore the tests of a crate with other values than the constants in them
    Generalize(Box<GeneralizeArgs>),
    /// Explore the proofs of a crate that were written for Kani
    Kani(Box<RunArgs>),
    /// Explore harnesses, and say where the time and the paths go
    ///
    /// As `cargo symex --profiling summary`; with other forms of --profiling, these are written as
    /// well. Verdicts of earlier runs are not used.
    Profile(Box<RunArgs>),
    /// Explore harnesses, and again whenever a file changes, until Ctrl-C
    ///
    /// Takes the arguments of `cargo symex`. What a change does not concern has its verdict from
    /// the cache. A run that is at work when something changes is ended.
    Watch(Box<RunArgs>),
    /// Run recorded inputs and regression tests natively, and show what happens
    Replay(ReplayArgs),
    /// Explore a program in C or C++
    C(Box<CArgs>),
    /// Explore a program given as LLVM bitcode
    Bitcode(Box<BitcodeArgs>),
    /// Write the report of an earlier run again, in any form
    #[command(after_help = RECORDED_HELP)]
    Report(RecordedArgs),
    /// Go through the findings of the last run: keep each as a bug, or ignore it with a reason
    ///
    /// What is ignored is in symex-ignored.toml beside the manifest of its package, which is to be
    /// committed. Its regression test is removed, if a run has added it and nobody has edited it.
    #[command(after_help = REVIEW_HELP)]
    Review(ReviewArgs),
    /// Join the reports of parts of a run, as of --partition, into the report of the whole
    ///
    /// The exit code is that of the whole run. Reports that are not of the same packages, or of the
    /// same version of this tool, are refused, and so is a harness with two verdicts.
    MergeReports(MergeArgs),
    /// Explore parts of runs that others have started on a cluster
    ///
    /// Runs are started by the other commands with --cluster.
    #[command(after_help = WORKER_HELP)]
    Worker(WorkerArgs),
    /// Say what goes on in a cluster
    Cluster(ClusterCommandArgs),
    /// Ask the solver the queries again that --query-log recorded, and compare the answers
    ///
    /// Says which stage of the solver answers how many queries, in what time, and whether any
    /// answer differs from the recorded one.
    #[command(after_help = REPLAY_CODES)]
    ReplayQueries(ReplayQueriesArgs),
    /// Say whether the C library in bitcode is there, or build it (--libc)
    #[command(after_help = SETUP_HELP)]
    Setup(SetupArgs),
    /// Print a script that completes arguments of `cargo-symex` in a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
    /// Print the engine's form of a program
    #[command(hide = true)]
    Dump(DumpArgs),
}

/// The default command.
#[derive(Args, Debug, Clone, Default)]
pub struct RunArgs {
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub part: PartArgs,
    #[command(flatten)]
    pub kind: KindArgs,
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

/// `cargo symex fuzz`.
#[derive(Args, Debug, Clone)]
pub struct FuzzArgs {
    /// Fuzz targets to explore [default: all]
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Directory of the package with the fuzz targets [default: `fuzz`, here or above, or the
    /// package of the workspace that depends on a fuzzer's crate]
    #[arg(long, value_name = "DIR")]
    pub fuzz_dir: Option<PathBuf>,
    /// Greatest length of the input in bytes, up to 65536 [default: 32, or up to 256 where no
    /// shorter input is accepted]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(..=65_536))]
    pub max_len: Option<u64>,
    /// Write an input into this folder for each path that runs new code, as a corpus for fuzzers
    #[arg(long, value_name = "DIR")]
    pub corpus_out: Option<PathBuf>,
    #[command(flatten)]
    pub part: PartArgs,
    /// List the fuzz targets without exploring them
    #[arg(long)]
    pub list: bool,
    /// Number of fuzz targets to explore at the same time [default: number of processors]
    ///
    /// Where fewer are left, as many threads share the paths of one.
    #[arg(long, short, value_name = "N", env = "SYMEX_JOBS")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub build: BuildArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// `cargo symex list`.
#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub part: PartArgs,
    #[command(flatten)]
    pub kind: KindArgs,
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
    /// Replay what was recorded of proofs for Kani, instead of harnesses
    #[arg(long)]
    pub kani: bool,
    /// Replay this inputs file instead of what was recorded; needs a single harness
    #[arg(long, value_name = "FILE")]
    pub inputs: Option<PathBuf>,
    /// Show the path that the inputs take, followed by the engine, instead of a native run: what it
    /// decides on them and where, what it writes, and how it ends
    #[arg(long, requires = "inputs")]
    pub path: bool,
    /// Rights of the native runs
    #[arg(long, value_enum, default_value_t, value_name = "RIGHTS")]
    pub replay: OwnReplayRights,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// `--replay` of `cargo symex replay`, which is about native runs and so cannot do without.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum OwnReplayRights {
    /// They change nothing but a fresh directory, and use no TCP, as far as the kernel grants that
    #[default]
    Confined,
    /// They may do all that you may
    Free,
}

/// Options shared by the commands that explore files.
#[derive(Args, Debug, Clone)]
pub struct ProgramArgs {
    /// C or C++ sources, bitcode (.bc), textual IR (.ll), objects and archives with bitcode;
    /// several make one program
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Function to start with: one without parameters, or C's main
    #[arg(long, default_value = "main", value_name = "NAME")]
    pub entry: String,
    /// LLVM passes to run first: default, none, or a pipeline in LLVM's notation
    #[arg(long, value_name = "PIPELINE", default_value = "default")]
    pub passes: String,
    #[command(flatten)]
    pub world: WorldArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub report: ReportArgs,
    /// Report a nonzero exit status as a bug
    #[arg(long)]
    pub check_status: bool,
    /// Number of threads that share the paths [default: number of processors]
    #[arg(long, short, value_name = "N", env = "SYMEX_JOBS")]
    pub jobs: Option<usize>,
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

/// The end of `cargo symex replay-queries --help`.
const REPLAY_CODES: &str = "Exit codes:
    0  no answer contradicts the recorded one, nor that of --cross-check
    1  one does, or an assignment does not satisfy its query
    2  wrong command line or unusable file
    3  none does, but a query has no answer that had one";

/// `cargo symex replay-queries`.
#[derive(Args, Debug, Clone)]
pub struct ReplayQueriesArgs {
    /// Logs of queries
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Leave out this stage of the solver; may be repeated
    #[arg(long, value_name = "STAGE", value_parser = stage)]
    pub without: Vec<String>,
    /// Leave out all stages: ask Z3 alone
    #[arg(long, conflicts_with = "without")]
    pub bare: bool,
    /// Also ask a fresh Z3 each query, and compare
    #[arg(long)]
    pub cross_check: bool,
    /// Print the N slowest of the queries that reached Z3
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub slowest: usize,
    /// Time limit for one query [default: the recorded one]
    #[arg(long, value_parser = units::duration, value_name = "TIME")]
    pub query_timeout: Option<Duration>,
    /// Write new logs, of the same names, into this folder
    #[arg(long, value_name = "DIR")]
    pub query_log: Option<PathBuf>,
    /// Write every query that reaches Z3 into this folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub smtlib_log: Option<PathBuf>,
}

/// The end of `cargo symex setup --help`.
const SETUP_HELP: &str = "\
The C library is made from the source of musl, which is fetched from the mirrors of Debian that this machine uses, with \
clang 22. Programs are then linked with what they call of it and this tool has no model of; models come first. It is kept in \
cargo-symex/libc of the data directory (XDG_DATA_HOME, or ~/.local/share), or where the variable SYMEX_LIBC_DIR says; where \
that is empty, there is none. Exit codes: 0 it is there, or is not and was not asked for; 2 it could not be built.";

/// `cargo symex setup`.
#[derive(Args, Debug, Clone)]
pub struct SetupArgs {
    /// Build the C library, unless it is there already
    #[arg(long)]
    pub libc: bool,
    /// Take musl's source from here instead of the network: a directory, or an archive
    #[arg(long, value_name = "DIR|ARCHIVE", requires = "libc")]
    pub from: Option<PathBuf>,
    /// Rebuild the C library if it is there already
    #[arg(long, requires = "libc")]
    pub force: bool,
}

/// `cargo symex completions`.
#[derive(Args, Debug, Clone)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `cargo symex man`.
#[derive(Args, Debug, Clone)]
pub struct ManArgs {
    /// Write a page for the command and one for each of its commands into this folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
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
    /// LLVM passes, as for `bitcode`
    #[arg(long, value_name = "PIPELINE", default_value = "none")]
    pub passes: String,
    /// Only functions whose name contains this
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
}

/// The option for one part of a run.
#[derive(Args, Debug, Clone, Copy, Default)]
#[command(next_help_heading = "Harness selection")]
pub struct PartArgs {
    /// Run one part of what is selected otherwise: hash:2/4, slice:2/4
    ///
    /// For runs on several machines, as nextest divides tests. `hash`: by the names alone, so that
    /// a harness stays in its part when others come or go. `slice`: in turn, so that the parts are
    /// of one size. A part without harnesses is no error.
    #[arg(long, env = "SYMEX_PARTITION", value_name = "PART")]
    pub partition: Option<Partition>,
}

/// Options that select harnesses.
#[derive(Args, Debug, Clone, Default)]
pub struct SelectArgs {
    /// Run only harnesses whose names contain this
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,
    /// Match filters against whole names
    #[arg(long, help_heading = "Harness selection")]
    pub exact: bool,
    /// Skip harnesses whose names contain this
    #[arg(long, value_name = "FILTER", help_heading = "Harness selection")]
    pub skip: Vec<String>,
    /// Run only harnesses with `#[ignore]`
    #[arg(long, help_heading = "Harness selection")]
    pub ignored: bool,
    /// Run harnesses with `#[ignore]` as well
    #[arg(long, help_heading = "Harness selection")]
    pub include_ignored: bool,
}

impl SelectArgs {
    /// Returns the selection in the form that the pipeline takes.
    pub fn filters(&self) -> Filters {
        Filters {
            names: self.filter.clone(),
            exact: self.exact,
            skip: self.skip.clone(),
            ignored: self.ignored,
            include_ignored: self.include_ignored,
        }
    }

    /// Returns filters that ignore `#[ignore]`, for commands that explore nothing.
    pub fn filters_of_all(&self) -> Filters {
        Filters {
            include_ignored: true,
            ..self.filters()
        }
    }
}

/// Options passed to cargo for the build.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Package and target selection")]
pub struct CargoArgs {
    /// Package to test
    #[arg(short, long, value_name = "SPEC")]
    pub package: Vec<String>,
    /// Test all packages of the workspace
    #[arg(long, alias = "all")]
    pub workspace: bool,
    /// Skip this package of the workspace
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub exclude: Vec<String>,
    /// Test only the library's unit tests
    #[arg(long)]
    pub lib: bool,
    /// Test only this binary's unit tests
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,
    /// Test the unit tests of all binaries
    #[arg(long)]
    pub bins: bool,
    /// Test only this integration test
    #[arg(long, value_name = "NAME")]
    pub test: Vec<String>,
    /// Test all integration tests
    #[arg(long)]
    pub tests: bool,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    #[command(flatten)]
    pub build: BuildArgs,
}

/// Options passed to cargo for the build of whatever is explored.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Build")]
pub struct BuildArgs {
    /// Features to activate, separated by spaces or commas
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub features: Vec<String>,
    /// Activate all features
    #[arg(long)]
    pub all_features: bool,
    /// Do not activate the default feature
    #[arg(long)]
    pub no_default_features: bool,
    /// Target triple to build for, which must be this machine's
    ///
    /// Harnesses run on the machine that explores them. Where CARGO_BUILD_TARGET or `build.target`
    /// of cargo's configuration names another target, that is an error unless this option says
    /// otherwise.
    #[arg(long, value_name = "TRIPLE")]
    pub target: Vec<String>,
    /// Build with this profile
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// Whether arithmetic that overflows is a panic, whatever the profile says [default: on]
    ///
    /// With `off` it wraps around, as in a release build.
    #[arg(long, value_name = "on|off", value_parser = BoolishValueParser::new())]
    pub overflow_checks: Option<bool>,
    /// Whether debug assertions are part of the code, whatever the profile says [default: on]
    ///
    /// With `off`, what they would have stopped goes on, as in a release build, up to what is
    /// undefined behaviour. The standard library's checks of what unsafe functions ask for are
    /// debug assertions, too.
    #[arg(long, value_name = "on|off", value_parser = BoolishValueParser::new())]
    pub debug_assertions: Option<bool>,
    /// Directory for all build output; its subdirectory `symex` is used
    #[arg(long, value_name = "PATH", env = "CARGO_TARGET_DIR", hide_env = true)]
    pub target_dir: Option<PathBuf>,
    /// Require that Cargo.lock stays as it is
    #[arg(long)]
    pub locked: bool,
    /// Run without accessing the network
    #[arg(long)]
    pub offline: bool,
    /// Equivalent to --locked and --offline
    #[arg(long)]
    pub frozen: bool,
    /// Link and explore anew, and keep no verdict
    ///
    /// Otherwise a harness is explored only when the code that it reaches, a setting or this tool
    /// has changed. Verdicts that depend on a limit on time or memory, on a query without an answer
    /// or on an interrupt are never kept.
    #[arg(long)]
    pub no_cache: bool,
    /// Go on from where the last run stopped at a limit or was killed, and not anew
    ///
    /// The limits of this run are then for what it adds. Without this option, a run goes on by
    /// itself where its limits are higher than what the earlier runs have used, and only for the
    /// difference: `--timeout=5m` after a minute goes on for four.
    #[arg(long, conflicts_with = "no_cache")]
    pub resume: bool,
}

/// The flags of libtest other than those for selection.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "As libtest")]
pub struct LibtestArgs {
    /// List the harnesses without exploring them
    #[arg(long)]
    pub list: bool,
    /// Report in libtest's form
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        conflicts_with_all = ["message_format", "quiet"]
    )]
    pub format: Option<LibtestFormat>,
    /// Accepted without effect, because output is part of the report
    #[arg(long, alias = "no-capture")]
    pub nocapture: bool,
    /// Accepted without effect, because output is part of the report
    #[arg(long)]
    pub show_output: bool,
    /// Number of harnesses to explore at the same time [default: number of processors]
    ///
    /// Where fewer are left, as many threads share the paths of one.
    #[arg(
        long,
        short,
        alias = "test-threads",
        value_name = "N",
        env = "SYMEX_JOBS"
    )]
    pub jobs: Option<usize>,
    /// Accepted for compatibility with libtest
    #[arg(short = 'Z', hide = true, value_name = "FLAG")]
    pub unstable: Vec<String>,
}

/// Returns the arguments of this process without `symex`, which cargo puts first.
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
    use super::super::units::Limit;
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
