//! Compares the memory models: one table a question, all models in one run.
//!
//! `cargo run --release -p cargo-symex --example memory_bench -- [QUESTION..] [MODEL..] [SECONDS]` asks all models, or those
//! named, and answers all questions, or those named: `matrix`, `tables`, `lookup`, `objects`, `split`, `state-memory`; and, only if named,
//! `sweep` and `parts`, from which the rules of the model `adaptive` and of parts of size `auto` come, and `planes`, which
//! has the tables of [SOP 5] for a few loops. The programs are `memory_bench/*.c`; each says what its
//! parameters are. A cell is seconds of processor time, paths, queries; an exploration longer than SECONDS (20) is cut,
//! and marked by `>`; a model that was cut is not asked the larger sizes. Nothing here is a test: the models' agreement is tested in `tests/memory_models.rs`.

#[path = "memory_bench/planes.rs"]
mod planes;
#[path = "memory_bench/state_memory.rs"]
mod state_memory;

use cargo_symex::build::{FilesOptions, build_files};
use cargo_symex::config::{Config, MemoryConfig, MemoryModelKind, PartSize};
use cargo_symex::engine::{Entry, Job, explore};
use cargo_symex::event::Silent;
use cargo_symex::outcome::{Outcome, Verdict};
use cargo_symex::program::Program;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A program and the values of its parameters.
type Row = (&'static str, Vec<(&'static str, u32)>);

/// A table: its title, and what is measured.
struct Question {
    title: String,
    /// Each row is harder than the one before.
    grows: bool,
    rows: Vec<Row>,
    columns: Vec<Column>,
}

/// A setting of the memory, and its name.
type Column = (String, MemoryConfig);

/// A column for each model.
fn models() -> Vec<Column> {
    let column = |model: &MemoryModelKind| {
        let config = MemoryConfig {
            model: *model,
            ..MemoryConfig::default()
        };
        (name(*model), config)
    };
    MemoryModelKind::ALL.iter().map(column).collect()
}

fn matrix() -> Vec<Question> {
    let row = |n, lookups, extra| {
        (
            "matrix",
            vec![("N", n), ("LOOKUPS", lookups), ("EXTRA", extra)],
        )
    };
    let of = |title: &str, sizes: &[u32], lookups, extra| Question {
        title: title.to_owned(),
        grows: true,
        rows: sizes.iter().map(|n| row(*n, lookups, extra)).collect(),
        columns: models(),
    };
    vec![
        of("one look-up in a matrix", &[10, 20, 40, 80, 160], 1, 0),
        of("two look-ups", &[5, 10, 20, 40, 80], 2, 0),
        of("three look-ups", &[5, 10, 20], 3, 0),
        of(
            "two look-ups, and 30 KB that none reaches",
            &[10, 40],
            2,
            30_000,
        ),
    ]
}

fn tables() -> Vec<Question> {
    let row = |tables, buckets, lookups| {
        (
            "tables",
            vec![
                ("TABLES", tables),
                ("BUCKETS", buckets),
                ("KEYS", 5),
                ("LOOKUPS", lookups),
            ],
        )
    };
    let buckets = [50, 100, 300, 500];
    vec![
        Question {
            title: "one look-up in three hash tables".to_owned(),
            grows: true,
            rows: buckets.map(|b| row(3, b, 1)).to_vec(),
            columns: models(),
        },
        Question {
            title: "one look-up in more and more of them".to_owned(),
            grows: true,
            rows: [1, 3, 10].map(|t| row(t, 300, 1)).to_vec(),
            columns: models(),
        },
        Question {
            title: "two look-ups".to_owned(),
            grows: true,
            rows: [50, 300].map(|b| row(3, b, 2)).to_vec(),
            columns: models(),
        },
    ]
}

fn lookup() -> Vec<Question> {
    let row = |size, known, writes| {
        (
            "lookup",
            vec![
                ("SIZE", size),
                ("KNOWN", known),
                ("WRITES", writes),
                ("LOOKUPS", 1),
                ("ELEMENT", 1),
                ("WITHIN", 0),
            ],
        )
    };
    let of = |title: &str, known, writes| Question {
        title: title.to_owned(),
        grows: true,
        rows: [256, 1024, 4096, 16_384, 65_536, 524_288]
            .map(|size| row(size, known, writes))
            .to_vec(),
        columns: models(),
    };
    vec![
        of("a table of constants", 1, 0),
        of("constants, after a write", 1, 1),
        of("partly inputs", 0, 0),
        of("partly inputs, after a write", 0, 1),
    ]
}

fn objects() -> Vec<Question> {
    let of = |title: &str, known, write, inside, again, branch| {
        let row = |(objects, size, accesses)| {
            (
                "objects",
                vec![
                    ("OBJECTS", objects),
                    ("SIZE", size),
                    ("ACCESSES", accesses),
                    ("KNOWN", known),
                    ("WRITE", write),
                    ("INSIDE", inside),
                    ("AGAIN", again),
                    ("BRANCH", branch),
                ],
            )
        };
        let sizes = [
            (4, 16, 1),
            (32, 16, 1),
            (256, 16, 1),
            (1024, 16, 1),
            (32, 1024, 1),
            (4, 16, 3),
            (16, 16, 3),
            (4, 16, 8),
        ];
        Question {
            title: title.to_owned(),
            grows: false,
            rows: sizes.map(row).to_vec(),
            columns: models(),
        }
    };
    vec![
        of("reads of constants", 1, 0, 0, 0, 0),
        of("reads of constants, one pointer", 1, 0, 0, 1, 0),
        of("reads of constants, each with a branch", 1, 0, 0, 0, 1),
        of("reads of constants at a symbolic offset", 1, 0, 1, 0, 0),
        of("reads of inputs", 0, 0, 0, 0, 0),
        of("reads of inputs at a symbolic offset", 0, 0, 1, 0, 0),
        of("writes", 1, 1, 0, 0, 0),
        of("writes, one pointer", 1, 1, 0, 1, 0),
        of("writes at a symbolic offset", 1, 1, 1, 0, 0),
        of("writes, each read back elsewhere", 1, 2, 0, 0, 0),
        of("the same at symbolic offsets", 1, 2, 1, 0, 0),
    ]
}

/// Everything that the model `adaptive` may look at, varied: a table for each kind of access, by size of the objects and
/// number of accesses; a row for each number of candidates.
fn sweep() -> Vec<Question> {
    let mut questions = Vec::new();
    for (what, write) in [("reads", 0), ("writes", 1), ("writes and reads", 2)] {
        for (offset, inside) in [("known", 0), ("symbolic", 1)] {
            for (contents, known) in [("constants", 1), ("inputs", 0)] {
                for (size, accesses) in [
                    (8, 1),
                    (8, 4),
                    (8, 16),
                    (64, 4),
                    (256, 1),
                    (256, 4),
                    (4096, 1),
                    (4096, 4),
                ] {
                    let row = |objects| {
                        let parameters = vec![
                            ("OBJECTS", objects),
                            ("SIZE", size),
                            ("ACCESSES", accesses),
                            ("KNOWN", known),
                            ("WRITE", write),
                            ("INSIDE", inside),
                            ("AGAIN", 0),
                            ("BRANCH", 0),
                        ];
                        ("objects", parameters)
                    };
                    let title = format!(
                        "{what} at a {offset} offset, {contents}, size {size}, accesses {accesses}"
                    );
                    questions.push(Question {
                        title,
                        grows: true,
                        // To fill more bytes takes longer than what is to be measured.
                        rows: [2, 8, 32, 128, 512, 2048]
                            .into_iter()
                            .filter(|objects| objects * size <= 1 << 17)
                            .map(row)
                            .collect(),
                        columns: models(),
                    });
                }
            }
        }
    }
    questions
}

/// A model with objects as they are, in parts of several sizes, and in parts of the size that it finds best.
fn in_parts(model: MemoryModelKind, sizes: &[u64]) -> Vec<Column> {
    let of = |bytes: &u64| (bytes.to_string(), Some(PartSize::Bytes(*bytes)));
    let off = [("off".to_owned(), None)];
    let auto = [("auto".to_owned(), Some(PartSize::Auto))];
    let parts = off.into_iter().chain(sizes.iter().map(of)).chain(auto);
    let column = |(name, split_objects)| {
        let config = MemoryConfig {
            model,
            split_objects,
            split_threshold: 0,
            ..MemoryConfig::default()
        };
        (name, config)
    };
    parts.map(column).collect()
}

/// Everything that parts of size `auto` may look at, varied: a table for each kind of access, a row for each size of
/// elements and number of them that the access may reach.
fn parts() -> Vec<Question> {
    let mut questions = Vec::new();
    for model in [MemoryModelKind::Forking, MemoryModelKind::Dynamic] {
        for (title, known, writes, lookups) in [
            ("one read", 1, 0, 1),
            ("three reads", 1, 0, 3),
            ("a write and a read", 1, 1, 1),
            ("a read of inputs", 0, 0, 1),
        ] {
            let mut rows = Vec::new();
            for (element, size) in [(1, 16_384), (8, 65_536)] {
                for within in [50, 500, 2000] {
                    let parameters = vec![
                        ("SIZE", size),
                        ("KNOWN", known),
                        ("WRITES", writes),
                        ("LOOKUPS", lookups),
                        ("ELEMENT", element),
                        ("WITHIN", within),
                    ];
                    rows.push(("lookup", parameters));
                }
            }
            questions.push(Question {
                title: format!("{}, {title}", name(model)),
                grows: false,
                rows,
                columns: in_parts(model, &[8192, 4096, 2048, 1024, 512, 256, 128, 64, 32]),
            });
        }
    }
    questions
}

/// [RAM] table 7: one large table in parts of several sizes, with a path per part and without.
fn split() -> Vec<Question> {
    let row = |size, known, writes, lookups, within| {
        (
            "lookup",
            vec![
                ("SIZE", size),
                ("KNOWN", known),
                ("WRITES", writes),
                ("LOOKUPS", lookups),
                ("ELEMENT", 1),
                ("WITHIN", within),
            ],
        )
    };
    let mut questions = Vec::new();
    for model in [MemoryModelKind::Forking, MemoryModelKind::Dynamic] {
        let columns = in_parts(model, &[512, 256, 128, 64, 32]);
        for (title, known, writes, lookups, within) in [
            ("constants", 1, 0, 1, 0),
            ("constants, within 500 bytes", 1, 0, 1, 500),
            ("three look-ups within 500 bytes", 1, 0, 3, 500),
            ("after a write, within 500 bytes", 1, 1, 1, 500),
            ("partly inputs", 0, 0, 1, 0),
            ("partly inputs, within 500 bytes", 0, 0, 1, 500),
            ("the same after a write", 0, 1, 1, 500),
        ] {
            questions.push(Question {
                title: format!("{}, {title}", name(model)),
                grows: true,
                rows: [256, 1024, 4096, 16_384, 65_536, 524_288]
                    .map(|size| row(size, known, writes, lookups, within))
                    .to_vec(),
                columns: columns.clone(),
            });
        }
    }
    questions
}

fn compile((name, parameters): &Row) -> Arc<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/memory_bench");
    let source = folder.join(format!("{name}.c"));
    let define = |(name, value): &(&str, u32)| format!("-D{name}={value}");
    let linked = build_files(&FilesOptions {
        compiler_arguments: parameters.iter().map(define).collect(),
        ..FilesOptions::new(vec![source])
    })
    .expect("it compiles");
    Arc::new(cargo_symex::bitcode::translate_ir(&linked.bitcode, name).expect("it is bitcode"))
}

/// Processor time of this thread; the exploration and its solver run in it.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("a number"))
}

fn measure(program: &Arc<Program>, memory: &MemoryConfig, seconds: u64) -> (Duration, Outcome) {
    let config = Config {
        memory: memory.clone(),
        ..Config::default()
    };
    let before = cpu();
    let outcome = explore_with(program, config, seconds);
    (cpu() - before, outcome)
}

fn explore_with(program: &Arc<Program>, mut config: Config, seconds: u64) -> Outcome {
    config.limits.timeout = Some(Duration::from_secs(seconds));
    config.limits.max_steps = None;
    let job = Job {
        program: program.clone(),
        entry: Entry::Main(program.function_names["main"], vec!["bench".to_owned()]),
        config,
        should_panic: None,
        stop: Arc::new(AtomicBool::new(false)),
    };
    explore(&job, &mut Silent)
}

fn name(model: MemoryModelKind) -> String {
    let name = serde_json::to_value(model).expect("a name");
    name.as_str().expect("a name").to_owned()
}

fn print(question: &Question, only: &[String], seconds: u64) {
    println!("\n### {}: {}\n", question.rows[0].0, question.title);
    let asked = |(name, _): &&(String, MemoryConfig)| only.is_empty() || only.contains(name);
    let columns: Vec<_> = question.columns.iter().filter(asked).collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    println!("| | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(columns.len()));
    let mut cut = vec![false; columns.len()];
    for row in &question.rows {
        let program = compile(row);
        let varies = |parameter: &&(&str, u32)| {
            let values = question.rows.iter().map(|(_, p)| p);
            values
                .flatten()
                .any(|p| p.0 == parameter.0 && p.1 != parameter.1)
        };
        let label: Vec<String> = row
            .1
            .iter()
            .filter(varies)
            .map(|(name, value)| format!("{} {value}", name.to_lowercase()))
            .collect();
        let cells: Vec<String> = columns
            .iter()
            .zip(&mut cut)
            .map(|((_, memory), cut)| {
                if *cut && question.grows {
                    return "-".to_owned();
                }
                let (time, outcome) = measure(&program, memory, seconds);
                let stats = &outcome.stats;
                let mark = match &outcome.verdict {
                    Verdict::PassComplete => "",
                    Verdict::PassBounded { .. } if !memory.model.is_complete() => "",
                    Verdict::PassBounded { .. } => ">",
                    _ => "?",
                };
                *cut = !mark.is_empty();
                let time = time.as_secs_f64();
                format!("{mark}{time:.3} s, {}, {}", stats.paths, stats.queries)
            })
            .collect();
        println!("| {} | {} |", label.join(", "), cells.join(" | "));
    }
}

/// Questions of their own kind.
const PLANES: &str = "planes";
const STATE_MEMORY: &str = "state-memory";

fn main() {
    let mut seconds = 20;
    let mut wanted = Vec::new();
    let mut models = Vec::new();
    for argument in std::env::args().skip(1) {
        let is_model = MemoryModelKind::ALL.iter().any(|m| name(*m) == argument);
        match argument.parse() {
            Ok(number) => seconds = number,
            Err(_) if is_model => models.push(argument),
            Err(_) => wanted.push(argument),
        }
    }
    type Questions = fn() -> Vec<Question>;
    let questions: [(&str, Questions); 7] = [
        ("matrix", matrix),
        ("tables", tables),
        ("lookup", lookup),
        ("objects", objects),
        ("split", split),
        ("sweep", sweep),
        ("parts", parts),
    ];
    if let Some(unknown) = wanted.iter().find(|name| {
        ![PLANES, STATE_MEMORY].contains(&name.as_str())
            && questions.iter().all(|(known, _)| known != name)
    }) {
        eprintln!("error: no question `{unknown}`");
        std::process::exit(2);
    }
    for (name, of) in questions {
        if wanted.is_empty() && !["sweep", "parts"].contains(&name)
            || wanted.iter().any(|wanted| wanted == name)
        {
            for question in of() {
                print(&question, &models, seconds);
            }
        }
    }
    if wanted.iter().any(|name| name == PLANES) {
        planes::print(seconds);
    }
    if wanted.is_empty() || wanted.iter().any(|wanted| wanted == STATE_MEMORY) {
        state_memory::print(seconds);
    }
}
