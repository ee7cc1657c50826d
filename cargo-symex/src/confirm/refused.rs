//! Failures of a confined run that come from the confinement, perhaps, and not from the program.

use super::launch::NativeRun;
use super::replay::{How, Replay, not};
use symex_types::outcome::Finding;

/// Words of the system's errors for what a confined run may not do.
const REFUSALS: [&str; 4] = [
    "Permission denied",
    "PermissionDenied",
    "Operation not permitted",
    "Invalid cross-device link",
];

/// Returns the confirmation of a finding, unless the native run failed because the system refused
/// it something, which it did not do on the explored path.
pub(super) fn unless_refused(finding: &Finding, run: &NativeRun, how: How) -> Replay {
    let said = match &how {
        How::Panic { message, .. } => message,
        How::Signal {
            after: Some(panic), ..
        } => &panic.message,
        How::ExitCode { .. } => &run.stderr,
        How::Signal { .. } | How::Sanitizer { .. } | How::NoEnd { .. } => "",
    };
    let printed = String::from_utf8_lossy(&finding.output);
    let explored = |words: &str| finding.message.contains(words) || printed.contains(words);
    let refused = |words: &&str| said.contains(*words) && !explored(words);
    match REFUSALS.iter().any(|words| run.confined && refused(words)) {
        true => not(
            "the native run was refused something, perhaps by its confinement (--replay=free \
             runs it without)",
        ),
        false => Replay::Confirmed { how },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;
    use crate::confirm::launch::End;
    use symex_types::outcome::FindingKind;

    #[test]
    fn only_a_refusal_that_was_not_explored_is_none_of_the_program() {
        let mut run = NativeRun {
            end: End::Code(101),
            stdout: String::new(),
            stderr: String::new(),
            confined: true,
        };
        let mut finding = bare_finding(FindingKind::Panic);
        let panic = || How::Panic {
            message: "Os { code: 13, kind: PermissionDenied }".to_owned(),
            at: None,
        };
        let is_confirmed = |replay| matches!(replay, Replay::Confirmed { .. });
        assert!(!is_confirmed(unless_refused(&finding, &run, panic())));
        finding.message = "kind: PermissionDenied".to_owned();
        assert!(is_confirmed(unless_refused(&finding, &run, panic())));
        finding.message.clear();
        run.confined = false;
        assert!(is_confirmed(unless_refused(&finding, &run, panic())));
        run.confined = true;
        run.stderr = "open: Permission denied\n".to_owned();
        let code = How::ExitCode { code: 1 };
        assert!(!is_confirmed(unless_refused(&finding, &run, code)));
    }
}
