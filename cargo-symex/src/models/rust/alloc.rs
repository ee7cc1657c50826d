//! Rust's default allocator (`std::alloc::System` behind `__rdl_*`). A global allocator of the program's own is
//! executed as it is, down to C's functions.
//!
//! Objects get exactly the alignment asked for, and a free must name the layout of the allocation.

use crate::exec::Machine;
use crate::exec::end::{Fault, Res};
use crate::exec::model::{Call, Flow};
use crate::expr::{ObjectId, Value};
use crate::memory::Initial;
use crate::models::heap;
use crate::models::table::{Row, always};
use crate::outcome::FindingKind;
use crate::state::State;

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

fn nothing(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Flow::void()
}

fn alloc(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    alloc_with(m, st, c, Initial::Uninit)
}

fn alloc_zeroed(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    alloc_with(m, st, c, Initial::Zero)
}

/// The base-2 logarithm of an alignment; anything but a power of two is the caller's fault.
fn align_log2(m: &mut Machine, st: &mut State, align: Value) -> Res<u8> {
    let align = m.concretise(st, align, 64)?;
    if !align.is_power_of_two() {
        let message = format!("a layout with the alignment {align}");
        return Err(Fault::new(FindingKind::InvalidAssume, message).into());
    }
    Ok(align.trailing_zeros() as u8)
}

fn alloc_with(m: &mut Machine, st: &mut State, c: &Call, initial: Initial) -> Res<Flow> {
    let align = align_log2(m, st, c.arg(1))?;
    let Some(size) = heap::size(m, st, c.arg(0))? else {
        return Flow::value(Value::NULL);
    };
    match heap::allocate(m, st, size, align, initial) {
        Some(object) => Flow::value(Value::Ptr(object, 0)),
        None => Flow::value(Value::NULL),
    }
}

/// The object to free, with the layout that the caller says checked.
fn checked(
    m: &mut Machine,
    st: &mut State,
    ptr: Value,
    size: Value,
    align: Value,
) -> Res<ObjectId> {
    let align = align_log2(m, st, align)?;
    let Some(object) = heap::object_to_free(m, st, ptr)? else {
        return Err(Fault::new(FindingKind::InvalidFree, "dealloc of a null pointer").into());
    };
    let o = st.memory.object(object);
    let (allocated, allocated_align) = (o.size, o.align_log2);
    let wrong_size = |given: String| {
        let message = format!("{allocated} bytes were allocated, {given} are freed");
        Fault::new(FindingKind::InvalidFree, message).of(object)
    };
    match size {
        Value::Int(n) if n == allocated => {}
        Value::Int(n) => return Err(wrong_size(n.to_string()).into()),
        other => {
            let e = m.term(st, other, 64);
            let n = m.pool.constant(64, allocated as u128);
            let same = m.pool.eq(e, n);
            m.require(st, same, || {
                wrong_size("a number that depends on the input".to_string())
            })?;
        }
    }
    if align != allocated_align {
        let message = format!(
            "allocated with an alignment of {}, freed with one of {}",
            1u64 << allocated_align,
            1u64 << align
        );
        return Err(Fault::new(FindingKind::InvalidFree, message)
            .of(object)
            .into());
    }
    Ok(object)
}

fn dealloc(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let object = checked(m, st, c.arg(0), c.arg(1), c.arg(2))?;
    st.memory.free(object);
    Flow::void()
}

fn realloc(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let object = checked(m, st, c.arg(0), c.arg(1), c.arg(2))?;
    let align = st.memory.object(object).align_log2;
    let Some(size) = heap::size(m, st, c.arg(3))? else {
        return Flow::value(Value::NULL);
    };
    match heap::reallocate(m, st, object, size, align) {
        Some(new) => Flow::value(Value::Ptr(new, 0)),
        None => Flow::value(Value::NULL),
    }
}

fn out_of_memory(_: &mut Machine, _: &mut State, _: &Call) -> Res<Flow> {
    Err(Fault::new(FindingKind::Abort, "memory allocation failed").into())
}
