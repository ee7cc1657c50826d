//! Heap objects as all allocators make and end them: allocation sites, size limits, faults of a
//! free. The calling conventions (null, errno, layouts) are the callers' business.

use crate::exec::Executor;
use crate::exec::memory::resolve::ResolvedPointer;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, PathEnd, Res, Stop};
use crate::exec::path::message::{Message, message};
use crate::exec::path::trace::user_location;
use crate::state::State;
use symex_memory::{Allocator, Initial, NewObject, ObjectKind};
use symex_solver::Purpose;
use symex_terms::{Expr, ObjectId, Value};
use symex_types::outcome::{Bound, FindingKind};

/// Size that no allocator of a 64-bit system with 47-bit user addresses can give.
const IMPOSSIBLE: u64 = 1 << 47;

/// Returns the size of a request; `None` if it is more than any allocator can give, and must fail.
/// A request over the limit of the exploration that may succeed elsewhere ends the path.
pub fn size(m: &mut Executor, st: &mut State, size: Value) -> Res<Option<Extent>> {
    let limit = m.config.limits.max_allocation.min(IMPOSSIBLE - 1);
    let mut at_most = |most: u64| match size {
        Value::Int(n) => Ok(n <= most),
        _ => {
            let e = m.term(st, size, 64);
            let most = m.pool.constant(64, most as u128);
            let fits = m.pool.ule(e, most);
            m.split(st, fits, Purpose::Bounds)
        }
    };
    if !at_most(limit)? {
        if !at_most(IMPOSSIBLE - 1)? {
            return Ok(None);
        }
        let what = match size {
            Value::Int(n) => format!("allocation of {n} bytes"),
            _ => "allocation of a size that depends on the input".to_string(),
        };
        return Err(over(format!("{what} is over the limit of {limit}")));
    }
    if let Value::Int(n) = size {
        return Ok(Some(Extent::known(n)));
    }
    let size = m.term(st, size, 64);
    m.extent(st, size).map(Some)
}

/// Makes the end of a path that exceeds a limit.
fn over(what: String) -> Stop {
    PathEnd::Bounded(Bound::Size(what)).into()
}

/// Allocates a heap object of a size that [`size`] returned; the program has to free it with C's
/// functions.
pub fn allocate(
    m: &mut Executor,
    st: &mut State,
    size: Extent,
    align_log2: u8,
    initial: Initial,
) -> Res<ObjectId> {
    allocate_from(m, st, Allocator::C, size, align_log2, initial)
}

/// Allocates as [`allocate`] does, from an allocator that has to free the object.
pub fn allocate_from(
    m: &mut Executor,
    st: &mut State,
    allocator: Allocator,
    size: Extent,
    align_log2: u8,
    initial: Initial,
) -> Res<ObjectId> {
    let object = unnoted(m, st, allocator, size, align_log2, initial)?;
    m.note_allocation(st, object);
    Ok(object)
}

/// Allocates as [`allocate`] does, but the object never counts as leaked: the C library remembers
/// it.
pub fn allocate_untracked(
    m: &mut Executor,
    st: &mut State,
    size: Extent,
    align_log2: u8,
    initial: Initial,
) -> Res<ObjectId> {
    unnoted(m, st, Allocator::C, size, align_log2, initial)
}

/// Maps pages full of zeros, `bytes` in all, which belong to the system.
pub fn map(m: &mut Executor, st: &mut State, bytes: u64) -> Res<ObjectId> {
    let size = Extent::known(bytes);
    unnoted(m, st, Allocator::System, size, 12, Initial::Zero)
}

fn unnoted(
    m: &mut Executor,
    st: &mut State,
    allocator: Allocator,
    size: Extent,
    align_log2: u8,
    initial: Initial,
) -> Res<ObjectId> {
    let site = user_location(m.program, st);
    let calls = st.stack.iter().map(|frame| (frame.function, frame.pc));
    let birth = m.policy.births.of_calls(calls);
    let object = st
        .memory
        .try_allocate(NewObject {
            size: size.most,
            length: size.length,
            align_log2,
            kind: ObjectKind::Heap(allocator),
            site,
            birth,
            initial,
        })
        .ok_or_else(|| over(format!("no address for {} bytes more", size.most)))?;
    if allocator == Allocator::Rust {
        st.memory.align_as_asked(object);
    }
    m.note_birth(st, object);
    Ok(object)
}

/// Returns the live heap object that begins where a pointer points, for freeing it; `None` for
/// null.
///
/// It must come from the allocator that is to free it.
pub fn object_to_free(
    m: &mut Executor,
    st: &mut State,
    ptr: Value,
    allocator: Allocator,
) -> Res<Option<ObjectId>> {
    let (object, offset) = match m.resolve(st, ptr)? {
        ResolvedPointer::Nowhere(0) => return Ok(None),
        ResolvedPointer::Nowhere(address) => {
            let message = format!("free of address {address:#x}, which was never allocated");
            return Err(Fault::new(FindingKind::InvalidFree, message).into());
        }
        ResolvedPointer::Object(object, offset) => (object, offset),
    };
    let what = m.describe(st, object);
    let invalid = |text: Message| Fault::new(FindingKind::InvalidFree, text).of(object);
    let ObjectKind::Heap(actual) = st.memory.object(object).kind else {
        return Err(invalid(message!["free of ", what]).into());
    };
    if !st.memory.is_live(object) {
        let message = message!["free of ", what, ", which was freed before"];
        return Err(Fault::new(FindingKind::DoubleFree, message)
            .of(object)
            .into());
    }
    if actual != allocator {
        let name = |allocator| match allocator {
            Allocator::C => "C's malloc",
            Allocator::System => "mmap",
            Allocator::Rust => "Rust's allocator",
        };
        let message = message![
            what,
            format!(
                " comes from {}, and is given back to {}",
                name(actual),
                name(allocator)
            )
        ];
        return Err(invalid(message).into());
    }
    match offset {
        Value::Int(0) => {}
        Value::Int(at) => {
            return Err(
                invalid(message![format!("free at offset {} of ", at as i64), what]).into(),
            );
        }
        other => {
            let e = m.term(st, other, 64);
            let zero = m.pool.constant(64, 0);
            let start = m.pool.eq(e, zero);
            m.require(st, start, || {
                invalid(message!["free of a place inside ", what])
            })?;
        }
    }
    if st.borrows.is_some() {
        m.check_free(st, object)?;
    }
    m.check_race_of_end(st, object)?;
    Ok(Some(object))
}

/// Copies the beginning of an object to a new one, for `realloc`, and ends the old one.
pub fn reallocate(
    m: &mut Executor,
    st: &mut State,
    old: ObjectId,
    size: Extent,
    align_log2: u8,
) -> Res<ObjectId> {
    let (room, length) = {
        let o = st.memory.object(old);
        (o.size, o.length)
    };
    let common = size.most.min(room);
    // Behind the end of the old one there is nothing to copy, and a byte behind that of the new one
    // is never seen.
    let beyond = match length {
        Some(length) if grows(m, st, size, length.term) => Some(length.term),
        _ => None,
    };
    let allocator = match st.memory.object(old).kind {
        ObjectKind::Heap(allocator) => allocator,
        _ => Allocator::C,
    };
    let new = allocate_from(m, st, allocator, size, align_log2, Initial::Uninit)?;
    match beyond {
        None => st.memory.copy(&mut m.pool, (new, 0), (old, 0), common),
        Some(end) => m.copy_beginning(st, (new, old), end, common),
    }
    free(m, st, old);
    Ok(new)
}

/// Frees a heap object at the place where the path is.
pub fn free(m: &Executor, st: &mut State, object: ObjectId) {
    let site = user_location(m.program, st);
    st.memory.free_at(object, site);
}

/// Reports whether the new size may be greater than the old one.
fn grows(m: &mut Executor, st: &mut State, size: Extent, old: Expr) -> bool {
    let new = m.term(st, size.value(), 64);
    let more = m.pool.ult(old, new);
    m.pool.as_const(more) != Some(0)
        && m.satisfiable_or_exclude(st, more, Purpose::Bounds)
            .is_some()
}
