//! Tests of queries without an answer: the engine does not guess.

use super::exploring::{
    EACH_KEPT, EACH_RANDOM, compile_text, out_of_time, places, run_with, true_faults,
};
use super::heap_programs::batch;
use super::heap_programs::generator;
use super::settings::settings;
use std::collections::BTreeSet;
use std::time::Duration;
use symex_engine::Entry;
use symex_types::config::Config;
use symex_types::outcome::Verdict;

/// With unanswered queries, the verdict says so and no finding is wrong.
#[test]
fn without_answers_nothing_is_made_up() {
    const SEEDS: std::ops::Range<u64> = 1..17;
    let folder = tempfile::tempdir().expect("a scratch folder");
    let programs: Vec<_> = SEEDS.map(generator::program).collect();
    let (cases, program) = batch::prepare(&programs, folder.path(), false);
    let mut complaints = Vec::new();
    let (mut unsure, mut findings) = (0, 0);
    for case in &cases {
        let mut both = case.faults.clone();
        both.extend(case.mutants.clone());
        let settings = settings();
        let complete = settings
            .iter()
            .filter(|(_, memory)| memory.model.is_complete());
        // Interrupted queries leave more behind than those that were never asked.
        let every = [Some(2), None, Some(3), Some(5), None, Some(7), None];
        for ((name, memory), every) in complete.zip(every.into_iter().cycle()) {
            let mut config = Config {
                memory: memory.clone(),
                ..Config::default()
            };
            config.experiment.give_up_every = every;
            if every.is_none() {
                config.solver.query_timeout = Duration::from_millis(4);
            }
            let harness = Entry::Harness(program.function_names[&case.wrong]);
            let outcome = run_with(&program, harness, config, EACH_RANDOM);
            let told = match &outcome.verdict {
                Verdict::Bug { unsupported, .. } | Verdict::Inconclusive { unsupported, .. } => {
                    !unsupported.is_empty()
                }
                _ => false,
            };
            unsure += usize::from(told);
            findings += outcome.findings.len();
            let complaint = match true_faults(case, &outcome, &both) {
                Ok(found) if !told && !out_of_time(&outcome) && found.len() < both.len() => {
                    Some("faults are missing, and it is not said why".to_owned())
                }
                Ok(_) => None,
                Err(complaint) => Some(complaint),
            };
            complaints.extend(complaint.map(|c| format!("seed {}, {name}: {c}", case.seed)));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(unsure > 20 && findings > 20, "{unsure} {findings}");
}
/// A side that the solver cannot decide is left out, and the path condition excludes it: the path
/// is not followed for inputs that do not belong to it.
#[test]
fn what_is_not_known_is_not_taken_for_granted() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
extern void abort(void);
int main(void) {
  unsigned x, y;
  symex_make_symbolic(&x, sizeof x, \"x\");
  symex_make_symbolic(&y, sizeof y, \"y\");
  if (x * x * x + y * y * 7 == 2037679)
    return 1;
  symex_assume(x == 126 & y == 73);
  abort();
}
",
        folder.path(),
    );
    let mut config = Config::default();
    config.solver.query_timeout = Duration::from_nanos(1);
    let outcome = run_with(&program, main, config, EACH_KEPT);
    assert_eq!(places(&outcome), (BTreeSet::new(), "inconclusive"));
}
