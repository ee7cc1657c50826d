//! Finds what ended a native process in its standard error: the last panic that could not be
//! caught, or the line by which a library says why it ends the process.
//!
//! A panic that is printed did not end the process for that: it may have been caught, and another
//! fault have followed.

use super::panic_text::{PrintedPanic, is_aborting, panics, place};
use super::sanitizer::SanitizerReport;

/// What the standard error of a process that was killed says last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LastWords {
    /// A panic, and that it ends the process: the last one that is not merely the consequence of
    /// another.
    Aborting(PrintedPanic),
    /// A panic, of which nothing says that it ends the process.
    Panic(PrintedPanic),
    /// The line of the runtime or of a library that says why it ends the process.
    Fault(String),
}

/// Messages of panics that follow from the panic before.
const CONSEQUENCES: [&str; 2] = [
    "panic in a destructor during cleanup",
    "panic in a function that cannot unwind",
];

/// Returns what a process that was killed says last, if it is one of these.
pub fn last_words(stderr: &str) -> Option<LastWords> {
    let (mut is_aborted, mut said) = (false, None);
    for line in stderr.lines() {
        if place(line).is_some() {
            (is_aborted, said) = (false, None);
        } else if is_aborting(line) {
            (is_aborted, said) = (true, None);
        } else if let Some(fault) = fault(line) {
            said = Some(fault);
        }
    }
    Some(match said {
        Some(fault) => LastWords::Fault(fault),
        None if is_aborted => LastWords::Aborting(told(stderr)?),
        None => LastWords::Panic(told(stderr)?),
    })
}

/// Returns the last panic that is not a consequence of another.
fn told(stderr: &str) -> Option<PrintedPanic> {
    let mut panics = panics(stderr);
    let is_cause = |panic: &PrintedPanic| !CONSEQUENCES.contains(&panic.message.as_str());
    match panics.iter().rposition(is_cause) {
        Some(index) => Some(panics.swap_remove(index)),
        None => panics.pop(),
    }
}

/// Beginnings of lines that Rust's runtime, the C library and that of C++ print before they end
/// the process. A failed `assert` of C is not among them: its line names the executable.
const FAULTS: [&str; 17] = [
    "fatal runtime error: ",
    "free(): ",
    "malloc(): ",
    "calloc(): ",
    "realloc(): ",
    "double free or corruption",
    "munmap_chunk(): ",
    "mremap_chunk(): ",
    "malloc_consolidate(): ",
    "corrupted size vs. prev_size",
    "corrupted double-linked list",
    "tcache_thread_shutdown(): ",
    "*** stack smashing detected ***",
    "*** buffer overflow detected ***",
    "*** bit out of range",
    "terminate called ",
    "Fatal glibc error: ",
];

/// What Rust's runtime prints of a thread whose stack is used up.
const OVERFLOWED: &str = " has overflowed its stack";

/// Reports whether a line says that a stack was used up.
pub fn is_stack_overflow(line: &str) -> bool {
    line.starts_with("thread '") && line.ends_with(OVERFLOWED)
}

/// Returns the line if it says why the process ends, without numbers that are others each time.
fn fault(line: &str) -> Option<String> {
    if is_stack_overflow(line) {
        // The number of the thread follows its name.
        let thread = line.strip_suffix(OVERFLOWED)?;
        let name = thread
            .rsplit_once("' (")
            .map(|(name, _)| format!("{name}'"));
        return Some(format!("{}{OVERFLOWED}", name.as_deref().unwrap_or(thread)));
    }
    // It only repeats the line before.
    if line.starts_with("fatal runtime error: stack overflow") {
        return None;
    }
    if let Some(report) = SanitizerReport::find(line) {
        return Some(report.title);
    }
    let no_memory = line.starts_with("memory allocation of ") && line.ends_with(" bytes failed");
    let is_fault = no_memory || FAULTS.iter().any(|start| line.starts_with(start));
    is_fault.then(|| line.to_owned())
}

/// Reports whether a line says why the process ends.
pub fn is_fault(line: &str) -> bool {
    fault(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUGHT: &str = "\nthread 't::f' (7) panicked at src/lib.rs:3:5:\ncaught\n\
        note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";

    fn said(line: &str) -> Option<LastWords> {
        Some(LastWords::Fault(line.to_owned()))
    }

    #[test]
    fn a_fault_after_a_panic_is_what_ended_the_process() {
        for (line, expected) in [
            ("free(): double free detected in tcache 2", None),
            ("*** stack smashing detected ***: terminated", None),
            ("memory allocation of 5 bytes failed", None),
            (
                "thread 't::f' (7) has overflowed its stack",
                Some("thread 't::f' has overflowed its stack"),
            ),
            (
                "thread 'main' has overflowed its stack\nfatal runtime error: stack overflow, aborting",
                Some("thread 'main' has overflowed its stack"),
            ),
            (
                "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1 at pc 0x2",
                Some("AddressSanitizer: heap-use-after-free"),
            ),
        ] {
            let stderr = format!("{CAUGHT}{line}\n");
            assert_eq!(last_words(&stderr), said(expected.unwrap_or(line)));
        }
        assert_eq!(last_words("nothing of note\n"), None);
        let before = format!("free(): invalid pointer\n{CAUGHT}");
        assert!(matches!(last_words(&before), Some(LastWords::Panic(_))));
    }

    #[test]
    fn the_panic_that_ends_the_process_is_the_last_that_has_no_other_cause() {
        let second = "thread 't::f' (7) panicked at src/lib.rs:8:9:\nsecond\n";
        let third = "thread 't::f' (7) panicked at core/src/panicking.rs:225:5:\n\
            panic in a destructor during cleanup\nthread caused non-unwinding panic. aborting.\n";
        let stderr = format!("{CAUGHT}{second}{third}");
        let Some(LastWords::Aborting(panic)) = last_words(&stderr) else {
            panic!("{:?}", last_words(&stderr))
        };
        assert_eq!((panic.message.as_str(), panic.at.line), ("second", 8));
        let Some(LastWords::Panic(panic)) = last_words(CAUGHT) else {
            panic!("{:?}", last_words(CAUGHT))
        };
        assert_eq!((panic.message.as_str(), panic.at.line), ("caught", 3));
    }

    #[test]
    fn a_fault_is_no_part_of_the_message_before_it() {
        let again =
            "thread 't::f' (7) panicked at src/lib.rs:8:9:\nsecond\nfree(): invalid pointer\n";
        let found = panics(&format!("{CAUGHT}{again}"));
        let messages: Vec<&str> = found.iter().map(|panic| panic.message.as_str()).collect();
        assert_eq!(messages, ["caught", "second"]);
    }
}
