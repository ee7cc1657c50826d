//! Native replays of paths without a finding (`--replay-paths`): checks that the compiled program
//! ends in the same way and prints the same.
//!
//! A difference is either a mistake of the engine, or depends on something that differs between
//! machines. In both cases the harness does not pass.

use super::launch::{End, Launcher, NativeRun};
use super::native::{Native, signal_name};
use super::replay::{inputs_text, run_inputs};
use crate::harness::TestHarness;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;
use symex_abi::EXIT_ASSUMPTION;
use symex_types::outcome::{ConcreteInput, Counted, EndedPath, Unsupported, Verdict};

/// Marker that is printed before and after the output of a harness.
const MARK: &str = "\n<symex: the harness's output>\n";

/// Results of the native runs of a harness's paths.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct PathReplays {
    /// Number of paths that were run.
    pub ran: usize,
    /// Number of runs that agreed with the engine.
    pub agree: usize,
    /// The first run that differed.
    pub different: Option<Difference>,
    /// The reason for which a path could not be run; the first one, if several failed.
    pub failed: Option<String>,
}

/// A native run that differs from the explored path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Difference {
    pub what: String,
    /// Whether anything on the path depends on the numeric value of an address.
    pub address_dependent: bool,
    pub inputs: Vec<ConcreteInput>,
}

/// Result of the native run of one path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathReplay {
    Agrees,
    /// The native run differs in the described way.
    Differs(String),
}

impl PathReplays {
    /// Adds the result of a native run.
    pub fn add(&mut self, path: &EndedPath, replay: Result<PathReplay, String>) {
        match replay {
            Err(reason) => {
                self.failed.get_or_insert(reason);
            }
            Ok(PathReplay::Agrees) => {
                self.ran += 1;
                self.agree += 1;
            }
            Ok(PathReplay::Differs(what)) => {
                self.ran += 1;
                self.different.get_or_insert_with(|| Difference {
                    what,
                    address_dependent: path.address_dependent,
                    inputs: path.inputs.clone(),
                });
            }
        }
    }

    /// Describes the results in one line.
    pub fn describe(&self) -> String {
        if let Some(reason) = &self.failed {
            return format!("paths could not be run natively: {reason}");
        }
        match (self.ran, self.agree) {
            (1, 1) => "1 path was run natively: as explored".to_owned(),
            (1, _) => "1 path was run natively: not as explored".to_owned(),
            (ran, agree) if ran == agree => {
                format!("{ran} paths were run natively: all as explored")
            }
            (ran, agree) => format!("{ran} paths were run natively: {agree} as explored"),
        }
    }
}

/// Withdraws the verdict `pass` if native runs contradict it.
pub fn doubt(verdict: &mut Verdict, paths: Option<&PathReplays>) {
    let Some(different) = paths.and_then(|paths| paths.different.as_ref()) else {
        return;
    };
    let bounds = match verdict {
        Verdict::PassComplete => Vec::new(),
        Verdict::PassBounded { bounds } => std::mem::take(bounds),
        Verdict::Inconclusive { .. } | Verdict::Bug { .. } | Verdict::Vacuous { .. } => return,
    };
    let why = match different.address_dependent {
        true => " (it depends on the numeric value of an address)",
        false => "",
    };
    let unsupported = Counted {
        what: Unsupported::Replay(format!(
            "a path is another natively: {}{why}",
            different.what
        )),
        at: None,
        count: 1,
    };
    *verdict = Verdict::Inconclusive {
        unsupported: vec![unsupported],
        bounds,
    };
}

/// Runs a path of a harness natively.
pub fn replay_path(
    launcher: &Launcher,
    native: &Native,
    harness: &TestHarness,
    path: &EndedPath,
    timeout: Duration,
) -> Result<PathReplay, String> {
    let dir = tempfile::tempdir()
        .map_err(|error| format!("failed to make a temporary directory: {error}"))?;
    let file = dir.path().join("inputs");
    std::fs::write(&file, inputs_text(&path.inputs))
        .map_err(|error| format!("failed to write the inputs: {error}"))?;
    let (run, _) = run_inputs(launcher, native, harness, &file, Some(MARK), timeout)
        .map_err(|error| format!("failed to run the native test: {error}"))?;
    compare(path, &run)
}

/// Compares a path of a harness with the native run of its test.
fn compare(path: &EndedPath, run: &NativeRun) -> Result<PathReplay, String> {
    if let Some(what) = unlike_end(&run.end, 0) {
        return Ok(PathReplay::Differs(what));
    }
    let mut parts = run.stdout.split(MARK);
    let (Some(_), Some(printed), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return Err("the native test does not print what it is asked to (is the crate's symex-runtime older than this tool?)".to_owned());
    };
    let explored = String::from_utf8_lossy(&path.stdout);
    // Rust's standard library buffers an incomplete line, so the explored path has not written it.
    let rest = printed.strip_prefix(&*explored);
    Ok(match rest {
        Some(rest) if !rest.contains('\n') => PathReplay::Agrees,
        _ => PathReplay::Differs(unlike("standard output", &explored, printed)),
    })
}

/// Compares a path of a program with a native run in a directory.
pub fn compare_program(
    path: &EndedPath,
    run: &NativeRun,
    dir: &Path,
) -> Result<PathReplay, String> {
    if let Some(what) = unlike_end(&run.end, path.exit_code) {
        return Ok(PathReplay::Differs(what));
    }
    for (name, explored, native) in [
        ("standard output", &path.stdout, &run.stdout),
        ("standard error", &path.stderr, &run.stderr),
    ] {
        let explored = String::from_utf8_lossy(explored);
        if explored != *native {
            return Ok(PathReplay::Differs(unlike(name, &explored, native)));
        }
    }
    for file in &path.files {
        let native = std::fs::read(dir.join(&file.name));
        let native = native.unwrap_or_else(|error| error.kind().to_string().into_bytes());
        if native != file.bytes {
            let texts = [&file.bytes, &native].map(|bytes| String::from_utf8_lossy(bytes));
            return Ok(PathReplay::Differs(unlike(
                &file.name, &texts[0], &texts[1],
            )));
        }
    }
    Ok(PathReplay::Agrees)
}

fn unlike_end(end: &End, expected: u8) -> Option<String> {
    match end {
        End::Code(code) if *code == i32::from(expected) => None,
        End::Code(EXIT_ASSUMPTION) => Some("an assumption does not hold".to_owned()),
        End::Code(code) => Some(format!(
            "it ends with exit code {code} instead of {expected}"
        )),
        End::Signal(signal) => Some(format!("it is ended by {}", signal_name(*signal))),
        End::TooLong => Some("it does not end in time".to_owned()),
        End::TooMuchMemory => Some("it uses too much memory".to_owned()),
    }
}

/// Describes two texts, from the first difference on.
fn unlike(what: &str, explored: &str, native: &str) -> String {
    const SHOWN: usize = 60;
    let same = explored.chars().zip(native.chars());
    let same = same.take_while(|(a, b)| a == b).count();
    let from = |text: &str| -> String { text.chars().skip(same).take(SHOWN).collect() };
    format!(
        "{what} is {:?} instead of {:?} after {same} characters",
        from(native),
        from(explored)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(stdout: &str) -> EndedPath {
        EndedPath {
            number: 1,
            exit_code: 0,
            inputs: Vec::new(),
            stdout: stdout.into(),
            stderr: Vec::new(),
            address_dependent: false,
            new_coverage: false,
            files: Vec::new(),
        }
    }

    fn run(end: End, stdout: &str) -> NativeRun {
        NativeRun {
            end,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            confined: false,
        }
    }

    fn printed(text: &str) -> String {
        format!("running 1 test\ntest a ... {MARK}{text}{MARK}ok\n")
    }

    fn harness(explored: &str, native: &str) -> Result<PathReplay, String> {
        compare(&path(explored), &run(End::Code(0), native))
    }

    #[test]
    fn what_a_harness_prints_is_compared() {
        assert_eq!(harness("1 2\n", &printed("1 2\n")), Ok(PathReplay::Agrees));
        assert_eq!(harness("", &printed("no end")), Ok(PathReplay::Agrees));
        for (explored, native) in [("1 2\n", "1 3\n"), ("1\n", ""), ("", "a\n")] {
            assert!(matches!(
                harness(explored, &printed(native)),
                Ok(PathReplay::Differs(_))
            ));
        }
        assert!(harness("", "test a ... ok").is_err());
    }

    #[test]
    fn ends_are_compared() {
        for end in [End::Code(101), End::Signal(11), End::TooLong] {
            let ended = compare(&path(""), &run(end, &printed("")));
            assert!(matches!(ended, Ok(PathReplay::Differs(_))));
        }
        let refused = EndedPath {
            exit_code: 3,
            ..path("")
        };
        let dir = tempfile::tempdir().unwrap();
        let compared = |code| compare_program(&refused, &run(End::Code(code), ""), dir.path());
        assert_eq!(compared(3), Ok(PathReplay::Agrees));
        assert!(matches!(compared(0), Ok(PathReplay::Differs(_))));
    }

    #[test]
    fn files_are_compared() {
        let dir = tempfile::tempdir().unwrap();
        let mut path = path("");
        path.files.push(symex_types::outcome::WrittenFile {
            name: "out".to_owned(),
            bytes: b"text".to_vec(),
        });
        let end = run(End::Code(0), "");
        let differs = compare_program(&path, &end, dir.path()).unwrap();
        assert!(matches!(differs, PathReplay::Differs(what) if what.contains("not found")));
        std::fs::write(dir.path().join("out"), "text").unwrap();
        assert_eq!(
            compare_program(&path, &end, dir.path()),
            Ok(PathReplay::Agrees)
        );
    }

    #[test]
    fn a_difference_takes_a_pass_back() {
        let mut verdict = Verdict::PassComplete;
        let mut paths = PathReplays::default();
        paths.add(&path(""), Ok(PathReplay::Agrees));
        doubt(&mut verdict, Some(&paths));
        assert_eq!(verdict, Verdict::PassComplete);
        paths.add(&path(""), Ok(PathReplay::Differs("it ends".to_owned())));
        doubt(&mut verdict, Some(&paths));
        assert!(matches!(verdict, Verdict::Inconclusive { .. }));
        assert_eq!((paths.ran, paths.agree), (2, 1));
    }
}
