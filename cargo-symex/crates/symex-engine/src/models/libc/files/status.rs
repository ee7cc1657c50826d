//! Models of file metadata: `stat` and the like, in the layout of Linux on x86-64.

use super::path::{self, PathPlace};
use super::transfer::{description, is_bad_address};
use super::{Errno, files, note_pipes};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EACCES, EINVAL, ENOENT, EPERM};
use crate::models::libc::time::EPOCH;
use crate::models::outside_world;
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{FileKind, NodeId};
use symex_terms::Value;

pub const ROWS: &[Row] = &[
    row("stat", stat),
    row("stat64", stat),
    row("lstat", lstat),
    row("lstat64", lstat),
    row("fstat", fstat),
    row("fstat64", fstat),
    row("fstatat", fstatat),
    row("fstatat64", fstatat),
    row("__xstat", old_stat),
    row("__xstat64", old_stat),
    row("__lxstat", old_lstat),
    row("__lxstat64", old_lstat),
    row("__fxstat", old_fstat),
    row("__fxstat64", old_fstat),
    row("statx", statx),
    row("access", access),
    row("euidaccess", access),
    row("eaccess", access),
    row("faccessat", faccessat),
    row("chmod", chmod),
    row("fchmod", fchmod),
    row("fchmodat", fchmodat),
    row("chown", chown),
    row("lchown", lchown),
    row("fchown", fchown),
    row("utime", set_times),
    row("utimes", set_times),
    row("utimensat", set_times_at),
    row("futimens", set_times_of),
    row("futimes", set_times_of),
    row("umask", umask),
];

/// Flag of `fstatat` and the like: an empty path means the descriptor itself.
const EMPTY_PATH: u64 = 0x1000;

/// Flag of `fstatat` and the like: do not follow links.
const NO_FOLLOW: u64 = 0x100;

/// Owner of all files: the user who runs the program.
pub const USER: u64 = 1000;

const BLOCK: u64 = 4096;

/// Status of a file.
struct Status {
    node: u64,
    links: u64,
    mode: u64,
    size: u64,
}

impl Status {
    fn of(st: &State, id: NodeId) -> Status {
        let node = st.world.files.node(id);
        let (kind, size) = match &node.kind {
            FileKind::Regular(bytes) => (0o100_000, bytes.len() as u64),
            FileKind::Directory { .. } => (0o040_000, BLOCK),
            FileKind::Link(target) => (0o120_000, target.len() as u64),
            FileKind::Pipe(_) | FileKind::Sink(_) => (0o010_000, 0),
            FileKind::Null => (0o020_000, 0),
            FileKind::Socket(_) => (0o140_000, 0),
            // Without a type, as Linux has it.
            FileKind::Counter { .. } | FileKind::Timer(_) | FileKind::Watch(_) => (0, 0),
        };
        let subdirectories = st.world.files.entries(id).iter();
        let subdirectories = subdirectories.filter(|entry| st.world.files.is_directory(entry.1));
        let links = match kind {
            0o040_000 => 2 + subdirectories.count() as u64,
            0o010_000 => 1,
            _ => node.links,
        };
        Status {
            node: id.0 as u64 + 1,
            links,
            mode: kind | u64::from(node.mode),
            size,
        }
    }

    /// Returns the number of blocks of 512 bytes.
    fn blocks(&self) -> u64 {
        self.size.div_ceil(BLOCK) * (BLOCK / 512)
    }
}

/// Records the assumption about metadata that no user describes.
fn note_details(m: &mut Executor, st: &mut State) {
    outside_world::take_unless_std(m, st, outside_world::DETAILS);
}

/// Fills a `struct stat`.
fn fill(m: &mut Executor, st: &mut State, to: Value, id: NodeId) -> Res<Flow> {
    const SIZE: u64 = 144;
    let (object, at) = m.check_range(st, to, SIZE, Access::Write)?;
    let status = Status::of(st, id);
    note_details(m, st);
    st.memory.fill(&mut m.pool, object, at, SIZE, Value::Int(0));
    let time = EPOCH;
    let device = 1;
    for (offset, width, value) in [
        (0, 64, device),
        (8, 64, status.node),
        (16, 64, status.links),
        (24, 32, status.mode),
        (28, 32, USER),
        (32, 32, USER),
        (48, 64, status.size),
        (56, 64, BLOCK),
        (64, 64, status.blocks()),
        (72, 64, time),
        (88, 64, time),
        (104, 64, time),
    ] {
        let at = at + offset;
        st.memory
            .store(&mut m.pool, object, at, width, Value::Int(value));
    }
    Flow::int(0)
}

/// Returns the file to which a path leads: the target of a link, or the link itself.
fn node_at(
    m: &mut Executor,
    st: &mut State,
    start: Result<NodeId, Errno>,
    path: Value,
    follow: bool,
) -> Res<Result<NodeId, Errno>> {
    let place = match follow {
        true => path::look_up(m, st, start, path)?,
        false => path::look_up_link(m, st, start, path)?,
    };
    Ok(place.and_then(|place: PathPlace| place.node.ok_or(ENOENT)))
}

/// Resolves as [`node_at`] does, from the working directory.
fn node_here(m: &mut Executor, st: &mut State, path: Value) -> Res<Result<NodeId, Errno>> {
    let start = Ok(st.world.files.working_directory);
    node_at(m, st, start, path, true)
}

/// `stat(path, to)`.
fn stat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    status_at(m, st, c, 0, true)
}

/// `lstat(path, to)`.
fn lstat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    status_at(m, st, c, 0, false)
}

/// Performs `stat` of the path at a leaf, to the next leaf.
fn status_at(m: &mut Executor, st: &mut State, c: &Call, at: usize, follow: bool) -> Res<Flow> {
    let start = Ok(st.world.files.working_directory);
    match node_at(m, st, start, c.arg(at), follow)? {
        Ok(node) => fill(m, st, c.arg(at + 1), node),
        Err(code) => errno::fail(m, st, c, code),
    }
}

fn fstat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    status_of(m, st, c, 0)
}

/// Performs `fstat` of the descriptor at a leaf, to the next leaf.
fn status_of(m: &mut Executor, st: &mut State, c: &Call, at: usize) -> Res<Flow> {
    match description(m, st, c.arg(at))? {
        Ok(id) => {
            note_pipes(m, st, id);
            let node = st.world.files.description(id).node;
            fill(m, st, c.arg(at + 1), node)
        }
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `fstatat(directory, path, to, flags)`.
fn fstatat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flags = m.concretise(st, c.arg(3), 32)?;
    match node_or_descriptor(m, st, c, flags)? {
        Ok(node) => fill(m, st, c.arg(2), node),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// Returns the file given by the first two arguments of `fstatat` and the like.
fn node_or_descriptor(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    flags: u64,
) -> Res<Result<NodeId, Errno>> {
    if flags & EMPTY_PATH != 0 && !is_bad_address(c.arg(1)) {
        let first = m.load(st, c.arg(1), 8, 0)?;
        if m.concretise(st, first, 8)? == 0 {
            return Ok(match description(m, st, c.arg(0))? {
                Ok(id) => {
                    note_pipes(m, st, id);
                    Ok(st.world.files.description(id).node)
                }
                Err(code) => path::start(m, st, c.arg(0))?.map_err(|_| code),
            });
        }
    }
    let start = path::start(m, st, c.arg(0))?;
    node_at(m, st, start, c.arg(1), flags & NO_FOLLOW == 0)
}

/// `__xstat(version, path, to)` of older C libraries.
fn old_stat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    status_at(m, st, c, 1, true)
}

/// `__lxstat(version, path, to)`.
fn old_lstat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    status_at(m, st, c, 1, false)
}

/// `__fxstat(version, descriptor, to)`.
fn old_fstat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    status_of(m, st, c, 1)
}

/// `statx(directory, path, flags, mask, to)`.
fn statx(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    /// Size of `struct statx`.
    const SIZE: u64 = 256;
    /// Mask of all fields that `stat` has.
    const BASIC: u64 = 0x7ff;
    let flags = m.concretise(st, c.arg(2), 32)?;
    let node = match node_or_descriptor(m, st, c, flags)? {
        Ok(node) => node,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let (object, at) = m.check_range(st, c.arg(4), SIZE, Access::Write)?;
    let status = Status::of(st, node);
    note_details(m, st);
    st.memory.fill(&mut m.pool, object, at, SIZE, Value::Int(0));
    let time = EPOCH;
    for (offset, width, value) in [
        (0, 32, BASIC),
        (4, 32, BLOCK),
        (16, 32, status.links),
        (20, 32, USER),
        (24, 32, USER),
        (28, 16, status.mode),
        (32, 64, status.node),
        (40, 64, status.size),
        (48, 64, status.blocks()),
        (64, 64, time),
        (96, 64, time),
        (112, 64, time),
    ] {
        let at = at + offset;
        st.memory
            .store(&mut m.pool, object, at, width, Value::Int(value));
    }
    Flow::int(0)
}

/// `access(path, mode)`.
fn access(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let wanted = m.concretise(st, c.arg(1), 32)?;
    let node = node_here(m, st, c.arg(0))?;
    permitted(m, st, c, node, wanted)
}

/// `faccessat(directory, path, mode, flags)`.
fn faccessat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let wanted = m.concretise(st, c.arg(2), 32)?;
    let start = path::start(m, st, c.arg(0))?;
    let node = node_at(m, st, start, c.arg(1), true)?;
    permitted(m, st, c, node, wanted)
}

fn permitted(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    node: Result<NodeId, Errno>,
    wanted: u64,
) -> Res<Flow> {
    let node = match node {
        _ if wanted > 7 => return errno::fail(m, st, c, EINVAL),
        Ok(node) => node,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let mode = u64::from(st.world.files.node(node).mode >> 6);
    if wanted & !mode != 0 {
        return errno::fail(m, st, c, EACCES);
    }
    Flow::int(0)
}

/// `chmod(path, mode)`.
fn chmod(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mode = m.concretise(st, c.arg(1), 32)?;
    let node = node_here(m, st, c.arg(0))?;
    set_mode(m, st, c, node, mode)
}

/// `fchmod(descriptor, mode)`.
fn fchmod(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mode = m.concretise(st, c.arg(1), 32)?;
    let id = description(m, st, c.arg(0))?;
    let node = id.map(|id| st.world.files.description(id).node);
    set_mode(m, st, c, node, mode)
}

/// `fchmodat(directory, path, mode, flags)`.
fn fchmodat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mode = m.concretise(st, c.arg(2), 32)?;
    let start = path::start(m, st, c.arg(0))?;
    let node = node_at(m, st, start, c.arg(1), true)?;
    set_mode(m, st, c, node, mode)
}

fn set_mode(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    node: Result<NodeId, Errno>,
    mode: u64,
) -> Res<Flow> {
    match node {
        Ok(node) => {
            files(st).node_mut(node).mode = mode as u32 & 0o7777;
            Flow::int(0)
        }
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `umask(mask)`: returns the old one.
fn umask(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mask = m.concretise(st, c.arg(0), 32)?;
    let old = st.world.files.mask;
    files(st).mask = mask as u32 & 0o777;
    Flow::int(u64::from(old))
}

/// `chown(path, user, group)`.
fn chown(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    change_owner_at(m, st, c, true)
}

/// `lchown(path, user, group)`.
fn lchown(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    change_owner_at(m, st, c, false)
}

fn change_owner_at(m: &mut Executor, st: &mut State, c: &Call, follow: bool) -> Res<Flow> {
    let start = Ok(st.world.files.working_directory);
    let node = node_at(m, st, start, c.arg(0), follow)?;
    change_owner(m, st, c, node)
}

/// `fchown(descriptor, user, group)`.
fn fchown(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = description(m, st, c.arg(0))?;
    let node = id.map(|id| st.world.files.description(id).node);
    change_owner(m, st, c, node)
}

/// Checks a change of owner: only to the owner that the file already has.
fn change_owner(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    node: Result<NodeId, Errno>,
) -> Res<Flow> {
    const SAME: u64 = u32::MAX as u64;
    let user = m.concretise(st, c.arg(1), 32)?;
    let group = m.concretise(st, c.arg(2), 32)?;
    note_details(m, st);
    match node {
        Ok(_) if [user, group].iter().all(|id| [SAME, USER].contains(id)) => Flow::int(0),
        Ok(_) => errno::fail(m, st, c, EPERM),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `utime(path, times)`, `utimes(path, times)`: no effect, since times are fixed.
fn set_times(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let node = node_here(m, st, c.arg(0))?;
    timed(m, st, c, node)
}

/// `utimensat(directory, path, times, flags)`.
fn set_times_at(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let flags = m.concretise(st, c.arg(3), 32)?;
    let node = match c.arg(1) {
        Value::NULL => description(m, st, c.arg(0))?.map(|id| st.world.files.description(id).node),
        _ => node_or_descriptor(m, st, c, flags)?,
    };
    timed(m, st, c, node)
}

/// `futimens(descriptor, times)`, `futimes(descriptor, times)`.
fn set_times_of(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = description(m, st, c.arg(0))?;
    let node = id.map(|id| st.world.files.description(id).node);
    timed(m, st, c, node)
}

fn timed(m: &mut Executor, st: &mut State, c: &Call, node: Result<NodeId, Errno>) -> Res<Flow> {
    note_details(m, st);
    match node {
        Ok(_) => Flow::int(0),
        Err(code) => errno::fail(m, st, c, code),
    }
}
