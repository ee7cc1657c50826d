//! What each stage of the solver is worth: records the queries of real runs, and asks them of the
//! whole chain, of chains without one of its stages, and of Z3 alone. Work is what Z3 and the
//! stages that search count (`SolverStats::work`).
//!
//! `cargo run --release -p cargo-symex --example solver_bench` records what the test programs and
//! the examples ask; given C files, folders of them, crates, or logs that `--query-log` wrote, it
//! takes these instead. All chains are asked each log in turn, so that what else runs on the
//! machine slows them alike.

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use symex_solver::log_replay::{LogReplay, Replayed};
use symex_solver::{Chain, SolverStats};
use symex_types::config::SolverConfig;

/// Compares chains of solver stages on recorded queries.
#[derive(Parser)]
struct Arguments {
    /// C files, folders of C files, crates, and logs of queries (*.queries)
    paths: Vec<PathBuf>,
    /// Longest time of one exploration that is recorded
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Longest time of one query of a replay
    #[arg(long, default_value_t = 1.0)]
    query_seconds: f64,
    /// A fifth of both times
    #[arg(long)]
    quick: bool,
}

/// One way to answer, and what came of it.
struct Column {
    name: String,
    replay: LogReplay,
    stats: SolverStats,
    contradictions: usize,
}

impl Column {
    fn new(name: &str, without: &[&str], bare: bool, limit: Duration) -> Column {
        Column {
            name: name.to_owned(),
            replay: LogReplay {
                config: SolverConfig {
                    without_stages: without.iter().map(|name| name.to_string()).collect(),
                    ..SolverConfig::default()
                },
                bare,
                limit: Some(limit),
                ..LogReplay::default()
            },
            stats: SolverStats::default(),
            contradictions: 0,
        }
    }

    fn take(&mut self, done: &Replayed) {
        self.stats.add(&done.stats);
        self.contradictions += done.contradictions.len();
    }
}

fn main() -> ExitCode {
    // It records by running the tool, which is this very program, too; so it also plays the parts
    // that a build gives to the tool.
    if let Some(exit) = cargo_symex::build::stand_in::dispatch(std::env::args_os()) {
        return exit;
    }
    if std::env::args().nth(1).is_some_and(|word| word == "symex") {
        return cargo_symex::cli::main();
    }
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir().expect("a folder");
    let logs = match logs(&arguments, folder.path()) {
        Ok(logs) => logs,
        Err(reason) => {
            eprintln!("error: {reason}");
            return ExitCode::from(2);
        }
    };
    let share = if arguments.quick { 0.2 } else { 1.0 };
    let limit = Duration::from_secs_f64(arguments.query_seconds * share);
    let mut columns = vec![Column::new("all stages", &[], false, limit)];
    for name in Chain::stage_names() {
        let column = Column::new(&format!("without {name}"), &[name], false, limit);
        columns.push(column);
    }
    columns.push(Column::new("Z3 alone", &[], true, limit));
    for (at, log) in logs.iter().enumerate() {
        let text = match std::fs::read_to_string(log) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("error: failed to read {}: {error}", log.display());
                return ExitCode::from(2);
            }
        };
        // Another one begins each time, since the first one pays for whatever is cold.
        let count = columns.len();
        for turn in 0..count {
            let column = &mut columns[(at + turn) % count];
            match column.replay.run(&text) {
                Ok(done) => column.take(&done),
                Err(error) => {
                    eprintln!("error: {}: {error}", log.display());
                    return ExitCode::from(2);
                }
            }
        }
    }
    print(&columns, logs.len());
    ExitCode::from(columns.iter().any(|column| column.contradictions > 0) as u8)
}

/// The logs that there are, and those of what is to be run first.
fn logs(arguments: &Arguments, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let tool = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = if arguments.paths.is_empty() {
        let mut paths = vec![
            tool.join("../tests/programs/c"),
            tool.join("../tests/programs/rust"),
        ];
        paths.extend(entries(&tool.join("../examples"))?);
        paths
    } else {
        arguments.paths.clone()
    };
    let mut logs = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let into = folder.join(at.to_string());
        if has_ending(path, "queries") {
            logs.push(path.clone());
        } else if has_ending(path, "c") {
            record_c(arguments, path, &into)?;
        } else if path.join("Cargo.toml").is_file() {
            record_crate(arguments, path, &into)?;
        } else if path.is_dir() {
            for entry in entries(path)? {
                if has_ending(&entry, "queries") {
                    logs.push(entry);
                } else if has_ending(&entry, "c") {
                    let name = entry.file_stem().unwrap_or_default();
                    record_c(arguments, &entry, &into.join(name))?;
                }
            }
        } else {
            return Err(format!("nothing to run at {}", path.display()));
        }
        collect(&into, &mut logs)?;
    }
    Ok(logs)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e == ending)
}

/// What a folder holds, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |error| format!("failed to read {}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        found.push(entry.map_err(failed)?.path());
    }
    found.sort();
    Ok(found)
}

/// All logs below a folder, which need not exist.
fn collect(folder: &Path, logs: &mut Vec<PathBuf>) -> Result<(), String> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in entries(folder)? {
        if entry.is_dir() {
            collect(&entry, logs)?;
        } else if has_ending(&entry, "queries") {
            logs.push(entry);
        }
    }
    Ok(())
}

/// The tool with what every recording has in common.
fn tool(arguments: &Arguments, words: &[&str], into: &Path) -> Command {
    let share = if arguments.quick { 5 } else { 1 };
    let seconds = (arguments.seconds / share).max(1);
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .arg("symex")
        .args(words)
        .args(["--timeout", &format!("{seconds}s"), "--query-log"])
        .arg(into)
        .stdout(std::process::Stdio::null());
    command
}

fn record_c(arguments: &Arguments, file: &Path, into: &Path) -> Result<(), String> {
    let mut command = tool(arguments, &["bitcode", "--replay=off", "--no-write"], into);
    command.arg(file).stderr(std::process::Stdio::null());
    run(command, file)
}

fn record_crate(arguments: &Arguments, folder: &Path, into: &Path) -> Result<(), String> {
    let words = ["--replay=off", "--no-write"];
    let mut command = tool(arguments, &words, into);
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/solver_bench");
    command
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .stderr(std::process::Stdio::null());
    run(command, folder)
}

fn run(mut command: Command, what: &Path) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("failed to run {}: {error}", what.display()))?;
    // Findings and what cannot be judged are as good to record as a pass; what was not run is not.
    match status.code() {
        Some(0 | 1 | 3 | 4 | 6) => Ok(()),
        _ => Err(format!("failed to run {}: {status}", what.display())),
    }
}

fn print(columns: &[Column], logs: usize) {
    let full = &columns[0].stats;
    let total = full.total();
    let percent = |count: u64| count as f64 * 100.0 / total.max(1) as f64;
    println!(
        "{total} queries of {logs} runs. Times are seconds in the chain; a ratio is to the whole chain's.\n"
    );
    println!("| chain | reach Z3 | | work | unanswered | time | ratio | in Z3 | contradictions |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for column in columns {
        let stats = &column.stats;
        let reached = stats.reached_solver();
        let seconds = stats.time.as_secs_f64();
        println!(
            "| {} | {reached} | {:.1} % | {} | {} | {seconds:.2} | {:.2} | {:.2} | {} |",
            column.name,
            percent(reached),
            stats.work(),
            stats.unknown,
            seconds / full.time.as_secs_f64().max(1e-9),
            stats.back_end.time.as_secs_f64(),
            column.contradictions
        );
    }
    println!("\n| stage of the whole chain | answered | | rewritten | time |");
    println!("|---|---|---|---|---|");
    for stage in &full.stages {
        println!(
            "| {} | {} | {:.1} % | {} | {:.2} |",
            stage.name,
            stage.answered,
            percent(stage.answered),
            stage.rewritten,
            stage.time.as_secs_f64()
        );
    }
    println!("\n| purpose | queries | reach Z3 |");
    println!("|---|---|---|");
    for (purpose, count) in &full.queries {
        let reached = full.reached.get(purpose).copied().unwrap_or(0);
        println!("| {} | {count} | {reached} |", purpose.word());
    }
}
