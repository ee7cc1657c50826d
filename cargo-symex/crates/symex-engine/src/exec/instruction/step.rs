//! The interpreter loop over instructions. Each arm tries the concrete fast path and leaves
//! everything else to `symbolic_step`.

use crate::exec::Executor;
use crate::exec::borrows::{frame_tags, move_tag, tag_of};
use crate::exec::instruction::concrete;
use crate::exec::instruction::entered::First;
use crate::exec::path::end::{PathEnd, Stop};
use crate::state::State;
use symex_program::{Inst, Operand, Slot};
use symex_terms::Value;
use symex_types::bits::word_sign_extend;
use symex_types::outcome::{Bound, FindingKind, Unsupported};

/// Number of jumps until the loop checks clocks and limits.
const FUEL: u32 = 4096;

/// Number of jumps within a function after which a profiler is told where the path is.
const PROFILED: u32 = 64;

/// Cost of an instruction off the fast path, in jumps.
const SLOW_FUEL: u32 = 8;

/// Reason why the interpreter loop returned.
#[derive(Debug)]
pub enum Pause {
    /// The path is over.
    End(PathEnd),
    /// States were forked off, or it is time to check the limits; the state continues when it is
    /// selected again.
    Yield,
    /// The path waits for others, to be merged with them.
    Join,
}

/// Instructions of the innermost frame at which a path waits for others.
struct Waits(smallvec::SmallVec<[usize; 4]>);

impl Waits {
    fn of(st: &State) -> Self {
        let joins = st.joins.of_frame(st.stack.top.serial);
        Waits(joins.map(|(pc, _)| pc as usize).collect())
    }

    #[inline]
    fn at(&self, pc: usize) -> bool {
        self.0.contains(&pc)
    }
}

impl<'a> Executor<'a> {
    /// Runs a state until it ends, forks, or has run for a while.
    pub fn run(&mut self, st: &mut State) -> Pause {
        if let Some(edge) = st.untaken.take() {
            self.note_edge(st, edge);
        }
        self.end_turn(st);
        self.profile(|profiler, program, asked| profiler.enter(program, st, asked));
        let pause = self.run_on(st, FUEL);
        self.profile(|profiler, _, asked| profiler.leave(st, asked));
        pause
    }

    /// Runs a state on until it ends, forks, or has run for some jumps.
    pub fn run_on(&mut self, st: &mut State, jumps: u32) -> Pause {
        let limit = self.config.limits.max_instructions;
        let limit = limit.filter(|_| !self.outcomes.is_unlimited);
        let pause = loop {
            let fuel = match limit {
                // A jump is an instruction, so that the limit is hardly exceeded.
                Some(most) => most.saturating_sub(self.outcomes.stats.instructions),
                None => jumps.into(),
            };
            let before = st.steps;
            let pause = self.run_frames(st, fuel.clamp(1, jumps.into()) as u32);
            self.outcomes.stats.instructions += st.steps - before;
            // A path that is run once more has no limit, and is to pause at the same places.
            for query in self.queries.slow.drain(..) {
                self.outcomes.sites.note_query(self.program, &query);
            }
            let is_short = fuel < jumps.into() && self.siblings.is_empty() && !self.is_stopped();
            if !(is_short && pause.is_ok()) {
                break pause;
            }
        };
        match pause {
            Err(Stop::End(end)) => Pause::End(*end),
            Err(Stop::Joined) => Pause::Join,
            Ok(()) | Err(_) => {
                if let Some(max) = self.config.limits.max_steps
                    && st.steps >= max
                {
                    return Pause::End(PathEnd::Bounded(Bound::MaxSteps));
                }
                Pause::Yield
            }
        }
    }

    /// Reports whether a step ends sooner than others, for a limit of the run.
    pub fn is_stopped(&self) -> bool {
        let most = self.config.limits.max_instructions;
        let done = self.outcomes.stats.instructions;
        self.queries.has_expired() || most.is_some_and(|most| done >= most)
    }

    fn run_frames(&mut self, st: &mut State, mut fuel: u32) -> Result<(), Stop> {
        loop {
            let id = st.stack.top.function;
            let program = self.program;
            let body = program
                .function(id)
                .body
                .as_ref()
                .expect("a frame's function has a body");
            let consts = self.prepared(id).constants.clone();
            let marks = self.entered.first_of(id);
            let (fuel, first) = (&mut fuel, marks);
            let ran = match (&st.borrows, &st.threads) {
                (None, None) => self.run_frame::<false, false>(st, body, &consts, first, fuel),
                (None, Some(_)) => self.run_frame::<false, true>(st, body, &consts, first, fuel),
                (Some(_), _) => self.run_frame::<true, true>(st, body, &consts, first, fuel),
            };
            match ran {
                Ok(()) => return Ok(()),
                Err(Stop::Jumped) => {
                    // Another frame, or another place of this one.
                    self.profile(|profiler, program, asked| profiler.arrive(program, st, asked));
                    *fuel = fuel.saturating_sub(1);
                    if *fuel == 0 {
                        return Ok(());
                    }
                }
                Err(end) => return Err(end),
            }
            if !self.siblings.is_empty() || self.queries.has_expired() {
                return Ok(());
            }
        }
    }

    /// Executes instructions within one frame, and follows the tags of pointers if they are
    /// `TAGGED`; all accesses to memory are checked on the slow path if they are `WATCHED`. `Ok`
    /// means: the state continues later.
    fn run_frame<const TAGGED: bool, const WATCHED: bool>(
        &mut self,
        st: &mut State,
        body: &'a symex_program::Body,
        consts: &[Value],
        marks: First,
        fuel: &mut u32,
    ) -> Result<(), Stop> {
        let code = &body.code[..];
        let mut pc = st.stack.top.pc as usize;
        let waits = Waits::of(st);
        if waits.at(pc) {
            return Err(Stop::Joined);
        }
        macro_rules! get {
            ($op:expr) => {
                match Operand::decode($op) {
                    Ok(Slot(s)) => st.stack.top.slots[s as usize],
                    Err(c) => consts[c as usize],
                }
            };
        }
        macro_rules! set {
            ($dst:expr, $v:expr) => {{
                st.stack.top.slots[$dst.0 as usize] = $v;
                if TAGGED {
                    self.after_tagged(st, consts, &code[pc]);
                }
                pc += 1;
                continue;
            }};
        }
        macro_rules! jump {
            ($edge:expr) => {{
                let e = &body.edges[$edge as usize];
                for (dst, op) in body.moves_of(e) {
                    let v = get!(*op);
                    st.stack.top.slots[dst.0 as usize] = v;
                    if TAGGED {
                        move_tag(st, consts, *dst, *op);
                    }
                }
                pc = e.target as usize;
                self.entered.take(marks, $edge, e.block);
                if waits.at(pc) {
                    st.stack.top.pc = pc as u32;
                    return Err(Stop::Joined);
                }
                *fuel -= 1;
                if fuel.is_multiple_of(PROFILED) {
                    st.stack.top.pc = pc as u32;
                    if *fuel == 0 {
                        return Ok(());
                    }
                    self.profile(|profiler, program, asked| profiler.arrive(program, st, asked));
                }
                continue;
            }};
        }
        loop {
            st.steps += 1;
            if TAGGED {
                self.before_tagged(st, consts, &code[pc]);
            }
            match &code[pc] {
                Inst::Move { dst, a } => set!(dst, get!(*a)),
                Inst::Bin { op, w, dst, a, b } => {
                    if let (Value::Int(x), Value::Int(y)) = (get!(*a), get!(*b))
                        && let Some(r) = concrete::bin(*op, *w, x, y)
                    {
                        set!(dst, Value::Int(r));
                    }
                }
                Inst::Un { op, w, dst, a } => {
                    if let Value::Int(x) = get!(*a)
                        && let Some(r) = concrete::un(*op, *w, x)
                    {
                        set!(dst, Value::Int(r));
                    }
                }
                Inst::Cmp { op, w, dst, a, b } => {
                    if let (Value::Int(x), Value::Int(y)) = (get!(*a), get!(*b)) {
                        set!(dst, Value::Int(concrete::cmp(*op, *w, x, y) as u64));
                    }
                }
                Inst::Cast {
                    op,
                    from,
                    to,
                    dst,
                    a,
                } => {
                    if let Value::Int(x) = get!(*a)
                        && let Some(r) = concrete::cast(*op, *from, *to, x)
                    {
                        set!(dst, Value::Int(r));
                    }
                }
                Inst::Select {
                    dst, cond, a, b, ..
                } => {
                    if TAGGED {
                        self.entered.reach(marks, pc);
                        st.stack.top.pc = pc as u32;
                        let chosen = self.choose_tagged(st, consts, get!(*cond), [*a, *b])?;
                        if let Some((chosen, tag)) = chosen {
                            st.stack.top.slots[dst.0 as usize] = get!(chosen);
                            frame_tags(st).slots[dst.0 as usize] = tag;
                            pc += 1;
                            if !self.siblings.is_empty() {
                                st.stack.top.pc = pc as u32;
                                return Ok(());
                            }
                            continue;
                        }
                    }
                    if let Value::Int(c) = get!(*cond) {
                        set!(dst, if c & 1 == 1 { get!(*a) } else { get!(*b) });
                    }
                }
                Inst::Overflow { op, w, dst, a, b } => {
                    if let (Value::Int(x), Value::Int(y)) = (get!(*a), get!(*b))
                        && let Some((r, o)) = concrete::overflow(*op, *w, x, y)
                    {
                        st.stack.top.slots[dst.0 as usize + 1] = Value::Int(o as u64);
                        set!(dst, Value::Int(r));
                    }
                }
                Inst::PtrAdd {
                    w,
                    dst,
                    base,
                    index,
                    scale,
                } => {
                    if let Value::Int(i) = get!(*index) {
                        let offset =
                            word_sign_extend(i, (*w).into()).wrapping_mul(*scale as i64) as u64;
                        match get!(*base) {
                            Value::Ptr(o, at) => set!(dst, Value::Ptr(o, at.wrapping_add(offset))),
                            Value::Int(at) => set!(dst, Value::Int(at.wrapping_add(offset))),
                            _ => {}
                        }
                    }
                }
                Inst::Load {
                    w,
                    align_log2,
                    dst,
                    ptr,
                    defined,
                    ..
                } => {
                    if !WATCHED
                        && let Value::Ptr(o, at) = get!(*ptr)
                        && matches!(*w, 8 | 16 | 32 | 64)
                        && let Some(v) = st.memory.load_fast(o, at, *w as u32 / 8, *align_log2)
                        && !matches!(v, Value::Expr(e) if self.pool.has_uninit(e))
                        && !(*defined && v == Value::Undef)
                    {
                        self.outcomes.stats.memory.records.map_reads += 1;
                        set!(dst, v);
                    }
                }
                Inst::Store {
                    w,
                    align_log2,
                    ptr,
                    value,
                    ..
                } => {
                    if !WATCHED
                        && let Value::Ptr(o, at) = get!(*ptr)
                        && matches!(*w, 8 | 16 | 32 | 64)
                        && st
                            .memory
                            .store_fast(o, at, *w as u32 / 8, *align_log2, get!(*value))
                    {
                        self.outcomes.stats.memory.records.map_writes += 1;
                        pc += 1;
                        continue;
                    }
                }
                Inst::ThreadLocal { dst, a } if st.threads.is_none() => set!(dst, get!(*a)),
                Inst::Fence { .. } if st.threads.is_none() => {
                    pc += 1;
                    continue;
                }
                Inst::Pause => {
                    pc += 1;
                    if st.threads.is_some() {
                        self.entered.reach(marks, pc - 1);
                        st.stack.top.pc = pc as u32;
                        self.pass_turn(st);
                        return Err(Stop::Jumped);
                    }
                    continue;
                }
                Inst::CheckDemand { cond, .. } => {
                    if let Value::Int(1) = get!(*cond) {
                        pc += 1;
                        continue;
                    }
                }
                Inst::CheckRange { w, a, low, high } => {
                    if let (Value::Int(a), Value::Int(low), Value::Int(high)) =
                        (get!(*a), get!(*low), get!(*high))
                        && concrete::is_within(*w, a, low, high)
                    {
                        pc += 1;
                        continue;
                    }
                }
                Inst::CheckDefined { a, .. } => {
                    if let Value::Int(_) | Value::Ptr(..) = get!(*a) {
                        pc += 1;
                        continue;
                    }
                }
                Inst::CheckReference {
                    align_log2,
                    ptr,
                    bytes,
                    ..
                } => {
                    if let (Value::Ptr(o, at), Value::Int(bytes)) = (get!(*ptr), get!(*bytes))
                        && st.memory.is_referable(o, at, bytes, *align_log2)
                    {
                        pc += 1;
                        continue;
                    }
                }
                Inst::CheckInBounds { base, ptr } => {
                    if let (Value::Ptr(from, start), Value::Ptr(to, end)) =
                        (get!(*base), get!(*ptr))
                        && from == to
                        && st.memory.is_referable(to, start, 0, 0)
                        && st.memory.is_referable(to, end, 0, 0)
                    {
                        pc += 1;
                        continue;
                    }
                }
                Inst::Br { edge } => jump!(*edge),
                Inst::CondBr { cond, then, other } => {
                    if let Value::Int(c) = get!(*cond) {
                        jump!(if c & 1 == 1 { *then } else { *other });
                    }
                }
                Inst::Switch { value, table, .. } => {
                    if let Value::Int(v) = get!(*value) {
                        let t = &body.switches[*table as usize];
                        let edge = t
                            .cases
                            .iter()
                            .find(|c| c.0 == v as u128)
                            .map_or(t.default, |c| c.1);
                        jump!(edge);
                    }
                }
                Inst::Call { site } => {
                    self.entered.reach(marks, pc);
                    st.stack.top.pc = pc as u32;
                    self.profile(|profiler, program, asked| profiler.arrive(program, st, asked));
                    return self
                        .call(st, &body.calls[*site as usize], consts)
                        .map(|()| unreachable!());
                }
                Inst::Ret { first, count } => {
                    self.entered.reach(marks, pc);
                    st.stack.top.pc = pc as u32;
                    let values: smallvec::SmallVec<[Value; 4]> = body.operands
                        [*first as usize..(*first + *count) as usize]
                        .iter()
                        .map(|op| get!(*op))
                        .collect();
                    if TAGGED {
                        let range = *first as usize..(*first + *count) as usize;
                        let tags = body.operands[range].iter();
                        self.tags.results = tags.map(|op| tag_of(st, consts, *op)).collect();
                    }
                    return self.ret(st, &values);
                }
                Inst::Resume {
                    exception,
                    selector,
                } => {
                    self.entered.reach(marks, pc);
                    st.stack.top.pc = pc as u32;
                    let (e, s) = (get!(*exception), get!(*selector));
                    return self.resume(st, e, s);
                }
                Inst::LandingPad { dst, pad } => {
                    self.landing_pad(st, *pad, dst.0 as usize);
                    pc += 1;
                    continue;
                }
                Inst::Unreachable => {
                    self.entered.reach(marks, pc);
                    st.stack.top.pc = pc as u32;
                    return Err(crate::exec::path::end::Fault::new(
                        FindingKind::UnreachableReached,
                        "",
                    )
                    .into());
                }
                Inst::Unsupported { reason } => {
                    self.entered.reach(marks, pc);
                    st.stack.top.pc = pc as u32;
                    return Err(Unsupported::Operation(
                        self.program.reasons[*reason as usize].clone(),
                    )
                    .into());
                }
                _ => {}
            }
            // Whatever the fast path could not do.
            self.entered.reach(marks, pc);
            st.stack.top.pc = pc as u32;
            self.profile(|profiler, program, asked| profiler.arrive(program, st, asked));
            match self.slow(st, body, consts, &code[pc]) {
                Ok(()) => {
                    if TAGGED {
                        self.after_tagged(st, consts, &code[pc]);
                    }
                    pc += 1;
                }
                Err(Stop::Jumped) => {
                    // A loop may decide its symbolic condition without a fork for ever: it costs
                    // fuel like any other.
                    *fuel -= 1;
                    if *fuel == 0 {
                        return Ok(());
                    }
                    pc = st.stack.top.pc as usize;
                    if waits.at(pc) && self.siblings.is_empty() {
                        return Err(Stop::Joined);
                    }
                }
                Err(other) => return Err(other),
            }
            // Slow instructions cost more than jumps; limits are looked at the sooner.
            *fuel = fuel.saturating_sub(SLOW_FUEL).max(1);
            if !self.siblings.is_empty() || self.queries.has_expired() {
                st.stack.top.pc = pc as u32;
                return Ok(());
            }
        }
    }
}
