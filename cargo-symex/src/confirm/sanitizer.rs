//! Parses reports of clang's AddressSanitizer, including its LeakSanitizer, and compares them with
//! findings.
//!
//! A report confirms a finding only if it is of the same kind and at the same place: a program may
//! have other faults, and faults that the engine does not consider as such.

use super::launch::{End, NativeRun};
use super::replay::same_place;
use std::path::Path;
use symex_types::outcome::frame_owner::{user_frame, user_place};
use symex_types::outcome::{Finding, FindingKind, SourceLoc};

/// A report of a sanitizer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SanitizerReport {
    /// Name of the sanitizer and its term for the fault, without addresses: `AddressSanitizer:
    /// heap-use-after-free`.
    pub title: String,
    /// The call stacks of the fault, innermost frame first, as far as their places are known. Of
    /// leaks: the stack of each allocation.
    stacks: Vec<Vec<SourceLoc>>,
}

/// Returns the options for a sanitizer in a program. `symbolizer` is the program that finds places
/// in the source; without it, reports name no places. Checks for faults that the engine does not
/// consider as such are disabled.
pub fn options(leaks: bool, symbolizer: Option<&Path>) -> String {
    let leaks = u8::from(leaks);
    let common = "detect_odr_violation=0:allocator_may_return_null=1";
    match symbolizer {
        None => format!("detect_leaks={leaks}:{common}:symbolize=0"),
        Some(symbolizer) => format!(
            "detect_leaks={leaks}:{common}:symbolize=1:external_symbolizer_path='{}':\
             fast_unwind_on_malloc=0:stack_trace_format='{FRAME}%l %c %s'",
            symbolizer.display()
        ),
    }
}

/// The prefix of a frame in a report, in the format that we request: line, column and file follow.
const FRAME: &str = "    @ ";

/// Returns the faults that AddressSanitizer may report where the engine has a finding of this kind;
/// empty if it does not detect this kind. A `*` stands for any beginning or end.
fn faults(kind: FindingKind) -> &'static [&'static str] {
    match kind {
        FindingKind::OutOfBounds => &[
            "*-buffer-overflow",
            "*-buffer-underflow",
            "container-overflow",
            "negative-size-param",
            "unknown-crash",
            "SEGV",
        ],
        FindingKind::UseAfterFree => &["heap-use-after-free", "stack-use-after-*"],
        FindingKind::DoubleFree => &["attempting double-free"],
        FindingKind::InvalidFree => &["attempting free", "bad-free", "alloc-dealloc-mismatch"],
        // For the engine, the contents of a local variable become undefined when its lifetime ends.
        FindingKind::UninitUse => &["stack-use-after-*"],
        // Closed streams are freed memory.
        FindingKind::InvalidAccess => &[
            "SEGV",
            "unknown-crash",
            "heap-use-after-free",
            "attempting double-free",
        ],
        FindingKind::NullAccess | FindingKind::ReadOnlyWrite | FindingKind::InvalidCall => {
            &["SEGV", "unknown-crash"]
        }
        FindingKind::Undefined => &["*-param-overlap"],
        FindingKind::Leak => &["detected memory leaks"],
        FindingKind::StackOverflow => &["stack-overflow"],
        FindingKind::Panic
        | FindingKind::Abort
        | FindingKind::ExitCode
        | FindingKind::Misaligned
        | FindingKind::UnreachableReached
        | FindingKind::DivisionByZero
        | FindingKind::ShiftTooFar
        | FindingKind::ArithmeticOverflow
        | FindingKind::InvalidAssume
        | FindingKind::InvalidValue
        | FindingKind::DanglingReference
        | FindingKind::UncheckedOperation
        | FindingKind::Aliasing
        | FindingKind::DataRace
        | FindingKind::Deadlock
        | FindingKind::Hang => &[],
    }
}

/// Faults that would have been a signal without AddressSanitizer.
const SIGNALS: [&str; 3] = ["SEGV", "BUS", "FPE"];

/// Reports whether a sanitizer may detect findings of this kind.
pub fn looks_for(kind: FindingKind) -> bool {
    !faults(kind).is_empty()
}

impl SanitizerReport {
    /// Returns the report that ended a run.
    pub fn of(run: &NativeRun) -> Option<SanitizerReport> {
        Self::find(&run.stderr).filter(|_| run.end != End::Code(0))
    }

    /// Returns the first report in the standard error of a process.
    pub(super) fn find(stderr: &str) -> Option<SanitizerReport> {
        let mut lines = stderr.lines();
        let said = lines.find_map(|line| line.split_once("==ERROR: ").map(|(_, said)| said))?;
        let (name, rest) = said.split_once(": ")?;
        // An address, a place or a text in brackets follows the term.
        let end = [" on ", " (", ": "]
            .iter()
            .filter_map(|end| rest.find(end))
            .min();
        let mut report = SanitizerReport {
            title: format!("{name}: {}", &rest[..end.unwrap_or(rest.len())]),
            stacks: Vec::new(),
        };
        let is_leak = name == "LeakSanitizer";
        let mut stack = None;
        for line in lines {
            match line.strip_prefix(FRAME) {
                Some(frame) => stack.get_or_insert_with(Vec::new).extend(place(frame)),
                None => {
                    report.stacks.extend(stack.take());
                    // The following stacks are those of the object's free and allocation.
                    if !is_leak && !report.stacks.is_empty() {
                        break;
                    }
                }
            }
        }
        report.stacks.extend(stack);
        Some(report)
    }

    /// Reports whether the fault matches the kind of a finding.
    pub fn is_of_kind(&self, kind: FindingKind) -> bool {
        let fault = self.fault();
        faults(kind).iter().any(|word| {
            if let Some(end) = word.strip_prefix('*') {
                fault.ends_with(end)
            } else if let Some(start) = word.strip_suffix('*') {
                fault.starts_with(start)
            } else {
                fault == *word
            }
        })
    }

    /// Reports whether the fault would have killed a program without a sanitizer.
    pub fn is_signal(&self) -> bool {
        SIGNALS.contains(&self.fault())
    }

    fn fault(&self) -> &str {
        let title = self.title.split_once(": ");
        title.map_or("", |(_, fault)| fault)
    }

    /// Reports whether the fault is at the place of a finding, as the user sees it.
    pub fn is_at(&self, finding: &Finding) -> bool {
        let found = user_frame(&finding.trace).and_then(|frame| frame.at.as_ref());
        let Some(found) = found.or(finding.at.as_ref()) else {
            return false;
        };
        let mut told = self.stacks.iter().filter_map(|stack| user_place(stack));
        told.any(|told| same_place(told, found))
    }

    /// Describes the report and the place of the fault, as far as known.
    pub fn text(&self) -> String {
        match self.stacks.first().and_then(|stack| user_place(stack)) {
            Some(at) => format!("{} at {}:{}", self.title, at.file, at.line),
            None => self.title.clone(),
        }
    }
}

/// Parses the place of a frame; `None` for frames in the sanitizer itself.
fn place(frame: &str) -> Option<SourceLoc> {
    let mut parts = frame.splitn(3, ' ');
    let mut number = || parts.next()?.parse().ok();
    let (line, column) = (number()?, number()?);
    let file = parts.next()?;
    let known = line > 0 && !file.contains("/compiler-rt/lib/");
    known.then(|| SourceLoc {
        file: file.to_owned(),
        line,
        column,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confirm::bare_finding;
    use symex_types::outcome::TraceFrame;

    fn finding(kind: FindingKind, file: &str, line: u32) -> Finding {
        let at = SourceLoc {
            file: file.into(),
            line,
            column: 5,
        };
        let frame = |function: &str, at: &SourceLoc| TraceFrame {
            function: function.into(),
            at: Some(at.clone()),
        };
        let outer = SourceLoc {
            file: "src/lib.rs".into(),
            line: 2,
            column: 1,
        };
        Finding {
            at: Some(at.clone()),
            trace: vec![frame("f", &at), frame("k::h", &outer)],
            ..bare_finding(kind)
        }
    }

    const OVERFLOW: &str = "before\n\
        ==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x50 at pc 0x1 bp 0x2\n\
        READ of size 9 at 0x50 thread T1\n    @ 0 0 <null>\n    @ 26 53 /t/c/m.c\n    @ 32 18 /t/src/lib.rs\n\n\
        0x50 is located 0 bytes after 8-byte region\nallocated by thread T1 here:\n    @ 12 3 /t/c/other.c\n\n";

    #[test]
    fn a_report_is_read_without_addresses_and_with_the_stack_of_the_fault() {
        let report = SanitizerReport::find(OVERFLOW).expect("a report");
        assert_eq!(report.title, "AddressSanitizer: heap-buffer-overflow");
        let expected = "AddressSanitizer: heap-buffer-overflow at /t/c/m.c:26";
        assert_eq!(report.text(), expected);
        assert_eq!(report.stacks.len(), 1);
        assert_eq!(SanitizerReport::find("nothing\n"), None);
        for (said, expected) in [
            (
                "==1==ERROR: AddressSanitizer: attempting double-free on 0x50 in thread T0:",
                "AddressSanitizer: attempting double-free",
            ),
            (
                "==1==ERROR: AddressSanitizer: memcpy-param-overlap: memory ranges [0x1",
                "AddressSanitizer: memcpy-param-overlap",
            ),
        ] {
            assert_eq!(
                SanitizerReport::find(said).expect("a report").title,
                expected
            );
        }
    }

    #[test]
    fn another_kind_and_another_place_are_not_the_same_fault() {
        let report = SanitizerReport::find(OVERFLOW).expect("a report");
        assert!(report.is_of_kind(FindingKind::OutOfBounds) && !report.is_signal());
        let said = "==1==ERROR: AddressSanitizer: stack-use-after-return on address 0x1 at pc 0x2";
        let ended = SanitizerReport::find(said).expect("a report");
        assert!(ended.is_of_kind(FindingKind::UseAfterFree));
        assert!(ended.is_of_kind(FindingKind::UninitUse));
        for other in [
            FindingKind::UseAfterFree,
            FindingKind::Leak,
            FindingKind::UninitUse,
        ] {
            assert!(!report.is_of_kind(other), "{other:?}");
        }
        let at = |file, line| report.is_at(&finding(FindingKind::OutOfBounds, file, line));
        assert!(at("c/m.c", 26));
        // Only the innermost place of the user's code counts, and not that of the allocation.
        assert!(!at("c/m.c", 27) && !at("src/lib.rs", 32) && !at("c/other.c", 12));
        let nowhere = SanitizerReport {
            stacks: Vec::new(),
            ..report.clone()
        };
        assert!(!nowhere.is_at(&finding(FindingKind::OutOfBounds, "c/m.c", 26)));
    }

    #[test]
    fn of_leaks_any_may_be_the_one() {
        let said = "==9==ERROR: LeakSanitizer: detected memory leaks\n\n\
            Direct leak of 4 byte(s) in 1 object(s) allocated from:\n    @ 3 5 /t/c/a.c\n    @ 9 9 /t/src/lib.rs\n\n\
            Indirect leak of 4 byte(s) in 1 object(s) allocated from:\n    @ 7 5 /rustc/1/alloc.rs\n    @ 23 24 /t/c/m.c\n\n\
            SUMMARY: AddressSanitizer: 8 byte(s) leaked in 2 allocation(s).\n";
        let report = SanitizerReport::find(said).expect("a report");
        assert!(report.is_of_kind(FindingKind::Leak));
        let at = |file, line| report.is_at(&finding(FindingKind::Leak, file, line));
        assert!(at("c/a.c", 3) && at("c/m.c", 23));
        assert!(!at("src/lib.rs", 9) && !at("c/m.c", 3));
    }
}
