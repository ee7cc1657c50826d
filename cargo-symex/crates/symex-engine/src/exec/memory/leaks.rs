//! Leak detection, if asked for: allocated objects that are live at the end of a path, and can no
//! longer be reached.
//!
//! Reachability is as in LeakSanitizer: objects to which globals, the remaining frames (where
//! `exit` ends the program) and the C library refer are reachable, wherever the pointer points in
//! an object, and so are objects to which such objects refer. A value that may be one of several
//! pointers reaches all of them, so a reported object is unreachable for all inputs of the path.

use crate::exec::Executor;
use crate::exec::path::end::Fault;
use crate::exec::path::trace::{calls, trace_of};
use crate::state::State;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::rc::Rc;
use symex_memory::{Checked, ObjectKind};
use symex_program::{FuncId, LocId};
use symex_terms::{ObjectId, Symbol, Value};
use symex_types::outcome::FindingKind;

/// Number of calls kept of each allocation, innermost first.
const CALLS: usize = 32;

/// Greatest number of leaks reported of one path.
const MOST: usize = 16;

impl Executor<'_> {
    /// Remembers the calls that led to an allocation, if leaks are asked for.
    pub fn note_allocation(&mut self, st: &mut State, object: ObjectId) {
        if !self.config.leaks {
            return;
        }
        let calls: Vec<(FuncId, LocId)> = calls(self.program, st).take(CALLS).collect();
        let world = Rc::make_mut(&mut st.world);
        Rc::make_mut(&mut world.allocations).insert(object, calls.into());
    }

    /// Returns faults for the leaks of a path that has come to its end. `exited`: by a call, so
    /// that frames remain.
    pub(in crate::exec) fn leaks(&mut self, st: &mut State, exited: bool) -> Vec<Fault> {
        let allocations = st.world.allocations.clone();
        let live = |object: &ObjectId| st.memory.is_live(*object);
        let candidates: BTreeSet<ObjectId> = allocations.keys().copied().filter(live).collect();
        if candidates.is_empty() {
            return Vec::new();
        }
        let mut seen: FxHashSet<ObjectId> = st.memory.live().into_iter().collect();
        seen.retain(|object| !candidates.contains(object));
        let mut open: Vec<ObjectId> = seen.iter().copied().collect();
        let mut values = known_to_library(st);
        let own = exited.then_some(&st.stack).into_iter();
        let others = st.threads.iter().flat_map(|threads| threads.stacks());
        for frame in own.chain(others).flat_map(|stack| stack.iter()) {
            values.extend(frame.values());
            values.extend(frame.varargs.iter().map(|argument| argument.value));
        }
        for value in values {
            let found = self.objects_in(st, value);
            open.extend(found.into_iter().filter(|object| seen.insert(*object)));
        }
        while let Some(object) = open.pop() {
            let found = self.objects_behind(st, object);
            open.extend(found.into_iter().filter(|object| seen.insert(*object)));
        }
        let lost: Vec<ObjectId> = candidates
            .difference(&seen.into_iter().collect())
            .copied()
            .collect();
        // What only lost objects refer to goes with them, but for rings of them.
        let mut inner = FxHashSet::default();
        for object in &lost {
            let found = self.objects_behind(st, *object);
            inner.extend(found.into_iter().filter(|other| other != object));
        }
        let direct: Vec<ObjectId> = lost
            .iter()
            .copied()
            .filter(|object| !inner.contains(object))
            .collect();
        let told = if direct.is_empty() {
            &lost[..lost.len().min(1)]
        } else {
            &direct[..]
        };
        told.iter()
            .take(MOST)
            .map(|object| {
                let trace = allocations
                    .get(object)
                    .map(|calls| trace_of(self.program, calls));
                let fault = Fault::new(
                    FindingKind::Leak,
                    self.leaked(st, *object, lost.len(), told.len()),
                );
                Fault {
                    trace,
                    ..fault.of(*object)
                }
            })
            .collect()
    }

    /// Describes a leak.
    fn leaked(&self, st: &State, object: ObjectId, lost: usize, told: usize) -> String {
        let o = st.memory.object(object);
        let size = match (o.length, o.size) {
            (Some(_), _) => "memory of a size that depends on the input is".to_owned(),
            (None, 1) => "1 byte is".to_owned(),
            (None, size) => format!("{size} bytes are"),
        };
        let more = match lost - told {
            0 => String::new(),
            1 => ", nor is 1 object that only such memory refers to".to_owned(),
            more => format!(", nor are {more} objects that only such memory refers to"),
        };
        format!("{size} never freed, and cannot be reached at the program's end{more}")
    }

    /// Returns the objects to which the words of an object refer.
    fn objects_behind(&mut self, st: &mut State, object: ObjectId) -> Vec<ObjectId> {
        let o = st.memory.object(object);
        if o.kind == ObjectKind::Function {
            return Vec::new();
        }
        let mut found = Vec::new();
        for at in (0..(o.size / 8) * 8).step_by(8) {
            // Where the memory model keeps records of writes, whatever one of them may have left
            // there.
            let place = Checked::new(object, Value::Int(at));
            let value = self.load_checked(st, place, 64);
            found.extend(self.objects_in(st, value));
        }
        found
    }

    /// Returns the objects to which a word may refer.
    fn objects_in(&mut self, st: &State, value: Value) -> Vec<ObjectId> {
        let at = |address: u64| st.memory.find(address).map(|(object, _)| object);
        match value {
            Value::Ptr(object, _) => vec![object],
            Value::Int(0) | Value::Undef => Vec::new(),
            Value::Int(address) => at(address).into_iter().collect(),
            Value::Expr(e) => {
                let bases = self
                    .pool
                    .support(e)
                    .iter()
                    .filter_map(|symbol| match symbol {
                        Symbol::Base(object) => Some(*object),
                        _ => None,
                    });
                let mut found: Vec<ObjectId> = bases.collect();
                let word = self.pool.eval(e, &st.assignment, &st.memory);
                found.extend(u64::try_from(word).ok().and_then(at));
                found
            }
        }
    }
}

/// Returns the values that the modelled C library holds for the program.
fn known_to_library(st: &State) -> Vec<Value> {
    let world = &st.world;
    let mut values = world.thread_keys.clone();
    values.extend(world.environment.values().map(|(_, value)| value));
    values.extend(world.handlers.values());
    for (function, argument) in &world.at_exit {
        values.push(*function);
        values.extend(argument);
    }
    values
}
