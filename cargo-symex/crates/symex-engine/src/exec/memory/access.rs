//! Memory accesses: resolution of the pointer, checks of liveness, bounds and alignment, and the
//! transfer of bytes.

use crate::exec::Executor;
use crate::exec::memory::bulk::{ByteCount, overlapping};
use crate::exec::memory::resolve::{ResolvedPointer, Targets};
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::{Message, MessagePiece, count_of_bytes, message};
use crate::state::State;
use smallvec::SmallVec;
use symex_memory::model::Use;
use symex_memory::{Checked, ObjectKind, SymbolicLoad};
use symex_solver::Purpose;
use symex_terms::{Expr, ObjectId, Value, Width};
use symex_types::outcome::{FindingKind, Unsupported};

/// Bound below which addresses are null pointers with an offset.
const NULL_PAGE: u64 = 4096;

/// Size in bytes up to which copies at a symbolic offset go piece by piece; longer ones fork a path
/// per offset.
const MAX_PIECEWISE: u64 = 64;

impl ResolvedPointer {
    /// Converts a place that passed its checks to an access.
    ///
    /// # Panics
    ///
    /// If the place is in no object: such a place passes no check.
    pub(in crate::exec) fn checked(self) -> Checked {
        match self {
            ResolvedPointer::Object(object, offset) => Checked::new(object, offset),
            ResolvedPointer::Nowhere(address) => unreachable!("{address:#x} passed the checks"),
        }
    }
}

/// Condition for an access (`None`: it never holds), and the fault if it does not hold.
pub(in crate::exec) type AccessCondition = (Option<Expr>, Fault);

/// Direction of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    Write,
    /// A reference is made, and nothing accessed.
    Refer,
}

impl Access {
    pub(in crate::exec) fn word(self) -> &'static str {
        match self {
            Access::Read => "read of",
            Access::Write => "write of",
            Access::Refer => "reference to",
        }
    }

    /// The fault of an access that fails in a way of its kind. References that lead nowhere have a
    /// kind of their own.
    pub(in crate::exec) fn fault(self, kind: FindingKind, message: impl Into<Message>) -> Fault {
        let kind = match (self, kind) {
            (Access::Refer, FindingKind::NullAccess) => FindingKind::InvalidValue,
            (Access::Refer, FindingKind::Misaligned) => FindingKind::Misaligned,
            (Access::Refer, _) => FindingKind::DanglingReference,
            (Access::Read | Access::Write, kind) => kind,
        };
        Fault::new(kind, message)
    }
}

impl Executor<'_> {
    /// Resolves a pointer and checks that `size` bytes may be accessed through it.
    pub fn check_access(
        &mut self,
        st: &mut State,
        ptr: Value,
        size: u64,
        align_log2: u8,
        access: Access,
    ) -> Res<Checked> {
        let place = self.resolve(st, ptr)?;
        let place = self.determined(st, place, (size, align_log2))?;
        self.check_place(st, place, size, align_log2, access)
    }

    /// Resolves and checks as [`Self::check_access`] does, for `size` bytes that are moved.
    fn check_element(
        &mut self,
        st: &mut State,
        ptr: Value,
        size: u64,
        access: Access,
    ) -> Res<Checked> {
        let place = self.resolve(st, ptr)?;
        let place = self.determined(st, place, (size, 0))?;
        let place = self.determined_element(st, place, size)?;
        self.check_place(st, place, size, 0, access)
    }

    /// Checks that `size` bytes of a place may be accessed.
    pub(in crate::exec) fn check_place(
        &mut self,
        st: &mut State,
        place: ResolvedPointer,
        size: u64,
        align_log2: u8,
        access: Access,
    ) -> Res<Checked> {
        let always = self.pool.bool(true);
        self.require_where(st, always, place, size, align_log2, access)?;
        if let ResolvedPointer::Object(object, Value::Int(offset)) = place {
            st.memory.learn_size(object, offset.saturating_add(size));
        }
        if st.borrows.is_some() {
            self.check_aliasing(st, place.checked(), size, access)?;
        }
        if st.threads.is_some() {
            self.check_race(st, place.checked(), size, access)?;
        }
        Ok(place.checked())
    }

    /// Checks that `size` bytes of a place may be accessed by the inputs for which `guard` holds.
    /// Faults end the paths on which they happen. Returns false if no such input is left.
    pub(in crate::exec) fn require_where(
        &mut self,
        st: &mut State,
        guard: Expr,
        place: ResolvedPointer,
        size: u64,
        align_log2: u8,
        access: Access,
    ) -> Res<bool> {
        let elsewhere = self.pool.not(guard);
        let mut possible = true;
        for (must, fault) in self.demands(st, place, size, align_log2, access) {
            possible &= must.is_some();
            let must = must.map_or(elsewhere, |must| self.pool.or(elsewhere, must));
            self.require(st, must, || fault)?;
        }
        Ok(possible)
    }

    /// Returns the fault of any access to a place, if there is one. The description of the size is
    /// made only then.
    pub(in crate::exec) fn barred(
        &self,
        st: &State,
        place: ResolvedPointer,
        size: impl Fn() -> Message,
        access: Access,
    ) -> Option<Fault> {
        let what = access.word();
        let object = match place {
            ResolvedPointer::Object(object, _) => object,
            ResolvedPointer::Nowhere(address) if address < NULL_PAGE => {
                let message = message![what, " ", size(), format!(" at address {address:#x}")];
                return Some(access.fault(FindingKind::NullAccess, message));
            }
            ResolvedPointer::Nowhere(address) => {
                let message = format!("address {address:#x} belongs to no object");
                return Some(access.fault(FindingKind::InvalidAccess, message));
            }
        };
        if !st.memory.is_live(object) {
            let ended = self.describe(st, object);
            let message = message![what, " ", size(), " of ", ended, ", which has ended"];
            return Some(access.fault(FindingKind::UseAfterFree, message).of(object));
        }
        if access != Access::Read && st.memory.is_out_of_scope(object) {
            let ended = self.describe(st, object);
            let message = message![what, " ", size(), " of ", ended, ", whose scope has ended"];
            return Some(access.fault(FindingKind::UseAfterFree, message).of(object));
        }
        let kind = st.memory.object(object).kind;
        if kind == ObjectKind::Function {
            let message = format!("{what} a function's code");
            return Some(access.fault(FindingKind::InvalidAccess, message));
        }
        if access == Access::Write && kind == ObjectKind::Constant {
            let message = message!["write to ", self.describe(st, object)];
            return Some(Fault::new(FindingKind::ReadOnlyWrite, message).of(object));
        }
        None
    }

    /// Returns the conditions for an access to `size` bytes of a place, each with the fault if it
    /// does not hold.
    pub(in crate::exec) fn demands(
        &mut self,
        st: &State,
        place: ResolvedPointer,
        size: u64,
        align_log2: u8,
        access: Access,
    ) -> SmallVec<[AccessCondition; 2]> {
        let mut demands = SmallVec::new();
        if let Some(fault) = self.barred(st, place, || count_of_bytes(size).into(), access) {
            demands.push((None, fault));
            return demands;
        }
        let ResolvedPointer::Object(object, offset) = place else {
            unreachable!("an address in no object is barred")
        };
        let what = access.word();
        let o = st.memory.object(object);
        let object_size = o.size;
        // What an object of symbolic size has for sure needs no asking.
        let length = o.length.map(|length| length.term);
        let sure = st.memory.sure_size(object);
        let out_of_bounds = |m: &Self, at: String| {
            let what = format!("{what} {} {at} of ", count_of_bytes(size));
            let message = message![what, m.describe(st, object)];
            access.fault(FindingKind::OutOfBounds, message).of(object)
        };
        match offset {
            Value::Int(offset) => {
                if offset > object_size || object_size - offset < size {
                    let fault = out_of_bounds(self, format!("at offset {}", offset as i64));
                    demands.push((None, fault));
                    return demands;
                }
                if let Some(length) = length
                    && offset + size > sure
                {
                    let fault = out_of_bounds(self, format!("at offset {offset}"));
                    let end = self.pool.constant(64, u128::from(offset + size));
                    demands.push((Some(self.pool.ule(end, length)), fault));
                }
                if !self.is_aligned(st, object, offset, align_log2) {
                    let fault = self.misaligned(st, object, access, size, align_log2);
                    demands.push((None, fault));
                }
            }
            _ => {
                let e = self.term(st, offset, 64);
                // The offset is another for each input, and the inputs are yet to be made small.
                let fault = out_of_bounds(self, "beyond the bounds".into());
                let inside = object_size.checked_sub(size).map(|last| match length {
                    None => {
                        let last = self.pool.constant(64, last as u128);
                        self.pool.ule(e, last)
                    }
                    Some(length) => {
                        let size = self.pool.constant(64, u128::from(size));
                        self.within(length, e, size)
                    }
                });
                demands.push((inside, fault));
                if align_log2 > 0 {
                    let aligned = self.alignment_condition(st, object, e, align_log2);
                    let fault = self.misaligned(st, object, access, size, align_log2);
                    demands.push((aligned, fault));
                }
            }
        }
        demands
    }

    /// Makes the condition that `size` bytes from an offset on lie in an object of this length. All
    /// are 64-bit terms.
    pub(in crate::exec) fn within(&mut self, length: Expr, offset: Expr, size: Expr) -> Expr {
        let fits = self.pool.ule(size, length);
        let last = self.pool.sub(length, size);
        let begins = self.pool.ule(offset, last);
        self.pool.and(fits, begins)
    }

    /// Reports whether a place at a constant offset is aligned: wherever the object may lie, or by
    /// its address if the path has looked at that.
    pub(in crate::exec) fn is_aligned(
        &mut self,
        st: &State,
        object: ObjectId,
        offset: u64,
        align_log2: u8,
    ) -> bool {
        if align_log2 > st.memory.object(object).align_log2 && st.memory.is_by_address(object) {
            // It may happen to lie at a multiple, or not.
            self.note_address_among_inputs(st);
        }
        st.memory.is_aligned(object, offset, align_log2)
    }

    /// Makes the condition that a place at an offset that depends on inputs is aligned; `None` if
    /// no offset is aligned wherever the object may lie.
    fn alignment_condition(
        &mut self,
        st: &State,
        object: ObjectId,
        offset: Expr,
        align_log2: u8,
    ) -> Option<Expr> {
        let o = st.memory.object(object);
        let width = u32::from(align_log2);
        let mut low = self.pool.extract(offset, 0, width);
        if o.align_log2 < align_log2 {
            if !st.memory.is_by_address(object) {
                return None;
            }
            self.note_address_among_inputs(st);
            let address = self
                .pool
                .constant(width, u128::from(o.address) & ((1 << width) - 1));
            low = self.pool.add(address, low);
        }
        let zero = self.pool.constant(width, 0);
        Some(self.pool.eq(low, zero))
    }

    fn misaligned(
        &self,
        st: &State,
        object: ObjectId,
        access: Access,
        size: u64,
        align_log2: u8,
    ) -> Fault {
        let what = format!("{} {}", access.word(), count_of_bytes(size));
        let message = self.unaligned(st, object, &what, align_log2);
        access.fault(FindingKind::Misaligned, message).of(object)
    }

    /// Makes the message that something in an object is not aligned.
    pub(in crate::exec) fn unaligned(
        &self,
        st: &State,
        object: ObjectId,
        what: &str,
        align_log2: u8,
    ) -> Message {
        let message = format!("{what} that must be aligned to {}", 1u64 << align_log2);
        let asked = st.memory.object(object).align_log2;
        match asked < align_log2 {
            true => {
                let aligned = format!(", which is aligned to {}", 1u64 << asked);
                message![message, ", in ", self.describe(st, object), aligned]
            }
            false => message.into(),
        }
    }

    /// Loads `width` bits.
    pub fn load(&mut self, st: &mut State, ptr: Value, width: Width, align_log2: u8) -> Res<Value> {
        let size = width.div_ceil(8) as u64;
        match self.resolve_for(st, ptr, Use::Load(size))? {
            Targets::One(place) => {
                let place = self.determined(st, place, (size, align_log2))?;
                let at = self.check_place(st, place, size, align_log2, Access::Read)?;
                let at = self.in_parts(st, at, size, Use::Load(size))?;
                Ok(self.load_checked(st, at, width))
            }
            Targets::All(several) => {
                self.note_unfollowed(st);
                self.note_race_unfollowed(st);
                self.load_any(st, &several, width, align_log2)
            }
        }
    }

    /// Loads through an access that has been checked.
    pub(in crate::exec) fn load_checked(
        &mut self,
        st: &mut State,
        at: Checked,
        width: Width,
    ) -> Value {
        if st.memory.has_records(at.object) {
            return self.load_recorded(st, at, width);
        }
        self.outcomes.stats.memory.records.map_reads += 1;
        let loaded = match at.offset {
            Value::Int(offset) => {
                let v = st.memory.load(&mut self.pool, at.object, offset, width);
                match v {
                    Value::Expr(e) if self.pool.has_uninit(e) => {
                        st.memory
                            .load_parts(&mut self.pool, at.object, offset, width)
                    }
                    v => return v,
                }
            }
            other => {
                self.keep_whole(st, at.object, u64::from(width.div_ceil(8)), false);
                let at = Checked {
                    offset: Value::Expr(self.term(st, other, 64)),
                    ..at
                };
                st.memory.load_symbolic_parts(&mut self.pool, at, width)
            }
        };
        self.written_or_exact(st, loaded)
    }

    /// Returns the loaded value: without the dependence on unwritten bytes if all of it was
    /// certainly written on this path.
    pub(in crate::exec) fn written_or_exact(
        &mut self,
        st: &mut State,
        loaded: SymbolicLoad,
    ) -> Value {
        match loaded.written {
            None => loaded.value,
            Some(written) => {
                let unwritten = self.pool.not(written);
                match self.satisfiable_or_exclude(st, unwritten, Purpose::Check) {
                    Some(_) => loaded.exact,
                    None => loaded.value,
                }
            }
        }
    }

    pub(in crate::exec) fn store_checked(
        &mut self,
        st: &mut State,
        at: Checked,
        width: Width,
        value: Value,
    ) {
        let known = matches!(at.offset, Value::Int(_));
        if st.memory.keeps_all_records() || !known && st.memory.keeps_records() {
            return self.store_recorded(st, at, width, value);
        }
        self.outcomes.stats.memory.records.map_writes += 1;
        match at.offset {
            Value::Int(offset) => st
                .memory
                .store(&mut self.pool, at.object, offset, width, value),
            other => {
                self.keep_whole(st, at.object, u64::from(width.div_ceil(8)), true);
                let at = Checked {
                    offset: Value::Expr(self.term(st, other, 64)),
                    ..at
                };
                st.memory.store_symbolic(&mut self.pool, at, width, value);
            }
        }
    }

    /// Stores `width` bits.
    pub fn store(
        &mut self,
        st: &mut State,
        ptr: Value,
        width: Width,
        align_log2: u8,
        value: Value,
    ) -> Res<()> {
        let size = width.div_ceil(8) as u64;
        match self.resolve_for(st, ptr, Use::Store(size))? {
            Targets::One(place) => {
                let place = self.determined(st, place, (size, align_log2))?;
                let at = self.check_place(st, place, size, align_log2, Access::Write)?;
                let at = self.in_parts(st, at, size, Use::Store(size))?;
                self.store_checked(st, at, width, value);
                Ok(())
            }
            Targets::All(several) => {
                self.note_unfollowed(st);
                self.note_race_unfollowed(st);
                self.store_any(st, &several, width, align_log2, value)
            }
        }
    }

    /// Resolves and checks as [`Self::check_access`] does, for operations on ranges, which need a
    /// concrete offset: forks a path per offset.
    pub fn check_range(
        &mut self,
        st: &mut State,
        ptr: Value,
        len: u64,
        access: Access,
    ) -> Res<(ObjectId, u64)> {
        let at = self.check_access(st, ptr, len, 0, access)?;
        let offset = self.concretise(st, at.offset, 64)?;
        Ok((at.object, offset))
    }

    /// Performs `memcpy` and `memmove`.
    pub fn copy(
        &mut self,
        st: &mut State,
        dst: Value,
        src: Value,
        len: Value,
        may_overlap: bool,
    ) -> Res<()> {
        let len = match self.span(st, len)? {
            ByteCount::Known(len) => len,
            ByteCount::Symbolic(len) => match self.copy_symbolic(st, dst, src, len, may_overlap)? {
                None => return Ok(()),
                Some(len) => len,
            },
        };
        if len == 0 {
            return Ok(());
        }
        let from = self.check_element(st, src, len, Access::Read)?;
        let to = self.check_element(st, dst, len, Access::Write)?;
        if len <= MAX_PIECEWISE
            && !(matches!(from.offset, Value::Int(_)) && matches!(to.offset, Value::Int(_)))
        {
            // Moves of Rust are between whole values, whose places are equal or apart.
            if !may_overlap && self.runs_rust(st) != Some(true) {
                let len = self.pool.constant(64, u128::from(len));
                self.require_apart(st, from, to, len)?;
            }
            let from = self.in_parts(st, from, len, Use::Load(len))?;
            let to = self.in_parts(st, to, len, Use::Store(len))?;
            self.copy_pieces(st, from, to, len);
            return Ok(());
        }
        let from = (from.object, self.concretise(st, from.offset, 64)?);
        let to = (to.object, self.concretise(st, to.offset, 64)?);
        if !may_overlap && from.0 == to.0 && from.1 != to.1 && from.1.abs_diff(to.1) < len {
            let len = MessagePiece::Text(count_of_bytes(len).into());
            return Err(overlapping(from.0, len).into());
        }
        st.memory.copy(&mut self.pool, to, from, len);
        Ok(())
    }

    /// Checks that as many bytes can be written, and read, and that these are the same or apart, as
    /// the C library wants it of what it copies.
    pub fn check_apart(&mut self, st: &mut State, to: Value, from: Value, len: u64) -> Res<()> {
        if len == 0 {
            return Ok(());
        }
        let from = self.check_element(st, from, len, Access::Read)?;
        let to = self.check_element(st, to, len, Access::Write)?;
        let len = self.pool.constant(64, u128::from(len));
        self.require_apart(st, from, to, len)
    }

    /// Checks that a text is not printed over a text that it is made of, each with its length: the
    /// C library reads the one while it writes the other.
    pub fn check_not_printed_over(
        &mut self,
        st: &mut State,
        (to, written): (Value, u64),
        (from, read): (Value, u64),
    ) -> Res<()> {
        if written == 0 || read == 0 {
            return Ok(());
        }
        let (from, first) = self.check_range(st, from, read, Access::Read)?;
        let (to, second) = self.check_range(st, to, written, Access::Write)?;
        if from != to || first >= second + written || second >= first + read {
            return Ok(());
        }
        let message = "a text is printed over a text that it is made of";
        Err(Fault::new(FindingKind::Undefined, message).of(to).into())
    }

    /// Copies a few bytes from or to a symbolic offset, without a path per offset.
    fn copy_pieces(&mut self, st: &mut State, from: Checked, to: Checked, len: u64) {
        let mut pieces = Vec::new();
        let mut done = 0;
        while done < len {
            let bytes = [8, 4, 2, 1]
                .into_iter()
                .find(|b| done + b <= len)
                .unwrap_or(1);
            let at = self.piece(st, from, done);
            pieces.push((
                done,
                bytes as u32 * 8,
                self.load_checked(st, at, bytes as u32 * 8),
            ));
            done += bytes;
        }
        for (done, width, value) in pieces {
            let at = self.piece(st, to, done);
            self.store_checked(st, at, width, value);
        }
    }

    /// Returns the part of a checked access from `done` bytes on.
    fn piece(&mut self, st: &State, at: Checked, done: u64) -> Checked {
        Checked {
            offset: self.offset_pointer(st, at.offset, done),
            within: at.within.map(|within| within.moved(done)),
            ..at
        }
    }

    /// Performs `memset`.
    pub fn fill(&mut self, st: &mut State, dst: Value, value: Value, len: Value) -> Res<()> {
        let len = match self.span(st, len)? {
            ByteCount::Known(len) => len,
            ByteCount::Symbolic(len) => match self.fill_symbolic(st, dst, value, len)? {
                None => return Ok(()),
                Some(len) => len,
            },
        };
        if len == 0 {
            return Ok(());
        }
        let (object, offset) = self.check_range(st, dst, len, Access::Write)?;
        let byte = match value {
            Value::Int(v) => Value::Int(v & 0xff),
            other => other,
        };
        st.memory.fill(&mut self.pool, object, offset, len, byte);
        Ok(())
    }

    /// Reads `len` bytes as 8-bit values, for models that look at memory.
    pub fn read_bytes(&mut self, st: &mut State, ptr: Value, len: u64) -> Res<Vec<Value>> {
        if len == 0 {
            return Ok(Vec::new());
        }
        let (object, offset) = self.check_range(st, ptr, len, Access::Read)?;
        if let Some(bytes) = st.memory.concrete_bytes(object, offset, len) {
            return Ok(bytes.into_iter().map(|b| Value::Int(b as u64)).collect());
        }
        Ok((offset..offset + len)
            .map(|i| st.memory.load(&mut self.pool, object, i, 8))
            .collect())
    }

    /// Reads a C string's bytes without the terminator; each byte is made concrete.
    pub fn read_c_string(&mut self, st: &mut State, ptr: Value) -> Res<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let at = self.offset_pointer(st, ptr, bytes.len() as u64);
            let b = self.load(st, at, 8, 0)?;
            match self.concretise(st, b, 8)? {
                0 => return Ok(bytes),
                b => bytes.push(b as u8),
            }
            if bytes.len() > 1 << 20 {
                return Err(Unsupported::Model("a C string of more than 1 MiB".into()).into());
            }
        }
    }

    /// Returns `ptr + offset`.
    pub fn offset_pointer(&mut self, st: &State, ptr: Value, offset: u64) -> Value {
        match ptr {
            Value::Int(a) => Value::Int(a.wrapping_add(offset)),
            Value::Ptr(o, at) => Value::Ptr(o, at.wrapping_add(offset)),
            other => {
                let (e, c) = (
                    self.term(st, other, 64),
                    self.pool.constant(64, offset as u128),
                );
                let sum = self.pool.add(e, c);
                self.pool.value(sum)
            }
        }
    }
}
