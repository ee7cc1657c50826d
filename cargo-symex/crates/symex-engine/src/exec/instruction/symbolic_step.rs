//! Execution of instructions that the fast path leaves: terms, pointers, undefined values, memory
//! with checks, and forks. One line per instruction here, the work in the functions below.

use crate::exec::Executor;
use crate::exec::instruction::concrete;
use crate::exec::instruction::symbolic;
use crate::exec::memory::globals;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, Res, Stop};
use crate::state::State;
use symex_memory::ObjectKind;
use symex_program::{Bin, Body, Cast, Cmp, FCmp, Inst, Operand, Ordering, Overflow, Slot, Un};
use symex_solver::Purpose;
use symex_terms::{ArrayKind, Expr, Kind, Value};
use symex_types::bits::word_mask;
use symex_types::outcome::{FindingKind, Unsupported};

/// Operands of one instruction.
struct Operands<'a> {
    consts: &'a [Value],
}

impl Operands<'_> {
    fn get(&self, st: &State, op: Operand) -> Value {
        match op.decode() {
            Ok(s) => st.stack.top.slots[s.0 as usize],
            Err(c) => self.consts[c as usize],
        }
    }
}

fn set(st: &mut State, dst: Slot, v: Value) -> Res<()> {
    st.stack.top.slots[dst.0 as usize] = v;
    Ok(())
}

impl<'a> Executor<'a> {
    /// Executes an instruction of the innermost frame without the fast path.
    pub(in crate::exec) fn slow(
        &mut self,
        st: &mut State,
        body: &'a Body,
        consts: &[Value],
        inst: &Inst,
    ) -> Res<()> {
        let o = Operands { consts };
        match *inst {
            Inst::Move { dst, a } => set(st, dst, o.get(st, a)),
            Inst::Bin { op, w, dst, a, b } => {
                let v = self.bin(st, op, w, o.get(st, a), o.get(st, b))?;
                set(st, dst, v)
            }
            Inst::Un { op, w, dst, a } => {
                let v = self.un(st, op, w, o.get(st, a));
                let v = self.search_place(st, op, v)?;
                set(st, dst, v)
            }
            Inst::Cmp { op, w, dst, a, b } => {
                let v = self.cmp(st, op, w, o.get(st, a), o.get(st, b));
                set(st, dst, v)
            }
            Inst::FCmp { op, w, dst, a, b } => {
                let v = self.fcmp(st, op, w, o.get(st, a), o.get(st, b));
                set(st, dst, v)
            }
            Inst::Cast {
                op,
                from,
                to,
                dst,
                a,
            } => {
                let v = self.cast(st, op, from, to, o.get(st, a));
                set(st, dst, v)
            }
            Inst::Select { w, dst, cond, a, b } => {
                let v = self.select(st, w, o.get(st, cond), o.get(st, a), o.get(st, b))?;
                set(st, dst, v)
            }
            Inst::FunnelShift {
                left,
                w,
                dst,
                a,
                b,
                c,
            } => {
                let values = [a, b, c].map(|x| o.get(st, x));
                if let [Value::Int(a), Value::Int(b), Value::Int(c)] = values {
                    return set(st, dst, Value::Int(concrete::funnel(left, w, a, b, c)));
                }
                let [a, b, c] = values.map(|x| self.term(st, x, w as u32));
                let e = symbolic::funnel(&mut self.pool, left, a, b, c);
                set(st, dst, self.pool.value(e))
            }
            Inst::Fma { w, dst, a, b, c } => {
                let [a, b, c] = [a, b, c].map(|x| o.get(st, x));
                let [a, b, c] = [a, b, c].map(|x| self.term(st, x, w as u32));
                let e = self.pool.fma(a, b, c);
                set(st, dst, self.pool.value(e))
            }
            Inst::Overflow { op, w, dst, a, b } => {
                self.overflow(st, op, w, dst, o.get(st, a), o.get(st, b))
            }
            Inst::ThreeWay {
                signed,
                w,
                to,
                dst,
                a,
                b,
            } => {
                let (a, b) = self.terms(st, w, o.get(st, a), o.get(st, b));
                let e = symbolic::three_way(&mut self.pool, signed, to, a, b);
                set(st, dst, self.pool.value(e))
            }
            Inst::FClass { w, dst, a, mask } => {
                let a = self.term(st, o.get(st, a), w as u32);
                let e = symbolic::fclass(&mut self.pool, a, mask);
                set(st, dst, self.pool.value(e))
            }
            Inst::Extract { w, to, lo, dst, a } => {
                let v = self.extract(st, w, to, lo, o.get(st, a));
                set(st, dst, v)
            }
            Inst::Concat {
                whi,
                wlo,
                dst,
                hi,
                lo,
            } => {
                let v = self.concat(st, whi, wlo, o.get(st, hi), o.get(st, lo));
                set(st, dst, v)
            }
            Inst::Freeze { dst, a, .. } => match o.get(st, a) {
                Value::Undef => set(st, dst, Value::Int(0)),
                v => set(st, dst, v),
            },
            Inst::PtrAdd {
                w,
                dst,
                base,
                index,
                scale,
            } => {
                let v = self.ptr_add(st, w, o.get(st, base), o.get(st, index), scale);
                set(st, dst, v)
            }
            Inst::Alloca {
                dst,
                size,
                align_log2,
                count,
                scoped,
            } => {
                let extent = self.local_extent(st, size as u64, o.get(st, count), scoped)?;
                // Those of variable length may be in a loop, whose turns each free theirs.
                if !scoped && count.decode().is_err() {
                    st.stack.top.bytes += extent.most;
                }
                let object = self.allocate_stack(st, extent, align_log2);
                if scoped {
                    st.memory.set_out_of_scope(object, true);
                }
                st.stack.top.allocas.push(object);
                set(st, dst, Value::Ptr(object, 0))
            }
            Inst::Load {
                w,
                align_log2,
                defined,
                order,
                dst,
                ptr,
            } => {
                let (ptr, w) = (o.get(st, ptr), w as u32);
                let v = match order {
                    Ordering::Plain => self.load(st, ptr, w, align_log2)?,
                    order => self
                        .seen_by_others(st, order, false, |m, st| m.load(st, ptr, w, align_log2))?,
                };
                let v = match defined {
                    true => self.defined(st, v)?,
                    false => v,
                };
                set(st, dst, v)
            }
            Inst::Store {
                w,
                align_log2,
                order,
                ptr,
                value,
            } => {
                let (ptr, value, w) = (o.get(st, ptr), o.get(st, value), w as u32);
                match order {
                    Ordering::Plain => self.store(st, ptr, w, align_log2, value),
                    order => self.seen_by_others(st, order, false, |m, st| {
                        m.store(st, ptr, w, align_log2, value)
                    }),
                }
            }
            Inst::MemCpy { dst, src, len } => {
                self.copy(st, o.get(st, dst), o.get(st, src), o.get(st, len), false)
            }
            Inst::MemMove { dst, src, len } => {
                self.copy(st, o.get(st, dst), o.get(st, src), o.get(st, len), true)
            }
            Inst::MemSet { dst, value, len } => {
                self.fill(st, o.get(st, dst), o.get(st, value), o.get(st, len))
            }
            Inst::AtomicRmw {
                op,
                w,
                order,
                dst,
                ptr,
                value,
            } => {
                let (ptr, value) = (o.get(st, ptr), o.get(st, value));
                let old =
                    self.seen_by_others(st, order, true, |m, st| m.rmw(st, op, w, ptr, value))?;
                set(st, dst, old)
            }
            Inst::CmpXchg {
                w,
                orders: [order, failure],
                dst,
                ptr,
                expected,
                new,
            } => {
                let (ptr, expected, new) = (o.get(st, ptr), o.get(st, expected), o.get(st, new));
                self.check_exchangeable(st, ptr)?;
                self.seen_by_others(st, failure, true, |m, st| {
                    m.compare_exchange(st, (w, order), dst, ptr, expected, new)
                })
            }
            Inst::Fence { order } => {
                self.fence(st, order);
                Ok(())
            }
            Inst::ThreadLocal { dst, a } => {
                let v = self.thread_local(st, o.get(st, a));
                set(st, dst, v)
            }
            Inst::LoadRelative { dst, base, offset } => {
                let v = self.load_relative(st, o.get(st, base), o.get(st, offset))?;
                set(st, dst, v)
            }
            Inst::Assume { cond } => self.promised(st, o.get(st, cond)),
            Inst::CheckDemand { cond, demand } => self.check_demand(st, o.get(st, cond), demand),
            Inst::CheckRange { w, a, low, high } => {
                let bounds = [low, high].map(|bound| o.get(st, bound));
                self.check_within(st, w, o.get(st, a), bounds)
            }
            Inst::CheckDefined { a, .. } => {
                let v = self.defined(st, o.get(st, a))?;
                match a.decode() {
                    Ok(slot) => set(st, slot, v),
                    Err(_) => Ok(()),
                }
            }
            Inst::CheckReference {
                align_log2,
                nullable,
                ptr,
                bytes,
            } => {
                let (ptr, bytes) = (o.get(st, ptr), o.get(st, bytes));
                self.check_reference(st, ptr, bytes, align_log2, nullable)
            }
            Inst::CheckInBounds { base, ptr } => {
                self.check_in_bounds(st, o.get(st, base), o.get(st, ptr))
            }
            Inst::Lifetime { ptr, start } => {
                if let Value::Ptr(id, 0) = o.get(st, ptr)
                    && st.memory.is_live(id)
                    && st.memory.object(id).kind == ObjectKind::Stack
                {
                    self.check_race_of_scope(st, id, start)?;
                    let size = st.memory.object(id).size;
                    self.count_scope(st, id, start)?;
                    st.memory.fill(&mut self.pool, id, 0, size, Value::Undef);
                    st.memory.set_out_of_scope(id, !start);
                }
                Ok(())
            }
            // Stack objects end with their frame; ending them earlier would only lose reports of
            // dangling pointers into a loop's variable-length arrays.
            Inst::StackSave { dst } => set(st, dst, Value::Int(0)),
            Inst::StackRestore { .. } => Ok(()),
            Inst::VaStart { list } => self.va_start(st, o.get(st, list)),
            Inst::VaEnd { .. } => Ok(()),
            Inst::VaCopy { dst, src } => {
                let (dst, src) = (o.get(st, dst), o.get(st, src));
                self.copy(st, dst, src, Value::Int(24), true)
            }
            Inst::VaArg { .. } => {
                Err(Unsupported::Operation("LLVM's va_arg instruction".into()).into())
            }
            Inst::ObjectSize { w, dst, min, .. } => set(
                st,
                dst,
                Value::Int(if min { 0 } else { word_mask(w.into()) }),
            ),
            Inst::CondBr { cond, then, other } => self.branch(st, o.get(st, cond), then, other),
            Inst::Switch { w, value, table } => self.switch(st, body, w, o.get(st, value), table),
            Inst::IndirectBr { target, table } => self.indirect(st, body, o.get(st, target), table),
            Inst::Call { .. }
            | Inst::Pause
            | Inst::LandingPad { .. }
            | Inst::Br { .. }
            | Inst::Ret { .. }
            | Inst::Resume { .. }
            | Inst::Unreachable
            | Inst::Unsupported { .. } => unreachable!("the loop does these itself"),
        }
    }

    pub(super) fn terms(&mut self, st: &State, w: u8, a: Value, b: Value) -> (Expr, Expr) {
        (self.term(st, a, w as u32), self.term(st, b, w as u32))
    }

    /// Computes a binary operator.
    pub(super) fn bin(&mut self, st: &mut State, op: Bin, w: u8, a: Value, b: Value) -> Res<Value> {
        use Value::*;
        match (op, a, b) {
            (Bin::Add, Ptr(o, x), Int(y)) | (Bin::Add, Int(y), Ptr(o, x)) => {
                return Ok(Ptr(o, x.wrapping_add(y)));
            }
            (Bin::Sub, Ptr(o, x), Int(y)) => return Ok(Ptr(o, x.wrapping_sub(y))),
            (Bin::Sub, Ptr(o, x), Ptr(q, y)) if o == q => return Ok(Int(x.wrapping_sub(y))),
            (_, Undef, Undef) => return Ok(Undef),
            (Bin::Shl | Bin::LShr | Bin::AShr, _, Int(s)) if s >= w as u64 => return Ok(Undef),
            _ => {}
        }
        let (x, mut y) = self.terms(st, w, a, b);
        if matches!(op, Bin::UDiv | Bin::SDiv | Bin::URem | Bin::SRem) {
            y = self.pin_divisor(st, x, y)?;
            let zero = self.pool.constant(w as u32, 0);
            let fine = self.pool.ne(y, zero);
            self.require(st, fine, || Fault::new(FindingKind::DivisionByZero, ""))?;
            if matches!(op, Bin::SDiv | Bin::SRem) {
                let min = self.pool.constant(w as u32, 1 << (w - 1));
                let minus_one = self.pool.constant(w as u32, u128::MAX);
                let (p, q) = (self.pool.ne(x, min), self.pool.ne(y, minus_one));
                let fine = self.pool.or(p, q);
                self.require(st, fine, || {
                    Fault::new(
                        FindingKind::Undefined,
                        "division of the smallest integer by -1",
                    )
                })?;
            }
        }
        let e = symbolic::bin(&mut self.pool, op, x, y);
        let e = self.distance_seen_blindly(st, e);
        Ok(self.pool.value(e))
    }

    /// Forks a path per value of a divisor that is one of a few constants (a power of ten from a
    /// table, say). Division by a constant is far easier for a solver than by an if-then-else of
    /// constants.
    fn pin_divisor(&mut self, st: &mut State, dividend: Expr, divisor: Expr) -> Res<Expr> {
        const FEW: usize = 64;
        let hard = self.pool.width(divisor) > 16 && self.pool.as_const(dividend).is_none();
        let mut left = FEW;
        if !hard
            || self.pool.as_const(divisor).is_some()
            || !self.is_choice_of_constants(divisor, &mut left)
        {
            return Ok(divisor);
        }
        let v = self.pool.eval(divisor, &st.assignment, &st.memory);
        let pinned = self.pool.constant(self.pool.width(divisor), v);
        let same = self.pool.eq(divisor, pinned);
        let here = self.split(st, same, Purpose::Value)?;
        debug_assert!(here, "the path's own assignment gives this value");
        Ok(pinned)
    }

    /// Reports whether the term is an `ite` or a table over constants, at most `left` of them.
    fn is_choice_of_constants(&self, e: Expr, left: &mut usize) -> bool {
        match self.pool.kind(e) {
            Kind::Const(_) => {
                *left = left.saturating_sub(1);
                *left > 0
            }
            Kind::ZExt(a) | Kind::SExt(a) | Kind::Extract { of: a, .. } => {
                self.is_choice_of_constants(a, left)
            }
            Kind::Ite { then, other, .. } => {
                self.is_choice_of_constants(then, left) && self.is_choice_of_constants(other, left)
            }
            Kind::Concat { hi, lo } => {
                self.is_choice_of_constants(hi, left) && self.is_choice_of_constants(lo, left)
            }
            Kind::Select { array, .. } => match self.pool.array_kind(array) {
                ArrayKind::Table(t) => {
                    t.len() <= *left && t.iter().all(|e| self.pool.as_const(*e).is_some())
                }
                ArrayKind::Store { .. } => false,
            },
            _ => false,
        }
    }

    fn un(&mut self, st: &State, op: Un, w: u8, a: Value) -> Value {
        if a == Value::Undef {
            return Value::Undef;
        }
        let a = self.term(st, a, w as u32);
        let e = symbolic::un(&mut self.pool, op, a);
        self.pool.value(e)
    }

    /// Compares words or pointers. Addresses of different live objects are never equal; their order
    /// is that of their placement.
    pub(in crate::exec) fn cmp(
        &mut self,
        st: &mut State,
        op: Cmp,
        w: u8,
        a: Value,
        b: Value,
    ) -> Value {
        use Value::*;
        if a == Undef && b == Undef {
            return Undef;
        }
        match (a, b) {
            (Ptr(o, x), Ptr(q, y)) if o == q && matches!(op, Cmp::Eq | Cmp::Ne) => {
                return Int(concrete::cmp(op, 64, x, y) as u64);
            }
            (Ptr(..), Ptr(..)) | (Ptr(..), Int(_)) | (Int(_), Ptr(..)) => {
                let (x, y) = (self.numeric(st, a), self.numeric(st, b));
                let r = concrete::cmp(op, 64, x, y);
                // Null, and everything near it, is below and unequal to every object wherever it is
                // placed.
                let near_null = |v: &Value| matches!(v, Int(i) if *i < 4096);
                let same_object = matches!((a, b), (Ptr(o, _), Ptr(q, _)) if o == q);
                let unequal_objects = matches!(op, Cmp::Eq | Cmp::Ne)
                    && matches!((a, b), (Ptr(..), Ptr(..)))
                    && self.inside(st, a)
                    && self.inside(st, b);
                if !(near_null(&a) || near_null(&b) || same_object || unequal_objects) {
                    if self.explores_placements(st) {
                        let (x, y) = self.terms(st, w, a, b);
                        let e = symbolic::cmp(&mut self.pool, op, x, y);
                        return self.pool.value(e);
                    }
                    self.note_address(st);
                }
                return Int(r as u64);
            }
            _ => {}
        }
        let (x, y) = self.terms(st, w, a, b);
        let e = symbolic::cmp(&mut self.pool, op, x, y);
        self.pool.value(e)
    }

    fn numeric(&self, st: &State, v: Value) -> u64 {
        match v {
            Value::Ptr(o, at) => st.memory.object(o).address.wrapping_add(at),
            Value::Int(v) => v,
            _ => unreachable!("only concrete pointers and words have a number"),
        }
    }

    /// Reports whether a value is a pointer into (or one past) a live object.
    fn inside(&self, st: &State, v: Value) -> bool {
        match v {
            Value::Ptr(o, at) => st.memory.is_live(o) && at <= st.memory.sure_size(o),
            _ => false,
        }
    }

    fn fcmp(&mut self, st: &State, op: FCmp, w: u8, a: Value, b: Value) -> Value {
        if let (Value::Int(x), Value::Int(y)) = (a, b)
            && let Some(r) = concrete::fcmp(op, w, x, y)
        {
            return Value::Int(r as u64);
        }
        let (x, y) = self.terms(st, w, a, b);
        let e = symbolic::fcmp(&mut self.pool, op, x, y);
        self.pool.value(e)
    }

    fn cast(&mut self, st: &State, op: Cast, from: u8, to: u8, a: Value) -> Value {
        match (op, a) {
            // The bits that these add are known, or copies; only the others are undefined.
            (Cast::ZExt | Cast::SExt, Value::Undef) => {}
            (_, Value::Undef) => return Value::Undef,
            // Out of range: poison.
            (Cast::FToUInt | Cast::FToSInt, Value::Int(_)) if from >= 32 && to <= 64 => {
                return Value::Undef;
            }
            _ => {}
        }
        let a = self.term(st, a, from as u32);
        let e = symbolic::cast(&mut self.pool, op, to, a);
        self.pool.value(e)
    }

    fn select(&mut self, st: &mut State, w: u8, cond: Value, a: Value, b: Value) -> Res<Value> {
        if a == b {
            return Ok(a);
        }
        let cond = self.term(st, cond, 1);
        if let Some(c) = self.pool.as_const(cond) {
            return Ok(if c == 1 { a } else { b });
        }
        let (x, y) = self.terms(st, w, a, b);
        let e = self.pool.ite(cond, x, y);
        Ok(self.pool.value(e))
    }

    fn overflow(
        &mut self,
        st: &mut State,
        op: Overflow,
        w: u8,
        dst: Slot,
        a: Value,
        b: Value,
    ) -> Res<()> {
        let (x, y) = self.terms(st, w, a, b);
        let (r, o) = symbolic::overflow(&mut self.pool, op, x, y);
        let (r, o) = (self.pool.value(r), self.pool.value(o));
        st.stack.top.slots[dst.0 as usize + 1] = o;
        set(st, dst, r)
    }

    fn extract(&mut self, st: &State, w: u8, to: u8, lo: u8, a: Value) -> Value {
        match a {
            Value::Undef => Value::Undef,
            Value::Int(v) if w <= 64 => Value::Int(v >> lo & word_mask(to.into())),
            a => {
                let a = self.term(st, a, w as u32);
                let e = self.pool.extract(a, lo as u32, to as u32);
                self.pool.value(e)
            }
        }
    }

    fn concat(&mut self, st: &State, whi: u8, wlo: u8, hi: Value, lo: Value) -> Value {
        match (hi, lo) {
            (Value::Undef, Value::Undef) => Value::Undef,
            (Value::Int(h), Value::Int(l)) if whi as u32 + wlo as u32 <= 64 => {
                Value::Int(h << wlo | l)
            }
            _ => {
                let (h, l) = (self.term(st, hi, whi as u32), self.term(st, lo, wlo as u32));
                let e = self.pool.concat(h, l);
                self.pool.value(e)
            }
        }
    }

    fn ptr_add(&mut self, st: &State, w: u8, base: Value, index: Value, scale: i32) -> Value {
        if base == Value::Undef || index == Value::Undef {
            return Value::Undef;
        }
        let (base, index) = (self.term(st, base, 64), self.term(st, index, w as u32));
        let index = if w < 64 {
            self.pool.sext(index, 64)
        } else {
            self.pool.extract(index, 0, 64)
        };
        let scale = self.pool.constant(64, scale as i64 as u64 as u128);
        let offset = self.pool.bin(symex_terms::BinOp::Mul, index, scale);
        let e = self.pool.add(base, offset);
        self.pool.value(e)
    }

    /// Loads an entry of a relative look-up table, taken from the program's own description of the
    /// global: the difference of two symbolic bases must not become a number on its way back to a
    /// pointer.
    fn load_relative(&mut self, st: &mut State, base: Value, offset: Value) -> Res<Value> {
        let offset = self.concretise(st, offset, 64)?;
        if let Value::Ptr(o, at) = base
            && let Some(g) = globals::global_of_object(self.program, o)
            && let Some(init) = &self.program.global(g).init
        {
            let entry = at.wrapping_add(offset);
            if let Ok(i) = init.relocs.binary_search_by_key(&entry, |r| r.offset) {
                let r = &init.relocs[i];
                if let Some((symex_program::RelocTarget::Global(m), minus)) = r.minus
                    && m == g
                {
                    // target + addend - (table + minus) + (table + at)
                    let target = match r.target {
                        symex_program::RelocTarget::Global(t) => globals::object_of_global(t),
                        symex_program::RelocTarget::Function(f) => {
                            globals::object_of_function(self.program, f)
                        }
                        symex_program::RelocTarget::Block(..) => {
                            return Err(Unsupported::Operation(
                                "a relative table of labels".into(),
                            )
                            .into());
                        }
                    };
                    return Ok(Value::Ptr(
                        target,
                        r.addend.wrapping_sub(minus).wrapping_add(at),
                    ));
                }
            }
        }
        let from = self.offset_pointer(st, base, offset);
        let relative = self.load(st, from, 32, 0)?;
        Ok(self.ptr_add(st, 32, base, relative, 1))
    }

    fn promised(&mut self, st: &mut State, cond: Value) -> Res<()> {
        match cond {
            Value::Int(v) if v & 1 == 1 => Ok(()),
            Value::Undef => Ok(()),
            other => {
                let e = self.term(st, other, 1);
                self.require(st, e, || Fault::new(FindingKind::InvalidAssume, ""))
            }
        }
    }

    fn va_start(&mut self, st: &mut State, list: Value) -> Res<()> {
        // The x86-64 va_list: gp_offset and fp_offset past the register area, so that every
        // argument comes from the overflow area, which holds them in order.
        let args = st.stack.top.varargs.clone();
        let size = args.iter().map(|a| a.end().next_multiple_of(8)).max();
        let area = self.allocate_stack(st, Extent::known(size.unwrap_or(0).max(8)), 6);
        st.stack.top.allocas.push(area);
        for arg in args.iter() {
            match (arg.size, arg.value) {
                (Some(size), Value::Ptr(copy, 0)) => {
                    st.memory
                        .copy(&mut self.pool, (area, arg.at), (copy, 0), size);
                }
                _ => st
                    .memory
                    .store(&mut self.pool, area, arg.at, arg.width, arg.value),
            }
        }
        self.store(st, list, 32, 0, Value::Int(48))?;
        let fp = self.offset_pointer(st, list, 4);
        self.store(st, fp, 32, 0, Value::Int(176))?;
        let overflow = self.offset_pointer(st, list, 8);
        self.store(st, overflow, 64, 0, Value::Ptr(area, 0))?;
        let save = self.offset_pointer(st, list, 16);
        self.store(st, save, 64, 0, Value::Ptr(area, 0))
    }

    fn branch(&mut self, st: &mut State, cond: Value, then: u32, other: u32) -> Res<()> {
        if cond == Value::Undef {
            return Err(Fault::new(
                FindingKind::UninitUse,
                "a branch depends on an undefined value",
            )
            .into());
        }
        let e = self.term(st, cond, 1);
        let d = self.decide_branch(st, e)?;
        if let Some(mut sibling) = d.other {
            self.prepare_edge(&mut sibling, if d.here { other } else { then });
            self.siblings.push(sibling);
        }
        self.take_edge(st, if d.here { then } else { other });
        Err(Stop::Jumped)
    }

    fn switch(
        &mut self,
        st: &mut State,
        body: &'a Body,
        w: u8,
        value: Value,
        table: u32,
    ) -> Res<()> {
        if value == Value::Undef {
            return Err(Fault::new(
                FindingKind::UninitUse,
                "a branch depends on an undefined value",
            )
            .into());
        }
        let v = self.term(st, value, w as u32);
        let t = &body.switches[table as usize];
        // Cases that lead to one place are one decision.
        let mut groups: Vec<(u32, Expr)> = Vec::new();
        for (case, edge) in &t.cases {
            let c = self.pool.constant(w as u32, *case);
            let here = self.pool.eq(v, c);
            let same = groups.iter().position(|g| {
                let (x, y) = (&body.edges[g.0 as usize], &body.edges[*edge as usize]);
                x.target == y.target && body.moves_of(x) == body.moves_of(y)
            });
            match same {
                Some(i) => groups[i].1 = self.pool.or(groups[i].1, here),
                None => groups.push((*edge, here)),
            }
        }
        // The state keeps the side its assignment takes; each other feasible side becomes a
        // sibling.
        for (edge, here) in groups {
            let d = self.decide_branch(st, here)?;
            if d.here {
                if let Some(sibling) = d.other {
                    // It goes through the remaining cases when it executes the switch again.
                    self.siblings.push(sibling);
                }
                self.take_edge(st, edge);
                return Err(Stop::Jumped);
            }
            if let Some(mut sibling) = d.other {
                self.prepare_edge(&mut sibling, edge);
                self.siblings.push(sibling);
            }
        }
        self.take_edge(st, t.default);
        Err(Stop::Jumped)
    }

    fn indirect(&mut self, st: &mut State, body: &'a Body, target: Value, table: u32) -> Res<()> {
        let mut place = self.resolve(st, target)?;
        if let crate::exec::memory::resolve::ResolvedPointer::Object(o, offset) = place {
            // One path per label.
            place = crate::exec::memory::resolve::ResolvedPointer::Object(
                o,
                Value::Int(self.concretise(st, offset, 64)?),
            );
        }
        if let crate::exec::memory::resolve::ResolvedPointer::Object(o, Value::Int(at)) = place
            && globals::function_of_object(self.program, o) == Some(st.stack.top.function)
            && let Some((_, edge)) = body.indirect[table as usize]
                .iter()
                .find(|t| t.0 as u64 + crate::exec::call::enter::FIRST_BLOCK_OFFSET == at)
        {
            self.take_edge(st, *edge);
            return Err(Stop::Jumped);
        }
        Err(Fault::new(
            FindingKind::InvalidCall,
            "a jump to an address that is no label",
        )
        .into())
    }
}
