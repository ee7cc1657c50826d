//! The rules that the compiler does not check: a layer uses only lower ones, outside libraries stay in their folders,
//! files stay short and say what they are, and the map in `cargo-symex/src/lib.rs` is the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The modules of the engine, a line a layer, lowest first. A module may use itself and what stands in lines above.
const LAYERS: &[&[&str]] = &[
    &["splitmix"],
    &["toolchain", "config", "outcome"],
    &["event", "expr", "program"],
    &["points_to", "solver", "bitcode"],
    &["memory"],
    &["state"],
    &["search"],
    &["exec"],
    &["models"],
    &["engine"],
    &["build", "report", "store"],
    &["cli"],
];

/// Lower layers that a module does not use all the same, and why.
const KEPT_APART: &[(&str, &str, &str)] = &[
    (
        "state",
        "solver",
        "a state is data; it is asked about, it does not ask",
    ),
    ("memory", "bitcode", "LLVM ends at the program"),
    ("exec", "bitcode", "LLVM ends at the program"),
    ("models", "bitcode", "LLVM ends at the program"),
    (
        "search",
        "solver",
        "an order of exploration needs no answers",
    ),
    (
        "report",
        "exec",
        "reports know outcomes and events, not the engine",
    ),
    (
        "report",
        "engine",
        "reports know outcomes and events, not the engine",
    ),
    ("build", "engine", "building knows nothing of exploration"),
    (
        "store",
        "engine",
        "what is kept is data; nothing is explored",
    ),
    ("store", "exec", "what is kept is data; nothing is explored"),
];

/// Text that names an outside library, and the only folder that may contain it.
const FOLDERS: &[(&str, &[&str])] = &[
    ("bitcode/", &["inkwell", "llvm_sys"]),
    // What answers with a number that a newer LLVM may have more of is asked in one place.
    (
        "bitcode/llvm/",
        &[
            "libloading",
            "LLVMGetInstructionOpcode",
            "LLVMGetConstOpcode",
            "LLVMGetTypeKind",
            "LLVMGetValueKind",
            "LLVMGetLinkage",
            "LLVMGetMetadataKind",
        ],
    ),
    ("solver/backend/", &["z3_sys"]),
    ("store/", &["rusqlite"]),
    ("cli/", &["clap::"]),
];

const MAX_LINES: usize = 800;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("a workspace")
        .to_owned()
}

fn engine() -> PathBuf {
    workspace().join("cargo-symex/src")
}

/// All Rust files below a directory with their text, by path relative to it. Programs that tests run are left out.
fn sources(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                if !["target", "programs", "ui"].contains(&name.as_str()) {
                    open.push(path);
                }
            } else if name.ends_with(".rs") {
                let relative = path
                    .strip_prefix(root)
                    .expect("below the root")
                    .display()
                    .to_string();
                found.insert(relative, std::fs::read_to_string(&path).expect("text"));
            }
        }
    }
    assert!(!found.is_empty(), "{}", root.display());
    found
}

/// Only tests, by the name of the file.
fn is_test(file: &str) -> bool {
    let name = file.trim_end_matches(".rs");
    file.contains("tests/") || ["tests", "fuzz"].iter().any(|end| name.ends_with(end))
}

/// The module of the first level that a file belongs to.
fn module(file: &str) -> &str {
    file.split('/')
        .next()
        .unwrap_or(file)
        .trim_end_matches(".rs")
}

fn level(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The modules of the first level named by `crate::…` in a text, outside comments and its tests, with the line.
fn uses(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line == "mod tests {" {
            break;
        }
        let code = line.split("//").next().unwrap_or(line);
        for (at, _) in code.match_indices("crate::") {
            // `$crate::` of a macro is the same; `some_crate::` is another crate.
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &code[at + "crate::".len()..];
            let names: Vec<&str> = match rest.strip_prefix('{') {
                Some(list) => list.split([',', '}']).map(str::trim).collect(),
                None => vec![rest],
            };
            for name in names {
                let end = name
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(name.len());
                if end > 0 {
                    found.push((number + 1, name[..end].to_owned()));
                }
            }
        }
    }
    found
}

#[track_caller]
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn a_layer_uses_only_lower_ones() {
    let mut complaints = Vec::new();
    for (file, text) in sources(&engine()) {
        let user = module(&file);
        if ["lib", "main"].contains(&user) || is_test(&file) {
            continue;
        }
        let Some(own) = level(user) else {
            complaints.push(format!("{file}: `{user}` is in no layer"));
            continue;
        };
        for (line, used) in uses(&text) {
            let apart = KEPT_APART
                .iter()
                .find(|(a, b, _)| (*a, *b) == (user, used.as_str()));
            match level(&used) {
                _ if used == user => {}
                None => complaints.push(format!("{file}:{line}: `{used}` is in no layer")),
                Some(other) if other >= own => {
                    complaints.push(format!(
                        "{file}:{line}: {user} uses {used}, which is not below it"
                    ));
                }
                Some(_) => {
                    if let Some((_, _, why)) = apart {
                        complaints.push(format!("{file}:{line}: {user} uses {used}: {why}"));
                    }
                }
            }
        }
    }
    none(complaints);
}

#[test]
fn uses_are_read_as_the_compiler_reads_them() {
    let text = "use crate::a::B;\nuse crate::{b, c::D};\nlet x = crate::e::f(); // crate::g\nother_crate::h();\nmod tests {\ncrate::i";
    let found: Vec<(usize, String)> = uses(text);
    let expected =
        [(1, "a"), (2, "b"), (2, "c"), (3, "e")].map(|(line, name)| (line, name.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn outside_libraries_are_named_in_one_folder_each() {
    let mut complaints = Vec::new();
    for (file, text) in sources(&engine()) {
        for (folder, names) in FOLDERS {
            if file.starts_with(folder) {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                if let Some(name) = names.iter().find(|name| code.contains(**name)) {
                    complaints.push(format!(
                        "{file}:{}: `{name}` belongs in {folder}",
                        number + 1
                    ));
                }
            }
        }
    }
    none(complaints);
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut complaints = Vec::new();
    for root in [
        "cargo-symex/src",
        "symex-macros/src",
        "symex-runtime/src",
        "cargo-symex/crates/symex-z3",
        "tests",
    ] {
        for (file, text) in sources(&workspace().join(root)) {
            let lines = text.lines().count();
            if lines > MAX_LINES && !is_test(&file) && root != "tests" {
                complaints.push(format!(
                    "{root}/{file}: {lines} lines, more than {MAX_LINES}"
                ));
            }
            // The head of a file of tests is that of the file it tests.
            if !text.starts_with("//!") && !is_test(&file) {
                complaints.push(format!("{root}/{file}: does not begin with `//!`"));
            }
        }
    }
    none(complaints);
}

/// The map in the crate's documentation: a row `| module | … |` for each module, in the order of the layers.
#[test]
fn the_map_is_the_tree() {
    let text = std::fs::read_to_string(engine().join("lib.rs")).expect("the crate's root");
    let rows: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let mapped: Vec<&str> = rows
        .iter()
        .copied()
        .filter(|name| level(name).is_some())
        .collect();
    let layers: Vec<&str> = LAYERS.concat();
    assert_eq!(mapped, layers, "the map's rows and the layers of this test");

    let declared: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let tree: BTreeSet<String> = std::fs::read_dir(engine())
        .expect("the sources")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .map(|name| module(&name).to_owned())
        .filter(|name| !["lib", "main"].contains(&name.as_str()))
        .collect();
    let layers: BTreeSet<&str> = layers.into_iter().collect();
    assert_eq!(declared, layers, "the modules that lib.rs declares");
    assert_eq!(
        tree.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        layers,
        "the files there are"
    );
}

/// Paths that README.md and the crate's documentation name exist, in the workspace or among the engine's sources.
#[test]
fn paths_in_the_documentation_exist() {
    let places = [workspace(), engine()];
    let folders: Vec<String> = places.iter().flat_map(|place| entries(place)).collect();
    let mut complaints = Vec::new();
    for file in ["README.md", "cargo-symex/src/lib.rs"] {
        let text = std::fs::read_to_string(workspace().join(file)).expect("text");
        for line in text.lines() {
            for quoted in line.split('`').skip(1).step_by(2) {
                let Some((folder, _)) = quoted.split_once('/') else {
                    continue;
                };
                let is_path = quoted
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
                let ours = is_path && folders.iter().any(|name| name == folder);
                if ours && !places.iter().any(|place| place.join(quoted).exists()) {
                    complaints.push(format!("{file}: `{quoted}` does not exist"));
                }
            }
        }
    }
    none(complaints);
}

fn entries(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}
