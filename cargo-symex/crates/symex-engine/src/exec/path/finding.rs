//! Findings made from the ends of paths: traces, inputs, deduplication.

use crate::exec::path::applications::{Realised, of_symbolic_value};
use crate::exec::path::end::{Event, Fault, PathEnd};
use crate::exec::path::outcomes::ExpectedPanic::{OnEachPath, OnSomePath};
use crate::exec::path::outcomes::FindingKey;
use crate::exec::path::trace::{source, trace};
use crate::exec::threads::ORDER;
use crate::exec::{EntryKind, Executor};
use crate::state::State;
use crate::state::output::Sink;
use symex_terms::Assignment;
use symex_types::config::RecordPaths;
use symex_types::outcome::decision_tree::EndKind;
use symex_types::outcome::{
    ConcreteInput, Earlier, EarlierEvent, Finding, FindingKind, TraceFrame,
};

/// Returns the reason that clang gives for a trap, from the name of a function that the debug
/// information reports as inlined there.
fn trap_reason(function: &str) -> Option<&str> {
    let (_, reason) = function
        .strip_prefix("__clang_trap_msg$")?
        .split_once('$')?;
    Some(reason)
}

impl Executor<'_> {
    /// Reports whether an exit status other than 0 is a finding.
    fn checks_exit_status(&self) -> bool {
        match self.entry_kind {
            EntryKind::Main => self.config.check_status,
            EntryKind::FuzzProgram => false,
            _ => true,
        }
    }

    /// Ends a path: counts it, and makes a finding of a fault.
    pub fn end_path(&mut self, mut st: State, end: PathEnd) {
        let end = self.with_inputs(&mut st, end);
        // A path that the end of the run cuts short was not explored.
        let cut = matches!(&end, PathEnd::Bounded(bound) if bound.ends_run());
        self.outcomes.stats.paths += u64::from(!cut);
        if !cut {
            self.profile(|profiler, _, _| profiler.end());
        }
        self.outcomes.note_end(&st);
        let unwinds = match &end {
            PathEnd::Fault(fault) if fault.unwinds => Some(fault.at.clone()),
            _ => None,
        };
        let kind = match end {
            PathEnd::Completed => {
                self.outcomes.stats.completed += 1;
                if matches!(self.outcomes.expect_panic, Some(OnEachPath(_))) {
                    let fault = Fault::new(
                        FindingKind::Panic,
                        "the harness returned, but a panic was expected",
                    );
                    self.fault(&mut st, fault);
                    EndKind::Found
                } else {
                    self.note_return(&mut st);
                    let code = self.status(&st);
                    self.record(&mut st, code);
                    self.tell_leaks(&mut st, false)
                }
            }
            PathEnd::Exited(code) if code == 0 || !self.checks_exit_status() => {
                self.outcomes.stats.completed += 1;
                self.record(&mut st, code);
                self.tell_leaks(&mut st, true)
            }
            PathEnd::Exited(code) => {
                let fault = Fault::new(FindingKind::ExitCode, format!("exit({code})"));
                self.fault(&mut st, fault);
                EndKind::Found
            }
            PathEnd::Assumed => {
                self.outcomes.stats.assumed_away += 1;
                EndKind::Assumed
            }
            PathEnd::Unwound => self.expected_panic(&mut st),
            PathEnd::Fault(f) if self.outcomes.is_expected(&f) => self.expected_panic(&mut st),
            PathEnd::Fault(mut f) => {
                if st.unwinds.is_some() {
                    f.message.push(", while the expected panic unwinds");
                }
                self.fault(&mut st, f);
                EndKind::Found
            }
            PathEnd::Unsupported(g) => {
                self.outcomes.unsupported(&st, g);
                EndKind::Unsupported
            }
            PathEnd::Bounded(c) => {
                self.outcomes.bounded(&st, c);
                EndKind::Bounded
            }
        };
        // What the end of the run cuts short is open.
        if !cut {
            self.outcomes.sketch_end(&st, kind);
        }
        if let Some(at) = unwinds {
            self.follow_unwinding(st, at.as_ref());
        }
    }

    /// Counts a path that ends with a panic that the harness expects.
    fn expected_panic(&mut self, st: &mut State) -> EndKind {
        self.outcomes.stats.completed += 1;
        self.outcomes.has_panicked = true;
        self.outcomes.no_panic = None;
        // Of the harness's test, which the panic makes succeed.
        self.record(st, 0);
        EndKind::Passed
    }

    /// Makes sure that some input takes a path of whose inputs something will be told, and returns
    /// how it ends.
    fn with_inputs(&mut self, st: &mut State, end: PathEnd) -> PathEnd {
        let is_told = match &end {
            PathEnd::Fault(_) | PathEnd::Unwound => true,
            PathEnd::Completed | PathEnd::Exited(_) => {
                self.config.leaks
                    || self.config.record_paths != RecordPaths::None
                    || self.outcomes.expect_panic.is_some()
                    || matches!(end, PathEnd::Exited(code) if code != 0)
            }
            PathEnd::Assumed | PathEnd::Unsupported(_) | PathEnd::Bounded(_) => false,
        };
        if !is_told || st.applied.is_empty() {
            return end;
        }
        match self.realise(st) {
            Realised::Yes => end,
            Realised::Never => PathEnd::Assumed,
            Realised::Unknown(function) => PathEnd::Unsupported(of_symbolic_value(&function)),
        }
    }

    /// Keeps the finding that no path panics, of a path that returned, if some path is expected to
    /// and none has.
    fn note_return(&mut self, st: &mut State) {
        let outcomes = &self.outcomes;
        if outcomes.expect_panic != Some(OnSomePath)
            || outcomes.has_panicked
            || outcomes.no_panic.is_some()
        {
            return;
        }
        self.minimise(st);
        let inputs = self.inputs_under(st, &st.assignment.clone());
        let message = "no input panics, but a panic was expected".to_owned();
        let trace = trace(self.program, st);
        let finding = self.finding(st, FindingKind::Panic, message, trace, inputs);
        self.outcomes.no_panic = Some(finding);
    }

    /// Makes a finding of a path, with what the path itself tells.
    fn finding(
        &mut self,
        st: &State,
        kind: FindingKind,
        message: String,
        trace: Vec<TraceFrame>,
        inputs: Vec<ConcreteInput>,
    ) -> Finding {
        Finding {
            kind,
            message,
            check: None,
            at: None,
            trace,
            allocated_at: None,
            earlier: Vec::new(),
            inputs,
            output: self.output(st, None),
            address_dependent: st.address_dependent,
            assumptions: self.assumptions(st),
            has_stubs: st.world.stubs.values().any(|stub| stub.is_called),
            threads: st.assumptions.iter().any(|what| **what == *ORDER),
            repeats: 0,
        }
    }

    /// Makes findings of the leaks of a path that came to its end, if leaks are asked for. Returns
    /// how it has ended with these.
    fn tell_leaks(&mut self, st: &mut State, exited: bool) -> EndKind {
        if !self.config.leaks {
            return EndKind::Passed;
        }
        let mut kind = EndKind::Passed;
        for fault in self.leaks(st, exited) {
            self.fault(st, fault);
            kind = EndKind::Found;
        }
        kind
    }

    /// Makes a finding of a fault, or counts it to the same one.
    pub(super) fn fault(&mut self, st: &mut State, mut fault: Fault) {
        let mut trace = match fault.trace.take() {
            Some(trace) => trace,
            None => trace(self.program, st),
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
        // By how many calls a recursion came to the one where it goes on is chance.
        let calls = match fault.kind {
            FindingKind::StackOverflow => 1,
            _ => 6,
        };
        let key: FindingKey = (
            fault.kind,
            st.check.as_ref().map(|c| c.to_string()),
            at.clone(),
            trace.iter().map(|f| f.at.clone()).take(calls).collect(),
        );
        let known = self.outcomes.tally.known(&key);
        let first = known.is_none_or(|i| self.outcomes.tally.come_true(i));
        if first {
            self.minimise(st);
            if let Some(sketch) = &mut self.outcomes.sketch {
                sketch.found(st, fault.kind, at.clone());
            }
        }
        let message = self.told(st, &fault.message);
        let inputs = self.inputs_under(st, &st.assignment.clone());
        if let Some(i) = known {
            let old = self.outcomes.tally.finding_mut(i);
            old.repeats += u64::from(!first);
            let (own, others) = (
                ConcreteInput::weight(&inputs),
                ConcreteInput::weight(&old.inputs),
            );
            if own < others || first && own == others {
                let output = self.output(st, None);
                let assumptions = self.assumptions(st);
                let old = self.outcomes.tally.finding_mut(i);
                old.assumptions = assumptions;
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
            .and_then(|site| source(self.program, site));
        let freed = object.and_then(|object| st.memory.freed_at(object));
        let freed = freed.map(|at| Event::new(EarlierEvent::Freed, at));
        let earlier = freed.iter().chain(&fault.earlier).filter_map(|event| {
            Some(Earlier {
                event: event.kind,
                at: source(self.program, event.at)?,
                text: event.text.as_deref().map(str::to_owned),
            })
        });
        let earlier = earlier.collect();
        let finding = Finding {
            check: st.check.as_ref().map(|c| c.to_string()),
            at,
            allocated_at,
            earlier,
            ..self.finding(st, fault.kind, message, trace, inputs)
        };
        self.outcomes.find(key, finding);
    }

    /// Returns what a path took for granted: by its calls, and by the variables that the functions
    /// on its stack refer to.
    fn assumptions(&self, st: &State) -> Vec<String> {
        let own = st.assumptions.iter().map(|what| what.to_string());
        let mut all: Vec<String> = own.collect();
        for frame in st.stack.iter() {
            for what in self.definitions.assumptions_of(frame.function) {
                if !all.contains(&what) {
                    all.push(what);
                }
            }
        }
        all
    }

    /// Returns the inputs of a path under an assignment.
    pub fn inputs_under(&mut self, st: &State, assignment: &Assignment) -> Vec<ConcreteInput> {
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
                if let Some(length) = input.length {
                    let length = self.pool.eval(length, assignment, &st.memory);
                    bytes.truncate(length as usize);
                }
                ConcreteInput {
                    name: input.name.to_string(),
                    role: input.role.clone(),
                    bytes,
                    form: input.form,
                }
            })
            .collect()
    }

    /// Returns the bytes that a path wrote to standard output and error, or to one of them, under
    /// its assignment.
    pub fn output(&mut self, st: &State, of: Option<Sink>) -> Vec<u8> {
        let output = st.world.files.output.clone();
        let word = |e| self.pool.eval(e, &st.assignment, &st.memory);
        output.bytes(of, word)
    }
}
