//! Asking the queries of a log again: what has become of the answers, and of the work behind them.

use super::log::{LogError, Logged, Reader, Said};
use super::{Answer, Chain, Purpose, Query, Solver, SolverStats};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use symex_terms::Pool;
use symex_types::config::SolverConfig;

/// How a log is asked again.
#[derive(Clone, Default)]
pub struct Replay {
    /// Settings of the chain.
    pub config: SolverConfig,
    /// Are all stages left out?
    pub bare: bool,
    /// Is each query also asked of a new Z3?
    pub cross_check: bool,
    /// The most time for one query. `None`: what it had.
    pub limit: Option<Duration>,
    /// How many of the slowest queries that reached Z3 are kept.
    pub slowest: usize,
    /// The places of the queries that are asked, the first being 0. `None`: all.
    pub only: Option<BTreeSet<usize>>,
}

/// The result of a replay.
#[derive(Clone, Default, Debug)]
pub struct Replayed {
    pub stats: SolverStats,
    pub contradictions: Vec<Contradiction>,
    /// Queries that had an answer and have none now.
    pub lost: u64,
    /// Queries that had none and have one now.
    pub gained: u64,
    /// The slowest of those that reached Z3, the slowest first.
    pub slowest: Vec<Slow>,
    /// The results of the queries, in order.
    pub each: Vec<Asked>,
}

/// The result of one query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Its place in the log, the first being 0.
    pub place: usize,
    pub got: Said,
    pub by: &'static str,
    /// The work for it: see [`SolverStats::work`].
    pub work: u64,
}

/// Two answers to one query that cannot both be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The number of the query's line in its log.
    pub line: usize,
    pub purpose: Purpose,
    pub got: Said,
    pub by: &'static str,
    pub other: Other,
}

/// The source that an answer contradicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Other {
    /// The log's answer.
    Logged(Said),
    /// That of a new Z3.
    Fresh(Said),
    /// The query: it is false under the assignment that came with `Sat`.
    Query,
}

/// A query that took long.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slow {
    pub time: Duration,
    pub line: usize,
    pub purpose: Purpose,
    pub got: Said,
    /// Number of constraints and of variables.
    pub size: (usize, usize),
    /// The goal's text.
    pub goal: String,
}

/// Characters of a goal that are kept.
const GOAL: usize = 400;

impl Replay {
    /// Asks the queries of a log, given as its text, in order.
    pub fn run(&self, text: &str) -> Result<Replayed, LogError> {
        let mut chain = if self.bare {
            Chain::bare(&self.config)
        } else {
            Chain::new(&self.config)
        };
        self.run_on(&mut chain, text)
    }

    /// Like [`Replay::run`], but asks a given chain, whatever the settings say of one.
    pub fn run_on(&self, chain: &mut Chain, text: &str) -> Result<Replayed, LogError> {
        chain.count_work();
        let mut reader = Reader::new(text)?;
        let mut done = Replayed::default();
        let mut next = 0;
        while let Some(logged) = reader.next_query()? {
            let place = next;
            next += 1;
            if self
                .only
                .as_ref()
                .is_some_and(|only| !only.contains(&place))
            {
                continue;
            }
            let timeout = logged.timeout.unwrap_or(self.config.query_timeout);
            let timeout = self.limit.map_or(timeout, |limit| limit.min(timeout));
            chain.set_timeout(timeout);
            let (pool, query) = reader.query(&logged);
            let before = chain.stats().work();
            let got = self.ask(chain, pool, &query, &logged, timeout, &mut done);
            done.each.push(Asked {
                place,
                got,
                by: chain.answered_by(),
                work: chain.stats().work() - before,
            });
        }
        done.stats = chain.stats().clone();
        Ok(done)
    }

    fn ask(
        &self,
        chain: &mut Chain,
        pool: &mut Pool,
        query: &Query,
        logged: &Logged,
        timeout: Duration,
        done: &mut Replayed,
    ) -> Said {
        let reached = chain.stats().reached_solver();
        let start = Instant::now();
        let answer = chain.check(pool, query);
        let time = start.elapsed();
        let got = said(&answer);
        let mut contradicts = |other| {
            done.contradictions.push(Contradiction {
                line: logged.line,
                purpose: logged.purpose,
                got,
                by: chain.answered_by(),
                other,
            })
        };
        if let Answer::Sat(found) = &answer
            && !query.holds(pool, found)
        {
            contradicts(Other::Query);
        }
        match (logged.said, got) {
            (Some(Said::Sat), Said::Unsat) | (Some(Said::Unsat), Said::Sat) => {
                contradicts(Other::Logged(logged.said.expect("just seen")));
            }
            _ => {}
        }
        if self.cross_check {
            let mut fresh = Chain::bare(&self.config);
            fresh.set_timeout(timeout);
            let other = said(&fresh.check(pool, query));
            if other != got && other != Said::Unknown && got != Said::Unknown {
                contradicts(Other::Fresh(other));
            }
        }
        match (logged.said, got) {
            (Some(Said::Sat | Said::Unsat), Said::Unknown) => done.lost += 1,
            (Some(Said::Unknown), Said::Sat | Said::Unsat) => done.gained += 1,
            _ => {}
        }
        if self.slowest > 0 && chain.stats().reached_solver() > reached {
            let full = done.slowest.len() == self.slowest;
            if !full || done.slowest.last().is_some_and(|last| last.time < time) {
                let goal = pool.display(query.goal).to_string();
                done.slowest.push(Slow {
                    time,
                    line: logged.line,
                    purpose: logged.purpose,
                    got,
                    size: (query.constraints.len(), query.vars(pool).len()),
                    goal: goal.chars().take(GOAL).collect(),
                });
                done.slowest
                    .sort_by_key(|slow| std::cmp::Reverse(slow.time));
                done.slowest.truncate(self.slowest);
            }
        }
        got
    }
}

fn said(answer: &Answer) -> Said {
    match answer {
        Answer::Sat(_) => Said::Sat,
        Answer::Unsat => Said::Unsat,
        Answer::Unknown(_) => Said::Unknown,
    }
}
