//! Compares one thread with several on the same programs: `sharing_bench [--threads N]
//! [--seconds N] [FILE]…`. The files are C programs with `main`; by default, those of
//! `sharing_bench/`. Both explore in turn, within a limit of time.

use cargo_symex::build::{FilesOptions, build_files};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use symex_engine::{Cores, Entry, Job, explore};
use symex_program::Program;
use symex_types::config::{Config, Merging};
use symex_types::event::Silent;
use symex_types::outcome::{Stats, Verdict};

struct Run {
    stats: Stats,
    /// Processor seconds of all threads.
    cpu: f64,
    /// Whether all paths were explored.
    is_complete: bool,
}

impl Run {
    fn rate(&self) -> f64 {
        self.stats.paths as f64 / self.stats.seconds
    }

    fn cpu_per_path(&self) -> f64 {
        self.cpu / self.stats.paths as f64
    }

    fn told(&self) -> String {
        let mark = if self.is_complete { "" } else { ">" };
        let Stats { paths, seconds, .. } = self.stats;
        format!("{mark}{paths} in {seconds:.1} s")
    }
}

fn main() {
    let mut threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut seconds = 30;
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || {
            let number = args.next().and_then(|n| n.parse().ok());
            number.unwrap_or_else(|| panic!("{arg} takes a number"))
        };
        match arg.as_str() {
            "--threads" => threads = number(),
            "--seconds" => seconds = number() as u64,
            file => files.push(PathBuf::from(file)),
        }
    }
    if files.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sharing_bench");
        let entries = folder.read_dir().expect("the folder of programs");
        let sources = entries.map(|entry| entry.expect("an entry").path());
        files = sources
            .filter(|path| path.extension().is_some_and(|e| e == "c"))
            .collect();
        files.sort();
    }
    println!(
        "Paths and wall time with 1 and {threads} threads, within {seconds} s (`>`: cut). `faster`: paths a \
         second, in relation to one thread. `cpu`: processor time a path, in the same way.\n"
    );
    println!(
        "| program | 1 thread | {threads} threads | faster | cpu | regions | not taken over |"
    );
    println!("|---|---|---|---|---|---|---|");
    let limit = Duration::from_secs(seconds);
    for file in files {
        let program = compile(&file);
        let alone = once(&program, 1, limit);
        let shared = once(&program, threads, limit);
        println!(
            "| {} | {} | {} | {:.2} | {:.2} | {} | {} |",
            file.file_stem().unwrap_or_default().to_string_lossy(),
            alone.told(),
            shared.told(),
            shared.rate() / alone.rate(),
            shared.cpu_per_path() / alone.cpu_per_path(),
            shared.stats.regions,
            shared.stats.diverged,
        );
    }
}

fn compile(file: &Path) -> Arc<Program> {
    let linked = build_files(&FilesOptions::new(vec![file.to_owned()])).expect("it compiles");
    let name = file.display().to_string();
    let program = symex_bitcode::translate_ir(&linked.bitcode, &name);
    Arc::new(program.expect("it is bitcode"))
}

fn once(program: &Arc<Program>, threads: usize, limit: Duration) -> Run {
    let mut config = Config {
        merging: Merging::Off,
        ..Config::default()
    };
    config.limits.timeout = Some(limit);
    config.limits.after_bug = None;
    let main = Entry::Main(program.function_names["main"], vec!["bench".to_owned()]);
    let mut job = Job::new(program.clone(), main, config);
    job.cores = Arc::new(Cores::new(threads, threads - 1));
    let before = cpu();
    let outcome = explore(&job, &mut Silent);
    Run {
        cpu: cpu() - before,
        is_complete: outcome.verdict == Verdict::PassComplete,
        stats: outcome.stats,
    }
}

/// Processor seconds of this process, by the system's clock ticks of 10 milliseconds.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = text.rsplit(") ").next().expect("a name in parentheses");
    let ticks = after_name.split(' ').skip(11).take(2);
    let ticks = ticks.map(|word| word.parse::<u64>().expect("a number"));
    ticks.sum::<u64>() as f64 / 100.0
}
