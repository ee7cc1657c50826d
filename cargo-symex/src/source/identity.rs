//! What stays the same of a finding while the code around it is edited: by that it is recognised in
//! a later run, when line numbers, inputs and numbers in its message have changed.

use super::place::Places;
use super::trace;
use crate::harness::{TestHarness, find_source};
use serde::{Deserialize, Serialize};
use std::path::Path;
use symex_types::outcome::frame_owner::{FrameOwner, file_owner, frame_owner};
use symex_types::outcome::{Finding, FindingKind, SourceLoc};

/// Number of hexadecimal digits of a finding's id.
const ID: usize = 8;

/// What a finding is about.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// Path of the harness within its crate, which does not depend on what else is run.
    pub harness: String,
    pub kind: FindingKind,
    /// The innermost function of the user's, or of a dependency; empty if there is none.
    pub function: String,
    /// Text of the innermost line of source that belongs to no dependency, without what is around
    /// it; empty if there is none.
    pub line: String,
}

impl Identity {
    /// Returns what a finding of a harness is about. Its line is read from the source.
    pub fn of(harness: &TestHarness, finding: &Finding) -> Self {
        let line = place(harness, finding);
        let line = line.and_then(|at| source_line(&harness.manifest_dir, &at));
        Identity {
            harness: harness.path(),
            kind: finding.kind,
            function: function(finding).unwrap_or_default().to_owned(),
            line: line.unwrap_or_default(),
        }
    }

    /// Returns a short name of a finding in a package, as people type it.
    pub fn id(&self, package: &str) -> String {
        let kind = serde_json::to_string(&self.kind).unwrap_or_default();
        let parts = [package, &self.harness, &kind, &self.function, &self.line];
        hash(&parts)[..ID].to_owned()
    }
}

/// Returns a hash of some texts, in hexadecimal digits.
pub fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Returns the innermost function on the way to a finding that is not of the standard library.
pub fn function(finding: &Finding) -> Option<&str> {
    let mut frames = trace::within_harness(&finding.trace).iter();
    let function = frames.find(|frame| frame_owner(frame) == FrameOwner::User);
    function.map(|frame| &*frame.function)
}

/// Returns the text of a line of a package, without what is around it.
pub fn source_line(package: &Path, at: &SourceLoc) -> Option<String> {
    let text = std::fs::read_to_string(find_source(&at.file, package)?).ok()?;
    let index = usize::try_from(at.line).ok()?.checked_sub(1)?;
    Some(text.lines().nth(index)?.trim().to_owned())
}

/// Returns the place of a finding in sources that are edited: where the fault is, else the
/// innermost call that leads there, else the harness.
fn place(harness: &TestHarness, finding: &Finding) -> Option<SourceLoc> {
    let places = Places {
        package: harness.manifest_dir.clone(),
        ..Places::default()
    };
    let at = harness.place();
    let fault = trace::place(finding, &at).into_iter();
    let calls = trace::user_places(&finding.trace);
    let mut all = fault.chain(calls).chain((at.line > 0).then_some(&at));
    all.find(|at| file_owner(&at.file) == FrameOwner::User && places.is_edited(at))
        .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;
    use symex_types::outcome::TraceFrame;

    const SOURCE: &str =
        "fn parse(x: u8) {\n    assert!(x != 7);\n}\n\nfn tests() {\n    parse(7);\n}\n";

    fn finding(frames: &[(&str, &str, u32)]) -> Finding {
        let frame = |(function, file, line): &(&str, &str, u32)| TraceFrame {
            function: (*function).to_owned(),
            at: Some(SourceLoc::new(*file, *line, 5)),
        };
        let trace: Vec<TraceFrame> = frames.iter().map(frame).collect();
        Finding {
            message: "no".to_owned(),
            at: trace[0].at.clone(),
            trace,
            ..bare_finding(FindingKind::Panic)
        }
    }

    fn package(source: &str) -> (tempfile::TempDir, TestHarness) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("src")).expect("created");
        std::fs::write(folder.path().join("src/lib.rs"), source).expect("written");
        let harness = TestHarness {
            function: "parses".into(),
            module: "krate::tests".into(),
            manifest_dir: folder.path().to_owned(),
            ..TestHarness::default()
        };
        (folder, harness)
    }

    #[test]
    fn lines_may_move_and_must_not_change() {
        let (_folder, harness) = package(SOURCE);
        let at = |line| finding(&[("krate::parse", "src/lib.rs", line)]);
        let before = Identity::of(&harness, &at(2));
        assert_eq!(
            (&*before.harness, &*before.function, &*before.line),
            ("tests::parses", "krate::parse", "assert!(x != 7);")
        );
        let (_folder, moved) = package(&format!("// A comment.\n\n{SOURCE}"));
        let after = Identity::of(&moved, &at(4));
        assert_eq!(after, before);
        assert_eq!(after.id("krate"), before.id("krate"));
        assert_ne!(after.id("krate"), before.id("other"));
        let (_folder, changed) = package(&SOURCE.replace('7', "8"));
        assert_ne!(Identity::of(&changed, &at(2)), before);
    }

    #[test]
    fn a_fault_in_a_dependency_is_told_by_its_function_and_the_own_line() {
        let (_folder, harness) = package(SOURCE);
        let dependency = "/home/u/.cargo/registry/src/index/dep-1.0.0/src/lib.rs";
        let identity = Identity::of(
            &harness,
            &finding(&[
                ("dep::check", dependency, 70),
                ("krate::tests", "src/lib.rs", 6),
            ]),
        );
        assert_eq!(
            (&*identity.function, &*identity.line),
            ("dep::check", "parse(7);")
        );
    }
}
