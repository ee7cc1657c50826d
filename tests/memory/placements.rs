//! Tests of decisions that depend on where objects lie, of which both sides are followed on
//! request.

use super::exploring::{EACH_KEPT, compile_text, fault, run};
use cargo_symex::report::verdict::word;
use std::collections::BTreeSet;
use symex_types::config::MemoryConfig;
use symex_types::outcome::Outcome;

/// Explores a `main` with three allocations. Returns its findings of `abort`, by line, and the
/// number of paths.
fn with_placements(body: &str, both: bool) -> (BTreeSet<u32>, u64, Outcome) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let text = format!(
        "#include <stdint.h>
#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
int main(void) {{
  char *a = malloc(8), *b = malloc(8), *c = malloc(8);
{body}
  return 0;
}}
"
    );
    let (program, main) = compile_text(&text, folder.path());
    let memory = MemoryConfig {
        explore_placements: both,
        ..MemoryConfig::default()
    };
    let outcome = run(&program, main, &memory, EACH_KEPT);
    let lines = outcome.findings.iter().map(|f| fault(f).1 - 5).collect();
    (lines, outcome.stats.paths, outcome)
}

#[test]
fn both_ways_of_a_decision_on_addresses_are_followed_on_request() {
    let lines = |body: &str, both| with_placements(body, both).0;
    let order = "if (a < b)
  abort();
else
  abort();";
    assert_eq!(lines(order, false).len(), 1);
    assert_eq!(lines(order, true), BTreeSet::from([2, 4]));
    // Decisions are consistent, also if one follows from two others.
    let consistent = "if (a < b && b < a) abort();
if (a < b && b < c && c < a) abort();
if ((uintptr_t)a % 64 == 0 && ((uintptr_t)a & 32)) abort();";
    let (found, paths, outcome) = with_placements(consistent, true);
    assert_eq!(found, BTreeSet::new());
    assert_eq!(word(&outcome.verdict), "pass-complete");
    assert!(paths >= 6, "{paths}");
    // Decisions on low bits, and on addresses that were converted to numbers before.
    let low = "if (((uintptr_t)b >> 4) % 4 == 3) abort();";
    assert_eq!(lines(low, true), BTreeSet::from([1]));
    let kept = "uintptr_t n = (uintptr_t)b;
char *table[4] = {a, b, c, a};
table[(n >> 4) % 4] = 0;
if ((n >> 4) % 4 == 2 && table[2]) abort();";
    assert_eq!(lines(kept, true), BTreeSet::new());
    // Different objects are never equal, and inputs follow the placement.
    let equal = "if (a == b) abort();
if (a + 8 == b + 8) abort();
unsigned char x;
symex_make_symbolic(&x, 1, \"x\");
if (x == (unsigned char)((uintptr_t)c >> 4) && b < c) abort();
if (x == (unsigned char)((uintptr_t)c >> 4) && c < b) abort();";
    assert_eq!(lines(equal, true), BTreeSet::from([5, 6]));
    assert_eq!(lines(equal, false).len(), 1);
}
