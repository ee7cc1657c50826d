//! Where paths multiply, and where the solver spends its time: forks and seconds by line of the
//! user's code. Code of Rust's library counts for the line that calls it.

use crate::state::Stack;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::time::Duration;
use symex_program::{FuncId, LocId, Program};
use symex_types::outcome::SourceLoc;
use symex_types::outcome::arithmetic::Arithmetic;
use symex_types::outcome::frame_owner::{FrameOwner, file_owner};
use symex_types::outcome::stats::LineStats;

/// Number of frames in which a line of the user's is looked for, and of those that are kept of a
/// query.
const FRAMES: usize = 16;
const KEPT: usize = 8;

/// Time from which on a query is counted.
pub(in crate::exec) const SLOW: Duration = Duration::from_millis(1);

/// A position on a path: function and instruction of the innermost frames.
pub(in crate::exec) type Position = SmallVec<[(FuncId, u32); KEPT]>;

/// Returns the position of a path.
pub(in crate::exec) fn position(stack: &Stack) -> Position {
    let frames = stack.iter().take(KEPT);
    frames.map(|frame| (frame.function, frame.pc)).collect()
}

/// Returns the source location of an instruction; none, 0, if it is not known.
pub(in crate::exec) fn position_of(program: &Program, function: FuncId, pc: u32) -> LocId {
    let body = program.function(function).body.as_ref();
    let at = body.and_then(|body| body.locs.get(pc as usize));
    at.copied().unwrap_or_default()
}

/// Forks and time of the solver by place.
#[derive(Default)]
pub struct Sites {
    /// For places that were met: the user's one among them and the calls that are inlined there.
    owned: FxHashMap<LocId, Option<LocId>>,
    counts: FxHashMap<LocId, Count>,
}

/// What is counted of a place.
#[derive(Default)]
struct Count {
    forks: u64,
    time: Duration,
    /// Time by the hardest arithmetic in the query.
    arithmetic: BTreeMap<Arithmetic, Duration>,
}

/// A query that took long.
pub(in crate::exec) struct SlowQuery {
    /// Where it was asked.
    pub position: Position,
    pub time: Duration,
    /// The hardest arithmetic in it.
    pub arithmetic: Option<Arithmetic>,
}

impl Sites {
    /// Counts a fork of a path with these frames, and returns its place.
    pub fn note_fork(&mut self, program: &Program, stack: &Stack) -> LocId {
        let frames = stack.iter().take(FRAMES);
        let at = self.place(program, frames.map(|frame| (frame.function, frame.pc)));
        self.counts.entry(at).or_default().forks += 1;
        at
    }

    /// Counts a query that took long.
    pub(in crate::exec) fn note_query(&mut self, program: &Program, query: &SlowQuery) {
        let at = self.place(program, query.position.iter().copied());
        let count = self.counts.entry(at).or_default();
        count.time += query.time;
        if let Some(kind) = query.arithmetic {
            *count.arithmetic.entry(kind).or_default() += query.time;
        }
    }

    /// Returns the user's place among these, innermost first; else the innermost one.
    fn place(&mut self, program: &Program, frames: impl Iterator<Item = (FuncId, u32)>) -> LocId {
        let mut innermost = LocId::default();
        for (function, pc) in frames {
            let at = position_of(program, function, pc);
            let owned = self.owned.entry(at);
            if let Some(owned) = *owned.or_insert_with(|| owned_by_user(program, at)) {
                return owned;
            }
            if innermost == LocId::default() {
                innermost = at;
            }
        }
        innermost
    }

    /// Returns the counts by line.
    pub fn lines(&self, program: &Program) -> Vec<LineStats> {
        let mut lines: Vec<LineStats> = Vec::new();
        for (at, count) in &self.counts {
            let Some(SourceLoc { file, line, .. }) = super::trace::source(program, *at) else {
                continue;
            };
            let known = lines.iter_mut().find(|l| l.line == line && l.file == file);
            let kinds = count.arithmetic.iter();
            let here = LineStats {
                file,
                line,
                forks: count.forks,
                solver_seconds: count.time.as_secs_f64(),
                arithmetic: kinds
                    .map(|(kind, time)| (*kind, time.as_secs_f64()))
                    .collect(),
            };
            match known {
                Some(known) => known.add(&here),
                None => lines.push(here),
            }
        }
        lines.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
        lines
    }
}

/// Returns the user's place among one and the calls that are inlined there, innermost first.
fn owned_by_user(program: &Program, at: LocId) -> Option<LocId> {
    let locs = &program.locs;
    let mut next = Some(at);
    while let Some(id) = next {
        let loc = locs.get(id)?;
        let file = locs.files.get(loc.file as usize)?;
        if loc.line != 0 && file_owner(file) == FrameOwner::User {
            return Some(id);
        }
        next = loc.inlined_at;
    }
    None
}
