//! Judgements on the findings of generated harnesses: such a harness knows nothing of what a
//! function asks of its callers, except for what the documentation says, and that safe code must
//! not do what is undefined.

use symex_types::outcome::{Finding, FindingKind};

/// What a finding is, with regard to what the code under test promises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// What no safe function may do.
    Undefined,
    /// A panic, or an end of the process, of which the documentation says nothing.
    Panic,
    /// A panic of which the documentation has a section.
    Promised,
    /// A size that the caller gives, for which there is no memory.
    Memory,
    /// A panic while the inputs were made. The function that makes them has a harness of its own.
    OfInputs,
    /// A panic of a test's own code.
    OfTest,
    /// A panic in a test that expects one.
    Expected,
}

impl Judgement {
    /// Returns the name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Undefined => "undefined",
            Judgement::Panic => "panic",
            Judgement::Promised => "promised-panic",
            Judgement::Memory => "memory",
            Judgement::OfInputs => "panic-of-inputs",
            Judgement::OfTest => "panic-of-test",
            Judgement::Expected => "expected-panic",
        }
    }

    /// Returns a note for people; `None` for what needs none.
    pub fn note(self) -> Option<&'static str> {
        match self {
            // What a test asserts is about its constants: that is no news.
            Judgement::Undefined | Judgement::Panic | Judgement::OfTest => None,
            Judgement::Promised => Some("its documentation says that it may panic"),
            Judgement::Memory => Some("it asks for more memory than there can be"),
            Judgement::OfInputs => {
                Some("it panics while the inputs of the function are made, not in the function")
            }
            Judgement::Expected => Some("the test expects a panic"),
        }
    }

    /// Reports whether it counts as a bug.
    pub fn is_bug(self, with_promised: bool) -> bool {
        match self {
            Judgement::Undefined | Judgement::Panic => true,
            Judgement::Promised => with_promised,
            Judgement::Memory | Judgement::OfInputs | Judgement::OfTest | Judgement::Expected => {
                false
            }
        }
    }
}

/// What the standard library says where there is no memory of a size.
const NO_MEMORY: [&str; 2] = ["capacity overflow", "memory allocation failed"];

/// Reports whether a finding is that there is no memory of a size.
pub fn is_of_memory(finding: &Finding) -> bool {
    NO_MEMORY.iter().any(|text| finding.message.contains(text))
}

/// Reports whether a finding is an end of the process that its code may want, as opposed to what
/// is undefined.
pub fn is_an_end(finding: &Finding) -> bool {
    use FindingKind::{Abort, Deadlock, ExitCode, Hang, Leak, Panic, StackOverflow};
    matches!(
        finding.kind,
        Panic | Abort | ExitCode | Hang | Deadlock | Leak | StackOverflow
    )
}

/// What documentation without a section says about panics.
const PANICS: [&str; 7] = [
    "panics if",
    "panics when",
    "panics on",
    "will panic",
    "may panic",
    "can panic",
    "panic if",
];

/// Reports whether documentation says that a function may panic: in a section, or in a sentence.
pub fn promises_panics(docs: &str) -> bool {
    let text = docs
        .to_lowercase()
        .replace(['*', '`', '_'], "")
        .replace('\n', " ");
    let is_told = PANICS.iter().any(|phrase| text.contains(phrase));
    is_told
        || docs.lines().any(|line| {
            let heading = line.trim_start();
            let title = heading.trim_start_matches('#');
            title.len() < heading.len() && title.trim().to_lowercase().starts_with("panic")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_or_a_sentence_promises_panics() {
        let promises = [
            "Divides.\n\n# Panics\n\nIf `by` is 0.",
            "## Panic",
            "Removes an element.\n**Panics**\nif there is none.",
        ];
        assert!(promises.into_iter().all(promises_panics));
        assert!(!promises_panics(
            "Never panics.\n# Errors\nPanics are none."
        ));
    }
}
