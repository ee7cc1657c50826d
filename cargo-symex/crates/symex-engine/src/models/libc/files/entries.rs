//! Models of making, removing and renaming files, and of the working directory.

use super::path::{self, PathPlace, full_name};
use super::transfer::description;
use super::{Errno, files};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::memory::access::Access;
use crate::exec::memory::symbolic_size::Extent;
use crate::exec::path::end::Res;
use crate::models::libc::bytes;
use crate::models::libc::errno::{
    self, EACCES, EBUSY, EEXIST, EINVAL, EISDIR, ENOENT, ENOTDIR, ENOTEMPTY, EPERM, ERANGE,
};
use crate::models::table::{Row, row};
use crate::models::{heap, outside_world};
use crate::state::State;
use crate::state::file_system::{FileKind, NodeId, ROOT};
use std::rc::Rc;
use symex_memory::Initial;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("unlink", unlink),
    row("unlinkat", unlinkat),
    row("remove", remove),
    row("rmdir", rmdir),
    row("rename", rename),
    row("renameat", renameat),
    row("renameat2", renameat2),
    row("link", link),
    row("linkat", linkat),
    row("symlink", symlink),
    row("symlinkat", symlinkat),
    row("readlink", readlink),
    row("__readlink_chk", readlink),
    row("readlinkat", readlinkat),
    row("mkdir", mkdir),
    row("mkdirat", mkdirat),
    row("truncate", truncate),
    row("truncate64", truncate),
    row("chdir", chdir),
    row("fchdir", fchdir),
    row("getcwd", getcwd),
    row("realpath", realpath),
];

fn here(st: &State) -> Result<NodeId, Errno> {
    Ok(st.world.files.working_directory)
}

/// Returns 0, or fails.
fn answer(m: &mut Executor, st: &mut State, c: &Call, result: Result<(), Errno>) -> Res<Flow> {
    match result {
        Ok(()) => Flow::int(0),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// Removes a name from its directory: that of a directory, of another file, or of any.
fn take_away(st: &mut State, place: PathPlace, directory: Option<bool>) -> Result<(), Errno> {
    let fs = &st.world.files;
    let node = place.node.ok_or(ENOENT)?;
    let is_directory = fs.is_directory(node);
    let entry = match place.entry {
        Some(entry) => entry,
        // `.`, `..` and the root.
        None if directory == Some(false) => return Err(EISDIR),
        None if node == ROOT => return Err(EBUSY),
        None => return Err(EINVAL),
    };
    match directory {
        Some(true) if !is_directory => return Err(ENOTDIR),
        Some(false) if is_directory => return Err(EISDIR),
        _ => {}
    }
    if is_directory && !fs.entries(node).is_empty() {
        return Err(ENOTEMPTY);
    }
    if fs.node(place.directory).mode & 0o200 == 0 {
        return Err(EACCES);
    }
    files(st).unlink(place.directory, entry);
    Ok(())
}

fn removal(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    start: Result<NodeId, Errno>,
    path: Value,
    directory: Option<bool>,
) -> Res<Flow> {
    let place = path::look_up_link(m, st, start, path)?;
    let result = place.and_then(|place| take_away(st, place, directory));
    answer(m, st, c, result)
}

fn unlink(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    removal(m, st, c, start, c.arg(0), Some(false))
}

/// `unlinkat(directory, path, flags)`.
fn unlinkat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const REMOVE_DIRECTORY: u64 = 0x200;
    let flags = m.concretise(st, c.arg(2), 32)?;
    let start = path::start(m, st, c.arg(0))?;
    let directory = Some(flags & REMOVE_DIRECTORY != 0);
    removal(m, st, c, start, c.arg(1), directory)
}

fn remove(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    removal(m, st, c, start, c.arg(0), None)
}

fn rmdir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    removal(m, st, c, start, c.arg(0), Some(true))
}

/// `rename(old, new)`.
fn rename(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    moved(
        m,
        st,
        c,
        (start, c.arg(0)),
        (start, c.arg(1)),
        Replaces::Any,
    )
}

/// `renameat(old directory, old, new directory, new)`.
fn renameat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let old = path::start(m, st, c.arg(0))?;
    let new = path::start(m, st, c.arg(2))?;
    moved(m, st, c, (old, c.arg(1)), (new, c.arg(3)), Replaces::Any)
}

/// `renameat2(old directory, old, new directory, new, flags)`.
fn renameat2(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const NO_REPLACE: u64 = 1;
    let replaces = match m.concretise(st, c.arg(4), 32)? {
        0 => Replaces::Any,
        NO_REPLACE => Replaces::None,
        // What a file system answers that cannot exchange files, or that does not know the flag.
        _ => return errno::fail(m, st, c, EINVAL),
    };
    let old = path::start(m, st, c.arg(0))?;
    let new = path::start(m, st, c.arg(2))?;
    moved(m, st, c, (old, c.arg(1)), (new, c.arg(3)), replaces)
}

type NamedNode = (Result<NodeId, Errno>, Value);

/// Files whose place a renamed one may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaces {
    Any,
    None,
}

fn moved(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    old: NamedNode,
    new: NamedNode,
    replaces: Replaces,
) -> Res<Flow> {
    let old = path::look_up_link(m, st, old.0, old.1)?;
    let new = path::look_up_link(m, st, new.0, new.1)?;
    let result = match (old, new) {
        (Ok(old), Ok(new))
            if old.node.is_some() && new.node.is_some() && replaces == Replaces::None =>
        {
            Err(EEXIST)
        }
        (Ok(old), Ok(new)) => move_to(st, old, new),
        (Err(code), _) | (_, Err(code)) => Err(code),
    };
    answer(m, st, c, result)
}

fn move_to(st: &mut State, old: PathPlace, new: PathPlace) -> Result<(), Errno> {
    let fs = &st.world.files;
    let node = old.node.ok_or(ENOENT)?;
    if old.entry.is_none() || new.name.is_empty() {
        return Err(EBUSY);
    }
    let is_directory = fs.is_directory(node);
    if new.node == Some(node) {
        return Ok(());
    }
    if is_directory && is_below(st, new.directory, node) {
        return Err(EINVAL);
    }
    if new.slash && !is_directory {
        return Err(ENOTDIR);
    }
    let read_only = |directory| fs.node(directory).mode & 0o200 == 0;
    if read_only(old.directory) || read_only(new.directory) {
        return Err(EACCES);
    }
    if let Some(target) = new.node {
        match (is_directory, fs.is_directory(target)) {
            (false, true) => return Err(EISDIR),
            (true, false) => return Err(ENOTDIR),
            (true, true) if !fs.entries(target).is_empty() => return Err(ENOTEMPTY),
            _ => {}
        }
    }
    let fs = files(st);
    fs.link(new.directory, new.name.clone(), node);
    // The new entry stands last, so that the places of the others are what they were; of two in one
    // directory the later leaves first.
    let mut leaving = vec![(old.directory, old.entry)];
    leaving.push((new.directory, new.entry));
    leaving.sort_by_key(|(_, entry)| std::cmp::Reverse(*entry));
    for (directory, entry) in leaving {
        if let Some(entry) = entry {
            fs.unlink(directory, entry);
        }
    }
    Ok(())
}

/// Reports whether a directory is another one, or below it.
fn is_below(st: &State, mut at: NodeId, above: NodeId) -> bool {
    loop {
        if at == above {
            return true;
        }
        if at == ROOT {
            return false;
        }
        at = st.world.files.parent(at);
    }
}

/// `link(old, new)`.
fn link(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    named_again(m, st, c, (start, c.arg(0)), (start, c.arg(1)), false)
}

/// `linkat(old directory, old, new directory, new, flags)`.
fn linkat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    const FOLLOW: u64 = 0x400;
    let flags = m.concretise(st, c.arg(4), 32)?;
    if flags & !FOLLOW != 0 {
        return Err(Unsupported::Model(format!("linkat with flags {flags:#x}")).into());
    }
    let old = path::start(m, st, c.arg(0))?;
    let new = path::start(m, st, c.arg(2))?;
    let follow = flags & FOLLOW != 0;
    named_again(m, st, c, (old, c.arg(1)), (new, c.arg(3)), follow)
}

fn named_again(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    old: NamedNode,
    new: NamedNode,
    follow: bool,
) -> Res<Flow> {
    let old = match follow {
        true => path::look_up(m, st, old.0, old.1)?,
        false => path::look_up_link(m, st, old.0, old.1)?,
    };
    let new = path::look_up_link(m, st, new.0, new.1)?;
    let result = match (old, new) {
        (Ok(old), Ok(new)) => add_name(st, old, new),
        (Err(code), _) | (_, Err(code)) => Err(code),
    };
    answer(m, st, c, result)
}

fn add_name(st: &mut State, old: PathPlace, new: PathPlace) -> Result<(), Errno> {
    let node = old.node.ok_or(ENOENT)?;
    if new.node.is_some() {
        return Err(EEXIST);
    }
    if st.world.files.is_directory(node) {
        return Err(EPERM);
    }
    if new.slash {
        return Err(ENOENT);
    }
    files(st).link(new.directory, new.name, node);
    Ok(())
}

/// `symlink(target, path)`.
fn symlink(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    make_link(m, st, c, (start, c.arg(1)))
}

/// `symlinkat(target, directory, path)`.
fn symlinkat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = path::start(m, st, c.arg(1))?;
    make_link(m, st, c, (start, c.arg(2)))
}

/// Makes a link to the path that comes first, which need not exist.
fn make_link(m: &mut Executor, st: &mut State, c: &Call, new: NamedNode) -> Res<Flow> {
    let target = match path::text(m, st, c.arg(0))? {
        Ok(target) => target,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let result = match path::look_up_link(m, st, new.0, new.1)? {
        Ok(PathPlace { node: Some(_), .. }) => Err(EEXIST),
        Ok(place) if place.slash => Err(ENOENT),
        Ok(place) if st.world.files.node(place.directory).mode & 0o200 == 0 => Err(EACCES),
        Ok(place) => {
            let fs = files(st);
            let node = fs.add(FileKind::Link(target.into()), 0o777);
            fs.link(place.directory, place.name, node);
            Ok(())
        }
        Err(code) => Err(code),
    };
    answer(m, st, c, result)
}

/// `readlink(path, buffer, size)`.
fn readlink(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    read_link(m, st, c, start, 0)
}

/// `readlinkat(directory, path, buffer, size)`.
fn readlinkat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = path::start(m, st, c.arg(0))?;
    read_link(m, st, c, start, 1)
}

/// Copies the path of a link, as much of it as fits, and without a terminator.
fn read_link(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    start: Result<NodeId, Errno>,
    at: usize,
) -> Res<Flow> {
    let size = m.concretise(st, c.arg(at + 2), 64)?;
    if size == 0 {
        return errno::fail(m, st, c, EINVAL);
    }
    let place = path::look_up_link(m, st, start, c.arg(at))?;
    let node = match place.and_then(|place| place.node.ok_or(ENOENT)) {
        Ok(node) => node,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let FileKind::Link(target) = &st.world.files.node(node).kind else {
        return errno::fail(m, st, c, EINVAL);
    };
    let target = target.clone();
    let count = target
        .len()
        .min(usize::try_from(size).unwrap_or(usize::MAX));
    bytes::write(m, st, c.arg(at + 1), &target[..count])?;
    Flow::int(count as u64)
}

/// `mkdir(path, mode)`.
fn mkdir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    make_directory(m, st, c, start, 0)
}

/// `mkdirat(directory, path, mode)`.
fn mkdirat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = path::start(m, st, c.arg(0))?;
    make_directory(m, st, c, start, 1)
}

fn make_directory(
    m: &mut Executor,
    st: &mut State,
    c: &Call,
    start: Result<NodeId, Errno>,
    at: usize,
) -> Res<Flow> {
    let mode = m.concretise(st, c.arg(at + 1), 32)? as u32;
    let result = match path::look_up_link(m, st, start, c.arg(at))? {
        Ok(PathPlace { node: Some(_), .. }) => Err(EEXIST),
        Ok(place) if st.world.files.node(place.directory).mode & 0o200 == 0 => Err(EACCES),
        Ok(place) => {
            let fs = files(st);
            let kind = FileKind::Directory {
                entries: Rc::default(),
                parent: place.directory,
            };
            let node = fs.add(kind, mode & 0o777 & !fs.mask);
            fs.link(place.directory, place.name, node);
            Ok(())
        }
        Err(code) => Err(code),
    };
    answer(m, st, c, result)
}

/// `truncate(path, size)`.
fn truncate(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    let start = here(st);
    let place = path::look_up(m, st, start, c.arg(0))?;
    let node = match place.and_then(|place| place.node.ok_or(ENOENT)) {
        Ok(node) => node,
        Err(code) => return errno::fail(m, st, c, code),
    };
    let result = match &st.world.files.node(node).kind {
        FileKind::Directory { .. } => Err(EISDIR),
        _ if i64::try_from(size).is_err() => Err(EINVAL),
        _ if st.world.files.node(node).mode & 0o200 == 0 => Err(EACCES),
        FileKind::Regular(_) => {
            super::size::truncate(m, st, node, size)?;
            Ok(())
        }
        _ => Err(EINVAL),
    };
    answer(m, st, c, result)
}

fn enter(m: &mut Executor, st: &mut State, c: &Call, to: Result<NodeId, Errno>) -> Res<Flow> {
    let result = match to {
        Ok(node) if !st.world.files.is_directory(node) => Err(ENOTDIR),
        Ok(node) if st.world.files.node(node).mode & 0o100 == 0 => Err(EACCES),
        Ok(node) => {
            files(st).working_directory = node;
            Ok(())
        }
        Err(code) => Err(code),
    };
    answer(m, st, c, result)
}

fn chdir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    let place = path::look_up(m, st, start, c.arg(0))?;
    let node = place.and_then(|place| place.node.ok_or(ENOENT));
    enter(m, st, c, node)
}

fn fchdir(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let id = description(m, st, c.arg(0))?;
    let node = id.map(|id| st.world.files.description(id).node);
    enter(m, st, c, node)
}

fn null(m: &mut Executor, st: &mut State, code: Errno) -> Res<Flow> {
    errno::set(m, st, code);
    Flow::value(Value::NULL)
}

/// `getcwd(buffer, size)`.
fn getcwd(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let size = m.concretise(st, c.arg(1), 64)?;
    outside_world::take_unless_std(m, st, outside_world::HOME);
    let directory = st.world.files.working_directory;
    let Some(mut text) = full_name(st, directory) else {
        return null(m, st, ENOENT);
    };
    text.push(Value::Int(0));
    if c.arg(0) == Value::NULL {
        let room = if size == 0 { text.len() as u64 } else { size };
        if room < text.len() as u64 {
            return null(m, st, ERANGE);
        }
        return new_text(m, st, room, &text);
    }
    if size == 0 {
        return null(m, st, EINVAL);
    }
    if size < text.len() as u64 {
        return null(m, st, ERANGE);
    }
    bytes::write(m, st, c.arg(0), &text)?;
    Flow::value(c.arg(0))
}

fn new_text(m: &mut Executor, st: &mut State, room: u64, text: &[Value]) -> Res<Flow> {
    let object = heap::allocate(m, st, Extent::known(room), 4, Initial::Uninit)?;
    let to = Value::Ptr(object, 0);
    bytes::write(m, st, to, text)?;
    Flow::value(to)
}

/// `realpath(path, buffer)`.
fn realpath(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let start = here(st);
    let place = match path::look_up(m, st, start, c.arg(0))? {
        Ok(place) => place,
        Err(code) => return null(m, st, code),
    };
    let Some(node) = place.node else {
        return null(m, st, ENOENT);
    };
    let name = match place.name.is_empty() {
        true => full_name(st, node),
        false => full_name(st, place.directory),
    };
    let Some(mut text) = name else {
        return null(m, st, ENOENT);
    };
    if !place.name.is_empty() {
        if text.len() > 1 {
            text.push(Value::Int(u64::from(b'/')));
        }
        text.extend_from_slice(&place.name);
    }
    text.push(Value::Int(0));
    if c.arg(1) == Value::NULL {
        outside_world::take_unless_std(m, st, outside_world::HOME);
        return new_text(m, st, text.len() as u64, &text);
    }
    m.check_range(st, c.arg(1), text.len() as u64, Access::Write)?;
    outside_world::take_unless_std(m, st, outside_world::HOME);
    bytes::write(m, st, c.arg(1), &text)?;
    Flow::value(c.arg(1))
}
