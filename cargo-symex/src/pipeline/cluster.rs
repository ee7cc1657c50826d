//! Harnesses that are explored on many machines: what takes long here is given to the workers of a
//! cluster, in regions, and what they find out is added up here.

mod host;
mod job;
mod worker;

pub use worker::{WorkerNotice, WorkerSettings, work};

use super::error::CommandError;
use super::event::Notice;
use super::explore::RunContext;
use crate::store;
use host::Host;
use job::JobOfRun;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope, Thread};
use std::time::{Duration, Instant};
use symex_cluster::coordinator::coordinate;
use symex_cluster::exchange::{Exchange, Failure, Overview, Region, RunId, RunInfo};
use symex_cluster::nats::{Connection, Nats};
use symex_engine::{Aids, Cores, Job, Keeper, Regions, Remainder, Seat, Sum, explore_with};
use symex_solver::leftovers;
use symex_types::config::{Config, RecordPaths};
use symex_types::event::Observer;
use symex_types::outcome::{Bound, Outcome};
use worker::RegionExplorer;

/// Time after which a region is given to another worker, unless its own is heard of.
pub const TERM: Duration = Duration::from_secs(30);

/// Number of parts into which the regions of a run are dealt at its beginning.
const FIRST_PARTS: usize = 16;

/// Time between two looks for an idle core.
const LOOK: Duration = Duration::from_millis(50);

/// Settings of the runs on a cluster.
#[derive(Clone, Debug)]
pub struct ClusterSettings {
    pub connection: Connection,
    /// Time for which a harness is explored here before the cluster gets it.
    pub alone: Duration,
    /// Time after which a region is given to another worker, unless its own is heard of.
    pub term: Duration,
}

/// A cluster that is connected.
pub struct Cluster {
    exchange: Arc<dyn Exchange>,
    /// The build of the tool and of the solver, for people.
    tool: String,
    /// Time for which a harness is explored here before the cluster gets it.
    alone: Duration,
}

impl Cluster {
    /// Connects to a cluster.
    pub fn connect(settings: &ClusterSettings) -> Result<Self, CommandError> {
        let (hash, tool) = identity()?;
        let exchange = Nats::connect(&settings.connection, &hash, settings.term);
        Ok(Cluster {
            tool,
            exchange: Arc::new(exchange.map_err(|failure| unreachable(settings, &failure))?),
            alone: settings.alone,
        })
    }

    /// Returns the runs and workers that there are.
    pub fn overview(&self) -> Result<Overview, CommandError> {
        let overview = Overview::of(&*self.exchange);
        overview.map_err(|failure| CommandError::usage(format!("the cluster failed: {failure}")))
    }

    /// Explores a harness: on this machine at first, and if that takes long, with the workers that
    /// there are. If the cluster fails, the rest is explored here.
    pub(super) fn explore(
        &self,
        job: &Job,
        aids: Aids,
        harness: &str,
        context: &RunContext,
        observer: &mut dyn Observer,
    ) -> Outcome {
        if let Some(why) = stays_here(&job.config) {
            context.monitor.notice(Notice::Warning {
                text: format!("{harness} is explored on this machine alone: {why}"),
                help: None,
            });
            return explore_with(job, aids, observer);
        }
        let started = Instant::now();
        let (outcome, remainder, keeper) = self.explore_alone(job, aids, observer);
        let Some(remainder) = remainder else {
            return outcome;
        };
        let earlier = remainder.earlier_seconds();
        let here = Here {
            job,
            harness,
            started,
            earlier,
            context,
        };
        let (why, left, keeper) = match self.share(&here, remainder, keeper) {
            Explored::Done(outcome) => return *outcome,
            Explored::Failed(why, left, keeper) => (why, left, keeper),
        };
        context.monitor.notice(Notice::Warning {
            text: format!("the cluster failed: {why}"),
            help: Some(format!("what is left of {harness} is explored here")),
        });
        let mut job = job.clone();
        let limits = &mut job.config.limits;
        limits.timeout = limits
            .timeout
            .map(|most| most.saturating_sub(started.elapsed()));
        let aids = Aids {
            keeper,
            remainder: left.map(|left| *left),
            ..Aids::default()
        };
        let mut outcome = explore_with(&job, aids, observer);
        outcome.stats.earlier_seconds = earlier;
        outcome
    }

    /// Explores a harness on this machine for a while. Returns what is left for others then, if
    /// there is time for it.
    fn explore_alone(
        &self,
        job: &Job,
        mut aids: Aids,
        observer: &mut dyn Observer,
    ) -> (Outcome, Option<Remainder>, OwnKeeper) {
        let mut keeper = aids.keeper.take();
        let held = Held::default();
        aids.keeper = Some(Box::new(held.clone()));
        let mut alone = job.clone();
        let limits = &mut alone.config.limits;
        let has_time = limits.timeout.is_none_or(|most| most > self.alone);
        limits.timeout = Some(
            limits
                .timeout
                .map_or(self.alone, |most| most.min(self.alone)),
        );
        let outcome = explore_with(&alone, aids, observer);
        let bounds = outcome.verdict.bounds().iter();
        let bounds: Vec<&Bound> = bounds.map(|one| &one.what).collect();
        let is_stopped = bounds.iter().any(|bound| bound.is_for_want());
        let Some(remainder) = held.take().filter(|_| is_stopped) else {
            return (outcome, None, keeper);
        };
        let wants_time = |bound: &&Bound| matches!(bound, Bound::Timeout | Bound::MaxMemory);
        if has_time && bounds.iter().any(wants_time) {
            return (outcome, Some(remainder), keeper);
        }
        if let Some(keeper) = &mut keeper {
            keeper.keep(&remainder);
        }
        (outcome, None, keeper)
    }

    /// Explores what is left of a harness with the workers that there are and the idle cores of
    /// this machine.
    fn share(&self, here: &Here<'_>, remainder: Remainder, keeper: OwnKeeper) -> Explored {
        let job = here.job;
        let (found, regions) = remainder.into_parts();
        let Some(sum) = Sum::new(&job.program, found) else {
            let why = "what was found out cannot be read".to_owned();
            return Explored::Failed(why, None, keeper);
        };
        let (spec, info) = match self.announce(job, here.harness) {
            Ok(announced) => announced,
            Err(failure) => {
                let left = Remainder::of_parts(&sum, vec![regions]);
                return Explored::Failed(failure.to_string(), left.map(Box::new), keeper);
            }
        };
        let roots = regions.split(FIRST_PARTS);
        let root = |part: &Regions| Some(Region::new(None, part.to_bytes()?));
        let Some(roots) = roots.iter().map(root).collect::<Option<Vec<Region>>>() else {
            let left = Remainder::of_parts(&sum, roots);
            let why = "what is left cannot be written".to_owned();
            return Explored::Failed(why, left.map(Box::new), keeper);
        };
        let run = RunId(name_of_run(here.harness));
        let mut host = Host::new(here, sum, keeper);
        let end = std::thread::scope(|scope| {
            let program = (spec.program, job.program.clone());
            let helpers = Arc::new(Helpers(RegionExplorer {
                exchange: self.exchange.clone(),
                programs: Arc::new(Mutex::new([program].into())),
                max_memory: spec.config.limits.max_memory,
                stop: Arc::default(),
            }));
            helpers.clone().start(scope, None);
            let (recruiting, cores) = (helpers.clone(), job.cores.clone());
            let recruiter = scope.spawn(move || recruiting.recruit(scope, &cores));
            // They end with the coordinator, whatever it ends with.
            let _end = EndOfHelpers(&helpers, recruiter.thread());
            coordinate(&*self.exchange, &run, &info, &roots, &mut host)
        });
        host.finish(end)
    }

    /// Tells the cluster what is explored.
    fn announce(&self, job: &Job, harness: &str) -> Result<(JobOfRun, RunInfo), Failure> {
        let fail = |error: &dyn std::fmt::Display| Failure::Unavailable(error.to_string());
        let program = symex_program::store::save(&job.program).map_err(|error| fail(&error))?;
        let program = self.exchange.put(&program)?;
        let spec = JobOfRun::of(job, program);
        let info = RunInfo {
            harness: harness.to_owned(),
            by: process_name(),
            tool: self.tool.clone(),
            job: serde_json::to_vec(&spec).map_err(|error| fail(&error))?,
        };
        Ok((spec, info))
    }
}

/// Returns why a harness with these settings cannot be shared, if it cannot.
fn stays_here(config: &Config) -> Option<&'static str> {
    if config.record_paths != RecordPaths::None {
        return Some("what is recorded of paths stays where they are explored");
    }
    if config.solver.is_logged() {
        return Some("queries are logged where they are asked");
    }
    let merges = config.merging.is_on();
    merges.then_some("merged paths are not given away (--merge=auto and off allow it)")
}

/// A harness that is shared.
struct Here<'a> {
    job: &'a Job,
    harness: &'a str,
    /// Time at which its run began.
    started: Instant,
    /// Seconds that went into it in earlier runs.
    earlier: f64,
    context: &'a RunContext,
}

/// Keeps what a run leaves.
type OwnKeeper = Option<Box<dyn Keeper>>;

/// What came of a harness on a cluster.
enum Explored {
    Done(Box<Outcome>),
    /// The cluster failed, for this reason, and what was found out until then is this, if it can be
    /// gone on from.
    Failed(String, Option<Box<Remainder>>, OwnKeeper),
}

/// Holds what an exploration has left.
#[derive(Clone, Default)]
struct Held(Arc<Mutex<Option<Remainder>>>);

impl Held {
    fn take(&self) -> Option<Remainder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Keeper for Held {
    fn keep(&mut self, remainder: &Remainder) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(remainder.clone());
    }
}

/// Tells the helpers that the run has ended, when it is dropped.
struct EndOfHelpers<'a>(&'a Helpers, &'a Thread);

impl Drop for EndOfHelpers<'_> {
    fn drop(&mut self) {
        self.0.0.stop.store(true, Ordering::SeqCst);
        self.1.unpark();
    }
}

/// Threads of this process that explore what others would, too.
struct Helpers(RegionExplorer);

impl Helpers {
    /// Starts a thread.
    fn start<'scope>(
        self: Arc<Self>,
        scope: &'scope Scope<'scope, '_>,
        seat: Option<Seat>,
    ) -> bool {
        let thread = Builder::new().name("symex-helper".into());
        let thread = thread.stack_size(leftovers::STACK);
        let thread = thread.spawn_scoped(scope, move || {
            let _seat = seat;
            let explorer = &self.0;
            let worker = symex_cluster::worker::Worker {
                exchange: &*explorer.exchange,
                name: process_name(),
                stop: &explorer.stop,
                most_idle: None,
                watch: &|_| {},
            };
            // The coordinator meets the same failure.
            let _ = worker.work(&mut explorer.clone());
        });
        thread.is_ok()
    }

    /// Starts a thread for each core that becomes idle.
    fn recruit<'scope>(self: Arc<Self>, scope: &'scope Scope<'scope, '_>, cores: &Arc<Cores>) {
        while !self.0.stop.load(Ordering::SeqCst) {
            if let Some(seat) = Seat::taken(cores, 0) {
                self.clone().start(scope, Some(seat));
            }
            std::thread::park_timeout(LOOK);
        }
    }
}

/// Returns the hash of this build of the tool with the solver, and its name for people.
pub fn identity() -> Result<(store::Hash, String), CommandError> {
    let executable = std::env::current_exe().and_then(|path| store::identity(&path));
    let hash = executable.map_err(|error| {
        CommandError::usage(format!(
            "failed to read the executable of this tool: {error}"
        ))
    })?;
    let short = blake3::Hash::from_bytes(hash).to_hex();
    let name = format!(
        "cargo-symex {} ({}), Z3 {}",
        env!("CARGO_PKG_VERSION"),
        &short[..8],
        symex_solver::version()
    );
    Ok((hash, name))
}

/// Returns the name of this process: its machine and its number.
pub fn process_name() -> String {
    let host = std::fs::read_to_string(Path::new("/proc/sys/kernel/hostname"));
    let host = host.unwrap_or_default();
    format!("{}:{}", host.trim(), std::process::id())
}

/// Returns a name for a run that no other has.
fn name_of_run(harness: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let text = format!("{harness} {} {now}", process_name());
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// Returns the error that a cluster cannot be reached.
fn unreachable(settings: &ClusterSettings, failure: &Failure) -> CommandError {
    let url = without_password(&settings.connection.url);
    CommandError::usage(format!(
        "failed to connect to the cluster at {url}: {failure}"
    ))
    .help("`nats-server --jetstream` starts a server; the manual (Clusters) says how to log in")
}

/// Returns addresses without what is secret in them.
fn without_password(url: &str) -> String {
    let part = |part: &str| match part.rsplit_once('@') {
        Some((before, host)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{scheme}://…@{host}")
        }
        None => part.to_owned(),
    };
    let parts: Vec<String> = url.split(',').map(part).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn passwords_are_not_shown() {
        let shown = without_password("nats://me:secret@host:4222,tls://other");
        assert_eq!(shown, "nats://…@host:4222,tls://other");
    }
}
