//! The profiler: where time, forks, ends of paths and instructions go, by calls and lines.
//!
//! Time is not sampled: it is read whenever a path enters or leaves a function, before and after an
//! instruction that terms decide, and every few jumps; what has passed since is counted for where
//! the path was. So calls are exact, and lines within one function to a few concrete instructions.

use super::sites::position_of;
use super::trace::trace_of;
use crate::state::{Stack, State};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::time::{Duration, Instant};
use symex_program::{FuncId, LocId, Program};
use symex_types::outcome::profile::{Profile, ProfileBuilder, Work};

/// Most frames of a stack that are told apart; those further out are left off.
const DEPTH: usize = 256;

/// Most positions that are told apart; what is done at others counts for their callers.
const POSITIONS: usize = 200_000;

/// The position outside of all calls.
const ROOT: u32 = 0;

/// A position in a function, by the calls that led there.
struct Position {
    caller: u32,
    function: FuncId,
    at: LocId,
    work: Work,
}

/// What is done where, on all paths of an exploration.
pub struct Profiler {
    positions: Vec<Position>,
    indices: FxHashMap<(u32, FuncId, LocId), u32>,
    /// Callers of the path that runs, outermost first: serial number, instruction, position.
    callers: Vec<(u64, u32, u32)>,
    /// Position since the time was last read.
    current: u32,
    read: Instant,
    /// Steps of the path then.
    steps: u64,
    /// Time in queries of all paths then.
    asked: Duration,
    /// Time in which no path was run.
    other: Duration,
    /// Positions of the paths that ended since it began to measure.
    ended: Vec<u32>,
}

impl Default for Profiler {
    fn default() -> Self {
        let root = Position {
            caller: ROOT,
            function: FuncId(0),
            at: LocId::default(),
            work: Work::default(),
        };
        Profiler {
            positions: vec![root],
            indices: FxHashMap::default(),
            callers: Vec::new(),
            current: ROOT,
            read: Instant::now(),
            steps: 0,
            asked: Duration::ZERO,
            other: Duration::ZERO,
            ended: Vec::new(),
        }
    }
}

impl Profiler {
    /// Begins to measure: what has passed before was no work.
    pub fn start(&mut self) {
        self.ended.clear();
        self.read = Instant::now();
    }

    /// Notes that a path goes on from where it is; what has passed before was for no path.
    pub fn enter(&mut self, program: &Program, state: &State, asked: Duration) {
        self.pass();
        self.callers.clear();
        self.steps = state.steps;
        self.asked = asked;
        self.current = self.position(program, &state.stack);
    }

    /// Notes that the path that runs is at another place now.
    pub fn arrive(&mut self, program: &Program, state: &State, asked: Duration) {
        self.charge(state.steps, asked);
        self.current = self.position(program, &state.stack);
    }

    /// Notes that the path that runs pauses or ends.
    pub fn leave(&mut self, state: &State, asked: Duration) {
        self.charge(state.steps, asked);
    }

    /// Counts that the path that ran last has ended.
    pub fn end(&mut self) {
        self.positions[self.current as usize].work.ends += 1;
        self.ended.push(self.current);
    }

    /// Notes that what has passed since the path that ran last has paused was for its end.
    pub fn settle(&mut self, asked: Duration) {
        self.charge(self.steps, asked);
    }

    /// Undoes the ends of paths since it began to measure.
    pub fn undo_ends(&mut self) {
        for at in self.ended.drain(..) {
            self.positions[at as usize].work.ends -= 1;
        }
    }

    /// Notes that what has passed was for no path.
    pub fn pass(&mut self) {
        let now = Instant::now();
        self.other += now - self.read;
        self.read = now;
    }

    /// Counts a fork of a path with these frames.
    pub fn fork(&mut self, program: &Program, stack: &Stack) {
        let at = self.position(program, stack);
        self.positions[at as usize].work.forks += 1;
    }

    /// Counts what was done since time was last read for where the path was.
    fn charge(&mut self, steps: u64, asked: Duration) {
        let now = Instant::now();
        let work = &mut self.positions[self.current as usize].work;
        work.seconds += (now - self.read).as_secs_f64();
        work.solver_seconds += asked.saturating_sub(self.asked).as_secs_f64();
        work.instructions += steps.saturating_sub(self.steps);
        (self.read, self.steps, self.asked) = (now, steps, asked);
    }

    /// Returns the position of a path.
    fn position(&mut self, program: &Program, stack: &Stack) -> u32 {
        let mut frames = stack.iter().take(DEPTH);
        let top = frames.next();
        let mut unknown: SmallVec<[(u64, u32, FuncId); 8]> = SmallVec::new();
        let mut caller = ROOT;
        'frames: for frame in frames {
            while let Some((serial, pc, position)) = self.callers.last().copied()
                && serial >= frame.serial
            {
                if (serial, pc) == (frame.serial, frame.pc) {
                    caller = position;
                    break 'frames;
                }
                self.callers.pop();
            }
            unknown.push((frame.serial, frame.pc, frame.function));
        }
        for (serial, pc, function) in unknown.into_iter().rev() {
            caller = self.intern(caller, function, position_of(program, function, pc));
            self.callers.push((serial, pc, caller));
        }
        match top {
            Some(top) => {
                let at = position_of(program, top.function, top.pc);
                self.intern(caller, top.function, at)
            }
            None => caller,
        }
    }

    fn intern(&mut self, caller: u32, function: FuncId, at: LocId) -> u32 {
        let next = self.positions.len();
        if let Some(known) = self.indices.get(&(caller, function, at)) {
            return *known;
        }
        if next >= POSITIONS {
            return caller;
        }
        self.positions.push(Position {
            caller,
            function,
            at,
            work: Work::default(),
        });
        self.indices.insert((caller, function, at), next as u32);
        next as u32
    }

    /// Returns what was done so far, with inlined calls as the calls that they were.
    pub fn profile(&self, program: &Program) -> Profile {
        let mut builder = ProfileBuilder::default();
        let mut known: Vec<Option<usize>> = vec![None];
        for position in &self.positions[1..] {
            let mut call = known[position.caller as usize];
            let frames = trace_of(program, &[(position.function, position.at)]);
            for frame in frames.into_iter().rev() {
                let line = frame.at.map(|at| (at.file, at.line));
                call = Some(builder.call(call, &frame.function, line));
            }
            if let Some(call) = call {
                builder.work(call).add(&position.work);
            }
            known.push(call);
        }
        builder.finish(self.other.as_secs_f64() + self.positions[0].work.seconds)
    }
}
