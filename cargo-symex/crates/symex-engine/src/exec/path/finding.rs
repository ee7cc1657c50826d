//! From the end of a path to what is told about it: traces, inputs, deduplication.

use crate::exec::Executor;
use crate::exec::path::end::{Fault, PathEnd};
use crate::state::State;
use crate::state::output::Sink;
use std::collections::BTreeMap;
use symex_program::{FuncId, LocId};
use symex_terms::Assignment;
use symex_types::outcome::frame_owner::user_frame;
use symex_types::outcome::{
    Bound, Counted, Finding, FindingKind, Input, SourceLoc, TraceFrame, Unsupported,
};

/// All that the ended paths add up to.
#[derive(Default)]
pub struct Tally {
    findings: Vec<(Key, Finding)>,
    unsupported: BTreeMap<Unsupported, (Option<SourceLoc>, u64)>,
    bounds: BTreeMap<Bound, (Option<SourceLoc>, u64)>,
    pub covers: BTreeMap<String, bool>,
    /// Did a bound end a path, or keep one from being followed? Other bounds only narrow what the paths stand for.
    left_out: bool,
}

/// What clang says of a trap: as the name of a function that the debug information takes for inlined there.
fn trap_reason(function: &str) -> Option<&str> {
    let (_, reason) = function
        .strip_prefix("__clang_trap_msg$")?
        .split_once('$')?;
    Some(reason)
}

/// What makes two findings one: kind, named check, where, and the innermost frames of the trace.
type Key = (
    FindingKind,
    Option<String>,
    Option<SourceLoc>,
    Vec<Option<SourceLoc>>,
);

impl Tally {
    /// Counts paths that were left out for want of time, memory or the like, at no place in particular.
    pub fn bounded_many(&mut self, bound: Bound, many: u64) {
        self.bounds.entry(bound).or_insert((None, 0)).1 += many;
        self.left_out = true;
    }

    /// Remembers something taken for granted at no place in particular.
    pub fn assume(&mut self, what: &str) {
        let bound = Bound::Assumed(what.to_string());
        self.bounds.entry(bound).or_insert((None, 1));
    }

    /// Have paths been left out?
    pub fn has_left_out(&self) -> bool {
        self.left_out
    }

    /// Have bugs been found?
    pub fn has_findings(&self) -> bool {
        !self.findings.is_empty()
    }

    /// Findings, each cause once.
    pub fn findings(&self) -> usize {
        self.findings.len()
    }

    /// Everything, in a fixed order.
    pub fn finish(self) -> Totals {
        fn counted<T>(map: BTreeMap<T, (Option<SourceLoc>, u64)>) -> Vec<Counted<T>> {
            map.into_iter()
                .map(|(what, (at, count))| Counted { what, at, count })
                .collect()
        }
        let mut findings: Vec<Finding> = self.findings.into_iter().map(|f| f.1).collect();
        findings.sort_by(|a, b| (&a.at, a.kind, &a.message).cmp(&(&b.at, b.kind, &b.message)));
        Totals {
            findings,
            unsupported: counted(self.unsupported),
            bounds: counted(self.bounds),
            covers: self.covers.into_iter().collect(),
        }
    }
}

/// What a tally adds up to.
pub struct Totals {
    pub findings: Vec<Finding>,
    pub unsupported: Vec<Counted<Unsupported>>,
    pub bounds: Vec<Counted<Bound>>,
    /// Name of each `cover!`, and whether an input met it.
    pub covers: Vec<(String, bool)>,
}

/// Small and readable inputs first: fewer inputs, then fewer non-zero bytes, then smaller ones.
fn weight(inputs: &[Input]) -> (usize, usize, Vec<Vec<u8>>) {
    let bytes: Vec<Vec<u8>> = inputs
        .iter()
        .map(|d| d.bytes.iter().rev().copied().collect())
        .collect();
    (
        inputs.len(),
        bytes.iter().flatten().filter(|b| **b != 0).count(),
        bytes,
    )
}

impl Executor<'_> {
    /// Ends a path: counts it, and makes a finding of a fault.
    pub fn end_path(&mut self, mut st: State, end: PathEnd) {
        self.stats.paths += 1;
        match end {
            PathEnd::Completed => {
                self.stats.completed += 1;
                if self.expect_panic.is_some() {
                    let fault = Fault::new(
                        FindingKind::Panic,
                        "the harness returned, but a panic was expected",
                    );
                    self.fault(&mut st, fault);
                } else {
                    let code = self.status(&st);
                    self.record(&mut st, code);
                    self.tell_leaks(&mut st, false);
                }
            }
            PathEnd::Exited(code)
                if code == 0 || self.returns_status && !self.config.check_status =>
            {
                self.stats.completed += 1;
                self.record(&mut st, code);
                self.tell_leaks(&mut st, true);
            }
            PathEnd::Exited(code) => {
                let fault = Fault::new(FindingKind::ExitCode, format!("exit({code})"));
                self.fault(&mut st, fault);
            }
            PathEnd::Assumed => self.stats.assumed_away += 1,
            PathEnd::Fault(f) if self.is_expected(&f) => {
                self.stats.completed += 1;
                // Of the harness's test, which the panic makes succeed.
                self.record(&mut st, 0);
            }
            PathEnd::Fault(f) => self.fault(&mut st, f),
            PathEnd::Unsupported(g) => self.unsupported(&st, g),
            PathEnd::Bounded(c) => self.bounded(&st, c),
        }
    }

    /// Makes findings of what a path that came to its end leaks, if that is asked for.
    fn tell_leaks(&mut self, st: &mut State, exited: bool) {
        if !self.config.leaks {
            return;
        }
        for fault in self.leaks(st, exited) {
            self.fault(st, fault);
        }
    }

    /// Counts something that could not be done on a path.
    pub fn unsupported(&mut self, st: &State, unsupported: Unsupported) {
        if !self.tally.unsupported.contains_key(&unsupported) {
            let at = self.place(st);
            self.tally.unsupported.insert(unsupported.clone(), (at, 0));
        }
        self.tally
            .unsupported
            .entry(unsupported)
            .and_modify(|known| known.1 += 1);
    }

    /// Counts a path that a bound left out, or ended.
    pub fn bounded(&mut self, st: &State, bound: Bound) {
        self.tally.left_out = true;
        self.note(st, bound);
    }

    /// Counts a limit on what a path stands for. The path itself goes on.
    pub fn note(&mut self, st: &State, bound: Bound) {
        if !self.tally.bounds.contains_key(&bound) {
            let at = self.place(st);
            self.tally.bounds.insert(bound.clone(), (at, 0));
        }
        self.tally
            .bounds
            .entry(bound)
            .and_modify(|known| known.1 += 1);
    }

    /// Is this the panic that the harness wants? One whose text is another, or cannot be seen, is a finding; whether it stands
    /// is for the native run to say.
    fn is_expected(&self, fault: &Fault) -> bool {
        let expected = self.expect_panic.as_deref();
        fault.kind == FindingKind::Panic
            && expected.is_some_and(|text| fault.message.contains(text))
    }

    fn fault(&mut self, st: &mut State, mut fault: Fault) {
        let mut trace = match fault.trace.take() {
            Some(trace) => trace,
            None => self.trace(st),
        };
        if let Some(reason) = trace.first().and_then(|frame| trap_reason(&frame.function)) {
            // It names the expression, or is less exact than the number of the check.
            if reason.contains(" in '") {
                fault.message = reason.to_owned().into();
            }
            trace.remove(0);
        }
        let at = fault
            .at
            .clone()
            .or_else(|| trace.iter().find_map(|f| f.at.clone()));
        let key: Key = (
            fault.kind,
            st.check.as_ref().map(|c| c.to_string()),
            at.clone(),
            trace.iter().map(|f| f.at.clone()).take(6).collect(),
        );
        let known = self.tally.findings.iter().position(|f| f.0 == key);
        if known.is_none() {
            self.minimise(st);
        }
        let message = self.told(st, &fault.message);
        let inputs = self.inputs_under(st, &st.assignment.clone());
        if let Some(i) = known {
            let old = &mut self.tally.findings[i].1;
            old.repeats += 1;
            if weight(&inputs) < weight(&old.inputs) {
                let output = self.output(st, None);
                let old = &mut self.tally.findings[i].1;
                old.inputs = inputs;
                old.output = output;
                old.trace = trace;
                old.message = message;
                old.address_dependent = st.address_dependent;
            }
            return;
        }
        // The inputs are chosen now, and with them the object.
        let object = fault
            .objects
            .iter()
            .find(|(guard, _)| self.pool.eval(*guard, &st.assignment, &st.memory) == 1)
            .map_or(fault.object, |(_, object)| Some(*object));
        let allocated_at = object
            .map(|o| st.memory.object(o).site)
            .and_then(|site| self.source(site));
        let finding = Finding {
            kind: fault.kind,
            message,
            check: st.check.as_ref().map(|c| c.to_string()),
            at,
            trace,
            allocated_at,
            inputs,
            output: self.output(st, None),
            address_dependent: st.address_dependent,
            repeats: 0,
        };
        self.fresh.push(finding.clone());
        self.tally.findings.push((key, finding));
    }

    /// The inputs of a path under an assignment.
    pub fn inputs_under(&mut self, st: &State, assignment: &Assignment) -> Vec<Input> {
        let inputs = st.inputs.clone();
        inputs
            .iter()
            .map(|input| {
                let mut bytes = Vec::new();
                for part in &input.parts {
                    let v = self.pool.eval(*part, assignment, &st.memory);
                    let n = self.pool.width(*part).div_ceil(8) as usize;
                    bytes.extend_from_slice(&v.to_le_bytes()[..n]);
                }
                Input {
                    name: input.name.to_string(),
                    role: input.role.clone(),
                    bytes,
                    form: input.form,
                }
            })
            .collect()
    }

    /// What a path wrote to standard output and error, or to one of them, under its assignment.
    pub fn output(&mut self, st: &State, of: Option<Sink>) -> Vec<u8> {
        let output = st.world.files.output.clone();
        let word = |e| self.pool.eval(e, &st.assignment, &st.memory);
        output.bytes(of, word)
    }

    /// The place to show for what a state is doing: the user's, as far as there is one.
    fn place(&self, st: &State) -> Option<SourceLoc> {
        user_frame(&self.trace(st)).and_then(|frame| frame.at.clone())
    }

    /// A place in words.
    pub fn source(&self, id: LocId) -> Option<SourceLoc> {
        let loc = self.program.locs.get(id)?;
        if loc.line == 0 {
            return None;
        }
        let file = self.program.locs.files.get(loc.file as usize)?.clone();
        Some(SourceLoc {
            file,
            line: loc.line,
            column: loc.column,
        })
    }

    /// Calls on the way to where a state is, innermost first, inlined ones included.
    pub fn trace(&self, st: &State) -> Vec<TraceFrame> {
        const MOST: usize = 128;
        let calls: Vec<(FuncId, LocId)> = self.calls(st).take(MOST).collect();
        let mut trace = self.trace_of(&calls);
        trace.truncate(MOST);
        trace
    }

    /// Where each frame of a state stands, innermost first.
    pub(in crate::exec) fn calls<'s>(
        &'s self,
        st: &'s State,
    ) -> impl Iterator<Item = (FuncId, LocId)> + 's {
        st.stack.iter().filter_map(|frame| {
            let body = self.program.function(frame.function).body.as_ref()?;
            let loc = body.locs.get(frame.pc as usize).copied();
            Some((frame.function, loc.unwrap_or_default()))
        })
    }

    /// The same as a trace, inlined calls included.
    pub(in crate::exec) fn trace_of(&self, calls: &[(FuncId, LocId)]) -> Vec<TraceFrame> {
        let mut trace = Vec::new();
        for (function, loc) in calls {
            let function = self.program.function(*function);
            let mut next = Some(*loc).filter(|loc| loc.0 != 0);
            if next.is_none() {
                trace.push(TraceFrame {
                    function: function.display.clone(),
                    at: None,
                });
            }
            while let Some(id) = next {
                let Some(loc) = self.program.locs.get(id) else {
                    break;
                };
                let scope = self.program.locs.scopes.get(loc.scope as usize).cloned();
                let outermost = loc.inlined_at.is_none();
                let name = match scope {
                    Some(s) if !(outermost && s.is_empty()) => s,
                    _ => function.display.clone(),
                };
                trace.push(TraceFrame {
                    function: name,
                    at: self.source(id),
                });
                next = loc.inlined_at;
            }
        }
        trace
    }
}
