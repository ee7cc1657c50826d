//! Options of the commands about runs that were recorded.

use super::report_args::{Color, MessageFormat, ReportFiles, Stats};
use crate::report::coverage::CoverageReport;
use crate::report::profile::ProfileReport;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// The end of `cargo symex report --help`.
pub const RECORDED_HELP: &str = "\
Each run of harnesses leaves its report in symex/runs of the target directory; the last 10 are kept. Exit codes: 0 the \
report is written, whatever it says; 2 there is no such run, or the file cannot be read or written.";

/// `cargo symex report`.
#[derive(Args, Debug, Clone)]
pub struct RecordedArgs {
    /// The run: `latest`, its number, or a file with a report in JSON
    #[arg(long, value_name = "RUN", default_value = "latest")]
    pub run: RunName,
    /// Form of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: ReportFormat,
    /// Print statistics of each exploration, if the form is that for people
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "short"
    )]
    pub stats: Option<Stats>,
    /// Show all sequences of calls that lead to a finding, if the form is that for people
    #[arg(long)]
    pub call_stacks: bool,
    /// Write the report into this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write the report into this folder, as a page of HTML that loads nothing from elsewhere
    ///
    /// It has the coverage and the tree of decisions if the run was with --html.
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,
    /// Also write the coverage, if the run was with --coverage: `lcov=FILE`, `json=FILE` or
    /// `html=DIR`
    #[arg(long, value_name = "FORM")]
    pub coverage: Vec<CoverageReport>,
    /// Also write the profile, if the run was with --profiling: `flamegraph=FILE`, `folded=FILE` or
    /// `pprof=FILE`
    #[arg(long, value_name = "FORM")]
    pub profiling: Vec<ProfileReport>,
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
}

/// Options that say where runs are recorded.
#[derive(Args, Debug, Clone, Default)]
pub struct WorkspaceArgs {
    /// Path to Cargo.toml of the workspace whose run it is
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Directory for all build output, as in the run
    #[arg(long, value_name = "PATH", env = "CARGO_TARGET_DIR", hide_env = true)]
    pub target_dir: Option<PathBuf>,
}

/// The end of `cargo symex review --help`.
pub const REVIEW_HELP: &str = "\
A finding is named by its id, as --list shows it, or by the start of it, or by the name of its harness. Exit codes: 0 what was \
asked for is done, also if findings are left to look at; 2 there is no such run or finding, a file cannot be read or written, or \
there is something to ask and no terminal to ask on.";

/// `cargo symex review`.
#[derive(Args, Debug, Clone)]
pub struct ReviewArgs {
    /// List the findings that are neither accepted nor ignored, and ask nothing
    #[arg(long, conflicts_with_all = ["accept", "accept_all", "ignore"])]
    pub list: bool,
    /// Form of the list; as JSON, it has all findings
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        requires = "list"
    )]
    pub format: MessageFormat,
    /// Keep this finding as a bug, with its regression test, and ask nothing; may be repeated
    #[arg(long, value_name = "FINDING")]
    pub accept: Vec<String>,
    /// Accept all findings that are not ignored, and ask nothing
    #[arg(long, conflicts_with = "ignore")]
    pub accept_all: bool,
    /// Ignore this finding from now on, and ask nothing; may be repeated
    #[arg(long, value_name = "FINDING", requires = "reason")]
    pub ignore: Vec<String>,
    /// Why the finding is ignored, in a line
    #[arg(long, value_name = "TEXT", requires = "ignore")]
    pub reason: Option<String>,
    /// Number of the run [default: the last one]
    #[arg(long, value_name = "RUN")]
    pub run: Option<u64>,
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// `cargo symex merge-reports`.
#[derive(Args, Debug, Clone)]
pub struct MergeArgs {
    /// Reports in JSON of parts of a run
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the report of the whole into this file, as JSON
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Form of the report on standard output
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub message_format: MessageFormat,
    #[command(flatten)]
    pub reports: ReportFiles,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN")]
    pub color: Option<Color>,
}

/// `--format` of `cargo symex report`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ReportFormat {
    /// Text for people
    #[default]
    Human,
    /// One JSON object a line, as of --message-format json
    Json,
    /// JUnit XML, as --junit
    Junit,
    /// SARIF 2.1.0, as --sarif
    Sarif,
    /// Markdown, as in the summary of a job of GitHub Actions
    Markdown,
}

/// The name of a recorded run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunName {
    Latest,
    Number(u64),
    File(PathBuf),
}

impl FromStr for RunName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match (text, text.parse()) {
            ("latest", _) => RunName::Latest,
            (_, Ok(number)) => RunName::Number(number),
            _ => RunName::File(text.into()),
        })
    }
}
