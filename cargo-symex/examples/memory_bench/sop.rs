//! [SOP, tables 1 to 3] for loops of our own: the model `planes` with all writes as records, and as
//! it is.

use crate::Asked;
use crate::measure::{Source, once};
use crate::table::{Caption, Table};
use symex_types::config::{Config, MemoryConfig, MemoryModelKind, PlanesKind};
use symex_types::outcome::Stats;
use symex_types::outcome::stats::RecordStats;

/// Names of the programs in `loops.c`.
const PROGRAMS: [&str; 7] = ["counts", "swaps", "set", "bytes", "fills", "links", "known"];

/// What came of each program in each way within the limit of time, and of all together.
fn run<const N: usize>(ways: [PlanesKind; N], asked: &Asked) -> Vec<(&'static str, [Stats; N])> {
    let mut all: [Stats; N] = std::array::from_fn(|_| Stats::default());
    let mut rows = Vec::new();
    for (number, name) in PROGRAMS.iter().enumerate() {
        let program = Source::new("loops", &[("PROGRAM", number as u32)]).compile();
        let stats = ways.map(|planes| {
            let memory = MemoryConfig {
                model: MemoryModelKind::Planes,
                planes,
                ..MemoryConfig::default()
            };
            let config = Config {
                memory,
                ..Config::default()
            };
            once(&program, &config, asked.limit).outcome.stats
        });
        for (sum, stats) in all.iter_mut().zip(&stats) {
            sum.add(stats);
        }
        rows.push((*name, stats));
    }
    rows.push(("all", all));
    rows
}

fn caption(title: &str, varies: &str, paper: &'static str, asked: &Asked) {
    let caption = Caption {
        title: title.to_owned(),
        varies: format!(
            "Varies: programs, which end when {} s are over. {varies}",
            asked.limit.as_secs_f64()
        ),
        paper,
    };
    caption.print();
}

/// Work done.
pub fn table_1(asked: &Asked) {
    caption(
        "[SOP, table 1]: work done, naive and boosted planes",
        "A cell: instructions, forks.",
        "16 to 19 times as many nodes.",
        asked,
    );
    let table = Table::begin(&["program", "naive", "boosted", "boosted / naive"]);
    for (name, [naive, boosted]) in run([PlanesKind::Naive, PlanesKind::Boosted], asked) {
        let done = |stats: &Stats| format!("{}, {}", stats.instructions, stats.forks);
        let times = boosted.instructions as f64 / naive.instructions.max(1) as f64;
        table.row(&[
            name.to_owned(),
            done(&naive),
            done(&boosted),
            format!("{times:.1}"),
        ]);
    }
}

/// Operations by what served them.
pub fn table_2(asked: &Asked) {
    caption(
        "[SOP, table 2]: operations served by maps, and by lists of records",
        "A cell: operations and their share.",
        "maps serve 99.65 % of operations.",
        asked,
    );
    let table = Table::begin(&[
        "program",
        "operation",
        "map",
        "list",
        "list, s",
        "entries",
        "layers",
    ]);
    for (name, [stats]) in run([PlanesKind::Boosted], asked) {
        let counts = &stats.memory.records;
        let row = |operation: &str, map: u64, list: u64, seconds: f64, rest: [String; 2]| {
            let share = |n: u64| 100.0 * n as f64 / (map + list).max(1) as f64;
            let [entries, layers] = rest;
            table.row(&[
                name.to_owned(),
                operation.to_owned(),
                format!("{map} ({:.2} %)", share(map)),
                format!("{list} ({:.2} %)", share(list)),
                format!("{seconds:.3}"),
                entries,
                layers,
            ]);
        };
        let rest = [counts.entries.to_string(), counts.layers.to_string()];
        let RecordStats {
            map_reads,
            map_writes,
            list_reads,
            list_writes,
            list_read_seconds,
            list_write_seconds,
            ..
        } = *counts;
        row("write", map_writes, list_writes, list_write_seconds, rest);
        let rest = [String::new(), String::new()];
        row("read", map_reads, list_reads, list_read_seconds, rest);
    }
}

/// What the cache saved.
pub fn table_3(asked: &Asked) {
    caption(
        "[SOP, table 3]: collision formulae, by who answered",
        "A row: seen at once with the path's own inputs; hits and misses of the cache, and the share of hits; records ruled out; not asked.",
        "the cache answers 84 %.",
        asked,
    );
    let table = Table::begin(&[
        "program",
        "seen at once",
        "hits",
        "misses",
        "hits of both",
        "misses, s",
        "ruled out",
        "not asked",
    ]);
    for (name, [stats]) in run([PlanesKind::Boosted], asked) {
        let counts = &stats.memory.records;
        let both = counts.cache_hits + counts.cache_misses;
        table.row(&[
            name.to_owned(),
            counts.witnessed.to_string(),
            counts.cache_hits.to_string(),
            counts.cache_misses.to_string(),
            format!(
                "{:.1} %",
                100.0 * counts.cache_hits as f64 / both.max(1) as f64
            ),
            format!("{:.3}", counts.query_seconds),
            counts.ruled_out.to_string(),
            counts.not_asked.to_string(),
        ]);
    }
}
