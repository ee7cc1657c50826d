//! Models of reading and writing through descriptors.

use super::descriptors::NON_BLOCKING;
use super::sockets::{socket, take_reset};
use super::{Errno, files, note_pipes};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{
    self, EAGAIN, EBADF, ECONNRESET, EFAULT, EINVAL, EISDIR, EPIPE, ESPIPE,
};
use crate::models::libc::failing::Transfer;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{
    COUNTER_BYTES, DescriptionId, FileKind, Files, NodeId, known, number,
};
use crate::state::readiness::{HANG_UP, IN, Socket};
use crate::state::threads::Wait;
use symex_solver::Purpose;
use symex_terms::Value;
use symex_types::outcome::{Failure, Unsupported};

pub const ROWS: &[Row] = &[
    row("read", read),
    row("__read_chk", read),
    row("readv", readv),
    row("pread", pread),
    row("pread64", pread),
    row("preadv", preadv),
    row("preadv64", preadv),
    row("write", write),
    row("writev", writev),
    row("pwrite", pwrite),
    row("pwrite64", pwrite),
    row("pwritev", pwritev),
    row("pwritev64", pwritev),
    row("send", send_message),
    row("sendto", send_message),
    row("recv", receive_message),
    row("recvfrom", receive_message),
];

/// Greatest size of a file that a program makes, in bytes.
const MOST_OF_FILE: u64 = 16 << 20;

/// Capacity of a pipe in bytes.
const MOST_OF_PIPE: usize = 64 << 10;

/// Returns the open file description of a descriptor.
pub fn description(
    m: &mut Executor,
    st: &mut State,
    descriptor: Value,
) -> Res<Result<DescriptionId, Errno>> {
    let number = m.concretise(st, descriptor, 32)?;
    Ok(st.world.files.description_of(number).ok_or(EBADF))
}

/// Returns the file of a descriptor, as [`description`] does its open file description.
pub(super) fn open_node(
    m: &mut Executor,
    st: &mut State,
    descriptor: Value,
) -> Res<Result<NodeId, Errno>> {
    let id = description(m, st, descriptor)?;
    Ok(id.map(|id| st.world.files.description(id).node))
}

/// Returns how many of the available bytes a read wants, forking a path for each smaller number.
fn wanted(m: &mut Executor, st: &mut State, count: Value, available: u64) -> Res<u64> {
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

/// Returns the reason why nothing can be read from a description, if so. Reading an empty pipe that
/// still has a writer blocks, for ever where there is one process.
pub fn may_read(m: &mut Executor, st: &mut State, id: DescriptionId) -> Res<Result<(), Errno>> {
    let open = st.world.files.description(id);
    let (node, flags) = (open.node, open.flags);
    if !open.readable {
        return Ok(Err(EBADF));
    }
    if node == Files::INPUT {
        outside_world::take_stdin(m, st);
    }
    let is_empty = |socket: &Socket| socket.received.is_empty();
    if st.world.files.socket(node).is_some_and(is_empty) && take_reset(st, node) {
        return Ok(Err(ECONNRESET));
    }
    match &st.world.files.node(node).kind {
        FileKind::Directory { .. } => Ok(Err(EISDIR)),
        FileKind::Watch(_) => Ok(Err(EINVAL)),
        FileKind::Pipe(_) | FileKind::Socket(_) | FileKind::Counter { .. } | FileKind::Timer(_)
            if st.world.files.readiness(id, st.world.clock) & (IN | HANG_UP) == 0 =>
        {
            if flags & NON_BLOCKING != 0 {
                return Ok(Err(EAGAIN));
            }
            let Some(alarm) = st.world.files.alarm(id) else {
                m.wait_for_files(st, "the only process waits for what is written to a pipe")?;
                return Ok(Err(EAGAIN));
            };
            m.wait(st, Wait::Files, Some(alarm))?;
            Ok(Ok(()))
        }
        _ => Ok(Ok(())),
    }
}

/// Reports whether a file is one through which threads hand each other what they write.
fn is_between_threads(st: &State, node: NodeId) -> bool {
    matches!(
        st.world.files.node(node).kind,
        FileKind::Pipe(_) | FileKind::Socket(_) | FileKind::Counter { .. }
    )
}

/// Reports whether a file is read as one number: a counter, or a timer.
fn is_read_as_number(st: &State, node: NodeId) -> bool {
    matches!(
        st.world.files.node(node).kind,
        FileKind::Counter { .. } | FileKind::Timer(_)
    )
}

/// Form of a call that transfers bytes: the positions of its arguments.
#[derive(Clone, Copy)]
struct TransferForm {
    name: &'static str,
    family: &'static str,
    /// Whether there is a list of buffers. Otherwise there is one buffer.
    list: bool,
    /// Leaf of the file offset; `None`: the offset of the description.
    place: Option<usize>,
    /// Whether a connection that is closed is an error, and no signal.
    quietly: bool,
}

/// Open file on which a call works.
struct TransferTarget {
    form: TransferForm,
    descriptor: u32,
    id: DescriptionId,
    node: NodeId,
    place: Option<u64>,
}

impl TransferTarget {
    /// Returns the call as one that may fail.
    fn transfer(&self, bytes: usize) -> Transfer {
        Transfer {
            name: self.form.name,
            family: self.form.family,
            descriptor: self.descriptor,
            bytes: bytes as u64,
        }
    }
}

/// Returns the open file and offset of a call.
fn target(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    form: TransferForm,
) -> Res<Result<TransferTarget, Errno>> {
    let descriptor = m.concretise(st, c.arg(0), 32)?;
    let Some(id) = st.world.files.description_of(descriptor) else {
        return Ok(Err(EBADF));
    };
    let place = match form.place {
        None => None,
        Some(leaf) => match place(m, st, c.arg(leaf))? {
            None => return Ok(Err(EINVAL)),
            Some(at) => match seekable(m, st, id) {
                Ok(_) => Some(at),
                Err(code) => return Ok(Err(code)),
            },
        },
    };
    Ok(Ok(TransferTarget {
        form,
        descriptor: descriptor as u32,
        id,
        node: st.world.files.description(id).node,
        place,
    }))
}

/// Fails a call that is invalid by itself; it counts as a call of the system all the same.
fn refuse(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    form: TransferForm,
    code: Errno,
) -> Res<Flow> {
    let descriptor = m.concretise(st, c.arg(0), 32)? as u32;
    let asked = Transfer {
        name: form.name,
        family: form.family,
        descriptor,
        bytes: 0,
    };
    asked.settle(m, st, None);
    errno::fail(m, st, c, code)
}

const READ: TransferForm = TransferForm {
    name: "read",
    family: "read",
    list: false,
    place: None,
    quietly: false,
};

const WRITE: TransferForm = TransferForm {
    name: "write",
    family: "write",
    ..READ
};

/// `read(descriptor, buffer, count)`.
fn read(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    receive(m, st, c, READ)
}

/// `readv(descriptor, buffers, count)`.
fn readv(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let form = TransferForm {
        name: "readv",
        list: true,
        ..READ
    };
    receive(m, st, c, form)
}

/// `pread(descriptor, buffer, count, place)`.
fn pread(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let form = TransferForm {
        name: "pread",
        place: Some(3),
        ..READ
    };
    receive(m, st, c, form)
}

/// `preadv(descriptor, buffers, count, place)`.
fn preadv(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let form = TransferForm {
        name: "preadv",
        list: true,
        place: Some(3),
        ..READ
    };
    receive(m, st, c, form)
}

/// Reads, in the form of the call.
fn receive(m: &mut Executor, st: &mut State, c: &Call, form: TransferForm) -> Res<Flow> {
    let target = match target(m, st, c, form)? {
        Ok(target) => target,
        Err(code) => return refuse(m, st, c, form, code),
    };
    if is_between_threads(st, target.node) {
        m.preempt(st);
    }
    let listed = match form.list {
        false => None,
        true => match pieces(m, st, c)? {
            None => return refuse(m, st, c, form, EINVAL),
            some => some,
        },
    };
    let nothing = match &listed {
        None => c.arg(2) == Value::Int(0),
        Some(pieces) => pieces.iter().all(|piece| piece.1 == 0),
    };
    let is_number = is_read_as_number(st, target.node);
    if is_number {
        let room = match &listed {
            None => m.concretise(st, c.arg(2), 64)?,
            Some(pieces) => pieces
                .iter()
                .fold(0, |sum, piece| piece.1.saturating_add(sum)),
        };
        if room < COUNTER_BYTES {
            return refuse(m, st, c, form, EINVAL);
        }
    }
    if !nothing && let Err(code) = may_read(m, st, target.id)? {
        return refuse(m, st, c, form, code);
    }
    let there = match target.place {
        None => st.world.files.available(target.id),
        Some(at) => st.world.files.size(target.node).saturating_sub(at),
    };
    let pieces = match listed {
        _ if nothing => Vec::new(),
        None => vec![(c.arg(1), wanted(m, st, c.arg(2), there)?)],
        Some(pieces) => pieces,
    };
    let mut left = there;
    let mut places = Vec::new();
    for (start, len) in pieces {
        let len = len.min(left);
        if len > 0 && is_bad_address(start) {
            if places.is_empty() {
                return refuse(m, st, c, form, EFAULT);
            }
            break;
        }
        if len > 0 {
            places.push((m.check_range(st, start, len, Access::Write)?, len));
            left -= len;
        }
    }
    let count = (there - left) as usize;
    let asked = target.transfer(if is_number { 1 } else { count });
    let how = match nothing {
        true => None,
        false => asked.choose(m, st, 0)?,
    };
    asked.settle(m, st, how);
    let count = match how {
        Some(Failure::Error(code)) => return errno::fail(m, st, c, u64::from(code)),
        Some(Failure::Short(most)) => count.min(most as usize),
        None => count,
    };
    m.update_file(st, target.node)?;
    if let Some(threads) = &mut st.threads {
        threads.acquire_from(target.node);
    }
    let now = st.world.clock;
    let taken = match target.place {
        None => match &mut files(st).node_mut(target.node).kind {
            FileKind::Timer(timer) => known(&timer.take(now).to_le_bytes()),
            _ => files(st).take(target.id, count as u64),
        },
        Some(at) => files(st).read_at(target.node, at, count as u64),
    };
    let mut rest = taken.as_slice();
    for (place, len) in places {
        let (now, later) = rest.split_at(rest.len().min(len as usize));
        put_into(m, st, place, now);
        rest = later;
    }
    Flow::int(taken.len() as u64)
}

fn put_into(
    m: &mut Executor,
    st: &mut State,
    (object, at): (symex_terms::ObjectId, u64),
    bytes: &[Value],
) {
    for (i, byte) in bytes.iter().enumerate() {
        let at = at + i as u64;
        st.memory.store(&mut m.pool, object, at, 8, *byte);
    }
}

/// Reports whether the system refuses a buffer: nothing is ever mapped in the first page.
pub(super) fn is_bad_address(start: Value) -> bool {
    const PAGE: u64 = 4096;
    matches!(start, Value::Int(address) if address < PAGE)
}

/// Returns the buffers of a list, in order: start and length of each.
fn pieces(m: &mut Executor, st: &mut State, c: &Call) -> Res<Option<Vec<(Value, u64)>>> {
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

/// Returns a file offset as given to `pread` and the like; `None` if it is negative.
pub(super) fn place(m: &mut Executor, st: &mut State, at: Value) -> Res<Option<u64>> {
    let at = m.concretise(st, at, 64)?;
    Ok(i64::try_from(at).is_ok().then_some(at))
}

/// Returns the file of a description if it is seekable.
fn seekable(m: &mut Executor, st: &mut State, id: DescriptionId) -> Result<NodeId, Errno> {
    let node = st.world.files.description(id).node;
    match st.world.files.node(node).kind {
        FileKind::Regular(_) | FileKind::Link(_) | FileKind::Null => Ok(node),
        FileKind::Directory { .. } => Err(EISDIR),
        FileKind::Pipe(_) | FileKind::Sink(_) => {
            note_pipes(m, st, id);
            Err(ESPIPE)
        }
        FileKind::Socket(_)
        | FileKind::Counter { .. }
        | FileKind::Timer(_)
        | FileKind::Watch(_) => Err(ESPIPE),
    }
}

/// Returns the reason why `count` bytes cannot be written to a description, if there is one.
pub fn may_write(st: &State, id: DescriptionId, count: usize) -> Res<Result<(), Errno>> {
    let open = st.world.files.description(id);
    if !open.writable {
        return Ok(Err(EBADF));
    }
    match &st.world.files.node(open.node).kind {
        FileKind::Regular(bytes) => {
            let at = if open.append {
                bytes.len() as u64
            } else {
                open.offset
            };
            check_change(at, count as u64)?;
        }
        FileKind::Pipe(waiting) => {
            let unsupported = if !st.world.files.pipe_has_other_end(open.node, false) {
                "a write to a pipe that has no reader"
            } else if waiting.len() + count > MOST_OF_PIPE {
                "a write to a pipe that is full"
            } else {
                return Ok(Ok(()));
            };
            return Err(Unsupported::Model(unsupported.into()).into());
        }
        FileKind::Socket(socket) => {
            let files = &st.world.files;
            let other = files.socket(socket.peer);
            let unsupported = if !files.may_send(socket) {
                "a write to a socket whose other end is closed, which is a signal"
            } else if other.is_none_or(|other| other.received.len() + count > MOST_OF_PIPE) {
                "a write to a socket that is full"
            } else {
                return Ok(Ok(()));
            };
            return Err(Unsupported::Model(unsupported.into()).into());
        }
        FileKind::Watch(_) | FileKind::Timer(_) => return Ok(Err(EINVAL)),
        FileKind::Counter { .. } => {}
        FileKind::Directory { .. } | FileKind::Link(_) | FileKind::Sink(_) | FileKind::Null => {}
    }
    Ok(Ok(()))
}

/// Returns the reason why what is written cannot be added to a counter, and makes the number known.
fn may_count(
    m: &mut Executor,
    st: &mut State,
    id: DescriptionId,
    count: u64,
    bytes: &mut Vec<Value>,
) -> Res<Result<(), Errno>> {
    if (bytes.len() as u64) < COUNTER_BYTES {
        return Ok(Err(EINVAL));
    }
    bytes.truncate(COUNTER_BYTES as usize);
    for byte in bytes.iter_mut() {
        *byte = Value::Int(m.concretise(st, *byte, 8)?);
    }
    let by = number(bytes);
    if by == u64::MAX {
        return Ok(Err(EINVAL));
    }
    if by < u64::MAX - count {
        return Ok(Ok(()));
    }
    if st.world.files.description(id).flags & NON_BLOCKING != 0 {
        return Ok(Err(EAGAIN));
    }
    m.wait_for_files(st, "the only process waits for a counter to be read")?;
    Ok(Err(EAGAIN))
}

/// Checks that a change at this offset keeps the file within the size limit.
pub fn check_change(at: u64, count: u64) -> Res<()> {
    if count > 0 && at.saturating_add(count) > MOST_OF_FILE {
        let what = format!("a file of more than {MOST_OF_FILE} bytes");
        return Err(Unsupported::Model(what).into());
    }
    Ok(())
}

/// `write(descriptor, buffer, count)`.
fn write(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    send(m, st, c, WRITE)
}

/// `writev(descriptor, buffers, count)`.
fn writev(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let form = TransferForm {
        name: "writev",
        list: true,
        ..WRITE
    };
    send(m, st, c, form)
}

/// `pwrite(descriptor, buffer, count, place)`.
fn pwrite(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let form = TransferForm {
        name: "pwrite",
        place: Some(3),
        ..WRITE
    };
    send(m, st, c, form)
}

/// `pwritev(descriptor, buffers, count, place)`.
fn pwritev(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let form = TransferForm {
        name: "pwritev",
        list: true,
        place: Some(3),
        ..WRITE
    };
    send(m, st, c, form)
}

/// `send(descriptor, buffer, count, flags)`, also as `sendto` with an address, which is none on a
/// connection.
fn send_message(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const NO_SIGNAL: u64 = 0x4000;
    let flags = match message_flags(m, st, c)? {
        Ok(flags) => flags,
        Err(code) => return errno::fail(m, st, c, code),
    };
    if flags & !NO_SIGNAL != 0 {
        return Err(Unsupported::Model(format!("{} with flags {flags:#x}", c.name)).into());
    }
    let form = TransferForm {
        quietly: flags & NO_SIGNAL != 0,
        ..WRITE
    };
    send(m, st, c, form)
}

/// `recv(descriptor, buffer, count, flags)`, also as `recvfrom` with an address, of which there is
/// none on a connection.
fn receive_message(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const CLOSE_ON_EXEC: u64 = 0x4000_0000;
    let flags = match message_flags(m, st, c)? {
        Ok(flags) => flags,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let has_address = c.args.len() > 4 && c.arg(4) != Value::NULL;
    if flags & !CLOSE_ON_EXEC != 0 || has_address {
        return Err(Unsupported::Model(format!("{} with flags {flags:#x}", c.name)).into());
    }
    receive(m, st, c, READ)
}

/// Returns the flags of a call on a socket.
fn message_flags(m: &mut Executor, st: &mut State, c: &Call) -> Res<Result<u64, Errno>> {
    match socket(m, st, c)? {
        Ok(_) => m.concretise(st, c.arg(3), 32).map(Ok),
        Err(code) => Ok(Err(code)),
    }
}

/// Writes, in the form of the call.
fn send(m: &mut Executor, st: &mut State, c: &Call, form: TransferForm) -> Res<Flow> {
    let target = match target(m, st, c, form)? {
        Ok(target) => target,
        Err(code) => return refuse(m, st, c, form, code),
    };
    if is_between_threads(st, target.node) {
        m.preempt(st);
    }
    let pieces = match form.list {
        false => vec![(c.arg(1), m.concretise(st, c.arg(2), 64)?)],
        true => match pieces(m, st, c)? {
            None => return refuse(m, st, c, form, EINVAL),
            Some(pieces) => pieces,
        },
    };
    let mut bytes = Vec::new();
    for (start, len) in pieces {
        if len > 0 && is_bad_address(start) {
            if bytes.is_empty() {
                return refuse(m, st, c, form, EFAULT);
            }
            break;
        }
        bytes.extend(m.read_bytes(st, start, len)?);
    }
    if let FileKind::Counter { count, .. } = st.world.files.node(target.node).kind
        && let Err(code) = may_count(m, st, target.id, count, &mut bytes)?
    {
        return refuse(m, st, c, form, code);
    }
    let open = st.world.files.description(target.id);
    let may_send = |socket| st.world.files.may_send(socket);
    let allowed = match target.place {
        None if form.quietly && !st.world.files.socket(open.node).is_none_or(may_send) => {
            Err(EPIPE)
        }
        None => may_write(st, target.id, bytes.len())?,
        Some(_) if !open.writable => Err(EBADF),
        Some(at) => {
            check_change(at, bytes.len() as u64)?;
            Ok(())
        }
    };
    if let Err(code) = allowed {
        return refuse(m, st, c, form, code);
    }
    // A number is written as a whole.
    let parts = match is_read_as_number(st, target.node) {
        true => 1,
        false => bytes.len(),
    };
    let asked = target.transfer(parts);
    let how = match bytes.is_empty() {
        true => None,
        false => asked.choose(m, st, 0)?,
    };
    asked.settle(m, st, how);
    match how {
        Some(Failure::Error(code)) => return errno::fail(m, st, c, u64::from(code)),
        Some(Failure::Short(most)) => bytes.truncate(most as usize),
        None => {}
    }
    let count = bytes.len() as u64;
    m.update_file(st, target.node)?;
    if is_between_threads(st, target.node)
        && let Some(threads) = &mut st.threads
    {
        let socket = st.world.files.socket(target.node);
        threads.release_to(socket.map_or(target.node, |socket| socket.peer));
    }
    let fs = files(st);
    match target.place {
        None => fs.put(target.id, bytes),
        Some(at) => {
            // Linux appends, wherever the call says.
            let at = match &fs.node(target.node).kind {
                FileKind::Regular(old) if fs.description(target.id).append => old.len() as u64,
                _ => at,
            };
            fs.write_at(target.node, at, bytes);
        }
    }
    m.update_mappings(st, target.node)?;
    Flow::int(count)
}
