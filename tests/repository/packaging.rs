//! Tests of the packages as they would be published: each is self-contained, with its licences and
//! its description, and requires matching versions of the others. The packages are created, not
//! built.

use crate::support::{limited, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages, in the order in which they have to be published.
const PACKAGES: &[&str] = &[
    "symex-abi",
    "symex-macros",
    "symex-runtime",
    "symex-z3",
    "symex-types",
    "symex-terms",
    "symex-program",
    "symex-points-to",
    "symex-bitcode",
    "symex-solver",
    "symex-memory",
    "symex-engine",
    "symex-cluster",
    "cargo-symex",
];

fn cargo(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(words)
        .arg("--offline")
        .current_dir(workspace());
    let output = limited::output(&mut command);
    assert!(
        output.status.success(),
        "cargo {words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

/// Returns cargo's metadata of the workspace's own packages.
fn metadata() -> Vec<Value> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let mut all: Value = serde_json::from_str(&text).expect("JSON");
    match all["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("{other}"),
    }
}

/// Creates all packages and unpacks them; returns the folders, in the order of [`PACKAGES`].
fn unpacked() -> Vec<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging");
    let into = target.join("unpacked");
    let _ = std::fs::remove_dir_all(&into);
    std::fs::create_dir_all(&into).expect("created");
    let folder = target.to_str().expect("text");
    cargo(&[
        "package",
        "--workspace",
        // It is not published, and what it depends on is not, either.
        "--exclude",
        "symex-kani",
        "--no-verify",
        "--allow-dirty",
        "--target-dir",
        folder,
    ]);
    let version = env!("CARGO_PKG_VERSION");
    PACKAGES
        .iter()
        .map(|name| {
            let file = target.join(format!("package/{name}-{version}.crate"));
            let mut tar = Command::new("tar");
            tar.arg("-xzf").arg(&file).arg("-C").arg(&into);
            assert!(limited::output(&mut tar).status.success(), "{name}");
            into.join(format!("{name}-{version}"))
        })
        .collect()
}

/// Collects all files with some extension below a folder.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
}

/// Returns the paths that a source names for the compiler to read, with the line, except in code
/// that only tests compile.
fn paths_read(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut for_tests = false;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line == "mod tests {" {
            break;
        }
        for start in [
            "include_str!(\"",
            "include_bytes!(\"",
            "include!(\"",
            "#[path = \"",
        ] {
            let path = line
                .split_once(start)
                .and_then(|(_, rest)| rest.split_once('"'));
            if let Some((path, _)) = path
                && !for_tests
                && !line.starts_with("//")
            {
                found.push((number + 1, path));
            }
        }
        for_tests = line == "#[cfg(test)]" || for_tests && line.starts_with("#[");
    }
    found
}

#[test]
fn packages_are_whole() {
    let root = workspace();
    let header = std::fs::read(root.join("symex-runtime/include/symex.h")).expect("the header");
    let mut with_header = Vec::new();
    let mut complaints = Vec::new();
    for (name, folder) in PACKAGES.iter().zip(unpacked()) {
        let packed = folder.join("include/symex.h");
        if packed.is_file() && !packed.is_symlink() {
            assert!(std::fs::read(packed).ok() == Some(header.clone()), "{name}");
            with_header.push(*name);
        }
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        if manifest.contains("\"../") {
            complaints.push(format!("{}: a path leads out of it", folder.display()));
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let packed = std::fs::read(folder.join(licence)).ok();
            if packed != std::fs::read(root.join(licence)).ok() {
                complaints.push(format!("{}: no {licence}", folder.display()));
            }
        }
        if *name == "cargo-symex" {
            for file in [
                "Cargo.lock",
                "symex-kani/lib.rs",
                "symex-runtime/native/run.rs",
            ] {
                assert!(folder.join("carried").join(file).is_file(), "{file}");
            }
        }
        let mut sources = Vec::new();
        files(&folder, "rs", &mut sources);
        assert!(!sources.is_empty(), "{}", folder.display());
        for source in sources {
            // Code that only tests compile is not built from a package.
            // That of a library which the tool carries is written out first.
            let carried = ["tests", "carried"];
            let mut parts = source.components();
            if parts.any(|part| carried.iter().any(|name| part.as_os_str() == *name)) {
                continue;
            }
            let text = std::fs::read_to_string(&source).expect("text");
            let beside = source.parent().expect("a folder");
            for (line, path) in paths_read(&text) {
                let inside = beside
                    .join(path)
                    .canonicalize()
                    .is_ok_and(|path| path.starts_with(&folder));
                if !inside {
                    complaints.push(format!("{}:{line}: {path}", source.display()));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    // symex-runtime has the header for C compiled without the tool, symex-abi for the tool.
    assert_eq!(with_header, ["symex-abi", "symex-runtime"]);
}

#[test]
fn packages_say_what_they_are() {
    let packages = metadata();
    let mut names: Vec<&str> = packages
        .iter()
        .filter(|package| package["publish"].is_null())
        .filter_map(|package| package["name"].as_str())
        .collect();
    names.sort_unstable();
    let mut known = PACKAGES.to_vec();
    known.sort_unstable();
    assert_eq!(names, known);
    for package in &packages {
        let name = &package["name"];
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "{name}");
        for key in ["description", "license", "readme", "rust_version"] {
            assert!(package[key].is_string(), "{name}: no {key}");
        }
        for key in ["keywords", "categories"] {
            let count = package[key].as_array().expect("a list").len();
            assert!((1..=5).contains(&count), "{name}: {count} {key}");
        }
    }
}

/// Each package requires the current versions of the others; the macros fit one runtime only.
#[test]
fn packages_ask_for_each_other() {
    let version = env!("CARGO_PKG_VERSION");
    let mut asked: Vec<String> = Vec::new();
    for package in metadata() {
        for dependency in package["dependencies"].as_array().expect("a list") {
            let name = dependency["name"].as_str().expect("a name");
            let from = package["name"].as_str().expect("a name");
            let published = PACKAGES.contains(&from) && PACKAGES.contains(&name);
            if !published || dependency["kind"] == "dev" {
                continue;
            }
            let requirement = dependency["req"].as_str().expect("a requirement");
            asked.push(format!("{from}: {name} {requirement}"));
            let place = |name| PACKAGES.iter().position(|package| *package == name);
            assert!(
                place(name) < place(from),
                "{from} is published before {name}"
            );
        }
    }
    // Packages of the engine depend on each other's internals; only symex-z3 is independent.
    let fitting = |asked: &&String| asked.ends_with(&format!(" ={version}"));
    let (exact, other): (Vec<&String>, Vec<&String>) = asked.iter().partition(fitting);
    assert_eq!(other, [&format!("symex-solver: symex-z3 ^{version}")]);
    assert!(exact.contains(&&format!("symex-runtime: symex-macros ={version}")));
    assert!(exact.contains(&&format!("symex-runtime: symex-abi ={version}")));
    assert!(exact.contains(&&format!("cargo-symex: symex-abi ={version}")));
    assert!(exact.contains(&&format!("cargo-symex: symex-engine ={version}")));
}

#[test]
fn paths_for_tests_are_passed_over() {
    let text = "#[cfg(test)]\n#[path = \"../a.rs\"]\nmod a;\n#[path = \"b.rs\"]\nmod b;\n\
                const C: &str = include_str!(\"c\");\nmod tests {\n    include!(\"d\");\n}\n";
    assert_eq!(paths_read(text), [(4, "b.rs"), (6, "c")]);
}
