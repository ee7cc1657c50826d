//! Traces of states: source locations, and the calls on the way there including inlined ones.

use crate::state::{Stack, State};
use rustc_hash::FxHashMap;
use symex_program::{FuncId, LocId, Program};
use symex_types::outcome::frame_owner::{FrameOwner, file_owner, user_frame};
use symex_types::outcome::{SourceLoc, TraceFrame};

/// Most frames of a trace.
const MOST_FRAMES: usize = 128;

/// Returns the location to show for a state: the user's, if there is one.
pub(in crate::exec) fn place(program: &Program, st: &State) -> Option<SourceLoc> {
    user_frame(&trace(program, st)).and_then(|frame| frame.at.clone())
}

/// Returns the source location of an id.
pub fn source(program: &Program, id: LocId) -> Option<SourceLoc> {
    let loc = program.locs.get(id)?;
    if loc.line == 0 {
        return None;
    }
    let file = program.locs.files.get(loc.file as usize)?.clone();
    Some(SourceLoc {
        file,
        line: loc.line,
        column: loc.column,
    })
}

/// Returns the location to show for what a state does: the innermost one that is not in Rust's own
/// library.
pub fn user_location(program: &Program, st: &State) -> LocId {
    location_in(program, &st.stack)
}

/// Returns the location to show for what a thread with these frames does.
pub(in crate::exec) fn location_in(program: &Program, stack: &Stack) -> LocId {
    let mut innermost = LocId::default();
    let locs = &program.locs;
    for frame in stack.iter().take(16) {
        let Some(body) = &program.function(frame.function).body else {
            continue;
        };
        let mut next = body.locs.get(frame.pc as usize).copied();
        while let Some(id) = next {
            let Some(loc) = locs.get(id) else { break };
            if innermost == LocId::default() {
                innermost = id;
            }
            let file = locs.files.get(loc.file as usize).map_or("", |f| f.as_str());
            if loc.line != 0 && file_owner(file) != FrameOwner::Std {
                return id;
            }
            next = loc.inlined_at;
        }
    }
    innermost
}

/// Returns the calls on the way to a state's position, innermost first, inlined ones included.
pub fn trace(program: &Program, st: &State) -> Vec<TraceFrame> {
    let calls: Vec<(FuncId, LocId)> = calls(program, st).take(MOST_FRAMES).collect();
    latest(program, &calls)
}

/// Returns the first of some frames as a trace.
fn latest(program: &Program, calls: &[(FuncId, LocId)]) -> Vec<TraceFrame> {
    let mut trace = trace_of(program, &calls[..calls.len().min(MOST_FRAMES)]);
    trace.truncate(MOST_FRAMES);
    trace
}

/// Returns the calls on the way to where a path that is too deep in calls has last called itself,
/// innermost first. What that call was about to do when the stack was full is chance.
pub(in crate::exec) fn recursion(program: &Program, st: &State) -> Vec<TraceFrame> {
    /// Calls among which those of the recursion are looked for.
    const LATEST: usize = 4096;
    let calls: Vec<(FuncId, LocId)> = calls(program, st).take(LATEST).collect();
    let mut times: FxHashMap<FuncId, usize> = FxHashMap::default();
    for (function, _) in &calls {
        *times.entry(*function).or_default() += 1;
    }
    let most = times.values().copied().max().unwrap_or(0);
    let is_users =
        |at: LocId| source(program, at).is_some_and(|at| file_owner(&at.file) == FrameOwner::User);
    // Functions that call each other are there equally often, but for the last round.
    let recurring = calls.iter().filter(|(f, _)| times[f] + 1 >= most);
    let shown = recurring.min_by_key(|(f, at)| (!is_users(*at), *f));
    let innermost = shown.and_then(|(shown, _)| calls.iter().position(|(f, _)| f == shown));
    latest(program, &calls[innermost.unwrap_or(0)..])
}

/// Returns function and location of each frame of a state, innermost first.
pub(in crate::exec) fn calls<'s>(
    program: &'s Program,
    st: &'s State,
) -> impl Iterator<Item = (FuncId, LocId)> + 's {
    st.stack.iter().filter_map(|frame| {
        let body = program.function(frame.function).body.as_ref()?;
        let loc = body.locs.get(frame.pc as usize).copied();
        Some((frame.function, loc.unwrap_or_default()))
    })
}

/// Returns frames with these locations as a trace, inlined calls included.
pub(in crate::exec) fn trace_of(program: &Program, calls: &[(FuncId, LocId)]) -> Vec<TraceFrame> {
    let mut trace = Vec::new();
    for (function, loc) in calls {
        let function = program.function(*function);
        let mut next = Some(*loc).filter(|loc| loc.0 != 0);
        if next.is_none() {
            trace.push(TraceFrame {
                function: function.display.clone(),
                at: None,
            });
        }
        while let Some(id) = next {
            let Some(loc) = program.locs.get(id) else {
                break;
            };
            let scope = program.locs.scope(loc).map(str::to_owned);
            let outermost = loc.inlined_at.is_none();
            let name = match scope {
                Some(s) if !(outermost && s.is_empty()) => s,
                _ => function.display.clone(),
            };
            trace.push(TraceFrame {
                function: name,
                at: source(program, id),
            });
            next = loc.inlined_at;
        }
    }
    trace
}
