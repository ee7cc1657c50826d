//! Replay of a query log: compares the new answers, and the work behind them, with the recorded
//! ones.

use super::log::{LogError, LogReader, Logged, Said};
use super::{Answer, Chain, Purpose, Query, Solver, SolverStats};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use symex_terms::Pool;
use symex_types::config::SolverConfig;

/// Settings of a replay.
#[derive(Clone, Default)]
pub struct LogReplay {
    /// Settings of the chain.
    pub config: SolverConfig,
    /// Whether all stages are left out.
    pub bare: bool,
    /// Whether each query is also sent to a new Z3.
    pub cross_check: bool,
    /// Greatest timeout of one query. `None`: the recorded one.
    pub limit: Option<Duration>,
    /// Number of the slowest queries that reached Z3 to keep.
    pub slowest: usize,
    /// Positions of the queries to ask, from 0. `None`: all.
    pub only: Option<BTreeSet<usize>>,
}

/// Result of a replay.
#[derive(Clone, Default, Debug)]
pub struct Replayed {
    pub stats: SolverStats,
    pub contradictions: Vec<ContradictoryAnswers>,
    /// Number of queries that had an answer and have none now.
    pub lost: u64,
    /// Number of queries that had no answer and have one now.
    pub gained: u64,
    /// Slowest queries that reached Z3, slowest first.
    pub slowest: Vec<Slow>,
    /// Results of the queries, in order.
    pub each: Vec<Asked>,
}

/// Result of one query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Position in the log, from 0.
    pub place: usize,
    pub got: Said,
    pub by: &'static str,
    /// Work for the query: see [`SolverStats::work`].
    pub work: u64,
}

/// Two contradictory answers to one query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContradictoryAnswers {
    /// Line of the query in its log.
    pub line: usize,
    pub purpose: Purpose,
    pub got: Said,
    pub by: &'static str,
    pub other: Other,
}

/// Source that an answer contradicts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Other {
    /// The recorded answer.
    Logged(Said),
    /// The answer of a new Z3.
    Fresh(Said),
    /// The query itself: it is false under the assignment that came with `Sat`.
    Query,
}

/// A slow query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slow {
    pub time: Duration,
    pub line: usize,
    pub purpose: Purpose,
    pub got: Said,
    /// Number of constraints and of variables.
    pub size: (usize, usize),
    /// Text of the goal.
    pub goal: String,
}

/// Greatest number of characters of a goal that are kept.
const GOAL: usize = 400;

impl LogReplay {
    /// Asks the queries of a log, given as its text, in order.
    pub fn run(&self, text: &str) -> Result<Replayed, LogError> {
        let mut chain = if self.bare {
            Chain::bare(&self.config)
        } else {
            Chain::new(&self.config)
        };
        self.run_on(&mut chain, text)
    }

    /// Asks the queries of a log of a given chain, ignoring the settings of the chain.
    pub fn run_on(&self, chain: &mut Chain, text: &str) -> Result<Replayed, LogError> {
        chain.count_work(true);
        let mut reader = LogReader::new(text)?;
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
            done.contradictions.push(ContradictoryAnswers {
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
