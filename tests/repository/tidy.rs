//! Tests of the rules that the compiler does not check: a layer of a package uses only lower ones,
//! outside libraries stay in their folders, files stay short and begin with a description, and the
//! map in `cargo-symex/src/lib.rs` matches the tree.

use crate::support::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A package of several layers: the folder of its sources, and its modules, one line per layer,
/// lowest first. A module may use itself and modules in lines above. The compiler checks which
/// package uses which.
struct Layers {
    sources: &'static str,
    modules: &'static [&'static [&'static str]],
    /// Uses that the layers allow and that are forbidden nevertheless, with the reason.
    kept_apart: &'static [(&'static str, &'static str, &'static str)],
}

const LAYERS: &[Layers] = &[
    Layers {
        sources: "cargo-symex/crates/symex-types/src",
        modules: &[&["bits", "splitmix"], &["config", "outcome"], &["event"]],
        kept_apart: &[],
    },
    Layers {
        sources: "cargo-symex/crates/symex-engine/src",
        modules: &[
            &["state"],
            &["search"],
            &["exec"],
            &["models"],
            &["coverage"],
            &["explore"],
        ],
        kept_apart: &[
            (
                "state",
                "symex_solver",
                "a state is data; it is asked about, it does not ask",
            ),
            (
                "search",
                "symex_solver",
                "an order of exploration needs no answers",
            ),
        ],
    },
    Layers {
        sources: "cargo-symex/src",
        modules: &[
            &["build", "harness", "store", "judgement"],
            &["auto", "generalize", "source"],
            &["confirm"],
            &["ignored"],
            &["pipeline"],
            &["report"],
            &["cli"],
        ],
        kept_apart: &[
            (
                "report",
                "symex_solver",
                "reports know outcomes and events, not how they came about",
            ),
            (
                "confirm",
                "symex_solver",
                "a native run knows nothing of how its inputs were found",
            ),
            (
                "build",
                "symex_solver",
                "building knows nothing of exploration",
            ),
        ],
    },
];

/// Text that names an outside library, the package that depends on it, and the only folder of its
/// sources that may contain it.
const FOLDERS: &[(&str, &str, &[&str])] = &[
    // Functions whose numeric result may have new values in a newer LLVM are called in one folder
    // only.
    (
        "cargo-symex/crates/symex-bitcode/src",
        "llvm/",
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
    (
        "cargo-symex/crates/symex-solver/src",
        "backend/",
        &["z3_sys"],
    ),
    (
        "cargo-symex/crates/symex-cluster/src",
        "nats",
        &["async_nats"],
    ),
    ("cargo-symex/src", "store/", &["rusqlite"]),
    ("cargo-symex/src", "cli/", &["clap::"]),
];

const MAX_LINES: usize = 800;

/// Maximal width of a comment in columns; rows of tables cannot be broken.
const MAX_COLUMNS: usize = 100;

/// Returns the folders with sources of every package.
fn source_folders() -> Vec<String> {
    let crates = entries(&workspace().join("cargo-symex/crates"));
    let mut folders: Vec<String> = crates
        .iter()
        .map(|name| format!("cargo-symex/crates/{name}/src"))
        .collect();
    folders
        .extend(["cargo-symex", "symex-macros", "symex-runtime"].map(|name| format!("{name}/src")));
    folders.sort();
    folders
}

/// Returns all Rust files below a directory with their text, by path relative to it. Programs that
/// tests run are left out.
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

/// Reports whether a file contains only tests, judged by its name.
fn is_test(file: &str) -> bool {
    let name = file.trim_end_matches(".rs");
    file.contains("tests/") || ["tests", "fuzz"].iter().any(|end| name.ends_with(end))
}

/// Returns the module of the first level that a file belongs to.
fn module(file: &str) -> &str {
    file.split('/')
        .next()
        .unwrap_or(file)
        .trim_end_matches(".rs")
}

impl Layers {
    fn level(&self, module: &str) -> Option<usize> {
        self.modules
            .iter()
            .position(|layer| layer.contains(&module))
    }
}

/// Returns the modules of the first level named by `crate::…`, and our packages named by
/// `symex_…::`, in a text, outside comments and its tests, with the line.
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
        for (at, _) in code.match_indices("symex_") {
            let name = code[at..].split("::").next().unwrap_or_default();
            let is_package = code[at + name.len()..].starts_with("::")
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c));
            if is_package && !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                found.push((number + 1, name.to_owned()));
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
    for layers in LAYERS {
        for (file, text) in sources(&workspace().join(layers.sources)) {
            let user = module(&file);
            if ["lib", "main"].contains(&user) || is_test(&file) {
                continue;
            }
            let file = format!("{}/{file}", layers.sources);
            let Some(own) = layers.level(user) else {
                complaints.push(format!("{file}: `{user}` is in no layer"));
                continue;
            };
            for (line, used) in uses(&text) {
                let level = layers.level(&used);
                if used != user && level.is_some_and(|other| other >= own) {
                    complaints.push(format!(
                        "{file}:{line}: {user} uses {used}, which is not below it"
                    ));
                }
                if level.is_none()
                    && !used.starts_with("symex_")
                    && !text.contains(&format!("pub use {used}"))
                {
                    complaints.push(format!("{file}:{line}: `{used}` is in no layer"));
                }
                let apart = layers
                    .kept_apart
                    .iter()
                    .find(|(a, b, _)| (*a, *b) == (user, used.as_str()));
                if let Some((_, _, why)) = apart {
                    complaints.push(format!("{file}:{line}: {user} uses {used}: {why}"));
                }
            }
        }
    }
    none(complaints);
}

#[test]
fn uses_are_read_as_the_compiler_reads_them() {
    let text = "use crate::a::B;\nuse crate::{b, c::D};\nlet x = crate::e::f(); // crate::g\nother_crate::h();\nsymex_f::G;\nmod tests {\ncrate::i";
    let found: Vec<(usize, String)> = uses(text);
    let expected = [(1, "a"), (2, "b"), (2, "c"), (3, "e"), (5, "symex_f")]
        .map(|(line, name)| (line, name.to_owned()));
    assert_eq!(found, expected);
}

#[test]
fn outside_libraries_are_named_in_one_folder_each() {
    let mut complaints = Vec::new();
    for (package, folder, names) in FOLDERS {
        for (file, text) in sources(&workspace().join(package)) {
            if file.starts_with(folder) {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or(line);
                if let Some(name) = names.iter().find(|name| code.contains(**name)) {
                    complaints.push(format!(
                        "{package}/{file}:{}: `{name}` belongs in {folder}",
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
    let mut roots = source_folders();
    roots.push("tests".to_owned());
    for root in roots {
        for (file, text) in sources(&workspace().join(&root)) {
            let lines = text.lines().count();
            if lines > MAX_LINES && !is_test(&file) && root != "tests" {
                complaints.push(format!(
                    "{root}/{file}: {lines} lines, more than {MAX_LINES}"
                ));
            }
            // A file of tests is described by the file that it tests.
            if !text.starts_with("//!") && !is_test(&file) {
                complaints.push(format!("{root}/{file}: does not begin with `//!`"));
            }
        }
    }
    none(complaints);
}

#[test]
fn comments_are_narrow() {
    let mut complaints = Vec::new();
    for root in source_folders() {
        for (file, text) in sources(&workspace().join(&root)) {
            for (number, line) in text.lines().enumerate() {
                let comment = line.trim_start();
                let words = comment.trim_start_matches(['/', '!']).trim_start();
                let is_wide = line.chars().count() > MAX_COLUMNS;
                if is_wide && comment.starts_with("//") && !words.starts_with('|') {
                    complaints.push(format!("{root}/{file}:{}: a wide comment", number + 1));
                }
            }
        }
    }
    none(complaints);
}

/// The map in the documentation of `cargo-symex` has a row `| crate | … |` for each package, and
/// one for each of its own modules, in the order of the layers.
#[test]
fn the_map_is_the_tree() {
    let text = std::fs::read_to_string(workspace().join("cargo-symex/src/lib.rs")).expect("text");
    let rows: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let (packages, modules): (Vec<&str>, Vec<&str>) = rows
        .into_iter()
        .partition(|name| name.starts_with("symex-"));
    let packages: BTreeSet<&str> = packages.into_iter().collect();
    let tree = entries(&workspace().join("cargo-symex/crates"));
    let tree: BTreeSet<&str> = tree.iter().map(String::as_str).collect();
    assert_eq!(
        packages, tree,
        "the map's packages and the folders there are"
    );

    let own = LAYERS.last().expect("the command");
    assert_eq!(
        modules,
        own.modules.concat(),
        "the map's modules and the layers"
    );
    for layers in LAYERS {
        let declared: BTreeSet<&str> = layers.modules.concat().into_iter().collect();
        let tree: BTreeSet<String> = entries(&workspace().join(layers.sources))
            .into_iter()
            .map(|name| module(&name).to_owned())
            .filter(|name| !["lib", "main"].contains(&name.as_str()))
            .collect();
        assert_eq!(
            tree.iter().map(String::as_str).collect::<BTreeSet<_>>(),
            declared,
            "{}: the files there are",
            layers.sources
        );
    }
}

/// Paths that README.md, CONTRIBUTING.md, the pages of `docs` and the crate's documentation name
/// exist, in the workspace or among the sources of a package.
#[test]
fn paths_in_the_documentation_exist() {
    let mut places = vec![
        workspace(),
        workspace().join("cargo-symex"),
        workspace().join("cargo-symex/crates"),
    ];
    places.extend(
        source_folders()
            .iter()
            .map(|folder| workspace().join(folder)),
    );
    let mut folders: Vec<String> = places.iter().flat_map(|place| entries(place)).collect();
    // What is built may not be there.
    folders.retain(|folder| folder != "target");
    let mut complaints = Vec::new();
    let mut documents = vec![
        "README.md".to_owned(),
        "CONTRIBUTING.md".to_owned(),
        "cargo-symex/src/lib.rs".to_owned(),
    ];
    documents.extend(super::book::pages());
    for file in documents {
        let text = std::fs::read_to_string(workspace().join(&file)).expect("text");
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
