//! Findings that do not count: those that a file beside the manifest of their package names, each
//! with a reason. The file is committed; `cargo symex review` adds to it, and people edit it.

use crate::confirm::FindingReport;
use crate::source::identity::Identity;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symex_types::outcome::FindingKind;

/// Name of the file.
pub const FILE: &str = "symex-ignored.toml";

/// First lines of a new file.
const HEADER: &str = "\
# Findings that `cargo symex` does not count as bugs. `cargo symex review` adds to this file.
# A finding is recognised by its harness, its kind, the function and the text of the line.
";

/// A finding that does not count, as the file has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Path of the harness within its crate.
    pub harness: String,
    pub kind: FindingKind,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// Why it does not count.
    pub reason: String,
}

/// The whole file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    #[serde(default)]
    finding: Vec<Entry>,
}

/// The findings of a package that do not count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IgnoreList {
    /// The file, which need not be there.
    pub file: PathBuf,
    pub entries: Arc<Vec<Entry>>,
}

/// A finding that does not count, in the report of a run.
#[derive(Clone, Debug)]
pub struct IgnoredFinding {
    /// The finding. No native run was made of it, and it has left no test.
    pub detail: FindingReport,
    pub reason: String,
}

/// What of a harness does not count.
#[derive(Clone, Debug, Default)]
pub struct Ignored {
    /// The file that says so, or would; empty if there can be none.
    pub file: PathBuf,
    pub findings: Vec<IgnoredFinding>,
    /// Entries of the harness for which there is no finding, although it was explored to the end.
    pub unmatched: Vec<Entry>,
}

impl Entry {
    /// Makes an entry for a finding. Fails if the reason is not one line of text.
    pub fn new(identity: &Identity, reason: &str) -> Result<Self, String> {
        let entry = Entry {
            harness: identity.harness.clone(),
            kind: identity.kind,
            function: identity.function.clone(),
            line: identity.line.clone(),
            reason: reason.trim().to_owned(),
        };
        entry.check()?;
        Ok(entry)
    }

    /// Reports whether it is about a finding.
    pub fn matches(&self, identity: &Identity) -> bool {
        let Identity {
            harness,
            kind,
            function,
            line,
        } = identity;
        (&self.harness, &self.kind, &self.function) == (harness, kind, function)
            && self.line.trim() == line
    }

    fn check(&self) -> Result<(), String> {
        let what = match () {
            () if self.harness.trim().is_empty() => "the harness is empty",
            () if self.reason.trim().is_empty() => "the reason is empty",
            () if self.reason.contains('\n') => "the reason has several lines",
            () => return Ok(()),
        };
        Err(what.to_owned())
    }
}

impl IgnoreList {
    /// Reads the file in the folder of a package; there are no entries if there is no file. Fails
    /// with the file, the line and what is wrong.
    pub fn read(package: &Path) -> Result<Self, String> {
        let file = package.join(FILE);
        let text = text_of(&file)?.unwrap_or_default();
        let entries = parse(&text).map_err(|reason| unreadable(&file, &reason))?;
        Ok(IgnoreList {
            file,
            entries: Arc::new(entries),
        })
    }

    /// Returns the reason for which a finding does not count; `None` if it does.
    pub fn reason(&self, identity: &Identity) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.matches(identity))?;
        Some(&entry.reason)
    }

    /// Returns the entries of a harness that are about none of these findings.
    pub fn unmatched(&self, harness: &str, found: &[Identity]) -> Vec<Entry> {
        let of_harness = self.entries.iter().filter(|one| one.harness == harness);
        let is_found = |entry: &&Entry| found.iter().any(|one| entry.matches(one));
        of_harness.filter(|one| !is_found(one)).cloned().collect()
    }
}

/// Adds a finding to a file, which is made if it is not there, and else stays as it is. Returns
/// whether it was added, or was there already. Fails with the file and the reason.
pub fn add(file: &Path, entry: &Entry) -> Result<bool, String> {
    let mut text = text_of(file)?.unwrap_or_else(|| HEADER.to_owned());
    let known = parse(&text).map_err(|reason| unreadable(file, &reason))?;
    let is_same = |known: &Entry| {
        let key = |entry: &Entry| (entry.harness.clone(), entry.kind, entry.function.clone());
        key(known) == key(entry) && known.line.trim() == entry.line.trim()
    };
    if known.iter().any(is_same) {
        return Ok(false);
    }
    let unwritable = |reason: String| format!("failed to write {}: {reason}", file.display());
    let one = Entries {
        finding: vec![entry.clone()],
    };
    let one = toml::to_string(&one).map_err(|error| unwritable(error.to_string()))?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("\n{one}"));
    // What cannot be read again is not written.
    parse(&text).map_err(unwritable)?;
    std::fs::write(file, text).map_err(|error| unwritable(error.to_string()))?;
    Ok(true)
}

fn text_of(file: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(file, &error.to_string())),
    }
}

fn unreadable(file: &Path, reason: &str) -> String {
    format!("failed to read {}: {reason}", file.display())
}

/// Reads the entries of a file. Fails with the line and what is wrong there.
fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let read: Result<Entries, toml::de::Error> = toml::from_str(text);
    let entries = read.map_err(|error| {
        let line = error.span().map(|span| {
            let before = text.get(..span.start).unwrap_or_default();
            format!("line {}: ", before.matches('\n').count() + 1)
        });
        // The reason may have lines of its own.
        let reason: Vec<&str> = error.message().lines().map(str::trim).collect();
        format!("{}{}", line.unwrap_or_default(), reason.join(", "))
    })?;
    for (number, entry) in entries.finding.iter().enumerate() {
        let wrong = |reason| format!("finding {} of the file: {reason}", number + 1);
        entry.check().map_err(wrong)?;
    }
    Ok(entries.finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(line: &str) -> Identity {
        Identity {
            harness: "tests::parses".into(),
            kind: FindingKind::OutOfBounds,
            function: "krate::parse".into(),
            line: line.into(),
        }
    }

    #[test]
    fn entries_are_added_behind_what_people_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let first = Entry::new(&identity("data[\"a\\\"\"]"), " known ").unwrap();
        assert!(add(&file, &first).unwrap());
        assert!(!add(&file, &first).unwrap(), "it is there");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(HEADER), "{text}");
        let edited = format!("{text}# A comment of mine.");
        std::fs::write(&file, &edited).unwrap();
        let second = Entry::new(&identity("x"), "known").unwrap();
        assert!(add(&file, &second).unwrap());
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(&edited), "{text}");
        let list = IgnoreList::read(folder.path()).unwrap();
        assert_eq!(*list.entries, [first, second]);
        assert_eq!(list.reason(&identity("data[\"a\\\"\"]")), Some("known"));
        assert_eq!(list.reason(&identity("y")), None);
        let unmatched = list.unmatched("tests::parses", &[identity("x")]);
        assert_eq!(unmatched, list.entries[..1]);
        assert!(list.unmatched("tests::other", &[]).is_empty());
    }

    #[test]
    fn without_a_file_everything_counts() {
        let folder = tempfile::tempdir().unwrap();
        let list = IgnoreList::read(folder.path()).unwrap();
        assert!(list.entries.is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let entry = "[[finding]]\nharness = \"h\"\nkind = \"panic\"\nreason = \"r\"\n";
        assert_eq!(parse(entry).unwrap().len(), 1);
        for (text, told) in [
            (
                entry.replace("reason", "reson"),
                "line 4: unknown field `reson`",
            ),
            (
                entry.replace("\"r\"", "\" \""),
                "finding 1 of the file: the reason is empty",
            ),
            (
                entry.replace("\"r\"", "\"a\\nb\""),
                "the reason has several lines",
            ),
            (
                entry.replace("panic", "panics"),
                "line 3: unknown variant `panics`",
            ),
            (
                entry.replace("harness = \"h\"\n", ""),
                "missing field `harness`",
            ),
            (
                entry.replace("[[finding]]", "[[findings]]"),
                "unknown field `findings`",
            ),
            (format!("{entry}["), "line 5: "),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.contains(told) && !error.contains('\n'), "{error}");
        }
    }
}
