//! Pre-runs ([`crate::abi::pre_runs`]): runs a harness many times, and leaves the inputs that made
//! it fail.
//!
//! Failures are told apart by the place of the panic, and their inputs are made smaller while they
//! fail there. Nothing is printed: the tool confirms each failure by a replay.

use std::fs::File;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::active::{Current, Inputs, OnReject, Rejected, Tape};
use super::invent::{Inventor, Words};
use super::random::Random;
use super::record::{Described, Purpose, Recorder};
use super::run::{Harness, bad_inputs, judge};
use crate::abi::inputs::{self, Input};
use crate::abi::pre_runs::{self, MOST_FAILURES, Order};

/// Greatest number of runs in which the inputs of one failure are made smaller.
const SHRINKING: usize = 200;

/// Number of accepted inputs that are kept to be varied.
const MODELS: usize = 64;

/// Time between two looks at whether a run has come to its end.
const TICK: Duration = Duration::from_millis(10);

/// Place of the last panic.
static PANICKED: Mutex<String> = Mutex::new(String::new());

fn note_panic(info: &PanicHookInfo<'_>) {
    let place = info.location().map(ToString::to_string);
    *PANICKED.lock().unwrap_or_else(PoisonError::into_inner) = place.unwrap_or_default();
}

/// How a run ended.
enum End {
    Passed,
    Rejected,
    /// It failed, with the last panic at this place.
    Failed(String),
}

/// A run that has ended.
struct Ran {
    end: End,
    /// The inputs that it drew.
    drawn: Vec<Input>,
    /// Whether some of them were offered by the program.
    has_taken: bool,
}

/// The runs of a process.
struct Series<'a> {
    harness: &'a Harness,
    tape: Arc<File>,
    /// Number of runs so far, at which the watchdog looks.
    count: Arc<AtomicU64>,
}

/// Runs a harness as the order in this directory says.
pub(super) fn pre_runs(harness: &Harness, directory: &Path) {
    // A rejected input, and a run that fails, are left by unwinding.
    if cfg!(panic = "abort") {
        return;
    }
    let file = directory.join(pre_runs::ORDER);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| bad_inputs(&file, error));
    let order = Order::decode(&text).unwrap_or_else(|error| bad_inputs(&file, error));
    let file = directory.join(pre_runs::CURRENT);
    let tape = File::create(&file).unwrap_or_else(|error| bad_inputs(&file, error));
    let mut series = Series {
        harness,
        tape: Arc::new(tape),
        count: Arc::default(),
    };
    watch(
        series.count.clone(),
        Duration::from_millis(order.longest_run),
    );
    let hook = std::panic::take_hook();
    series.run(&order, directory);
    std::panic::set_hook(hook);
    let file = directory.join(pre_runs::DONE);
    File::create(&file).unwrap_or_else(|error| bad_inputs(&file, error));
}

/// Aborts the process when a single run takes longer than this.
fn watch(count: Arc<AtomicU64>, most: Duration) {
    let look = move || {
        let (mut seen, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(TICK);
            let now = count.load(Ordering::Relaxed);
            if now != seen {
                (seen, since) = (now, Instant::now());
            } else if since.elapsed() > most {
                std::process::abort();
            }
        }
    };
    // With a name, since threads without one count as the harness's.
    let thread = std::thread::Builder::new().name("symex-watchdog".to_owned());
    // Where there is no thread, the process is ended from outside.
    let _ = thread.spawn(look);
}

impl Series<'_> {
    fn run(&mut self, order: &Order, directory: &Path) {
        let begun = Instant::now();
        let most = Duration::from_millis(order.milliseconds);
        let words = Arc::new(Words::new(order.words.clone()));
        let mut models: Vec<Vec<Input>> = Vec::new();
        let mut failed: Vec<String> = Vec::new();
        for run in order.first..order.end {
            if begun.elapsed() > most || failed.len() == MOST_FAILURES {
                return;
            }
            let mut random = Random::new(order.seed, run);
            let model = match random.once_in(2) {
                true => random.below(models.len().max(1) as u64) as usize,
                false => usize::MAX,
            };
            let model = models.get(model).cloned().unwrap_or_default();
            let is_first = run == order.first;
            let source = Inventor::new(random, words.clone(), model);
            let source = if is_first { source.obedient() } else { source };
            let Ran {
                end,
                drawn,
                has_taken,
            } = self.one(run, Inputs::Invented(source));
            match end {
                End::Rejected => {}
                // Without inputs, all runs are the same.
                _ if drawn.is_empty() => return,
                // What the test of a user says is a path to begin with.
                _ if is_first && has_taken => {
                    leave(directory, failed.len(), &drawn);
                    failed.push(String::new());
                    models.push(drawn);
                }
                End::Passed => {
                    if models.len() == MODELS {
                        models.remove(0);
                    }
                    models.push(drawn);
                }
                End::Failed(place) => {
                    if !failed.contains(&place) {
                        let small = self.shrink(run, drawn, &place);
                        leave(directory, failed.len(), &small);
                        failed.push(place);
                    }
                }
            }
        }
    }

    /// Runs the harness once.
    fn one(&mut self, run: u64, source: Inputs) -> Ran {
        self.count.fetch_add(1, Ordering::Relaxed);
        // Anew for each run, since a harness may set a hook of its own.
        std::panic::set_hook(Box::new(note_panic));
        let current = Current::start(source, OnReject::Unwind, None);
        if let Ok(tape) = Tape::begin(&self.tape, run) {
            current.record(tape);
        }
        let meta = self.harness.meta;
        let mut write = |_: &Described| {};
        let mut recorder = Recorder::new(
            meta,
            self.harness.place,
            Purpose::Call,
            &current,
            &mut write,
        );
        let call = AssertUnwindSafe(|| (self.harness.native)(&mut recorder));
        let outcome = catch_unwind(call);
        let (drawn, has_taken) = (current.drawn_since(0), current.has_taken());
        drop(current);
        let end = match outcome {
            Err(payload) if payload.is::<Rejected>() => End::Rejected,
            outcome => match judge(meta, outcome) {
                Ok(()) => End::Passed,
                Err(_) => {
                    let place = PANICKED.lock().unwrap_or_else(PoisonError::into_inner);
                    End::Failed(place.clone())
                }
            },
        };
        Ran {
            end,
            drawn,
            has_taken,
        }
    }

    /// Makes inputs smaller that fail at a place.
    fn shrink(&mut self, run: u64, mut inputs: Vec<Input>, place: &str) -> Vec<Input> {
        let mut left = SHRINKING;
        let mut at = 0;
        while let Some(input) = inputs.get(at) {
            let mut kept = false;
            for smaller in smaller(&input.bytes) {
                if left == 0 {
                    return inputs;
                }
                left -= 1;
                let mut draws = inputs.clone();
                draws[at].bytes = smaller;
                let Ran { end, drawn, .. } = self.one(run, Inputs::Recorded { draws, next: 0 });
                if matches!(end, End::Failed(there) if there == place) {
                    // Fewer may be drawn now, or others.
                    inputs = drawn;
                    kept = true;
                    break;
                }
            }
            at += usize::from(!kept);
        }
        inputs
    }
}

/// Leaves inputs as the ones of this number.
fn leave(directory: &Path, number: usize, drawn: &[Input]) {
    let text = inputs::encode(
        drawn
            .iter()
            .map(|input| (input.name.as_str(), &*input.bytes)),
    );
    let file = directory.join(pre_runs::failure(number));
    std::fs::write(&file, text).unwrap_or_else(|error| bad_inputs(&file, error));
}

/// Returns smaller values of an input, the smallest first.
fn smaller(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut add = |value: Vec<u8>| {
        if value != bytes && !found.contains(&value) {
            found.push(value);
        }
    };
    add(vec![0; bytes.len()]);
    if bytes.len() <= 8 {
        let value = super::active::number(bytes);
        for smaller in [1, value >> 32, value >> 8, value / 2, value.wrapping_sub(1)] {
            if smaller < value {
                add(smaller.to_le_bytes()[..bytes.len()].to_vec());
            }
        }
    }
    for at in 0..bytes.len() {
        for byte in [0, b'0', bytes[at] / 2] {
            if byte < bytes[at] {
                let mut value = bytes.to_vec();
                value[at] = byte;
                add(value);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smaller_values_come_to_an_end() {
        for bytes in [vec![0xff; 4], b"a9".to_vec(), vec![7; 20], Vec::new()] {
            let mut bytes = bytes;
            let mut steps = 0;
            while let Some(next) = smaller(&bytes).pop() {
                assert_eq!(next.len(), bytes.len());
                bytes = next;
                steps += 1;
                assert!(steps < 1000);
            }
            assert!(bytes.iter().all(|byte| *byte == 0));
        }
    }
}
