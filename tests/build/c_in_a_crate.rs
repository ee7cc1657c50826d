//! Tests of the boundary between C and Rust within a crate: structures by value, callbacks,
//! variable arguments, layouts, symbols, ways of control, panics. For each concern some harnesses
//! hold for all inputs, and their paths print natively what the engine says; other harnesses have a
//! bug.

use crate::support::expectation::{compare, of_harnesses};
use crate::support::{self, Crate, Run, has_sanitizer, limited, workspace};
use serde_json::Value;
use std::path::PathBuf;

/// Findings that native runs confirm, and the confirming check: `AddressSanitizer` where one is
/// needed.
const CONFIRMED: [(&str, &str); 6] = [
    (
        "memory::reads_of_the_heap_wrong",
        "AddressSanitizer: heap-buffer-overflow",
    ),
    (
        "memory::copies_to_the_stack_wrong",
        "AddressSanitizer: stack-buffer-overflow",
    ),
    (
        "memory::memory_of_c_wrong",
        "AddressSanitizer: heap-use-after-free",
    ),
    // The C library detects this itself, without AddressSanitizer.
    ("memory::memory_of_c_twice_wrong", "SIGABRT"),
    ("memory::shifts_wrong", "SIGILL"),
    ("memory::sums_wrong", "SIGILL"),
];

/// Kinds of findings that show in a native run.
const LOUD: [&str; 3] = ["panic", "abort", "division-by-zero"];

#[test]
fn c_and_rust_mean_the_same() {
    let tree = Crate::existing(workspace().join("tests/c_in_a_crate"));
    let mut command = tree.symex_command(&[
        "--locked",
        "--no-write",
        "--message-format=json",
        "--timeout=240s",
        "--replay-paths=20",
    ]);
    // `qsort` is there without a setup, if there is a place to keep it.
    let place = tempfile::tempdir().expect("a directory");
    command.env("SYMEX_LIBC_DIR", place.path());
    let run = support::finish_within(limited::LONG, command).code(1);
    let finished = run.finished();
    let expected = of_harnesses(&tree.path().join("src"));
    assert!(expected.len() > 80, "only {} were found", expected.len());
    let mut complaints = Vec::new();
    for (name, expected) in &expected {
        let Some(line) = finished.get(name) else {
            complaints.push(format!("{name}: no verdict"));
            continue;
        };
        complaints.extend(compare(name, line, expected));
        complaints.extend(compare_natively(name, line));
    }
    assert_eq!(finished.len(), expected.len());
    let findings: Vec<Value> = run
        .json()
        .into_iter()
        .filter(|line| line["type"] == "finding")
        .collect();
    for line in &findings {
        let kind = line["kind"].as_str().expect("a kind");
        if LOUD.contains(&kind) && line["replay"]["status"] != "confirmed" {
            complaints.push(format!("{line:#}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    the_trace_crosses_both(&tree, &findings);
    sanitizers_confirm(&findings);
}

/// AddressSanitizer shows faults that are silent natively, in Rust's memory and in C's; compiled-in
/// checks of C show theirs without it.
fn sanitizers_confirm(findings: &[Value]) {
    for (name, by) in CONFIRMED {
        let line = findings.iter().find(|line| line["harness"] == name);
        let replay = &line.expect("a finding")["replay"];
        if by.starts_with("AddressSanitizer") && !has_sanitizer() {
            assert_eq!(replay["status"], "not-reproduced", "{name}: {replay}");
            continue;
        }
        assert_eq!(replay["status"], "confirmed", "{name}: {replay}");
        let how = &replay["how"];
        assert!(how["report"] == by || how["name"] == by, "{name}: {replay}");
    }
    // AddressSanitizer does not detect reads of uninitialised bytes.
    let name = "layout::tagged_unions_wrong";
    let line = findings.iter().find(|line| line["harness"] == name);
    let replay = &line.expect("a finding")["replay"];
    assert_eq!(replay["status"], "not-reproduced", "{replay}");
    if has_sanitizer() {
        let reason = format!("{SILENT}; AddressSanitizer does not see it");
        assert_eq!(replay["reason"], reason);
    }
}

const SILENT: &str = "undefined behaviour may be silent";

/// Returns a crate whose C reads beyond an allocation, and leaks.
fn silent_in_c(name: &str) -> Crate {
    let manifest = support::manifest(name).replace(
        "[workspace]",
        "[build-dependencies]\ncc = \"1\"\n\n[workspace]",
    );
    let script = r#"fn main() {
        println!("cargo::rerun-if-changed=c");
        cc::Build::new().file("c/silent.c").compile("silent");
    }"#;
    let library = r#"
        unsafe extern "C" {
            pub fn at(bytes: *const u8, index: usize) -> u8;
            pub safe fn keep(length: usize);
        }
        #[cfg(test)]
        mod tests {
            #[symex::harness]
            fn reads(index: u8) {
                let bytes = vec![1u8; 4];
                symex::assume(index <= 4);
                assert!(unsafe { super::at(bytes.as_ptr(), index.into()) } < 255);
            }

            #[symex::harness]
            fn keeps(length: u8) {
                super::keep(length.into());
            }
        }"#;
    let silent = "
        #include <stdlib.h>
        unsigned char at(const unsigned char *bytes, size_t index) {
            return bytes[index] & 15;
        }
        void keep(size_t length) {
            char *volatile bytes = malloc(8);
            if (length != 3) free(bytes);
        }";
    Crate::files(
        name,
        &[
            ("Cargo.toml", &manifest),
            ("build.rs", script),
            ("src/lib.rs", library),
            ("c/silent.c", silent),
        ],
    )
}

/// Returns the executables with a sanitizer that were linked for a package.
fn sanitized(package: &str) -> Vec<PathBuf> {
    let start = format!("{}-", package.replace('-', "_"));
    let targets = std::fs::read_dir(support::shared().join("symex")).expect("a directory");
    let of_target = |folder: std::fs::DirEntry| {
        let files = std::fs::read_dir(folder.path().join("debug/deps"));
        files.into_iter().flatten().flatten()
    };
    let files = targets.flatten().flat_map(of_target);
    let paths = files.map(|file| file.path());
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&start) && name.ends_with(".sanitized")
    };
    paths.filter(is_one).collect()
}

/// Asserts that a run printed this line, such as `= confirmed: …`.
#[track_caller]
fn says(run: &Run, line: &str) {
    let mut lines = run.stdout.lines();
    let is_it = |said: &str| said.trim_start() == line;
    assert!(lines.any(is_it), "{line} is not in\n{}", run.stdout);
}

#[test]
fn without_clangs_library_a_note_says_so() {
    let tree = silent_in_c("c-in-a-crate-unsanitized");
    for file in sanitized("c-in-a-crate-unsanitized") {
        std::fs::remove_file(file).expect("removed");
    }
    // A clang without the AddressSanitizer library.
    let real = "for clang in /usr/lib/llvm-22/bin/clang \"$(command -v clang-22)\"; do test -x \"$clang\" && break; done";
    let refuse =
        "case \" $* \" in *' -fsanitize=address '*) echo 'no such library' >&2; exit 1;; esac";
    let path = std::env::var("PATH").expect("a path");
    let script = format!("#!/bin/sh\n{refuse}\nPATH='{path}'\n{real}\nexec \"$clang\" \"$@\"\n");
    tree.script("bin/clang-22", &script);
    let path = format!("{}:{path}", tree.path().join("bin").display());
    let args = ["--no-write", "--leaks"];
    let run = tree.symex_with(&args, &[("PATH", &path)]).code(1);
    let note = "without AddressSanitizer: clang's library for it is not installed (Debian: libclang-rt-22-dev)";
    says(
        &run,
        &format!("= not reproduced natively: {SILENT}; {note}"),
    );
    let leak = "= not reproduced natively: a leak is silent without LeakSanitizer";
    says(&run, &format!("{leak}; {note}"));
    assert_eq!(sanitized("c-in-a-crate-unsanitized"), Vec::<PathBuf>::new());
}

#[test]
fn without_a_clang_that_fits_a_crate_with_c_gets_one_message() {
    let tree = silent_in_c("c-in-a-crate-unread");
    tree.write(
        "src/lib.rs",
        &(tree.read("src/lib.rs")
            + "#[cfg(test)] mod rust { #[symex::harness] fn alone(x: u8) { assert!(x.count_ones() < 9); } }"),
    );
    // A rustc that reports an LLVM older than any clang that is looked for.
    let path = std::env::var("PATH").expect("a path");
    let old = "case \" $* \" in *' -vV '*) rustc \"$@\" | sed 's/^LLVM version: .*/LLVM version: 9.0.0/'; exit;; esac";
    let script = format!("#!/bin/sh\nPATH='{path}'\n{old}\nexec rustc \"$@\"\n");
    tree.script("bin/rustc", &script);
    let path = format!("{}:{path}", tree.path().join("bin").display());
    let run = tree.symex_with(&["--no-write"], &[("PATH", &path)]).code(3);
    assert!(
        run.stdout.contains("rust::alone ... pass (complete)"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains(
            "tests::reads ... inconclusive (no bitcode of `at`: machine code in `libsilent"
        ),
        "{}",
        run.stdout
    );
    let message = "warning: C of these crates was not explored: no clang that fits was found";
    assert_eq!(run.stderr.matches(message).count(), 1, "{}", run.stderr);
    assert!(
        run.stderr
            .contains("help: C is read by clang, of a version up to 9"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_only_a_sanitizer_sees_is_confirmed_and_replayed_with_it() {
    if !has_sanitizer() {
        return;
    }
    let tree = silent_in_c("c-in-a-crate-sanitized");
    let run = tree.symex(&["--leaks"]).code(1);
    says(
        &run,
        "= confirmed: natively: AddressSanitizer: heap-buffer-overflow",
    );
    says(
        &run,
        "= confirmed: natively: LeakSanitizer: detected memory leaks",
    );
    let written =
        |harness: &str| tree.read(&format!("symex-regressions/src/lib/tests/{harness}.rs"));
    let reads = written("reads");
    let comment = "\
// out-of-bounds: read of 1 byte beyond the bounds of a heap allocation of 4 bytes at c/silent.c:4 (AddressSanitizer: heap-buffer-overflow)
// Plain `cargo test` may not show it: that takes AddressSanitizer, with which `cargo symex replay` runs it, too.
#[test]
fn reads_";
    assert!(reads.contains(comment), "{reads}");
    let keeps = written("keeps");
    let comment = "// Plain `cargo test` does not show it: that takes LeakSanitizer.\n#[test]\n";
    assert!(keeps.contains(comment), "{keeps}");
    // Both are ordinary tests.
    tree.cargo(&["test", "--quiet"]).code(0);
    let run = tree.symex(&["replay"]).code(1);
    let line = |start: &str| {
        let mut lines = run.stdout.lines();
        let line = lines.find(|line| line.starts_with(start));
        line.expect("it was run").to_owned()
    };
    let failed = "failed: AddressSanitizer: heap-buffer-overflow";
    assert!(line("tests::symex_reads::reads_").ends_with(failed));
    assert!(line("tests::symex_keeps::keeps_").ends_with("... passed"));
}

#[test]
fn pure_rust_has_no_sanitizer() {
    let name = "c-in-a-crate-without-c";
    let source = r#"
        #[cfg(test)]
        mod tests {
            #[symex::harness]
            fn reads(index: u8) {
                let bytes = vec![1u8; 4];
                symex::assume(index <= 4);
                assert!(unsafe { bytes.as_ptr().add(index.into()).read() } & 15 < 255);
            }
        }"#;
    let run = Crate::library(name, source).symex(&["--no-write"]).code(1);
    says(&run, &format!("= not reproduced natively: {SILENT}"));
    assert_eq!(sanitized(name), Vec::<PathBuf>::new());
}

/// Compares native runs with the exploration: a sample of paths must agree, and loud findings must
/// be confirmed. Returns the complaint, if any.
fn compare_natively(name: &str, line: &Value) -> Option<String> {
    let paths = &line["native_paths"];
    if paths.is_object() && (paths["ran"] != paths["agree"] || !paths["failed"].is_null()) {
        return Some(format!("{name}: {paths:#}"));
    }
    if line["verdict"] == "pass-complete" && paths["ran"].as_u64().is_none_or(|ran| ran == 0) {
        return Some(format!("{name}: no path was run natively"));
    }
    None
}

/// In the trace of an error in C called by Rust called by C, each frame stands at its call.
fn the_trace_crosses_both(tree: &Crate, findings: &[Value]) {
    let name = "errors::through_both_wrong";
    let error = findings.iter().find(|line| line["harness"] == name);
    let error = error.expect("there is a finding");
    assert_eq!(error["replay"]["status"], "confirmed", "{error:#}");
    let expected = [
        ("weigh", "c/errors.c", "return weights[index];"),
        ("add", "src/errors.rs", "u32::from(weigh(at))"),
        ("walk", "c/errors.c", "f(context, text + i);"),
        ("split", "c/errors.c", "walk(text, length, f, context);"),
        ("sum", "src/errors.rs", "split(text.as_ptr()"),
        ("through_both_wrong", "src/errors.rs", "sum(&text);"),
    ];
    let trace = error["finding"]["trace"].as_array().expect("frames");
    // The outermost frame is the entry that the macro generates.
    let (outermost, trace) = trace.split_last().expect("there are some");
    assert!(
        outermost["function"]
            .as_str()
            .is_some_and(|f| f.ends_with("::entry"))
    );
    assert_eq!(trace.len(), expected.len(), "{error:#}");
    for (frame, (function, file, code)) in trace.iter().zip(expected) {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        assert!(text(&frame["function"]).ends_with(function), "{frame}");
        assert!(text(&frame["at"]["file"]).ends_with(file), "{frame}");
        let line = frame["at"]["line"].as_u64().expect("a number") as usize;
        let source = tree.read(file);
        let source = source.lines().nth(line - 1).expect("the line is there");
        assert!(source.contains(code), "{frame}: {source}");
    }
}

#[test]
fn machine_code_is_named_with_what_to_do() {
    let name = "c-in-a-crate-assembly";
    let manifest = support::manifest(name).replace(
        "[workspace]",
        "[build-dependencies]\ncc = \"1\"\n\n[features]\npure = []\n\n[workspace]",
    );
    let script = r#"fn main() {
        println!("cargo::rerun-if-changed=c");
        let mut build = cc::Build::new();
        build.file("c/dispatch.c");
        match std::env::var_os("CARGO_FEATURE_PURE") {
            Some(_) => build.define("PURE", None),
            None => build.file("c/fast.S"),
        };
        build.compile("mixing");
    }"#;
    let library = r#"
        unsafe extern "C" { safe fn mix(x: u32) -> u32; }
        #[cfg(test)]
        mod tests {
            #[symex::harness]
            fn mixes(x: u32) {
                assert_eq!(super::mix(x), x ^ 5);
            }
        }"#;
    let dispatch = "
        unsigned mix_fast(unsigned);
        static unsigned mix_portable(unsigned x) { return x ^ 5; }
        unsigned mix(unsigned x) {
        #ifndef PURE
            if (x > 100) return mix_fast(x);
        #endif
            return mix_portable(x);
        }";
    let fast = ".globl mix_fast\n.text\nmix_fast:\n mov %edi, %eax\n xor $5, %eax\n ret\n\
                .section .note.GNU-stack,\"\",@progbits\n";
    let tree = Crate::files(
        name,
        &[
            ("Cargo.toml", &manifest),
            ("build.rs", script),
            ("src/lib.rs", library),
            ("c/dispatch.c", dispatch),
            ("c/fast.S", fast),
        ],
    );
    let run = tree.symex(&[]).code(3);
    let line = run.stdout.lines().find(|line| line.contains(" ... "));
    let line = line.expect("a verdict");
    let start =
        "tests::mixes ... inconclusive (no bitcode of `mix_fast`: machine code in `libmixing";
    assert!(
        line.starts_with(start) && line.contains("fast.o)`"),
        "{line}"
    );
    let help = "see whether the crate has a feature without them";
    let text = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(help), "{}", run.stdout);
    let run = tree.symex(&["--features", "pure"]).code(0);
    assert!(
        run.stdout.contains("tests::mixes ... pass (complete)"),
        "{}",
        run.stdout
    );
}
