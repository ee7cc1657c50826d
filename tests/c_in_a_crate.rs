//! What C and Rust pass each other within a crate: structures by value, callbacks, variable arguments, layouts, symbols, ways
//! of control, panics. For each concern some harnesses hold for all inputs, and what the engine says of their paths is what
//! native runs print; others are wrong.

mod support;

use serde_json::Value;
use support::expectation::{compare, of_harnesses};
use support::{Crate, limited, workspace};

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
}

/// Does a sample of paths do natively what was explored, and do loud findings show?
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

/// An error in C that Rust called which C had called: each frame stands at its call.
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
    // What the macro makes calls the harness.
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
