//! Models of Rust's default allocator (`std::alloc::System` behind `__rdl_*`). A global allocator
//! of the program's own is executed as it is, down to C's functions.
//!
//! Objects get exactly the alignment asked for, and a free must name the layout of the allocation.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::message::message;
use crate::models::heap;
use crate::models::table::{Row, always};
use crate::state::State;
use symex_memory::{Allocator, Initial};
use symex_terms::{ObjectId, Value};
use symex_types::outcome::FindingKind;

/// Rows of the allocator.
pub const ROWS: &[Row] = &[
    always("__rustc::__rdl_alloc", alloc),
    always("__rustc::__rdl_alloc_zeroed", alloc_zeroed),
    always("__rustc::__rdl_dealloc", dealloc),
    always("__rustc::__rdl_realloc", realloc),
    always("__rustc::__rdl_alloc_error_handler", out_of_memory),
    always("__rustc::__rust_no_alloc_shim_is_unstable_v2", nothing),
    always("std::alloc::rust_oom", out_of_memory),
    always("std::alloc::_::__rust_alloc_error_handler", out_of_memory),
    always("alloc::alloc::handle_alloc_error", out_of_memory),
];

fn nothing(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

fn alloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    alloc_with(m, st, c, Initial::Uninit)
}

fn alloc_zeroed(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    alloc_with(m, st, c, Initial::Zero)
}

/// Returns the base-2 logarithm of an alignment; anything but a power of two is the caller's fault.
fn align_log2(m: &mut Executor, st: &mut State, align: Value) -> Res<u8> {
    let align = m.concretise(st, align, 64)?;
    if !align.is_power_of_two() {
        let message = format!("a layout with the alignment {align}");
        return Err(Fault::new(FindingKind::InvalidAssume, message).into());
    }
    Ok(align.trailing_zeros() as u8)
}

/// Checks that a size to be allocated is one for which the allocator's functions are defined: not
/// zero, nor more than an object can have.
fn require_bytes(m: &mut Executor, st: &mut State, size: Value, align_log2: u8) -> Res<()> {
    let size = m.term(st, size, 64);
    let zero = m.pool.constant(64, 0);
    let some = m.pool.ne(size, zero);
    m.require(st, some, || {
        let message = "an allocation of no bytes, which `GlobalAlloc` leaves undefined";
        Fault::new(FindingKind::UncheckedOperation, message)
    })?;
    let most = i64::MAX as u128 + 1 - (1 << align_log2);
    let most = m.pool.constant(64, most);
    let fits = m.pool.ule(size, most);
    m.require(st, fits, || {
        let message =
            "an allocation of more than `isize::MAX` bytes, which `Layout` does not allow";
        Fault::new(FindingKind::UncheckedOperation, message)
    })
}

fn alloc_with(m: &mut Executor, st: &mut State, c: &Call, initial: Initial) -> Res<Flow> {
    let align = align_log2(m, st, c.arg(1))?;
    require_bytes(m, st, c.arg(0), align)?;
    let Some(size) = heap::size(m, st, c.arg(0))? else {
        return Flow::value(Value::NULL);
    };
    let object = heap::allocate_from(m, st, Allocator::Rust, size, align, initial)?;
    Flow::value(Value::Ptr(object, 0))
}

/// Returns the object to free, after checking the layout that the caller gives.
fn checked(
    m: &mut Executor,
    st: &mut State,
    ptr: Value,
    size: Value,
    align: Value,
) -> Res<ObjectId> {
    let align = align_log2(m, st, align)?;
    let Some(object) = heap::object_to_free(m, st, ptr, Allocator::Rust)? else {
        return Err(Fault::new(FindingKind::InvalidFree, "dealloc of a null pointer").into());
    };
    let o = st.memory.object(object);
    let (extent, allocated_align) = (Extent::of(o), o.align_log2);
    let allocated = extent.value();
    if size == allocated && align == allocated_align {
        return Ok(object);
    }
    let message = message![
        "allocated with a size of ",
        m.number(st, allocated),
        format!(
            " and an alignment of {}, freed with a size of ",
            1u64 << allocated_align
        ),
        m.number(st, size),
        format!(" and an alignment of {}", 1u64 << align)
    ];
    let fault = Fault::new(FindingKind::InvalidFree, message).of(object);
    let (x, y) = (m.term(st, size, 64), m.term(st, allocated, 64));
    let same = m.pool.eq(x, y);
    if align != allocated_align || m.pool.as_const(same) == Some(0) {
        return Err(fault.into());
    }
    m.require(st, same, || fault)?;
    Ok(object)
}

fn dealloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let object = checked(m, st, c.arg(0), c.arg(1), c.arg(2))?;
    heap::free(m, st, object);
    Flow::void()
}

fn realloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let object = checked(m, st, c.arg(0), c.arg(1), c.arg(2))?;
    let align = st.memory.object(object).align_log2;
    require_bytes(m, st, c.arg(3), align)?;
    let Some(size) = heap::size(m, st, c.arg(3))? else {
        return Flow::value(Value::NULL);
    };
    let new = heap::reallocate(m, st, object, size, align)?;
    Flow::value(Value::Ptr(new, 0))
}

fn out_of_memory(_: &mut Executor, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "memory allocation failed").into())
}
