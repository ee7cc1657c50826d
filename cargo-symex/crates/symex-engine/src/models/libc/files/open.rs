//! Models of opening files by name.

use super::path::{self, PathPlace};
use super::{Errno, files};
use crate::exec::Executor;
use crate::exec::call::model::{Call, Flow};
use crate::exec::path::end::Res;
use crate::models::libc::errno::{
    self, EACCES, EEXIST, EINVAL, EISDIR, ELOOP, EMFILE, ENOENT, ENOTDIR,
};
use crate::models::table::{Row, row};
use crate::state::State;
use crate::state::file_system::{Description, FileKind, NodeId};
use std::rc::Rc;
use symex_terms::Value;
use symex_types::outcome::Unsupported;

pub const ROWS: &[Row] = &[
    row("open", open),
    row("open64", open),
    row("__open_2", open),
    row("__open64_2", open),
    row("openat", openat),
    row("openat64", openat),
    row("creat", creat),
    row("creat64", creat),
];

const WRITE_ONLY: u64 = 1;
const READ_WRITE: u64 = 2;
const CREATE: u64 = 0x40;
const EXCLUSIVE: u64 = 0x80;
const TRUNCATE: u64 = 0x200;
const APPEND: u64 = 0x400;
const NON_BLOCKING: u64 = 0x800;
const DIRECTORY: u64 = 0x1_0000;
const CLOSE_ON_EXEC: u64 = 0x8_0000;
const NO_FOLLOW: u64 = 0x2_0000;
/// Asks for a new file that has no name in the directory, with `DIRECTORY`.
const UNNAMED: u64 = 0x40_0000;
/// Flags without effect here: no terminals, one kind of disk.
const IGNORED: u64 = 0x100 | 0x1000 | 0x4000 | 0x8000 | 0x4_0000 | 0x10_0000;

/// Request of a call of `open`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenRequest {
    pub readable: bool,
    pub writable: bool,
    pub create: bool,
    pub exclusive: bool,
    pub truncate: bool,
    pub append: bool,
    pub directory: bool,
    pub close_on_exec: bool,
    pub non_blocking: bool,
    pub no_follow: bool,
    /// Whether a new file is made that has no name in the directory.
    pub unnamed: bool,
    /// Permissions of a new file.
    pub mode: u32,
}

impl OpenRequest {
    pub(super) fn of_flags(flags: u64, mode: u32) -> Result<OpenRequest, Unsupported> {
        let access = flags & 3;
        let known = CREATE
            | EXCLUSIVE
            | TRUNCATE
            | APPEND
            | NON_BLOCKING
            | DIRECTORY
            | CLOSE_ON_EXEC
            | NO_FOLLOW
            | UNNAMED
            | IGNORED
            | 3;
        if flags & !known != 0 || access == 3 {
            return Err(Unsupported::Model(format!("open with flags {flags:#x}")));
        }
        let unnamed = flags & UNNAMED != 0;
        if unnamed && (flags & DIRECTORY == 0 || flags & CREATE != 0) {
            return Err(Unsupported::Model(format!("open with flags {flags:#x}")));
        }
        Ok(OpenRequest {
            readable: access != WRITE_ONLY,
            writable: access == WRITE_ONLY || access == READ_WRITE,
            create: flags & CREATE != 0,
            exclusive: flags & EXCLUSIVE != 0,
            truncate: flags & TRUNCATE != 0,
            append: flags & APPEND != 0,
            directory: flags & DIRECTORY != 0,
            close_on_exec: flags & CLOSE_ON_EXEC != 0,
            non_blocking: flags & NON_BLOCKING != 0,
            no_follow: flags & NO_FOLLOW != 0,
            unnamed,
            mode,
        })
    }

    fn description(&self, node: NodeId) -> Description {
        let mut description = Description::new(node, self.readable, self.writable);
        description.append = self.append;
        if self.append {
            description.flags |= APPEND;
        }
        if self.non_blocking {
            description.flags |= NON_BLOCKING;
        }
        description
    }
}

/// Opens a file, at the lowest free descriptor.
pub fn open_file(
    m: &mut Executor,
    st: &mut State,
    start: Result<NodeId, Errno>,
    path: Value,
    request: OpenRequest,
) -> Res<Result<u32, Errno>> {
    // One that must not be there is not looked for behind a link, either.
    let itself = request.no_follow || request.create && request.exclusive;
    let place = match itself {
        true => path::look_up_link(m, st, start, path)?,
        false => path::look_up(m, st, start, path)?,
    };
    let place = match place {
        Ok(place) => place,
        Err(code) => return Ok(Err(code)),
    };
    let mut mappings = st.world.files.mappings.iter();
    if request.truncate && mappings.any(|one| Some(one.node) == place.node) {
        return Err(Unsupported::Model("a mapping beyond the end of a file".into()).into());
    }
    Ok(open_place(st, &place, request))
}

pub(super) fn open_place(
    st: &mut State,
    place: &PathPlace,
    request: OpenRequest,
) -> Result<u32, Errno> {
    let fs = &st.world.files;
    let node = match place.node {
        Some(node) if request.unnamed => {
            if !fs.is_directory(node) {
                return Err(ENOTDIR);
            }
            if !request.writable {
                return Err(EINVAL);
            }
            if fs.node(node).mode & 0o200 == 0 {
                return Err(EACCES);
            }
            None
        }
        Some(node) => {
            if request.create && request.exclusive {
                return Err(EEXIST);
            }
            if matches!(fs.node(node).kind, FileKind::Link(_)) {
                return Err(ELOOP);
            }
            let is_directory = fs.is_directory(node);
            if is_directory && (request.writable || request.create) {
                return Err(EISDIR);
            }
            if request.directory && !is_directory {
                return Err(ENOTDIR);
            }
            let mode = fs.node(node).mode;
            if request.readable && mode & 0o400 == 0 || request.writable && mode & 0o200 == 0 {
                return Err(EACCES);
            }
            Some(node)
        }
        None if !request.create => return Err(ENOENT),
        None if place.slash => return Err(EISDIR),
        None if request.directory => return Err(EINVAL),
        None if fs.node(place.directory).mode & 0o200 == 0 => return Err(EACCES),
        None => None,
    };
    if !fs.has_room() {
        return Err(EMFILE);
    }
    let fs = files(st);
    let node = match node {
        Some(node) => {
            if request.truncate && request.writable {
                fs.truncate(node, 0);
            }
            node
        }
        None => {
            let mode = request.mode & 0o7777 & !fs.mask;
            let node = fs.add(FileKind::Regular(Rc::default()), mode);
            if !request.unnamed {
                fs.link(place.directory, place.name.clone(), node);
            }
            node
        }
    };
    let number = fs.open(request.description(node), 0).ok_or(EMFILE)?;
    fs.set_close_on_exec(u64::from(number), request.close_on_exec);
    Ok(number)
}

/// Returns the result of `open`.
fn opened(m: &mut Executor, st: &mut State, c: &Call, result: Result<u32, Errno>) -> Res<Flow> {
    match result {
        Ok(number) => Flow::int(u64::from(number)),
        Err(code) => errno::fail(m, st, c, code),
    }
}

/// Reads flags and mode of a call, from the leaf `at` on. The mode is present only if a file may be
/// made.
fn request(m: &mut Executor, st: &mut State, c: &Call, at: usize) -> Res<OpenRequest> {
    let flags = m.concretise(st, c.arg(at), 32)?;
    let mode = if flags & (CREATE | UNNAMED) != 0 {
        m.concretise(st, c.arg(at + 1), 32)? as u32
    } else {
        0
    };
    Ok(OpenRequest::of_flags(flags, mode)?)
}

/// `open(path, flags, mode)`.
fn open(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let request = request(m, st, c, 1)?;
    let start = Ok(st.world.files.working_directory);
    let result = open_file(m, st, start, c.arg(0), request)?;
    opened(m, st, c, result)
}

/// `openat(directory, path, flags, mode)`.
fn openat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let request = request(m, st, c, 2)?;
    let start = path::start(m, st, c.arg(0))?;
    let result = open_file(m, st, start, c.arg(1), request)?;
    opened(m, st, c, result)
}

/// `creat(path, mode)`.
fn creat(m: &mut Executor, st: &mut State, c: &Call) -> Res<Flow> {
    let mode = m.concretise(st, c.arg(1), 32)? as u32;
    let request = OpenRequest {
        writable: true,
        create: true,
        truncate: true,
        mode,
        ..OpenRequest::default()
    };
    let start = Ok(st.world.files.working_directory);
    let result = open_file(m, st, start, c.arg(0), request)?;
    opened(m, st, c, result)
}
