//! Checks of Rust's rules of aliasing, if they are asked for: Tree Borrows, over the retags that
//! rustc emits as calls.
//!
//! A value does not know which reference it is. Beside each register of a frame stands the tag of
//! the pointer in it, and beside each pointer in memory its own; a pointer whose way was not
//! followed has none, and what is done through it is not checked. `follow` carries tags from
//! registers to registers, `access` checks accesses, `retag` makes references and ends their
//! protection.

mod access;
mod follow;
mod retag;

pub(in crate::exec) use follow::{frame_tags, move_tag, tag_of};

use smallvec::SmallVec;
use symex_memory::Tag;
use symex_terms::Value;

/// Tags of the pointers that the current instruction uses.
#[derive(Default)]
pub struct Tags {
    /// Tag of the pointer that it reads through.
    read: Tag,
    /// Tag of the pointer that it writes through.
    write: Tag,
    /// Tag of the pointer that it has loaded.
    loaded: Tag,
    /// Arguments of the call that a model performs, with their tags, if it accesses memory through
    /// them alone.
    args: SmallVec<[(Value, Tag); 8]>,
    /// Tags of the arguments of a call.
    pub(in crate::exec) passed: SmallVec<[Tag; 8]>,
    /// Tags of the results of a call.
    pub(in crate::exec) results: SmallVec<[Tag; 4]>,
}
