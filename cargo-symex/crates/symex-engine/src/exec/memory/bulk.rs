//! Operations on a symbolic number of bytes: one check, one update, no path per length [SOP 2.3].
//!
//! Where that would take too many terms (a range of thousands of bytes at a symbolic offset), the
//! offset or the length is decided first, with a path for each.

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::memory::resolve::{ResolvedPointer, Targets};
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::{MessagePiece, message};
use crate::state::State;
use symex_memory::model::Use;
use symex_memory::{Checked, Covered};
use symex_terms::{Expr, ObjectId, Value};
use symex_types::outcome::FindingKind;

/// Greatest number of bytes that one update may cover.
const MOST: u64 = 4096;

/// Greatest number of parts that may be read at symbolic offsets.
const MOST_SELECTS: u64 = 256;

/// Number of bytes of an operation, concrete or symbolic.
#[derive(Clone, Copy, Debug)]
pub enum ByteCount {
    Known(u64),
    /// Number of bytes, a term of 64 bits.
    Symbolic(Expr),
}

impl Executor<'_> {
    /// Returns the number of bytes given by a value.
    pub fn span(&mut self, st: &mut State, len: Value) -> Res<ByteCount> {
        let e = match len {
            Value::Int(n) => return Ok(ByteCount::Known(n)),
            Value::Ptr(..) => return Ok(ByteCount::Known(self.concretise(st, len, 64)?)),
            other => self.term(st, other, 64),
        };
        if self.pool.has_uninit(e) {
            self.check_initialised(st, e)?;
        }
        let e = self.part_where_words_lead(st, e)?;
        Ok(self
            .pinned(st, e)
            .map_or(ByteCount::Symbolic(e), ByteCount::Known))
    }

    /// Returns the only value that a term has on this path, if that is plain to see.
    pub(in crate::exec) fn pinned(&mut self, st: &State, e: Expr) -> Option<u64> {
        if let Some(v) = self.pool.facts(e).as_const() {
            return Some(v as u64);
        }
        let now = self.pool.eval(e, &st.assignment, &st.memory);
        let value = self.pool.constant(64, now);
        let same = self.pool.eq(e, value);
        st.condition
            .contains(&self.pool, same)
            .then_some(now as u64)
    }

    /// Checks that bytes may be accessed, as an access would, without accessing them.
    pub fn check_only(
        &mut self,
        st: &mut State,
        ptr: Value,
        len: Value,
        align_log2: u8,
        access: Access,
    ) -> Res<()> {
        let len = match self.span(st, len)? {
            ByteCount::Known(0) => return Ok(()),
            ByteCount::Known(len) => len,
            ByteCount::Symbolic(len) => return self.check_span(st, ptr, len, access).map(drop),
        };
        let purpose = match access {
            Access::Read | Access::Refer => Use::Load(len),
            Access::Write => Use::Store(len),
        };
        match self.resolve_for(st, ptr, purpose)? {
            Targets::One(place) => self
                .check_place(st, place, len, align_log2, access)
                .map(drop),
            Targets::All(several) => self
                .check_targets(st, &several.targets, len, align_log2, access)
                .map(drop),
        }
    }

    /// Resolves a pointer and checks that `len` bytes may be accessed through it. `None`: on this
    /// path the length is zero, and the pointer need not be valid.
    pub fn check_span(
        &mut self,
        st: &mut State,
        ptr: Value,
        len: Expr,
        access: Access,
    ) -> Res<Option<Checked>> {
        let place = self.resolve(st, ptr)?;
        let none = self.pool.constant(64, 0);
        let empty = self.pool.eq(len, none);
        let barred = self.barred(st, place, || MessagePiece::Bytes(len).into(), access);
        let (object, offset) = match (place, barred) {
            (ResolvedPointer::Object(object, offset), None) => (object, offset),
            (_, Some(fault)) => {
                self.require(st, empty, || fault)?;
                return Ok(None);
            }
            (ResolvedPointer::Nowhere(_), None) => {
                unreachable!("an address in no object is barred")
            }
        };
        let o = st.memory.object(object);
        let (room, length) = (o.size, o.length);
        let at = match offset {
            Value::Int(at) => MessagePiece::Text((at as i64).to_string().into()),
            offset => MessagePiece::Number(self.term(st, offset, 64)),
        };
        let fault = Fault::new(
            FindingKind::OutOfBounds,
            message![
                access.word(),
                " ",
                MessagePiece::Bytes(len),
                " at offset ",
                at,
                " of ",
                self.describe(st, object)
            ],
        )
        .of(object);
        if matches!(offset, Value::Int(at) if at >= room) {
            self.require(st, empty, || fault)?;
            return Ok(None);
        }
        let length = match length {
            Some(length) => length.term,
            None => self.pool.constant(64, u128::from(room)),
        };
        let begin = self.term(st, offset, 64);
        let inside = self.within(length, begin, len);
        let inside = self.pool.or(empty, inside);
        self.require(st, inside, || fault)?;
        Ok(Some(Checked::new(object, offset)))
    }

    /// Returns bounds of an offset into an object.
    fn reach(&mut self, st: &State, at: Checked) -> (u64, u64) {
        let room = st.memory.object(at.object).size;
        match at.offset {
            Value::Expr(e) => self.range(st, e, room),
            Value::Int(offset) => (offset, offset),
            _ => (0, room),
        }
    }

    /// Returns the greatest number of bytes that `len` may be at a checked place.
    fn most(&mut self, st: &State, at: Checked, len: Expr) -> u64 {
        let room = st.memory.object(at.object).size;
        let rest = room.saturating_sub(self.reach(st, at).0);
        self.range(st, len, rest).1
    }

    /// Returns the least and the greatest value of an offset or a length that is at most `limit`:
    /// from the term, or from the path condition where that leaves half of them or less. One byte
    /// less is worth nothing, and makes what is overwritten a part of an object.
    pub fn range(&mut self, st: &State, e: Expr, limit: u64) -> (u64, u64) {
        /// Difference for which the path condition is not worth a look.
        const SMALL: u64 = 16;
        let facts = self.pool.facts(e);
        let (least, most) = (facts.min as u64, facts.max.min(limit.into()) as u64);
        let difference = most.saturating_sub(least);
        if difference <= SMALL {
            return (least, most);
        }
        let (lower, upper) = self.ranges.of(&self.pool, &st.condition, e);
        let (lower, upper) = (least.max(lower as u64), upper.min(most.into()) as u64);
        match upper.saturating_sub(lower) <= difference / 2 {
            true => (lower, upper),
            false => (least, most),
        }
    }

    /// Returns `most`, or a smaller bound on this path if that is too much for one update. `None`:
    /// it is too much.
    fn limited(&mut self, st: &mut State, len: Expr, most: u64, limit: u64) -> Option<u64> {
        if most <= limit {
            return Some(most);
        }
        self.bound(st, len, limit)
    }

    /// Returns the bytes that a write of `len` bytes may cover, in grains as large as the terms
    /// show, up to `widest` bytes.
    fn covered(&mut self, st: &State, at: Checked, len: Expr, most: u64, widest: u64) -> Covered {
        let room = st.memory.object(at.object).size;
        let (first, last) = self.reach(st, at);
        let zeros = |e: Expr| self.pool.facts(e).trailing_zeros();
        let mut grain = 1u64 << zeros(len).min(3);
        if let Value::Expr(e) = at.offset {
            grain = grain.min(1 << zeros(e).min(3));
        }
        let grain = grain.min(widest);
        let first = first / grain * grain + if first == last { first % grain } else { 0 };
        let end = room.min(last.saturating_add(most));
        Covered {
            range: first..first + end.saturating_sub(first) / grain * grain,
            grain,
            start: at.offset,
            len,
        }
    }

    /// Reports whether a write of `len` bytes reaches the end of an object, whatever its size is.
    /// The bytes behind belong to no object.
    fn reaches_the_end(&mut self, st: &State, at: Checked, len: Expr) -> bool {
        let Some(length) = st.memory.object(at.object).length else {
            return false;
        };
        let begin = self.term(st, at.offset, 64);
        self.pool.sub(length.term, begin) == len
    }

    /// Performs `memset` of a symbolic length; returns the length if it must be done for that one
    /// alone.
    pub(in crate::exec) fn fill_symbolic(
        &mut self,
        st: &mut State,
        dst: Value,
        value: Value,
        len: Expr,
    ) -> Res<Option<u64>> {
        let Some(mut at) = self.check_span(st, dst, len, Access::Write)? else {
            return Ok(None);
        };
        let byte = match value {
            Value::Int(v) => Value::Int(v & 0xff),
            other => other,
        };
        if let Value::Int(offset) = at.offset
            && self.reaches_the_end(st, at, len)
        {
            let rest = st.memory.object(at.object).size - offset;
            st.memory
                .fill(&mut self.pool, at.object, offset, rest, byte);
            return Ok(None);
        }
        let (first, last) = self.reach(st, at);
        if last.saturating_sub(first) > MOST {
            at.offset = Value::Int(self.concretise(st, at.offset, 64)?);
        }
        let most = self.most(st, at, len);
        let Some(most) = self.limited(st, len, most, MOST) else {
            return Ok(Some(self.concretise(st, Value::Expr(len), 64)?));
        };
        let covered = self.covered(st, at, len, most, 8);
        let value = match byte {
            Value::Int(byte) => {
                let all = u64::from_le_bytes([byte as u8; 8]);
                Value::Int(all >> (64 - 8 * covered.grain))
            }
            Value::Undef => Value::Undef,
            byte => {
                let byte = self.term(st, byte, 8);
                let all = (1..covered.grain).fold(byte, |all, _| self.pool.concat(byte, all));
                self.pool.value(all)
            }
        };
        let values = vec![Some(value); covered.grains().count()];
        st.memory
            .write_covered(&mut self.pool, at.object, &covered, &values);
        Ok(None)
    }

    /// Performs `memcpy` and `memmove` of a symbolic length; returns the length if it must be done
    /// for that one alone.
    pub(in crate::exec) fn copy_symbolic(
        &mut self,
        st: &mut State,
        dst: Value,
        src: Value,
        len: Expr,
        may_overlap: bool,
    ) -> Res<Option<u64>> {
        let from = self.check_span(st, src, len, Access::Read)?;
        let to = self.check_span(st, dst, len, Access::Write)?;
        let (Some(mut from), Some(mut to)) = (from, to) else {
            return Ok(None);
        };
        if !may_overlap {
            self.require_apart(st, from, to, len)?;
        }
        let whole = self.reaches_the_end(st, to, len);
        let room = |st: &State, at: Checked| st.memory.object(at.object).size;
        if let (Value::Int(a), Value::Int(b), true) = (from.offset, to.offset, whole) {
            let most = (room(st, from) - a).min(room(st, to) - b);
            st.memory
                .copy(&mut self.pool, (to.object, b), (from.object, a), most);
            return Ok(None);
        }
        let distance = self.distance(st, from, to);
        let (first, last) = self.reach(st, to);
        let limit = if self.pool.as_const(distance).is_some() {
            MOST
        } else {
            MOST_SELECTS
        };
        let mut most = self.most(st, from, len).min(self.most(st, to, len));
        let decides_to = last.saturating_sub(first) > limit
            || most > limit && !matches!(to.offset, Value::Int(_));
        let decides_from = most > limit && !matches!(from.offset, Value::Int(_));
        if decides_to {
            to.offset = Value::Int(self.concretise(st, to.offset, 64)?);
        }
        if decides_from {
            from.offset = Value::Int(self.concretise(st, from.offset, 64)?);
        }
        if decides_to || decides_from {
            most = self.most(st, from, len).min(self.most(st, to, len));
        }
        let Some(most) = self.limited(st, len, most, MOST) else {
            return Ok(Some(self.concretise(st, Value::Expr(len), 64)?));
        };
        let covered = self.covered(st, to, len, most, 8);
        let distance = self.distance(st, from, to);
        let values: Vec<Option<Value>> = covered
            .grains()
            .map(|at| self.copied(st, from, &covered, distance, at))
            .collect();
        if whole && matches!(to.offset, Value::Int(_)) {
            for (at, value) in covered.grains().zip(values) {
                let value = value.unwrap_or(Value::Undef);
                let width = covered.grain as u32 * 8;
                st.memory.store(&mut self.pool, to.object, at, width, value);
            }
        } else {
            st.memory
                .write_covered(&mut self.pool, to.object, &covered, &values);
        }
        Ok(None)
    }

    /// Copies the first `len` bytes of an object, at most `most`, to the beginning of a new one.
    pub fn copy_beginning(
        &mut self,
        st: &mut State,
        (to, from): (ObjectId, ObjectId),
        len: Expr,
        most: u64,
    ) {
        let [to, from] = [to, from].map(|object| Checked::new(object, Value::Int(0)));
        let covered = self.covered(st, to, len, most, 8);
        let none = self.pool.constant(64, 0);
        let values: Vec<Option<Value>> = covered
            .grains()
            .map(|at| self.copied(st, from, &covered, none, at))
            .collect();
        st.memory
            .write_covered(&mut self.pool, to.object, &covered, &values);
    }

    /// Returns the distance by which the source of a copy lies above its destination.
    fn distance(&mut self, st: &State, from: Checked, to: Checked) -> Expr {
        let (a, b) = (self.term(st, from.offset, 64), self.term(st, to.offset, 64));
        self.pool.sub(a, b)
    }

    /// Returns the value that a copy brings to a grain if it covers it; `None` if it cannot.
    fn copied(
        &mut self,
        st: &mut State,
        from: Checked,
        covered: &Covered,
        distance: Expr,
        at: u64,
    ) -> Option<Value> {
        let room = st.memory.object(from.object).size;
        let last = room.checked_sub(covered.grain)?;
        let width = covered.grain as u32 * 8;
        if let Some(distance) = self.pool.as_const(distance) {
            let source = at.wrapping_add(distance as u64);
            return (source <= last)
                .then(|| st.memory.load(&mut self.pool, from.object, source, width));
        }
        // A place that is not covered may have its source out of bounds.
        let at_term = self.pool.constant(64, u128::from(at));
        let source = self.pool.add(at_term, distance);
        let when = covered.covers(&mut self.pool, at);
        let anywhere = self.pool.constant(64, 0);
        let source = self.pool.ite(when, source, anywhere);
        Some(
            st.memory
                .load_symbolic(&mut self.pool, from.object, source, width),
        )
    }

    /// Reports a copy between ranges of one object that overlap without being the same.
    pub(super) fn require_apart(
        &mut self,
        st: &mut State,
        from: Checked,
        to: Checked,
        len: Expr,
    ) -> Res<()> {
        if from.object != to.object || from.offset == to.offset {
            return Ok(());
        }
        let (a, b) = (self.term(st, from.offset, 64), self.term(st, to.offset, 64));
        let (up, down) = (self.pool.sub(a, b), self.pool.sub(b, a));
        let (above, below) = (self.pool.ule(len, up), self.pool.ule(len, down));
        let same = self.pool.eq(a, b);
        let apart = self.pool.and(above, below);
        let apart = self.pool.or(same, apart);
        self.require(st, apart, || {
            overlapping(from.object, MessagePiece::Bytes(len))
        })
    }

    /// Reads as many bytes as `len` may be, after a check that the object has that many; values at
    /// `len` and beyond are meaningless. `None`: they are too many.
    pub fn read_span(&mut self, st: &mut State, ptr: Value, len: Expr) -> Res<Option<Vec<Value>>> {
        let Some(at) = self.check_span(st, ptr, len, Access::Read)? else {
            return Ok(Some(Vec::new()));
        };
        let limit = match at.offset {
            Value::Int(_) => MOST,
            _ => MOST_SELECTS,
        };
        let most = self.most(st, at, len);
        let Some(most) = self.limited(st, len, most, limit) else {
            return Ok(None);
        };
        let offset = self.term(st, at.offset, 64);
        let covered = Covered {
            range: 0..most,
            grain: 1,
            start: Value::Int(0),
            len,
        };
        let bytes = covered.grains().map(|i| {
            let value = self.copied(st, at, &covered, offset, i);
            value.unwrap_or(Value::Undef)
        });
        Ok(Some(bytes.collect()))
    }

    /// Reports a read of a byte in the room of an object that is beyond its size, for the inputs
    /// for which `reached` holds.
    pub fn require_byte(
        &mut self,
        st: &mut State,
        object: ObjectId,
        at: u64,
        reached: Expr,
    ) -> Res<()> {
        if at < st.memory.sure_size(object) {
            return Ok(());
        }
        let place = ResolvedPointer::Object(object, Value::Int(at));
        self.require_where(st, reached, place, 1, 0, Access::Read)?;
        Ok(())
    }

    /// Returns the size of an object, forking a path per size if it depends on inputs.
    pub fn size_of_object(&mut self, st: &mut State, object: ObjectId) -> Res<u64> {
        let o = st.memory.object(object);
        match o.length {
            None => Ok(o.size),
            Some(length) => self.concretise(st, Value::Expr(length.term), 64),
        }
    }
}

/// Makes the fault of a copy within an object between ranges that overlap.
pub(super) fn overlapping(object: ObjectId, len: MessagePiece) -> Fault {
    let message = message!["copy of ", len, " between overlapping ranges"];
    Fault::new(FindingKind::Undefined, message).of(object)
}
