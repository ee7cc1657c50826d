//! The worker's side: explores regions with the engine.

use super::job::JobOfRun;
use super::{ClusterSettings, identity, process_name, unreachable};
use crate::pipeline::error::CommandError;
use crate::pipeline::interrupt::Interrupt;
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use symex_cluster::exchange::{Exchange, RunId, WorkerState};
use symex_cluster::nats::Nats;
use symex_cluster::worker::{Event, Explored, Explorer, Task, Worker};
use symex_engine::{Job, Part, Regions, explore_regions};
use symex_program::Program;
use symex_solver::leftovers;

/// Number of parts into which what is left of a region is dealt.
const PARTS: usize = 4;

/// Number of programs that a worker has in memory.
const MOST_PROGRAMS: usize = 4;

/// Time between two signs of life of a worker.
const SIGN: Duration = Duration::from_secs(1);

/// Work after which an exploration asks whether to go on, in microseconds.
const TURN: u64 = 50_000;

/// Work of an exploration, in microseconds, below which it has done nothing.
const NOTHING: u64 = 1000;

/// Programs that a process has in memory, by their hashes, the one that was used last at the end.
pub type Programs = Arc<Mutex<VecDeque<([u8; 32], Arc<Program>)>>>;

/// Explores regions with the engine.
#[derive(Clone)]
pub struct RegionExplorer {
    pub exchange: Arc<dyn Exchange>,
    pub programs: Programs,
    /// Memory that the process may use, in bytes.
    pub max_memory: Option<u64>,
    /// Tells the engine to stop soon.
    pub stop: Arc<AtomicBool>,
}

impl RegionExplorer {
    fn job(&self, task: &Task<'_>) -> Result<Job, String> {
        let spec: Result<JobOfRun, _> = serde_json::from_slice(&task.info.job);
        let spec = spec.map_err(|error| format!("the job cannot be read: {error}"))?;
        let program = self.program(&spec.program)?;
        Ok(spec.job(program, self.max_memory, self.stop.clone()))
    }

    fn program(&self, hash: &[u8; 32]) -> Result<Arc<Program>, String> {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = programs.iter().position(|program| program.0 == *hash);
        if let Some(program) = known.and_then(|at| programs.remove(at)) {
            programs.push_back(program.clone());
            return Ok(program.1);
        }
        let bytes = self.exchange.get(hash);
        let bytes = bytes.map_err(|failure| format!("the program is not there: {failure}"))?;
        let program = symex_program::store::load(&bytes);
        let program = Arc::new(program.map_err(|error| format!("failed to {error}"))?);
        programs.push_back((*hash, program.clone()));
        if programs.len() > MOST_PROGRAMS {
            programs.pop_front();
        }
        Ok(program)
    }
}

impl Explorer for RegionExplorer {
    fn explore(
        &mut self,
        task: &Task<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Explored, String> {
        let job = self.job(task)?;
        let regions = Regions::from_bytes(task.region).ok_or("the region cannot be read")?;
        let part = explore_regions(&job, regions, TURN, goes_on);
        let part = part.ok_or("what is left of the region cannot be told")?;
        let Part {
            found,
            left,
            is_out_of_memory,
            work,
        } = part;
        if is_out_of_memory && work < NOTHING {
            return Err("the memory limit of the worker leaves no room for it".to_owned());
        }
        let left = left.map_or_else(Vec::new, |left| left.split(PARTS));
        let left = left.iter().map(Regions::to_bytes);
        Ok(Explored {
            found: found.to_bytes().ok_or("the results cannot be written")?,
            left: left
                .collect::<Option<_>>()
                .ok_or("what is left cannot be written")?,
        })
    }
}

/// Settings of a worker process.
pub struct WorkerSettings {
    pub cluster: ClusterSettings,
    /// Number of regions that it explores at a time.
    pub threads: usize,
    /// Memory that it may use, in bytes.
    pub max_memory: Option<u64>,
    /// Time without a region after which it ends.
    pub most_idle: Option<Duration>,
}

/// Explores regions of the runs of a cluster until it is interrupted, or has been idle for long.
/// `watch` hears what happens, and of runs that are for another build of the tool.
///
/// # Errors
///
/// Fails if the cluster cannot be reached, or no longer.
pub fn work(
    settings: &WorkerSettings,
    interrupt: &Interrupt,
    watch: &(dyn Fn(WorkerNotice<'_>) + Sync),
) -> Result<u64, CommandError> {
    let (hash, tool) = identity()?;
    let cluster = &settings.cluster;
    let exchange = Nats::connect(&cluster.connection, &hash, cluster.term);
    let exchange = exchange.map_err(|failure| unreachable(cluster, &failure))?;
    let exchange: Arc<dyn Exchange> = Arc::new(exchange);
    watch(WorkerNotice::Connected { tool: &tool });
    let (regions, harness) = (AtomicU64::new(0), Mutex::new(None));
    let done = AtomicBool::new(false);
    let explorer = RegionExplorer {
        exchange: exchange.clone(),
        programs: Programs::default(),
        max_memory: settings.max_memory,
        stop: interrupt.flag(),
    };
    let one = || {
        let watch = |event: Event<'_>| {
            match &event {
                Event::Took { harness: name } => {
                    let mut last = harness.lock().unwrap_or_else(PoisonError::into_inner);
                    *last = Some((*name).to_owned());
                }
                Event::Recorded { .. } => {
                    regions.fetch_add(1, Ordering::Relaxed);
                }
                _ => {}
            }
            watch(WorkerNotice::Event(event));
        };
        Worker {
            exchange: &*exchange,
            name: process_name(),
            stop: &explorer.stop,
            most_idle: settings.most_idle,
            watch: &watch,
        }
        .work(&mut explorer.clone())
    };
    let ended = std::thread::scope(|scope| {
        let start = |_| {
            let thread = std::thread::Builder::new().name("symex-worker".into());
            thread.stack_size(leftovers::STACK).spawn_scoped(scope, one)
        };
        let threads: Vec<_> = (0..settings.threads).map(start).collect();
        let present = scope.spawn(|| {
            let mut seen = HashSet::new();
            while !done.load(Ordering::SeqCst) {
                let state = WorkerState {
                    name: process_name(),
                    tool: tool.clone(),
                    threads: settings.threads as u32,
                    regions: regions.load(Ordering::Relaxed),
                    harness: harness
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .clone(),
                };
                // It is only for those who look.
                let _ = exchange.present(&state);
                tell_of_others(&*exchange, &tool, &mut seen, watch);
                std::thread::park_timeout(SIGN);
            }
        });
        let joined = threads.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or(Ok(())),
            Err(_) => Ok(()),
        });
        let ended: Vec<_> = joined.collect();
        done.store(true, Ordering::SeqCst);
        present.thread().unpark();
        ended
    });
    let ended: Result<Vec<()>, _> = ended.into_iter().collect();
    ended.map_err(|failure| CommandError::usage(format!("the cluster failed: {failure}")))?;
    Ok(regions.into_inner())
}

/// What a worker process does, for those who watch.
pub enum WorkerNotice<'a> {
    Connected {
        tool: &'a str,
    },
    Event(Event<'a>),
    /// A run is for another build, and its regions are left to others.
    NotForUs {
        harness: &'a str,
        by: &'a str,
        tool: &'a str,
    },
}

/// Tells of runs that are for another build of the tool or of the solver, of those that were not
/// seen before.
fn tell_of_others(
    exchange: &dyn Exchange,
    tool: &str,
    seen: &mut HashSet<RunId>,
    watch: &(dyn Fn(WorkerNotice<'_>) + Sync),
) {
    // Those who take part in them notice a failure by themselves.
    let runs = exchange.runs().unwrap_or_default();
    seen.retain(|run| runs.contains(run));
    for run in runs {
        if seen.contains(&run) {
            continue;
        }
        let Ok(info) = exchange.info(&run) else {
            continue;
        };
        if info.tool != tool {
            watch(WorkerNotice::NotForUs {
                harness: &info.harness,
                by: &info.by,
                tool: &info.tool,
            });
        }
        seen.insert(run);
    }
}
