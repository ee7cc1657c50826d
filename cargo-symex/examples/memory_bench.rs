//! Tables that compare the memory models, most as a paper has them, on programs of our own.
//!
//! `cargo run --release -p cargo-symex --example memory_bench` lists the tables; with names of
//! tables it prints them, and with names of memory models it asks these alone. The programs are
//! `memory_bench/*.c`; each says what its parameters are. An exploration longer than `--seconds` is
//! cut, and marked by `>`; `?` marks one that an unanswered query left incomplete. Tables about
//! whole programs, as the papers have them: `memory_bench programs --program m4.bc --program
//! make.bc`. Nothing here is a test: the models' agreement is tested in `tests/memory`.

#[path = "memory_bench/aaqc.rs"]
mod aaqc;
#[path = "memory_bench/counted.rs"]
mod counted;
#[path = "memory_bench/fgm.rs"]
mod fgm;
#[path = "memory_bench/grid.rs"]
mod grid;
#[path = "memory_bench/lookups.rs"]
mod lookups;
#[path = "memory_bench/measure.rs"]
mod measure;
#[path = "memory_bench/objects.rs"]
mod objects;
#[path = "memory_bench/ram.rs"]
mod ram;
#[path = "memory_bench/smm.rs"]
mod smm;
#[path = "memory_bench/sop.rs"]
mod sop;
#[path = "memory_bench/stores.rs"]
mod stores;
#[path = "memory_bench/table.rs"]
mod table;

use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use symex_types::config::MemoryModelKind;

/// Prints tables that compare the memory models.
#[derive(Parser)]
#[command(
    after_help = "In a cell, `>` marks an exploration that was cut by its time, `?` one that an unanswered query left \
    incomplete, and `-` one that was not made because a smaller one was cut."
)]
struct Arguments {
    /// Tables to print (`papers`: all that a paper has; `programs`: those about whole programs),
    /// and memory models to ask instead of all
    names: Vec<String>,
    /// Longest time of one exploration
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// A tenth of that time
    #[arg(long)]
    quick: bool,
    /// A program, as bitcode or C source, for the rows of the tables in place of their own; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    program: Vec<PathBuf>,
    /// Let memory of these programs begin as zeros
    #[arg(long)]
    zeroed: bool,
}

/// How the tables are wanted.
pub struct Asked {
    /// Wall-clock time of one exploration.
    limit: Duration,
    /// Empty: all.
    models: Vec<MemoryModelKind>,
    /// Whole programs in place of a table's own. Empty: none.
    programs: Vec<PathBuf>,
    /// Do they take memory for zeros that nothing was written to?
    zeroed: bool,
}

impl Asked {
    fn wants(&self, model: MemoryModelKind) -> bool {
        self.models.is_empty() || self.models.contains(&model)
    }
}

/// What can be printed: a name, what it shows, and who prints it.
type Entry = (&'static str, &'static str, fn(&Asked));

/// Tables of the papers.
const PAPERS: [Entry; 14] = [
    (
        "aaqc-3",
        "queries that placement tells apart",
        aaqc::table_3,
    ),
    (
        "aaqc-4",
        "time with and without looking at placement",
        aaqc::table_4,
    ),
    ("smm-3a", "a look-up in a matrix", smm::figure_3a),
    ("smm-3b", "two look-ups", smm::figure_3b),
    ("smm-3c", "a look-up beside other memory", smm::figure_3c),
    ("ram-2", "hash tables: sizes of segments", ram::table_2),
    ("ram-3", "time and memory by order of search", ram::table_3),
    ("ram-4", "resolution by contexts", ram::table_4),
    ("ram-5", "contexts, reuse of segments", ram::table_5),
    ("ram-7", "a large table in parts", ram::table_7),
    ("fgm", "memory of states, cost of layers", fgm::figures),
    ("sop-1", "planes: naive and boosted", sop::table_1),
    ("sop-2", "planes: maps and lists", sop::table_2),
    ("sop-3", "planes: collisions", sop::table_3),
];

/// Those of them that the papers have about whole programs.
const WHOLE: [&str; 6] = ["aaqc-3", "aaqc-4", "ram-3", "ram-4", "ram-5", "ram-7"];

/// Tables of our own: what the rules of `adaptive`, of parts of size `auto` and of the encoding of
/// stores rest on.
const OURS: [Entry; 7] = [
    ("lookup", "a table by size and contents", lookups::by_model),
    ("counted", "counters beside pointers", counted::by_model),
    ("objects", "kinds of access to objects", objects::kinds),
    ("sweep", "all that `adaptive` looks at", objects::sweep),
    ("rules", "the rows its rules rest on", objects::rules),
    ("parts", "all that `auto` looks at", lookups::parts),
    (
        "stores",
        "how the solver is told of stores",
        stores::encodings,
    ),
];

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let share = if arguments.quick { 0.1 } else { 1.0 };
    let mut asked = Asked {
        limit: Duration::from_secs_f64(arguments.seconds * share),
        models: Vec::new(),
        programs: arguments.program,
        zeroed: arguments.zeroed,
    };
    let mut wanted: Vec<Entry> = Vec::new();
    for name in &arguments.names {
        let mut models = MemoryModelKind::ALL.iter().copied();
        let mut entries = PAPERS.iter().chain(&OURS);
        let whole = |entry: &&Entry| WHOLE.contains(&entry.0);
        if name == "papers" {
            wanted.extend(PAPERS);
        } else if name == "programs" {
            wanted.extend(PAPERS.iter().filter(whole));
        } else if let Some(entry) = entries.find(|entry| entry.0 == name) {
            wanted.push(*entry);
        } else if let Some(model) = models.find(|model| measure::name(*model) == *name) {
            asked.models.push(model);
        } else {
            eprintln!("error: neither a table nor a memory model is named `{name}`");
            return ExitCode::from(2);
        }
    }
    if asked.programs.is_empty() && arguments.names.iter().any(|name| name == "programs") {
        eprintln!("error: `programs` asks for a program: --program FILE");
        return ExitCode::from(2);
    }
    if wanted.is_empty() {
        for (name, about, _) in PAPERS.iter().chain(&OURS) {
            println!("{name:<8} {about}");
        }
    }
    for (_, _, print) in wanted {
        print(&asked);
    }
    ExitCode::SUCCESS
}
