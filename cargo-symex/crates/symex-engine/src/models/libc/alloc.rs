//! Models of C's allocator.

use super::{bytes, errno};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::Res;
use crate::models::heap;
use crate::models::table::{Row, row};
use crate::state::State;
use symex_memory::{Allocator, Initial};
use symex_solver::Purpose;
use symex_terms::{BinOp, Value};

pub const ROWS: &[Row] = &[
    row("malloc", malloc),
    row("calloc", calloc),
    row("realloc", realloc),
    row("reallocarray", reallocarray),
    row("free", free),
    row("cfree", free),
    row("posix_memalign", posix_memalign),
    row("aligned_alloc", aligned_alloc),
    row("memalign", aligned_alloc),
    row("valloc", valloc),
    row("malloc_usable_size", usable_size),
    row("strdup", strdup),
    row("__strdup", strdup),
    row("strndup", strndup),
    row("_Znwm", malloc),
    row("_Znam", malloc),
    row("_ZdlPv", free),
    row("_ZdaPv", free),
    row("_ZdlPvm", free),
    row("_ZdaPvm", free),
];

/// Alignment that `malloc` guarantees on 64-bit targets: 16 bytes.
const ALIGN_LOG2: u8 = 4;

/// Returns null, and sets `ENOMEM`.
fn no_memory(m: &mut Executor, st: &mut State) -> Res<Flow> {
    errno::set(m, st, errno::ENOMEM);
    Flow::value(Value::NULL)
}

fn new(m: &mut Executor, st: &mut State, size: Extent, align: u8, initial: Initial) -> Res<Flow> {
    let object = heap::allocate(m, st, size, align, initial)?;
    Flow::value(Value::Ptr(object, 0))
}

fn malloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match heap::size(m, st, c.arg(0))? {
        Some(size) => new(m, st, size, ALIGN_LOG2, Initial::Uninit),
        None => no_memory(m, st),
    }
}

/// Returns the product of two sizes; `None` if it overflows.
pub fn product(m: &mut Executor, st: &mut State, a: Value, b: Value) -> Res<Option<Value>> {
    if let (Value::Int(x), Value::Int(y)) = (a, b) {
        return Ok(x.checked_mul(y).map(Value::Int));
    }
    let (x, y) = (m.term(st, a, 64), m.term(st, b, 64));
    let overflow = m.pool.bin(BinOp::UMulO, x, y);
    if m.split(st, overflow, Purpose::Bounds)? {
        return Ok(None);
    }
    let product = m.pool.bin(BinOp::Mul, x, y);
    Ok(Some(m.pool.value(product)))
}

fn calloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let Some(size) = product(m, st, c.arg(0), c.arg(1))? else {
        return no_memory(m, st);
    };
    match heap::size(m, st, size)? {
        Some(size) => new(m, st, size, ALIGN_LOG2, Initial::Zero),
        None => no_memory(m, st),
    }
}

fn realloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    resize(m, st, c.arg(0), c.arg(1))
}

fn resize(m: &mut Executor, st: &mut State, ptr: Value, size: Value) -> Res<Flow> {
    let old = heap::object_to_free(m, st, ptr, Allocator::C)?;
    let Some(size) = heap::size(m, st, size)? else {
        return no_memory(m, st);
    };
    let Some(old) = old else {
        return new(m, st, size, ALIGN_LOG2, Initial::Uninit);
    };
    if vanishes(m, st, size)? {
        // As glibc does.
        heap::free(m, st, old);
        return Flow::value(Value::NULL);
    }
    let object = heap::reallocate(m, st, old, size, ALIGN_LOG2)?;
    Flow::value(Value::Ptr(object, 0))
}

/// Reports whether a size is zero, forking if it may be.
fn vanishes(m: &mut Executor, st: &mut State, size: Extent) -> Res<bool> {
    let Some(length) = size.length else {
        return Ok(size.most == 0);
    };
    let zero = m.pool.constant(64, 0);
    let none = m.pool.eq(length.term, zero);
    m.split(st, none, Purpose::Branch)
}

fn reallocarray(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match product(m, st, c.arg(1), c.arg(2))? {
        Some(size) => resize(m, st, c.arg(0), size),
        None => no_memory(m, st),
    }
}

fn free(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if let Some(object) = heap::object_to_free(m, st, c.arg(0), Allocator::C)? {
        heap::free(m, st, object);
    }
    Flow::void()
}

fn posix_memalign(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let align = m.concretise(st, c.arg(1), 64)?;
    if !align.is_power_of_two() || align % 8 != 0 {
        return Flow::int(errno::EINVAL);
    }
    let Some(size) = heap::size(m, st, c.arg(2))? else {
        return Flow::int(errno::ENOMEM);
    };
    let (out, at) = m.check_range(st, c.arg(0), 8, Access::Write)?;
    let align = align.trailing_zeros() as u8;
    let object = heap::allocate(m, st, size, align, Initial::Uninit)?;
    let ptr = Value::Ptr(object, 0);
    st.memory.store(&mut m.pool, out, at, 64, ptr);
    Flow::int(0)
}

fn aligned_alloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let align = m.concretise(st, c.arg(0), 64)?;
    if !align.is_power_of_two() {
        errno::set(m, st, errno::EINVAL);
        return Flow::value(Value::NULL);
    }
    match heap::size(m, st, c.arg(1))? {
        Some(size) => new(m, st, size, align.trailing_zeros() as u8, Initial::Uninit),
        None => no_memory(m, st),
    }
}

fn valloc(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match heap::size(m, st, c.arg(0))? {
        Some(size) => new(m, st, size, 12, Initial::Uninit),
        None => no_memory(m, st),
    }
}

fn usable_size(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match heap::object_to_free(m, st, c.arg(0), Allocator::C)? {
        Some(object) => Flow::value(Extent::of(st.memory.object(object)).value()),
        None => Flow::int(0),
    }
}

fn strdup(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    duplicate(m, st, c.arg(0), u64::MAX)
}

fn strndup(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let most = m.concretise(st, c.arg(1), 64)?;
    duplicate(m, st, c.arg(0), most)
}

fn duplicate(m: &mut Executor, st: &mut State, from: Value, most: u64) -> Res<Flow> {
    let len = bytes::length(m, st, from, most)?;
    Flow::value(copy_text(m, st, from, len)?)
}

/// Makes a C string of the first `len` bytes of another.
pub fn copy_text(m: &mut Executor, st: &mut State, from: Value, len: u64) -> Res<Value> {
    let source = if len > 0 {
        Some(m.check_range(st, from, len, Access::Read)?)
    } else {
        None
    };
    let object = heap::allocate(m, st, Extent::known(len + 1), ALIGN_LOG2, Initial::Uninit)?;
    if let Some(source) = source {
        st.memory.copy(&mut m.pool, (object, 0), source, len);
    }
    st.memory.store(&mut m.pool, object, len, 8, Value::Int(0));
    Ok(Value::Ptr(object, 0))
}
