//! Tests of `cargo symex fuzz` on programs for AFL and honggfuzz, with libraries that ask for inputs
//! as those of the fuzzers do.

use crate::support::{Crate, Run, bytes, kinds};
use serde_json::Value;

/// The crate `honggfuzz`, whose hook aborts.
const HONGGFUZZ: &str = r#"
unsafe extern "C" { fn HF_ITER(data: *mut *const u8, len: *mut usize); }
static HOOK: std::sync::Once = std::sync::Once::new();
pub fn fuzz<F: FnOnce(&[u8])>(run: F) {
    HOOK.call_once(|| std::panic::set_hook(Box::new(|_| std::process::abort())));
    let (mut data, mut len) = (std::ptr::null(), 0);
    unsafe { HF_ITER(&mut data, &mut len) };
    let data = unsafe { std::slice::from_raw_parts(data, len) };
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(data))).is_err() {
        std::process::abort();
    }
}
"#;

/// The crate `afl`, whose hook prints the panic and aborts, or is none.
const AFL: &str = r#"
unsafe extern "C" {
    fn __afl_persistent_loop(count: usize) -> isize;
    fn __afl_manual_init();
    static __afl_fuzz_len: *const u32;
    static __afl_fuzz_ptr: *const u8;
}
pub fn fuzz<F: FnMut(&[u8])>(hook: bool, mut run: F) {
    if hook {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| { before(info); std::process::abort() }));
    }
    unsafe { __afl_manual_init() };
    while unsafe { __afl_persistent_loop(1000) } != 0 {
        let data = unsafe { std::slice::from_raw_parts(__afl_fuzz_ptr, *__afl_fuzz_len as usize) };
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(data))).is_err() {
            std::process::abort();
        }
    }
}
"#;

/// The crate `afl` of versions that read inputs from standard input, and not from memory.
const OLD_AFL: &str = r#"
use std::io::Read;
unsafe extern "C" { fn __afl_persistent_loop(count: usize) -> isize; }
pub fn fuzz<F: FnMut(&[u8])>(_: bool, mut run: F) {
    std::panic::set_hook(Box::new(|_| std::process::abort()));
    let mut data = Vec::new();
    while unsafe { __afl_persistent_loop(1000) } != 0 {
        data.clear();
        if std::io::stdin().read_to_end(&mut data).is_err() { return }
        run(&data);
    }
}
"#;

/// Makes a workspace with a library for a fuzzer, and a package with a program that depends on it.
/// The program has the name of the tree, and the packages have it in their version, since programs
/// of one name, and libraries of one name and version, share a place where they are built.
fn workspace(name: &str, fuzzer: (&str, &str), main: &str) -> Crate {
    let (library, code) = fuzzer;
    let version = format!("0.1.0-{}", name.replace('_', "-"));
    let package = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n{rest}")
    };
    let dependency = format!("[dependencies]\n{library} = {{ path = \"../{library}\" }}\n");
    let files = [
        (
            "Cargo.toml".to_owned(),
            format!("[workspace]\nresolver = \"3\"\nmembers = [\"{library}\", \"{name}\"]\n"),
        ),
        (format!("{library}/Cargo.toml"), package(library, "")),
        (format!("{library}/src/lib.rs"), code.to_owned()),
        (format!("{name}/Cargo.toml"), package(name, &dependency)),
        (format!("{name}/src/main.rs"), main.to_owned()),
    ];
    let files = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    Crate::files(&format!("fuzz_program_{name}"), &files.collect::<Vec<_>>())
}

fn explore(tree: &Crate, options: &[&str]) -> Run {
    let json = ["fuzz", "--message-format", "json"];
    tree.symex(&[&json[..], options].concat())
}

/// Returns the findings of a run, with what came of their replays.
fn findings(run: &Run) -> Vec<Value> {
    let mut lines = run.json();
    lines.retain(|line| line["type"] == "finding");
    lines
}

#[test]
fn a_program_for_honggfuzz_is_explored_as_it_is() {
    let main = "fn main() { loop { honggfuzz::fuzz(|data| {
            let _ = std::panic::catch_unwind(|| assert!(data != b\"ab\"));
        }) } }";
    let tree = workspace("with_honggfuzz", ("honggfuzz", HONGGFUZZ), main);
    let run = explore(&tree, &[]).code(1);
    let found = findings(&run);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["finding"]["kind"], "panic");
    assert_eq!(found[0]["finding"]["at"]["line"], 2, "{}", found[0]);
    assert_eq!(bytes(&found[0]["finding"]["inputs"][0]["bytes"]), b"ab");
    assert_eq!(found[0]["replay"]["status"], "confirmed", "{}", found[0]);
    assert_eq!(run.only()["verdict"], "bug");
    let artifact =
        "with_honggfuzz/artifacts/with_honggfuzz/crash-da23614e02469a0d7c7bd1bdab5c9c474b1904dc";
    assert_eq!(tree.read(artifact), "ab");
}

#[test]
fn a_program_for_afl_is_explored_as_it_is() {
    let main = "fn main() { afl::fuzz(true, |data| {
            if data == [1] { std::process::exit(3) }
            let _ = std::panic::catch_unwind(|| assert!(data != b\"ab\"));
        }) }";
    let tree = workspace("with_afl", ("afl", AFL), main);
    let run = explore(&tree, &["--max-len", "3"]).code(1);
    let found = findings(&run);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["finding"]["kind"], "panic");
    assert_eq!(bytes(&found[0]["finding"]["inputs"][0]["bytes"]), b"ab");
    assert_eq!(found[0]["replay"]["status"], "confirmed", "{}", found[0]);
}

#[test]
fn without_a_hook_only_a_panic_that_nothing_catches_is_found() {
    let main = "fn main() { afl::fuzz(false, |data| {
            let _ = std::panic::catch_unwind(|| assert!(data != [1]));
            assert!(data != [2]);
        }) }";
    let tree = workspace("no_hook", ("afl", AFL), main);
    let run = explore(&tree, &["--max-len", "2"]).code(1);
    let found = findings(&run);
    assert_eq!(kinds(&run.only()), ["abort"]);
    assert_eq!(bytes(&found[0]["finding"]["inputs"][0]["bytes"]), [2]);
    let panic = &found[0]["finding"]["earlier"][0];
    assert_eq!(panic["event"], "panic", "{}", found[0]);
    assert_eq!(panic["at"]["line"], 3, "{}", found[0]);
    assert_eq!(found[0]["replay"]["status"], "confirmed", "{}", found[0]);
    let caught = main.replace("assert!(data != [2]);", "");
    let tree = workspace("caught", ("afl", AFL), &caught);
    let finished = explore(&tree, &["--max-len", "2"]).code(0).only();
    assert_eq!(
        finished["verdict_text"],
        "pass (bounded: length of data <= 2)"
    );
}

#[test]
fn a_program_that_reads_standard_input_gets_inputs_of_all_lengths() {
    let main = "fn main() { afl::fuzz(true, |data| {
            assert!(data.len() <= 4);
            assert!(data.len() != 3 || data[2] != b'c');
        }) }";
    let tree = workspace("old_afl", ("afl", OLD_AFL), main);
    let run = explore(&tree, &["--max-len", "4"]).code(1);
    let found = findings(&run);
    assert_eq!(found.len(), 1, "{found:?}");
    let input = bytes(&found[0]["finding"]["inputs"][0]["bytes"]);
    assert_eq!((input.len(), input[2]), (3, b'c'));
    assert_eq!(found[0]["replay"]["status"], "confirmed", "{}", found[0]);
    let longer = explore(&tree, &["--max-len", "5"]).code(1);
    assert_eq!(findings(&longer).len(), 2, "{}", longer.stdout);
}

#[test]
fn the_package_with_fuzz_targets_is_found() {
    let main = "fn main() { afl::fuzz(true, |_| ()) }";
    let tree = workspace("packages", ("afl", AFL), main);
    let listed = tree.symex(&["fuzz", "--list"]).code(0).stdout;
    assert!(listed.starts_with("packages("), "{listed}");
    let manifest = tree.read("packages/Cargo.toml");
    tree.write("other/Cargo.toml", &manifest.replace("packages", "other"));
    tree.write("other/src/main.rs", main);
    let members = tree.read("Cargo.toml");
    tree.write(
        "Cargo.toml",
        &members.replace("[\"afl\"", "[\"other\", \"afl\""),
    );
    let said = tree.symex(&["fuzz", "--list"]).code(5).stderr;
    assert!(said.contains("several packages"), "{said}");
    assert!(said.contains("fuzz_program_packages/packages"), "{said}");
    let other = tree
        .symex(&["fuzz", "--list", "--fuzz-dir", "other"])
        .code(0);
    assert!(other.stdout.starts_with("other("), "{}", other.stdout);
}
