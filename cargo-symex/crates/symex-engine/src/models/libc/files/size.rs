//! Models of file offsets and file sizes.

use super::transfer::{check_change, description, place};
use super::{Errno, files, is_standard, note_pipes};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EINVAL, ESPIPE};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{DescriptionId, FileKind, NodeId};
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("lseek", lseek),
    row("lseek64", lseek),
    row("ftruncate", ftruncate),
    row("ftruncate64", ftruncate),
    row("fsync", sync),
    row("fdatasync", sync),
];

/// Returns the offset to which `lseek` moves a description, from the start of the file.
pub fn seek_to(
    m: &mut Executor,
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
        FileKind::Regular(bytes) => bytes.len() as u64,
        // Always at its beginning.
        FileKind::Link(_)
        | FileKind::Null
        | FileKind::Counter { .. }
        | FileKind::Timer(_)
        | FileKind::Watch(_) => {
            return Ok(Ok(0));
        }
        FileKind::Directory { .. } => {
            return Err(Unsupported::Model("lseek of a directory".into()).into());
        }
        FileKind::Socket(_) => return Ok(Err(ESPIPE)),
        FileKind::Pipe(_) | FileKind::Sink(_) => {
            note_pipes(m, st, id);
            return Ok(Err(ESPIPE));
        }
    };
    let from = match whence {
        0 => 0,
        1 => now,
        2 => size,
        3 | 4 => return Err(Unsupported::Model("lseek to holes of a file".into()).into()),
        _ => return Ok(Err(EINVAL)),
    };
    let to = (from as i64).checked_add(offset).filter(|to| *to >= 0);
    Ok(to.map(|to| to as u64).ok_or(EINVAL))
}

/// `lseek(descriptor, offset, whence)`.
fn lseek(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
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
fn ftruncate(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = match description(m, st, c.arg(0))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let open = st.world.files.description(id);
    let (node, writable) = (open.node, open.writable);
    let Some(size) = place(m, st, c.arg(1))? else {
        return errno::fail(m, st, c, EINVAL);
    };
    let regular = matches!(st.world.files.node(node).kind, FileKind::Regular(_));
    if !writable || !regular {
        return errno::fail(m, st, c, EINVAL);
    }
    truncate(m, st, node, size)?;
    Flow::int(0)
}

/// Truncates a file, or extends it by zeros.
pub fn truncate(m: &mut Executor, st: &mut State, node: NodeId, size: u64) -> Res<()> {
    check_change(size, 1)?;
    let mut mappings = st.world.files.mappings.iter();
    if mappings.any(|one| one.node == node && size < one.offset + one.len) {
        return Err(Unsupported::Model("a mapping beyond the end of a file".into()).into());
    }
    m.update_file(st, node)?;
    files(st).truncate(node, size);
    Ok(())
}

/// Performs `fsync` and the like: no effect, since writes reach the file at once.
fn sync(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    match description(m, st, c.arg(0))? {
        Ok(id) if is_standard(st, id) => {
            note_pipes(m, st, id);
            errno::fail(m, st, c, EINVAL)
        }
        Ok(_) => Flow::int(0),
        Err(code) => errno::fail(m, st, c, code),
    }
}
