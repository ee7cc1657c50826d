//! Tests of the statistics about accesses, arrays, layers and the memory of states.

use super::exploring::{EACH_KEPT, compile_text, run, run_with};
use super::several_objects::alike;
use symex_types::config::{Config, MemoryConfig, MemoryModelKind, SearchKind};
use symex_types::outcome::Verdict;

#[test]
fn the_numbers_of_a_small_program_are_exact() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = alike(8, false, folder.path());
    let stats = |model| {
        let memory = MemoryConfig {
            model,
            ..MemoryConfig::default()
        };
        run(&program, main.clone(), &memory, EACH_KEPT).stats
    };

    // `objects[i]` has one object, `objects[i][at]` one of eight; each is read at an offset that is
    // an input.
    let merged = stats(MemoryModelKind::Merging);
    assert_eq!((merged.paths, merged.forks), (1, 0));
    let memory = &merged.memory;
    assert_eq!(
        (memory.accesses, memory.several, memory.remembered),
        (2, 1, 0)
    );
    assert_eq!((memory.candidates, memory.most_candidates), (8, 8));
    assert_eq!((memory.forked, memory.merged, memory.single), (0, 1, 0));
    assert_eq!(memory.symbolic_reads, [8, 1, 0, 0, 0, 0]);
    assert_eq!(memory.symbolic_writes, [0; 6]);
    assert_eq!((memory.arrays, memory.array_elements), (9, 8 + 8 * 16));
    assert_eq!(memory.measured_states, 1);
    assert_eq!(memory.shared_bytes, 0);
    assert_eq!(merged.purposes.values().sum::<u64>(), merged.queries);
    let answered: u64 = merged.stages.iter().map(|stage| stage.answered).sum();
    assert_eq!(answered, merged.queries);

    // Each path but the first makes the last access again, and finds the same candidates.
    let forked = stats(MemoryModelKind::Forking);
    assert_eq!((forked.paths, forked.forks), (8, 7));
    let memory = &forked.memory;
    assert_eq!((memory.accesses, memory.several), (1 + 8, 8));
    assert_eq!((memory.candidates, memory.most_candidates), (64, 8));
    assert_eq!((memory.forked, memory.merged, memory.single), (8, 0, 0));
    assert_eq!(memory.symbolic_reads, [8, 1, 0, 0, 0, 0]);
    assert_eq!(forked.purposes["resolve"], 8);
    assert!(memory.measured_states > 1);
    assert!(
        memory.shared_bytes > 0 && memory.owned_bytes > 0,
        "{memory:?}"
    );
}

/// A program that accesses eight objects through a table, where the path has decided which of them
/// it is, and where it has not.
const DECIDED: &str = "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void *malloc(unsigned long);
static int *table[8];
int main(void) {
  for (int k = 0; k < 8; k++)
    table[k] = malloc(16);
  unsigned char i;
  symex_make_symbolic(&i, 1, \"i\");
  if (i > 7)
    return 0;
  if (i > 6)
    *(volatile int *)&table[i][1] = 5;
  else
    *(volatile int *)&table[i][1] = 6;
  return 0;
}
";

#[test]
fn what_a_path_has_decided_about_inputs_decides_where_they_lead() {
    use MemoryModelKind::{Adaptive, Dynamic, Merging, Segmented};
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(DECIDED, folder.path());
    for model in [Merging, Segmented, Dynamic, Adaptive] {
        let memory = MemoryConfig {
            model,
            ..MemoryConfig::default()
        };
        let outcome = run(&program, main.clone(), &memory, EACH_KEPT);
        assert_eq!(outcome.verdict, Verdict::PassComplete);
        assert_eq!(outcome.stats.paths, 3);
        let memory = &outcome.stats.memory;
        assert_eq!(memory.several, 2);
        assert_eq!(
            (
                memory.left_alone,
                memory.merged + memory.segmented,
                memory.forked
            ),
            (1, 1, 0)
        );
    }
}

/// A program with inputs that decide whether each of four bytes of a 64 KiB buffer, each in a page
/// of its own, changes. After that there is enough work for each path to wait for the others.
const CHANGES: &str = "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void *malloc(unsigned long);
int main(void) {
  unsigned char *buffer = malloc(65536);
  for (unsigned at = 0; at < 65536; at++)
    buffer[at] = at * 7;
  for (unsigned k = 0; k < 4; k++) {
    unsigned char change;
    symex_make_symbolic(&change, 1, \"change\");
    if (change & 1)
      buffer[k * 1000]++;
  }
  for (volatile unsigned i = 0; i < 20000; i++)
    ;
  return 0;
}
";

#[test]
fn states_share_what_they_did_not_change() {
    const BUFFER: u64 = 65_536;
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(CHANGES, folder.path());
    let stats = |copy_whole_objects| {
        // Breadth first, so that all states wait at the same time.
        let mut config = Config {
            search: SearchKind::Bfs,
            ..Config::default()
        };
        config.experiment.copy_whole_objects = copy_whole_objects;
        let outcome = run_with(&program, main.clone(), config, EACH_KEPT);
        assert_eq!(outcome.verdict, Verdict::PassComplete);
        assert_eq!(outcome.stats.paths, 16);
        outcome.stats.memory
    };

    let layers = stats(false);
    assert_eq!(layers.measured_states, 16);
    // Filling the buffer makes all of its pages. Then one of both ways of each decision copies one
    // page.
    assert_eq!(layers.updates.pages, BUFFER / 256);
    assert_eq!(layers.updates.copies, 1 + 2 + 4 + 8);
    assert_eq!(layers.updates.stores + layers.updates.ranges, 0);
    // Shared: each page that some did not change, once. Owned: the page that the last decision of a
    // state changed, in eight of them, and what leads to it.
    assert!(layers.shared_contents > BUFFER && layers.shared_contents < 2 * BUFFER);
    assert!(layers.owned_contents >= 8 * 256 && layers.owned_contents < 16 * 1024);
    assert!(layers.shared_bytes > layers.shared_contents);
    assert!(layers.owned_bytes > layers.owned_contents);
    let state_bytes = layers.owned_bytes + layers.shared_bytes;
    assert_eq!(layers.state_bytes, state_bytes);

    // Without layers each state has a buffer of its own.
    let whole = stats(true);
    assert_eq!(whole.measured_states, 16);
    assert!(whole.owned_contents > 16 * BUFFER);
    assert!(whole.shared_contents < BUFFER);
    assert!(whole.state_bytes > 5 * layers.state_bytes);
}

#[test]
fn layers_are_counted_by_kind() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
extern void *memset(void *, int, unsigned long);
int main(void) {
  unsigned char table[64] = {0};
  unsigned char at, len;
  symex_make_symbolic(&at, 1, \"at\");
  symex_make_symbolic(&len, 1, \"len\");
  symex_assume((at < 64) & (len < 64));
  table[at] = 1;
  table[9] = 2;
  table[at ^ 1] = 3;
  memset(table, 4, len);
  return table[at] == 9;
}
",
        folder.path(),
    );
    let stats = run(&program, main, &MemoryConfig::default(), EACH_KEPT).stats;
    let updates = &stats.memory.updates;
    // The second store at a symbolic offset finds what was written at a known one since the first.
    assert_eq!((updates.stores, updates.absorbed), (2, 1));
    assert_eq!(updates.ranges, 1);
    assert_eq!(updates.pages, 0);
}
