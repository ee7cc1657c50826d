//! Statistics of each harness's exploration, for `--stats`: ten rows that a user can act on, or all
//! that is counted, for whoever works on the engine.

use crate::pipeline::HarnessReport;
use bytesize::ByteSize;
use symex_types::outcome::Stats;
use symex_types::outcome::stats::{SIZE_CLASSES, StageStats};

/// How many of the statistics are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The ten by which a user sees where paths, time and memory go.
    Short,
    All,
}

/// Returns a block of lines for each harness, and one for the total if there are several.
pub fn table(reports: &[HarnessReport], level: Level) -> String {
    let block = match level {
        Level::Short => short_block,
        Level::All => whole_block,
    };
    let mut text = String::new();
    let mut sum = Stats::default();
    for report in reports {
        text.push_str(&block(&report.harness.name, &report.stats));
        sum.add(&report.stats);
    }
    if reports.len() > 1 {
        text.push_str(&block("all harnesses", &sum));
    }
    text
}

/// Most stages of the solver that are named in the short form.
const STAGES: usize = 3;

fn short_block(title: &str, stats: &Stats) -> String {
    let mut text = format!("{title}\n");
    for (label, value) in short_rows(stats) {
        text.push_str(&format!("  {label:<28} {value:>12}\n"));
    }
    // What takes less than a thousandth is no place to look at.
    let stages = stats.stages.iter();
    let mut stages: Vec<&StageStats> = stages.filter(|stage| stage.seconds >= 0.001).collect();
    stages.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    stages.truncate(STAGES);
    if !stages.is_empty() {
        let stages = stages.iter();
        let stages = stages.map(|stage| format!("{} {:.3}", stage.name, stage.seconds));
        let stages: Vec<String> = stages.collect();
        text.push_str(&format!(
            "  slowest stages of the solver: {}\n",
            stages.join(", ")
        ));
    }
    text.push_str(&library(stats));
    text
}

fn short_rows(stats: &Stats) -> [(&'static str, String); 10] {
    let memory = stats.term_bytes + stats.memory.state_bytes;
    [
        ("paths", stats.paths.to_string()),
        ("  to the end", stats.completed.to_string()),
        ("forks", stats.forks.to_string()),
        ("instructions", stats.instructions.to_string()),
        ("blocks covered", stats.covered.to_string()),
        (
            "memory of states and terms",
            ByteSize(memory).display().iec().to_string(),
        ),
        ("queries", stats.queries.to_string()),
        ("  to the solver Z3", stats.solver_queries.to_string()),
        ("seconds", format!("{:.3}", stats.seconds)),
        ("  in queries", format!("{:.3}", stats.solver_seconds)),
    ]
}

/// Returns the line that lists what was taken of the C library in bitcode.
fn library(stats: &Stats) -> String {
    match stats.library.is_empty() {
        true => String::new(),
        false => {
            let names = stats.library.join(" ");
            format!("  from the C library in bitcode: {names}\n")
        }
    }
}

fn whole_block(title: &str, stats: &Stats) -> String {
    let mut text = format!("{title}\n");
    for (label, value) in rows(stats) {
        text.push_str(&format!("  {label:<44} {value:>14}\n"));
    }
    text.push_str(&library(stats));
    text.push_str(&format!(
        "  {:<24} {:>9} {:>9} {:>9} {:>14}\n",
        "queries by stage", "answered", "sat", "rewritten", "seconds"
    ));
    for stage in &stats.stages {
        text.push_str(&format!(
            "    {:<22} {:>9} {:>9} {:>9} {:>14.3}\n",
            stage.name, stage.answered, stage.satisfied, stage.rewritten, stage.seconds
        ));
    }
    text
}

/// Returns all numbers with their labels. A label that begins with spaces is of a part of what
/// stands above it.
pub(super) fn rows(stats: &Stats) -> Vec<(String, String)> {
    let seconds = |value: f64| format!("{value:.3}");
    let rate = if stats.seconds > 0.0 {
        stats.instructions as f64 / stats.seconds
    } else {
        0.0
    };
    let memory = &stats.memory;
    let updates = &memory.updates;
    let mut rows: Vec<(String, String)> = [
        ("paths", stats.paths.to_string()),
        ("paths to the end", stats.completed.to_string()),
        ("paths assumed away", stats.assumed_away.to_string()),
        ("share of the tree", format!("{:.4}", stats.explored)),
        (
            "paths by estimate",
            format!("{:.0}", stats.tree.estimated_ends()),
        ),
        ("inputs followed", stats.followed.to_string()),
        ("  findings on them", stats.foretold.to_string()),
        ("forks", stats.forks.to_string()),
        ("regions given away", stats.regions.to_string()),
        ("  not taken over", stats.diverged.to_string()),
        ("renewals for want of memory", stats.renewals.to_string()),
        ("workers of a cluster", stats.workers.to_string()),
        ("merged states", stats.merged.to_string()),
        ("  parted again", stats.parted.to_string()),
        ("waiting states (peak)", stats.peak_states.to_string()),
        ("instructions", stats.instructions.to_string()),
        ("blocks covered", stats.covered.to_string()),
        ("instructions a second", format!("{rate:.0}")),
        ("terms", stats.terms.to_string()),
        ("bytes of terms", stats.term_bytes.to_string()),
        ("seconds", seconds(stats.seconds)),
        ("  in earlier runs", seconds(stats.earlier_seconds)),
        ("  for one that merges paths", seconds(stats.beside_seconds)),
        ("solver seconds", seconds(stats.solver_seconds)),
        ("accesses by symbolic pointers", memory.accesses.to_string()),
        ("  resolved before", memory.remembered.to_string()),
        ("  looked up by value", memory.by_value.to_string()),
        ("  with several candidates", memory.several.to_string()),
        ("    carried out by forking", memory.forked.to_string()),
        ("    by merging", memory.merged.to_string()),
        ("    by merging in segments", memory.segmented.to_string()),
        (
            "    at the one that the path leaves",
            memory.left_alone.to_string(),
        ),
        ("    at one candidate alone", memory.single.to_string()),
        ("candidates", memory.candidates.to_string()),
        (
            "candidates of one access (most)",
            memory.most_candidates.to_string(),
        ),
        ("objects split", memory.split_objects.to_string()),
        (
            "accesses to parts of them",
            memory.split_accesses.to_string(),
        ),
        ("parts accessed", memory.parts.to_string()),
        ("segments made", memory.segments.to_string()),
        (
            "objects moved into segments",
            memory.moved_objects.to_string(),
        ),
        (
            "bytes of a segment (most)",
            memory.largest_segment.to_string(),
        ),
        (
            "members of a segment (most)",
            memory.most_members.to_string(),
        ),
        ("arrays made", memory.arrays.to_string()),
        ("elements of arrays", memory.array_elements.to_string()),
        ("update layers: pages made", updates.pages.to_string()),
        ("  blocks copied", updates.copies.to_string()),
        ("  elements moved into arrays", updates.absorbed.to_string()),
        (
            "  elements stored at symbolic offsets",
            updates.stores.to_string(),
        ),
        ("  ranges of symbolic length", updates.ranges.to_string()),
        ("bytes of states (peak)", memory.state_bytes.to_string()),
        ("  of single states", memory.owned_bytes.to_string()),
        ("    contents of objects", memory.owned_contents.to_string()),
        ("  shared by states", memory.shared_bytes.to_string()),
        (
            "    contents of objects",
            memory.shared_contents.to_string(),
        ),
        (
            "  states that held them",
            memory.measured_states.to_string(),
        ),
    ]
    .map(|(label, value)| (label.to_owned(), value))
    .into();
    let by_size = [
        ("symbolic reads", &memory.symbolic_reads),
        ("symbolic writes", &memory.symbolic_writes),
    ];
    for (what, counts) in by_size {
        for (class, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let label = match SIZE_CLASSES.get(class) {
                Some(most) => format!("{what}, objects up to {most} bytes"),
                None => format!("{what}, larger objects"),
            };
            rows.push((label, count.to_string()));
        }
    }
    let records = &memory.records;
    let of_records = [
        ("loads at known places", records.map_reads.to_string()),
        (
            "loads that looked at records",
            records.list_reads.to_string(),
        ),
        ("  seconds", seconds(records.list_read_seconds)),
        ("stores at known places", records.map_writes.to_string()),
        (
            "stores that became records",
            records.list_writes.to_string(),
        ),
        ("  seconds", seconds(records.list_write_seconds)),
        ("  entries in lists", records.entries.to_string()),
        ("  layers of contents", records.layers.to_string()),
        ("collisions seen at once", records.witnessed.to_string()),
        ("collisions known", records.cache_hits.to_string()),
        ("collisions asked for", records.cache_misses.to_string()),
        ("  seconds", seconds(records.query_seconds)),
        ("collisions not asked for", records.not_asked.to_string()),
        ("records ruled out", records.ruled_out.to_string()),
    ];
    rows.extend(of_records.map(|(label, value)| (label.to_owned(), value)));
    rows.push(("queries".to_owned(), stats.queries.to_string()));
    for (purpose, count) in &stats.purposes {
        rows.push((format!("  {purpose}"), count.to_string()));
    }
    let solver = stats.solver_queries.to_string();
    rows.push(("queries to the solver".to_owned(), solver));
    let by_stages = stats.solver_queries_of_stages.to_string();
    rows.push(("queries to a solver by stages".to_owned(), by_stages));
    let unanswered = stats.unanswered.to_string();
    rows.push(("queries without an answer".to_owned(), unanswered));
    let by_address = stats.by_address.to_string();
    rows.push(("decisions by where objects lie".to_owned(), by_address));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use symex_types::outcome::stats::{MemoryStats, RecordStats, StageStats, UpdateStats};
    use symex_types::outcome::tree::Tree;

    /// Collects every number in a tree.
    fn numbers(value: &Value, into: &mut Vec<f64>) {
        match value {
            Value::Number(n) => into.extend(n.as_f64()),
            Value::Array(all) => all.iter().for_each(|v| numbers(v, into)),
            Value::Object(all) => all.values().for_each(|v| numbers(v, into)),
            _ => {}
        }
    }

    #[test]
    fn every_number_is_shown() {
        let mut next = 100;
        let mut n = || {
            next += 1;
            next
        };
        let memory = MemoryStats {
            accesses: n(),
            remembered: n(),
            by_value: n(),
            left_alone: n(),
            several: n(),
            candidates: n(),
            most_candidates: n(),
            forked: n(),
            merged: n(),
            segmented: n(),
            single: n(),
            split_objects: n(),
            split_accesses: n(),
            parts: n(),
            segments: n(),
            moved_objects: n(),
            largest_segment: n(),
            most_members: n(),
            symbolic_reads: std::array::from_fn(|_| n()),
            symbolic_writes: std::array::from_fn(|_| n()),
            arrays: n(),
            array_elements: n(),
            records: RecordStats {
                map_reads: n(),
                map_writes: n(),
                list_reads: n(),
                list_writes: n(),
                entries: n(),
                layers: n(),
                witnessed: n(),
                cache_hits: n(),
                cache_misses: n(),
                not_asked: n(),
                ruled_out: n(),
                list_read_seconds: n() as f64 + 0.5,
                list_write_seconds: n() as f64 + 0.25,
                query_seconds: n() as f64 + 0.125,
            },
            updates: UpdateStats {
                pages: n(),
                copies: n(),
                absorbed: n(),
                stores: n(),
                ranges: n(),
            },
            state_bytes: n(),
            owned_bytes: n(),
            shared_bytes: n(),
            owned_contents: n(),
            shared_contents: n(),
            measured_states: n(),
        };
        let stats = Stats {
            paths: n(),
            completed: n(),
            assumed_away: n(),
            explored: n() as f64 + 0.25,
            tree: Tree::default(),
            lines: Vec::new(),
            profile: None,
            followed: n(),
            foretold: n(),
            forks: n(),
            regions: n(),
            diverged: n(),
            renewals: n(),
            workers: n(),
            merged: n(),
            parted: n(),
            instructions: n(),
            covered: n(),
            queries: n(),
            solver_queries: n(),
            solver_queries_of_stages: n(),
            unanswered: n(),
            by_address: n(),
            solver_seconds: n() as f64 + 0.5,
            seconds: n() as f64 + 0.25,
            earlier_seconds: n() as f64 + 0.25,
            beside_seconds: n() as f64 + 0.25,
            peak_states: n(),
            terms: n(),
            term_bytes: n(),
            memory,
            library: Vec::new(),
            purposes: [("branch".to_owned(), n())].into(),
            stages: vec![StageStats {
                name: "z3".to_owned(),
                answered: n(),
                satisfied: n(),
                rewritten: n(),
                seconds: n() as f64 + 0.125,
            }],
        };
        let text = whole_block("harness", &stats);
        let shown: Vec<f64> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let mut all = Vec::new();
        let mut json = serde_json::to_value(&stats).expect("JSON");
        // Its size is shown, and its lines are elsewhere.
        json.as_object_mut().and_then(|stats| stats.remove("tree"));
        numbers(&json, &mut all);
        assert_eq!(all.len() as u64, next - 100);
        for number in all {
            assert!(shown.contains(&number), "{number} is missing in\n{text}");
        }
    }

    #[test]
    fn the_short_form_says_where_time_and_memory_went() {
        let stage = |name: &str, seconds| StageStats {
            name: name.to_owned(),
            seconds,
            ..StageStats::default()
        };
        let stats = Stats {
            paths: 7,
            completed: 5,
            forks: 6,
            instructions: 1234,
            covered: 89,
            term_bytes: 1 << 20,
            memory: MemoryStats {
                state_bytes: 1 << 19,
                ..MemoryStats::default()
            },
            queries: 42,
            solver_queries: 3,
            seconds: 1.5,
            solver_seconds: 1.25,
            library: vec!["qsort".to_owned()],
            stages: vec![
                stage("interval", 0.0001),
                stage("bdd", 0.25),
                stage("z3", 1.0),
            ],
            ..Stats::default()
        };
        let expected = "\
t::parses
  paths                                   7
    to the end                            5
  forks                                   6
  instructions                         1234
  blocks covered                         89
  memory of states and terms        1.5 MiB
  queries                                42
    to the solver Z3                      3
  seconds                             1.500
    in queries                        1.250
  slowest stages of the solver: z3 1.000, bdd 0.250
  from the C library in bitcode: qsort
";
        assert_eq!(short_block("t::parses", &stats), expected);
    }
}
