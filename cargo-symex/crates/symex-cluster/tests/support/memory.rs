//! An engine in memory, which does what one on a network may do at its worst.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use symex_cluster::exchange::{
    Answer, Exchange, Failure, Lease, Record, Records, Region, RegionId, RunId, RunInfo, RunState,
    WorkerState,
};

/// What goes wrong.
#[derive(Clone, Copy)]
pub struct Chaos {
    /// Of so many regions that are given, one comes twice; 0 is none.
    twice: u64,
    /// Of so many leases, one is given to somebody else at once.
    short: u64,
    no_heartbeats: bool,
    seed: u64,
}

impl Chaos {
    pub fn none() -> Self {
        Chaos {
            twice: 0,
            short: 0,
            no_heartbeats: false,
            seed: 0,
        }
    }

    pub fn seeded(seed: u64) -> Self {
        Chaos {
            twice: 3,
            short: 7,
            seed,
            ..Self::none()
        }
    }

    pub fn without_heartbeats() -> Self {
        Chaos {
            no_heartbeats: true,
            ..Self::none()
        }
    }
}

/// The call of the engine at which somebody dies, and whether it is done before.
#[derive(Clone, Copy, Debug)]
pub struct Death {
    pub call: u64,
    pub done: bool,
}

struct Parcel {
    number: u64,
    run: RunId,
    region: Region,
    deliveries: u64,
    /// Time from which on it is given to somebody.
    from: Instant,
}

#[derive(Default)]
struct Inner {
    infos: BTreeMap<RunId, RunInfo>,
    records: BTreeMap<RunId, Vec<(RegionId, Record)>>,
    waiting: VecDeque<Parcel>,
    signs: u64,
    numbers: u64,
    random: u64,
}

impl Inner {
    fn one_of(&mut self, most: u64) -> bool {
        // The generator of Numerical Recipes; the upper bits are the random ones.
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        most > 0 && (self.random >> 33).is_multiple_of(most)
    }
}

/// An engine in memory, as one process sees it, which may die.
#[derive(Clone)]
pub struct Memory {
    inner: Arc<Mutex<Inner>>,
    term: Duration,
    chaos: Chaos,
    death: Option<Death>,
    /// Number of calls of this process.
    calls: Arc<AtomicU64>,
}

impl Memory {
    /// Makes an engine that lends regions for this time.
    pub fn new(term: Duration, chaos: Chaos) -> Self {
        let inner = Inner {
            random: chaos.seed,
            ..Inner::default()
        };
        Memory {
            inner: Arc::new(Mutex::new(inner)),
            term,
            chaos,
            death: None,
            calls: Arc::default(),
        }
    }

    /// Returns the engine as another process sees it, which dies there.
    pub fn seen_by(&self, death: Option<Death>) -> Self {
        Memory {
            death,
            calls: Arc::default(),
            ..self.clone()
        }
    }

    pub fn is_empty(&self) -> bool {
        let inner = self.inner.lock().unwrap();
        inner.infos.is_empty() && inner.records.is_empty() && inner.waiting.is_empty()
    }

    /// Does what is asked, unless who asks is dead.
    fn call<T>(&self, what: impl FnOnce(&mut Inner) -> Answer<T>) -> Answer<T> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let dead = Err(Failure::Unavailable("dead".to_owned()));
        match self.death {
            Some(death) if call > death.call || call == death.call && !death.done => dead,
            Some(death) if call == death.call => {
                let _ = what(&mut self.inner.lock().unwrap());
                dead
            }
            _ => what(&mut self.inner.lock().unwrap()),
        }
    }
}

impl Exchange for Memory {
    fn open(&self, run: &RunId, info: &RunInfo) -> Answer<()> {
        self.call(|inner| {
            inner.infos.insert(run.clone(), info.clone());
            inner.records.insert(run.clone(), Vec::new());
            Ok(())
        })
    }

    fn info(&self, run: &RunId) -> Answer<RunInfo> {
        self.call(|inner| inner.infos.get(run).cloned().ok_or(Failure::Gone))
    }

    fn sign_of_life(&self, run: &RunId) -> Answer<u64> {
        self.call(|inner| match inner.infos.contains_key(run) {
            true => Ok(inner.signs),
            false => Err(Failure::Gone),
        })
    }

    fn tell(&self, _run: &RunId, _state: &RunState) -> Answer<()> {
        self.call(|inner| {
            inner.signs += 1;
            Ok(())
        })
    }

    fn close(&self, run: &RunId) -> Answer<()> {
        self.call(|inner| {
            inner.infos.remove(run);
            inner.records.remove(run);
            inner.waiting.retain(|parcel| parcel.run != *run);
            Ok(())
        })
    }

    fn give(&self, run: &RunId, region: &Region) -> Answer<()> {
        self.call(|inner| {
            let copies = 1 + u64::from(inner.one_of(self.chaos.twice));
            for _ in 0..copies {
                inner.numbers += 1;
                let parcel = Parcel {
                    number: inner.numbers,
                    run: run.clone(),
                    region: region.clone(),
                    deliveries: 0,
                    from: Instant::now(),
                };
                inner.waiting.push_back(parcel);
            }
            Ok(())
        })
    }

    fn take(&self, wait: Duration) -> Answer<Option<Box<dyn Lease>>> {
        let deadline = Instant::now() + wait;
        loop {
            let term = self.term;
            let chaos = self.chaos;
            let taken = self.call(|inner| {
                let now = Instant::now();
                let at = inner.waiting.iter().position(|parcel| parcel.from <= now);
                let Some(mut parcel) = at.and_then(|at| inner.waiting.remove(at)) else {
                    return Ok(None);
                };
                let is_short = inner.one_of(chaos.short);
                parcel.deliveries += 1;
                parcel.from = if is_short { now } else { now + term };
                let lease = Lent {
                    memory: self.clone(),
                    number: parcel.number,
                    run: parcel.run.clone(),
                    region: parcel.region.clone(),
                    deliveries: if is_short { 1 } else { parcel.deliveries },
                };
                if is_short {
                    // It does not count as a try of somebody who failed.
                    parcel.deliveries -= 1;
                }
                inner.waiting.push_back(parcel);
                Ok(Some(lease))
            })?;
            if let Some(lease) = taken {
                return Ok(Some(Box::new(lease)));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            // That nothing is there yet is no step of its own.
            self.calls.fetch_sub(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn commit(&self, run: &RunId, region: RegionId, record: Record) -> Answer<Record> {
        self.call(|inner| {
            let records = inner.records.get_mut(run).ok_or(Failure::Gone)?;
            if let Some((_, first)) = records.iter().find(|known| known.0 == region) {
                return Ok(first.clone());
            }
            records.push((region, record.clone()));
            Ok(record)
        })
    }

    fn record(&self, run: &RunId, region: RegionId) -> Answer<Option<Record>> {
        self.call(|inner| {
            let records = inner.records.get(run).ok_or(Failure::Gone)?;
            let record = records.iter().find(|known| known.0 == region);
            Ok(record.map(|known| known.1.clone()))
        })
    }

    fn follow(&self, run: &RunId) -> Answer<Box<dyn Records>> {
        Ok(Box::new(Followed {
            memory: self.clone(),
            run: run.clone(),
            seen: 0,
        }))
    }

    fn put(&self, _bytes: &[u8]) -> Answer<[u8; 32]> {
        unreachable!("there are no programs")
    }

    fn get(&self, _hash: &[u8; 32]) -> Answer<Vec<u8>> {
        unreachable!("there are no programs")
    }

    fn ask_for_regions(&self) {}

    fn is_asked_for_regions(&self) -> bool {
        false
    }

    fn present(&self, _worker: &WorkerState) -> Answer<()> {
        Ok(())
    }

    fn runs(&self) -> Answer<Vec<RunId>> {
        self.call(|inner| Ok(inner.infos.keys().cloned().collect()))
    }

    fn state(&self, _run: &RunId) -> Answer<RunState> {
        Ok(RunState::default())
    }

    fn workers(&self) -> Answer<Vec<WorkerState>> {
        Ok(Vec::new())
    }
}

struct Lent {
    memory: Memory,
    number: u64,
    run: RunId,
    region: Region,
    deliveries: u64,
}

impl Lent {
    fn change(&self, change: impl FnOnce(&mut Inner, usize)) -> Answer<()> {
        self.memory.call(|inner| {
            let at = inner
                .waiting
                .iter()
                .position(|parcel| parcel.number == self.number);
            if let Some(at) = at {
                change(inner, at);
            }
            Ok(())
        })
    }
}

impl Lease for Lent {
    fn run(&self) -> &RunId {
        &self.run
    }

    fn region(&self) -> &Region {
        &self.region
    }

    fn deliveries(&self) -> u64 {
        self.deliveries
    }

    fn term(&self) -> Duration {
        self.memory.term
    }

    fn extend(&self) -> Answer<()> {
        if self.memory.chaos.no_heartbeats {
            return Ok(());
        }
        let until = Instant::now() + self.memory.term;
        self.change(|inner, at| inner.waiting[at].from = until)
    }

    fn end(&self) -> Answer<()> {
        self.change(|inner, at| drop(inner.waiting.remove(at)))
    }

    fn give_back(&self) -> Answer<()> {
        self.change(|inner, at| inner.waiting[at].from = Instant::now())
    }
}

struct Followed {
    memory: Memory,
    run: RunId,
    seen: usize,
}

impl Records for Followed {
    fn next(&mut self, wait: Duration) -> Answer<Option<(RegionId, Record)>> {
        let next = self.memory.call(|inner| {
            let records = inner.records.get(&self.run).ok_or(Failure::Gone)?;
            Ok(records.get(self.seen).cloned())
        })?;
        match next {
            Some(_) => self.seen += 1,
            None => std::thread::sleep(wait.min(Duration::from_millis(2))),
        }
        Ok(next)
    }
}
