//! Heap objects as all allocators make and end them: where they come from, how big they may be, what is wrong with a
//! free. The calling conventions (null, errno, layouts) are the callers' business.

use crate::exec::Machine;
use crate::exec::end::{Fault, PathEnd, Res};
use crate::exec::resolve::Place;
use crate::expr::{ObjectId, Value};
use crate::memory::{Initial, NewObject, ObjectKind};
use crate::outcome::{Cut, FindingKind};
use crate::program::LocId;
use crate::solver::Purpose;
use crate::state::State;
use std::rc::Rc;

/// A request of a symbolic size is followed up for this many sizes.
const MOST_SIZES: u64 = 256;

/// The concrete size of a request, one path per size; `None` if it is over the limit and must fail as an allocator
/// does that has no memory left.
pub fn size(m: &mut Machine, st: &mut State, size: Value) -> Res<Option<u64>> {
    let limit = m.config.limits.max_allocation;
    let fits = match size {
        Value::Int(n) => n <= limit,
        _ => {
            let e = m.term(st, size, 64);
            let most = m.pool.constant(64, limit as u128);
            let fits = m.pool.ule(e, most);
            m.split(st, fits, Purpose::Bounds)?
        }
    };
    if !fits {
        let at = m.location(st);
        let bound = Cut::Bound(format!("allocations of at most {limit} bytes"));
        m.tally.cut(bound, at);
        return Ok(None);
    }
    if let Value::Int(n) = size {
        return Ok(Some(n));
    }
    // Each sibling comes here again with one size less, and with this count.
    let tried = Rc::make_mut(&mut st.world)
        .counters
        .entry("sizes of the request")
        .or_insert(0);
    *tried += 1;
    if *tried > MOST_SIZES {
        let bound = format!("the first {MOST_SIZES} sizes of an allocation");
        return Err(PathEnd::Cut(Cut::Bound(bound)).into());
    }
    let n = m.concretise(st, size, 64)?;
    Rc::make_mut(&mut st.world)
        .counters
        .remove("sizes of the request");
    Ok(Some(n))
}

/// The place to show for an allocation: the innermost one that is not in Rust's own library.
fn site(m: &Machine, st: &State) -> LocId {
    let mut innermost = LocId::default();
    let locs = &m.program.locs;
    for frame in st.stack.iter().take(16) {
        let Some(body) = &m.program.function(frame.function).body else {
            continue;
        };
        let mut next = body.locs.get(frame.pc as usize).copied();
        while let Some(id) = next {
            let Some(loc) = locs.get(id) else { break };
            if innermost == LocId::default() {
                innermost = id;
            }
            let file = locs.files.get(loc.file as usize).map_or("", |f| f.as_str());
            let library = file.starts_with("/rustc/") || file.contains("/rustlib/src/rust/");
            if loc.line != 0 && !library {
                return id;
            }
            next = loc.inlined_at;
        }
    }
    innermost
}

/// A heap object; `None` if there is no room.
pub fn allocate(
    m: &mut Machine,
    st: &mut State,
    size: u64,
    align_log2: u8,
    initial: Initial,
) -> Option<ObjectId> {
    let site = site(m, st);
    st.memory.try_allocate(NewObject {
        size,
        align_log2,
        kind: ObjectKind::Heap,
        site,
        initial,
    })
}

/// The live heap object that begins where a pointer points, for freeing it; `None` for null.
pub fn object_to_free(m: &mut Machine, st: &mut State, ptr: Value) -> Res<Option<ObjectId>> {
    let (object, offset) = match m.resolve(st, ptr)? {
        Place::Nowhere(0) => return Ok(None),
        Place::Nowhere(address) => {
            let message = format!("free of address {address:#x}, which was never allocated");
            return Err(Fault::new(FindingKind::InvalidFree, message).into());
        }
        Place::Object(object, offset) => (object, offset),
    };
    let what = m.describe(st, object);
    let invalid = |text: String| Fault::new(FindingKind::InvalidFree, text).of(object);
    if st.memory.object(object).kind != ObjectKind::Heap {
        return Err(invalid(format!("free of {what}")).into());
    }
    if !st.memory.is_live(object) {
        let message = format!("free of {what}, which was freed before");
        return Err(Fault::new(FindingKind::DoubleFree, message)
            .of(object)
            .into());
    }
    match offset {
        Value::Int(0) => {}
        Value::Int(at) => {
            return Err(invalid(format!("free at offset {} of {what}", at as i64)).into());
        }
        other => {
            let e = m.term(st, other, 64);
            let zero = m.pool.constant(64, 0);
            let start = m.pool.eq(e, zero);
            m.require(st, start, || {
                invalid(format!("free of a place inside {what}"))
            })?;
        }
    }
    Ok(Some(object))
}

/// A copy of an object's beginning in a new one, for `realloc`: the old one ends.
pub fn reallocate(
    m: &mut Machine,
    st: &mut State,
    old: ObjectId,
    size: u64,
    align_log2: u8,
) -> Option<ObjectId> {
    let new = allocate(m, st, size, align_log2, Initial::Uninit)?;
    let common = size.min(st.memory.object(old).size);
    st.memory.copy(&mut m.pool, (new, 0), (old, 0), common);
    st.memory.free(old);
    Some(new)
}
