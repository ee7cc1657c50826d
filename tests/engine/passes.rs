//! Tests of faults that LLVM's passes must not hide.
//!
//! Passes may assume that nothing undefined happens, and delete an operation that has no effect
//! except in the undefined case. Each function of `passes/faults.c` has such a fault, which must be
//! found as without passes: of the same kind, at the same line. Random programs with faults on the
//! heap are compared with native runs in `tests/memory`.

use crate::memory::exploring::{EACH_KEPT, places, run};
use crate::memory::heap_programs::batch;
use crate::support::expectation::expectation;
use crate::support::workspace;
use symex_engine::Entry;
use symex_types::config::MemoryConfig;

#[test]
fn faults_are_found_as_without_passes() {
    let source = workspace().join("tests/engine/passes/faults.c");
    let text = std::fs::read_to_string(&source).expect("the source");
    let lines: Vec<&str> = text.lines().collect();
    let faults: Vec<(String, String)> = lines
        .iter()
        .enumerate()
        .filter_map(|(n, line)| {
            let kind = expectation(line)?.kind?;
            let function = lines[n + 1]
                .strip_prefix("int ")?
                .strip_suffix("(void) {")?;
            Some((function.to_owned(), kind))
        })
        .collect();
    assert!(faults.len() > 50, "only {} faults", faults.len());
    let roots: Vec<String> = faults.iter().map(|(name, _)| name.clone()).collect();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let [plain, passed] =
        [false, true].map(|passes| batch::compile(&source, &roots, folder.path(), passes));
    let mut complaints = Vec::new();
    for (name, kind) in &faults {
        let [without, with] = [&plain, &passed].map(|program| {
            let entry = Entry::Harness(program.function_names[name]);
            places(&run(program, entry, &MemoryConfig::default(), EACH_KEPT))
        });
        let kinds: Vec<&String> = without.0.iter().map(|(kind, _)| kind).collect();
        if kinds != [kind] {
            complaints.push(format!("{name}: {kind} was expected, not {kinds:?}"));
        }
        if without != with {
            complaints.push(format!(
                "{name}: without passes {without:?}, with them {with:?}"
            ));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
