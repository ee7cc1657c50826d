//! Models of the `printf` family: destinations of the formatted text (`print`).

use super::failing::Transfer;
use super::files::{files, transfer};
use super::print::{Mode, format};
use super::varargs::VarArgs;
use super::{bytes, errno, stdio};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::Res;
use crate::models::heap;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::streams::StreamId;
use symex_memory::Initial;
use symex_terms::Value;
use symex_types::outcome::Failure;

pub const ROWS: &[Row] = &[
    row("printf", printf),
    row("__printf_chk", printf_chk),
    row("fprintf", fprintf),
    row("__fprintf_chk", fprintf_chk),
    row("dprintf", dprintf),
    row("__dprintf_chk", dprintf_chk),
    row("vdprintf", vdprintf),
    row("vprintf", vprintf),
    row("__vprintf_chk", vprintf_chk),
    row("vfprintf", vfprintf),
    row("__vfprintf_chk", vfprintf_chk),
    row("sprintf", sprintf),
    row("__sprintf_chk", sprintf_chk),
    row("snprintf", snprintf),
    row("__snprintf_chk", snprintf_chk),
    row("vsprintf", vsprintf),
    row("__vsprintf_chk", vsprintf_chk),
    row("vsnprintf", vsnprintf),
    row("__vsnprintf_chk", vsnprintf_chk),
    row("asprintf", asprintf),
    row("vasprintf", vasprintf),
];

/// Prints to a stream.
fn show(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    to: StreamId,
    template: Value,
    args: VarArgs,
) -> Res<Flow> {
    if !stdio::ready(m, st, to)? {
        return stdio::end(c);
    }
    let mode = match stdio::sink(st, to) {
        Some(_) => Mode::shown(c),
        None => Mode::Exact,
    };
    let text = format(m, st, template, args, mode)?;
    let len = text.length(m);
    match stdio::write_text(m, st, to, text.pieces)? {
        true => Flow::value(len),
        false => stdio::end(c),
    }
}

/// Prints to memory: at most `size` bytes with the terminator; returns the length of the whole
/// text.
fn store(
    m: &mut Executor,
    st: &mut State,
    to: Value,
    size: u64,
    template: Value,
    args: VarArgs,
) -> Res<Flow> {
    let text = format(m, st, template, args, Mode::Exact)?;
    let sources = text.sources.clone();
    let mut text = text.bytes();
    let len = text.len() as u64;
    if size > 0 {
        text.truncate(usize::try_from(size - 1).unwrap_or(usize::MAX));
        text.push(Value::Int(0));
        for source in sources {
            m.check_not_printed_over(st, (to, text.len() as u64), source)?;
        }
        bytes::write(m, st, to, &text)?;
    }
    Flow::int(len)
}

/// Prints to a new object, whose address is stored to `out`.
fn make(m: &mut Executor, st: &mut State, out: Value, template: Value, args: VarArgs) -> Res<Flow> {
    let mut text = format(m, st, template, args, Mode::Exact)?.bytes();
    let len = text.len() as u64;
    text.push(Value::Int(0));
    let (place, at) = m.check_range(st, out, 8, Access::Write)?;
    let object = heap::allocate(m, st, Extent::known(len + 1), 4, Initial::Uninit)?;
    bytes::write(m, st, Value::Ptr(object, 0), &text)?;
    st.memory
        .store(&mut m.pool, place, at, 64, Value::Ptr(object, 0));
    Flow::int(len)
}

fn printf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::standard(m, st, stdio::STDOUT, c)?;
    show(m, st, c, to, c.arg(0), VarArgs::of_call(c, 1))
}

fn printf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::standard(m, st, stdio::STDOUT, c)?;
    show(m, st, c, to, c.arg(1), VarArgs::of_call(c, 2))
}

fn fprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::stream(m, st, c.arg(0), c)?;
    show(m, st, c, to, c.arg(1), VarArgs::of_call(c, 2))
}

fn fprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::stream(m, st, c.arg(0), c)?;
    show(m, st, c, to, c.arg(2), VarArgs::of_call(c, 3))
}

fn dprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    print_to_descriptor(m, st, c, 1, VarArgs::of_call(c, 2))
}

fn dprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    print_to_descriptor(m, st, c, 2, VarArgs::of_call(c, 3))
}

fn vdprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    print_to_descriptor(m, st, c, 1, args)
}

/// Prints to the descriptor that comes first, by the format at a leaf.
fn print_to_descriptor(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    at: usize,
    args: VarArgs,
) -> Res<Flow> {
    let number = m.concretise(st, c.arg(0), 32)?;
    let Some(id) = st.world.files.description_of(number) else {
        return errno::fail(m, st, c, errno::EBADF);
    };
    let mode = match stdio::sink_of(st, id) {
        Some(_) => Mode::shown(c),
        None => Mode::Exact,
    };
    let text = format(m, st, c.arg(at), args, mode)?;
    let len = text.length(m);
    if let Err(code) = transfer::may_write(st, id, text.pieces.len())? {
        return errno::fail(m, st, c, code);
    }
    if text.pieces.is_empty() {
        return Flow::int(0);
    }
    // That it writes less than it could is not seen: it is a stream of its own, which asks again.
    let asked = Transfer {
        name: "write",
        family: "write",
        descriptor: number as u32,
        bytes: 0,
    };
    let how = asked.choose(m, st, 0)?;
    asked.settle(m, st, how);
    if let Some(Failure::Error(code)) = how {
        return errno::fail(m, st, c, u64::from(code));
    }
    let node = st.world.files.description(id).node;
    m.update_file(st, node)?;
    files(st).put_text(id, text.pieces);
    m.update_mappings(st, node)?;
    Flow::value(len)
}

fn vprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::standard(m, st, stdio::STDOUT, c)?;
    let args = VarArgs::of_list(m, st, c.arg(1))?;
    show(m, st, c, to, c.arg(0), args)
}

fn vprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::standard(m, st, stdio::STDOUT, c)?;
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    show(m, st, c, to, c.arg(1), args)
}

fn vfprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::stream(m, st, c.arg(0), c)?;
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    show(m, st, c, to, c.arg(1), args)
}

fn vfprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = stdio::stream(m, st, c.arg(0), c)?;
    let args = VarArgs::of_list(m, st, c.arg(3))?;
    show(m, st, c, to, c.arg(2), args)
}

fn sprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    store(m, st, c.arg(0), u64::MAX, c.arg(1), VarArgs::of_call(c, 2))
}

fn sprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    store(m, st, c.arg(0), u64::MAX, c.arg(3), VarArgs::of_call(c, 4))
}

fn snprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    store(m, st, c.arg(0), size, c.arg(2), VarArgs::of_call(c, 3))
}

fn snprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    store(m, st, c.arg(0), size, c.arg(4), VarArgs::of_call(c, 5))
}

fn vsprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    store(m, st, c.arg(0), u64::MAX, c.arg(1), args)
}

fn vsprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let args = VarArgs::of_list(m, st, c.arg(4))?;
    store(m, st, c.arg(0), u64::MAX, c.arg(3), args)
}

fn vsnprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    let args = VarArgs::of_list(m, st, c.arg(3))?;
    store(m, st, c.arg(0), size, c.arg(2), args)
}

fn vsnprintf_chk(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    let args = VarArgs::of_list(m, st, c.arg(5))?;
    store(m, st, c.arg(0), size, c.arg(4), args)
}

fn asprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    make(m, st, c.arg(0), c.arg(1), VarArgs::of_call(c, 2))
}

fn vasprintf(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let args = VarArgs::of_list(m, st, c.arg(2))?;
    make(m, st, c.arg(0), c.arg(1), args)
}
