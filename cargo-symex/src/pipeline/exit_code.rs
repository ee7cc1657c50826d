//! Exit codes of the command, as one table: code, meaning, and how several results are combined.
//!
//! The gravest of several results wins: bug, inconclusive, vacuous, bounded (with
//! `--require-complete`), pass. An interrupted run says so whatever was found until then.

use symex_types::outcome::Verdict;

/// Exit code of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ExitCode {
    /// All harnesses passed, completely or within the bounds that the report names.
    Pass = 0,
    /// A bug was found.
    Bug = 1,
    /// The command line or a file given to it is wrong, or the tool could not do its work.
    Usage = 2,
    /// At least one harness could not be judged.
    Inconclusive = 3,
    /// At least one harness tested nothing.
    Vacuous = 4,
    /// No harness was found, or none matches the filter.
    NoHarness = 5,
    /// With `--require-complete`: a pass was bounded.
    Bounded = 6,
    /// Standard output or a report's file could not be written; everything that is stored elsewhere
    /// is kept.
    Output = 7,
    /// The crate, its harnesses or a program do not compile.
    BuildFailed = 101,
    /// Interrupted; what was found until then has been reported.
    Interrupted = 130,
}

impl ExitCode {
    /// All exit codes, for the documentation.
    pub const ALL: [ExitCode; 10] = [
        ExitCode::Pass,
        ExitCode::Bug,
        ExitCode::Usage,
        ExitCode::Inconclusive,
        ExitCode::Vacuous,
        ExitCode::NoHarness,
        ExitCode::Bounded,
        ExitCode::Output,
        ExitCode::BuildFailed,
        ExitCode::Interrupted,
    ];

    /// Returns a one-line description.
    pub fn meaning(self) -> &'static str {
        match self {
            ExitCode::Pass => {
                "all harnesses passed (completely, or within the bounds the report names)"
            }
            ExitCode::Bug => "a bug was found",
            ExitCode::Usage => "wrong command line or unusable file",
            ExitCode::Inconclusive => "no bug, but a harness could not be judged",
            ExitCode::Vacuous => "no bug, but a harness tested nothing",
            ExitCode::NoHarness => "no harness found, or none matches",
            ExitCode::Bounded => "with --require-complete: a pass was bounded",
            ExitCode::Output => {
                "standard output or a report could not be written (regression tests are)"
            }
            ExitCode::BuildFailed => "the crate, a harness or a C program does not compile",
            ExitCode::Interrupted => "interrupted (what was found is reported)",
        }
    }

    /// Returns the number.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the exit code with this number, if it is one of the command's.
    pub fn from_code(code: u8) -> Option<ExitCode> {
        let mut all = ExitCode::ALL.into_iter();
        all.find(|one| one.code() == code)
    }

    /// Returns the exit code for one verdict alone.
    pub fn of(verdict: &Verdict, require_complete: bool) -> ExitCode {
        match verdict {
            Verdict::Bug { .. } => ExitCode::Bug,
            Verdict::Inconclusive { .. } => ExitCode::Inconclusive,
            Verdict::Vacuous { .. } => ExitCode::Vacuous,
            Verdict::PassBounded { .. } if require_complete => ExitCode::Bounded,
            Verdict::PassBounded { .. } | Verdict::PassComplete => ExitCode::Pass,
        }
    }

    /// Returns the graver of two results.
    pub fn and(self, other: ExitCode) -> ExitCode {
        let rank = |code: ExitCode| match code {
            ExitCode::Pass => 0,
            ExitCode::Bounded => 1,
            ExitCode::Vacuous => 2,
            ExitCode::Inconclusive => 3,
            ExitCode::NoHarness => 4,
            ExitCode::Bug => 5,
            ExitCode::BuildFailed => 6,
            ExitCode::Usage => 7,
            ExitCode::Interrupted => 8,
            ExitCode::Output => 9,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        std::process::ExitCode::from(code.code())
    }
}

/// Returns the table of codes as `--help` shows it.
pub fn table() -> String {
    let mut text = String::from("Exit codes:\n");
    for code in ExitCode::ALL {
        text.push_str(&format!("  {:>3}  {}\n", code.code(), code.meaning()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut codes: Vec<u8> = ExitCode::ALL.iter().map(|code| code.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ExitCode::ALL.len());
    }

    #[test]
    fn the_graver_result_wins_in_either_order() {
        let order = [
            ExitCode::Pass,
            ExitCode::Bounded,
            ExitCode::Vacuous,
            ExitCode::Inconclusive,
            ExitCode::Bug,
            ExitCode::Interrupted,
        ];
        for (i, &low) in order.iter().enumerate() {
            for &high in &order[i..] {
                assert_eq!(low.and(high), high);
                assert_eq!(high.and(low), high);
            }
        }
    }

    #[test]
    fn a_bounded_pass_is_an_error_only_when_asked() {
        let bounded = Verdict::PassBounded { bounds: Vec::new() };
        assert_eq!(ExitCode::of(&bounded, false), ExitCode::Pass);
        assert_eq!(ExitCode::of(&bounded, true), ExitCode::Bounded);
    }
}
