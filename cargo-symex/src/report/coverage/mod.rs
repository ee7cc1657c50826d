//! Coverage of source by the harnesses of a run: of one by itself, and of all together.
//!
//! What no path has run is one of two things. It cannot be reached where each harness that contains
//! it passes without a bound: all its paths were explored, so no input leads there under what the
//! harnesses assume. Else it was not reached, and another run may.

pub(in crate::report) mod html;
mod json;
mod lcov;

use super::output;
use super::recorded::RecordedRun;
use crate::pipeline::HarnessReport;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use symex_types::outcome::Verdict;
use symex_types::outcome::coverage::SourceCoverage;

/// A form in which coverage is reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CoverageReport {
    /// A line for each harness, and one for all, in the report for people.
    Summary,
    /// An LCOV tracefile.
    Lcov(PathBuf),
    /// A JSON object.
    Json(PathBuf),
    /// A folder of HTML pages.
    Html(PathBuf),
}

impl FromStr for CoverageReport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = |path: &str| match path {
            "" => Err(format!("`{text}` names no file")),
            path => Ok(PathBuf::from(path)),
        };
        match text.split_once('=') {
            None if text == "summary" => Ok(CoverageReport::Summary),
            Some(("lcov", file)) => Ok(CoverageReport::Lcov(path(file)?)),
            Some(("json", file)) => Ok(CoverageReport::Json(path(file)?)),
            Some(("html", folder)) => Ok(CoverageReport::Html(path(folder)?)),
            _ => Err("write summary, lcov=FILE, json=FILE or html=DIR".to_owned()),
        }
    }
}

/// What is known of a place, a line, a function, or an arm of a branch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum State {
    /// A path has run it.
    Covered,
    /// No input leads there.
    Unreachable,
    /// No path that was explored has run it.
    Missed,
}

/// Coverage of files by some harnesses.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(in crate::report) struct Coverage {
    pub files: BTreeMap<PathBuf, FileTally>,
}

/// Coverage of a file.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(in crate::report) struct FileTally {
    lines: BTreeMap<u32, LineTally>,
    /// Functions by the line of their declaration and their names.
    functions: BTreeMap<(u32, String), Count>,
    /// The arms of branches, by line, column and number of arms.
    branches: BTreeMap<(u32, u32, usize), Vec<Count>>,
}

/// Coverage of a line that has code.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct LineTally {
    line: Count,
    /// The places of the line, by column.
    places: BTreeMap<u32, Count>,
}

impl Coverage {
    /// Returns the coverage by these harnesses together. One of which nothing is known is left out.
    pub fn of<'a>(reports: impl IntoIterator<Item = &'a HarnessReport>) -> Self {
        let mut coverage = Coverage::default();
        for report in reports {
            if let Some(source) = &report.coverage {
                coverage.add(source, report.verdict == Verdict::PassComplete);
            }
        }
        coverage
    }

    fn add(&mut self, source: &SourceCoverage, complete: bool) {
        for (path, of_harness) in &source.files {
            let file = self.files.entry(PathBuf::from(path)).or_default();
            let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
            for ((line, column), run) in &of_harness.places {
                *lines.entry(*line).or_default() |= run;
                let places = &mut file.lines.entry(*line).or_default().places;
                places
                    .entry(*column)
                    .or_default()
                    .add(Count::of(*run, complete));
            }
            for (line, run) in lines {
                let known = file.lines.entry(line).or_default();
                known.line.add(Count::of(run, complete));
            }
            for (function, run) in &of_harness.functions {
                let known = file.functions.entry(function.clone()).or_default();
                known.add(Count::of(*run, complete));
            }
            for (branch, arms) in &of_harness.branches {
                let known = file.branches.entry(*branch).or_default();
                known.resize(arms.len(), Count::default());
                for (known, taken) in known.iter_mut().zip(arms) {
                    known.add(Count::of(*taken, complete));
                }
            }
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for file in self.files.values() {
            totals.add(&file.totals());
        }
        totals
    }
}

impl FileTally {
    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for line in self.lines.values() {
            totals.lines.count(line.line.state());
            let places = line.places.values();
            places.for_each(|place| totals.regions.count(place.state()));
        }
        let functions = self.functions.values();
        functions.for_each(|function| totals.functions.count(function.state()));
        let arms = self.branches.values().flatten();
        arms.for_each(|arm| totals.branches.count(arm.state()));
        totals
    }
}

/// Numbers by states: of things, or of the harnesses that contain one thing.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Count {
    covered: u64,
    unreachable: u64,
    missed: u64,
}

impl Count {
    /// Returns what one harness says of a thing.
    fn of(run: bool, complete: bool) -> Self {
        let mut count = Count::default();
        count.count(match (run, complete) {
            (true, _) => State::Covered,
            (false, true) => State::Unreachable,
            (false, false) => State::Missed,
        });
        count
    }

    fn count(&mut self, state: State) {
        match state {
            State::Covered => self.covered += 1,
            State::Unreachable => self.unreachable += 1,
            State::Missed => self.missed += 1,
        }
    }

    fn add(&mut self, other: Count) {
        self.covered += other.covered;
        self.unreachable += other.unreachable;
        self.missed += other.missed;
    }

    /// Returns the state of a thing, by what the harnesses that contain it say.
    fn state(self) -> State {
        match self {
            Count { covered: 1.., .. } => State::Covered,
            Count { missed: 0, .. } => State::Unreachable,
            _ => State::Missed,
        }
    }

    fn all(self) -> u64 {
        self.covered + self.unreachable + self.missed
    }

    /// Returns the covered part, in whole per cent; 100 only if that is all.
    fn percent(self) -> u64 {
        match self.all() {
            0 => 100,
            all => self.covered * 100 / all,
        }
    }

    /// Returns a text such as `83 % of lines (120 of 145)`; `None` if there are none.
    fn text(self, what: &str) -> Option<String> {
        let all = self.all();
        (all > 0).then(|| format!("{} % of {what} ({} of {all})", self.percent(), self.covered))
    }
}

/// Numbers of what there is in source files.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Totals {
    lines: Count,
    regions: Count,
    functions: Count,
    /// Arms of branches.
    branches: Count,
}

impl Totals {
    fn add(&mut self, other: &Totals) {
        self.lines.add(other.lines);
        self.regions.add(other.regions);
        self.functions.add(other.functions);
        self.branches.add(other.branches);
    }

    /// Returns the numbers as a line of text.
    fn text(&self) -> String {
        let parts = [
            self.lines.text("lines"),
            self.regions.text("regions"),
            self.branches.text("branches"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return "there is no code".to_owned();
        }
        let mut text = parts.join(", ");
        match self.lines.unreachable {
            0 => {}
            1 => text.push_str("; 1 line cannot be reached"),
            lines => text.push_str(&format!("; {lines} lines cannot be reached")),
        }
        text
    }
}

/// Returns the coverage of a harness by itself as a line of text, if it is known.
pub fn of_harness(report: &HarnessReport) -> Option<String> {
    report.coverage.as_ref()?;
    Some(Coverage::of([report]).totals().text())
}

/// Returns the coverage of several harnesses together as a line of text, if it is known of any.
pub fn of_all(reports: &[HarnessReport]) -> Option<String> {
    let known = reports.iter().filter(|report| report.coverage.is_some());
    let known = known.count();
    if known == 0 {
        return None;
    }
    let text = Coverage::of(reports).totals().text();
    Some(match reports.len() - known {
        0 => text,
        1 => format!("{text}; that of 1 harness is not known"),
        unknown => format!("{text}; that of {unknown} harnesses is not known"),
    })
}

/// Writes the coverage of a run in a form. Fails with the reason.
pub fn write(run: &RecordedRun, form: &CoverageReport) -> Result<(), String> {
    let known = run.reports.iter().any(|report| report.coverage.is_some());
    if !known && !run.reports.is_empty() {
        return Err(
            "failed to report coverage: the run has recorded none, since it was without --coverage"
                .to_owned(),
        );
    }
    let coverage = Coverage::of(&run.reports);
    match form {
        CoverageReport::Summary => Ok(()),
        CoverageReport::Lcov(file) => output::file(file, lcov::text(&coverage)),
        CoverageReport::Json(file) => output::file(file, json::text(run, &coverage)),
        CoverageReport::Html(folder) => html::write(run, &coverage, folder),
    }
}

/// Returns a path as reports name it: relative to the root of the repository, if it is below that.
pub(in crate::report) fn shown<'a>(run: &RecordedRun, file: &'a Path) -> std::borrow::Cow<'a, str> {
    file.strip_prefix(run.facts.root())
        .unwrap_or(file)
        .to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;
    use symex_types::outcome::coverage::FileCoverage;

    /// Returns the reports of two harnesses on three places of two lines: a complete one, and one
    /// that was bounded.
    fn reports(complete: [bool; 3], bounded: [bool; 2]) -> [HarnessReport; 2] {
        let places = [(1, 5), (1, 9), (2, 5)];
        let report = |verdict, run: &[bool]| {
            let places = places.into_iter().zip(run.iter().copied());
            let file = FileCoverage {
                places: places.collect(),
                ..FileCoverage::default()
            };
            HarnessReport {
                verdict,
                coverage: Some(SourceCoverage {
                    files: [("/repo/src/lib.rs".to_owned(), file)].into(),
                }),
                ..example_run().reports[0].clone()
            }
        };
        let bounds = Verdict::PassBounded { bounds: Vec::new() };
        [
            report(Verdict::PassComplete, &complete),
            report(bounds, &bounded),
        ]
    }

    #[test]
    fn what_a_harness_may_still_reach_is_not_unreachable() {
        let [complete, bounded] = reports([true, false, false], [true, false]);
        assert_eq!(
            of_harness(&complete).unwrap(),
            "50 % of lines (1 of 2), 33 % of regions (1 of 3); 1 line cannot be reached"
        );
        assert_eq!(
            of_harness(&bounded).unwrap(),
            "100 % of lines (1 of 1), 50 % of regions (1 of 2)"
        );
        // The second does not contain the second line.
        let both = Coverage::of([&complete, &bounded]).totals();
        let counts = |covered, unreachable, missed| Count {
            covered,
            unreachable,
            missed,
        };
        assert_eq!(both.lines, counts(1, 1, 0));
        assert_eq!(both.regions, counts(1, 1, 1));
    }

    #[test]
    fn what_is_not_known_is_said() {
        let [known, mut unknown] = reports([true; 3], [true; 2]);
        unknown.coverage = None;
        assert_eq!(of_all(std::slice::from_ref(&unknown)), None);
        let text = of_all(&[known, unknown]).unwrap();
        assert!(text.ends_with("; that of 1 harness is not known"), "{text}");
    }

    #[test]
    fn all_but_one_are_not_100_per_cent() {
        let count = Count {
            covered: 999,
            missed: 1,
            unreachable: 0,
        };
        assert_eq!(count.text("lines").unwrap(), "99 % of lines (999 of 1000)");
        assert_eq!(Count::default().text("lines"), None);
    }
}
