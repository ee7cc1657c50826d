//! Expected results in programs: `// expect: VERDICT [KIND] [paths N]`, before a harness in Rust or
//! at the head of a C file.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The expected result of a program.
#[derive(Debug)]
pub struct Expectation {
    pub verdict: String,
    pub kind: Option<String>,
    pub paths: Option<u64>,
}

/// Parses the expectation in a line, if there is one.
pub fn expectation(line: &str) -> Option<Expectation> {
    let mut words = line.trim().strip_prefix("// expect: ")?.split_whitespace();
    let verdict = words.next()?.to_string();
    let rest: Vec<&str> = words.collect();
    let paths = rest
        .iter()
        .position(|w| *w == "paths")
        .map(|i| rest[i + 1].parse().expect("a number of paths"));
    let kind = rest
        .first()
        .filter(|w| **w != "paths")
        .map(|w| w.to_string());
    Some(Expectation {
        verdict,
        kind,
        paths,
    })
}

/// Compares one `harness-finished` object with the expectation; returns the complaint, if any.
pub fn compare(name: &str, finished: &Value, expected: &Expectation) -> Option<String> {
    let verdict = finished["verdict"].as_str().unwrap_or("none");
    let kinds: Vec<&str> = finished["findings"]
        .as_array()
        .map(|f| f.iter().filter_map(|f| f["kind"].as_str()).collect())
        .unwrap_or_default();
    let paths = finished["stats"]["paths"].as_u64();
    let right = verdict == expected.verdict
        && expected
            .kind
            .as_ref()
            .is_none_or(|k| kinds.contains(&k.as_str()))
        && (verdict == "bug" || kinds.is_empty())
        && expected.paths.is_none_or(|p| paths == Some(p));
    if right {
        return None;
    }
    let text = finished["verdict_text"].as_str().unwrap_or("");
    Some(format!(
        "{name}: {text} {kinds:?}, {paths:?} paths, where {expected:?} was expected"
    ))
}

/// Returns the files of a folder with this extension, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of programs")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

/// Returns the expectations of the harnesses in a folder of modules, by their paths.
pub fn of_harnesses(folder: &Path) -> BTreeMap<String, Expectation> {
    let mut expected = BTreeMap::new();
    for source in files(folder, "rs") {
        let module = source
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&source).expect("the source");
        let mut next = None;
        for line in text.lines() {
            if let Some(e) = expectation(line) {
                next = Some(e);
            } else if let Some(rest) = line.trim().strip_prefix("fn ")
                && let Some(e) = next.take()
            {
                let name = rest.split('(').next().expect("a name");
                expected.insert(format!("{module}::{name}"), e);
            }
        }
    }
    expected
}
