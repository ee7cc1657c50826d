//! Native replay of a finding: checks whether the compiled program fails as well.
//!
//! The engine's inputs go into a file; the harness's own test reads them ([`ENV_REPLAY`]) and
//! writes them out with their types ([`ENV_INPUTS_OUT`]). Only what was observed counts as
//! confirmation.

use super::FindingReport;
use super::last_words::{LastWords, is_stack_overflow, last_words};
use super::launch::{End, Launcher, NativeRun};
use super::native::{Native, signal_name};
use super::panic_text::{PrintedPanic, panics};
use super::refused::unless_refused;
use super::run_directory::RunDirectory;
use super::sanitizer::{self, SanitizerReport};
use crate::harness::TestHarness;
use crate::source::place::Places;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use symex_abi::{
    ENV_INPUTS_OUT, ENV_OUTPUT_MARK, ENV_REPLAY, EXIT_ASSUMPTION, EXIT_BAD_INPUTS,
    EXIT_NO_DEFINITION, inputs,
};
use symex_types::outcome::{ConcreteInput, Finding, FindingKind, PLAIN_PROCESSOR, SourceLoc};

/// Exit code of libtest when a test fails.
const EXIT_TEST_FAILED: i32 = 101;

/// Number of native runs for a finding of a path that took something for granted.
const RUNS: u32 = 3;

/// Signal by which a process ends itself.
const SIGABRT: i32 = 6;

/// Signal to a process that writes a larger file than it may.
const SIGXFSZ: i32 = 25;

/// Result of the native replay of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "status")]
pub enum Replay {
    /// The native run failed as well.
    Confirmed { how: How },
    /// The native run succeeded, or did not end in time.
    NotReproduced {
        reason: String,
        /// Whether the run was cut at its time limit, so that it shows nothing.
        #[serde(default)]
        cut: bool,
    },
    /// The native run could not be made or allows no conclusion.
    Failed { reason: String },
    /// A native run was not wanted or not possible.
    Skipped { reason: String },
}

/// The failure that a native run showed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum How {
    Panic {
        message: String,
        at: Option<SourceLoc>,
    },
    /// The process was killed by a signal.
    Signal {
        name: String,
        /// The last line by which the runtime or a library said why it ends the process.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
        /// A panic before that, if it is what the finding is about or all that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<PrintedPanic>,
    },
    ExitCode {
        code: i32,
    },
    /// A sanitizer ended the run.
    Sanitizer {
        /// Name of the sanitizer and its term for the fault: `AddressSanitizer:
        /// heap-use-after-free`.
        report: String,
    },
    /// The run did not end within this many seconds.
    NoEnd {
        seconds: u64,
    },
}

impl How {
    /// Describes the failure in words.
    pub fn text(&self, places: &Places) -> String {
        match self {
            How::Panic { at: Some(at), .. } => format!("panicked at {}", places.show(at)),
            How::Panic { at: None, message } => message.clone(),
            How::Signal { name, said, after } => {
                let after = after.as_ref().map_or(String::new(), |panic| {
                    format!("panicked at {}, then ", places.show(&panic.at))
                });
                let said = said
                    .as_ref()
                    .map_or(String::new(), |said| format!(": {said}"));
                format!("{after}killed by {name}{said}")
            }
            How::ExitCode { code } => format!("exit code {code}"),
            How::Sanitizer { report } => report.clone(),
            How::NoEnd { seconds } => format!("no end within {seconds} s"),
        }
    }

    /// Reports whether the process died because a stack was used up.
    pub fn is_stack_overflow(&self) -> bool {
        match self {
            How::Signal {
                said: Some(said), ..
            } => is_stack_overflow(said),
            _ => false,
        }
    }
}

/// The typed inputs of a run, as the runtime writes them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TypedInputs {
    pub args: Vec<TypedInput>,
    /// The call of the harness as a Rust expression, valid in the harness's module.
    #[serde(default)]
    pub call: String,
}

/// A typed argument of a harness.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TypedInput {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    /// The value as a Rust expression.
    pub source: String,
    pub debug: Option<String>,
    /// Whether the expression makes the value from its draws, since it cannot be written.
    #[serde(default)]
    pub redrawn: bool,
}

impl TypedInput {
    /// Returns the value as a reader is to see it.
    pub fn shown(&self) -> &str {
        match &self.debug {
            Some(debug) if self.redrawn => debug,
            _ => &self.source,
        }
    }
}

/// Returns the text of an inputs file with these inputs.
pub(super) fn inputs_text(inputs: &[ConcreteInput]) -> String {
    inputs::encode(inputs.iter().map(|input| (&*input.name, &*input.bytes)))
}

/// Replays a finding's inputs natively. If the plain run shows nothing, they are run again with a
/// sanitizer, if it can detect the kind of finding and there is an executable with one. `sanitized`
/// provides that executable; its argument asks for leak detection.
pub fn replay(
    launcher: &Launcher,
    native: &Native,
    sanitized: impl FnOnce(bool) -> Result<Option<Native>, String>,
    harness: &TestHarness,
    finding: Finding,
    timeout: Duration,
) -> FindingReport {
    let (replay, inputs) = run_finding(launcher, native, sanitized, harness, &finding, timeout);
    FindingReport {
        inputs,
        ..FindingReport::new(finding, replay)
    }
}

fn run_finding(
    launcher: &Launcher,
    native: &Native,
    sanitized: impl FnOnce(bool) -> Result<Option<Native>, String>,
    harness: &TestHarness,
    finding: &Finding,
    timeout: Duration,
) -> (Replay, Option<TypedInputs>) {
    let failed = |what: &str, error: std::io::Error| {
        let reason = format!("failed to {what}: {error}");
        (Replay::Failed { reason }, None)
    };
    let dir = match tempfile::tempdir() {
        Ok(dir) => dir,
        Err(error) => return failed("make a temporary directory", error),
    };
    let file = dir.path().join("inputs");
    if let Err(error) = std::fs::write(&file, inputs_text(&finding.inputs)) {
        return failed("write the inputs", error);
    }
    let run = |native: &Native| run_inputs(launcher, native, harness, &file, None, timeout);
    let attempt = || run(native).map(|(run, inputs)| (judge(finding, &run, timeout), inputs));
    let (replay, inputs) = match until_it_shows(finding, attempt) {
        Ok(result) => result,
        Err(error) => return failed("run the native test", error),
    };
    let silent = match replay {
        Replay::NotReproduced { reason, .. } if sanitizer::looks_for(finding.kind) => reason,
        replay => return (replay, inputs),
    };
    let replay = match sanitized(finding.kind == FindingKind::Leak) {
        Ok(None) => not(&silent),
        Ok(Some(native)) => match run(&native) {
            Ok((run, _)) => judge_sanitized(finding, &run, &silent),
            Err(error) => not(&format!(
                "{silent}; failed to run it with AddressSanitizer: {error}"
            )),
        },
        Err(reason) => not(&format!("{silent}; without AddressSanitizer: {reason}")),
    };
    (replay, inputs)
}

/// Repeats a native run that does not show its finding, if the path took something for granted that
/// the next run may bring: the order of its threads, or the random keys of a hash map.
fn until_it_shows<T>(
    finding: &Finding,
    mut run: impl FnMut() -> std::io::Result<(Replay, T)>,
) -> std::io::Result<(Replay, T)> {
    let granted = &finding.assumptions;
    let varies = finding.threads || granted.iter().any(|what| what != PLAIN_PROCESSOR);
    let mut left = if varies { RUNS - 1 } else { 0 };
    loop {
        let result = run()?;
        if left == 0 || !matches!(result.0, Replay::NotReproduced { cut: false, .. }) {
            return Ok(result);
        }
        left -= 1;
    }
}

/// Runs an inputs file natively. `mark` is printed before and after the harness's output.
pub fn run_inputs(
    launcher: &Launcher,
    native: &Native,
    harness: &TestHarness,
    inputs: &Path,
    mark: Option<&str>,
    timeout: Duration,
) -> std::io::Result<(NativeRun, Option<TypedInputs>)> {
    let directory = RunDirectory::new()?;
    let out = directory.writable().join("typed.json");
    let mut env = vec![
        (ENV_REPLAY, inputs.as_os_str()),
        (ENV_INPUTS_OUT, out.as_os_str()),
    ];
    env.extend(mark.map(|mark| (ENV_OUTPUT_MARK, mark.as_ref())));
    let run = native.run_test(launcher, &harness.replay_test(), &env, &directory, timeout)?;
    let typed = std::fs::read(&out).ok();
    let typed = typed.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok((run, typed))
}

/// Returns the failure that ended a run; `None` if the run ended well or says nothing about the
/// program. `finding` is what the run is expected to show.
pub fn how_it_failed(run: &NativeRun, finding: Option<&Finding>) -> Option<How> {
    match run.end {
        End::Code(0 | EXIT_ASSUMPTION | EXIT_BAD_INPUTS | EXIT_NO_DEFINITION)
        | End::TooLong
        | End::TooMuchMemory => None,
        End::Code(EXIT_TEST_FAILED) => {
            let last = || panics(&run.stderr).pop();
            match expected_panic(run, finding).or_else(last) {
                Some(panic) => Some(of_panic(panic)),
                None => Some(libtest_says(run)),
            }
        }
        End::Code(code) => Some(How::ExitCode { code }),
        End::Signal(signal) => Some(killed(run, signal, finding)),
    }
}

/// Returns how a run failed that a signal ended. A panic that the runtime did not let anyone catch
/// says more than the signal; any other may have been caught before.
pub(super) fn killed(run: &NativeRun, signal: i32, finding: Option<&Finding>) -> How {
    let expected = expected_panic(run, finding);
    let is_panic = finding.is_some_and(|finding| finding.kind == FindingKind::Panic);
    let (said, after) = match last_words(&run.stderr) {
        Some(LastWords::Aborting(panic)) if signal == SIGABRT => {
            if !is_panic || expected.as_ref().is_none_or(|expected| *expected == panic) {
                return of_panic(panic);
            }
            let message = panic.message.lines().next().unwrap_or_default();
            (Some(format!("another panic: {message}")), None)
        }
        // As by a hook for panics that ends the process.
        Some(LastWords::Panic(panic)) if signal == SIGABRT && expected.as_ref() == Some(&panic) => {
            return of_panic(panic);
        }
        Some(LastWords::Panic(panic)) if signal == SIGABRT => (None, Some(panic)),
        Some(LastWords::Fault(line)) => (Some(line), None),
        _ => (None, None),
    };
    How::Signal {
        name: signal_name(signal),
        said,
        after: after.or(expected.filter(|_| is_panic)),
    }
}

/// Returns the panic at the place of a finding that a run printed last.
fn expected_panic(run: &NativeRun, finding: Option<&Finding>) -> Option<PrintedPanic> {
    let at = finding?.at.as_ref()?;
    let mut panics = panics(&run.stderr).into_iter().rev();
    panics.find(|panic| same_place(at, &panic.at))
}

/// Returns libtest's note about a test that fails without a panic of its own, because it should
/// have panicked.
fn libtest_says(run: &NativeRun) -> How {
    let note = run
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("note: "));
    match note {
        Some(note) => How::Panic {
            message: note.to_owned(),
            at: None,
        },
        None => How::ExitCode {
            code: EXIT_TEST_FAILED,
        },
    }
}

/// Reports whether two places are the same. One file name may be relative, the other absolute.
pub fn same_place(a: &SourceLoc, b: &SourceLoc) -> bool {
    let (x, y) = (plain(&a.file), plain(&b.file));
    a.line == b.line && (x.ends_with(&y) || y.ends_with(&x))
}

/// Returns a path without the `..` components that a build system puts into it.
fn plain(file: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in Path::new(file).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            component => path.push(component),
        }
    }
    path
}

fn of_panic(panic: PrintedPanic) -> How {
    // A panic that the runtime raises for the harness (it returned, or returned `Err`) has no place
    // of the user's.
    let ours = ["symex-runtime", "symex_runtime"];
    let at = (!ours.iter().any(|name| panic.at.file.contains(name))).then_some(panic.at);
    How::Panic {
        message: panic.message,
        at,
    }
}

/// Judges a run that was ended from outside; this is the same for harnesses and programs.
pub(super) fn ended(finding: &Finding, run: &NativeRun, timeout: Duration) -> Option<Replay> {
    let seconds = timeout.as_secs();
    match run.end {
        End::TooLong if does_not_end(finding.kind) => Some(Replay::Confirmed {
            how: How::NoEnd { seconds },
        }),
        End::TooLong => Some(Replay::NotReproduced {
            reason: format!("the native run did not end within {seconds} s"),
            cut: true,
        }),
        End::TooMuchMemory => Some(Replay::Failed {
            reason: "the native run used too much memory".to_owned(),
        }),
        // These signals say nothing about the program.
        End::Signal(signal @ (1 | 2 | 9 | 15 | SIGXFSZ)) => Some(Replay::Failed {
            reason: format!("the native run was ended by {}", signal_name(signal)),
        }),
        End::Code(_) | End::Signal(_) => None,
    }
}

/// Reports whether a native run that shows a finding of this kind goes on without end.
pub fn does_not_end(kind: FindingKind) -> bool {
    matches!(kind, FindingKind::Hang | FindingKind::Deadlock)
}

pub(super) fn not(reason: &str) -> Replay {
    Replay::NotReproduced {
        reason: reason.to_owned(),
        cut: false,
    }
}

/// Compares a finding with a native run of its inputs by a test, of which libtest tells that it
/// ran.
fn judge(finding: &Finding, run: &NativeRun, timeout: Duration) -> Replay {
    if run.end == End::Code(0) && !run.stdout.contains("test result: ok. 1 passed") {
        return Replay::Failed {
            reason: "the native executable has no test for the harness".to_owned(),
        };
    }
    judge_run(finding, run, timeout)
}

/// Compares a finding with a native run of its inputs, whose exit codes are ours where it is not
/// the program that fails.
pub(super) fn judge_run(finding: &Finding, run: &NativeRun, timeout: Duration) -> Replay {
    if let Some(replay) = ended(finding, run, timeout) {
        return replay;
    }
    match run.end {
        End::Code(EXIT_BAD_INPUTS) => failed(run, "the inputs file could not be read"),
        End::Code(EXIT_NO_DEFINITION) => failed(run, "a function has no definition"),
        End::Code(EXIT_ASSUMPTION) => not("an assumption did not hold natively"),
        End::Code(0) => not(silence(finding)),
        _ => match how_it_failed(run, Some(finding)) {
            Some(how) if is_another_fault(finding, run, &how) => {
                let how = how.text(&Places::default());
                not(&format!("{}; another fault shows: {how}", silence(finding)))
            }
            Some(how) => unless_refused(finding, run, how),
            None => not(silence(finding)),
        },
    }
}

/// Reports whether what a native run died of says nothing about a finding: a panic or an exit that
/// follows undefined behaviour from elsewhere, and of aliasing whatever it is.
fn is_another_fault(finding: &Finding, run: &NativeRun, how: &How) -> bool {
    if finding.kind == FindingKind::Aliasing {
        return true;
    }
    // Checks of undefined behaviour that rustc or the standard library make end in an abort.
    if !finding.kind.may_be_silent() || !matches!(run.end, End::Code(_)) {
        return false;
    }
    let How::Panic { at: Some(at), .. } = how else {
        return true;
    };
    let calls = finding.trace.iter().filter_map(|frame| frame.at.as_ref());
    !finding
        .at
        .iter()
        .chain(calls)
        .any(|own| same_place(own, at))
}

/// Compares a finding with a run with a sanitizer; `silent` is the result of the run without one.
fn judge_sanitized(finding: &Finding, run: &NativeRun, silent: &str) -> Replay {
    match SanitizerReport::of(run) {
        Some(report) if report.is_of_kind(finding.kind) && report.is_at(finding) => {
            Replay::Confirmed {
                how: How::Sanitizer {
                    report: report.title,
                },
            }
        }
        Some(report) => not(&another_fault(silent, &report)),
        None if finding.kind == FindingKind::Leak => not("LeakSanitizer does not see it"),
        None => not(&format!("{silent}; AddressSanitizer does not see it")),
    }
}

/// Explains that a report shows another fault than the finding.
pub(super) fn another_fault(silent: &str, report: &SanitizerReport) -> String {
    format!("{silent}; another fault shows: {}", report.text())
}

/// Returns the result for a run that failed for a reason that its last line gives.
fn failed(run: &NativeRun, otherwise: &str) -> Replay {
    Replay::Failed {
        reason: run.stderr.lines().last().unwrap_or(otherwise).to_owned(),
    }
}

pub(super) fn silence(finding: &Finding) -> &'static str {
    // Where something else is taken for granted, that is the likelier reason.
    let mut granted = finding.assumptions.iter();
    let only_the_processor = granted.all(|what| what == PLAIN_PROCESSOR);
    if finding.has_stubs {
        "the native run calls the functions that were replaced"
    } else if finding.address_dependent && only_the_processor && !finding.kind.may_be_silent() {
        "it depends on the numeric value of an address, which differs natively"
    } else if finding.kind == FindingKind::Leak {
        "a leak is silent without LeakSanitizer"
    } else if finding.kind == FindingKind::Aliasing {
        "a native run knows no rules of aliasing"
    } else if finding.kind == FindingKind::DataRace {
        "a data race may be silent"
    } else if finding.threads {
        "the threads of the native run take another order"
    } else if finding.kind.may_be_silent() {
        "undefined behaviour may be silent"
    } else if finding.kind == FindingKind::Hang {
        "the native run ends; it only takes more steps than the limit"
    } else {
        "the native run ends well"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;

    fn finding(kind: FindingKind) -> Finding {
        Finding {
            at: Some(SourceLoc {
                file: "/w/src/lib.rs".into(),
                line: 3,
                column: 5,
            }),
            ..bare_finding(kind)
        }
    }

    fn run(end: End, stdout: &str, stderr: &str) -> NativeRun {
        NativeRun {
            end,
            stdout: stdout.into(),
            stderr: stderr.into(),
            confined: false,
        }
    }

    const TEN: Duration = Duration::from_secs(10);
    const OK: &str = "running 1 test\ntest result: ok. 1 passed; 0 failed";

    #[test]
    fn a_panic_is_confirmed_with_its_message() {
        let stderr = "thread 'f' (1) panicked at src/lib.rs:3:5:\nboom\n\
            thread 'f' (1) panicked at src/other.rs:9:1:\nlater\n";
        let replay = judge(
            &finding(FindingKind::Panic),
            &run(End::Code(101), "", stderr),
            TEN,
        );
        let Replay::Confirmed {
            how: How::Panic {
                message,
                at: Some(at),
            },
        } = replay
        else {
            panic!("{replay:?}")
        };
        assert_eq!((message.as_str(), at.line), ("boom", 3));
    }

    #[test]
    fn what_may_differ_from_run_to_run_is_run_up_to_three_times() {
        let plain = finding(FindingKind::Panic);
        let assuming = |what: &str| Finding {
            assumptions: vec![what.to_owned()],
            ..plain.clone()
        };
        // The number of runs until one ends, when the run with number `shows` fails as well.
        let runs = |finding: &Finding, shows: u32| {
            let mut runs = 0;
            let run = || {
                runs += 1;
                let how = How::ExitCode { code: 101 };
                let shown = (runs == shows).then_some(Replay::Confirmed { how });
                Ok((shown.unwrap_or_else(|| not("the native run ends well")), ()))
            };
            let (replay, ()) = until_it_shows(finding, run).expect("the runs start");
            (runs, matches!(replay, Replay::Confirmed { .. }))
        };
        assert_eq!(runs(&assuming("keys differ"), 2), (2, true));
        assert_eq!(runs(&assuming("keys differ"), 9), (3, false));
        assert_eq!(runs(&assuming(PLAIN_PROCESSOR), 2), (1, false));
        assert_eq!(runs(&plain, 2), (1, false));
    }

    #[test]
    fn a_clean_run_of_undefined_behaviour_is_no_refutation() {
        let clean = run(End::Code(0), OK, "");
        let Replay::NotReproduced { reason, .. } =
            judge(&finding(FindingKind::UninitUse), &clean, TEN)
        else {
            panic!()
        };
        assert_eq!(reason, "undefined behaviour may be silent");
        let Replay::NotReproduced { reason, .. } = judge(&finding(FindingKind::Panic), &clean, TEN)
        else {
            panic!()
        };
        assert_eq!(reason, "the native run ends well");
    }

    #[test]
    fn only_a_hang_is_confirmed_by_no_end() {
        let slow = run(End::TooLong, "", "");
        let hang = judge(&finding(FindingKind::Hang), &slow, TEN);
        assert_eq!(
            hang,
            Replay::Confirmed {
                how: How::NoEnd { seconds: 10 }
            }
        );
        assert!(matches!(
            judge(&finding(FindingKind::Panic), &slow, TEN),
            Replay::NotReproduced { .. }
        ));
    }

    #[test]
    fn a_run_that_tells_nothing_is_neither() {
        let none = run(
            End::Code(0),
            "running 0 tests\ntest result: ok. 0 passed",
            "",
        );
        assert!(matches!(
            judge(&finding(FindingKind::Panic), &none, TEN),
            Replay::Failed { .. }
        ));
        let killed = run(End::Signal(9), "", "");
        assert!(matches!(
            judge(&finding(FindingKind::OutOfBounds), &killed, TEN),
            Replay::Failed { .. }
        ));
        let inputs = run(End::Code(87), "", "symex: x: bad\n");
        assert!(matches!(
            judge(&finding(FindingKind::Panic), &inputs, TEN),
            Replay::Failed { .. }
        ));
        let missing = run(End::Code(88), "", "nothing defines `f`\n");
        assert_eq!(
            judge(&finding(FindingKind::Panic), &missing, TEN),
            Replay::Failed {
                reason: "nothing defines `f`".into()
            }
        );
        let assumption = run(End::Code(86), "", "");
        assert!(matches!(
            judge(&finding(FindingKind::Panic), &assumption, TEN),
            Replay::NotReproduced { .. }
        ));
    }

    #[test]
    fn signals_and_aborts() {
        let crash = judge(
            &finding(FindingKind::OutOfBounds),
            &run(End::Signal(11), "", ""),
            TEN,
        );
        assert_eq!(
            crash,
            Replay::Confirmed {
                how: How::Signal {
                    name: "SIGSEGV".into(),
                    said: None,
                    after: None,
                }
            }
        );
        let stderr = "thread 'f' panicked at core/x.rs:1:1:\nunsafe precondition(s) violated\n\
            thread caused non-unwinding panic. aborting.\n";
        let abort = judge(
            &finding(FindingKind::InvalidAssume),
            &run(End::Signal(6), "", stderr),
            TEN,
        );
        assert!(matches!(
            abort,
            Replay::Confirmed {
                how: How::Panic { .. }
            }
        ));
    }

    #[test]
    fn no_native_fault_confirms_a_finding_of_aliasing() {
        let crash = run(End::Signal(11), "", "");
        let replay = judge(&finding(FindingKind::Aliasing), &crash, TEN);
        let reason =
            "a native run knows no rules of aliasing; another fault shows: killed by SIGSEGV";
        assert_eq!(replay, not(reason));
    }

    #[test]
    fn a_panic_from_elsewhere_confirms_no_undefined_behaviour() {
        let panicked = |line: u32| {
            let stderr = format!("thread 'f' (1) panicked at src/lib.rs:{line}:5:\nboom\n");
            let run = run(End::Code(101), "", &stderr);
            judge(&finding(FindingKind::InvalidValue), &run, TEN)
        };
        assert!(matches!(panicked(3), Replay::Confirmed { .. }));
        let reason =
            "undefined behaviour may be silent; another fault shows: panicked at src/lib.rs:9:5";
        assert_eq!(panicked(9), not(reason));
    }

    #[test]
    fn a_panic_that_was_caught_ended_nothing() {
        let stderr = "thread 'f' (1) panicked at src/lib.rs:3:5:\ncaught\n\
            note: run with `RUST_BACKTRACE=1` environment variable\nfree(): invalid pointer\n";
        let freed = run(End::Signal(6), "", stderr);
        let how = |kind| {
            let mut finding = finding(kind);
            if kind == FindingKind::DoubleFree {
                finding.at = Some(SourceLoc::new("/w/src/lib.rs", 9, 1));
            }
            match judge(&finding, &freed, TEN) {
                Replay::Confirmed { how } => how.text(&Places::default()),
                replay => panic!("{replay:?}"),
            }
        };
        let killed = "killed by SIGABRT: free(): invalid pointer";
        assert_eq!(how(FindingKind::DoubleFree), killed);
        // It shows natively, but something else follows.
        let panicked = format!("panicked at src/lib.rs:3:5, then {killed}");
        assert_eq!(how(FindingKind::Panic), panicked);

        let stderr = stderr.replace("free(): invalid pointer\n", "");
        let silent = run(End::Signal(6), "", &stderr);
        let how = killed_text(&silent, None);
        assert_eq!(how, "panicked at src/lib.rs:3:5, then killed by SIGABRT");
        // A hook for panics may end the process.
        let how = killed_text(&silent, Some(&finding(FindingKind::Panic)));
        assert_eq!(how, "panicked at src/lib.rs:3:5");
    }

    fn killed_text(run: &NativeRun, finding: Option<&Finding>) -> String {
        killed(run, 6, finding).text(&Places::default())
    }

    #[test]
    fn a_sanitizer_confirms_what_it_sees_of_the_same_kind_at_the_same_place() {
        let said = |fault: &str, line: u32| {
            let stderr = format!(
                "==7==ERROR: AddressSanitizer: {fault} on address 0x1\n    @ {line} 5 /w/src/lib.rs\n\n"
            );
            let silent = "undefined behaviour may be silent";
            let found = finding(FindingKind::OutOfBounds);
            judge_sanitized(&found, &run(End::Code(1), "", &stderr), silent)
        };
        let report = "AddressSanitizer: heap-buffer-overflow".to_owned();
        let how = How::Sanitizer { report };
        assert_eq!(said("heap-buffer-overflow", 3), Replay::Confirmed { how });
        for (fault, line) in [("heap-buffer-overflow", 4), ("heap-use-after-free", 3)] {
            let reason = format!(
                "undefined behaviour may be silent; another fault shows: AddressSanitizer: {fault} at /w/src/lib.rs:{line}"
            );
            assert_eq!(said(fault, line), not(&reason));
        }
    }

    #[test]
    fn inputs_are_one_line_a_draw() {
        let inputs = [
            ConcreteInput {
                name: "len".into(),
                role: Default::default(),
                bytes: vec![9, 0, 0],
                form: Default::default(),
            },
            ConcreteInput {
                name: "a\nb".into(),
                role: Default::default(),
                bytes: vec![],
                form: Default::default(),
            },
        ];
        assert_eq!(inputs_text(&inputs), "len 090000\na?b -\n");
    }
}
