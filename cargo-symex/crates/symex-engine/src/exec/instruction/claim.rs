//! Checks of what the front end claims of values: ranges, references, initialised values, and what
//! unchecked operations demand of their operands.

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::memory::resolve::{base_and_rest, object_of};
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::message;
use crate::state::State;
use smallvec::SmallVec;
use symex_program::{Demand, Function};
use symex_solver::Purpose;
use symex_terms::{Expr, ObjectId, Value};
use symex_types::bits::{mask, word_mask};
use symex_types::outcome::FindingKind;

/// Greatest number of inputs and bases in a pointer whose objects are looked at one by one.
const MOST_SYMBOLS: usize = 16;

/// Places that a pointer may lead to, each under the condition that it does.
type GuardedPlaces = SmallVec<[(Expr, (ObjectId, Value)); 2]>;

/// Makes the fault of an operation on operands that do not meet a demand.
fn unmet(demand: Demand) -> Fault {
    use FindingKind::*;
    let (kind, message) = match demand {
        Demand::Addition => (UncheckedOperation, "an unchecked addition overflows"),
        Demand::Subtraction => (UncheckedOperation, "an unchecked subtraction overflows"),
        Demand::Multiplication => (UncheckedOperation, "an unchecked multiplication overflows"),
        Demand::LossyShift => (UncheckedOperation, "an unchecked shift loses bits"),
        Demand::ShiftDistance => (ShiftTooFar, "a shift by the width or more"),
        Demand::Exact => (UncheckedOperation, "an exact division has a remainder"),
        Demand::Disjoint => (
            UncheckedOperation,
            "two numbers that should have no bit in common have one",
        ),
        Demand::FloatToInteger => (
            UncheckedOperation,
            "an unchecked conversion of a float that the integer type does not have",
        ),
        Demand::NonZero => (
            UncheckedOperation,
            "zero, where an operation is not defined for it",
        ),
        Demand::NotSmallest => (
            UncheckedOperation,
            "the smallest number of a type, where an operation is not defined for it",
        ),
        Demand::NonNull => (InvalidValue, "a null reference or `Box`"),
        Demand::Finite => (
            UncheckedOperation,
            "an infinity or NaN in arithmetic that is promised to have none",
        ),
        Demand::NonNegative => (
            UncheckedOperation,
            "a negative number, where an operation is not defined for it",
        ),
        Demand::Distance => (
            OutOfBounds,
            "arithmetic on a pointer by more bytes than an object can have",
        ),
        Demand::CopyLength => (
            OutOfBounds,
            "bytes are copied or set, more than an object can have",
        ),
    };
    Fault::new(kind, message)
}

impl Executor<'_> {
    /// Checks a condition that an operation demands of its operands.
    pub(super) fn check_demand(&mut self, st: &mut State, cond: Value, demand: Demand) -> Res<()> {
        match cond {
            Value::Int(n) if n & 1 == 1 => Ok(()),
            // Its operands were not written, which is found where they are used.
            Value::Undef => Ok(()),
            other => {
                let must = self.term(st, other, 1);
                self.require(st, must, || unmet(demand))
            }
        }
    }

    /// Checks that a value does not depend on uninitialised memory, and returns it without mention
    /// of such memory: what is computed of it need not be checked again.
    pub fn defined(&mut self, st: &mut State, value: Value) -> Res<Value> {
        self.check_defined(st, value)?;
        match value {
            Value::Expr(e) if self.pool.has_uninit(e) => Ok(self.without_unwritten(e)),
            other => Ok(other),
        }
    }

    /// Checks that a value does not depend on uninitialised memory.
    pub fn check_defined(&mut self, st: &mut State, value: Value) -> Res<()> {
        match value {
            Value::Undef => Err(Fault::new(
                FindingKind::UninitUse,
                "a value that was never written, where its type demands one",
            )
            .into()),
            Value::Expr(e) if self.pool.has_uninit(e) => self.check_initialised(st, e),
            _ => Ok(()),
        }
    }

    /// Checks that an integer of `w` bits is in `low..high`, wrapping around.
    pub(super) fn check_within(
        &mut self,
        st: &mut State,
        w: u8,
        value: Value,
        [low, high]: [Value; 2],
    ) -> Res<()> {
        self.check_defined(st, value)?;
        let (Value::Int(low), Value::Int(high)) = (low, high) else {
            return Ok(());
        };
        let width = u32::from(w);
        let size = high.wrapping_sub(low) & word_mask(width);
        if size == 0 {
            return Ok(());
        }
        let e = self.term(st, value, width);
        let first = self.pool.constant(width, u128::from(low));
        let from_first = self.pool.sub(e, first);
        let size = self.pool.constant(width, u128::from(size));
        let inside = self.pool.ult(from_first, size);
        let last = high.wrapping_sub(1) & mask(width) as u64;
        let value = self.number(st, value);
        self.require(st, inside, || {
            let range = match (low, last) {
                (1, last) if last == word_mask(width) || high == 0 => {
                    ", where its type has all but 0".to_owned()
                }
                (0, 1) => ", where its type has 0 and 1".to_owned(),
                (low, last) if low <= last => format!(", where its type has {low} to {last}"),
                (low, last) => format!(", where its type has 0 to {last} and from {low} on"),
            };
            let message = message!["the value ", value, range];
            Fault::new(FindingKind::InvalidValue, message)
        })
    }

    /// Checks the arguments of a call through a pointer by what the function says of its
    /// parameters. The pointer's type, of which the caller knows, may have said less, or nothing.
    pub fn check_arguments(
        &mut self,
        st: &mut State,
        function: &Function,
        args: &[(Value, u32)],
    ) -> Res<()> {
        for (param, (value, width)) in function.params.iter().zip(args) {
            let Some(claim) = param.claim else {
                continue;
            };
            self.check_defined(st, *value)?;
            if let Some((low, high)) = claim.range {
                let range = [low, high].map(Value::Int);
                self.check_within(st, *width as u8, *value, range)?;
            }
            if let Some((bytes, align_log2)) = claim.reference {
                if let Value::Ptr(o, at) = *value
                    && st.memory.is_referable(o, at, bytes, align_log2)
                {
                    continue;
                }
                self.check_reference(st, *value, Value::Int(bytes), align_log2, false)?;
            }
        }
        Ok(())
    }

    /// Checks that a pointer is a valid reference to `bytes` bytes.
    pub(super) fn check_reference(
        &mut self,
        st: &mut State,
        ptr: Value,
        bytes: Value,
        align_log2: u8,
        nullable: bool,
    ) -> Res<()> {
        self.check_defined(st, ptr)?;
        if bytes != Value::Int(0) {
            return self.check_only(st, ptr, bytes, align_log2, Access::Refer);
        }
        let what = if nullable { "a place" } else { "a reference" };
        // No object lies at null.
        if let Value::Ptr(object, offset) = ptr {
            return match self.is_aligned(st, object, offset, align_log2) {
                true => Ok(()),
                false => {
                    let message = self.unaligned(st, object, what, align_log2);
                    Err(Fault::new(FindingKind::Misaligned, message)
                        .of(object)
                        .into())
                }
            };
        }
        let address = self.term(st, ptr, 64);
        if !nullable {
            let zero = self.pool.constant(64, 0);
            let is_some = self.pool.ne(address, zero);
            self.require(st, is_some, || {
                Fault::new(FindingKind::InvalidValue, "a null reference")
            })?;
        }
        if align_log2 > 0 {
            let low = self.pool.extract(address, 0, u32::from(align_log2));
            let zero = self.pool.constant(u32::from(align_log2), 0);
            let aligned = self.pool.eq(low, zero);
            self.require(st, aligned, || {
                let message = format!("{what} that must be aligned to {}", 1u64 << align_log2);
                Fault::new(FindingKind::Misaligned, message)
            })?;
        }
        Ok(())
    }

    /// Checks that arithmetic from one pointer to another stays in an object. Where either may be
    /// in very many, nothing is said.
    pub(super) fn check_in_bounds(&mut self, st: &mut State, base: Value, ptr: Value) -> Res<()> {
        if base == ptr {
            return Ok(());
        }
        if let (Value::Int(from), Value::Int(to)) = (base, ptr)
            && self.place_of(st, base).is_none()
        {
            let message =
                format!("arithmetic from {from:#x} to {to:#x}, which belong to no object");
            return Err(Fault::new(FindingKind::OutOfBounds, message).into());
        }
        let (from, to) = (self.places_of(st, base), self.places_of(st, ptr));
        if to.is_empty() {
            return self.check_in_object_by_number(st, ptr);
        }
        for (guard, place) in from {
            for (other_guard, other) in &to {
                let guard = self.pool.and(guard, *other_guard);
                if self.pool.as_const(guard) != Some(0) {
                    self.check_in_object(st, guard, place, *other)?;
                }
            }
        }
        Ok(())
    }

    /// Checks that arithmetic to a pointer whose offset the program computes from addresses, as
    /// that of the page is, stays in the object where objects lie as they do on this path.
    fn check_in_object_by_number(&mut self, st: &mut State, ptr: Value) -> Res<()> {
        let Value::Expr(e) = ptr else {
            return Ok(());
        };
        let Some((object, offset)) = base_and_rest(&mut self.pool, e) else {
            return Ok(());
        };
        let offset = self.pool.substitute_addresses(offset, &st.memory);
        let size = st.memory.object(object).size;
        let size = self.pool.constant(64, u128::from(size));
        let outside = self.pool.ult(size, offset);
        if self
            .satisfiable_or_exclude(st, outside, Purpose::Bounds)
            .is_none()
        {
            return Ok(());
        }
        // Only what can fail here makes the path one of this placement.
        self.note_address(st);
        let always = self.pool.bool(true);
        let place = (object, self.pool.value(offset));
        self.check_in_object(st, always, (object, Value::Int(0)), place)
    }

    /// Checks that arithmetic from one place to another stays in an object, where a guard holds.
    fn check_in_object(
        &mut self,
        st: &mut State,
        guard: Expr,
        (object, from): (ObjectId, Value),
        (other, to): (ObjectId, Value),
    ) -> Res<()> {
        if object != other {
            let message = message![
                "arithmetic on pointers from ",
                self.describe(st, object),
                " to another: ",
                self.describe(st, other)
            ];
            let fault = Fault::new(FindingKind::OutOfBounds, message).of(object);
            return self.forbid(st, guard, fault);
        }
        if from == to {
            return Ok(());
        }
        if !st.memory.is_live(object) {
            let message = message![
                "arithmetic on a pointer to ",
                self.describe(st, object),
                ", which has ended"
            ];
            let fault = Fault::new(FindingKind::UseAfterFree, message).of(object);
            return self.forbid(st, guard, fault);
        }
        let o = st.memory.object(object);
        let (size, length) = (o.size, o.length.map(|length| length.term));
        let sure = st.memory.sure_size(object);
        let is_sure = |place| matches!(place, Value::Int(at) if at <= sure);
        if is_sure(from) && is_sure(to) {
            return Ok(());
        }
        let size = length.unwrap_or_else(|| self.pool.constant(64, u128::from(size)));
        let [start, end] = [from, to].map(|place| self.term(st, place, 64));
        let [start, end] = [start, end].map(|place| self.pool.ule(place, size));
        let is_from_outside = self.pool.as_const(start) == Some(0);
        let inside = match st.condition.contains(&self.pool, start) {
            true => end,
            false => self.pool.and(start, end),
        };
        let elsewhere = self.pool.not(guard);
        let allowed = self.pool.or(elsewhere, inside);
        let what = self.describe(st, object);
        let at = match (from, to) {
            (Value::Int(from), _) if is_from_outside => format!(" at offset {}", from as i64),
            (_, Value::Int(to)) if to > sure => format!(" to offset {}", to as i64),
            _ => String::new(),
        };
        self.require(st, allowed, || {
            let arithmetic = format!("arithmetic on a pointer{at}, out of ");
            Fault::new(FindingKind::OutOfBounds, message![arithmetic, what]).of(object)
        })
    }

    /// Reports a fault on the inputs for which a guard holds.
    fn forbid(&mut self, st: &mut State, guard: Expr, fault: Fault) -> Res<()> {
        let elsewhere = self.pool.not(guard);
        match self.pool.as_const(elsewhere) {
            Some(0) => Err(fault.into()),
            _ => self.require(st, elsewhere, || fault),
        }
    }

    /// Returns the places that a pointer may lead to, each under a guard, leaving out what is in no
    /// object; none if they are many.
    fn places_of(&mut self, st: &mut State, pointer: Value) -> GuardedPlaces {
        let mut places = GuardedPlaces::new();
        if let Some(place) = self.place_of(st, pointer) {
            places.push((self.pool.bool(true), place));
        } else if let Value::Expr(e) = pointer {
            if self.pool.support(e).len() > MOST_SYMBOLS {
                return places;
            }
            let groups = self.pointer_terms.candidates(&mut self.pool, &st.memory, e);
            for group in groups.iter().flat_map(|groups| groups.iter()) {
                if let Some(place) = self.place_of(st, group.value) {
                    places.push((group.candidate.guard, place));
                }
            }
        }
        places
    }

    /// Returns the object that a pointer leads to, with the offset in it, where that is one object.
    fn place_of(&mut self, st: &mut State, pointer: Value) -> Option<(ObjectId, Value)> {
        match pointer {
            Value::Ptr(object, offset) => Some((object, Value::Int(offset))),
            Value::Expr(e) => object_of(&mut self.pool, e),
            Value::Int(address) => {
                let (object, offset) = st.memory.find(address)?;
                Some((object, Value::Int(offset)))
            }
            Value::Undef => None,
        }
    }
}
