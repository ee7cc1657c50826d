//! Coverage as an LCOV tracefile, as editors and Codecov read it. A line is counted by the
//! harnesses that have run it.
//!
//! LCOV has no word for what cannot be reached: that is a line with a count of 0.

use super::{Coverage, FileTally};
use lcov::Record;
use std::collections::BTreeMap;

/// Returns the text of the tracefile. Paths are absolute, as other tools for Rust write them.
pub fn text(coverage: &Coverage) -> String {
    let mut records = Vec::new();
    for (path, file) in &coverage.files {
        records.push(Record::TestName {
            name: String::new(),
        });
        records.push(Record::SourceFile { path: path.clone() });
        functions(file, &mut records);
        branches(file, &mut records);
        lines(file, &mut records);
        records.push(Record::EndOfRecord);
    }
    let texts = records.iter().map(|record| format!("{record}\n"));
    texts.collect()
}

fn functions(file: &FileTally, records: &mut Vec<Record>) {
    // A name stands for one function.
    let mut by_name: BTreeMap<String, (u32, u64)> = BTreeMap::new();
    for ((line, name), tally) in &file.functions {
        let known = by_name.entry(escaped(name)).or_insert((*line, 0));
        known.1 += tally.covered;
    }
    let mut functions: Vec<(&String, &(u32, u64))> = by_name.iter().collect();
    functions.sort_by_key(|(name, (line, _))| (*line, *name));
    for (name, (start_line, _)) in &functions {
        records.push(Record::FunctionName {
            name: (*name).clone(),
            start_line: *start_line,
        });
    }
    for (name, (_, count)) in &functions {
        records.push(Record::FunctionData {
            name: (*name).clone(),
            count: *count,
        });
    }
    let hit = functions.iter().filter(|(_, (_, count))| *count > 0);
    records.push(Record::FunctionsFound {
        found: functions.len() as u32,
    });
    records.push(Record::FunctionsHit {
        hit: hit.count() as u32,
    });
}

/// Returns a name without what ends a field or a record.
fn escaped(name: &str) -> String {
    name.replace([',', '\n', '\r'], ";")
}

fn branches(file: &FileTally, records: &mut Vec<Record>) {
    let (mut found, mut hit) = (0, 0);
    let mut last = (0, 0);
    for ((line, ..), arms) in &file.branches {
        last = match last {
            (same, block) if same == *line => (same, block + 1),
            _ => (*line, 0),
        };
        let was_run = arms.iter().any(|arm| arm.covered > 0);
        for (branch, arm) in (0..).zip(arms) {
            found += 1;
            hit += u32::from(arm.covered > 0);
            records.push(Record::BranchData {
                line: *line,
                block: last.1,
                branch,
                taken: was_run.then_some(arm.covered),
            });
        }
    }
    records.push(Record::BranchesFound { found });
    records.push(Record::BranchesHit { hit });
}

fn lines(file: &FileTally, records: &mut Vec<Record>) {
    let mut hit = 0;
    for (line, tally) in &file.lines {
        hit += u32::from(tally.line.covered > 0);
        records.push(Record::LineData {
            line: *line,
            count: tally.line.covered,
            checksum: None,
        });
    }
    records.push(Record::LinesFound {
        found: file.lines.len() as u32,
    });
    records.push(Record::LinesHit { hit });
}
