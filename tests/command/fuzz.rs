//! Tests of `cargo symex fuzz` on targets that do without the crate `libfuzzer-sys`. Those with it
//! are tests of `tests/machine`.

use crate::support::{Crate, Run, bytes, fuzz_manifest, kinds};
use serde_json::Value;

const MANIFEST: &str = r#"
[package]
name = "fuzzed"
version = "0.1.0"
edition = "2021"
[workspace]
exclude = ["fuzz"]
"#;

/// What libFuzzer calls, as `libfuzzer-sys` defines it: a panic ends the process, whether something
/// catches it or not.
const TARGET: &str = r#"
#![no_main]
#[unsafe(no_mangle)]
pub extern "C" fn LLVMFuzzerInitialize(_: *const isize, _: *const *const *const u8) -> isize {
    std::panic::set_hook(Box::new(|info| {
        eprintln!("\nthread 'main' panicked at {}:\n{info}", info.location().unwrap());
        std::process::abort();
    }));
    fuzzed::set_up();
    0
}
#[unsafe(no_mangle)]
pub extern "C" fn LLVMFuzzerTestOneInput(data: *const u8, len: usize) -> i32 {
    fuzzed::run(unsafe { std::slice::from_raw_parts(data, len) })
}
"#;

/// Makes a crate with a fuzz target, which runs the body with `data: &[u8]`.
fn fuzzed(name: &str, body: &str) -> Crate {
    let library = format!(
        "pub static READY: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
         pub fn set_up() {{ READY.store(true, std::sync::atomic::Ordering::Relaxed) }}
         pub fn run(data: &[u8]) -> i32 {{ {body} }}"
    );
    let manifest = fuzz_manifest("fuzzed = { path = \"..\" }", &["target", "helper"]);
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", &library),
        ("fuzz/Cargo.toml", &manifest),
        ("fuzz/fuzz_targets/target.rs", TARGET),
        ("fuzz/fuzz_targets/helper.rs", "fn main() {}"),
    ];
    Crate::files(&format!("fuzz_{name}"), &files)
}

/// Explores the fuzz targets.
fn explore(tree: &Crate, options: &[&str]) -> Run {
    let json = ["fuzz", "--message-format", "json"];
    tree.symex(&[&json[..], options].concat())
}

/// Returns the input of a finding.
fn input(finding: &Value) -> Vec<u8> {
    bytes(&finding["inputs"][0]["bytes"])
}

#[test]
fn a_panic_is_found_confirmed_and_left_as_an_artifact() {
    let body = "if data.len() > 2 && data[..2] == *b\"ab\" { assert!(data[2] != b'c') } 0";
    let tree = fuzzed("panic", body);
    let run = explore(&tree, &[]).code(1);
    let lines = run.json();
    let found: Vec<&Value> = lines.iter().filter(|l| l["type"] == "finding").collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["harness"], "target");
    assert_eq!(found[0]["finding"]["kind"], "panic");
    assert_eq!(input(&found[0]["finding"]), b"abc");
    assert_eq!(found[0]["replay"]["status"], "confirmed", "{}", found[0]);
    // Its name is the SHA-1 of the input.
    let artifact = "fuzz/artifacts/target/crash-a9993e364706816aba3e25717850c26c9cd0d89d";
    assert_eq!(found[0]["test"]["status"], "written");
    assert_eq!(tree.read(artifact), "abc");
    let again = explore(&tree, &[]).code(1).json();
    let again = again.iter().find(|line| line["type"] == "finding");
    assert_eq!(again.expect("a finding")["test"]["status"], "known");
    let shown = tree.symex(&["fuzz", "target"]).code(1).stdout;
    assert!(shown.contains("= artifact: `crash-a9993e36"), "{shown}");
    assert!(shown.contains("1 cached"), "{shown}");
}

#[test]
fn inputs_are_of_all_lengths_and_end_where_they_end() {
    let tree = fuzzed("length", "i32::from(data.len() > 5)");
    let finished = explore(&tree, &["--max-len", "6"]).code(0).only();
    let expected = "pass (bounded: length of data <= 6)";
    assert_eq!(finished["verdict_text"], expected);
    assert_eq!(finished["stats"]["paths"], 1, "{finished}");
    let body = "if data.len() == 3 { return unsafe { *data.as_ptr().add(3) }.into() } 0";
    let tree = fuzzed("behind", body);
    let finished = explore(&tree, &[]).code(1).only();
    assert_eq!(kinds(&finished), ["out-of-bounds"]);
    assert_eq!(input(&finished["findings"][0]).len(), 3);
}

#[test]
fn a_rejected_input_is_left_out() {
    let body = "if data.first() != Some(&7) { return -1 } assert_eq!(data[0], 7); 0";
    let finished = explore(&fuzzed("reject", body), &[]).code(0).only();
    assert_eq!(finished["verdict"], "pass-bounded");
    assert_eq!(finished["stats"]["completed"], 1);
    assert_eq!(finished["stats"]["assumed_away"], 2);
    let none = explore(&fuzzed("reject_all", "-1"), &[]).only();
    assert_eq!(none["verdict"], "vacuous", "{none}");
}

#[test]
fn inputs_are_longer_where_no_short_one_is_accepted() {
    let tree = fuzzed("long", "if data.len() < 100 { return -1 } 0");
    for cached in [false, true] {
        let finished = explore(&tree, &[]).code(0).only();
        let expected = "pass (bounded: length of data <= 128)";
        assert_eq!(finished["verdict_text"], expected);
        assert_eq!(finished["cached"], cached, "{finished}");
    }
    let asked = explore(&tree, &["--max-len", "99"]).only();
    assert_eq!(asked["verdict"], "vacuous", "{asked}");
    let enough = explore(&tree, &["--max-len", "100"]).code(0).only();
    assert_eq!(enough["verdict"], "pass-bounded", "{enough}");
}

#[test]
fn a_target_is_set_up_and_nothing_catches_its_panics() {
    let ready = "assert!(READY.load(std::sync::atomic::Ordering::Relaxed)); 0";
    explore(&fuzzed("set_up", ready), &[]).code(0);
    let caught = "let _ = std::panic::catch_unwind(|| assert!(data != [1])); 0";
    let run = explore(&fuzzed("caught", caught), &[]).code(1);
    assert_eq!(kinds(&run.only()), ["panic"]);
    let lines = run.json();
    let finding = lines.iter().find(|line| line["type"] == "finding");
    let replay = &finding.expect("a finding")["replay"];
    assert_eq!(replay["status"], "confirmed", "{replay}");
    // A hook is not told of a panic that goes on.
    let resumed = "use std::panic::{catch_unwind, resume_unwind};
        let _ = catch_unwind(|| if data == [1] { resume_unwind(Box::new(1)) }); 0";
    explore(&fuzzed("resumed", resumed), &[]).code(0);
}

#[test]
fn a_corpus_of_inputs_that_run_new_code_is_written() {
    let body = "let say = |text: &str| { std::hint::black_box(text.to_owned()); 0 };
        match data { b\"xy\" => say(\"both\"), [b'z', ..] => say(\"z\"), [] => say(\"none\"), _ => 0 }";
    let tree = fuzzed("corpus_out", body);
    explore(&tree, &["--corpus-out", "out"]).code(0);
    let folder = std::fs::read_dir(tree.path().join("out/target")).expect("the corpus");
    let files = folder.map(|file| file.expect("a file").path());
    let mut inputs: Vec<Vec<u8>> = files
        .map(|file| std::fs::read(file).expect("a file"))
        .collect();
    inputs.sort();
    assert!((4..12).contains(&inputs.len()), "{inputs:?}");
    assert!(inputs.contains(&Vec::new()) && inputs.contains(&b"xy".to_vec()));
    assert!(inputs.iter().any(|input| input.first() == Some(&b'z')));
}

#[test]
fn the_corpus_is_followed_first() {
    // The eight bytes cannot be found from their hash, and the run takes long enough for the corpus
    // to be followed.
    let body = "let mut hash = 0xcbf29ce484222325u64;
        for _ in 0..40 {
            for byte in data { hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100000001b3) }
        }
        let mut work = 0u64;
        for i in 0..200_000u64 { work = std::hint::black_box(work ^ i) }
        assert_ne!(hash, HASH); 0";
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for _ in 0..40 {
        for byte in b"the seed" {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    let tree = fuzzed("seeds", &body.replace("HASH", &hash.to_string()));
    let options = ["--timeout", "4s", "--max-len", "8"];
    let alone = explore(&tree, &options).only();
    assert_eq!(kinds(&alone), [""; 0], "{alone}");
    tree.write("fuzz/corpus/target/seed", "the seed");
    tree.write("fuzz/corpus/target/longer", "is not followed");
    let seeded = explore(&tree, &options).code(1).only();
    assert_eq!(kinds(&seeded), ["panic"]);
    assert_eq!(input(&seeded["findings"][0]), b"the seed");
    assert_eq!(seeded["stats"]["followed"], 1);
}

#[test]
fn a_target_that_does_not_compile_is_left_out() {
    let tree = fuzzed("partial", "assert!(data != [3]); 0");
    tree.write("fuzz/fuzz_targets/helper.rs", "fn main() { nothing() }");
    let run = explore(&tree, &[]).code(101);
    assert_eq!(kinds(&run.only()), ["panic"]);
    assert!(run.stderr.contains("cannot find function `nothing`"));
    assert!(run.stderr.contains("are left out"), "{}", run.stderr);
    let summary = run.json().pop().expect("a summary");
    assert_eq!(summary["exit_code"], 101, "{summary}");
    explore(&tree, &["target"]).code(1);
    tree.write("fuzz/fuzz_targets/target.rs", "fn main() { nothing() }");
    explore(&tree, &[]).code(101);
}

#[test]
fn targets_are_listed_and_what_is_none_is_said() {
    let tree = fuzzed("listed", "0");
    let listed = tree.symex(&["fuzz", "--list"]).code(0).stdout;
    assert!(listed.starts_with("target("), "{listed}");
    assert!(!listed.contains("helper"), "{listed}");
    let other = tree.symex(&["fuzz", "other"]);
    assert!(other.stderr.contains("no bin target named `other`"));
    other.code(101);
    let helper = tree.symex(&["fuzz", "helper"]).code(5).stderr;
    assert!(helper.contains("no fuzz target found"), "{helper}");
    let wrong = tree.symex(&["fuzz", "--fuzz-dir", "src"]).code(2).stderr;
    assert!(wrong.contains("no Cargo.toml is in src"), "{wrong}");
    let said = tree.symex(&[]).code(5).stderr;
    assert!(said.contains("`cargo symex fuzz` explores them"), "{said}");
    let none = Crate::library("fuzz_none", "");
    let said = none.symex(&["fuzz"]).code(5).stderr;
    assert!(
        said.contains("no `fuzz/Cargo.toml` is here or above"),
        "{said}"
    );
}

#[test]
fn a_finding_that_is_ignored_takes_its_artifact_along() {
    let tree = fuzzed("ignored", "assert!(data != b\"ab\"); 0");
    explore(&tree, &[]).code(1);
    assert!(tree.exists("fuzz/artifacts/target"));
    let manifest = ["--manifest-path", "fuzz/Cargo.toml"];
    let ignore = ["review", "--ignore", "target", "--reason", "ab is refused"];
    let run = tree.symex(&[&ignore[..], &manifest].concat()).code(0);
    let told = "ignored in fuzz/symex-ignored.toml; `crash-";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    assert!(!tree.exists("fuzz/artifacts"));
    let finished = explore(&tree, &[]).code(0).finished()["target"].clone();
    let verdict = finished["verdict_text"].as_str().expect("a text");
    assert!(verdict.ends_with(", 1 finding ignored"), "{verdict}");
    assert!(!tree.exists("fuzz/artifacts"));
}
