//! Tests of `cargo symex fuzz` with the crate `libfuzzer-sys`, which has to be fetched.

use crate::support::{Crate, Run, bytes, fuzz_manifest};
use libtest_mimic::Trial;
use serde_json::Value;

pub fn trials() -> Vec<Trial> {
    vec![crate::trial(
        "fuzz_targets_of_libfuzzer_sys".to_owned(),
        fetched,
        |tree| explores_targets(&tree),
    )]
}

const DEPENDENCIES: &str = "libfuzzer-sys = \"0.4\"\n\
    arbitrary = { version = \"1\", features = [\"derive\"] }";

const SLICE: &str = r#"
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(!text.starts_with("né"));
    }
});
"#;

const TYPED: &str = r#"
#![no_main]
use libfuzzer_sys::{Corpus, fuzz_target};

#[derive(arbitrary::Arbitrary, Debug)]
struct Operation {
    kind: u8,
    value: u16,
    flag: Option<bool>,
}

fuzz_target!(|operation: Operation| -> Corpus {
    if operation.kind > 7 {
        return Corpus::Reject;
    }
    assert!(operation.kind <= 7);
    assert!(operation.value != 4711 || operation.flag != Some(true));
    Corpus::Keep
});
"#;

/// Makes a crate with fuzz targets, if what they depend on can be fetched.
fn fetched() -> Result<Crate, String> {
    let manifest = fuzz_manifest(DEPENDENCIES, &["slice", "typed"]);
    let files = [
        (
            "Cargo.toml",
            "[package]\nname = \"fuzzed\"\n[workspace]\nexclude = [\"fuzz\"]\n",
        ),
        ("src/lib.rs", ""),
        ("fuzz/Cargo.toml", &manifest),
        ("fuzz/fuzz_targets/slice.rs", SLICE),
        ("fuzz/fuzz_targets/typed.rs", TYPED),
    ];
    let tree = Crate::files("fuzz_of_libfuzzer_sys", &files);
    let fetch = tree.cargo(&["fetch", "--manifest-path", "fuzz/Cargo.toml"]);
    match fetch.code {
        Some(0) => Ok(tree),
        _ => Err(format!("libfuzzer-sys cannot be fetched: {}", fetch.stderr)),
    }
}

fn explores_targets(tree: &Crate) {
    let run = tree.symex(&["fuzz", "--message-format", "json"]).code(1);
    let of = |name: &str| finding_of(&run, name);
    let slice = of("slice");
    let input = bytes(&slice["finding"]["inputs"][0]["bytes"]);
    assert!(input.starts_with("né".as_bytes()), "{input:?}");
    let source = slice["arguments"]["args"][0]["source"].as_str();
    assert!(
        source.is_some_and(|text| text.starts_with(r#"b"n\xc3\xa9"#)),
        "{source:?}"
    );
    assert_eq!(slice["arguments"]["args"][0]["type"], "&[u8]");
    let typed = of("typed");
    let argument = &typed["arguments"]["args"][0];
    assert_eq!(argument["name"], "operation");
    assert_eq!(argument["type"], "Operation");
    let words: Vec<&str> = argument["source"]
        .as_str()
        .expect("a text")
        .split_whitespace()
        .collect();
    let expected = "Operation { kind: 0, value: 4711, flag: Some( true, ), }";
    assert_eq!(words.join(" "), expected);
    for name in ["slice", "typed"] {
        let finding = of(name);
        assert_eq!(finding["replay"]["status"], "confirmed", "{finding}");
        assert_eq!(finding["test"]["status"], "written", "{finding}");
    }
    // Nothing was taken for granted but the length.
    let finished = &run.finished()["typed"];
    let bounds = finished["bounds"].as_array().expect("bounds");
    assert_eq!(bounds.len(), 1, "{bounds:?}");
}

/// Returns the only finding of a target.
fn finding_of(run: &Run, target: &str) -> Value {
    let is_it = |line: &Value| line["type"] == "finding" && line["harness"] == target;
    let mut found: Vec<Value> = run.json().into_iter().filter(is_it).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}
