//! The tables of [SOP 5] for programs of our own: the model `planes` with all writes as records, and as it is.

use super::{compile, measure};
use cargo_symex::config::{MemoryConfig, MemoryModelKind, PlanesKind};
use cargo_symex::outcome::Stats;
use cargo_symex::outcome::stats::PlaneStats;

/// Names of the programs in `loops.c`.
const PROGRAMS: [&str; 7] = ["counts", "swaps", "set", "bytes", "fills", "links", "known"];

/// Explores each program for so many seconds, in each way, and prints what came of it.
pub fn print(seconds: u64) {
    let mut all = [Stats::default(), Stats::default()];
    let mut rows = Vec::new();
    for (number, name) in PROGRAMS.iter().enumerate() {
        let program = compile(&("loops", vec![("PROGRAM", number as u32)]));
        let mut run = |which: usize, planes| {
            let memory = MemoryConfig {
                model: MemoryModelKind::Planes,
                planes,
                ..MemoryConfig::default()
            };
            let stats = measure(&program, &memory, seconds).1.stats;
            all[which].add(&stats);
            stats
        };
        let naive = run(0, PlanesKind::Naive);
        let boosted = run(1, PlanesKind::Boosted);
        rows.push((*name, naive, boosted));
    }
    let [naive, boosted] = all;
    rows.push(("all", naive, boosted));

    println!("\n### loops: done in {seconds} s, instructions (paths) [SOP, table 1]\n");
    println!("| program | naive | boosted | times |\n|---|---|---|---|");
    for (name, naive, boosted) in &rows {
        let done = |stats: &Stats| format!("{} ({})", stats.instructions, stats.paths);
        let times = boosted.instructions as f64 / naive.instructions.max(1) as f64;
        println!(
            "| {name} | {} | {} | {times:.1} |",
            done(naive),
            done(boosted)
        );
    }

    println!("\n### loops: who served the operations, boosted [SOP, table 2]\n");
    println!("| program | operation | map | list | list, s | entries | layers |");
    println!("|---|---|---|---|---|---|---|");
    for (name, _, boosted) in &rows {
        let p = &boosted.memory.planes;
        let share = |map: u64, list: u64| {
            let part = |n: u64| 100.0 * n as f64 / (map + list).max(1) as f64;
            format!("{map} ({:.2} %) | {list} ({:.2} %)", part(map), part(list))
        };
        let (reads, writes) = (
            share(p.map_reads, p.list_reads),
            share(p.map_writes, p.list_writes),
        );
        let (read, write) = (p.list_read_seconds, p.list_write_seconds);
        let (entries, layers) = (p.entries, p.layers);
        println!("| {name} | write | {writes} | {write:.3} | {entries} | {layers} |");
        println!("| | read | {reads} | {read:.3} | | |");
    }

    println!("\n### loops: collision formulae, boosted [SOP, table 3]\n");
    println!(
        "| program | seen at once | hits | misses | hits of both | misses, s | ruled out | not asked |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, _, boosted) in &rows {
        let PlaneStats {
            witnessed,
            cache_hits,
            cache_misses,
            ruled_out,
            not_asked,
            query_seconds,
            ..
        } = &boosted.memory.planes;
        let part = 100.0 * *cache_hits as f64 / (cache_hits + cache_misses).max(1) as f64;
        println!(
            "| {name} | {witnessed} | {cache_hits} | {cache_misses} | {part:.1} % | {query_seconds:.3} | {ruled_out} | {not_asked} |"
        );
    }
}
