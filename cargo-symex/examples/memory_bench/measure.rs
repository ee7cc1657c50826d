//! Programs with parameters, and what an exploration of one takes.

use cargo_symex::build::{FilesOptions, build_files};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use symex_engine::{Entry, Job, explore};
use symex_program::Program;
use symex_types::config::{Config, MemoryModelKind};
use symex_types::event::Silent;
use symex_types::outcome::{Bound, Outcome, Verdict};

/// A program of this folder and the values of its parameters, or one from elsewhere.
#[derive(Clone)]
pub struct Source {
    file: PathBuf,
    pub parameters: Vec<(&'static str, u32)>,
}

impl Source {
    pub fn new(name: &'static str, parameters: &[(&'static str, u32)]) -> Source {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/memory_bench");
        Source {
            file: folder.join(format!("{name}.c")),
            parameters: parameters.to_vec(),
        }
    }

    /// A program from elsewhere.
    pub fn file(file: &Path) -> Source {
        Source {
            file: file.to_owned(),
            parameters: Vec::new(),
        }
    }

    /// What the file is called, without its ending.
    pub fn name(&self) -> String {
        let stem = self.file.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    pub fn compile(&self) -> Arc<Program> {
        let define = |(name, value): &(&str, u32)| format!("-D{name}={value}");
        let linked = build_files(&FilesOptions {
            compiler_arguments: self.parameters.iter().map(define).collect(),
            ..FilesOptions::new(vec![self.file.clone()])
        })
        .expect("it compiles");
        let program = symex_bitcode::translate_ir(&linked.bitcode, &self.name());
        Arc::new(program.expect("it is bitcode"))
    }
}

/// An exploration that has been made.
pub struct Run {
    /// Processor time.
    pub time: Duration,
    pub outcome: Outcome,
    /// `>`: cut by its limit. `?`: not complete for another reason, an unanswered query most often.
    /// Else nothing.
    pub mark: &'static str,
}

impl Run {
    pub fn seconds(&self) -> f64 {
        self.time.as_secs_f64()
    }

    /// The time, with its mark.
    pub fn told(&self) -> String {
        format!("{}{}", self.mark, seconds(self.seconds()))
    }
}

/// Seconds as people read them.
pub fn seconds(n: f64) -> String {
    match n {
        1.0.. => format!("{n:.2} s"),
        0.01.. => format!("{:.0} ms", n * 1e3),
        _ => format!("{:.2} ms", n * 1e3),
    }
}

/// Times that a short exploration is repeated at most,
const ROUNDS: usize = 5;

/// until it took this share of the limit.
const SHARE: u32 = 4;

/// Explores a program under several settings, each within a limit of wall-clock time. Short
/// explorations are repeated, all in turn, so that what else runs on the machine slows each of them
/// alike; the best time counts.
pub fn measure(program: &Arc<Program>, configs: &[&Config], limit: Duration) -> Vec<Run> {
    let first = configs.iter().map(|config| once(program, config, limit));
    let mut runs: Vec<Run> = first.collect();
    let mut spent: Vec<Duration> = runs.iter().map(|run| run.time).collect();
    for _ in 1..ROUNDS {
        for ((config, run), spent) in configs.iter().zip(&mut runs).zip(&mut spent) {
            if *spent * SHARE < limit {
                let time = once(program, config, limit).time;
                run.time = run.time.min(time);
                *spent += time;
            }
        }
    }
    runs
}

/// Explores a program one time.
pub fn once(program: &Arc<Program>, config: &Config, limit: Duration) -> Run {
    let mut config = config.clone();
    config.limits.timeout = Some(limit);
    config.limits.max_steps = None;
    let complete_model = config.memory.model.is_complete();
    let is_assumption = |bound: &Bound| matches!(bound, Bound::Assumed(_));
    let main = Entry::Main(program.function_names["main"], vec!["bench".to_owned()]);
    let job = Job::new(program.clone(), main, config);
    let before = cpu();
    let outcome = explore(&job, &mut Silent);
    let time = cpu() - before;
    let mark = match &outcome.verdict {
        Verdict::PassComplete => "",
        Verdict::PassBounded { .. } if !complete_model => "",
        Verdict::PassBounded { bounds }
            if bounds.iter().all(|bound| is_assumption(&bound.what)) =>
        {
            ""
        }
        Verdict::PassBounded { .. } => ">",
        _ => "?",
    };
    Run {
        time,
        outcome,
        mark,
    }
}

/// Processor time of this thread; the exploration and its solver run in it.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("a number"))
}

/// The name of a model on the command line.
pub fn name(model: MemoryModelKind) -> String {
    let name = serde_json::to_value(model).expect("a name");
    name.as_str().expect("a name").to_owned()
}
