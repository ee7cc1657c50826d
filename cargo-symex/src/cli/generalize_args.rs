//! The arguments of `cargo symex generalize`.

use super::args::{CargoArgs, EngineArgs, PartArgs, ReportArgs, SelectArgs};
use clap::Args;

/// The end of `cargo symex generalize --help`.
const CODES: &str = "Exit codes are those of `cargo symex`. What a test asserts is about its constants: a panic of the \
test's own code is no bug, and neither is one that the documentation of the called function promises (`# Panics`).";

/// `cargo symex generalize`.
#[derive(Args, Debug, Clone)]
#[command(after_help = CODES)]
pub struct GeneralizeArgs {
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub part: PartArgs,
    /// Make one constant of a test an input at a time, instead of all together
    #[arg(long)]
    pub each: bool,
    /// List the tests and the constants that would be inputs, without exploring them
    #[arg(long)]
    pub list: bool,
    /// Leave a test with the values of each confirmed finding behind the test that led there
    #[arg(long)]
    pub write: bool,
    /// Count panics that documentation promises as bugs as well
    #[arg(long)]
    pub promised_panics: bool,
    #[command(flatten)]
    pub cargo: CargoArgs,
    /// Number of tests to explore at the same time [default: number of processors]
    ///
    /// Where fewer are left, as many threads share the paths of one.
    #[arg(long, short, value_name = "N", env = "SYMEX_JOBS")]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub engine: EngineArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}
