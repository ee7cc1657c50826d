//! Options for exploration by the workers of a cluster.

use super::units::{self, Limit};
use crate::pipeline::cluster::{ClusterSettings, TERM};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;
use symex_cluster::nats::{Connection, Login};

/// Time for which a harness is explored on this machine before a cluster gets it.
const ALONE: Duration = Duration::from_secs(2);

/// Options of commands that explore.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterArgs {
    /// Share what takes long with the workers of this NATS server: nats://host:4222
    ///
    /// The program, its inputs and what is found travel over the server. Workers are started by
    /// `cargo symex worker`. With commas between them, several addresses of one cluster.
    #[arg(
        long,
        env = "SYMEX_CLUSTER",
        value_name = "URL",
        hide_env_values = true
    )]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub login: LoginArgs,
    /// Time for which a harness is explored here before the cluster gets it
    #[arg(long, hide = true, value_name = "TIME", value_parser = units::duration)]
    pub alone: Option<Duration>,
    /// Time without a sign of life after which a worker's region is given to another one
    #[arg(long, hide = true, value_name = "TIME", value_parser = units::duration)]
    pub lease: Option<Duration>,
}

impl ClusterArgs {
    /// Returns the settings of the cluster, if there is to be one.
    pub fn settings(&self) -> Option<ClusterSettings> {
        Some(ClusterSettings {
            connection: self.login.connection(self.cluster.as_ref()?),
            alone: self.alone.unwrap_or(ALONE),
            term: self.lease.unwrap_or(TERM),
        })
    }
}

/// What a server asks for.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Cluster")]
pub struct LoginArgs {
    /// File with the user's credentials for the server, as `nsc` writes it
    #[arg(long, env = "SYMEX_CLUSTER_CREDS", value_name = "FILE")]
    pub cluster_creds: Option<PathBuf>,
    /// File with the certificates of authorities by which the server's is checked; asks for TLS
    #[arg(long, env = "SYMEX_CLUSTER_CA", value_name = "FILE")]
    pub cluster_ca: Option<PathBuf>,
    /// File with a certificate for this client
    #[arg(
        long,
        env = "SYMEX_CLUSTER_CERT",
        value_name = "FILE",
        requires = "cluster_key"
    )]
    pub cluster_cert: Option<PathBuf>,
    /// File with the key of this client
    #[arg(
        long,
        env = "SYMEX_CLUSTER_KEY",
        value_name = "FILE",
        requires = "cluster_cert"
    )]
    pub cluster_key: Option<PathBuf>,
    /// Time for which the server may be silent
    #[arg(long, hide = true, value_name = "TIME", value_parser = units::duration)]
    pub patience: Option<Duration>,
}

impl LoginArgs {
    /// Returns the connection to a server at these addresses.
    fn connection(&self, url: &str) -> Connection {
        Connection {
            url: url.to_owned(),
            login: Login {
                credentials: self.cluster_creds.clone(),
                authorities: self.cluster_ca.clone(),
                certificate: self.cluster_cert.clone().zip(self.cluster_key.clone()),
            },
            patience: self.patience,
        }
    }
}

/// The server of the commands that run beside others.
#[derive(Args, Debug, Clone)]
pub struct ConnectArgs {
    /// The NATS server of the cluster: nats://host:4222
    #[arg(
        long,
        env = "SYMEX_CLUSTER",
        value_name = "URL",
        hide_env_values = true
    )]
    pub connect: String,
    #[command(flatten)]
    pub login: LoginArgs,
}

impl ConnectArgs {
    /// Returns the settings of the cluster, with the time after which a lease runs out.
    pub fn settings(&self, lease: Option<Duration>) -> ClusterSettings {
        ClusterSettings {
            connection: self.login.connection(&self.connect),
            alone: ALONE,
            term: lease.unwrap_or(TERM),
        }
    }
}

/// The end of `cargo symex worker --help`.
pub const WORKER_HELP: &str = "\
A worker takes regions of runs of the same build of this tool with the same Z3, and names the runs that are for another one. \
Ctrl-C ends it after it has handed in what it has explored. Exit codes: 0 it had nothing to do for as long as --idle says; 2 \
the server cannot be reached, or no longer; 130 it was interrupted.";

/// `cargo symex worker`.
#[derive(Args, Debug, Clone)]
pub struct WorkerArgs {
    #[command(flatten)]
    pub server: ConnectArgs,
    /// Number of regions to explore at the same time [default: number of processors]
    #[arg(long, short, value_name = "N", env = "SYMEX_JOBS")]
    pub jobs: Option<usize>,
    /// Memory that the process may use: 4GiB, none [default: 4GiB]
    #[arg(long, env = "SYMEX_MAX_MEMORY", value_parser = units::size_limit, value_name = "SIZE")]
    pub max_memory: Option<Limit<u64>>,
    /// End after this time with nothing to explore [default: never]
    #[arg(long, value_parser = units::duration, value_name = "TIME")]
    pub idle: Option<Duration>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Time without a sign of life after which a worker's region is given to another one
    #[arg(long, hide = true, value_name = "TIME", value_parser = units::duration)]
    pub lease: Option<Duration>,
}

/// `cargo symex cluster`.
#[derive(Args, Debug, Clone)]
pub struct ClusterCommandArgs {
    #[command(subcommand)]
    pub command: ClusterCommand,
}

/// The commands about a cluster.
#[derive(Subcommand, Debug, Clone)]
pub enum ClusterCommand {
    /// List the workers, and the runs with how far they have come
    Status(StatusArgs),
}

/// `cargo symex cluster status`.
#[derive(Args, Debug, Clone)]
pub struct StatusArgs {
    #[command(flatten)]
    pub server: ConnectArgs,
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,
}
