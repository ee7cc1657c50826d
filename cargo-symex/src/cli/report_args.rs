//! Options for the report, and for native runs and the files that are written.

use super::cluster_args::ClusterArgs;
use super::outputs::Outputs;
use crate::pipeline::coverage::Sources;
use crate::pipeline::error::CommandError;
use crate::report::Verbosity;
use crate::report::coverage::CoverageReport;
use crate::report::forms::Form;
use crate::report::github::Job;
use crate::report::human::Calls;
use crate::report::profile::ProfileReport;
use crate::report::stats::Level;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options for the report and for the files written.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Say only what has to be looked at: findings, harnesses that do not pass, and the last line
    ///
    /// No pass is told, no progress is shown, and cargo says nothing but errors.
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Also say which commands build, how long each step takes, and where settings come from
    ///
    /// This goes to standard error. All sequences of calls are shown, as by --call-stacks, and what
    /// is left out of the lists of `auto` and `generalize` is named.
    #[arg(long, short)]
    pub verbose: bool,
    /// Print statistics of each exploration
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "short"
    )]
    pub stats: Option<Stats>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: RunFormat,
    #[command(flatten)]
    pub files: ReportFiles,
    /// Show all sequences of calls that lead to a finding, with their inputs
    ///
    /// Without it, those with the fewest calls.
    #[arg(long)]
    pub call_stacks: bool,
    /// Report the coverage of dependencies as well
    #[arg(long, requires = "coverage")]
    pub coverage_dependencies: bool,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
    /// Rights of native runs
    ///
    /// Findings are confirmed by native runs of the code under test.
    #[arg(long, value_enum, default_value_t, value_name = "RIGHTS")]
    pub replay: ReplayRights,
    /// Also run a sample of N paths without a finding natively, and compare their output
    ///
    /// Each runs in a process of its own; of a program, the exit code and the files are compared,
    /// too. Where one differs, the harness does not pass.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub replay_paths: usize,
    /// Whether to write regression tests
    #[arg(
        long,
        value_enum,
        env = "SYMEX_WRITE_TESTS",
        default_value_t,
        value_name = "WHEN"
    )]
    pub write_tests: WriteTests,
    /// Write no regression tests, like --write-tests=never
    #[arg(long, conflicts_with = "write_tests")]
    pub no_write: bool,
    /// Count the findings as well that symex-ignored.toml of their package ignores
    #[arg(long)]
    pub no_ignore: bool,
    /// Exit with code 6 if a pass is bounded
    #[arg(long, alias = "strict")]
    pub require_complete: bool,
    #[command(flatten)]
    pub cluster: ClusterArgs,
}

/// Options for reports besides that on standard output.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Report")]
pub struct ReportFiles {
    /// Also write the report into this file, as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also write the findings into this file, as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Also write the report into this file, as Markdown
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Also write the report into this folder, as a page of HTML, `index.html`, that loads nothing
    /// from elsewhere
    ///
    /// It has the coverage and the tree of decisions as well, which are recorded for it.
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,
    /// Report what of the source was run, in this form: `summary`, `lcov=FILE`, `json=FILE` or
    /// `html=DIR`
    ///
    /// What no input can reach, since all paths were explored, is told apart from what was not
    /// reached. May be given several times; each form has the summary as well.
    #[arg(long, value_name = "FORM")]
    pub coverage: Vec<CoverageReport>,
    /// Report where time and paths go: `summary`, `flamegraph=FILE`, `folded=FILE` or `pprof=FILE`
    ///
    /// By lines and functions as a table (`summary`), by calls as a flame graph (SVG), as stacks
    /// for other viewers, and in the format of pprof. The flame graph and the stacks are of the
    /// time; flamegraph:forks=FILE is of something else: time, solver, forks, ends (of paths) or
    /// instructions. May be given several times; each form has the summary as well.
    #[arg(long, value_name = "FORM")]
    pub profiling: Vec<ProfileReport>,
    /// Whether to tell GitHub Actions of the findings
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub github: Github,
}

impl ReportArgs {
    /// Reports whether the form is JSON, for a command that has no diagnostics.
    pub fn is_json(&self, command: &str) -> Result<bool, CommandError> {
        match self.message_format {
            RunFormat::Human => Ok(false),
            RunFormat::Json => Ok(true),
            RunFormat::Diagnostics => Err(CommandError::usage(format!(
                "failed to report diagnostics: {command} judges its findings, which they cannot say"
            ))),
        }
    }

    /// Returns how much the run says.
    pub fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }

    /// Returns the calls that are shown of a finding.
    pub fn calls(&self) -> Calls {
        calls(self.call_stacks || self.verbose)
    }

    /// Returns the files whose coverage is asked for, if it is; `own` are those of the user.
    pub fn sources(&self, own: impl FnOnce() -> Sources) -> Option<Sources> {
        let is_asked = !self.files.coverage.is_empty() || self.files.html.is_some();
        match (is_asked, self.coverage_dependencies) {
            (false, _) => None,
            (_, true) => Some(Sources::All),
            (_, false) => Some(own()),
        }
    }
}

impl ReportFiles {
    /// Returns what the reports are written to.
    pub(super) fn outputs(&self) -> Outputs<'_> {
        Outputs::default()
            .file("--junit", self.junit.as_ref())
            .file("--sarif", self.sarif.as_ref())
            .file("--markdown", self.markdown.as_ref())
            .folder("--html", self.html.as_ref())
            .forms(&self.coverage, &self.profiling)
    }

    /// Returns the job of GitHub Actions that is told of the run.
    pub fn job(&self) -> Option<Job> {
        match self.github {
            Github::Auto => Job::of_environment(),
            Github::Never => None,
        }
    }

    /// Returns the files into which the report is written, each with its form.
    pub fn files(&self) -> Vec<(Form, PathBuf)> {
        let files = [
            (Form::Junit, &self.junit),
            (Form::Sarif, &self.sarif),
            (Form::Markdown, &self.markdown),
        ];
        let files = files.into_iter();
        files
            .filter_map(|(form, file)| Some((form, file.clone()?)))
            .collect()
    }
}

/// Returns the calls that are shown, by whether `--call-stacks` was given.
pub fn calls(all: bool) -> Calls {
    match all {
        true => Calls::All,
        false => Calls::Shortest,
    }
}

/// `--stats`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Stats {
    /// Ten numbers: where paths, time and memory go
    Short,
    /// All that is counted, for work on the engine
    All,
}

impl Stats {
    /// Returns the level in the form that reports take.
    pub fn level(self) -> Level {
        match self {
            Stats::Short => Level::Short,
            Stats::All => Level::All,
        }
    }
}

/// `--github`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Github {
    /// Annotations and a summary of the job, if GITHUB_ACTIONS is true
    #[default]
    Auto,
    Never,
}

/// `--message-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum MessageFormat {
    #[default]
    Human,
    /// One JSON object a line
    Json,
}

/// `--message-format` of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum RunFormat {
    #[default]
    Human,
    /// One JSON object a line
    Json,
    /// Diagnostics as cargo and rustc print them, for editors
    Diagnostics,
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

impl Color {
    /// Returns the value as cargo's `--color` option spells it.
    pub fn word(self) -> &'static str {
        match self {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        }
    }
}

/// `--replay`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ReplayRights {
    /// No native runs; findings are reported without confirmation
    Off,
    /// They change nothing but a fresh directory, and use no TCP, as far as the kernel grants that
    #[default]
    Confined,
    /// They may do all that you may
    Free,
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
