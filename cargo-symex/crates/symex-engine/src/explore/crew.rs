//! Explorations of one job on several threads, which share its tree of paths.
//!
//! One begins. Where a core is idle, another joins, which has terms and a solver of its own, and no
//! paths. Who has none left waits until another gives a region away; the shallowest state that
//! waits there, since most paths stem from it. The job is done when all wait and no region is left.
//!
//! A region whose root is not reached is explored by who gave it away, which keeps the state until
//! then: nothing is lost.

use super::Job;
use super::forest::Forest;
use super::given_inputs::Foresight;
use super::region::{Region, reach};
use super::results::Results;
use super::search::Search;
use crate::exec::Executor;
use crate::exec::path::outcomes::ForetoldFinding;
use crate::state::{Decisions, State};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use symex_solver::leftovers;
use symex_terms::Pool;
use symex_types::event::Silent;
use symex_types::outcome::{Bound, Unsupported};
use symex_types::panic_message;

/// Time after which a job may have more than one thread.
const ALONE: Duration = Duration::from_millis(200);

/// Greatest time for which a thread waits for a region before it looks at the limits.
const WAIT: Duration = Duration::from_millis(20);

/// Number of regions for each thread that waits, below which more are wanted.
const PER_IDLE: usize = 4;

/// Part of the waiting states that is given away at a time, and greatest number of them.
const GIFT: usize = 8;
const LARGEST_GIFT: usize = 32;

/// Part of the time of a crew that it may spend on giving regions away and on reaching their roots.
const SPENT: u32 = 20;

/// Time that it may spend on that in any case.
const SPENT_AT_LEAST: Duration = Duration::from_millis(5);

/// Greatest time for which regions do not change hands while a snapshot is made.
const SNAPSHOT: Duration = Duration::from_secs(1);

/// Part of all instructions that may be run to reach the roots of regions.
const REPLAYED: u64 = 16;

/// Number of instructions that may be run for that in any case.
const REPLAYED_AT_LEAST: u64 = 2_000_000;

/// A region that was given away.
struct Offer {
    region: Region,
    fate: Arc<AtomicU8>,
}

/// Fate of a region that was given away: it waits, its root was reached, or was not.
const WAITS: u8 = 0;
const REACHED: u8 = 1;
const REFUSED: u8 = 2;

/// Reports whether this is the fate of a region.
fn is(fate: &AtomicU8, what: u8) -> bool {
    fate.load(Ordering::Relaxed) == what
}

/// What the threads of a job share.
pub(super) struct Crew {
    board: Mutex<Board>,
    changed: Condvar,
    /// Whether regions are wanted.
    wanted: AtomicBool,
    /// Whether a limit was reached, so that all stop.
    stopped: AtomicBool,
    /// Number of the snapshot that is being made; 0 if there is none.
    snapshot: AtomicU64,
    /// Paths of all threads.
    paths: AtomicU64,
    /// States of all threads but the first.
    states: AtomicUsize,
    /// Number of paths when something new was last found.
    news: AtomicU64,
    instructions: AtomicU64,
    replayed: AtomicU64,
    /// Nanoseconds spent on regions.
    spent: AtomicU64,
    began: Instant,
    /// Whether what is left is kept when the exploration stops.
    pub keeps_rest: bool,
}

#[derive(Default)]
struct Board {
    offers: VecDeque<Offer>,
    /// Number of threads that explore.
    busy: usize,
    /// Number of threads that wait.
    idle: usize,
    /// Number of regions that were refused, and not taken back yet.
    refused: usize,
    /// Findings that the first thread has not heard of.
    findings: Vec<ForetoldFinding>,
    bound: Option<Bound>,
    is_done: bool,
    snapshot: Option<Snapshot>,
    /// Number of snapshots so far.
    snapshots: u64,
}

/// Results and open regions of an exploration that goes on.
pub(super) enum Rest {
    Told(Box<(Results, Forest)>),
    /// They will be told soon.
    Later,
    /// They cannot be told now.
    Untold,
}

/// What all threads have explored and not explored, at a point between steps of each. While it is
/// made, no region changes hands, so that each is seen once.
struct Snapshot {
    asked: Instant,
    parts: Vec<Part>,
    /// Number of threads that have not told yet.
    missing: usize,
}

/// What a thread that waited goes on with.
pub(super) enum Supply {
    State(Box<State>),
    Region(Region),
    /// Nothing yet.
    Nothing,
    /// Nothing any more.
    Done,
}

impl Crew {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, board: &Board) {
        let wanted = board.idle * PER_IDLE > board.offers.len();
        self.wanted.store(wanted, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Stops all threads, since a limit was reached.
    pub fn stop(&self, bound: &Bound) {
        let mut board = self.board();
        board.bound.get_or_insert_with(|| bound.clone());
        self.stopped.store(true, Ordering::Relaxed);
        self.tell(&board);
    }

    /// Returns the limit at which all threads stop, if one was reached.
    pub fn stopped(&self) -> Option<Bound> {
        let stopped = self.stopped.load(Ordering::Relaxed);
        stopped.then(|| self.board().bound.clone())?
    }
}

/// The place of one thread in the crew of its job.
pub(super) struct Member {
    pub crew: Arc<Crew>,
    is_first: bool,
    is_busy: bool,
    /// Number of idle cores that are kept for something else.
    pub keeps: usize,
    /// What was given away, until the roots of the regions are reached.
    lent: Vec<(Arc<AtomicU8>, Lent)>,
    /// Counts that the crew knows of.
    told: Counts,
    helpers: Vec<JoinHandle<Result<Part, String>>>,
    /// Findings that the crew knows of.
    found: usize,
    /// Number of the last snapshot to which this thread has told its part.
    snapshot: u64,
}

/// What a thread leaves when it stops.
pub(super) struct Part {
    pub results: Results,
    /// What it has not explored; `None` if that is not wanted, or cannot be told.
    pub open: Option<Forest>,
    pub lent: Vec<LentRegion>,
}

impl Part {
    /// Adds what another thread leaves.
    fn add(&mut self, other: Part) {
        self.results.add(other.results);
        self.lent.extend(other.lent);
        self.open = self.open.take().zip(other.open).map(|(mut own, other)| {
            own.append(other);
            own
        });
    }
}

/// A region that was given away, with its fate.
pub(super) type LentRegion = (Arc<AtomicU8>, Region);

/// A part of the tree of paths that was given away.
enum Lent {
    State(Box<State>),
    /// The region, where the terms of the state are gone.
    Region(Region),
}

impl Lent {
    /// Returns the region, where this is the pool of the state.
    fn region(&self, pool: &Pool) -> Region {
        match self {
            Lent::State(state) => Region::of(pool, state),
            Lent::Region(region) => region.clone(),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    paths: u64,
    instructions: u64,
    states: usize,
}

impl Member {
    /// Makes the first member of a crew.
    pub fn first(keeps_rest: bool) -> Self {
        let crew = Crew {
            board: Mutex::new(Board {
                busy: 1,
                ..Board::default()
            }),
            changed: Condvar::new(),
            wanted: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            snapshot: AtomicU64::new(0),
            paths: AtomicU64::new(0),
            states: AtomicUsize::new(0),
            news: AtomicU64::new(0),
            instructions: AtomicU64::new(0),
            replayed: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            began: Instant::now(),
            keeps_rest,
        };
        Member::of(Arc::new(crew), true)
    }

    fn of(crew: Arc<Crew>, is_first: bool) -> Self {
        Member {
            crew,
            is_first,
            is_busy: is_first,
            keeps: 0,
            lent: Vec::new(),
            told: Counts::default(),
            helpers: Vec::new(),
            found: 0,
            snapshot: 0,
        }
    }

    /// Tells the crew what this thread has counted.
    pub fn tell(&mut self, executor: &Executor, states: usize) {
        let stats = &executor.outcomes.stats;
        let now = Counts {
            paths: stats.paths,
            instructions: stats.instructions,
            states: if self.is_first { 0 } else { states },
        };
        let last = std::mem::replace(&mut self.told, now);
        let crew = &self.crew;
        let add = |count: &AtomicU64, by| count.fetch_add(by, Ordering::Relaxed);
        add(&crew.paths, now.paths - last.paths);
        add(&crew.instructions, now.instructions - last.instructions);
        let states = now.states.wrapping_sub(last.states);
        crew.states.fetch_add(states, Ordering::Relaxed);
    }

    /// Returns the paths and the waiting states of all threads, where this is the first.
    pub fn totals(&self, states: usize) -> (u64, usize) {
        let crew = &self.crew;
        let others = crew.states.load(Ordering::Relaxed);
        (crew.paths.load(Ordering::Relaxed), states + others)
    }

    /// Reports whether there are or were other threads.
    pub fn has_others(&self) -> bool {
        !(self.is_first && self.helpers.is_empty())
    }

    /// Records that something new was found.
    pub fn note_news(&self) {
        let paths = self.crew.paths.load(Ordering::Relaxed);
        self.crew.news.store(paths, Ordering::Relaxed);
    }

    /// Returns the number of paths of all threads since something new was found.
    pub fn paths_since_news(&self) -> u64 {
        let paths = self.crew.paths.load(Ordering::Relaxed);
        paths.saturating_sub(self.crew.news.load(Ordering::Relaxed))
    }

    /// Exchanges findings: the first thread hears of those of the others.
    pub fn exchange(&mut self, executor: &mut Executor) {
        let outcomes = &mut executor.outcomes;
        if self.is_first {
            let news = std::mem::take(&mut self.crew.board().findings);
            outcomes.foretell(news);
        } else if outcomes.tally.findings() > self.found {
            let news = outcomes.tally.findings_from(self.found);
            self.found = outcomes.tally.findings();
            self.crew.board().findings.extend(news);
        }
    }

    /// Returns the number of regions to give away now, of this number of states.
    #[inline]
    pub fn wanted(&self, states: usize) -> usize {
        let load = |flag: &AtomicU64| flag.load(Ordering::Relaxed);
        if states < 2 || !self.crew.wanted.load(Ordering::Relaxed) || load(&self.crew.snapshot) > 0
        {
            return 0;
        }
        let spent = Duration::from_nanos(self.crew.spent.load(Ordering::Relaxed));
        match spent > self.crew.began.elapsed() / SPENT + SPENT_AT_LEAST {
            true => 0,
            false => (states / GIFT).clamp(1, LARGEST_GIFT),
        }
    }

    /// Records that time was spent on regions since then.
    pub fn spend(&self, since: Instant) {
        let spent = since.elapsed().as_nanos() as u64;
        self.crew.spent.fetch_add(spent, Ordering::Relaxed);
    }

    /// Reports whether a state is worth running its path once more.
    pub fn is_worth_it(&self, state: &State) -> bool {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let most = load(&self.crew.instructions) / REPLAYED + REPLAYED_AT_LEAST;
        state.decisions.are_recorded() && load(&self.crew.replayed) + state.steps <= most
    }

    /// Gives a state away.
    pub fn lend(&mut self, executor: &Executor, state: State) {
        let region = Region::of(&executor.pool, &state);
        let replayed = &self.crew.replayed;
        replayed.fetch_add(state.steps, Ordering::Relaxed);
        self.offer(region, Lent::State(Box::new(state)));
    }

    /// Gives a region away that has to be reached anyhow.
    pub fn lend_region(&mut self, region: Region) {
        self.offer(region.clone(), Lent::Region(region));
    }

    fn offer(&mut self, region: Region, lent: Lent) {
        let fate = Arc::new(AtomicU8::new(WAITS));
        self.lent.retain(|(fate, _)| !is(fate, REACHED));
        self.lent.push((fate.clone(), lent));
        let mut board = self.crew.board();
        board.offers.push_back(Offer { region, fate });
        self.crew.tell(&board);
    }

    /// Forgets the terms of the pool, which is about to go.
    pub fn let_go(&mut self, pool: &Pool) {
        for (_, lent) in &mut self.lent {
            if let Lent::State(_) = lent {
                *lent = Lent::Region(lent.region(pool));
            }
        }
    }

    /// Takes back what was given away, if another thread could not take it over.
    fn take_back(&mut self, board: &mut Board) -> Option<Lent> {
        self.lent.retain(|(fate, _)| !is(fate, REACHED));
        let at = self.lent.iter().position(|(fate, _)| is(fate, REFUSED))?;
        board.refused -= 1;
        Some(self.lent.swap_remove(at).1)
    }

    /// Waits a little for a state to go on with, when there is none left.
    pub fn wait(&mut self, executor: &mut Executor, starts: &[State]) -> Supply {
        let crew = self.crew.clone();
        let mut board = crew.board();
        self.set_busy(&mut board, false);
        let deadline = Instant::now() + WAIT;
        loop {
            if let Some(lent) = self.take_back(&mut board) {
                self.set_busy(&mut board, true);
                let mut state = match lent {
                    Lent::State(state) => state,
                    Lent::Region(region) => return Supply::Region(region),
                };
                state.id = executor.siblings.number();
                // Neither it nor what stems from it is given away again.
                state.decisions = Decisions::default();
                return Supply::State(state);
            }
            if board.bound.is_some() || board.is_done {
                return Supply::Done;
            }
            if self.owes_part() {
                drop(board);
                self.tell_part(executor, Some(Forest::default()));
                board = crew.board();
            }
            if board.snapshot.is_none()
                && let Some(offer) = board.offers.pop_front()
            {
                self.set_busy(&mut board, true);
                drop(board);
                executor.outcomes.stats.regions += 1;
                let began = Instant::now();
                let reached = reach(executor, starts, &offer.region);
                self.spend(began);
                let refuses = executor.config.experiment.refuse_every;
                let number = executor.outcomes.stats.regions;
                if let Ok(state) = reached
                    && !refuses.is_some_and(|every| number.is_multiple_of(every))
                {
                    offer.fate.store(REACHED, Ordering::Relaxed);
                    return Supply::State(Box::new(state));
                }
                executor.outcomes.stats.diverged += u64::from(!executor.queries.out_of_time());
                board = crew.board();
                offer.fate.store(REFUSED, Ordering::Relaxed);
                board.refused += 1;
                self.set_busy(&mut board, false);
                continue;
            }
            // While a snapshot is made, regions wait that nobody may take.
            if board.busy == 0 && board.refused == 0 && board.offers.is_empty() {
                board.is_done = true;
                crew.tell(&board);
                return Supply::Done;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Supply::Nothing;
            }
            let waited = crew.changed.wait_timeout(board, left);
            board = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Records whether this thread explores, or waits.
    fn set_busy(&mut self, board: &mut Board, is_busy: bool) {
        if self.is_busy != is_busy {
            let (more, less) = match is_busy {
                true => (&mut board.busy, &mut board.idle),
                false => (&mut board.idle, &mut board.busy),
            };
            *more += 1;
            *less -= 1;
            self.is_busy = is_busy;
            self.crew.tell(board);
        }
    }

    /// Returns the regions that were given away, and may come back.
    pub fn lent(&mut self, pool: &Pool) -> Vec<LentRegion> {
        let lent = std::mem::take(&mut self.lent).into_iter();
        lent.map(|(fate, lent)| (fate, lent.region(pool))).collect()
    }

    /// Waits for the other threads, and adds what they leave to what this one leaves. The job is
    /// done, or stopped.
    pub fn gather(mut self, mut own: Part) -> Part {
        for helper in std::mem::take(&mut self.helpers) {
            let part = helper.join();
            let lost = || Err("a thread was lost".to_owned());
            match part.unwrap_or_else(|_| lost()) {
                Ok(part) => own.add(part),
                Err(message) => {
                    own.results.lack(Unsupported::Internal(message));
                    own.open = None;
                }
            }
        }
        let board = self.crew.board();
        if !board.offers.is_empty() || board.refused > 0 {
            match &board.bound {
                Some(bound) => own.results.tally.end_run(bound.clone()),
                None => {
                    let what = "a region was left".to_owned();
                    own.results.lack(Unsupported::Internal(what));
                }
            }
        }
        if let Some(open) = &mut own.open {
            board.add_on_the_way(&own.lent, open);
        }
        own
    }

    /// Returns the results and the open regions of all threads, some time after it was asked for
    /// them first.
    pub fn snapshot(&mut self) -> Rest {
        let crew = self.crew.clone();
        let mut board = crew.board();
        let Some(snapshot) = &board.snapshot else {
            board.snapshots += 1;
            board.snapshot = Some(Snapshot {
                asked: Instant::now(),
                parts: Vec::new(),
                missing: board.busy + board.idle,
            });
            crew.snapshot.store(board.snapshots, Ordering::Relaxed);
            crew.changed.notify_all();
            return Rest::Later;
        };
        let is_whole = snapshot.missing == 0;
        if !is_whole && snapshot.asked.elapsed() < SNAPSHOT {
            return Rest::Later;
        }
        crew.snapshot.store(0, Ordering::Relaxed);
        let parts = board.snapshot.take().map(|snapshot| snapshot.parts);
        crew.tell(&board);
        let parts = parts.into_iter().flatten().filter(|_| is_whole);
        let sum = parts.reduce(|mut sum, part| {
            sum.add(part);
            sum
        });
        let Some(Part {
            results,
            open: Some(mut open),
            lent,
        }) = sum
        else {
            return Rest::Untold;
        };
        board.add_on_the_way(&lent, &mut open);
        Rest::Told(Box::new((results, open)))
    }

    /// Reports whether a snapshot is being made that this thread has not told its part to.
    #[inline]
    pub fn owes_part(&self) -> bool {
        let number = self.crew.snapshot.load(Ordering::Relaxed);
        number > self.snapshot
    }

    /// Tells the snapshot what this thread has explored so far, and what it has not.
    pub fn tell_part(&mut self, executor: &Executor, open: Option<Forest>) {
        let lent = self.lent.iter().filter(|(fate, _)| !is(fate, REACHED));
        let lent = lent.map(|(fate, lent)| (fate.clone(), lent.region(&executor.pool)));
        let part = Part {
            results: Results::so_far(executor),
            open,
            lent: lent.collect(),
        };
        let crew = self.crew.clone();
        let mut board = crew.board();
        self.snapshot = crew.snapshot.load(Ordering::Relaxed).max(self.snapshot);
        if let Some(snapshot) = &mut board.snapshot {
            snapshot.parts.push(part);
            snapshot.missing -= 1;
        }
    }

    /// Starts another thread, if a core is idle and there is something to do for it.
    pub fn recruit(&mut self, job: &Job, started: Instant, states: usize) -> bool {
        let at_once = job.config.experiment.share_at_once;
        let is_needed = self.is_first && states > 1 && (at_once || started.elapsed() >= ALONE);
        if !is_needed || self.crew.snapshot.load(Ordering::Relaxed) > 0 {
            return false;
        }
        let Some(seat) = Seat::taken(&job.cores, self.keeps) else {
            return false;
        };
        let crew = self.crew.clone();
        let job = job.clone();
        let thread = std::thread::Builder::new().name("symex-helper".into());
        let thread = thread.stack_size(leftovers::STACK).spawn(move || {
            let _seat = seat;
            let results = catch_unwind(AssertUnwindSafe(|| help(&job, &crew, started)));
            results.map_err(|payload| {
                // The others would wait for ever for a thread that panicked.
                crew.stop(&Bound::Interrupted);
                panic_message(&*payload)
            })
        });
        let Ok(thread) = thread else {
            return false;
        };
        self.helpers.push(thread);
        let mut board = self.crew.board();
        board.idle += 1;
        self.crew.tell(&board);
        true
    }
}

impl Board {
    /// Adds the regions that no thread has: those that wait to be taken, and those of all threads
    /// that were refused.
    fn add_on_the_way(&self, lent: &[LentRegion], open: &mut Forest) {
        let refused = lent.iter().filter(|(fate, _)| is(fate, REFUSED));
        let offered = self.offers.iter().map(|offer| &offer.region);
        for region in offered.chain(refused.map(|lent| &lent.1)) {
            open.add(region);
        }
    }
}

/// Explores regions of a job until it is done or stopped.
fn help(job: &Job, crew: &Arc<Crew>, started: Instant) -> Part {
    let mut search = Search::of_part(job, started);
    search.count_anew();
    search.join(Member::of(crew.clone(), false));
    search.run(&mut Foresight::new(job, None), None, &mut Silent);
    if let Some(member) = &mut search.member {
        member.tell(&search.executor, 0);
    }
    let (open, lent) = search.take_rest();
    Part {
        results: search.results(),
        open,
        lent,
    }
}

/// Reports whether several threads may share the paths of a job. Where paths are merged, they may
/// not: a merged state stands for several paths. Nor where the count of something is to be exact.
pub(super) fn may_help(job: &Job) -> bool {
    let config = &job.config;
    job.cores.exist()
        && !config.merging.is_on()
        && !config.counts_or_records()
        && !config.solver.is_logged()
}

impl Drop for Member {
    fn drop(&mut self) {
        if self.is_first && !self.helpers.is_empty() {
            // Its results are not needed any more.
            self.crew.stop(&Bound::Interrupted);
            for helper in self.helpers.drain(..) {
                leftovers::outlive(helper);
            }
        }
    }
}

/// Cores of the machine that may explore for jobs that others have begun.
#[derive(Default, Debug)]
pub struct Cores {
    all: usize,
    idle: AtomicUsize,
}

impl Cores {
    /// Makes a number of cores, of which so many are idle.
    pub fn new(all: usize, idle: usize) -> Self {
        let idle = AtomicUsize::new(idle);
        Cores { all, idle }
    }

    /// Reports whether there may be an idle core at some time.
    fn exist(&self) -> bool {
        self.all > 1
    }

    /// Takes an idle core, if there are more than a number to keep.
    fn take(&self, keep: usize) -> bool {
        let less = |idle: usize| (idle > keep).then(|| idle - 1);
        let taken = self
            .idle
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok()
    }

    /// Adds an idle core.
    pub fn give_back(&self) {
        self.idle.fetch_add(1, Ordering::Relaxed);
    }
}

/// A core in use, until it is dropped.
#[derive(Debug)]
pub struct Seat(Arc<Cores>);

impl Seat {
    /// Takes an idle core, if there are more than a number to keep.
    pub fn taken(cores: &Arc<Cores>, keep: usize) -> Option<Self> {
        cores.take(keep).then(|| Seat(cores.clone()))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.give_back();
    }
}
