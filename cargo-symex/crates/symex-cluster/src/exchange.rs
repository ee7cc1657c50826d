//! What coordinators and workers need of the engine that carries regions and records between them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Name of a run: the exploration of one harness.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct RunId(pub String);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Name of a region: a hash of its contents and of the region that it was split off from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct RegionId(pub [u8; 32]);

impl RegionId {
    /// Returns the name in the form that [`fmt::Display`] writes; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = blake3::Hash::from_hex(text).ok()?;
        Some(RegionId(*hash.as_bytes()))
    }
}

impl fmt::Display for RegionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

/// A part of a run that is to be explored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Region {
    pub id: RegionId,
    pub bytes: Vec<u8>,
}

impl Region {
    /// Makes a region that was split off from another one, or is the root of a run.
    pub fn new(parent: Option<RegionId>, bytes: Vec<u8>) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("cargo symex: region of a run");
        hasher.update(&parent.map_or([0; 32], |parent| parent.0));
        hasher.update(&bytes);
        Region {
            id: RegionId(*hasher.finalize().as_bytes()),
            bytes,
        }
    }
}

/// What came of a region. There is one of each region, and it does not change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Name of the worker.
    pub by: String,
    pub what: Told,
}

/// What a record tells.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Told {
    /// The region was explored, up to other regions.
    Explored {
        found: Vec<u8>,
        children: Vec<Region>,
    },
    /// It was given up, for this reason.
    Lost(String),
}

impl Record {
    /// Returns the regions that were split off.
    pub fn children(&self) -> &[Region] {
        match &self.what {
            Told::Explored { children, .. } => children,
            Told::Lost(_) => &[],
        }
    }

    /// Returns the reason why the region was given up, if it was.
    pub fn reason(&self) -> Option<&str> {
        match &self.what {
            Told::Explored { .. } => None,
            Told::Lost(why) => Some(why),
        }
    }
}

/// What those who take part in a run are told of it when it begins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// Name of the harness.
    pub harness: String,
    /// Name of the machine and the process that coordinate the run.
    pub by: String,
    /// The build of the tool and of the solver, for people.
    pub tool: String,
    /// What is explored, and how: what workers need to begin.
    pub job: Vec<u8>,
}

/// How far a run has come, as its coordinator tells it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct RunState {
    pub paths: u64,
    pub findings: u64,
    /// Number of regions that are not explored.
    pub open: u64,
    /// Number of regions that are.
    pub closed: u64,
    pub seconds: f64,
    /// Estimate of the number of paths; 0 is unknown.
    pub estimate: f64,
}

/// What a worker tells of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WorkerState {
    /// Names of machine and process.
    pub name: String,
    /// The build of the tool and of the solver, for people.
    pub tool: String,
    /// Number of regions that it explores at a time.
    pub threads: u32,
    /// Number of regions that it has explored.
    pub regions: u64,
    /// The harness of the region that it took last.
    pub harness: Option<String>,
}

/// Runs and workers of a cluster.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Overview {
    pub runs: Vec<(RunId, RunInfo, RunState)>,
    pub workers: Vec<WorkerState>,
}

impl Overview {
    /// Returns what an engine knows of runs and workers, by their names.
    ///
    /// # Errors
    ///
    /// Fails if the engine is gone.
    pub fn of(exchange: &dyn Exchange) -> Answer<Self> {
        let mut workers = exchange.workers()?;
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        let mut runs = Vec::new();
        for run in exchange.runs()? {
            match (exchange.info(&run), exchange.state(&run)) {
                (Ok(info), Ok(state)) => runs.push((run, info, state)),
                // It has ended meanwhile.
                (Err(Failure::Gone), _) | (_, Err(Failure::Gone)) => {}
                (Err(failure), _) | (_, Err(failure)) => return Err(failure),
            }
        }
        runs.sort_by(|a, b| (&a.1.harness, &a.0).cmp(&(&b.1.harness, &b.0)));
        Ok(Overview { runs, workers })
    }
}

/// Reason why the engine did not do something.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    /// The run is over, and nothing of it is kept.
    #[error("the run is over")]
    Gone,
    /// The engine is not there, or cannot do it now.
    #[error("{0}")]
    Unavailable(String),
}

/// Result of what the engine is asked to do.
pub type Answer<T> = Result<T, Failure>;

/// An engine that carries regions and records. What it is told stays, whoever dies.
pub trait Exchange: Send + Sync {
    /// Begins a run.
    fn open(&self, run: &RunId, info: &RunInfo) -> Answer<()>;

    /// Returns what was told of a run when it began.
    fn info(&self, run: &RunId) -> Answer<RunInfo>;

    /// Returns a number that changes whenever [`Self::tell`] is called for a run.
    fn sign_of_life(&self, run: &RunId) -> Answer<u64>;

    /// Tells how far a run has come, and that its coordinator lives.
    fn tell(&self, run: &RunId, state: &RunState) -> Answer<()>;

    /// Removes all that is kept of a run.
    fn close(&self, run: &RunId) -> Answer<()>;

    /// Puts a region up for workers to take. Once this has returned, the region is delivered at
    /// least once.
    fn give(&self, run: &RunId, region: &Region) -> Answer<()>;

    /// Takes a region of any run of this build of the tool, if there is one within this time. The
    /// region is lent: when the lease runs out, it is delivered to another worker.
    fn take(&self, wait: Duration) -> Answer<Option<Box<dyn Lease>>>;

    /// Commits the record of a region, if there is none, and returns the one that there is then.
    fn commit(&self, run: &RunId, region: RegionId, record: Record) -> Answer<Record>;

    /// Returns the record of a region.
    fn record(&self, run: &RunId, region: RegionId) -> Answer<Option<Record>>;

    /// Follows the records of a run, from the first on.
    fn follow(&self, run: &RunId) -> Answer<Box<dyn Records>>;

    /// Keeps something large for some days, and returns its hash.
    fn put(&self, bytes: &[u8]) -> Answer<[u8; 32]>;

    /// Returns what has a hash.
    fn get(&self, hash: &[u8; 32]) -> Answer<Vec<u8>>;

    /// Tells the workers that explore regions that another one has nothing to do.
    fn ask_for_regions(&self);

    /// Reports whether a worker has asked for regions a short time ago.
    fn is_asked_for_regions(&self) -> bool;

    /// Tells that a worker lives.
    fn present(&self, worker: &WorkerState) -> Answer<()>;

    /// Returns the names of the runs that there are.
    fn runs(&self) -> Answer<Vec<RunId>>;

    /// Returns how far a run has come, as its coordinator has told it last.
    fn state(&self, run: &RunId) -> Answer<RunState>;

    /// Returns the workers that told of themselves a short time ago.
    fn workers(&self) -> Answer<Vec<WorkerState>>;
}

/// A region that was taken.
pub trait Lease: Send + Sync {
    /// Returns the run.
    fn run(&self) -> &RunId;

    /// Returns the region.
    fn region(&self) -> &Region;

    /// Returns the number of times that the region was taken, this one included.
    fn deliveries(&self) -> u64;

    /// Returns the time after which the lease runs out, unless it is extended.
    fn term(&self) -> Duration;

    /// Begins the time of the lease anew.
    fn extend(&self) -> Answer<()>;

    /// Ends the lease for good: the region is not delivered any more.
    fn end(&self) -> Answer<()>;

    /// Gives the region back, to be delivered to another worker.
    fn give_back(&self) -> Answer<()>;
}

/// The records of a run as they come.
pub trait Records: Send {
    /// Returns the next record, if there is one within this time. Some may come twice.
    fn next(&mut self, wait: Duration) -> Answer<Option<(RegionId, Record)>>;
}
