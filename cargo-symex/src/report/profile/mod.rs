//! Profiles of a run: where the time, the paths and the instructions of each harness went, by lines
//! and functions as a table, and by calls as files for viewers of profiles.

mod flamegraph;
mod folded;
mod pprof;
mod table;

pub use table::of_harness;

use super::output;
use super::recorded::RecordedRun;
use std::path::PathBuf;
use std::str::FromStr;
use symex_types::outcome::profile::{Profile, ProfiledCall, Work};

/// A form in which profiles are reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProfileReport {
    /// Tables of lines and functions, in the report for people.
    Summary,
    /// A flame graph as an SVG file, of one measure.
    FlameGraph(Measure, PathBuf),
    /// Lines of a stack and a number, as scripts for flame graphs read them, of one measure.
    Folded(Measure, PathBuf),
    /// A profile in the format of pprof, of all measures.
    Pprof(PathBuf),
}

/// What is measured of the work at a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Time, with that of the solver.
    Time,
    /// Time of the solver.
    Solver,
    Forks,
    /// Ends of paths.
    Ends,
    Instructions,
}

impl Measure {
    /// All measures, in the order in which they are shown.
    pub const ALL: [Measure; 5] = [
        Measure::Time,
        Measure::Solver,
        Measure::Forks,
        Measure::Ends,
        Measure::Instructions,
    ];

    /// Returns its name in options and in files.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Time => "time",
            Measure::Solver => "solver",
            Measure::Forks => "forks",
            Measure::Ends => "ends",
            Measure::Instructions => "instructions",
        }
    }

    /// Returns the unit of its numbers in files.
    fn unit(self) -> &'static str {
        match self {
            Measure::Time | Measure::Solver => "microseconds",
            _ => "count",
        }
    }

    /// Returns the amount of it, in its unit.
    fn of(self, work: &Work) -> u64 {
        let micros = |seconds: f64| (seconds * 1e6).round() as u64;
        match self {
            Measure::Time => micros(work.seconds),
            Measure::Solver => micros(work.solver_seconds),
            Measure::Forks => work.forks,
            Measure::Ends => work.ends,
            Measure::Instructions => work.instructions,
        }
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Measure::ALL.into_iter().find(|one| one.name() == text);
        known.ok_or_else(|| {
            let names: Vec<&str> = Measure::ALL.iter().map(|one| one.name()).collect();
            format!("there is no measure `{text}`, but {}", names.join(", "))
        })
    }
}

impl FromStr for ProfileReport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (form, file) = match text.split_once('=') {
            Some((_, "")) => return Err(format!("`{text}` names no file")),
            Some((form, file)) => (form, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let (form, measure) = match form.split_once(':') {
            Some((form, measure)) => (form, Some(measure.parse()?)),
            None => (form, None),
        };
        let by = measure.unwrap_or(Measure::Time);
        match (form, file, measure) {
            ("summary", None, None) => Ok(ProfileReport::Summary),
            ("flamegraph", Some(file), _) => Ok(ProfileReport::FlameGraph(by, file)),
            ("folded", Some(file), _) => Ok(ProfileReport::Folded(by, file)),
            ("pprof", Some(file), None) => Ok(ProfileReport::Pprof(file)),
            _ => Err(
                "write summary, flamegraph=FILE, folded=FILE or pprof=FILE; the first two files may be of another \
                 measure than time, as in flamegraph:forks=FILE"
                    .to_owned(),
            ),
        }
    }
}

/// Writes the profile of a run in a form. Fails with the reason.
pub fn write(run: &RecordedRun, form: &ProfileReport) -> Result<(), String> {
    let profiles = profiles(run);
    if profiles.is_empty() && !run.reports.is_empty() {
        return Err(
            "failed to report a profile: the run has recorded none, since it was without --profiling"
                .to_owned(),
        );
    }
    match form {
        ProfileReport::Summary => Ok(()),
        ProfileReport::FlameGraph(by, file) => flamegraph::write(&profiles, *by, file),
        ProfileReport::Folded(by, file) => {
            let lines = folded::lines(&profiles, *by);
            output::file(file, lines.join("\n") + "\n")
        }
        ProfileReport::Pprof(file) => output::file(file, pprof::bytes(&profiles)),
    }
}

/// Returns the profiles of a run, with the names of their harnesses.
fn profiles(run: &RecordedRun) -> Vec<(&str, &Profile)> {
    let reports = run.reports.iter();
    let known = reports.filter_map(|report| {
        let profile = report.stats.profile.as_ref()?;
        Some((report.harness.name.as_str(), profile))
    });
    known.collect()
}

/// Returns the name of a call's function with the number of its line: `parse:42`.
fn frame(call: &ProfiledCall) -> String {
    match &call.line {
        Some((_, line)) => format!("{}:{line}", call.function),
        None => call.function.clone(),
    }
}

/// Name of what is done for no path.
const BETWEEN: &str = "(between paths)";

/// Returns work that is nothing but time.
fn time(seconds: f64) -> Work {
    Work {
        seconds,
        ..Work::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_types::outcome::profile::ProfileBuilder;

    /// Returns a profile of a function that calls two others, one of them in a library.
    pub(super) fn example() -> Profile {
        let mut builder = ProfileBuilder::default();
        let line = |file: &str, line| Some((file.to_owned(), line));
        let main = builder.call(None, "demo::main", line("src/lib.rs", 3));
        let parse = builder.call(Some(main), "demo::parse", line("src/lib.rs", 9));
        let compare = "core::slice::cmp::equal";
        let library = "/rustc/abc/library/core/src/slice/cmp.rs";
        let equal = builder.call(Some(parse), compare, line(library, 5));
        for (at, seconds, forks) in [(main, 0.25, 1), (parse, 0.5, 2), (equal, 1.25, 5)] {
            *builder.work(at) = Work {
                seconds,
                solver_seconds: seconds / 2.0,
                forks,
                ends: 1,
                instructions: 10 * forks,
            };
        }
        builder.finish(0.125)
    }

    #[test]
    fn forms_are_read_with_their_measures() {
        let read = |text: &str| text.parse::<ProfileReport>();
        assert_eq!(read("summary"), Ok(ProfileReport::Summary));
        let file = || PathBuf::from("a.svg");
        assert_eq!(
            read("flamegraph=a.svg"),
            Ok(ProfileReport::FlameGraph(Measure::Time, file()))
        );
        assert_eq!(
            read("folded:forks=a.svg"),
            Ok(ProfileReport::Folded(Measure::Forks, file()))
        );
        for wrong in [
            "",
            "svg",
            "pprof",
            "pprof=",
            "pprof:forks=a",
            "flamegraph:x=a",
        ] {
            read(wrong).expect_err(wrong);
        }
    }
}
