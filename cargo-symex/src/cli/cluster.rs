//! `cargo symex worker` and `cargo symex cluster`: what runs beside a run on a cluster.

use super::cluster_args::{ClusterCommand, ClusterCommandArgs, StatusArgs, WorkerArgs};
use super::{resolve, run};
use crate::pipeline::cluster::{self, Cluster, WorkerNotice, WorkerSettings};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::{cluster as shown, output};
use symex_cluster::worker::Event;
use symex_types::config::Limits;

/// Runs `cargo symex worker`.
pub fn worker(args: &WorkerArgs) -> Result<ExitCode, CommandError> {
    let interrupt = run::interrupt_with("interrupted: handing in what was explored")?;
    let max_memory = match args.max_memory {
        Some(limit) => limit.into_option(),
        None => Limits::default().max_memory,
    };
    let settings = WorkerSettings {
        cluster: args.server.settings(args.lease),
        threads: resolve::jobs(args.jobs)?,
        max_memory,
        most_idle: args.idle,
    };
    let quiet = args.quiet;
    let watch = |notice: WorkerNotice<'_>| {
        let text = match notice {
            WorkerNotice::Connected { tool } => {
                format!("worker {}: {tool}", cluster::process_name())
            }
            WorkerNotice::NotForUs { harness, by, tool } => {
                format!("{harness} of {by} is for {tool}: its regions are left to others")
            }
            WorkerNotice::Event(Event::Failed { why }) => {
                format!("a region could not be explored: {why}")
            }
            WorkerNotice::Event(Event::Lost { harness }) => {
                format!("{harness}: a region is given up, since nobody comes to its end")
            }
            WorkerNotice::Event(Event::Abandoned { harness }) => {
                format!("{harness}: nothing is heard of its run any more, which is removed")
            }
            WorkerNotice::Event(Event::Took { .. } | Event::Recorded { .. } | Event::Late) => {
                return;
            }
        };
        if !quiet {
            output::note(text);
        }
    };
    let regions = cluster::work(&settings, &interrupt, &watch)?;
    if !quiet {
        output::note(format!("explored {regions} regions"));
    }
    Ok(match interrupt.happened() {
        true => ExitCode::Interrupted,
        false => ExitCode::Pass,
    })
}

/// Runs `cargo symex cluster`.
pub fn cluster(args: &ClusterCommandArgs) -> Result<ExitCode, CommandError> {
    let ClusterCommand::Status(args) = &args.command;
    status(args)
}

fn status(args: &StatusArgs) -> Result<ExitCode, CommandError> {
    let overview = Cluster::connect(&args.server.settings(None))?.overview()?;
    match args.json {
        true => output::json(&shown::json(&overview)),
        false => output::line(&shown::table(&overview)),
    }
    Ok(ExitCode::Pass)
}
