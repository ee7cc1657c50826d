//! Calls, returns and unwinding: entering and leaving frames.

use crate::exec::borrows::{move_tag, tag_of};
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::globals;
use crate::exec::memory::resolve::ResolvedPointer;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, PathEnd, Res, Stop};
use crate::exec::path::message::message;
use crate::exec::path::trace::recursion;
use crate::exec::threads::pass_point;
use crate::exec::{EntryKind, Executor};
use crate::state::threads::ThreadId;
use crate::state::{Frame, State, VarArg};
use smallvec::SmallVec;
use std::rc::Rc;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::{Body, CallSite, Callee, FuncId, Inst};
use symex_solver::Purpose;
use symex_terms::Value;
use symex_types::outcome::{Bound, FindingKind, PLAIN_PROCESSOR, Unsupported};

/// Base of block addresses: the address of a block for a computed goto is the function's object
/// plus this and the block's number.
pub(in crate::exec) const FIRST_BLOCK_OFFSET: u64 = 1;

/// Reports whether inline assembly only asks the processor for its features, saving a register
/// around it.
fn is_cpuid(text: &str) -> bool {
    let mut lines = text
        .split(['\n', ';'])
        .map(str::trim)
        .filter(|l| !l.is_empty());
    text.contains("cpuid")
        && lines.all(|l| ["cpuid", "mov", "xchg"].iter().any(|i| l.starts_with(i)))
}

impl<'a> Executor<'a> {
    /// Executes the call of a site of the innermost frame.
    pub(in crate::exec) fn call(
        &mut self,
        st: &mut State,
        site: &'a CallSite,
        consts: &[Value],
    ) -> Res<()> {
        let slots = &st.stack.top.slots;
        let mut args: SmallVec<[(Value, u32); 8]> = SmallVec::with_capacity(site.args.len());
        for (op, w) in &site.args {
            let v = match op.decode() {
                Ok(s) => slots[s.0 as usize],
                Err(c) => consts[c as usize],
            };
            args.push((v, *w));
        }
        if st.borrows.is_some() {
            let tags = site.args.iter().map(|(op, _)| tag_of(st, consts, *op));
            self.tags.passed = tags.collect();
        }
        let callee = match &site.callee {
            Callee::Direct(f) => *f,
            Callee::Indirect(op) => {
                let target = match op.decode() {
                    Ok(s) => slots[s.0 as usize],
                    Err(c) => consts[c as usize],
                };
                self.call_target(st, target)?
            }
            Callee::InlineAsm(text) if is_cpuid(text) => {
                // Programs then take their portable ways.
                st.take_for_granted(PLAIN_PROCESSOR);
                let zeros: SmallVec<[Value; 4]> =
                    site.returns.iter().map(|_| Value::Int(0)).collect();
                return self.finish_call(st, site, &zeros);
            }
            Callee::InlineAsm(text) => return Err(Unsupported::InlineAsm(text.clone()).into()),
        };
        self.enter(st, callee, args, site)
    }

    /// Returns the function that a pointer refers to.
    pub fn call_target(&mut self, st: &mut State, target: Value) -> Res<FuncId> {
        match self.resolve(st, target)? {
            ResolvedPointer::Object(o, offset) if self.is_start(st, offset)? => {
                match globals::function_of_object(self.program, o) {
                    Some(f) => Ok(f),
                    None => {
                        let message = message!["call of ", self.describe(st, o)];
                        Err(Fault::new(FindingKind::InvalidCall, message).of(o).into())
                    }
                }
            }
            ResolvedPointer::Object(..) => Err(Fault::new(
                FindingKind::InvalidCall,
                "call into the middle of an object",
            )
            .into()),
            ResolvedPointer::Nowhere(address) => Err(Fault::new(
                FindingKind::InvalidCall,
                format!("call of address {address:#x}"),
            )
            .into()),
        }
    }

    /// Reports whether an offset is 0, forking if it may be that or another.
    fn is_start(&mut self, st: &mut State, offset: Value) -> Res<bool> {
        match offset {
            Value::Int(offset) => Ok(offset == 0),
            _ => {
                let offset = self.term(st, offset, 64);
                let zero = self.pool.constant(64, 0);
                let start = self.pool.eq(offset, zero);
                self.split(st, start, Purpose::Resolve)
            }
        }
    }

    /// Returns the function that takes the place of another on the path, if one does.
    fn stub(&mut self, st: &mut State, replaced: FuncId) -> Option<FuncId> {
        let stub = st.world.stubs.get(&replaced)?;
        let function = stub.function;
        if !stub.is_called {
            let stubs = &mut Rc::make_mut(&mut st.world).stubs;
            let stub = stubs.get_mut(&replaced).expect("found above");
            stub.is_called = true;
            let (by, what) = (stub.written.clone(), stub.replaced.clone());
            st.take_for_granted(&format!(
                "what `{what}` does was taken to be what `{by}` does"
            ));
            let bound = Bound::Assumed(format!("`{by}` in place of `{what}`"));
            self.outcomes.note(st, bound);
        }
        Some(function)
    }

    fn enter(
        &mut self,
        st: &mut State,
        callee: FuncId,
        args: SmallVec<[(Value, u32); 8]>,
        site: &'a CallSite,
    ) -> Res<()> {
        let callee = self.stub(st, callee).unwrap_or(callee);
        let model = self.prepared(callee).model;
        let function = self.program.function(callee);
        if let Some(model) = model {
            let call = Call {
                name: &function.name,
                function: callee,
                args: &args,
                returns: &site.returns,
                used: site.used,
                negative_errors: false,
            };
            let allocated = st.memory.allocations();
            if st.borrows.is_some() {
                self.begin_tagged_model(st, &call);
            }
            let flow = model(self, st, &call);
            if let (Some(_), Ok(flow)) = (&st.borrows, &flow) {
                self.end_tagged_model(allocated, flow, &call);
            }
            match flow? {
                Flow::Return(values) => return self.finish_call(st, site, &values),
                Flow::Unwind(exception) => return self.unwind(st, exception, Value::Int(0)),
                Flow::Enter(other, values) => {
                    let params = &self.program.function(other).params;
                    let args = values
                        .iter()
                        .enumerate()
                        .map(|(i, v)| (*v, params.get(i).map_or(64, |p| p.width)))
                        .collect();
                    return self.push_call(st, other, args, site);
                }
                Flow::Landed(values) => return self.answer(st, &values),
                Flow::First(other, values) => return self.push_before(st, other, &values),
                Flow::Body => {}
            }
        }
        if function.body.is_none() {
            if let Some((_, origin)) = self.program.native.iter().find(|n| n.0 == function.name) {
                return Err(Unsupported::MachineCode {
                    function: function.display.clone(),
                    origin: origin.clone(),
                }
                .into());
            }
            if self.definitions.is_absent_function(callee) {
                let message = format!(
                    "call of {}, which is weak and not defined",
                    function.display
                );
                return Err(Fault::new(FindingKind::InvalidCall, message).into());
            }
            return Err(Unsupported::NoModel(function.display.clone()).into());
        }
        let given = st.borrows.is_some().then(|| args.clone());
        let (args, results_fit) = self.fit(st, callee, args, site)?;
        if given.is_some_and(|given| given != args) {
            self.tags.passed.clear();
        }
        if matches!(site.callee, Callee::Indirect(_)) {
            self.check_arguments(st, function, &args)?;
        }
        let entered = self.push_call(st, callee, args, site);
        if !results_fit && matches!(entered, Err(Stop::Jumped)) {
            st.stack.top.reshaped = true;
        }
        entered
    }

    /// Makes a fault of one call more than the path may be deep in calls.
    fn check_depth(&self, st: &State) -> Res<()> {
        if st.stack.depth < self.config.limits.max_depth {
            return Ok(());
        }
        let message = format!("{} calls deep", st.stack.depth);
        Err(Fault {
            trace: Some(recursion(self.program, st)),
            ..Fault::new(FindingKind::StackOverflow, message)
        }
        .into())
    }

    fn push_call(
        &mut self,
        st: &mut State,
        callee: FuncId,
        args: SmallVec<[(Value, u32); 8]>,
        site: &'a CallSite,
    ) -> Res<()> {
        let function = self.program.function(callee);
        let Some(body) = &function.body else {
            return Err(Unsupported::NoModel(function.display.clone()).into());
        };
        self.check_depth(st)?;
        let params = function.params.len();
        if args.len() < params {
            let message = format!(
                "{} takes {params} arguments, {} were passed",
                function.display,
                args.len()
            );
            return Err(Fault::new(FindingKind::InvalidCall, message).into());
        }
        let mut slots = self.frames.slots(body.slots as usize);
        for (i, (v, _)) in args.iter().take(params).enumerate() {
            slots[i] = *v;
        }
        let mut allocas = SmallVec::new();
        for (i, p) in function.params.iter().enumerate() {
            if let Some((size, align)) = p.byval {
                let copy = self.byval_copy(st, slots[i], size, align)?;
                allocas.push(copy);
                slots[i] = Value::Ptr(copy, 0);
            }
        }
        let varargs: Rc<[VarArg]> = if function.variadic {
            let mut rest: Vec<VarArg> = args[params..]
                .iter()
                .enumerate()
                .map(|(i, (value, width))| VarArg {
                    value: *value,
                    width: *width,
                    // A caller that knows of no variable arguments passes them in slots.
                    at: match site.variable.len() == args.len() - params {
                        true => site.variable[i],
                        false => i as u64 * 16,
                    },
                    size: None,
                })
                .collect();
            for (leaf, size, align) in &site.byval {
                if let Some(i) = (*leaf as usize)
                    .checked_sub(params)
                    .filter(|i| *i < rest.len())
                {
                    let copy = self.byval_copy(st, rest[i].value, *size, *align)?;
                    allocas.push(copy);
                    rest[i].value = Value::Ptr(copy, 0);
                    rest[i].size = Some(*size);
                }
            }
            rest.into()
        } else {
            self.frames.no_varargs()
        };
        self.entered.enter_block(callee, 0);
        st.stack.push(Frame {
            function: callee,
            pc: 0,
            slots,
            kept: None,
            allocas,
            bytes: 0,
            varargs,
            serial: 0,
            again: false,
            reshaped: false,
            tags: st.borrows.is_some().then(|| self.passed_tags(function)),
        });
        Err(Stop::Jumped)
    }

    /// Enters a function before the current instruction of the innermost frame, which is executed
    /// afterwards.
    pub(in crate::exec) fn push_before(
        &mut self,
        st: &mut State,
        callee: FuncId,
        args: &[Value],
    ) -> Res<()> {
        let function = self.program.function(callee);
        let Some(body) = &function.body else {
            return Err(Unsupported::NoModel(function.display.clone()).into());
        };
        self.check_depth(st)?;
        let mut frame = Frame::first(callee, body.slots as usize, args);
        frame.again = true;
        self.entered.enter_block(callee, 0);
        st.stack.push(frame);
        Err(Stop::Jumped)
    }

    /// Registers functions that the end of the process calls, in this order, after all that are
    /// registered later.
    pub fn run_at_exit(&mut self, st: &mut State, functions: &[FuncId]) {
        let pointer = |f: &FuncId| Value::Ptr(globals::object_of_function(self.program, *f), 0);
        let calls = functions.iter().rev().map(|f| (pointer(f), None));
        Rc::make_mut(&mut st.world).at_exit.splice(0..0, calls);
    }

    /// Removes and returns the function that the end of the process calls next, if any is left.
    pub fn next_at_exit(&mut self, st: &mut State) -> Res<Option<(FuncId, SmallVec<[Value; 4]>)>> {
        let Some((function, argument)) = st.world.at_exit.last().copied() else {
            return Ok(None);
        };
        let function = self.call_target(st, function)?;
        let params = self.program.function(function).params.len();
        if params > usize::from(argument.is_some()) {
            let message = "a function that is called at exit takes arguments";
            return Err(Fault::new(FindingKind::InvalidCall, message).into());
        }
        Rc::make_mut(&mut st.world).at_exit.pop();
        Ok(Some((
            function,
            argument.into_iter().take(params).collect(),
        )))
    }

    fn byval_copy(
        &mut self,
        st: &mut State,
        from: Value,
        size: u64,
        align: u64,
    ) -> Res<symex_terms::ObjectId> {
        let source = self.check_range(st, from, size, crate::exec::memory::access::Access::Read)?;
        let copy =
            self.allocate_stack(st, Extent::known(size), align.max(1).trailing_zeros() as u8);
        st.memory.copy(&mut self.pool, (copy, 0), source, size);
        Ok(copy)
    }

    /// Allocates a stack object that belongs to the innermost frame.
    pub(in crate::exec) fn allocate_stack(
        &mut self,
        st: &mut State,
        size: Extent,
        align_log2: u8,
    ) -> symex_terms::ObjectId {
        let frame = &st.stack.top;
        let site = self
            .program
            .function(frame.function)
            .body
            .as_ref()
            .and_then(|b| b.locs.get(frame.pc as usize).copied())
            .unwrap_or_default();
        let as_asked = self.program.function(frame.function).rust;
        let object = st.memory.allocate(NewObject {
            size: size.most,
            length: size.length,
            align_log2,
            kind: ObjectKind::Stack,
            site,
            birth: 0,
            initial: Initial::Uninit,
        });
        if as_asked {
            st.memory.align_as_asked(object);
        }
        self.note_birth(st, object);
        object
    }

    /// Delivers the results of a call to the innermost frame and continues after it.
    fn finish_call(&mut self, st: &mut State, site: &CallSite, values: &[Value]) -> Res<()> {
        for i in 0..site.returns.len() {
            st.stack.top.slots[site.dst.0 as usize + i] =
                values.get(i).copied().unwrap_or(Value::Undef);
        }
        if st.borrows.is_some() {
            self.take_result_tags(st, site);
        }
        pass_point(st);
        match site.normal {
            Some(edge) => {
                self.take_edge(st, edge);
                Err(Stop::Jumped)
            }
            None => {
                st.stack.top.pc += 1;
                Err(Stop::Jumped)
            }
        }
    }

    /// Returns from the innermost frame.
    pub(in crate::exec) fn ret(&mut self, st: &mut State, values: &[Value]) -> Res<()> {
        let compared = self.compared_keys(st, values)?;
        let values = compared.as_ref().map_or(values, std::slice::from_ref);
        if st.threads.is_some() && st.stack.depth == 1 && !self.queries.aside {
            if st.thread() != ThreadId::MAIN {
                let result = values.first().copied().unwrap_or(Value::Undef);
                return self.end_thread(st, result);
            }
            if self.waits_for_others(st)? {
                return Err(Stop::Jumped);
            }
        }
        if self.queries.aside && st.stack.depth == 1 {
            st.status = values.first().copied();
        }
        if self.entry_kind != EntryKind::Constructor && !self.queries.aside && st.stack.depth == 1 {
            if self.entry_kind == EntryKind::FuzzTarget {
                self.assume_accepted(st, values)?;
            }
            if let Some((function, argument)) = self.next_local_destructor(st)? {
                return self.push_before(st, function, &[argument]);
            }
            if let Some((function, args)) = self.next_at_exit(st)? {
                return self.push_before(st, function, &args);
            }
            if self.entry_kind == EntryKind::Main {
                self.check_returned(st, values)?;
            }
        }
        if st.borrows.is_some() {
            self.end_protection(st)?;
        }
        if st.threads.is_some() {
            for id in st.stack.top.allocas.clone() {
                self.check_race_of_end(st, id)?;
            }
        }
        let Frame {
            function,
            again,
            reshaped,
            ..
        } = st.stack.top;
        self.leave_frame(st)?;
        if again {
            return Err(Stop::Jumped);
        }
        if reshaped {
            self.tags.results.clear();
            let site = self.waiting_call(st);
            let function = self.program.function(function);
            let values = self.fit_results(st, function, values, site)?;
            return self.finish_call(st, site, &values);
        }
        self.answer(st, values)
    }

    /// Returns the call site at which the innermost frame waits.
    fn waiting_call(&self, st: &State) -> &'a CallSite {
        let caller = self.body_of(st);
        match caller.code[st.stack.top.pc as usize] {
            Inst::Call { site } => &caller.calls[site as usize],
            _ => unreachable!("a frame below the top stands at a call"),
        }
    }

    /// Delivers results to the call at which the innermost frame waits.
    fn answer(&mut self, st: &mut State, values: &[Value]) -> Res<()> {
        let site = self.waiting_call(st);
        self.finish_call(st, site, values)
    }

    /// Narrows the inputs of a fuzz target to those that it has not rejected.
    fn assume_accepted(&mut self, st: &mut State, values: &[Value]) -> Res<()> {
        let Some(&result) = values.first() else {
            return Ok(());
        };
        let result = self.term(st, result, 32);
        let rejected = self.pool.constant(32, u32::MAX.into());
        let accepted = self.pool.ne(result, rejected);
        self.assume(st, accepted)
    }

    /// Checks that the exit status that `main` returns was written, since the parent process sees
    /// it.
    fn check_returned(&mut self, st: &mut State, values: &[Value]) -> Res<()> {
        let Some(status) = values.first().copied() else {
            return Ok(());
        };
        st.status = Some(status);
        match status {
            Value::Undef => {
                let message = "the exit status was never written";
                return Err(Fault::new(FindingKind::UninitUse, message).into());
            }
            Value::Expr(e) if self.pool.has_uninit(e) => self.check_initialised(st, e)?,
            _ => {}
        }
        if self.config.check_status {
            let status = self.concretise(st, status, 32)?;
            return Err(PathEnd::exited(status).into());
        }
        Ok(())
    }

    /// Drops the innermost frame, and ends the path if it was the only one.
    pub(in crate::exec) fn leave_frame(&mut self, st: &mut State) -> Res<()> {
        if st.borrows.is_some() {
            // Where a jump leaves a function, nothing checks the end of its references.
            let _ = self.end_protection(st);
        }
        for id in std::mem::take(&mut st.stack.top.allocas) {
            if st.memory.is_live(id) {
                st.memory.free(id);
                if let Some(borrows) = &mut st.borrows {
                    borrows.forget(id);
                }
            }
        }
        match st.stack.pop() {
            Some(frame) => {
                self.frames.put_back(frame.slots);
                Ok(())
            }
            None => Err(PathEnd::Completed.into()),
        }
    }

    fn body_of(&self, st: &State) -> &'a Body {
        self.program
            .function(st.stack.top.function)
            .body
            .as_ref()
            .expect("a frame's function has a body")
    }

    /// Follows an edge of the innermost frame.
    pub(in crate::exec) fn take_edge(&mut self, st: &mut State, edge: u32) {
        self.prepare_edge(st, edge);
        st.untaken = None;
        self.note_edge(st, edge);
    }

    /// Counts an edge of the innermost frame among those that were taken.
    pub(in crate::exec) fn note_edge(&mut self, st: &State, edge: u32) {
        let block = self.body_of(st).edges[edge as usize].block;
        let first = self.entered.first_of(st.stack.top.function);
        self.entered.take(first, edge, block);
    }

    /// Places a path that waits to be run at the end of an edge of its innermost frame. The edge is
    /// taken when the path is run: that may not happen, and the path may not even be feasible.
    pub(in crate::exec) fn prepare_edge(&mut self, st: &mut State, edge: u32) {
        let function = st.stack.top.function;
        let body = self.body_of(st);
        let e = &body.edges[edge as usize];
        let consts = self.prepared(function).constants.clone();
        for (dst, op) in body.moves_of(e) {
            let v = match op.decode() {
                Ok(s) => st.stack.top.slots[s.0 as usize],
                Err(c) => consts[c as usize],
            };
            st.stack.top.slots[dst.0 as usize] = v;
            if st.borrows.is_some() {
                move_tag(st, &consts, *dst, *op);
            }
        }
        st.stack.top.pc = e.target;
        st.untaken = Some(edge);
        if st.unverified.is_none() {
            self.entered.enter_block(function, e.block);
        }
    }

    /// Unwinds from the call at which the innermost frame waits to the nearest landing pad.
    pub(in crate::exec) fn unwind(
        &mut self,
        st: &mut State,
        exception: Value,
        selector: Value,
    ) -> Res<()> {
        loop {
            let body = self.body_of(st);
            if let Inst::Call { site } = body.code[st.stack.top.pc as usize]
                && let Some(edge) = body.calls[site as usize].unwind
            {
                st.exception = Some((exception, selector));
                self.take_edge(st, edge);
                return Err(Stop::Jumped);
            }
            if st.borrows.is_some() {
                self.end_protection(st)?;
            }
            match self.leave_frame(st) {
                Ok(()) => {}
                Err(_) if st.unwinds_here() => return Err(PathEnd::Unwound.into()),
                Err(_) => {
                    return Err(Fault::new(
                        FindingKind::Panic,
                        "an exception left the entry function",
                    )
                    .into());
                }
            }
        }
    }

    /// Continues unwinding after a clean-up.
    pub(in crate::exec) fn resume(
        &mut self,
        st: &mut State,
        exception: Value,
        selector: Value,
    ) -> Res<()> {
        if st.borrows.is_some() {
            self.end_protection(st)?;
        }
        match self.leave_frame(st) {
            Ok(()) => self.unwind(st, exception, selector),
            Err(_) if st.unwinds_here() => Err(PathEnd::Unwound.into()),
            Err(_) => {
                Err(Fault::new(FindingKind::Panic, "an exception left the entry function").into())
            }
        }
    }

    /// Reports whether an exception thrown now would be caught by a handler that catches everything
    /// (Rust's `catch_unwind`, C++'s `catch (...)`). Clean-ups do not count. Unwinding through a
    /// call that was declared not to unwind is undefined, and the handler may have been optimised
    /// away.
    pub fn would_be_caught(&self, st: &State) -> Res<bool> {
        // A function that cannot unwind aborts: what is further out does not see the exception.
        let mut stopped = false;
        for frame in st.stack.iter() {
            let function = self.program.function(frame.function);
            let Some(body) = &function.body else {
                continue;
            };
            let Some(Inst::Call { site }) = body.code.get(frame.pc as usize) else {
                continue;
            };
            let site = &body.calls[*site as usize];
            let pad = site.unwind.and_then(|edge| {
                let target = body.edges[edge as usize].target as usize;
                let mut block = body.code[target..]
                    .iter()
                    .take_while(|i| !i.is_terminator());
                block.find_map(|i| match i {
                    Inst::LandingPad { pad, .. } => Some(&body.landing_pads[*pad as usize]),
                    _ => None,
                })
            });
            if pad.is_some_and(|pad| pad.catches.iter().any(|c| c.is_none())) {
                return Ok(true);
            }
            stopped |= pad.is_some_and(|pad| pad.filters);
            if site.nounwind && !stopped {
                let message = format!(
                    "a panic unwinds out of a call in {} that is declared not to unwind",
                    function.display
                );
                return Err(Fault::new(FindingKind::Undefined, message).into());
            }
        }
        Ok(false)
    }

    /// Enters a landing pad of the innermost frame: delivers the exception, and the selector 1 if
    /// the pad catches everything.
    pub(in crate::exec) fn landing_pad(&mut self, st: &mut State, pad: u32, dst: usize) {
        let body = self.body_of(st);
        let pad = &body.landing_pads[pad as usize];
        let (exception, selector) = st.exception.take().unwrap_or((Value::Undef, Value::Undef));
        let catches_all = pad.catches.iter().any(|c| c.is_none());
        st.stack.top.slots[dst] = exception;
        st.stack.top.slots[dst + 1] = if catches_all { Value::Int(1) } else { selector };
    }
}
