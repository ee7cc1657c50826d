//! Tests of inputs that are given to an exploration: what is found on them is found at once, and
//! nothing else changes.

use crate::support;
use crate::support::limited::{LIMIT, watch};
use cargo_symex::report::verdict::word;
use std::sync::Arc;
use std::time::Duration;
use symex_bitcode::translate_file;
use symex_engine::{Aids, Entry, GivenInputs, InputSource, Job, explore_with};
use symex_types::config::Config;
use symex_types::event::Silent;
use symex_types::outcome::{FindingKind, Outcome, Verdict};

/// Work that is more than an exploration does before it follows inputs, then a bug behind
/// arithmetic, and one for small inputs.
const PROGRAM: &str = r#"
#include <stdint.h>
#include <stdlib.h>
void symex_make_symbolic(void *, uint64_t, const char *);
uint64_t symex_any_int(uint32_t, const char *);
uint64_t symex_any_range(uint64_t, uint64_t, const char *);
void symex_assume(_Bool);

/* What no solver inverts. */
static uint64_t mixed(uint64_t x, uint64_t y) {
    uint64_t h = 1;
    for (int i = 0; i < 6; i++) {
        h = (h ^ x) * 0x9e3779b97f4a7c15ull + (h >> 23);
        h = (h + y) * (h | 1);
    }
    return h;
}

static void work(void) {
    static volatile uint32_t sum;
    for (int i = 0; i < 2000000; i++)
        sum += i;
}

void harness(void) {
    uint32_t x = symex_any_int(32, "x"), y;
    symex_make_symbolic(&y, sizeof y, "y");
    uint64_t kind = symex_any_range(3, 9, "kind");
    work();
    symex_assume(x < y);
    if (kind == 5 && mixed(x, y) == mixed(SECRETS))
        abort();
    if (kind == 4) {
        uint8_t table[4] = {1, 2, 3, 4};
        table[y % 5] = 1;
        if (table[x & 3] == 9)
            abort();
    }
}
"#;

/// Inputs that are at hand.
struct Given(Vec<GivenInputs>);

impl InputSource for Given {
    fn start(&mut self) {}

    fn take(&mut self, _most: Duration) -> Option<Vec<GivenInputs>> {
        Some(std::mem::take(&mut self.0))
    }
}

fn inputs(x: u32, y: u32, kind: u64) -> GivenInputs {
    let (x, y) = (x.to_le_bytes().to_vec(), y.to_le_bytes().to_vec());
    vec![x, y, kind.to_le_bytes().to_vec()]
}

fn run(given: Vec<GivenInputs>, change: impl FnOnce(&mut Config)) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, bitcode) = (folder.path().join("h.c"), folder.path().join("h.bc"));
    let secrets = format!("-DSECRETS={},{}", SECRETS.0, SECRETS.1);
    std::fs::write(&source, PROGRAM).expect("written");
    support::compile_to_bitcode(&source, &bitcode, &["-O1", "-fno-builtin", &secrets]);
    let program = translate_file(&bitcode).expect("the program is understood");
    let harness = program.function_names["harness"];
    let mut config = Config::default();
    config.limits.timeout = Some(Duration::from_secs(120));
    // The memory limit concerns the whole process, which runs other tests.
    config.limits.max_memory = None;
    config.solver.query_timeout = Duration::from_secs(1);
    change(&mut config);
    let job = Job::new(Arc::new(program), Entry::Harness(harness), config);
    let aids = Aids {
        answers: None,
        inputs: Some(Box::new(Given(given))),
        ..Aids::default()
    };
    let _watch = watch(LIMIT);
    let mut outcome = explore_with(&job, aids, &mut Silent);
    for finding in &mut outcome.findings {
        // Their places name the folder.
        finding.trace.clear();
        (finding.at, finding.allocated_at) = (None, None);
    }
    outcome
}

const SECRETS: (u32, u32) = (0x9e37_79b1, 0xdead_beef);

fn kinds(outcome: &Outcome) -> Vec<FindingKind> {
    outcome.findings.iter().map(|f| f.kind).collect()
}

#[test]
fn what_arithmetic_hides_is_found_on_given_inputs() {
    let none = run(Vec::new(), |_| ());
    assert_eq!(kinds(&none), [FindingKind::OutOfBounds]);
    let given = vec![
        // Not in the range, and not as assumed.
        inputs(1, 2, 12),
        inputs(2, 1, 5),
        // Too few: the rest is zero, which is not in the range.
        inputs(1, 2, 5)[..2].to_vec(),
        inputs(SECRETS.0, SECRETS.1, 5),
        inputs(1, 2, 6),
    ];
    let found = run(given, |_| ());
    assert_eq!(found.stats.followed, 5);
    assert_eq!(found.stats.foretold, 1);
    let abort = found.findings.iter().find(|f| f.kind == FindingKind::Abort);
    let abort = abort.expect("the abort");
    let bytes: Vec<&[u8]> = abort.inputs.iter().map(|input| &*input.bytes).collect();
    assert_eq!(bytes, inputs(SECRETS.0, SECRETS.1, 5));
    assert_eq!(kinds(&found).len(), 2);
    // All else is as without them.
    assert_eq!(found.stats.paths, none.stats.paths);
    assert_eq!(found.stats.instructions, none.stats.instructions);
    let of_bounds = |outcome: &Outcome| {
        let mut findings = outcome.findings.clone();
        findings.retain(|f| f.kind == FindingKind::OutOfBounds);
        findings
    };
    assert_eq!(of_bounds(&found), of_bounds(&none));
    assert!(matches!(none.verdict, Verdict::Bug { .. }));
}

#[test]
fn a_finding_that_the_exploration_has_as_well_is_the_same() {
    let none = run(Vec::new(), |_| ());
    // The bug that is found anyway, on inputs that are larger.
    let found = run(vec![inputs(700, 1_000_004, 4)], |_| ());
    assert_eq!((found.stats.followed, found.stats.foretold), (1, 1));
    assert_eq!(found.findings, none.findings);
    assert_eq!(word(&found.verdict), word(&none.verdict));
}

#[test]
fn a_run_that_is_to_stop_at_a_bug_stops_at_the_one_on_given_inputs() {
    let found = run(vec![inputs(SECRETS.0, SECRETS.1, 5)], |config| {
        config.limits.stop_at_first_bug = true;
    });
    assert_eq!(kinds(&found), [FindingKind::Abort]);
    assert_eq!(found.stats.paths, 0);
}
