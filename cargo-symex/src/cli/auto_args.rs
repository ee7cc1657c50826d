//! The arguments of `cargo symex auto`.

use super::args::{BuildArgs, EngineArgs, PartArgs, ReportArgs};
use clap::Args;
use std::path::PathBuf;

/// The end of `cargo symex auto --help`.
const CODES: &str = "Exit codes are those of `cargo symex`, with one difference: a panic that a function's \
documentation promises (`# Panics`), or that happens while an input is made, is reported and does not count as a bug.";

/// `cargo symex auto`.
#[derive(Args, Debug, Clone)]
#[command(after_help = CODES)]
pub struct AutoArgs {
    /// Functions, or types or modules with all their functions [default: all that are public]
    #[arg(value_name = "PATH::TO::ITEM")]
    pub items: Vec<String>,
    #[command(flatten)]
    pub part: PartArgs,
    /// List what would be drafted, and what not and why, without exploring it
    #[arg(long)]
    pub list: bool,
    /// Leave the harnesses in the crate, as the integration test `symex_auto`
    ///
    /// Harnesses that are there already stay as they are.
    #[arg(long)]
    pub write: bool,
    /// Count panics that documentation promises as bugs as well
    #[arg(long)]
    pub promised_panics: bool,
    /// Package whose functions are explored
    #[arg(short, long, value_name = "SPEC")]
    pub package: Option<String>,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    /// Number of harnesses to explore at the same time [default: number of processors]
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
