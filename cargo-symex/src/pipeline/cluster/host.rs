//! The coordinator's side: adds up what workers find out, and holds the run to its limits.

use super::{Explored, Here, OwnKeeper};
use crate::pipeline::event::Notice;
use crate::pipeline::explore::RunContext;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use symex_cluster::coordinator::{self, Ended};
use symex_cluster::exchange::{Region, RunState};
use symex_cluster::ledger::Ledger;
use symex_engine::{Found, Job, Regions, Remainder, Sum};
use symex_types::config;
use symex_types::outcome::{Bound, Unsupported};

/// Time between two times that what is left is kept.
const KEEP_EVERY: Duration = Duration::from_secs(20);

/// The limits of a run on all its paths together.
struct Limits {
    deadline: Option<Instant>,
    started: Instant,
    limits: config::Limits,
}

impl Limits {
    /// Returns the limits of a job that began at this time.
    fn of(job: &Job, started: Instant) -> Self {
        let limits = job.config.limits.clone();
        Limits {
            deadline: limits.timeout.and_then(|time| started.checked_add(time)),
            started,
            limits,
        }
    }
}

/// What was found when something new was last found.
#[derive(Default)]
struct News {
    findings: usize,
    entered: usize,
    paths: u64,
}

/// The sum of what workers have found out, and the limits.
pub struct Host<'a> {
    sum: Sum<'a>,
    limits: Limits,
    harness: &'a str,
    context: &'a RunContext,
    keeper: OwnKeeper,
    next_keep: Instant,
    keep_every: Duration,
    /// Seconds that went into the harness before this run.
    earlier: f64,
    /// The limit that was reached.
    bound: Option<Bound>,
    news: News,
    workers: BTreeSet<String>,
}

impl<'a> Host<'a> {
    /// Makes the host of a run, of which this was found out before.
    pub fn new(here: &Here<'a>, sum: Sum<'a>, keeper: OwnKeeper) -> Self {
        let experiment = &here.job.config.experiment;
        Host {
            sum,
            limits: Limits::of(here.job, here.started),
            harness: here.harness,
            context: here.context,
            keeper,
            next_keep: Instant::now(),
            keep_every: experiment.keep_every.unwrap_or(KEEP_EVERY),
            earlier: here.earlier,
            bound: None,
            news: News::default(),
            workers: BTreeSet::new(),
        }
    }

    /// Computes the outcome of a run that has ended.
    pub fn finish(mut self, end: Ended) -> Explored {
        self.note_time();
        let Ended { ledger, failure } = end;
        let left = unexplored(&ledger);
        if let Some(failure) = failure {
            let left = left.and_then(|left| Remainder::of_parts(&self.sum, left));
            return Explored::Failed(failure.to_string(), left.map(Box::new), self.keeper);
        }
        self.sum.set_workers(self.workers.len() as u64);
        let lost = ledger.lost() as u64;
        if lost > 0 {
            self.sum.end_run(Bound::Lost(lost));
        }
        match &self.bound {
            Some(bound) if !ledger.is_closed() => self.sum.end_run(bound.clone()),
            _ => {}
        }
        let is_for_want = self.bound.as_ref().is_none_or(Bound::is_for_want);
        if is_for_want && let Some(left) = left.filter(|left| !left.is_empty()) {
            self.keep(left);
        }
        Explored::Done(Box::new(self.sum.outcome()))
    }

    fn keep(&mut self, left: Vec<Regions>) {
        if let Some(keeper) = &mut self.keeper
            && let Some(remainder) = Remainder::of_parts(&self.sum, left)
        {
            keeper.keep(&remainder);
        }
    }

    fn seconds(&self) -> f64 {
        self.limits.started.elapsed().as_secs_f64() + self.earlier
    }

    fn note_time(&mut self) {
        self.sum.set_seconds(self.seconds(), self.earlier);
    }

    /// Returns the limit that was reached, if one was.
    fn reached(&self) -> Option<Bound> {
        let Limits {
            deadline, limits, ..
        } = &self.limits;
        let stats = self.sum.stats();
        let is_over = |most: Option<u64>, count| most.is_some_and(|most| count >= most);
        let since_news = stats.paths.saturating_sub(self.news.paths);
        if self.context.interrupt.happened() {
            Some(Bound::Interrupted)
        } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Bound::Timeout)
        } else if is_over(limits.max_paths, stats.paths) {
            Some(Bound::MaxPaths)
        } else if is_over(limits.max_instructions, stats.instructions) {
            Some(Bound::MaxInstructions)
        } else if is_over(limits.max_queries, stats.queries) {
            Some(Bound::MaxQueries)
        } else if self.sum.findings() == 0 {
            None
        } else if limits.stop_at_first_bug {
            Some(Bound::FirstBug)
        } else {
            let most = limits.after_bug.filter(|most| since_news >= *most);
            most.map(Bound::NothingNew)
        }
    }
}

impl coordinator::Host for Host<'_> {
    fn add(&mut self, by: &str, found: Vec<u8>) {
        let paths = self.sum.stats().paths;
        let is_added = Found::from_bytes(&found).is_some_and(|found| self.sum.add(found));
        if !is_added {
            let what = format!("what the worker {by} has found out cannot be read");
            self.sum.lack(Unsupported::Internal(what));
        }
        self.workers.insert(by.to_owned());
        let now = (self.sum.findings(), self.sum.entered());
        if now != (self.news.findings, self.news.entered) {
            self.news = News {
                findings: now.0,
                entered: now.1,
                paths,
            };
        }
    }

    fn lost(&mut self, by: &str, why: &str) {
        let text = format!(
            "{}: part of its paths is left out: {why} (told by {by})",
            self.harness
        );
        let help = Some("a worker may need more memory; --resume tries them again".to_owned());
        self.context.monitor.notice(Notice::Warning { text, help });
    }

    fn goes_on(&mut self, ledger: &Ledger) -> bool {
        self.bound = self.reached();
        let stats = self.sum.stats();
        self.context.monitor.notice(Notice::Exploring {
            harness: self.harness,
            paths: stats.paths,
            tree: &stats.tree,
            seconds: self.seconds(),
            waiting: ledger.open(),
            findings: self.sum.findings(),
        });
        if self.bound.is_none() && self.keeper.is_some() && Instant::now() >= self.next_keep {
            self.note_time();
            if let Some(left) = unexplored(ledger) {
                self.keep(left);
            }
            self.next_keep = Instant::now() + self.keep_every;
        }
        self.bound.is_none()
    }

    fn state(&self, ledger: &Ledger) -> RunState {
        let stats = self.sum.stats();
        RunState {
            paths: stats.paths,
            findings: self.sum.findings() as u64,
            open: ledger.open() as u64,
            closed: ledger.closed() as u64,
            seconds: self.seconds(),
            estimate: stats.tree.estimated_ends(),
        }
    }
}

/// Returns the regions that nobody has explored; `None` if one cannot be read.
fn unexplored(ledger: &Ledger) -> Option<Vec<Regions>> {
    let read = |region: &Region| Regions::from_bytes(&region.bytes);
    ledger.unexplored().map(read).collect()
}
