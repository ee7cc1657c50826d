//! Model of `errno`: one object per path, made when first needed.

use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::table::{Row, row};
use crate::state::State;
use std::rc::Rc;
use symex_memory::{Initial, NewObject, ObjectKind};
use symex_program::LocId;
use symex_terms::{ObjectId, Value};

pub const ROWS: &[Row] = &[
    row("__errno_location", location),
    row("__error", location),
    row("___errno", location),
];

/// Defines error numbers as words: those of the machine on which findings are replayed.
macro_rules! numbers {
    ($($name:ident),+ $(,)?) => { $(pub const $name: u64 = ::libc::$name as u64;)+ };
}

numbers! {
    EACCES, EAFNOSUPPORT, EAGAIN, EBADF, EBUSY, ECONNRESET, EDEADLK, EEXIST, EFAULT, EINVAL, EIO, EISDIR, ELOOP,
    EMFILE, ENAMETOOLONG, ENODEV, ENOENT, ENOMEM, ENOSYS, ENOTDIR, ENOTEMPTY, ENOTSOCK,
    ENOTTY, EOPNOTSUPP, EPERM, EPIPE, ERANGE, ESPIPE, ESRCH, ETIMEDOUT,
}

/// Allocates an object of the C library, as if it were a global variable.
pub fn library_object(st: &mut State, size: u64, initial: Initial) -> ObjectId {
    st.memory.allocate(NewObject {
        size,
        length: None,
        align_log2: 4,
        kind: ObjectKind::Global,
        site: LocId::default(),
        birth: 0,
        initial,
    })
}

/// Returns an object as [`library_object`], made on first use and known by its name from then on.
pub fn library_object_once(
    m: &mut Executor,
    st: &mut State,
    name: &'static str,
    make: impl FnOnce(&mut Executor, &mut State) -> ObjectId,
) -> Value {
    if let Some(known) = st.world.counters.get(name) {
        return Value::Ptr(ObjectId(*known as u32), 0);
    }
    let object = make(m, st);
    let counters = &mut Rc::make_mut(&mut st.world).counters;
    counters.insert(name, u64::from(object.0));
    Value::Ptr(object, 0)
}

fn object(st: &mut State) -> ObjectId {
    if let Some(object) = st.world.errno {
        return object;
    }
    let object = library_object(st, 4, Initial::Zero);
    Rc::make_mut(&mut st.world).errno = Some(object);
    object
}

/// Sets `errno`.
pub fn set(m: &mut Executor, st: &mut State, code: u64) {
    let object = object(st);
    st.memory
        .store(&mut m.pool, object, 0, 32, Value::Int(code));
}

/// Returns the current value.
pub fn value(m: &mut Executor, st: &mut State) -> Value {
    let object = object(st);
    st.memory.load(&mut m.pool, object, 0, 32)
}

/// Fails as system calls do: returns -1, and sets `errno`.
pub fn fail(m: &mut Executor, st: &mut State, c: &Call, code: u64) -> Res<Flow> {
    let result = if c.negative_errors {
        code.wrapping_neg()
    } else {
        set(m, st, code);
        u64::MAX
    };
    let width = c.returns.first().copied().unwrap_or(32);
    Flow::int(match width {
        64.. => result,
        width => result & ((1 << width) - 1),
    })
}

fn location(_: &mut Executor, st: &mut State, _: &Call) -> Res<Flow> {
    let object = object(st);
    Flow::value(Value::Ptr(object, 0))
}
