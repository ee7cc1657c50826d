//! Models of POSIX calls on the files of a path (`state/file_system.rs`). Where the user describes
//! no files the working directory and the one for temporary files are empty; a path that asks for
//! others says that it took them to be absent.
//!
//! Input-dependent arguments are decided, with a path for each case: names byte by byte as far as
//! it matters which file is meant, and numbers (descriptors, offsets, lengths). Bytes of contents
//! stay terms.

mod copy;
pub mod descriptors;
mod directories;
mod entries;
mod events;
mod mapping;
pub mod open;
pub mod path;
mod select;
pub mod size;
mod sockets;
mod status;
mod temporary;
pub mod transfer;

pub use mapping::{map, sync as sync_mapping, unmap};

use crate::exec::Executor;
use crate::models::outside_world;
use crate::models::table::Row;
use crate::state::State;
use crate::state::file_system::{DescriptionId, Files, NodeId};
use std::rc::Rc;

/// Tables of models in this folder.
pub const ROWS: [&[Row]; 12] = [
    copy::ROWS,
    descriptors::ROWS,
    directories::ROWS,
    entries::ROWS,
    events::ROWS,
    open::ROWS,
    select::ROWS,
    size::ROWS,
    sockets::ROWS,
    status::ROWS,
    temporary::ROWS,
    transfer::ROWS,
];

/// Error number with which a call fails.
pub type Errno = u64;

/// Returns the files of a path, for changing them.
pub fn files(st: &mut State) -> &mut Files {
    Rc::make_mut(&mut Rc::make_mut(&mut st.world).files)
}

/// Records the assumption that a name in a directory does not exist.
fn note_absence(m: &mut Executor, st: &mut State, directory: NodeId) {
    if m.config.world.files.is_empty() {
        outside_world::take_unless_std(m, st, outside_world::NO_FILES);
    } else if !is_described(st, directory) {
        outside_world::take_unless_std(m, st, outside_world::FILES_ELSEWHERE);
    }
}

/// Reports whether the user describes the contents of a directory: the initial working directory,
/// and those below.
pub fn is_described(st: &State, directory: NodeId) -> bool {
    let files = &st.world.files;
    let mut at = directory;
    loop {
        if at == files.home {
            return true;
        }
        let parent = files.parent(at);
        if parent == at {
            return false;
        }
        at = parent;
    }
}

/// Reports whether it is one of the three files that a program starts with.
fn is_standard(st: &State, id: DescriptionId) -> bool {
    let node = st.world.files.description(id).node;
    Files::STANDARD.contains(&node)
}

/// Records the assumption about standard input, output and error.
fn note_pipes(m: &mut Executor, st: &mut State, id: DescriptionId) {
    if is_standard(st, id) {
        outside_world::take_unless_std(m, st, outside_world::PIPES);
    }
}
