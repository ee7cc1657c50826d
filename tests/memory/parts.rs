//! Tests of large objects that are split into parts [RAM 2.4].

use super::exploring::{EACH_KEPT, compile_text, places, run};
use std::collections::BTreeSet;
use symex_types::config::{MemoryConfig, MemoryModelKind, PartSize};
use symex_types::outcome::Verdict;

/// Returns settings of a model with large objects split into parts of this size.
fn split(model: MemoryModelKind, bytes: u64) -> MemoryConfig {
    MemoryConfig {
        model,
        split_objects: Some(PartSize::Bytes(bytes)),
        ..MemoryConfig::default()
    }
}

#[test]
fn a_part_is_a_path_where_the_model_forks() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
static unsigned char table[1024];
int main(void) {
  for (int i = 0; i < 1024; i++)
    table[i] = i * 7;
  unsigned i;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_assume((i >= 200) & (i < 500));
  return table[i] == 77;
}
",
        folder.path(),
    );
    let run = |memory: &MemoryConfig| run(&program, main.clone(), memory, EACH_KEPT);
    let whole = MemoryConfig {
        split_objects: None,
        ..MemoryConfig::default()
    };
    let whole = run(&whole).stats;
    assert_eq!((whole.paths, whole.memory.array_elements), (1, 1024));
    assert_eq!((whole.memory.split_objects, whole.memory.parts), (0, 0));

    // Five of the sixteen parts are accessed: those from byte 192 to byte 512.
    let forked = run(&split(MemoryModelKind::Forking, 64));
    assert_eq!(forked.verdict, Verdict::PassComplete);
    assert_eq!(forked.stats.paths, 5);
    let memory = &forked.stats.memory;
    assert_eq!((memory.arrays, memory.array_elements), (5, 5 * 64));
    assert_eq!((memory.split_objects, memory.split_accesses), (1, 5));
    assert_eq!(memory.parts, 5);

    // The same parts are accessed by merging, and if the model itself decides about splitting.
    for memory in [
        split(MemoryModelKind::Dynamic, 64),
        split(MemoryModelKind::Merging, 64),
        MemoryConfig::default(),
    ] {
        let merged = run(&memory);
        assert_eq!(merged.verdict, Verdict::PassComplete);
        assert_eq!(merged.stats.paths, 1);
        let memory = &merged.stats.memory;
        assert_eq!((memory.arrays, memory.array_elements), (1, 5 * 64));
        assert_eq!((memory.split_objects, memory.split_accesses), (1, 1));
        assert_eq!(memory.parts, 5);
    }

    // Only one part is accessed, and the verdict says so.
    let single = run(&split(MemoryModelKind::Single, 64));
    assert_eq!(single.stats.paths, 1);
    assert!(matches!(single.verdict, Verdict::PassBounded { .. }));
    assert_eq!(single.stats.memory.array_elements, 64);

    // Objects below the threshold are not split.
    let small = MemoryConfig {
        split_threshold: 1024,
        ..split(MemoryModelKind::Forking, 64)
    };
    assert_eq!(run(&small).stats.paths, 1);
}

#[test]
fn accesses_across_parts_see_both() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (program, main) = compile_text(
        "#include <string.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
extern void abort(void);
static unsigned char bytes[512];
int main(void) {
  for (int i = 0; i < 512; i++)
    bytes[i] = i * 5;
  unsigned i, j;
  symex_make_symbolic(&i, sizeof i, \"i\");
  symex_make_symbolic(&j, sizeof j, \"j\");
  symex_assume(i >= 100 && i < 140 && j >= 110 && j < 150);
  unsigned word, read = 0;
  memcpy(&word, bytes + i, 4);
  for (int k = 0; k < 4; k++)
    read |= (unsigned)bytes[i + k] << 8 * k;
  if (word != read)
    abort();
  word = 0x01020304;
  memcpy(bytes + j, &word, 4);
  memcpy(&word, bytes + i, 4);
  if (i == j && word != 0x01020304)
    abort();
  if (i == j + 1 && word >> 24 != (unsigned char)((i + 3) * 5))
    abort();
  // The neighbours are as they were.
  if (bytes[j + 4] != (unsigned char)((j + 4) * 5) || bytes[127] != 127 && (j > 127 || j < 124))
    return 1;
  return word == 0x01020304;
}
",
        folder.path(),
    );
    for model in MemoryModelKind::ALL.iter().filter(|m| m.is_complete()) {
        for bytes in [8, 32, 64] {
            let outcome = run(&program, main.clone(), &split(*model, bytes), EACH_KEPT);
            let found = places(&outcome);
            assert_eq!(
                found,
                (BTreeSet::new(), "pass-complete"),
                "{model:?} {bytes}"
            );
            assert!(outcome.stats.memory.split_accesses > 0);
        }
    }
}

#[test]
fn a_model_that_decides_itself_splits_by_few_offsets() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let reads = |input: &str| {
        let text = format!(
            "extern void symex_make_symbolic(void *, unsigned long, const char *);
extern void symex_assume(_Bool);
static unsigned char table[5000];
int main(void) {{
  for (int i = 0; i < 5000; i++)
    table[i] = i * 7 + (i >> 5);
  {input}
  unsigned short at[8];
  unsigned sum = 0;
  symex_make_symbolic(at, sizeof at, \"at\");
  for (int i = 0; i < 8; i++) {{
    symex_assume(at[i] < 5000);
    sum += table[at[i]];
  }}
  return sum;
}}
"
        );
        let (program, main) = compile_text(&text, folder.path());
        let found = run(&program, main, &MemoryConfig::default(), EACH_KEPT);
        assert_eq!(found.verdict, Verdict::PassComplete);
        found.stats.paths
    };
    // Constants are one array, however often it was read before.
    assert_eq!(reads(""), 1);
    // With an input among them, the first two reads are a path for each of ten parts.
    assert_eq!(reads("symex_make_symbolic(table + 2500, 1, \"one\");"), 100);
}
