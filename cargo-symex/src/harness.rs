//! A harness, as reports and the command line present it.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use symex_abi::names;
use symex_types::outcome::SourceLoc;

/// One `#[symex::harness]` of one test executable, or what takes its place.
#[derive(Clone, Debug, Default)]
pub struct TestHarness {
    /// Name shown and matched by filters; unique among the harnesses of a run.
    pub name: String,
    pub package: String,
    /// Name of the test target: the library's, the binary's or the integration test's.
    pub target: String,
    /// `lib`, `bin`, `test` and so on.
    pub target_kind: String,
    /// The value of `module_path!()`: crate name first.
    pub module: String,
    /// Name of the function as it is called: `r#type`, if the name is a keyword.
    pub function: String,
    /// Source file as `file!()` gives it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Root of the package.
    pub manifest_dir: PathBuf,
    /// File of the regression tests; `None` if the macro could not determine it.
    pub regressions: Option<PathBuf>,
    /// The arguments as written.
    pub args: String,
    /// Whether a panic is expected; the text must occur in its message.
    pub should_panic: Option<String>,
    /// Whether the harness carries `#[ignore]`.
    pub ignored: bool,
    pub attribute: Attribute,
    pub kind: HarnessKind,
}

/// Form in which a harness is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HarnessKind {
    /// A function with `#[symex::harness]`, or the program of files.
    #[default]
    Harness,
    /// A `#[test]` that runs cases of a property by proptest.
    PropertyTest,
    /// A `#[test]` that checks a property by quickcheck, for which a library of ours stands in.
    QuickCheckTest,
    /// A `#[test]` that checks a property by bolero, which draws by our library `kani`.
    BoleroTest,
    /// A fuzz target for libFuzzer.
    FuzzTarget,
    /// A function with `#[kani::proof]`.
    KaniProof,
}

/// Settings for the run from the harness's attribute.
#[derive(Clone, Debug, Default)]
pub struct Attribute {
    pub timeout: Option<Duration>,
    pub max_paths: Option<u64>,
    pub max_steps: Option<u64>,
    pub max_instructions: Option<u64>,
    pub max_queries: Option<u64>,
    pub max_memory: Option<u64>,
    pub memory_model: Option<String>,
}

impl TestHarness {
    /// Reports whether a panic on some input is expected, as opposed to one on every input. What is
    /// found then is that there is none, which no native run of one input shows.
    pub fn expects_some_panic(&self) -> bool {
        let of_kind = match self.kind {
            HarnessKind::Harness | HarnessKind::FuzzTarget => false,
            HarnessKind::KaniProof
            | HarnessKind::PropertyTest
            | HarnessKind::QuickCheckTest
            | HarnessKind::BoleroTest => true,
        };
        of_kind && self.should_panic.is_some()
    }

    /// Reports whether it is a test that draws its inputs itself, by a library, and so can be run
    /// with recorded inputs as it is, but is given none by a call.
    pub fn draws_itself(&self) -> bool {
        matches!(
            self.kind,
            HarnessKind::QuickCheckTest | HarnessKind::BoleroTest
        )
    }

    /// Returns the modules within the crate: `tests::deep`, or the empty string.
    pub fn inner_module(&self) -> &str {
        self.module.split_once("::").map_or("", |(_, inner)| inner)
    }

    /// Returns the path within the crate: `tests::parses`.
    pub fn path(&self) -> String {
        self.within_module(&self.function)
    }

    /// Returns the name of the `#[test]` that replays inputs natively.
    pub fn replay_test(&self) -> String {
        if self.draws_itself() {
            return self.path();
        }
        self.within_module(&format!("{}{}", names::TEST, self.plain_function()))
    }

    /// Returns the function's name without the prefix `r#`.
    pub fn plain_function(&self) -> &str {
        self.function.trim_start_matches("r#")
    }

    /// Returns the path of an item in the harness's module.
    pub fn within_module(&self, name: &str) -> String {
        match self.inner_module() {
            "" => name.to_owned(),
            module => format!("{module}::{name}"),
        }
    }

    /// Returns the place of the harness in the source.
    pub fn place(&self) -> SourceLoc {
        SourceLoc {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
        }
    }

    /// Returns the harness's source file.
    pub fn source_file(&self) -> Option<PathBuf> {
        find_source(&self.file, &self.manifest_dir)
    }
}

/// Finds the file that the compiler called `name`. The compiler runs in the root of the workspace,
/// which is the package's directory or one above it.
pub fn find_source(name: &str, manifest_dir: &Path) -> Option<PathBuf> {
    let name = Path::new(name);
    if name.is_absolute() {
        return name.is_file().then(|| name.to_owned());
    }
    manifest_dir
        .ancestors()
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_within_the_crate() {
        let mut harness = TestHarness {
            module: "krate::tests::deep".into(),
            function: "parses".into(),
            ..TestHarness::default()
        };
        assert_eq!(harness.path(), "tests::deep::parses");
        assert_eq!(harness.replay_test(), "tests::deep::symex_parses");
        harness.module = "krate".into();
        assert_eq!(harness.path(), "parses");
        assert_eq!(harness.replay_test(), "symex_parses");
        harness.function = "r#type".into();
        assert_eq!(harness.path(), "r#type");
        assert_eq!(harness.replay_test(), "symex_type");
    }

    #[test]
    fn sources_are_found_in_the_package_or_above() {
        let dir = tempfile::tempdir().unwrap();
        let package = dir.path().join("member");
        std::fs::create_dir_all(package.join("src")).unwrap();
        std::fs::write(package.join("src/lib.rs"), "").unwrap();
        let expected = Some(package.join("src/lib.rs"));
        assert_eq!(find_source("src/lib.rs", &package), expected);
        assert_eq!(find_source("member/src/lib.rs", &package), expected);
        assert_eq!(find_source("src/main.rs", &package), None);
    }
}
