//! The current native run, for which the hooks draw.
//!
//! Hooks are plain C functions without a context argument, and a harness may call them from threads
//! of its own: so the current run is a process-wide value behind a lock. There is one run at a
//! time: runs of other test threads wait (`GATE`); a run within a run (a replay in a harness's
//! body) is stacked on it. Invariant: a test that runs at the same time draws nothing from it.
//!
//! A test that is no harness may draw, too, in a process that replays inputs: its run begins with
//! the first draw.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use super::invent::Inventor;
use super::library::begin_replay;
use crate::abi;
use crate::abi::inputs::Input;
use crate::abi::pre_runs;

/// The source of drawn values.
pub(crate) enum Inputs {
    /// Recorded inputs, in order; zeros after the last.
    Recorded { draws: Vec<Input>, next: usize },
    /// Inputs that are made up.
    Invented(Inventor),
}

/// The reaction to an input that does not meet an assumption.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnReject {
    /// The process exits with [`abi::EXIT_ASSUMPTION`].
    Exit,
    /// The run unwinds with [`Rejected`].
    Unwind,
    /// The test fails with a message.
    Panic,
}

/// A file that holds the inputs of the current run: what another process finds there if this one
/// does not survive the run.
#[derive(Clone)]
pub(crate) struct Tape {
    file: Arc<File>,
    run: u64,
}

impl Tape {
    /// Begins the inputs of a run, over those of an earlier one.
    pub(crate) fn begin(file: &Arc<File>, run: u64) -> std::io::Result<Self> {
        let mut tape = Tape {
            file: file.clone(),
            run,
        };
        (&*tape.file).rewind()?;
        tape.write(&pre_runs::Current::begin(run))?;
        Ok(tape)
    }

    fn add(&mut self, name: &str, bytes: &[u8]) {
        // Where it cannot be written, the run is the same; only its end is not understood.
        let _ = self.write(&pre_runs::Current::piece(self.run, name, bytes));
    }

    fn write(&mut self, piece: &str) -> std::io::Result<()> {
        (&*self.file).write_all(piece.as_bytes())
    }
}

/// The payload of the unwinding that leaves a rejected input.
pub(crate) struct Rejected;

struct Run {
    inputs: Inputs,
    on_reject: OnReject,
    /// File that receives the names of covered points.
    covers: Option<PathBuf>,
    tape: Option<Tape>,
    /// Draws that come next, before any are made up.
    offered: VecDeque<Vec<u8>>,
    /// Whether any were offered and taken.
    has_taken: bool,
    /// Inputs drawn so far.
    drawn: Vec<Input>,
}

struct Runs {
    owner: Option<ThreadId>,
    stack: Vec<Run>,
}

impl Runs {
    /// Returns the run that the calling thread belongs to.
    ///
    /// Threads that a harness starts have no name, as a rule; those of other tests have the test's.
    /// A replay has the process to itself, so there every thread is the harness's.
    fn current(&mut self) -> Option<&mut Run> {
        let owner = self.owner;
        let run = self.stack.last_mut()?;
        let thread = std::thread::current();
        let ours = run.on_reject == OnReject::Exit
            || owner == Some(thread.id())
            || thread.name().is_none();
        ours.then_some(run)
    }
}

static RUNS: Mutex<Runs> = Mutex::new(Runs {
    owner: None,
    stack: Vec::new(),
});
static GATE: Mutex<()> = Mutex::new(());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A harness that panics is a harness's business; what the lock guards is whole at each unlock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Guard of a run, which is current until the guard is dropped.
pub(crate) struct Current {
    gate: Option<MutexGuard<'static, ()>>,
}

impl Current {
    /// Starts a run, after those of other threads.
    pub(crate) fn start(inputs: Inputs, on_reject: OnReject, covers: Option<PathBuf>) -> Self {
        let me = std::thread::current().id();
        let nested = lock(&RUNS).owner == Some(me);
        let gate = (!nested).then(|| lock(&GATE));
        let mut runs = lock(&RUNS);
        runs.owner = Some(me);
        runs.stack.push(Run {
            inputs,
            on_reject,
            covers,
            tape: None,
            offered: VecDeque::new(),
            has_taken: false,
            drawn: Vec::new(),
        });
        Current { gate }
    }

    /// Writes each input to the tape from now on, as it is drawn.
    pub(crate) fn record(&self, tape: Tape) {
        if let Some(run) = lock(&RUNS).stack.last_mut() {
            run.tape = Some(tape);
        }
    }

    /// Returns the inputs drawn since `from`, an earlier count.
    pub(crate) fn drawn_since(&self, from: usize) -> Vec<Input> {
        lock(&RUNS)
            .stack
            .last()
            .map_or_else(Vec::new, |run| run.drawn[from..].to_vec())
    }

    /// Returns the number of draws made.
    pub(crate) fn count(&self) -> usize {
        lock(&RUNS).stack.last().map_or(0, |run| run.drawn.len())
    }

    /// Reports whether draws were offered and taken.
    pub(crate) fn has_taken(&self) -> bool {
        lock(&RUNS).stack.last().is_some_and(|run| run.has_taken)
    }

    /// Returns the recorded draws not yet used.
    pub(crate) fn rest(&self) -> Vec<Input> {
        match lock(&RUNS).stack.last() {
            Some(Run {
                inputs: Inputs::Recorded { draws, next },
                ..
            }) => draws.get(*next..).unwrap_or(&[]).to_vec(),
            _ => Vec::new(),
        }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut runs = lock(&RUNS);
        runs.stack.pop();
        if self.gate.is_some() {
            runs.owner = None;
        }
    }
}

/// Draws for the current run: recorded bytes are cut or filled with zeros to `size`, others
/// come from `invent`.
fn draw(size: usize, name: &str, invent: impl FnOnce(&mut Inventor) -> Vec<u8>) -> Vec<u8> {
    let mut runs = lock(&RUNS);
    let Some(run) = runs.current() else {
        drop(runs);
        if begin_replay() {
            return draw(size, name, invent);
        }
        panic!(
            "`{name}` was drawn outside of a harness's run: a function that calls `symex::any` can be called from a \
             test as `symex::with_inputs(&[..], || ..)`"
        );
    };
    let mut bytes = match &mut run.inputs {
        Inputs::Recorded { draws, next } => {
            *next += 1;
            draws
                .get(*next - 1)
                .map_or_else(Vec::new, |draw| draw.bytes.clone())
        }
        Inputs::Invented(source) => match run.offered.pop_front() {
            Some(bytes) => {
                source.pass();
                bytes
            }
            None => invent(source),
        },
    };
    bytes.resize(size, 0);
    if let Some(tape) = &mut run.tape {
        tape.add(name, &bytes);
    }
    run.drawn.push(Input {
        name: name.to_owned(),
        bytes: bytes.clone(),
    });
    bytes
}

/// Offers draws to a run whose inputs are made up: they may come next.
pub(crate) fn offer(draws: Vec<Vec<u8>>) {
    if let Some(run) = lock(&RUNS).current()
        && let Inputs::Invented(source) = &mut run.inputs
        && source.takes_offer()
    {
        run.offered = draws.into();
        run.has_taken = true;
    }
}

/// Returns the number that bytes are, little-endian.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | *byte as u64)
}

/// Draws `size` bytes.
pub(crate) fn draw_bytes(size: usize, name: &str) -> Vec<u8> {
    draw(size, name, |source| source.bytes(size))
}

/// Draws an integer of `bits` bits.
pub(crate) fn draw_int(bits: u32, name: &str) -> u64 {
    let bits = bits.clamp(1, 64);
    let size = bits.div_ceil(8) as usize;
    let bytes = draw(size, name, |source| {
        source.int(bits).to_le_bytes()[..size].to_vec()
    });
    number(&bytes) & u64::MAX >> (64 - bits)
}

/// Draws an integer in `low..=high`; recorded ones outside are rejected.
pub(crate) fn draw_range(low: u64, high: u64, name: &str) -> u64 {
    if low > high {
        reject("an empty range");
    }
    let value = number(&draw(8, name, |source| {
        source.range(low, high).to_le_bytes().to_vec()
    }));
    if value < low || value > high {
        reject("a recorded input is out of its range");
    }
    value
}

/// Draws a C integer in `begin..end`; recorded ones outside are rejected.
pub(crate) fn draw_c_int(begin: i32, end: i32, name: &str) -> i32 {
    if begin >= end {
        reject("an empty range");
    }
    let bytes = draw(4, name, |source| {
        let most = end.wrapping_sub(begin) as u32 - 1;
        let offset = source.range(0, u64::from(most)) as u32;
        begin.wrapping_add_unsigned(offset).to_le_bytes().to_vec()
    });
    let value = number(&bytes) as u32 as i32;
    if !(begin..end).contains(&value) {
        reject("a recorded input is out of its range");
    }
    value
}

/// Leaves the current input.
pub(crate) fn reject(why: &str) -> ! {
    let on_reject = lock(&RUNS)
        .current()
        .map_or(OnReject::Panic, |run| run.on_reject);
    match on_reject {
        OnReject::Exit => std::process::exit(abi::EXIT_ASSUMPTION),
        OnReject::Unwind => std::panic::resume_unwind(Box::new(Rejected)),
        OnReject::Panic => panic!(
            "the recorded input is outside of what the harness accepts now: {why}. If the harness was narrowed on \
             purpose, delete this test"
        ),
    }
}

/// Records a covered point.
pub(crate) fn covered(name: &str) {
    let path = lock(&RUNS).current().and_then(|run| run.covers.clone());
    if let Some(path) = path {
        // A report of coverage that cannot be written must not change what the harness does.
        if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
            let _ = writeln!(file, "{name}");
        }
    }
}
