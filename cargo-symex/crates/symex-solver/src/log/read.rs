//! Reader of query logs.

use super::{TITLE, VERSION};
use crate::{Purpose, Query};
use rustc_hash::FxHashMap;
use std::time::Duration;
use symex_terms::text::Named;
use symex_terms::{AddressMap, Assignment, Expr, Kind, ObjectId, Pool, Symbol};

/// A fault in the text of a log.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line} of the query log: {reason}")]
pub struct LogError {
    /// Line of the fault, from 1.
    pub line: usize,
    pub reason: String,
}

/// Answer recorded in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    Sat,
    Unsat,
    Unknown,
}

impl Said {
    const ALL: [Said; 3] = [Said::Sat, Said::Unsat, Said::Unknown];

    /// Returns the answer's word in a log.
    pub fn word(self) -> &'static str {
        match self {
            Said::Sat => "sat",
            Said::Unsat => "unsat",
            Said::Unknown => "unknown",
        }
    }
}

/// A query read from a log.
pub struct Logged {
    /// Line of the query in the log.
    pub line: usize,
    pub constraints: Vec<Expr>,
    pub goal: Expr,
    pub purpose: Purpose,
    /// Timeout of the query.
    pub timeout: Option<Duration>,
    /// Recorded answer; `None` if the run was ended before there was one.
    pub said: Option<Said>,
}

/// Reader of a log, query by query.
pub struct LogReader<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    /// Number of the current line.
    line: usize,
    /// Owner of the terms.
    pub pool: Pool,
    named: Named<'a>,
    /// Constraint lists, each as the list before it and the added constraint.
    paths: Vec<(usize, Expr)>,
    addresses: LoggedAddresses,
    hint: Assignment,
    timeout: Option<Duration>,
}

/// Addresses recorded in a log.
#[derive(Default)]
struct LoggedAddresses(FxHashMap<ObjectId, (u64, Option<u64>)>);

impl AddressMap for LoggedAddresses {
    fn address(&self, object: ObjectId) -> u64 {
        // A reader refuses questions about others.
        self.0[&object].0
    }

    fn size(&self, object: ObjectId) -> Option<u64> {
        self.0[&object].1
    }
}

type LogResult<T> = Result<T, LogError>;

impl<'a> LogReader<'a> {
    /// Starts reading a text, which must begin like a log.
    pub fn new(text: &'a str) -> LogResult<Self> {
        let mut reader = LogReader {
            lines: text.lines().enumerate().peekable(),
            line: 1,
            pool: Pool::new(),
            named: Named::default(),
            paths: Vec::new(),
            addresses: LoggedAddresses::default(),
            hint: Assignment::default(),
            timeout: None,
        };
        let title = reader.lines.next().and_then(|l| l.1.strip_prefix(TITLE));
        match title.map(str::parse::<u32>) {
            Some(Ok(VERSION)) => Ok(reader),
            Some(Ok(other)) => reader.fail(format!(
                "its form is version {other}, and this is read: {VERSION}"
            )),
            _ => reader.fail("no log of queries begins so"),
        }
    }

    /// Reads the next query; `None` at the end.
    pub fn next_query(&mut self) -> LogResult<Option<Logged>> {
        while let Some((at, line)) = self.lines.next() {
            self.line = at + 1;
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "(let" => {
                    let read = self.pool.parse_line(&mut self.named, line);
                    read.or_else(|error| self.fail(error.to_string()))?;
                }
                "pool" => {
                    self.pool = Pool::new();
                    self.named = Named::default();
                    self.paths.clear();
                    self.addresses.0.clear();
                    self.hint = Assignment::default();
                    self.timeout = None;
                }
                "path" => self.path(rest)?,
                "address" => {
                    let (object, address) = self.pair(rest, ' ')?;
                    let object = ObjectId(self.number(object)?);
                    let (address, size) = match address.split_once(' ') {
                        Some((address, size)) => (address, Some(self.number(size)?)),
                        None => (address, None),
                    };
                    let address = self.number(address)?;
                    self.addresses.0.insert(object, (address, size));
                }
                "hint" => self.values(rest)?,
                "timeout" => self.timeout = Some(Duration::from_micros(self.number(rest)?)),
                "ask" => return self.ask(rest).map(Some),
                // For people, as is an empty line.
                _ if line.is_empty() || line.starts_with(';') => {}
                _ => return self.fail(format!("`{word}` says nothing here")),
            }
        }
        Ok(None)
    }

    /// Returns a logged query in the form that the chain gets.
    pub fn query<'q>(&'q mut self, logged: &'q Logged) -> (&'q mut Pool, Query<'q>) {
        let query = Query {
            constraints: &logged.constraints,
            goal: logged.goal,
            addresses: &self.addresses,
            hint: &self.hint,
            purpose: logged.purpose,
        };
        (&mut self.pool, query)
    }

    fn fail<T>(&self, reason: impl Into<String>) -> LogResult<T> {
        Err(LogError {
            line: self.line,
            reason: reason.into(),
        })
    }

    fn path(&mut self, rest: &'a str) -> LogResult<()> {
        let (number, rest) = self.pair(rest, ' ')?;
        let (before, term) = self.pair(rest, ' ')?;
        let (number, before): (usize, usize) = (self.number(number)?, self.number(before)?);
        if number != self.paths.len() + 1 || before >= number {
            return self.fail(format!("no path {number} after {before} is expected here"));
        }
        let constraint = self.condition(term)?;
        self.paths.push((before, constraint));
        Ok(())
    }

    fn values(&mut self, rest: &'a str) -> LogResult<()> {
        for word in rest.split(' ') {
            let (term, value) = self.pair(word, '=')?;
            let term = self.term(term)?;
            let value: u128 = self.number(value)?;
            let Kind::Var(var) = self.pool.kind(term) else {
                return self.fail("a hint for what is no variable");
            };
            let width = self.pool.width(term);
            if width < 128 && value >> width != 0 {
                return self.fail(format!("{value:#x} does not fit {width} bits"));
            }
            self.hint.set(var, value);
        }
        Ok(())
    }

    fn ask(&mut self, rest: &'a str) -> LogResult<Logged> {
        let (purpose, rest) = self.pair(rest, ' ')?;
        let (path, goal) = self.pair(rest, ' ')?;
        let Some(purpose) = Purpose::ALL.into_iter().find(|p| p.word() == purpose) else {
            return self.fail(format!("nothing is asked for `{purpose}`"));
        };
        let goal = self.condition(goal)?;
        let mut at: usize = self.number(path)?;
        if at > self.paths.len() {
            return self.fail(format!("there is no path {at}"));
        }
        let mut constraints = Vec::new();
        while at > 0 {
            let (before, constraint) = self.paths[at - 1];
            constraints.push(constraint);
            at = before;
        }
        constraints.reverse();
        for e in constraints.iter().chain([&goal]) {
            let unknown = self
                .pool
                .support(*e)
                .iter()
                .find_map(|symbol| match symbol {
                    Symbol::Base(object) if !self.addresses.0.contains_key(object) => {
                        Some(object.0)
                    }
                    _ => None,
                });
            if let Some(object) = unknown {
                return self.fail(format!("object {object} has no address"));
            }
        }
        let line = self.line;
        let next = self.lines.peek().map(|l| l.1);
        let said = next.and_then(|next| Said::ALL.into_iter().find(|said| said.word() == next));
        if said.is_some() {
            self.lines.next();
        }
        Ok(Logged {
            line,
            constraints,
            goal,
            purpose,
            timeout: self.timeout,
            said,
        })
    }

    fn pair<'t>(&self, text: &'t str, separator: char) -> LogResult<(&'t str, &'t str)> {
        text.split_once(separator)
            .map_or_else(|| self.fail("something is missing"), Ok)
    }

    fn number<T: TryFrom<u128>>(&self, text: &str) -> LogResult<T> {
        let value = match text.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => text.parse(),
        };
        let value = value.ok().and_then(|v| T::try_from(v).ok());
        value.map_or_else(
            || self.fail(format!("`{text}` is no number that fits here")),
            Ok,
        )
    }

    fn term(&mut self, text: &'a str) -> LogResult<Expr> {
        let read = self.pool.parse_with(&mut self.named, text);
        read.or_else(|error| self.fail(error.to_string()))
    }

    /// Reads a term of one bit.
    fn condition(&mut self, text: &'a str) -> LogResult<Expr> {
        let term = self.term(text)?;
        match self.pool.width(term) {
            1 => Ok(term),
            width => self.fail(format!("a condition of {width} bits")),
        }
    }
}
