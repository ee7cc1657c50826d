//! Writer of query logs.

use super::{TITLE, VERSION};
use crate::{Answer, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;
use symex_terms::text::Lines;
use symex_terms::{Expr, ObjectId, Pool, Symbol, Var};

/// A log that is being written. Each query is in the file before it is answered, so that the file
/// shows in which query a run was ended.
pub struct QueryLog {
    /// Output file; `None` after a failure: a write error must not change an answer.
    file: Option<File>,
    text: String,
    lines: Lines,
    paths: FxHashMap<(usize, Expr), usize>,
    /// Last addresses written, with the sizes of the objects.
    addresses: FxHashMap<ObjectId, (u64, Option<u64>)>,
    /// Variables of the queries so far, their names, and the values that the last hint gave them.
    hint: Vec<(Var, String, u128)>,
    hinted: FxHashSet<Var>,
    timeout: Option<Duration>,
}

impl QueryLog {
    /// Creates a file, replacing one of this name, and its directory.
    pub fn create(path: &Path) -> io::Result<QueryLog> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = File::create(path)?;
        writeln!(file, "{TITLE}{VERSION}")?;
        Ok(QueryLog {
            file: Some(file),
            text: String::new(),
            lines: Lines::default(),
            paths: FxHashMap::default(),
            addresses: FxHashMap::default(),
            hint: Vec::new(),
            hinted: FxHashSet::default(),
            timeout: None,
        })
    }

    /// Records that later terms are those of another pool.
    pub fn pool(&mut self) {
        self.lines = Lines::default();
        self.paths.clear();
        self.addresses.clear();
        self.hint.clear();
        self.hinted.clear();
        self.timeout = None;
        self.text.push_str("pool\n");
    }

    /// Writes a query.
    pub fn ask(&mut self, pool: &mut Pool, query: &Query, timeout: Duration) {
        let terms = query.constraints.iter().chain([&query.goal]).copied();
        self.lines.write(pool, terms.clone(), &mut self.text);
        let mut path = 0;
        for constraint in query.constraints {
            let next = self.paths.len() + 1;
            let name = || self.lines.name(pool, *constraint);
            let known = self.paths.entry((path, *constraint));
            path = *known.or_insert_with(|| {
                let _ = writeln!(self.text, "path {next} {path} {}", name());
                next
            });
        }
        self.addresses(pool, query, terms);
        self.hint(pool, query);
        if self.timeout.replace(timeout) != Some(timeout) {
            let _ = writeln!(self.text, "timeout {}", timeout.as_micros());
        }
        let (purpose, goal) = (query.purpose.word(), self.lines.name(pool, query.goal));
        let _ = writeln!(self.text, "ask {purpose} {path} {goal}");
        self.flush();
    }

    /// Writes the answer to the last query, which stage gave it, and how long that took.
    pub fn answer(&mut self, answer: &Answer, by: &str, time: Duration) {
        let (word, why) = match answer {
            Answer::Sat(_) => ("sat", String::new()),
            Answer::Unsat => ("unsat", String::new()),
            Answer::Unknown(why) => ("unknown", format!(": {why}").replace('\n', " ")),
        };
        let time = time.as_micros();
        let _ = writeln!(self.text, "{word}\n; {by}, {time} us{why}");
        self.flush();
    }

    fn addresses(&mut self, pool: &Pool, query: &Query, terms: impl Iterator<Item = Expr>) {
        let mut last: &[Symbol] = &[];
        for e in terms {
            let support = pool.support(e);
            if std::ptr::eq(support, last) {
                continue;
            }
            last = support;
            for symbol in support {
                let Symbol::Base(object) = symbol else {
                    continue;
                };
                let address = query.addresses.address(*object);
                let size = query.addresses.size(*object);
                if self.addresses.insert(*object, (address, size)) != Some((address, size)) {
                    let _ = write!(self.text, "address {} {address:#x}", object.0);
                    if let Some(size) = size {
                        let _ = write!(self.text, " {size}");
                    }
                    self.text.push('\n');
                }
            }
        }
    }

    fn hint(&mut self, pool: &mut Pool, query: &Query) {
        for var in query.vars(pool) {
            if self.hinted.insert(var) {
                let term = pool.term_of(var);
                // What has not been said is 0.
                self.hint.push((var, self.lines.name(pool, term), 0));
            }
        }
        let mut before = "hint";
        for (var, name, said) in &mut self.hint {
            let value = query.hint.get(*var);
            if value != *said {
                *said = value;
                let _ = write!(self.text, "{before} {name}={value:#x}");
                before = "";
            }
        }
        if before.is_empty() {
            self.text.push('\n');
        }
    }

    fn flush(&mut self) {
        if let Some(file) = &mut self.file
            && file.write_all(self.text.as_bytes()).is_err()
        {
            self.file = None;
        }
        self.text.clear();
    }
}
