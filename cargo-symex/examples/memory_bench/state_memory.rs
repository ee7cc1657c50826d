//! Memory of states with and without layers, breadth first, as [FGM] figures 8 to 10 have it: what a state takes where
//! large buffers are modified a little, and what layers cost where they do not help.

use super::{compile, cpu, explore_with};
use cargo_symex::config::{Config, SearchKind};
use cargo_symex::outcome::{Outcome, Verdict};
use cargo_symex::program::Program;
use std::sync::Arc;
use std::time::Duration;

/// One exploration: processor time and what came of it.
fn run(program: &Arc<Program>, whole: bool, seconds: u64) -> (Duration, Outcome) {
    let mut config = Config {
        search: SearchKind::Bfs,
        ..Config::default()
    };
    config.memory.copy_whole_objects = whole;
    let before = cpu();
    let outcome = explore_with(program, config, seconds);
    (cpu() - before, outcome)
}

/// Bytes that a state takes when most is taken, shared parts spread over all.
fn each(outcome: &Outcome) -> f64 {
    let memory = &outcome.stats.memory;
    memory.state_bytes as f64 / memory.measured_states.max(1) as f64
}

/// Prints the two tables.
pub fn print(seconds: u64) {
    println!("\n### state memory: buffers that are modified a little, breadth first\n");
    println!(
        "| buffers | size | bytes changed | states | KiB a state: whole | layers | ratio | seconds: whole | layers |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (buffers, size, writes) in [
        (1, 4096, 1),
        (4, 16_384, 1),
        (4, 16_384, 64),
        (4, 65_536, 1),
        (16, 65_536, 16),
        (4, 262_144, 1),
        (4, 262_144, 64),
    ] {
        let parameters = vec![
            ("BUFFERS", buffers),
            ("SIZE", size),
            ("FORKS", 8),
            ("WRITES", writes),
        ];
        let program = compile(&("buffers", parameters));
        let (whole_time, whole) = run(&program, true, seconds);
        let (layer_time, layers) = run(&program, false, seconds);
        assert_eq!(whole.stats.paths, layers.stats.paths, "the same paths");
        let (a, b) = (each(&whole), each(&layers));
        println!(
            "| {buffers} | {size} | {writes} | {} | {:.1} | {:.1} | {:.1} | {:.3} | {:.3} |",
            layers.stats.memory.measured_states,
            a / 1024.0,
            b / 1024.0,
            a / b,
            whole_time.as_secs_f64(),
            layer_time.as_secs_f64(),
        );
    }
    println!("\n### state memory: what layers cost where they do not help\n");
    println!("| program | paths | seconds: whole | layers | ratio |");
    println!("|---|---|---|---|---|");
    for row in [
        ("matrix", vec![("N", 10), ("LOOKUPS", 4), ("EXTRA", 0)]),
        (
            "tables",
            vec![("TABLES", 3), ("BUCKETS", 50), ("KEYS", 5), ("LOOKUPS", 2)],
        ),
        ("small", vec![("FORKS", 14), ("ROUNDS", 200)]),
    ] {
        let program = compile(&row);
        // The best of several runs: what else runs on the machine only adds.
        let mut best = [f64::MAX; 2];
        let mut paths = 0;
        for _ in 0..5 {
            for (whole, best) in [true, false].into_iter().zip(&mut best) {
                let (time, outcome) = run(&program, whole, seconds);
                assert!(matches!(outcome.verdict, Verdict::PassComplete));
                paths = outcome.stats.paths;
                *best = best.min(time.as_secs_f64());
            }
        }
        let [whole, layers] = best;
        println!(
            "| {} | {paths} | {whole:.3} | {layers:.3} | {:.2} |",
            row.0,
            layers / whole
        );
    }
}
