//! Models of directory listings. A listing shows the directory as it was when it was opened, or
//! when the listing was rewound.

use super::open::{OpenRequest, open_file};
use super::transfer::description;
use super::{Errno, files};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::{Fault, Res};
use crate::models::libc::errno::{self, EBADF, ENOTDIR};
use crate::models::table::{Row, row};
use crate::models::{heap, outside_world};
use crate::state::State;
use crate::state::file_system::{FileKind, Listing, NodeId, known};
use std::rc::Rc;
use symex_memory::Initial;
use symex_terms::{ObjectId, Value};
use symex_types::outcome::FindingKind;

pub const ROWS: &[Row] = &[
    row("opendir", opendir),
    row("fdopendir", fdopendir),
    row("readdir", readdir),
    row("readdir64", readdir),
    row("closedir", closedir),
    row("rewinddir", rewinddir),
    row("dirfd", dirfd),
];

/// Size of `struct dirent` of x86-64 Linux, which lies in the `DIR` object behind a word of its
/// own.
const ENTRY: u64 = 280;
const ENTRY_AT: u64 = 16;

fn null(m: &mut Executor, st: &mut State, code: Errno) -> Res<Flow> {
    errno::set(m, st, code);
    Flow::value(Value::NULL)
}

/// Returns the current entries of a directory, with itself and its parent.
fn entries(st: &State, node: NodeId) -> Rc<[(Rc<[Value]>, NodeId)]> {
    let fs = &st.world.files;
    let own = [
        (Rc::from(known(b".")), node),
        (Rc::from(known(b"..")), fs.parent(node)),
    ];
    let all = own.into_iter().chain(fs.entries(node).iter().cloned());
    all.collect()
}

/// Makes a `DIR` of a descriptor.
fn start(m: &mut Executor, st: &mut State, descriptor: u32, node: NodeId) -> Res<Flow> {
    let size = Extent::known(ENTRY_AT + ENTRY);
    let object = heap::allocate(m, st, size, 4, Initial::Zero)?;
    if m.config.world.files.is_empty() || !super::is_described(st, node) {
        super::note_absence(m, st, node);
    }
    outside_world::take_unless_std(m, st, outside_world::ORDER);
    let listing = Listing {
        descriptor,
        entries: entries(st, node),
        next: 0,
    };
    files(st).listings.insert(object, listing);
    Flow::value(Value::Ptr(object, 0))
}

fn opendir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let request = OpenRequest {
        readable: true,
        directory: true,
        close_on_exec: true,
        ..OpenRequest::default()
    };
    let here = Ok(st.world.files.working_directory);
    match open_file(m, st, here, c.arg(0), request)? {
        Ok(number) => {
            let id = st.world.files.description_of(u64::from(number));
            let node = id.map(|id| st.world.files.description(id).node);
            start(
                m,
                st,
                number,
                node.unwrap_or(crate::state::file_system::ROOT),
            )
        }
        Err(code) => null(m, st, code),
    }
}

fn fdopendir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let node = match description(m, st, c.arg(0))? {
        Ok(id) => st.world.files.description(id).node,
        Err(code) => return null(m, st, code),
    };
    if !st.world.files.is_directory(node) {
        return null(m, st, ENOTDIR);
    }
    let number = m.concretise(st, c.arg(0), 32)?;
    start(m, st, number as u32, node)
}

/// Returns the listing of a `DIR *`.
fn listing(m: &mut Executor, st: &mut State, c: &Call) -> Res<ObjectId> {
    let (object, at) = m.check_range(st, c.arg(0), 1, Access::Read)?;
    if at != 0 || !st.world.files.listings.contains_key(&object) {
        let message = format!("{} of what is no open directory", c.name);
        return Err(Fault::new(FindingKind::InvalidAccess, message)
            .of(object)
            .into());
    }
    Ok(object)
}

fn change(st: &mut State, object: ObjectId) -> Option<&mut Listing> {
    files(st).listings.get_mut(&object)
}

fn readdir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const UNKNOWN: u64 = 0;
    const PIPE: u64 = 1;
    const DEVICE: u64 = 2;
    const DIRECTORY: u64 = 4;
    const REGULAR: u64 = 8;
    const LINK: u64 = 10;
    let object = listing(m, st, c)?;
    let list = &st.world.files.listings[&object];
    let Some((name, node)) = list.entries.get(list.next).cloned() else {
        return Flow::value(Value::NULL);
    };
    let next = list.next as u64 + 1;
    if let Some(list) = change(st, object) {
        list.next += 1;
    }
    let kind = match st.world.files.node(node).kind {
        FileKind::Directory { .. } => DIRECTORY,
        FileKind::Link(_) => LINK,
        FileKind::Pipe(_) | FileKind::Sink(_) => PIPE,
        FileKind::Null => DEVICE,
        FileKind::Regular(_) => REGULAR,
        // They have no names.
        FileKind::Socket(_)
        | FileKind::Counter { .. }
        | FileKind::Timer(_)
        | FileKind::Watch(_) => UNKNOWN,
    };
    // Its length is that of its name.
    let size = (19 + name.len() as u64 + 1).next_multiple_of(8);
    for (offset, width, value) in [
        (0, 64, node.0 as u64 + 1),
        (8, 64, next),
        (16, 16, size),
        (18, 8, kind),
    ] {
        let at = ENTRY_AT + offset;
        st.memory
            .store(&mut m.pool, object, at, width, Value::Int(value));
    }
    for (i, byte) in name.iter().chain(&[Value::Int(0)]).enumerate() {
        let at = ENTRY_AT + 19 + i as u64;
        st.memory.store(&mut m.pool, object, at, 8, *byte);
    }
    Flow::value(Value::Ptr(object, ENTRY_AT))
}

fn closedir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let object = listing(m, st, c)?;
    st.memory.free(object);
    let fs = files(st);
    let list = fs.listings.remove(&object);
    let closed = list.is_some_and(|list| fs.close(u64::from(list.descriptor)));
    if !closed {
        return errno::fail(m, st, c, EBADF);
    }
    Flow::int(0)
}

fn rewinddir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let object = listing(m, st, c)?;
    let descriptor = u64::from(st.world.files.listings[&object].descriptor);
    let id = st.world.files.description_of(descriptor);
    let node = id.map(|id| st.world.files.description(id).node);
    let fresh = node.map(|node| entries(st, node));
    if let Some(list) = change(st, object) {
        list.next = 0;
        if let Some(fresh) = fresh {
            list.entries = fresh;
        }
    }
    Flow::void()
}

fn dirfd(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let object = listing(m, st, c)?;
    Flow::int(u64::from(st.world.files.listings[&object].descriptor))
}
