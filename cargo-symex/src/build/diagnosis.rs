//! Finds causes of compile errors that have to do with this tool: packages that do not depend on
//! the runtime, recorded regression tests that do not fit their harness any more, and crates that
//! other tools build with nightly Rust.
//!
//! Cargo shows the compiler's messages itself. Only if a package gives reason to look, cargo is run
//! once more with machine-readable messages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};
use cargo_metadata::{Message, Metadata, Package};
use symex_abi::names::REGRESSIONS;

/// The library that harnesses need.
const RUNTIME: &str = "symex-runtime";

/// Causes of compile errors that a user may not see in the compiler's messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// Manifests of packages that name `symex` and do not depend on the runtime.
    pub without_runtime: BTreeSet<PathBuf>,
    /// Files of recorded tests that contain errors.
    pub recorded: BTreeSet<PathBuf>,
    /// Whether a crate asks for features that only nightly Rust has.
    pub needs_nightly: bool,
}

impl Diagnosis {
    /// Examines the messages of a run of cargo. `again` prepares that run for a given message
    /// format.
    pub(super) fn of(metadata: &Metadata, again: impl FnOnce(&str) -> Command) -> Self {
        let is_worth_it = |package: &Package| {
            let directory = package.manifest_path.parent();
            !has_runtime(package)
                || directory.is_some_and(|package| package.join(REGRESSIONS).is_dir())
        };
        let mut diagnosis = Diagnosis::default();
        if !metadata.packages.iter().any(is_worth_it) {
            return diagnosis;
        }
        let mut command = again("--message-format=json");
        command.stdin(Stdio::null()).stderr(Stdio::null());
        let Ok(output) = command.output() else {
            return diagnosis;
        };
        for message in Message::parse_stream(output.stdout.as_slice()).flatten() {
            if let Message::CompilerMessage(message) = message
                && message.message.level == DiagnosticLevel::Error
            {
                let known = metadata.packages.iter();
                let package = known
                    .into_iter()
                    .find(|package| package.id == message.package_id);
                diagnosis.look_at(&message.message, package, metadata);
            }
        }
        diagnosis
    }

    fn look_at(&mut self, error: &Diagnostic, package: Option<&Package>, metadata: &Metadata) {
        let code = error.code.as_ref().map(|code| code.code.as_str());
        self.needs_nightly |= code == Some("E0554");
        let unresolved = code.is_some_and(|code| ["E0432", "E0433", "E0463"].contains(&code));
        if let Some(package) = package.filter(|package| !has_runtime(package))
            && unresolved
            && error.message.contains("`symex")
        {
            let manifest = package.manifest_path.as_std_path();
            self.without_runtime.insert(manifest.to_owned());
        }
        let root = metadata.workspace_root.as_std_path();
        let mut files = BTreeSet::new();
        let children = error.children.iter().flat_map(|child| &child.spans);
        for span in error.spans.iter().chain(children) {
            files_of(span, &mut files);
        }
        let recorded = files.iter().map(|file| root.join(file));
        self.recorded.extend(recorded.filter(|file| {
            file.components()
                .any(|component| component.as_os_str() == REGRESSIONS)
        }));
    }
}

/// Reports whether a package depends on the runtime, under whatever name.
pub fn has_runtime(package: &Package) -> bool {
    let mut dependencies = package.dependencies.iter();
    dependencies.any(|dependency| dependency.name == RUNTIME)
}

/// Collects the files of a place in code and of the macros that led there.
fn files_of<'a>(span: &'a DiagnosticSpan, files: &mut BTreeSet<&'a Path>) {
    files.insert(Path::new(&span.file_name));
    if let Some(expansion) = &span.expansion {
        files_of(&expansion.span, files);
    }
}
