//! Parts of an exploration that is shared by several processes: regions to explore, what each has
//! found out, and the sum of that. All but the sum can be written and sent.

use super::Job;
use super::forest::Forest;
use super::given_inputs::Foresight;
use super::results::Results;
use super::search::{Search, Stop, work_of};
use crate::exec::instruction::entered::Covered;
use crate::exec::memory::first_own_object;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use symex_program::Program;
use symex_types::event::Silent;
use symex_types::outcome::{Bound, Outcome, Stats, Unsupported};

/// Regions of a job that are not explored.
#[derive(Clone, Serialize, Deserialize)]
pub struct Regions {
    pub(super) forest: Forest,
    /// Number of the first object that a path of the program makes itself.
    first_object: u32,
}

impl Regions {
    pub(super) fn of(program: &Program, forest: Forest) -> Self {
        Regions {
            forest,
            first_object: first_own_object(program),
        }
    }

    /// Returns the number of regions.
    pub fn count(&self) -> usize {
        self.forest.len()
    }

    /// Deals the regions out to so many parts, or fewer, where there are fewer regions.
    pub fn split(self, parts: usize) -> Vec<Regions> {
        let first_object = self.first_object;
        let forests = self.forest.split(parts).into_iter();
        let part = |forest| Regions {
            forest,
            first_object,
        };
        forests.map(part).collect()
    }

    /// Writes the regions in the form that [`Self::from_bytes`] reads. `None` if that fails.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// Reads regions; `None` if the bytes are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let regions: Regions = postcard::from_bytes(bytes).ok()?;
        regions.is_whole().then_some(regions)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.forest.is_whole()
    }

    /// Returns the regions as those of another program, in which what the harness reaches is the
    /// same; `None` if they cannot be.
    pub(super) fn of_program(mut self, program: &Program) -> Option<Forest> {
        let first = first_own_object(program);
        let is_same = self.forest.renumber_objects(first, self.first_object);
        is_same.then_some(self.forest)
    }
}

/// What was found out on some paths of a job.
#[derive(Clone, Serialize, Deserialize)]
pub struct Found {
    /// The results, as JSON: its types are written so elsewhere, too.
    results: Vec<u8>,
    /// What was run, by the names of functions.
    entered: Vec<Covered>,
}

impl Found {
    /// Writes results; `None` if that fails.
    pub(super) fn of(program: &Program, results: &Results) -> Option<Self> {
        Some(Found {
            results: serde_json::to_vec(results).ok()?,
            entered: results.entered().by_name(program),
        })
    }

    /// Reads the results, and what was run; `None` if they are none.
    pub(super) fn read(self) -> Option<(Results, Vec<Covered>)> {
        Some((serde_json::from_slice(&self.results).ok()?, self.entered))
    }

    /// Writes what was found out in the form that [`Self::from_bytes`] reads. `None` if that fails.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    /// Reads what was found out; `None` if the bytes are nothing of that kind.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

/// The sum of what was found out on the paths of a job.
pub struct Sum<'a> {
    program: &'a Program,
    results: Results,
}

impl<'a> Sum<'a> {
    /// Makes the sum of what was found out first; `None` if it cannot be read.
    pub fn new(program: &'a Program, found: Found) -> Option<Self> {
        let (mut results, entered) = found.read()?;
        results.set_entered(program, &entered);
        Some(Sum { program, results })
    }

    /// Adds what was found out on other paths. Reports whether it can be read.
    #[must_use]
    pub fn add(&mut self, found: Found) -> bool {
        let Some(other) = Sum::new(self.program, found) else {
            return false;
        };
        self.results.add(other.results);
        true
    }

    pub(super) fn program(&self) -> &'a Program {
        self.program
    }

    pub(super) fn results(&self) -> &Results {
        &self.results
    }

    /// Returns the statistics.
    pub fn stats(&self) -> &Stats {
        self.results.stats()
    }

    /// Returns the number of findings, each cause once.
    pub fn findings(&self) -> usize {
        self.results.tally.findings()
    }

    /// Returns the number of blocks that were entered.
    pub fn entered(&self) -> usize {
        self.results.entered().count()
    }

    /// Sets the time that the exploration has taken so far, and the part of it that earlier runs
    /// took, in seconds.
    pub fn set_seconds(&mut self, seconds: f64, earlier: f64) {
        self.results.set_seconds(seconds);
        self.results.set_earlier_seconds(earlier);
    }

    /// Sets the number of workers of a cluster that have explored paths.
    pub fn set_workers(&mut self, workers: u64) {
        self.results.set_workers(workers);
    }

    /// Records that paths are left out because of a bound that ended the run.
    pub fn end_run(&mut self, bound: Bound) {
        self.results.tally.end_run(bound);
    }

    /// Records that paths are missing, and why.
    pub fn lack(&mut self, why: Unsupported) {
        self.results.lack(why);
    }

    /// Returns the outcome, where nothing else is left to explore.
    pub fn outcome(self) -> Outcome {
        self.results.outcome(self.program)
    }
}

/// What came of the exploration of some regions.
pub struct Part {
    pub found: Found,
    /// What is not explored, if it was stopped.
    pub left: Option<Regions>,
    /// Whether the limit on memory stopped it.
    pub is_out_of_memory: bool,
    /// The work that was done, in units of about a microsecond.
    pub work: u64,
}

/// Explores regions of a job until no path is left, a limit of the job on time or memory is
/// reached, or `goes_on` says no, which is asked after each `turn` of work, in microseconds, with
/// the number of regions that are left. `None` if they are of another program, or if what is left
/// cannot be told.
pub fn explore_regions(
    job: &Job,
    regions: Regions,
    turn: u64,
    mut goes_on: impl FnMut(usize) -> bool,
) -> Option<Part> {
    let forest = regions.of_program(&job.program)?;
    let mut search = Search::of_regions(job, forest, Instant::now());
    let mut foresight = Foresight::new(job, None);
    let stop = loop {
        let work = work_of(&search.executor);
        match search.run(&mut foresight, Some(work + turn), &mut Silent) {
            Stop::Paused => {}
            stop => break stop,
        }
        if !goes_on(search.states()) {
            break Stop::Paused;
        }
    };
    let work = work_of(&search.executor);
    let (open, _) = search.take_rest();
    let open = open?;
    let results = search.results();
    let is_out_of_memory = results.tally.has_bound(&Bound::MaxMemory);
    let results = match stop {
        Stop::Bounded => results.uncut(),
        Stop::Paused | Stop::Finished => results,
    };
    Some(Part {
        found: Found::of(&job.program, &results)?,
        left: (open.len() > 0).then(|| Regions::of(&job.program, open)),
        is_out_of_memory,
        work,
    })
}
