//! Tests of segment reuse: segments with the same contents are one for the solver [RAM 2.3.3,
//! "Reusing Segments"], and nothing else changes.

use super::exploring::{EACH_KEPT, compile_text, run};
use symex_types::config::{MemoryConfig, MemoryModelKind};
use symex_types::outcome::{Finding, Outcome};

/// A program with eight paths that differ in unrelated inputs; all move the same objects together
/// and ask the same queries.
const PATHS: &str = r#"
static volatile int reached;
int main(void) {
  unsigned char *objects[4];
  for (unsigned i = 0; i < 4; i++) {
    objects[i] = malloc(16);
    for (unsigned k = 0; k < 16; k++)
      objects[i][k] = i * 50 + k * k % 40;
  }
  for (unsigned k = 0; k < 3; k++)
    if (below(2, "way"))
      reached = k;
  unsigned i = below(4, "i");
  unsigned char seen = objects[i][below(16, "at")];
  if (seen == 49)
    abort();
  if (seen == 86)
    abort();
  objects[i][below(16, "to")] = 45;
  if (objects[below(4, "j")][below(17, "from")] == 47)
    abort();
  return 0;
}
"#;

/// Returns the number of queries that were answered from the cache.
fn remembered(outcome: &Outcome) -> u64 {
    let mut stages = outcome.stats.stages.iter();
    let cache = stages.find(|stage| stage.name == "query cache");
    cache.expect("there is a cache").answered
}

#[test]
fn only_what_the_solver_is_asked_again_depends_on_reuse() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let inputs = include_str!("../../cargo-symex/examples/memory_bench/inputs.h");
    let (program, main) = compile_text(&format!("{inputs}{PATHS}"), folder.path());
    let explore = |reuse_segments| {
        let memory = MemoryConfig {
            model: MemoryModelKind::Dynamic,
            reuse_segments,
            ..MemoryConfig::default()
        };
        run(&program, main.clone(), &memory, EACH_KEPT)
    };
    let (with, without) = (explore(true), explore(false));
    let found = |outcome: &Outcome| -> Vec<String> {
        let text = |finding: &Finding| serde_json::to_string(finding).expect("JSON");
        outcome.findings.iter().map(text).collect()
    };
    assert_eq!(found(&with), found(&without));
    // The second `abort` and the last read, which may be out of bounds. The others are never
    // reached.
    assert_eq!(with.findings.len(), 2);
    assert_eq!(with.verdict, without.verdict);
    let paths = |outcome: &Outcome| {
        let stats = &outcome.stats;
        (stats.paths, stats.forks, stats.queries)
    };
    assert_eq!(paths(&with), paths(&without));
    let segments = |outcome: &Outcome| outcome.stats.memory.segments;
    assert_eq!((segments(&with), segments(&without)), (8, 8));
    let (kept, new) = (remembered(&with), remembered(&without));
    assert!(kept > new, "{kept} and {new} answers from the cache");
}
