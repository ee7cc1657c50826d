//! Path resolution: from a name to a file. A name may depend on inputs; it is compared with the
//! existing names, and only what distinguishes these is decided.

use super::transfer::is_bad_address;
use super::{Errno, files, note_absence};
use crate::exec::Executor;
use crate::exec::path::end::Res;
use crate::models::libc::bytes;
use crate::models::libc::errno::{EACCES, EBADF, EFAULT, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR};
use crate::state::State;
use crate::state::file_system::{FileKind, NodeId, ROOT, known};
use std::collections::VecDeque;
use std::rc::Rc;
use symex_solver::Purpose;
use symex_terms::Value;

/// Greatest length of a path in bytes, with its terminator.
const MOST_OF_PATH: u64 = 4096;

/// Greatest length of a name in a directory, in bytes.
const MOST_OF_NAME: usize = 255;

/// Greatest number of links followed on the way to one file.
const MOST_LINKS: u32 = 40;

/// Descriptor that `open` and the like take for "relative to the working directory".
const WORKING_DIRECTORY: u64 = -100i32 as u32 as u64;

/// Result of resolving a path.
#[derive(Clone, Debug)]
pub struct PathPlace {
    /// Directory that contains the last name.
    pub directory: NodeId,
    /// Last name. Empty: the path ends with `.` or `..`, or is that of the root.
    pub name: Rc<[Value]>,
    /// Position of the name in the directory, if it exists.
    pub entry: Option<usize>,
    /// The file, if it exists.
    pub node: Option<NodeId>,
    /// Whether a slash at the end requires a directory.
    pub slash: bool,
}

impl PathPlace {
    /// Makes the place of a directory itself.
    fn of(directory: NodeId) -> Self {
        PathPlace {
            directory,
            name: Rc::from([]),
            entry: None,
            node: Some(directory),
            slash: false,
        }
    }
}

/// Resolves a path from a directory, following links. Whether `start` is a directory matters only
/// if the path is not absolute.
pub fn look_up(
    m: &mut Executor,
    st: &mut State,
    start: Result<NodeId, Errno>,
    path: Value,
) -> Res<Result<PathPlace, Errno>> {
    named(m, st, start, path, true)
}

/// Resolves a path as [`look_up`] does, but does not follow a link at its end.
pub fn look_up_link(
    m: &mut Executor,
    st: &mut State,
    start: Result<NodeId, Errno>,
    path: Value,
) -> Res<Result<PathPlace, Errno>> {
    named(m, st, start, path, false)
}

fn named(
    m: &mut Executor,
    st: &mut State,
    start: Result<NodeId, Errno>,
    path: Value,
    follow: bool,
) -> Res<Result<PathPlace, Errno>> {
    let text = match text(m, st, path)? {
        Ok(text) => text,
        Err(code) => return Ok(Err(code)),
    };
    walk(m, st, start, &text, follow)
}

/// Reads the bytes of a path.
pub fn text(m: &mut Executor, st: &mut State, path: Value) -> Res<Result<Vec<Value>, Errno>> {
    if is_bad_address(path) {
        return Ok(Err(EFAULT));
    }
    let len = bytes::length(m, st, path, MOST_OF_PATH)?;
    if len == 0 {
        return Ok(Err(ENOENT));
    }
    if len == MOST_OF_PATH {
        return Ok(Err(ENAMETOOLONG));
    }
    m.read_bytes(st, path, len).map(Ok)
}

/// Resolves a path given by its bytes.
pub fn walk(
    m: &mut Executor,
    st: &mut State,
    start: Result<NodeId, Errno>,
    text: &[Value],
    follow: bool,
) -> Res<Result<PathPlace, Errno>> {
    let names = split(m, st, text)?;
    let absolute = names[0].is_empty();
    let mut slash = names.last().is_some_and(|last| last.is_empty());
    let start = match start {
        _ if absolute => ROOT,
        Ok(start) => start,
        Err(code) => return Ok(Err(code)),
    };
    let mut at = PathPlace::of(start);
    let mut links = 0;
    let given = |names: Vec<Vec<Value>>| names.into_iter().filter(|name| !name.is_empty());
    let mut names: VecDeque<Vec<Value>> = given(names).collect();
    while let Some(name) = names.pop_front() {
        let Some(directory) = at.node else {
            note_absence(m, st, at.directory);
            return Ok(Err(ENOENT));
        };
        if !st.world.files.is_directory(directory) {
            return Ok(Err(ENOTDIR));
        }
        if st.world.files.node(directory).mode & 0o100 == 0 {
            return Ok(Err(EACCES));
        }
        if name.len() > MOST_OF_NAME {
            return Ok(Err(ENAMETOOLONG));
        }
        at = step(m, st, directory, &name)?;
        let Some(FileKind::Link(target)) = at.node.map(|node| &st.world.files.node(node).kind)
        else {
            continue;
        };
        let target = target.clone();
        let last = names.is_empty();
        if last && !follow && !slash {
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Ok(Err(ELOOP));
        }
        let parts = split(m, st, &target)?;
        at = PathPlace::of(if parts[0].is_empty() { ROOT } else { directory });
        slash |= last && parts.last().is_some_and(|last| last.is_empty());
        for part in given(parts).rev() {
            names.push_front(part);
        }
    }
    at.slash = slash;
    match at.node {
        // In a directory that was removed nothing can be made.
        None if st.world.files.is_removed(at.directory) => return Ok(Err(ENOENT)),
        None => note_absence(m, st, at.directory),
        Some(node) if slash && !st.world.files.is_directory(node) => return Ok(Err(ENOTDIR)),
        Some(_) => {}
    }
    Ok(Ok(at))
}

/// Resolves one name in a directory.
fn step(m: &mut Executor, st: &mut State, directory: NodeId, name: &[Value]) -> Res<PathPlace> {
    let mut place = PathPlace::of(directory);
    if same(m, st, name, &known(b"."))? {
        return Ok(place);
    }
    if same(m, st, name, &known(b".."))? {
        place.directory = st.world.files.parent(directory);
        place.node = Some(place.directory);
        return Ok(place);
    }
    place.name = Rc::from(name);
    place.node = None;
    let entries = st.world.files.entries(directory).to_vec();
    for (i, (entry, node)) in entries.iter().enumerate() {
        if same(m, st, name, entry)? {
            place.entry = Some(i);
            place.node = Some(*node);
            break;
        }
    }
    Ok(place)
}

/// Splits a path at its slashes.
fn split(m: &mut Executor, st: &mut State, text: &[Value]) -> Res<Vec<Vec<Value>>> {
    let slash = m.pool.constant(8, u128::from(b'/'));
    let mut names = vec![Vec::new()];
    for byte in text {
        let is_slash = match byte {
            Value::Int(byte) => *byte == u64::from(b'/'),
            other => {
                let byte = m.term(st, *other, 8);
                let is_slash = m.pool.eq(byte, slash);
                m.split(st, is_slash, Purpose::Branch)?
            }
        };
        match names.last_mut() {
            Some(name) if !is_slash => name.push(*byte),
            _ => names.push(Vec::new()),
        }
    }
    Ok(names)
}

/// Decides whether two names are equal.
fn same(m: &mut Executor, st: &mut State, a: &[Value], b: &[Value]) -> Res<bool> {
    if a.len() != b.len() {
        return Ok(false);
    }
    let mut equal = m.pool.bool(true);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (m.term(st, *x, 8), m.term(st, *y, 8));
        let same = m.pool.eq(x, y);
        equal = m.pool.and(equal, same);
    }
    m.split(st, equal, Purpose::Branch)
}

/// Returns the directory given by the first argument of `openat` and the like.
pub fn start(m: &mut Executor, st: &mut State, descriptor: Value) -> Res<Result<NodeId, Errno>> {
    let number = m.concretise(st, descriptor, 32)?;
    let files = &st.world.files;
    if number == WORKING_DIRECTORY {
        return Ok(Ok(files.working_directory));
    }
    let Some(id) = files.description_of(number) else {
        return Ok(Err(EBADF));
    };
    let node = files.description(id).node;
    Ok(if files.is_directory(node) {
        Ok(node)
    } else {
        Err(ENOTDIR)
    })
}

/// Returns the absolute path of a directory; `None` if it, or one above it, was removed.
pub fn full_name(st: &mut State, directory: NodeId) -> Option<Vec<Value>> {
    let files = files(st);
    let mut parts: Vec<Rc<[Value]>> = Vec::new();
    let mut at = directory;
    while at != ROOT {
        let parent = files.parent(at);
        let entry = files.entries(parent).iter().find(|entry| entry.1 == at);
        parts.push(entry?.0.clone());
        at = parent;
    }
    let slash = Value::Int(u64::from(b'/'));
    let mut text = Vec::new();
    for name in parts.iter().rev() {
        text.push(slash);
        text.extend_from_slice(name);
    }
    if text.is_empty() {
        text.push(slash);
    }
    Some(text)
}
