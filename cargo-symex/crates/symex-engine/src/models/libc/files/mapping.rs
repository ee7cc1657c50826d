//! Models of file mappings: a mapping is a copy of the file. A shared one is kept equal to the file
//! (`exec/mappings.rs`).

use super::files;
use super::transfer::description;
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::heap;
use crate::models::libc::errno::{self, EACCES, EINVAL, ENODEV};
use crate::state::State;
use crate::state::file_system::{FileKind, Mapping};
use std::rc::Rc;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::Unsupported;

const PAGE: u64 = 4096;

/// `mmap(address, length, protection, flags, descriptor, offset)` of a file.
pub fn map(m: &mut Executor, st: &mut State, c: &Call, flags: u64) -> Res<Flow> {
    const SHARED: u64 = 1;
    const FIXED: u64 = 0x10;
    const WRITE: u64 = 2;
    let id = match description(m, st, c.arg(4))? {
        Ok(id) => id,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let len = m.concretise(st, c.arg(1), 64)?;
    let protection = m.concretise(st, c.arg(2), 32)?;
    let offset = m.concretise(st, c.arg(5), 64)?;
    let open = st.world.files.description(id);
    let FileKind::Regular(bytes) = &st.world.files.node(open.node).kind else {
        return errno::fail(m, st, c, ENODEV);
    };
    if len == 0 || offset % PAGE != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    if !open.readable {
        return errno::fail(m, st, c, EACCES);
    }
    let shared = flags & SHARED != 0;
    let written = protection & WRITE != 0;
    if shared && written && !open.writable {
        return errno::fail(m, st, c, EACCES);
    }
    if flags & FIXED != 0 {
        let what = "a mapping of a file at a fixed address";
        return Err(Unsupported::Model(what.into()).into());
    }
    let there = (bytes.len() as u64).saturating_sub(offset);
    if len.next_multiple_of(PAGE) > there.next_multiple_of(PAGE) {
        return Err(Unsupported::Model("a mapping beyond the end of a file".into()).into());
    }
    let node = open.node;
    let may_change = open.writable;
    let mut others = st.world.files.mappings.iter();
    if shared && others.any(|other| other.node == node && (may_change || other.written)) {
        // What is written to one would have to be in the other at once.
        let what = "a file that is mapped twice, and written there";
        return Err(Unsupported::Model(what.into()).into());
    }
    m.update_file(st, node)?;
    let room = len.next_multiple_of(PAGE);
    let bytes = st.world.files.read_at(node, offset, room);
    let object = heap::map(m, st, room)?;
    if shared {
        let mapping = Mapping {
            object,
            node,
            offset,
            len: room,
            // What is not may become so by `mprotect`.
            written: may_change,
        };
        Rc::make_mut(&mut files(st).mappings).push(mapping);
    }
    for (i, byte) in bytes.into_iter().enumerate() {
        st.memory.store(&mut m.pool, object, i as u64, 8, byte);
    }
    Flow::value(Value::Ptr(object, 0))
}

/// Ends the mapping that an object shows, if it is one.
pub fn unmap(m: &mut Executor, st: &mut State, object: ObjectId) -> Res<()> {
    let mut mappings = st.world.files.mappings.iter();
    if let Some(mapping) = mappings.find(|mapping| mapping.object == object) {
        m.update_file(st, mapping.node)?;
        Rc::make_mut(&mut files(st).mappings).retain(|mapping| mapping.object != object);
    }
    Ok(())
}

/// `msync(address, length, flags)`: no effect, since file and mapping are equal at all times.
pub fn sync(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    if m.concretise(st, c.arg(0), 64)? % PAGE != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    m.update_files(st)?;
    Flow::int(0)
}
