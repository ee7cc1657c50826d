//! Places of findings within the repository, for forms of report that are shown beside its source:
//! paths relative to its root, whatever the current directory is.

use super::recorded::RunFacts;
use crate::harness::find_source;
use crate::pipeline::HarnessReport;
use crate::source::trace;
use std::path::{Path, PathBuf};
use symex_types::outcome::{Finding, SourceLoc};

/// The directories against which names of source files are resolved.
#[derive(Clone, Debug)]
pub struct Repository<'a> {
    facts: &'a RunFacts,
    /// Root of the package.
    package: &'a Path,
}

/// A source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceFile {
    /// A file of the repository, by its path from the root.
    Own(PathBuf),
    /// Another file: of a dependency or of the standard library.
    Foreign(PathBuf),
}

impl<'a> Repository<'a> {
    /// Returns the repository of a run, for the names that the compiler gave files of a harness's
    /// package.
    pub fn of(facts: &'a RunFacts, report: &'a HarnessReport) -> Self {
        Repository {
            facts,
            package: &report.harness.manifest_dir,
        }
    }

    /// Returns the file of a place. It need not be on this machine, as reports are made elsewhere,
    /// too.
    pub fn file(&self, at: &SourceLoc) -> SourceFile {
        let found = find_source(&at.file, self.package);
        let path = found.unwrap_or_else(|| self.facts.workspace.join(&at.file));
        match path.strip_prefix(self.facts.root()) {
            Ok(own) => SourceFile::Own(own.to_owned()),
            Err(_) => SourceFile::Foreign(path),
        }
    }

    /// Returns the path of a file from the root of the repository of a run, if it is in there.
    pub fn relative(facts: &RunFacts, file: &Path) -> Option<PathBuf> {
        let own = file.strip_prefix(facts.root()).ok()?;
        Some(own.to_owned())
    }

    /// Returns the place at which a finding is shown, and its file: where the fault is, if that is
    /// in the repository, else the innermost call from there, or the harness.
    pub fn place(&self, report: &HarnessReport, finding: &Finding) -> Option<(SourceLoc, PathBuf)> {
        let harness = report.harness.place();
        let fault = trace::place(finding, &harness).into_iter();
        let calls = trace::user_places(&finding.trace);
        let harness = (harness.line > 0).then_some(&harness);
        let mut places = fault.chain(calls).chain(harness);
        places.find_map(|at| match self.file(at) {
            SourceFile::Own(path) => Some((at.clone(), path)),
            SourceFile::Foreign(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;

    #[test]
    fn a_fault_elsewhere_is_shown_where_the_repository_leads_to_it() {
        let run = example_run();
        let report = run.reports.iter().find(|one| !one.findings.is_empty());
        let report = report.unwrap();
        let repository = Repository::of(&run.facts, report);
        let mut finding = report.findings[0].finding.clone();
        let shown = |finding: &Finding| {
            let (at, path) = repository.place(report, finding).unwrap();
            (at.line, path.display().to_string())
        };
        assert_eq!(shown(&finding), (2, "parts/src/lib.rs".to_owned()));
        let of_dependency =
            SourceLoc::new("/home/x/.cargo/registry/src/i/d-1.0.0/src/lib.rs", 70, 1);
        finding.at = Some(of_dependency.clone());
        finding.trace[1].at = Some(of_dependency);
        assert_eq!(shown(&finding), (11, "parts/src/lib.rs".to_owned()));
        finding.trace.clear();
        assert_eq!(shown(&finding), (10, "parts/src/lib.rs".to_owned()));
    }
}
