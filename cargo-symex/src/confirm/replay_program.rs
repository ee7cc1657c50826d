//! Judges the native run of a program given as files. The program is not a test of ours, so its
//! exit code is its own. If our input functions end it, they print the reason.

use super::launch::{End, NativeRun};
use super::refused::unless_refused;
use super::replay::{How, Replay, another_fault, ended, killed, not, silence};
use super::sanitizer::SanitizerReport;
use std::time::Duration;
use symex_abi::{EXIT_ASSUMPTION, EXIT_NO_DEFINITION};
use symex_types::outcome::{Finding, FindingKind};

/// Compares a finding with a native run of its inputs.
pub fn judge(finding: &Finding, run: &NativeRun, timeout: Duration) -> Replay {
    if let Some(replay) = ended(finding, run, timeout) {
        return replay;
    }
    let confirmed = |how| Replay::Confirmed { how };
    match run.end {
        End::Code(EXIT_ASSUMPTION) if ours(run).is_some() => {
            not("an assumption did not hold natively")
        }
        End::Code(EXIT_NO_DEFINITION) if ours(run).is_some() => Replay::Failed {
            reason: ours(run).unwrap_or_default().to_owned(),
        },
        End::Code(0) => not(silence(finding)),
        End::Code(code) => match SanitizerReport::of(run) {
            // A signal confirms any finding, as without a sanitizer.
            Some(report) if report.is_of_kind(finding.kind) || report.is_signal() => {
                confirmed(How::Sanitizer {
                    report: report.title,
                })
            }
            Some(report) => not(&another_fault(silence(finding), &report)),
            // Many programs end like this for inputs that they reject, which does not confirm a
            // fault.
            None if finding.kind == FindingKind::ExitCode => {
                unless_refused(finding, run, How::ExitCode { code })
            }
            None => not(&format!(
                "{}; the native run ends with exit code {code}",
                silence(finding)
            )),
        },
        End::Signal(signal) => confirmed(killed(run, signal, Some(finding))),
        End::TooLong | End::TooMuchMemory => not(silence(finding)),
    }
}

/// Returns the reason that our own functions gave for ending the run.
fn ours(run: &NativeRun) -> Option<&str> {
    run.stderr.lines().last()?.strip_prefix("symex: ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;

    fn judged(kind: FindingKind, end: End, stderr: &str) -> Replay {
        let finding = bare_finding(kind);
        let run = NativeRun {
            end,
            stdout: String::new(),
            stderr: stderr.to_owned(),
            confined: false,
        };
        judge(&finding, &run, Duration::from_secs(10))
    }

    #[test]
    fn an_exit_code_confirms_only_that() {
        let code = judged(FindingKind::ExitCode, End::Code(3), "");
        let how = How::ExitCode { code: 3 };
        assert_eq!(code, Replay::Confirmed { how });
        let other = judged(FindingKind::OutOfBounds, End::Code(3), "");
        let reason = "undefined behaviour may be silent; the native run ends with exit code 3";
        assert_eq!(other, not(reason));
    }

    #[test]
    fn codes_of_ours_are_ours_only_with_our_words() {
        let assumption = "symex: an assumption does not hold\n";
        let kind = FindingKind::ExitCode;
        let refused = judged(kind, End::Code(86), assumption);
        assert_eq!(refused, not("an assumption did not hold natively"));
        let own = judged(kind, End::Code(86), "no such file\n");
        assert!(matches!(own, Replay::Confirmed { .. }));
        let missing = judged(kind, End::Code(88), "symex: nothing defines f\n");
        let reason = "nothing defines f".to_owned();
        assert_eq!(missing, Replay::Failed { reason });
    }

    #[test]
    fn a_sanitizer_is_quoted() {
        let said = "==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x5020 at pc";
        let replay = judged(FindingKind::OutOfBounds, End::Code(1), said);
        let report = "AddressSanitizer: heap-buffer-overflow".to_owned();
        let how = How::Sanitizer { report };
        assert_eq!(replay, Replay::Confirmed { how });
        let replay = judged(FindingKind::UseAfterFree, End::Code(1), said);
        let reason = "undefined behaviour may be silent; another fault shows: \
                      AddressSanitizer: heap-buffer-overflow";
        assert_eq!(replay, not(reason));
        let said = "==17==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x1)";
        let replay = judged(FindingKind::UninitUse, End::Code(1), said);
        assert!(matches!(replay, Replay::Confirmed { .. }));
    }

    #[test]
    fn signals_and_time_are_as_for_harnesses() {
        let trap = judged(FindingKind::Undefined, End::Signal(4), "");
        let how = How::Signal {
            name: "SIGILL".to_owned(),
            said: None,
            after: None,
        };
        assert_eq!(trap, Replay::Confirmed { how });
        assert!(matches!(
            judged(FindingKind::Abort, End::Signal(9), ""),
            Replay::Failed { .. }
        ));
        assert!(matches!(
            judged(FindingKind::Hang, End::TooLong, ""),
            Replay::Confirmed { .. }
        ));
        let clean = judged(FindingKind::Abort, End::Code(0), "");
        assert_eq!(clean, not("the native run ends well"));
    }
}
