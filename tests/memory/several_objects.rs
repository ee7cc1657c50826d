//! Tests of accesses through a pointer to several objects: the number of paths and queries is what
//! the model promises, and the right object is named.

use super::exploring::{EACH_KEPT, compile_text, fault, places, run};
use super::settings::{naive, settings};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use symex_engine::Entry;
use symex_program::Program;
use symex_types::config::{MemoryConfig, MemoryModelKind};
use symex_types::outcome::Verdict;

/// Compiles a program with `objects` of the same size from two places, one of them read at an
/// offset that may lie in or just behind it.
pub fn alike(objects: u32, wrong: bool, folder: &Path) -> (Arc<Program>, Entry) {
    let text = format!(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
int main(void) {{
  unsigned char *objects[{objects}];
  for (unsigned i = 0; i < {objects}; i++)
    if (i % 2)
      objects[i] = calloc(16, 1);
    else
      objects[i] = calloc(16, 1);
  unsigned i, at;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_make_symbolic(&at, sizeof at, \"at\");
  symex_assume(i < {objects});
  symex_assume((at < 16) | (at == 16) & (i == {}));
  return objects[i][at];
}}
",
        if wrong { 5 } else { objects }
    );
    compile_text(&text, folder)
}

#[test]
fn objects_alike_are_checked_with_one_query() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let merging = MemoryConfig {
        model: MemoryModelKind::Merging,
        ..MemoryConfig::default()
    };
    let explore = |objects, wrong| {
        let (program, main) = alike(objects, wrong, folder.path());
        run(&program, main, &merging, EACH_KEPT)
    };
    let (few, many) = (explore(8, false), explore(64, false));
    for outcome in [&few, &many] {
        assert_eq!(outcome.verdict, Verdict::PassComplete);
        assert_eq!(outcome.stats.paths, 1);
    }
    assert_eq!(few.stats.queries, many.stats.queries);

    // The object of a finding is the one that its inputs lead to.
    let outcome = explore(8, true);
    let [finding] = &outcome.findings[..] else {
        panic!("{:?}", outcome.findings)
    };
    assert_eq!(fault(finding), ("out-of-bounds".to_owned(), 16));
    let at = finding.allocated_at.as_ref().expect("a place");
    assert_eq!(at.line, 8, "{finding:?}");
    assert_eq!(outcome.stats.paths, 2);
}
#[test]
fn one_path_for_all_rows() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
int main(void) {
  int *rows[12];
  for (int i = 0; i < 12; i++) {
    rows[i] = malloc(12 * sizeof(int));
    for (int j = 0; j < 12; j++)
      rows[i][j] = i * j;
  }
  unsigned i, j;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_make_symbolic(&j, sizeof j, \"j\");
  symex_assume(i < 12 && j < 12);
  free(rows[3]);
  rows[3] = calloc(12, sizeof(int));
  rows[i][j] += 1;
  int sum = 0;
  for (int k = 0; k < 12; k++)
    sum += rows[k][5];
  return sum == 63 * 5 + (j == 5);
}
",
        folder.path(),
    );
    for (name, memory) in settings().into_iter().chain([naive()]) {
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        let paths = outcome.stats.paths;
        match memory.model {
            MemoryModelKind::Single => continue,
            MemoryModelKind::Forking => assert!(paths >= 12, "{name}: {paths}"),
            // The comparison at the end may fork.
            _ => assert!(paths <= 2, "{name}: {paths}"),
        }
        assert_eq!(outcome.verdict, Verdict::PassComplete, "{name}");
    }
}

#[test]
fn unwritten_bytes_are_named_by_their_own_object() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <stdlib.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
int main(void) {
  unsigned char *objects[3];
  objects[0] = malloc(24);
  objects[1] = malloc(24);
  objects[2] = malloc(24);
  for (int k = 0; k < 24; k++)
    objects[1][k] = k;
  for (int k = 4; k < 24; k++)
    objects[0][k] = objects[2][k] = k;
  objects[0][0] = 1;
  unsigned i;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_assume(i < 3);
  if (objects[i][0] == 9)
    return 1;
  return 0;
}
",
        folder.path(),
    );
    for (name, memory) in settings().into_iter().chain([naive()]) {
        if !memory.model.is_complete() {
            continue;
        }
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        let [finding] = &outcome.findings[..] else {
            panic!("{name}: {:?}", outcome.findings)
        };
        let at = finding.allocated_at.as_ref().expect("a place");
        assert_eq!(at.line, 8, "{name}: {finding:?}");
        assert!(finding.message.contains("byte 0 of"), "{name}: {finding:?}");
    }
}
/// An access to one member of a segment for some inputs leaves the other members unchanged for all
/// other inputs.
#[test]
fn a_member_alone_is_kept_to_for_other_inputs() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        concat!(
            include_str!("../../cargo-symex/examples/memory_bench/inputs.h"),
            "
int main(void) {
  unsigned char *small[2] = {calloc(16, 1), calloc(16, 1)};
  for (int k = 0; k < 16; k++)
    small[1][k] = 3;
  unsigned char sum = small[below(2, \"first\")][below(16, \"at\")];
  small[0][3] = 9;
  unsigned char *pair[2] = {small[0], calloc(4096, 1)};
  unsigned second = below(2, \"second\");
  unsigned to = below(4096, \"to\");
  symex_assume((second == 1) | (to < 16));
  pair[second][to] = 7;
  sum += small[below(2, \"third\")][below(16, \"from\")];
  if (small[1][5] != 3)
    abort();
  return sum;
}
"
        ),
        folder.path(),
    );
    let small = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        segment_threshold: 64,
        ..MemoryConfig::default()
    };
    let plain = MemoryConfig {
        model: MemoryModelKind::Dynamic,
        ..MemoryConfig::default()
    };
    for memory in [small, plain] {
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        assert_eq!(places(&outcome), (BTreeSet::new(), "pass-complete"));
    }
}
