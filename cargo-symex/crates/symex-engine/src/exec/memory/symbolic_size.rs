//! Objects of symbolic size: one object for all its sizes, with room for the greatest [SOP 2.3].

use crate::exec::Executor;
use crate::exec::memory::bulk::ByteCount;
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::{Message, MessagePiece, message};
use crate::exec::path::trace::recursion;
use crate::state::State;
use crate::state::threads::ThreadId;
use symex_memory::{Length, Object};
use symex_solver::Purpose;
use symex_terms::{BinOp, Expr, ObjectId, Value};
use symex_types::outcome::{Bound, FindingKind};

/// Bounds that are tried for a term without a bound of its own, before the one of the settings.
const STEPS: [u64; 3] = [64, 256, 1024];

/// Greatest number of values of a term with which each is a size, and a path, of its own before the
/// greater ones are left out.
const FEW_SIZES: usize = 4;

/// Bytes of the first thread's stack, as Linux has it.
const STACK: u64 = 8 << 20;

/// Number of calls on the stack from which on those of a recursion are shown.
const MANY_CALLS: u32 = 64;

/// Size of an object to be allocated.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Bytes to reserve.
    pub most: u64,
    /// The size, if it depends on inputs.
    pub length: Option<Length>,
}

impl Extent {
    /// Makes the extent of a known size.
    pub fn known(size: u64) -> Extent {
        Extent {
            most: size,
            length: None,
        }
    }

    /// Returns the extent of an object.
    pub fn of(object: &Object) -> Extent {
        Extent {
            most: object.size,
            length: object.length,
        }
    }

    /// Returns the size as a value.
    pub fn value(&self) -> Value {
        match self.length {
            None => Value::Int(self.most),
            Some(length) => Value::Expr(length.term),
        }
    }
}

impl Executor<'_> {
    /// Returns the extent of an object of a symbolic size. Sizes over the maximum of the settings
    /// are left out, and the verdict says so; if there are only such, or few sizes, a path is
    /// forked per size.
    /// Must be called before the instruction has changed anything.
    pub fn extent(&mut self, st: &mut State, size: Expr) -> Res<Extent> {
        if self.pool.has_uninit(size) {
            self.check_initialised(st, size)?;
        }
        let size = self.part_where_words_lead(st, size)?;
        let facts = self.pool.facts(size);
        let maximum = self.config.memory.max_symbolic_size;
        let least = facts.min as u64;
        let of = |most: u64| Extent {
            most,
            length: Some(Length { term: size, least }),
        };
        if let Some(size) = self.pinned(st, size) {
            return Ok(Extent::known(size));
        }
        if facts.max <= u128::from(maximum) {
            return Ok(of(facts.max as u64));
        }
        if let Some(most) = self.bound(st, size, maximum) {
            let fits = self.at_most(size, most);
            self.narrow(st, fits, None);
            return Ok(of(most));
        }
        if self.has_few_values(st, size, FEW_SIZES) {
            let n = self.concretise(st, Value::Expr(size), 64)?;
            return Ok(Extent::known(n));
        }
        let fits = self.at_most(size, maximum);
        let small = if self.pool.eval(fits, &st.assignment, &st.memory) == 1 {
            Some(st.assignment.clone())
        } else {
            self.satisfiable_or_exclude(st, fits, Purpose::Bounds)
        };
        let Some(small) = small else {
            let n = self.concretise(st, Value::Expr(size), 64)?;
            return Ok(Extent::known(n));
        };
        let what = format!("sizes of allocations that depend on the input <= {maximum}");
        self.outcomes.bounded(st, Bound::Size(what));
        self.narrow(st, fits, Some(small));
        Ok(of(maximum))
    }

    /// Returns the extent of a local variable of `count` elements. `scoped`: it takes its room on
    /// the stack later.
    pub(in crate::exec) fn local_extent(
        &mut self,
        st: &mut State,
        size: u64,
        count: Value,
        scoped: bool,
    ) -> Res<Extent> {
        let limit = match scoped {
            true => self.config.limits.max_allocation,
            false => self.room_on_stack(st),
        };
        let count = match self.span(st, count)? {
            ByteCount::Known(n) if size.saturating_mul(n) <= limit => {
                return Ok(Extent::known(size * n));
            }
            ByteCount::Known(n) => {
                let bytes = size.saturating_mul(n);
                let message = format!("a local variable of {bytes} bytes");
                return Err(self.too_large(st, message.into()).into());
            }
            ByteCount::Symbolic(count) => count,
        };
        if size == 0 {
            return Ok(Extent::known(0));
        }
        let fits = self.at_most(count, limit / size);
        let message = match size {
            1 => message!["a local variable of ", MessagePiece::Bytes(count)],
            _ => message![
                "a local variable of ",
                MessagePiece::Number(count),
                format!(" times {size} bytes")
            ],
        };
        let fault = self.too_large(st, message);
        self.require(st, fits, || fault)?;
        let size = self.pool.constant(64, u128::from(size));
        let bytes = self.pool.bin(BinOp::Mul, count, size);
        self.extent(st, bytes)
    }

    /// Counts the bytes of a local variable whose scope begins or ends. A function that was inlined
    /// has its variables in the caller's frame, and uses them in their scopes alone.
    pub(in crate::exec) fn count_scope(
        &mut self,
        st: &mut State,
        object: ObjectId,
        start: bool,
    ) -> Res<()> {
        let size = st.memory.object(object).size;
        match (start, st.memory.is_out_of_scope(object)) {
            (true, true) if size > self.room_on_stack(st) => {
                let message = format!("a local variable of {size} bytes");
                return Err(self.too_large(st, message.into()).into());
            }
            (true, true) => st.stack.top.bytes += size,
            (false, false) => {
                let frame = &mut st.stack.top;
                frame.bytes = frame.bytes.saturating_sub(size);
            }
            (true, false) | (false, true) => {}
        }
        Ok(())
    }

    /// Returns the number of bytes that are left for local variables. Natively, a program needs
    /// more than they have: there are return addresses, and what the passes made numbers of.
    fn room_on_stack(&self, st: &State) -> u64 {
        // The size of other stacks is the program's own.
        let is_first = st.thread() == ThreadId::MAIN && !st.world.extends_stack;
        let room = match is_first {
            true => STACK.saturating_sub(st.stack.top.bytes),
            false => u64::MAX,
        };
        room.min(self.config.limits.max_allocation)
    }

    /// Makes the fault of a local variable for which the stack has no room.
    fn too_large(&self, st: &State, variable: Message) -> Fault {
        let message = match st.stack.top.bytes {
            0 => variable,
            others => message![variable, format!(", on top of others of {others} bytes")],
        };
        let fault = Fault::new(FindingKind::StackOverflow, message);
        match st.stack.depth > MANY_CALLS {
            true => Fault {
                trace: Some(recursion(self.program, st)),
                ..fault
            },
            false => fault,
        }
    }

    fn at_most(&mut self, e: Expr, most: u64) -> Expr {
        let most = self.pool.constant(64, u128::from(most));
        self.pool.ule(e, most)
    }

    /// Finds a bound that a term has on this path, if it is not over `maximum`. The path's
    /// assignment satisfies it.
    pub(in crate::exec) fn bound(&mut self, st: &mut State, e: Expr, maximum: u64) -> Option<u64> {
        let now = self.pool.eval(e, &st.assignment, &st.memory);
        STEPS
            .into_iter()
            .filter(|step| *step < maximum)
            .chain([maximum])
            .filter(|step| now <= u128::from(*step))
            .find(|step| {
                let within = self.at_most(e, *step);
                let beyond = self.pool.not(within);
                self.satisfiable_or_exclude(st, beyond, Purpose::Bounds)
                    .is_none()
            })
    }
}
