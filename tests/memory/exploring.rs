//! Helpers that explore small programs under a memory model, and compare the outcomes.

use super::heap_programs::batch::{self, Case, Fault, encode};
use crate::support::limited::{LIMIT, watch};
use cargo_symex::report::verdict::word;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use symex_engine::{Entry, Job, explore};
use symex_program::Program;
use symex_types::config::{Config, MemoryConfig};
use symex_types::event::Silent;
use symex_types::outcome::{Bound, Finding, Outcome, Verdict};

/// Time limit of a random program's exploration in seconds; a program that exceeds it is not
/// compared.
pub const EACH_RANDOM: u64 = 10;

/// Time limit in seconds for a program that is always compared: much more than it takes, for busy
/// machines.
pub const EACH_KEPT: u64 = 120;
/// Compiles a C program of one file with `main`, without changes.
pub fn compile_text(text: &str, folder: &Path) -> (Arc<Program>, Entry) {
    let source = folder.join("program.c");
    std::fs::write(&source, text).expect("written");
    let program = batch::compile(&source, &["main".to_owned()], folder, false);
    let main = Entry::Main(program.function_names["main"], vec!["program".to_owned()]);
    (program, main)
}

/// Explores within a number of seconds.
pub fn run(program: &Arc<Program>, entry: Entry, memory: &MemoryConfig, seconds: u64) -> Outcome {
    let config = Config {
        memory: memory.clone(),
        ..Config::default()
    };
    run_with(program, entry, config, seconds)
}

pub fn run_with(program: &Arc<Program>, entry: Entry, mut config: Config, seconds: u64) -> Outcome {
    config.limits.timeout = Some(Duration::from_secs(seconds));
    // The memory limit concerns the whole process, which runs other tests.
    config.limits.max_memory = None;
    let job = Job::new(program.clone(), entry, config);
    let _watch = watch(LIMIT);
    explore(&job, &mut Silent)
}
pub fn fault(finding: &Finding) -> Fault {
    let kind = serde_json::to_value(finding.kind).expect("a kind");
    let line = finding.at.as_ref().map_or(0, |at| at.line);
    (kind.as_str().expect("a kind").to_owned(), line)
}

/// Returns the findings and the verdict, for comparison with another model.
pub fn places(outcome: &Outcome) -> (BTreeSet<Fault>, &'static str) {
    (
        outcome.findings.iter().map(fault).collect(),
        word(&outcome.verdict),
    )
}
/// Reports whether the time limit ended the exploration.
pub fn out_of_time(outcome: &Outcome) -> bool {
    let bounds: &[_] = match &outcome.verdict {
        Verdict::Bug { bounds, .. }
        | Verdict::PassBounded { bounds }
        | Verdict::Inconclusive { bounds, .. }
        | Verdict::Vacuous { bounds, .. } => bounds,
        Verdict::PassComplete => &[],
    };
    bounds.iter().any(|bound| bound.what == Bound::Timeout)
}
/// Returns the faults that were found, if each happens natively on its inputs.
pub fn true_faults(
    case: &Case,
    outcome: &Outcome,
    expected: &BTreeMap<Fault, BTreeSet<usize>>,
) -> Result<BTreeSet<Fault>, String> {
    let mut found = BTreeSet::new();
    for finding in &outcome.findings {
        let fault = fault(finding);
        let values: Vec<u8> = finding.inputs.iter().map(|draw| draw.bytes[0]).collect();
        let x = encode(&case.radices, &values);
        match expected.get(&fault) {
            None => {
                return Err(format!(
                    "{fault:?} on {values:?} ({x}) happens natively never"
                ));
            }
            Some(on) if !on.contains(&x) => {
                return Err(format!(
                    "{fault:?} happens natively not on {values:?} ({x})"
                ));
            }
            Some(_) => {}
        }
        found.insert(fault);
    }
    Ok(found)
}
