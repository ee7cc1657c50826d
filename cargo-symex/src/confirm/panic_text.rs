//! Parses the panics in the output of a native process.

use super::last_words::is_fault;
use serde::{Deserialize, Serialize};
use symex_types::outcome::SourceLoc;

/// A panic message that was printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrintedPanic {
    pub message: String,
    pub at: SourceLoc,
}

/// Returns all panics in the order in which they were printed.
pub fn panics(stderr: &str) -> Vec<PrintedPanic> {
    let mut found: Vec<PrintedPanic> = Vec::new();
    let mut open = false;
    for line in stderr.lines() {
        if let Some(at) = place(line) {
            found.push(PrintedPanic {
                message: String::new(),
                at,
            });
            open = true;
        } else if is_end(line) {
            open = false;
        } else if open && let Some(panic) = found.last_mut() {
            if !panic.message.is_empty() {
                panic.message.push('\n');
            }
            panic.message.push_str(line);
        }
    }
    for panic in &mut found {
        panic.message.truncate(panic.message.trim_end().len());
    }
    found
}

/// Parses the place in a line such as `thread 'name' (7) panicked at src/lib.rs:3:5:`.
pub(super) fn place(line: &str) -> Option<SourceLoc> {
    let (before, place) = line.split_once(" panicked at ")?;
    if !before.contains("thread '") {
        return None;
    }
    let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(SourceLoc {
        file: parts.next()?.to_owned(),
        line,
        column,
    })
}

/// Reports whether a line says that the panic before it ends the process.
pub(super) fn is_aborting(line: &str) -> bool {
    line == "thread caused non-unwinding panic. aborting."
        || line == "thread panicked while processing panic. aborting."
}

fn is_end(line: &str) -> bool {
    line.starts_with("note: run with `RUST_BACKTRACE=")
        || line.starts_with("stack backtrace:")
        || is_aborting(line)
        || is_fault(line)
        || (line.starts_with("test ") && line.ends_with(" FAILED"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_and_place_are_read() {
        let stderr = "hello\n\
            thread 'tests::symex_f' (812) panicked at src/lib.rs:14:9:\n\
            assertion `left == right` failed: odd\n  left: 1\n right: 2\n\
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let found = panics(stderr);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].message,
            "assertion `left == right` failed: odd\n  left: 1\n right: 2"
        );
        assert_eq!(
            (
                found[0].at.file.as_str(),
                found[0].at.line,
                found[0].at.column
            ),
            ("src/lib.rs", 14, 9)
        );
    }

    #[test]
    fn several_panics_keep_their_order() {
        let stderr = "\nthread 'main' panicked at /a b/x.rs:1:2:\nfirst\n\n\
            thread 'main' panicked at core/panicking.rs:221:5:\npanic in a destructor during cleanup\n\
            thread caused non-unwinding panic. aborting.\n";
        let found = panics(stderr);
        let messages: Vec<&str> = found.iter().map(|panic| panic.message.as_str()).collect();
        assert_eq!(messages, ["first", "panic in a destructor during cleanup"]);
        assert_eq!(found[0].at.file, "/a b/x.rs");
    }

    #[test]
    fn what_only_looks_alike_is_not_one() {
        assert_eq!(panics("he panicked at home\n"), []);
        assert_eq!(panics("thread 'x' panicked at nowhere\n"), []);
    }
}
