//! Assumptions of the models about the world outside the program. A path that asks stands for that
//! one world only, and says so. Questions that the standard library asks on its own account (how to
//! print a panic, the keys of a `HashMap`) do not count, since no answer changes what the program
//! does.

pub use crate::exec::EMPTY_ENVIRONMENT as ENVIRONMENT;
use crate::exec::Executor;
pub use crate::exec::NO_ARGUMENTS as ARGUMENTS;
use crate::exec::path::trace::trace;
use crate::models::rust::proptest;
use crate::state::State;
use symex_types::outcome::Bound;
use symex_types::outcome::frame_owner::{FrameOwner, frame_owner};

pub const NO_FILES: &str =
    "the file system was taken to hold nothing but an empty working directory";
pub const FILES_ELSEWHERE: &str = "files outside of the working directory were taken to be absent";
pub const HOME: &str = "the working directory was taken to have a fixed name";
pub const DETAILS: &str = "numbers, owners and times of files were taken to be fixed ones";
pub const TEMPORARY: &str = "names of temporary files were taken to be fixed ones";
pub const ORDER: &str = "directories were taken to list files in the order in which they were made";
pub const PIPES: &str = "standard input, output and error were taken to be pipes";
const STDIN: &str = "standard input was taken to be empty";
pub const TERMINAL: &str = "no stream was taken to be a terminal";
pub const NETWORK: &str = "the network was taken to be unreachable";
pub const CLOCK: &str = "the clock was taken to start at a fixed time";
pub const RANDOM: &str = "random bytes were taken to be fixed ones";
pub const HASH_ORDER: &str = "hash maps were taken to be iterated in one order of many";
pub const NUMBERS: &str = "the numbers of process and user were taken to be fixed ones";
pub const SYSTEM: &str = "the names of system and machine were taken to be fixed ones";
pub const MACHINE: &str = "the machine was taken to have one processor and 4 GiB";

/// Returns the assumption recorded where at most `most` system calls may fail on a path.
pub fn failures(most: u32) -> String {
    match most {
        1 => "at most one call was taken to fail that need not".to_owned(),
        _ => format!("at most {most} calls were taken to fail that need not"),
    }
}

/// Records that a path was given an answer that could differ elsewhere, unless the runner of a test
/// asked.
pub fn take(m: &mut Executor, st: &mut State, what: &str) {
    if proptest::is_runners(m, st) {
        return;
    }
    st.take_for_granted(what);
    m.outcomes.note(st, Bound::Assumed(what.to_string()));
}

/// Records that standard input is taken to be empty, unless it is described, or a fuzzer's.
pub fn take_stdin(m: &mut Executor, st: &mut State) {
    if m.config.world.stdin.is_none() && st.world.fuzz_input.is_none() {
        take(m, st, STDIN);
    }
}

/// Records an assumption as [`take`] does, unless std asks on its own account.
pub fn take_unless_std(m: &mut Executor, st: &mut State, what: &str) {
    if is_programs_question(m, st) {
        take(m, st, what);
    }
}

/// Functions of std through which the program asks the system; their caller is the one who asks.
const DOORS: &[&str] = &[
    "core::",
    "alloc::",
    "std::env",
    "std::sys",
    "std::ffi",
    "std::fs",
    "std::io",
    "std::path",
    "std::os",
    "std::time",
    "std::process",
];

/// Reports whether the program asks, and not the standard library for itself.
fn is_programs_question(m: &Executor, st: &State) -> bool {
    let trace = trace(m.program, st);
    let asker = trace.iter().find(|frame| {
        let name = frame.function.trim_start_matches(['<', '&', '*', '(']);
        frame_owner(frame) != FrameOwner::Std || !DOORS.iter().any(|door| name.starts_with(door))
    });
    asker.is_none_or(|frame| frame_owner(frame) == FrameOwner::User)
}
