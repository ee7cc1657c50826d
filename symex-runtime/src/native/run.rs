//! Runs one harness under `cargo test`: idle, as a replay, or with inputs that are made up.

use std::any::Any;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::active::{Current, Inputs, OnReject, Rejected};
use super::invent::{Inventor, Words};
use super::pre_runs::pre_runs;
use super::random::Random;
use super::record::{Described, Purpose, Recorder};
use super::settings::Settings;
use crate::abi::{self, Meta, inputs};
use crate::source::Place;

/// Limit on rejected inputs for each requested one, after which a random run gives up.
const REJECTIONS_PER_RUN: u64 = 100;

/// Description of a harness, as the attribute emits it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Harness {
    /// Metadata of the harness.
    pub meta: &'static Meta,
    /// Place of the harness.
    pub place: Place,
    /// Entry for the engine; never called here. It is in this struct so that it is part of the test
    /// binary.
    pub entry: fn(),
    /// Entry for an ordinary process, which records or replays inputs.
    pub native: fn(&mut Recorder<'_>),
}

/// Runs a harness as its test does.
#[doc(hidden)]
#[inline(never)]
pub fn run(harness: &Harness) {
    core::hint::black_box(harness.entry);
    match Settings::from_env() {
        Ok(Settings::Idle) => {}
        Ok(Settings::Replay { inputs, out, mark }) => {
            let marked = mark.map(Marked::begin);
            replay(harness, &inputs, out.as_deref());
            drop(marked);
        }
        Ok(Settings::PreRuns(directory)) => pre_runs(harness, &directory),
        Ok(Settings::Random { count, seed }) => random(harness, count, seed),
        Err(message) => panic!("{message}"),
    }
}

/// Guard that prints a mark before and after the harness's output on standard output, which
/// separates it from the test's own text.
struct Marked(String);

impl Marked {
    fn begin(mark: String) -> Self {
        print!("{mark}");
        Marked(mark)
    }
}

impl Drop for Marked {
    /// Prints the mark, also if the harness panics. C's buffers are flushed before it.
    fn drop(&mut self) {
        let flushed = std::io::stdout().flush();
        #[cfg(unix)]
        {
            unsafe extern "C" {
                fn fflush(stream: *mut core::ffi::c_void) -> core::ffi::c_int;
            }
            // SAFETY: declared as in C; null stands for all streams.
            unsafe { fflush(core::ptr::null_mut()) };
        }
        if flushed.is_ok() {
            print!("{}", self.0);
        }
    }
}

/// Ends the process, since a file cannot be read or written.
pub(super) fn bad_inputs(path: &Path, problem: impl std::fmt::Display) -> ! {
    eprintln!("symex: {}: {problem}", path.display());
    std::process::exit(abi::EXIT_BAD_INPUTS)
}

/// Reads recorded inputs.
pub(super) fn recorded(path: &Path) -> Vec<inputs::Input> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| bad_inputs(path, error));
    inputs::decode(&text).unwrap_or_else(|error| bad_inputs(path, error))
}

fn replay(harness: &Harness, path: &Path, out: Option<&Path>) {
    let draws = recorded(path);
    let covers = out.map(|out| {
        let mut name = out.as_os_str().to_owned();
        name.push(".cover");
        PathBuf::from(name)
    });
    let current = Current::start(Inputs::Recorded { draws, next: 0 }, OnReject::Exit, covers);
    let mut write = |described: &Described| {
        if let Some(out) = out {
            std::fs::write(out, &described.json).unwrap_or_else(|error| bad_inputs(out, error));
        }
    };
    let purpose = if out.is_some() {
        Purpose::DescribeAndCall
    } else {
        Purpose::Call
    };
    let mut recorder = Recorder::new(harness.meta, harness.place, purpose, &current, &mut write);
    let outcome = catch_unwind(AssertUnwindSafe(|| (harness.native)(&mut recorder)));
    drop(current);
    if let Err(payload) = judge(harness.meta, outcome) {
        resume_unwind(payload);
    }
}

/// How a run ended: with the panic's payload if it panicked.
pub(super) type Outcome = Result<(), Box<dyn Any + Send>>;

/// Returns the result of the harness: for `should_panic`, the opposite of its outcome, or that of a
/// proof, success.
pub(super) fn judge(meta: &Meta, outcome: Outcome) -> Outcome {
    if meta.flags & abi::FLAG_SHOULD_PANIC == 0 {
        return outcome;
    }
    if meta.flags & abi::FLAG_KANI_PROOF != 0 {
        // Some input is to panic: whether it is this one cannot be said.
        return Ok(());
    }
    let expected = meta.should_panic_expected.get();
    let message = match &outcome {
        Ok(()) => format!("`{}` did not panic as expected", meta.name.get()),
        Err(payload)
            if message_of(payload.as_ref()).is_some_and(|text| text.contains(expected)) =>
        {
            return Ok(());
        }
        Err(_) if expected.is_empty() => return Ok(()),
        Err(payload) => format!(
            "`{}` panicked, but its message does not contain what was expected\n  message: {:?}\n expected: {expected:?}",
            meta.name.get(),
            message_of(payload.as_ref()).unwrap_or("(not a string)"),
        ),
    };
    // Raised as a panic of its own, so that the hook prints it.
    catch_unwind(|| panic!("{message}"))
}

fn message_of(payload: &(dyn Any + Send)) -> Option<&str> {
    match payload.downcast_ref::<String>() {
        Some(text) => Some(text),
        None => payload.downcast_ref::<&'static str>().copied(),
    }
}

fn random(harness: &Harness, count: u64, seed: u64) {
    // A rejected input is left by unwinding.
    if cfg!(panic = "abort") {
        panic!("{} needs panics that unwind", abi::ENV_RANDOM);
    }
    let words = Arc::new(Words::default());
    let (mut done, mut rejected, mut run) = (0, 0, 0);
    while done < count {
        let attempt = |purpose, write: &mut dyn FnMut(&Described)| {
            let source = Inventor::new(Random::new(seed, run), words.clone(), Vec::new());
            let current = Current::start(Inputs::Invented(source), OnReject::Unwind, None);
            let mut recorder = Recorder::new(harness.meta, harness.place, purpose, &current, write);
            let outcome = catch_unwind(AssertUnwindSafe(|| (harness.native)(&mut recorder)));
            (outcome, current.drawn_since(0))
        };
        let (outcome, drawn) = attempt(Purpose::Call, &mut |_| {});
        if matches!(&outcome, Err(payload) if payload.is::<Rejected>()) {
            rejected += 1;
            assert!(
                rejected < REJECTIONS_PER_RUN * count,
                "{rejected} random inputs did not meet the assumptions of `{}`, {done} did",
                harness.meta.name.get(),
            );
        } else if let Err(payload) = judge(harness.meta, outcome) {
            // The arguments again, as recorded draws, so that what the body drew is part of the
            // call.
            let current = Current::start(
                Inputs::Recorded {
                    draws: drawn,
                    next: 0,
                },
                OnReject::Unwind,
                None,
            );
            let mut show = |described: &Described| {
                eprintln!(
                    "symex: random input {run} of seed {seed} fails:\n    {}",
                    described.call
                );
            };
            let mut recorder = Recorder::new(
                harness.meta,
                harness.place,
                Purpose::Describe,
                &current,
                &mut show,
            );
            // A `Debug` of the user's that panics must not hide the finding.
            let _ = catch_unwind(AssertUnwindSafe(|| (harness.native)(&mut recorder)));
            drop(current);
            resume_unwind(payload);
        } else {
            done += 1;
        }
        run += 1;
    }
}
