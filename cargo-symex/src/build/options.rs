//! Build options: the user's choices, as plain data.

use super::flags::Checks;
use serde_json::Value;
use std::path::PathBuf;

use symex_bitcode::link::LibraryFile;
use symex_bitcode::passes::PassProfile;
use symex_types::config::AliasingModel;

/// The targets of the chosen packages to build.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetSelection {
    /// `--lib`
    pub lib: bool,
    /// `--bins`
    pub bins: bool,
    /// `--bin NAME`
    pub bin: Vec<String>,
    /// `--tests`
    pub tests: bool,
    /// `--test NAME`
    pub test: Vec<String>,
    /// `--examples`
    pub examples: bool,
    /// `--example NAME`
    pub example: Vec<String>,
}

impl TargetSelection {
    /// Returns the flags for cargo. If nothing is chosen, everything that `cargo test` would run is
    /// built, except documentation tests.
    pub(super) fn to_flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        let all = [
            (self.lib, "--lib"),
            (self.bins, "--bins"),
            (self.tests, "--tests"),
            (self.examples, "--examples"),
        ];
        flags.extend(
            all.into_iter()
                .filter(|(chosen, _)| *chosen)
                .map(|(_, flag)| flag.to_owned()),
        );
        for (names, flag) in [
            (&self.bin, "--bin"),
            (&self.test, "--test"),
            (&self.example, "--example"),
        ] {
            flags.extend(
                names
                    .iter()
                    .flat_map(|name| [flag.to_owned(), name.clone()]),
            );
        }
        if flags.is_empty() {
            flags.push("--tests".to_owned());
        }
        flags
    }
}

/// All options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// The `cargo-symex` executable, which stands in as linker and C compiler during the build, and
    /// reads bitcode. `/proc/self/exe` is the one that runs, whatever is at its path by now.
    pub stand_in: PathBuf,
    /// Directory in which cargo is started. Default: the current directory of this process.
    pub current_dir: Option<PathBuf>,
    /// `--manifest-path`
    pub manifest_path: Option<PathBuf>,
    /// `-p SPEC`
    pub packages: Vec<String>,
    /// `--workspace`
    pub workspace: bool,
    /// `--exclude SPEC`
    pub exclude: Vec<String>,
    /// The targets to build.
    pub targets: TargetSelection,
    /// `--features`
    pub features: Vec<String>,
    /// `--all-features`
    pub all_features: bool,
    /// `--no-default-features`
    pub no_default_features: bool,
    /// `--target TRIPLE`; any machine but this one is refused.
    pub machines: Vec<String>,
    /// `--profile NAME`; what it says about optimisation, debug information and checks is
    /// overridden.
    pub profile: Option<String>,
    pub checks: Checks,
    /// Silences lints, also those that would be errors.
    pub without_lints: bool,
    /// `--locked`
    pub locked: bool,
    /// `--offline`
    pub offline: bool,
    /// `--frozen`
    pub frozen: bool,
    /// `-j N`
    pub jobs: Option<u32>,
    /// Arguments that are passed to cargo unchanged.
    pub cargo_arguments: Vec<String>,
    /// The target directory. Default: `symex` in the target directory of the workspace.
    pub target_dir: Option<PathBuf>,
    /// Directory of the stored parts of crates' libraries, shared by all projects. Default: in the
    /// target directory.
    pub parts: Option<PathBuf>,
    /// Receives the compiler's messages, as JSON; `None`: cargo shows them to people.
    pub messages: Option<fn(&Value)>,
    /// Suppresses cargo's progress output; errors are always shown.
    pub quiet: bool,
    /// Shows the commands that cargo and this tool run.
    pub verbose: bool,
    /// `always`, `never` or `auto`
    pub color: Option<String>,
    /// Functions that are never linked, because the engine models them: symbols, demangled paths,
    /// or prefixes of symbols with a `*`.
    pub opaque: Vec<String>,
    /// The C library in bitcode, if there is one.
    pub library: Option<LibraryFile>,
    /// Passes to run over the linked bitcode.
    pub passes: PassProfile,
    /// The executables to build.
    pub executables: Executables,
    /// Changed copies of sources that are built instead, for [`Executables::Tests`].
    pub changed: Option<ChangedTests>,
    /// The rules of references for which rustc is to say where they are made.
    pub aliasing: Option<AliasingModel>,
}

/// Test executables that are built from changed copies of their sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedTests {
    /// Root directory of the workspace.
    pub original: PathBuf,
    /// Directory with the same files, of which some are changed.
    pub copy: PathBuf,
    /// The executables that are built from there.
    pub roots: Vec<ChangedRoot>,
}

/// A test executable that is built from a changed copy of its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedRoot {
    /// Root source file in the workspace.
    pub source: PathBuf,
    /// Whether its package depends on the runtime.
    pub has_runtime: bool,
}

/// Executables with something to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Executables {
    /// Test executables, with harnesses.
    Tests,
    /// Binaries for libFuzzer, each a fuzz target.
    FuzzTargets,
    /// Test executables with proofs for Kani.
    KaniProofs,
    /// Test executables with tests by quickcheck, for which a library of ours takes its place.
    QuickCheckTests,
    /// Test executables with tests by bolero, built as for Kani, which it draws by then.
    BoleroTests,
}

impl BuildOptions {
    /// Returns the defaults: the package of the current directory, all its test targets.
    pub fn new(stand_in: impl Into<PathBuf>) -> Self {
        BuildOptions {
            stand_in: stand_in.into(),
            current_dir: None,
            manifest_path: None,
            packages: Vec::new(),
            workspace: false,
            exclude: Vec::new(),
            targets: TargetSelection::default(),
            features: Vec::new(),
            all_features: false,
            no_default_features: false,
            machines: Vec::new(),
            profile: None,
            checks: Checks::default(),
            without_lints: false,
            locked: false,
            offline: false,
            frozen: false,
            jobs: None,
            cargo_arguments: Vec::new(),
            target_dir: None,
            parts: None,
            messages: None,
            quiet: false,
            verbose: false,
            color: None,
            opaque: OPAQUE.map(str::to_owned).to_vec(),
            library: None,
            passes: PassProfile::default(),
            executables: Executables::Tests,
            changed: None,
            aliasing: None,
        }
    }
}

/// Functions that the engine models in every Rust program. Without this list, the code that prints
/// a backtrace would be nine tenths of a small program.
pub const OPAQUE: [&str; 4] = [
    // The hooks of symex-runtime; their bodies are for native runs.
    "symex_*",
    // Prints the message of a panic; the engine reports it instead.
    "std::panicking::default_hook",
    // Prints that memory is exhausted and aborts.
    "std::alloc::rust_oom",
    // Decides at run time what an `invoke` says in the bitcode.
    "rust_eh_personality",
];

#[cfg(test)]
mod tests {
    use super::OPAQUE;
    use symex_abi::hooks::PREFIX;

    #[test]
    fn hooks_are_opaque() {
        assert!(OPAQUE.contains(&format!("{PREFIX}*").as_str()));
    }
}
