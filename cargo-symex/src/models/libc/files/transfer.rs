//! Reading and writing through descriptors.

use super::{Errno, files, is_standard, note_pipes};
use crate::exec::Machine;
use crate::exec::access::Access;
use crate::exec::end::{Fault, Res};
use crate::exec::model::{Call, Flow};
use crate::expr::Value;
use crate::models::libc::bytes;
use crate::models::libc::errno::{self, EAGAIN, EBADF, EINVAL, EISDIR, ESPIPE};
use crate::models::table::{Row, row};
use crate::models::world;
use crate::outcome::{FindingKind, Gap};
use crate::solver::Purpose;
use crate::state::State;
use crate::state::files::{DescriptionId, Files, Kind, NodeId};

pub const ROWS: &[Row] = &[
    row("read", read),
    row("__read_chk", read),
    row("readv", readv),
    row("pread", pread),
    row("pread64", pread),
    row("write", write),
    row("writev", writev),
    row("pwrite", pwrite),
    row("pwrite64", pwrite),
    row("lseek", lseek),
    row("lseek64", lseek),
    row("ftruncate", ftruncate),
    row("ftruncate64", ftruncate),
    row("fsync", sync),
    row("fdatasync", sync),
];

/// Greatest size of a file that a program makes.
const MOST_OF_FILE: u64 = 16 << 20;

/// What a pipe holds before it is full.
const MOST_OF_PIPE: usize = 64 << 10;

/// The description behind a descriptor.
pub fn description(
    m: &mut Machine,
    st: &mut State,
    descriptor: Value,
) -> Res<Result<DescriptionId, Errno>> {
    let number = m.concretise(st, descriptor, 32)?;
    Ok(st.world.files.description_of(number).ok_or(EBADF))
}

/// How many bytes of those that are there a read wants: one path for each number that is less.
fn wanted(m: &mut Machine, st: &mut State, count: Value, available: u64) -> Res<u64> {
    if let Value::Int(count) = count {
        return Ok(count.min(available));
    }
    let term = m.term(st, count, 64);
    let all = m.pool.constant(64, u128::from(available));
    let all = m.pool.ule(all, term);
    if m.split(st, all, Purpose::Branch)? {
        return Ok(available);
    }
    m.concretise(st, count, 64)
}

/// Why nothing can be read from a description, if so. A pipe that is empty while somebody could still write to it keeps its
/// reader waiting, which is for ever where there is one process.
pub fn may_read(m: &mut Machine, st: &State, id: DescriptionId) -> Res<Result<(), Errno>> {
    const NON_BLOCKING: u64 = 0x800;
    let open = st.world.files.description(id);
    let (node, flags) = (open.node, open.flags);
    if !open.readable {
        return Ok(Err(EBADF));
    }
    if node == Files::INPUT && m.config.world.stdin.is_none() {
        world::take(m, st, world::STDIN);
    }
    match &st.world.files.node(node).kind {
        Kind::Directory { .. } => Ok(Err(EISDIR)),
        Kind::Pipe(bytes) if bytes.is_empty() && st.world.files.pipe_has_other_end(node, true) => {
            if flags & NON_BLOCKING != 0 {
                return Ok(Err(EAGAIN));
            }
            let message = "deadlock: the only process waits for what is written to a pipe";
            Err(Fault::new(FindingKind::Hang, message).into())
        }
        _ => Ok(Ok(())),
    }
}

/// `read(descriptor, buffer, count)`.
fn read(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    if c.arg(2) == Value::Int(0) {
        return Flow::int(0);
    }
    if let Err(code) = may_read(m, st, id)? {
        return errno::fail(m, st, c, code);
    }
    let count = wanted(m, st, c.arg(2), st.world.files.available(id))?;
    if count > 0 {
        let (object, at) = m.check_range(st, c.arg(1), count, Access::Write)?;
        let taken = files(st).take(id, count);
        put_into(m, st, (object, at), &taken);
    }
    Flow::int(count)
}

fn put_into(
    m: &mut Machine,
    st: &mut State,
    (object, at): (crate::expr::ObjectId, u64),
    bytes: &[Value],
) {
    for (i, byte) in bytes.iter().enumerate() {
        let at = at + i as u64;
        st.memory.store(&mut m.pool, object, at, 8, *byte);
    }
}

/// The buffers of a list, in order: where each begins, and its length.
fn pieces(m: &mut Machine, st: &mut State, c: &Call) -> Res<Option<Vec<(Value, u64)>>> {
    const MOST: u64 = 1024;
    let count = m.concretise(st, c.arg(2), 32)?;
    if count > MOST {
        return Ok(None);
    }
    let mut pieces = Vec::new();
    for i in 0..count {
        let piece = m.offset_pointer(st, c.arg(1), 16 * i);
        let start = m.load(st, piece, 64, 0)?;
        let piece = m.offset_pointer(st, piece, 8);
        let len = m.load(st, piece, 64, 0)?;
        pieces.push((start, m.concretise(st, len, 64)?));
    }
    Ok(Some(pieces))
}

/// `readv(descriptor, pieces, count)`.
fn readv(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let Some(pieces) = pieces(m, st, c)? else {
        return errno::fail(m, st, c, EINVAL);
    };
    if pieces.iter().all(|piece| piece.1 == 0) {
        return Flow::int(0);
    }
    if let Err(code) = may_read(m, st, id)? {
        return errno::fail(m, st, c, code);
    }
    let mut left = st.world.files.available(id);
    let mut places = Vec::new();
    for (start, len) in pieces {
        let len = len.min(left);
        if len > 0 {
            places.push((m.check_range(st, start, len, Access::Write)?, len));
            left -= len;
        }
    }
    let mut count = 0;
    for (place, len) in places {
        let taken = files(st).take(id, len);
        put_into(m, st, place, &taken);
        count += len;
    }
    Flow::int(count)
}

/// A place in a file, as `pread` and its like are told; `None` if it is negative.
fn place(m: &mut Machine, st: &mut State, at: Value) -> Res<Option<u64>> {
    let at = m.concretise(st, at, 64)?;
    Ok(i64::try_from(at).is_ok().then_some(at))
}

/// The file of a description if it has places.
fn seekable(m: &mut Machine, st: &State, id: DescriptionId) -> Result<NodeId, Errno> {
    let node = st.world.files.description(id).node;
    match st.world.files.node(node).kind {
        Kind::Regular(_) | Kind::Null => Ok(node),
        Kind::Directory { .. } => Err(EISDIR),
        Kind::Pipe(_) | Kind::Sink(_) => {
            note_pipes(m, st, id);
            Err(ESPIPE)
        }
    }
}

/// `pread(descriptor, buffer, count, place)`.
fn pread(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let Some(at) = place(m, st, c.arg(3))? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let node = match seekable(m, st, id) {
        Ok(node) if st.world.files.description(id).readable => node,
        Ok(_) => return errno::fail(m, st, c, EBADF),
        Err(code) => return errno::fail(m, st, c, code),
    };
    let all = st.world.files.read_at(node, at, u64::MAX);
    let count = wanted(m, st, c.arg(2), all.len() as u64)?;
    bytes::write(m, st, c.arg(1), &all[..count as usize])?;
    Flow::int(count)
}

/// Why so many bytes cannot be written to a description, if so.
pub fn may_write(st: &State, id: DescriptionId, count: usize) -> Res<Result<(), Errno>> {
    let open = st.world.files.description(id);
    if !open.writable {
        return Ok(Err(EBADF));
    }
    match &st.world.files.node(open.node).kind {
        Kind::Regular(bytes) => {
            let at = if open.append {
                bytes.len() as u64
            } else {
                open.offset
            };
            check_change(st, open.node, at, count as u64)?;
        }
        Kind::Pipe(waiting) => {
            let gap = if !st.world.files.pipe_has_other_end(open.node, false) {
                "a write to a pipe that nobody reads"
            } else if waiting.len() + count > MOST_OF_PIPE {
                "a write to a pipe that is full"
            } else {
                return Ok(Ok(()));
            };
            return Err(Gap::Model(gap.into()).into());
        }
        Kind::Directory { .. } | Kind::Sink(_) | Kind::Null => {}
    }
    Ok(Ok(()))
}

/// Can a file be changed from a place on? What is mapped into memory as it is would change there, too.
pub fn check_change(st: &State, node: NodeId, at: u64, count: u64) -> Res<()> {
    if st.world.files.node(node).mapped {
        return Err(Gap::Model("a change of a file that is mapped".into()).into());
    }
    if count > 0 && at.saturating_add(count) > MOST_OF_FILE {
        let what = format!("a file of more than {MOST_OF_FILE} bytes");
        return Err(Gap::Model(what).into());
    }
    Ok(())
}

/// Writes bytes to a descriptor.
fn send(
    m: &mut Machine,
    st: &mut State,
    c: &Call,
    id: DescriptionId,
    bytes: Vec<Value>,
) -> Res<Flow> {
    let count = bytes.len();
    if let Err(code) = may_write(st, id, count)? {
        return errno::fail(m, st, c, code);
    }
    files(st).put(id, bytes);
    Flow::int(count as u64)
}

/// `write(descriptor, buffer, count)`.
fn write(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let count = m.concretise(st, c.arg(2), 64)?;
    let bytes = m.read_bytes(st, c.arg(1), count)?;
    send(m, st, c, id, bytes)
}

/// `writev(descriptor, pieces, count)`.
fn writev(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let Some(pieces) = pieces(m, st, c)? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let mut all = Vec::new();
    for (start, len) in pieces {
        all.extend(m.read_bytes(st, start, len)?);
    }
    send(m, st, c, id, all)
}

/// `pwrite(descriptor, buffer, count, place)`.
fn pwrite(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let Some(at) = place(m, st, c.arg(3))? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let node = match seekable(m, st, id) {
        Ok(node) if st.world.files.description(id).writable => node,
        Ok(_) => return errno::fail(m, st, c, EBADF),
        Err(code) => return errno::fail(m, st, c, code),
    };
    let count = m.concretise(st, c.arg(2), 64)?;
    let bytes = m.read_bytes(st, c.arg(1), count)?;
    check_change(st, node, at, count)?;
    let fs = files(st);
    // Linux appends, wherever the call says.
    let at = match &fs.node(node).kind {
        Kind::Regular(old) if fs.description(id).append => old.len() as u64,
        _ => at,
    };
    fs.write_at(node, at, bytes);
    Flow::int(count)
}

/// Where a description goes to for `lseek`, counted from the beginning.
pub fn seek_to(
    m: &mut Machine,
    st: &mut State,
    id: DescriptionId,
    offset: Value,
    whence: Value,
) -> Res<Result<u64, Errno>> {
    let whence = m.concretise(st, whence, 32)?;
    let offset = m.concretise(st, offset, 64)? as i64;
    let open = st.world.files.description(id);
    let (node, now) = (open.node, open.offset);
    let size = match &st.world.files.node(node).kind {
        Kind::Regular(bytes) => bytes.len() as u64,
        // Always at its beginning.
        Kind::Null => return Ok(Ok(0)),
        Kind::Directory { .. } => return Err(Gap::Model("lseek of a directory".into()).into()),
        Kind::Pipe(_) | Kind::Sink(_) => {
            note_pipes(m, st, id);
            return Ok(Err(ESPIPE));
        }
    };
    let from = match whence {
        0 => 0,
        1 => now,
        2 => size,
        3 | 4 => return Err(Gap::Model("lseek to holes of a file".into()).into()),
        _ => return Ok(Err(EINVAL)),
    };
    let to = (from as i64).checked_add(offset).filter(|to| *to >= 0);
    Ok(to.map(|to| to as u64).ok_or(EINVAL))
}

/// `lseek(descriptor, offset, whence)`.
fn lseek(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    match seek_to(m, st, id, c.arg(1), c.arg(2))? {
        Ok(to) => {
            files(st).description_mut(id).offset = to;
            Flow::int(to)
        }
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `ftruncate(descriptor, size)`.
fn ftruncate(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let open = st.world.files.description(id);
    let (node, writable) = (open.node, open.writable);
    let Some(size) = place(m, st, c.arg(1))? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let regular = matches!(st.world.files.node(node).kind, Kind::Regular(_));
    if !writable || !regular {
        return errno::fail(m, st, c, EINVAL);
    }
    check_change(st, node, size, 1)?;
    files(st).truncate(node, size);
    Flow::int(0)
}

/// What is written is where it should be at once.
fn sync(m: &mut Machine, st: &mut State, c: &Call) -> Res<Flow> {
    match description(m, st, c.arg(0))? {
        Ok(id) if is_standard(st, id) => {
            note_pipes(m, st, id);
            errno::fail(m, st, c, EINVAL)
        }
        Ok(_) => Flow::int(0),
        Err(code) => errno::fail(m, st, c, code),
    }
}
