//! Models of calls that copy from one descriptor to another.

use super::transfer::{check_change, description, may_write};
use super::{Errno, files};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::path::end::Res;
use crate::models::libc::errno::{self, EBADF, EINVAL, EISDIR};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{DescriptionId, FileKind};
use symex_terms::{ObjectId, Value};

pub const ROWS: &[Row] = &[
    row("copy_file_range", copy_file_range),
    row("sendfile", sendfile),
    row("sendfile64", sendfile),
];

/// One side of a copy: the open file, and an offset in memory in place of its own.
struct Side {
    id: DescriptionId,
    offset: Option<(ObjectId, u64, u64)>,
}

impl Side {
    /// Returns the side of two arguments: a descriptor, and a pointer to an offset, or null.
    fn of(
        m: &mut Executor,
        st: &mut State,
        descriptor: Value,
        offset: Value,
    ) -> Res<Result<Side, Errno>> {
        let id = match description(m, st, descriptor)? {
            Ok(id) => id,
            Err(code) => return Ok(Err(code)),
        };
        if offset == Value::NULL {
            return Ok(Ok(Side { id, offset: None }));
        }
        let (object, at) = m.check_range(st, offset, 8, Access::Write)?;
        let value = st.memory.load(&mut m.pool, object, at, 64);
        let value = m.concretise(st, value, 64)?;
        Ok(match i64::try_from(value) {
            Ok(_) => Ok(Side {
                id,
                offset: Some((object, at, value)),
            }),
            Err(_) => Err(EINVAL),
        })
    }

    /// Returns the place in the file from which on the side is copied.
    fn place(&self, st: &State) -> u64 {
        match self.offset {
            Some((.., value)) => value,
            None => st.world.files.description(self.id).offset,
        }
    }

    /// Advances the offset in memory, if it is there.
    fn advance(&self, m: &mut Executor, st: &mut State, by: u64) {
        if let Some((object, at, value)) = self.offset {
            let value = Value::Int(value + by);
            st.memory.store(&mut m.pool, object, at, 64, value);
        }
    }

    /// Returns the reason why a file is not one whose contents have places, if so.
    fn check_regular(&self, st: &State) -> Result<(), Errno> {
        let node = st.world.files.description(self.id).node;
        match st.world.files.node(node).kind {
            FileKind::Regular(_) => Ok(()),
            FileKind::Directory { .. } => Err(EISDIR),
            _ => Err(EINVAL),
        }
    }
}

/// `copy_file_range(from, from offset, to, to offset, count, flags)`, between two files.
fn copy_file_range(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let from = Side::of(m, st, c.arg(0), c.arg(1))?;
    let to = Side::of(m, st, c.arg(2), c.arg(3))?;
    let count = m.concretise(st, c.arg(4), 64)?;
    let flags = m.concretise(st, c.arg(5), 32)?;
    let sides = from.and_then(|from| Ok((from, to?)));
    let (from, to) = match sides {
        Ok(sides) if flags == 0 => sides,
        Ok(_) => return errno::fail(m, st, c, EINVAL),
        Err(code) => return errno::fail(m, st, c, code),
    };
    let checked = from
        .check_regular(st)
        .and_then(|()| to.check_regular(st))
        .and_then(|()| {
            let (a, b) = (from.place(st), to.place(st));
            let node = |side: &Side| st.world.files.description(side.id).node;
            let is_apart = node(&from) != node(&to) || a.abs_diff(b) >= count;
            if is_apart { Ok(()) } else { Err(EINVAL) }
        });
    match checked {
        Ok(()) => copy(m, st, c, &from, &to, count),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// `sendfile(to, from, offset, count)`, from a file.
fn sendfile(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let to = Side::of(m, st, c.arg(0), Value::NULL)?;
    let from = Side::of(m, st, c.arg(1), c.arg(2))?;
    let count = m.concretise(st, c.arg(3), 64)?;
    let checked = from.and_then(|from| {
        from.check_regular(st).map_err(|_| EINVAL)?;
        Ok((from, to?))
    });
    match checked {
        Ok((from, to)) => copy(m, st, c, &from, &to, count),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// Copies bytes of a file, at most so many, and returns their number.
fn copy(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    from: &Side,
    to: &Side,
    count: u64,
) -> Res<Flow> {
    let (source, target) = (
        st.world.files.description(from.id),
        st.world.files.description(to.id),
    );
    if !source.readable || !target.writable || target.append {
        // `sendfile` says of a file that is only appended to that it is the wrong kind of file.
        let is_appended = source.readable && target.writable;
        let code = match is_appended && c.name != "copy_file_range" {
            true => EINVAL,
            false => EBADF,
        };
        return errno::fail(m, st, c, code);
    }
    let (source, target) = (source.node, target.node);
    m.update_file(st, source)?;
    let bytes = st.world.files.read_at(source, from.place(st), count);
    let copied = bytes.len() as u64;
    match to.offset {
        Some((.., at)) => check_change(at, copied)?,
        None => {
            if let Err(code) = may_write(st, to.id, bytes.len())? {
                return errno::fail(m, st, c, code);
            }
        }
    }
    m.update_file(st, target)?;
    let fs = files(st);
    match to.offset {
        Some((.., at)) => fs.write_at(target, at, bytes),
        None => fs.put(to.id, bytes),
    }
    if from.offset.is_none() {
        files(st).description_mut(from.id).offset += copied;
    }
    from.advance(m, st, copied);
    to.advance(m, st, copied);
    Flow::int(copied)
}
