//! A minimal front end: explores a function of a textual LLVM module and prints the findings.
//!
//! `cargo run -p symex-engine --example explore_ll [FILE.ll FUNCTION]`. The function takes no
//! arguments; it asks for its inputs by `symex_make_symbolic(ptr, size, name)`. Without arguments
//! it explores `examples/divide.ll`.

use std::process::ExitCode;
use std::sync::Arc;
use symex_engine::{Entry, Job, explore};
use symex_types::config::Config;
use symex_types::event::{Event, Observer};

/// Observer that prints each finding with the inputs that lead there.
struct Printer;

impl Observer for Printer {
    fn event(&mut self, event: Event) {
        let Event::Finding(finding) = event else {
            return;
        };
        println!("{}: {}", finding.kind.title(), finding.message);
        for input in &finding.inputs {
            println!("  {} = {:02x?}", input.name, input.bytes);
        }
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/divide.ll");
    let file = words.next().unwrap_or_else(|| sample.to_owned());
    let name = words.next().unwrap_or_else(|| "average".to_owned());
    let program = match symex_bitcode::translate_file(&file) {
        Ok(program) => Arc::new(program),
        Err(error) => {
            eprintln!("error: failed to {error}");
            return ExitCode::FAILURE;
        }
    };
    let Some(function) = program.function_names.get(&name).copied() else {
        eprintln!("error: {file} has no function {name}");
        return ExitCode::FAILURE;
    };
    let job = Job::new(program, Entry::Harness(function), Config::default());
    let outcome = explore(&job, &mut Printer);
    println!("{} paths: {:?}", outcome.stats.paths, outcome.verdict);
    ExitCode::SUCCESS
}
