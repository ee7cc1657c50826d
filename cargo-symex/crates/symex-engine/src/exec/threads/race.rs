//! Data races: two accesses to the same bytes by different threads, one of them a write and one of
//! them not atomic, of which neither happens before the other. It does not matter in which order
//! the path made them.
//!
//! What happens before what follows the C++20 memory model, which is Rust's: by starting and
//! joining threads, and by acquiring what was released at the same place. Atomic accesses read
//! what was written last, so that orders that only weaker memory has are not explored.

use crate::exec::Executor;
use crate::exec::memory::access::Access;
use crate::exec::path::end::{Event, Fault, Res};
use crate::exec::path::message::{Message, count_of_bytes, message};
use crate::exec::path::trace::user_location;
use crate::state::State;
use crate::state::threads::ThreadId;
use crate::state::threads::accesses::{Stamp, What};
use std::ops::Range;
use symex_memory::{Checked, ObjectKind};
use symex_program::Ordering;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::{Bound, EarlierEvent, FindingKind};

/// What a path takes for granted where a place of an access is not followed.
const NOT_FOLLOWED: &str =
    "accesses at places that depend on inputs were not checked for data races";

/// Atomicity of the accesses of the current instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atomic {
    pub order: Ordering,
    /// Whether it reads and writes in one.
    pub modifies: bool,
}

impl Atomic {
    /// Accesses that are atomic, and order nothing.
    pub const RELAXED: Atomic = Atomic {
        order: Ordering::Relaxed,
        modifies: false,
    };

    /// Accesses that are not atomic.
    pub const NO: Atomic = Atomic {
        order: Ordering::Plain,
        modifies: false,
    };
}

impl Executor<'_> {
    /// Performs accesses that are atomic.
    pub fn atomically<T>(
        &mut self,
        st: &mut State,
        atomic: Atomic,
        accesses: impl FnOnce(&mut Self, &mut State) -> T,
    ) -> T {
        self.atomic = atomic;
        let result = accesses(self, st);
        self.atomic = Atomic::NO;
        result
    }

    /// Changes the ordering of the rest of an atomic instruction.
    pub(in crate::exec) fn set_order(&mut self, order: Ordering) {
        self.atomic.order = order;
    }

    /// Checks that an access races with none of another thread, and lets the running thread see
    /// what it acquires.
    pub(in crate::exec) fn check_race(
        &mut self,
        st: &mut State,
        at: Checked,
        size: u64,
        access: Access,
    ) -> Res<()> {
        let what = match (access, self.atomic.order) {
            (Access::Refer, _) => return Ok(()),
            (Access::Read, Ordering::Plain) => What::Read,
            (Access::Write, Ordering::Plain) => What::Write,
            (Access::Read, _) => What::AtomicRead,
            (Access::Write, _) => What::AtomicWrite,
        };
        let Value::Int(offset) = at.offset else {
            self.note_race_unfollowed(st);
            return Ok(());
        };
        if size == 0 {
            return Ok(());
        }
        let range = offset..offset + size;
        self.race(st, at.object, range.clone(), what)?;
        match what {
            What::AtomicRead => self.acquire(st, at.object, range),
            What::AtomicWrite => self.release(st, at.object, range),
            _ => {}
        }
        Ok(())
    }

    /// Checks that a plain read races with no access of another thread.
    pub(in crate::exec) fn check_race_of_read(
        &mut self,
        st: &mut State,
        object: ObjectId,
        range: Range<u64>,
    ) -> Res<()> {
        match st.threads {
            Some(_) => self.race(st, object, range, What::Read),
            None => Ok(()),
        }
    }

    /// Notes that races of an access are not looked for.
    pub(in crate::exec) fn note_race_unfollowed(&mut self, st: &State) {
        if st.threads.is_some() {
            let bound = Bound::Assumed(NOT_FOLLOWED.to_owned());
            self.outcomes.note(st, bound);
        }
    }

    /// Records that the running thread makes an object.
    pub fn note_birth(&mut self, st: &mut State, object: ObjectId) {
        if st.threads.is_some() {
            let size = st.memory.object(object).size;
            // Nothing was there before.
            let _ = self.race(st, object, 0..size, What::Birth);
        }
    }

    /// Checks that the end of an object races with no access of another thread.
    pub fn check_race_of_end(&mut self, st: &mut State, object: ObjectId) -> Res<()> {
        if st.threads.is_none() {
            return Ok(());
        }
        let size = st.memory.object(object).size;
        self.race(st, object, 0..size, What::Death)?;
        if let Some(threads) = &mut st.threads {
            threads.accesses.forget(object);
        }
        Ok(())
    }

    /// Checks that the start or end of a variable's scope races with no access of another thread.
    pub(in crate::exec) fn check_race_of_scope(
        &mut self,
        st: &mut State,
        object: ObjectId,
        start: bool,
    ) -> Res<()> {
        if st.threads.is_none() {
            return Ok(());
        }
        let size = st.memory.object(object).size;
        let what = if start { What::Birth } else { What::Death };
        self.race(st, object, 0..size, what)
    }

    /// Records an access, and checks that it races with none of another thread.
    fn race(&mut self, st: &mut State, object: ObjectId, range: Range<u64>, what: What) -> Res<()> {
        let kind = st.memory.object(object).kind;
        if matches!(kind, ObjectKind::Constant | ObjectKind::Function) || range.is_empty() {
            return Ok(());
        }
        let at = user_location(self.program, st);
        let Some(threads) = &mut st.threads else {
            return Ok(());
        };
        let thread = threads.running();
        let clock = threads.current().clock.clone();
        let stamp = Stamp {
            thread,
            count: clock.of(thread),
            at,
            what,
            bytes: (range.start, range.end - range.start),
        };
        let accessed = threads.accesses.access(object, range, stamp, &clock);
        accessed.map_err(|earlier| self.raced(st, object, stamp, earlier).into())
    }

    /// Makes the fault of a race.
    fn raced(&self, st: &State, object: ObjectId, access: Stamp, earlier: Stamp) -> Fault {
        let size = count_of_bytes(access.bytes.1);
        let now: Message = match access.what {
            What::Read => format!("read of {size} of ").into(),
            What::Write => format!("write of {size} of ").into(),
            What::AtomicRead => format!("atomic read of {size} of ").into(),
            What::AtomicWrite => format!("atomic write of {size} of ").into(),
            What::Birth => "making of ".into(),
            What::Death => "end of ".into(),
        };
        let (before, event) = match earlier.what {
            What::Read => ("a read", EarlierEvent::OtherThreadRead),
            What::Write => ("a write", EarlierEvent::OtherThreadWrote),
            What::AtomicRead => ("an atomic read", EarlierEvent::OtherThreadRead),
            What::AtomicWrite => ("an atomic write", EarlierEvent::OtherThreadWrote),
            What::Birth => ("its making", EarlierEvent::OtherThreadWrote),
            What::Death => ("its end", EarlierEvent::OtherThreadWrote),
        };
        let is_atomic = |what| matches!(what, What::AtomicRead | What::AtomicWrite);
        let sizes = match is_atomic(access.what) && is_atomic(earlier.what) {
            true => format!(" of {}", count_of_bytes(earlier.bytes.1)),
            false => String::new(),
        };
        let (mine, other) = (name(access.thread), name(earlier.thread));
        let what = message![now, self.describe(st, object)];
        let text = message![
            what,
            format!(" by {mine}, not ordered with {before}{sizes} by {other}")
        ];
        let mut fault = Fault::new(FindingKind::DataRace, text).of(object);
        fault.earlier.push(Event::new(event, earlier.at));
        fault
    }

    /// Lets the running thread see what was released at a place that it reads atomically.
    fn acquire(&mut self, st: &mut State, object: ObjectId, range: Range<u64>) {
        let order = self.atomic.order;
        let Some(threads) = &mut st.threads else {
            return;
        };
        let seen = threads.accesses.acquired(object, range);
        let thread = threads.current_mut();
        match order.acquires() {
            true => thread.clock.join(&seen),
            false => thread.to_acquire.join(&seen),
        }
    }

    /// Lets threads that acquire at a place that the running thread writes atomically see what it
    /// did.
    fn release(&mut self, st: &mut State, object: ObjectId, range: Range<u64>) {
        let Atomic { order, modifies } = self.atomic;
        let Some(threads) = &mut st.threads else {
            return;
        };
        let thread = threads.current();
        let clock = match order.releases() {
            true => Some(thread.clock.clone()),
            false => thread.released.clone(),
        };
        let clock = clock.as_ref();
        threads.accesses.release(object, range, clock, modifies);
        if order.releases() {
            threads.advance();
        }
    }

    /// Executes a fence of the running thread.
    pub(in crate::exec) fn fence(&mut self, st: &mut State, order: Ordering) {
        let Some(threads) = &mut st.threads else {
            return;
        };
        let thread = threads.current_mut();
        if order.acquires() {
            let seen = std::mem::take(&mut thread.to_acquire);
            thread.clock.join(&seen);
        }
        if order.releases() {
            thread.released = Some(thread.clock.clone());
            threads.advance();
        }
    }
}

/// Returns the name of a thread in messages.
fn name(thread: ThreadId) -> String {
    match thread {
        ThreadId::MAIN => "the first thread".to_owned(),
        ThreadId(number) => format!("thread {}", number + 1),
    }
}
