//! The worker: takes regions, explores each for a while, and commits what came of it.

use crate::exchange::{
    Answer, Exchange, Failure, Lease, Record, Region, RegionId, RunId, RunInfo, Told,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symex_types::panic_message;

/// Greatest number of times that a region is taken without a record of it; then it is recorded as
/// lost. Each time it is explored for less long, so that what fails by chance comes to an end.
pub const MOST_DELIVERIES: u64 = 5;

/// Greatest time for which a region is explored before what is left of it is given away: what is
/// lost with a worker.
const MOST: Duration = Duration::from_secs(20);

/// Least time for which a region is explored, also where another worker has nothing to do.
const LEAST: Duration = Duration::from_millis(300);

/// Time for which a worker waits for a region before it looks around.
const WAIT: Duration = Duration::from_millis(500);

/// Time without a sign of life of a coordinator after which its run is removed.
const ABANDONED: Duration = Duration::from_secs(180);

/// Part of the term of a lease after which it is extended.
const EXTEND: u32 = 3;

/// A region to explore, with the run to which it belongs.
pub struct Task<'a> {
    pub run: &'a RunId,
    pub info: &'a RunInfo,
    pub region: &'a [u8],
}

/// What came of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    pub found: Vec<u8>,
    /// The regions that are left of it.
    pub left: Vec<Vec<u8>>,
}

/// Explores regions.
pub trait Explorer {
    /// Explores a region until nothing is left, or `goes_on` says no, which is asked now and then
    /// with the number of regions that could be split off.
    ///
    /// # Errors
    ///
    /// The reason why the region could not be explored. Somebody else tries it then.
    fn explore(
        &mut self,
        task: &Task<'_>,
        goes_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<Explored, String>;
}

/// What a worker does, for those who watch.
#[derive(Debug)]
pub enum Event<'a> {
    /// It has taken a region of this harness.
    Took { harness: &'a str },
    /// It has committed the record of a region, which had so many children.
    Recorded { children: usize },
    /// Somebody else has committed a record before.
    Late,
    /// It could not explore a region.
    Failed { why: &'a str },
    /// It has recorded a region as lost.
    Lost { harness: &'a str },
    /// It has removed a run whose coordinator is gone.
    Abandoned { harness: &'a str },
}

/// A worker: one thread that explores one region at a time.
pub struct Worker<'a> {
    pub exchange: &'a dyn Exchange,
    /// Names of machine and process.
    pub name: String,
    /// Tells the worker to end after the region that it explores.
    pub stop: &'a AtomicBool,
    /// Time without a region after which it ends.
    pub most_idle: Option<Duration>,
    pub watch: &'a (dyn Fn(Event<'_>) + Sync),
}

impl Worker<'_> {
    /// Works until it is told to stop, or has had nothing to do for long.
    ///
    /// # Errors
    ///
    /// Fails if the engine is gone.
    pub fn work(&self, explorer: &mut dyn Explorer) -> Answer<()> {
        let mut signs = HashMap::new();
        let mut idle_since = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            match self.exchange.take(WAIT)? {
                Some(lease) => {
                    let done = self.take_over(Arc::from(lease), explorer, &mut signs);
                    match done {
                        Ok(()) | Err(Failure::Gone) => {}
                        Err(failure) => return Err(failure),
                    }
                    idle_since = Instant::now();
                }
                None => {
                    if self
                        .most_idle
                        .is_some_and(|most| idle_since.elapsed() >= most)
                    {
                        return Ok(());
                    }
                    self.exchange.ask_for_regions();
                }
            }
        }
        Ok(())
    }

    fn take_over(
        &self,
        lease: Arc<dyn Lease>,
        explorer: &mut dyn Explorer,
        signs: &mut HashMap<RunId, (u64, Instant)>,
    ) -> Answer<()> {
        let (exchange, run, region) = (self.exchange, lease.run(), lease.region());
        let info = match exchange.info(run) {
            Ok(info) => info,
            Err(failure) => {
                if failure == Failure::Gone {
                    lease.end()?;
                }
                return Err(failure);
            }
        };
        if let Some(record) = exchange.record(run, region.id)? {
            // Who committed it may have died before its children were given away.
            return self.pass_on(&*lease, &record);
        }
        if self.is_abandoned(run, signs)? {
            (self.watch)(Event::Abandoned {
                harness: &info.harness,
            });
            return exchange.close(run);
        }
        if lease.deliveries() > MOST_DELIVERIES {
            (self.watch)(Event::Lost {
                harness: &info.harness,
            });
            let why = format!("{MOST_DELIVERIES} workers took it, and none came to an end");
            let record = exchange.commit(run, region.id, self.record(Told::Lost(why)))?;
            return self.pass_on(&*lease, &record);
        }
        (self.watch)(Event::Took {
            harness: &info.harness,
        });
        let task = Task {
            run,
            info: &info,
            region: &region.bytes,
        };
        match self.explore(&lease, &task, explorer) {
            Some(Ok(Explored { found, left })) => {
                let child = |bytes| Region::new(Some(region.id), bytes);
                let children = left.into_iter().map(child).collect();
                let own = self.record(Told::Explored { found, children });
                let record = exchange.commit(run, region.id, own)?;
                (self.watch)(match record.by == self.name {
                    true => Event::Recorded {
                        children: record.children().len(),
                    },
                    false => Event::Late,
                });
                self.pass_on(&*lease, &record)
            }
            Some(Err(why)) => {
                (self.watch)(Event::Failed { why: &why });
                lease.give_back()
            }
            // Somebody else has recorded it, or the run is over.
            None => match exchange.record(run, region.id)? {
                Some(record) => self.pass_on(&*lease, &record),
                None => lease.give_back(),
            },
        }
    }

    fn record(&self, what: Told) -> Record {
        Record {
            by: self.name.clone(),
            what,
        }
    }

    /// Gives the children of a region away, and then ends its lease.
    fn pass_on(&self, lease: &dyn Lease, record: &Record) -> Answer<()> {
        for child in record.children() {
            self.exchange.give(lease.run(), child)?;
        }
        lease.end()
    }

    /// Reports whether nothing was heard of the coordinator of a run for long.
    fn is_abandoned(
        &self,
        run: &RunId,
        signs: &mut HashMap<RunId, (u64, Instant)>,
    ) -> Answer<bool> {
        let now = Instant::now();
        let sign = self.exchange.sign_of_life(run)?;
        signs.retain(|_, (_, since)| now - *since < 2 * ABANDONED);
        let known = signs.entry(run.clone()).or_insert((sign, now));
        if known.0 != sign {
            *known = (sign, now);
        }
        Ok(now - known.1 >= ABANDONED)
    }

    /// Explores a region while its lease is extended; `None` if nobody wants the result any more.
    fn explore(
        &self,
        lease: &Arc<dyn Lease>,
        task: &Task<'_>,
        explorer: &mut dyn Explorer,
    ) -> Option<Result<Explored, String>> {
        // A region that failed is tried in smaller parts.
        let tries = lease.deliveries().saturating_sub(1).min(8) as u32;
        let most = MOST / 4u32.pow(tries);
        let (done, useless) = (AtomicBool::new(false), AtomicBool::new(false));
        let began = Instant::now();
        let mut goes_on = |open: usize| {
            if useless.load(Ordering::Relaxed) {
                return false;
            }
            let time = began.elapsed();
            let is_asked = || self.exchange.is_asked_for_regions();
            let is_stopped = self.stop.load(Ordering::Relaxed);
            let gives = time >= LEAST && open > 1 && is_asked();
            !(is_stopped || time >= most || gives)
        };
        let result = std::thread::scope(|scope| {
            let heart = scope.spawn(|| self.keep_alive(&**lease, task.run, &done, &useless));
            let explored = catch_unwind(AssertUnwindSafe(|| explorer.explore(task, &mut goes_on)));
            done.store(true, Ordering::Relaxed);
            heart.thread().unpark();
            explored
        });
        if useless.load(Ordering::Relaxed) {
            return None;
        }
        Some(result.unwrap_or_else(|payload| Err(panic_message(&*payload))))
    }

    /// Extends a lease until the region is explored, or nobody wants the result any more.
    fn keep_alive(&self, lease: &dyn Lease, run: &RunId, done: &AtomicBool, useless: &AtomicBool) {
        let pause = lease.term() / EXTEND;
        let mut next = Instant::now() + pause;
        loop {
            std::thread::park_timeout(next.saturating_duration_since(Instant::now()));
            if done.load(Ordering::Relaxed) {
                return;
            }
            if Instant::now() < next {
                continue;
            }
            // Where the engine does not answer, the region is explored nevertheless: the record is
            // what counts.
            let _ = lease.extend();
            if self.is_useless(run, lease.region().id) {
                useless.store(true, Ordering::Relaxed);
                return;
            }
            next = Instant::now() + pause;
        }
    }

    fn is_useless(&self, run: &RunId, region: RegionId) -> bool {
        matches!(
            self.exchange.record(run, region),
            Ok(Some(_)) | Err(Failure::Gone)
        )
    }
}
