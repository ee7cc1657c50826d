//! Mapping files into memory: a copy of what is there. Where a copy would not do (what is written goes back to the file), the
//! path ends as something that is not known how to do.

use super::files;
use super::transfer::description;
use crate::exec::Machine;
use crate::exec::end::Res;
use crate::exec::extent::Extent;
use crate::exec::model::{Call, Flow};
use crate::expr::Value;
use crate::memory::Initial;
use crate::models::heap;
use crate::models::libc::errno::{self, EACCES, EINVAL, ENODEV};
use crate::outcome::Gap;
use crate::state::State;
use crate::state::files::Kind;

const PAGE: u64 = 4096;

/// `mmap(address, length, protection, flags, descriptor, offset)` of a file.
pub fn map(m: &mut Machine, st: &mut State, c: &Call, flags: u64) -> Res<Flow> {
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
    let Kind::Regular(bytes) = &st.world.files.node(open.node).kind else {
        return errno::fail(m, st, c, ENODEV);
    };
    if len == 0 || offset % PAGE != 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    if !open.readable {
        return errno::fail(m, st, c, EACCES);
    }
    let shared = flags & SHARED != 0;
    let written = protection & WRITE != 0 || open.writable;
    if flags & FIXED != 0 || shared && written {
        let what = "a mapping of a file at a fixed address, or that is shared and written";
        return Err(Gap::Model(what.into()).into());
    }
    let there = (bytes.len() as u64).saturating_sub(offset);
    if len.next_multiple_of(PAGE) > there.next_multiple_of(PAGE) {
        return Err(Gap::Model("a mapping beyond the end of a file".into()).into());
    }
    let bytes = st
        .world
        .files
        .read_at(open.node, offset, len.next_multiple_of(PAGE));
    let size = Extent::known(len.next_multiple_of(PAGE));
    let node = open.node;
    let object = heap::allocate_untracked(m, st, size, 12, Initial::Zero)?;
    if shared {
        files(st).node_mut(node).mapped = true;
    }
    for (i, byte) in bytes.into_iter().enumerate() {
        st.memory.store(&mut m.pool, object, i as u64, 8, byte);
    }
    Flow::value(Value::Ptr(object, 0))
}
