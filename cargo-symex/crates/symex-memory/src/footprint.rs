//! Memory footprint of states in bytes, with shared parts counted once.

use std::collections::HashSet;
use std::rc::Rc;
use symex_types::outcome::stats::Held;

/// Bytes of the reference counts of an `Rc`.
const COUNTS: usize = 2 * size_of::<usize>();

/// Footprint of the address spaces that were added.
#[derive(Default)]
pub struct Footprint {
    /// Everything that is counted.
    pub all: Held,
    /// The part held by objects at known offsets: blocks and pages. Objects of up to 32 bytes lie
    /// in their table.
    pub contents: Held,
    seen: HashSet<*const (), rustc_hash::FxBuildHasher>,
}

fn add<T>(to: &mut Held, shared: bool) {
    let bytes = (size_of::<T>() + COUNTS) as u64;
    let sum = if shared {
        &mut to.shared
    } else {
        &mut to.owned
    };
    *sum += bytes;
}

impl Footprint {
    /// Counts a node unless it has been counted. `shared`: its owner has several holders. Returns
    /// whether the contents of the node are shared; `None` if they were counted, too.
    pub(super) fn node<T>(&mut self, node: &Rc<T>, shared: bool) -> Option<bool> {
        let several = Rc::strong_count(node) > 1;
        if several && !self.seen.insert(Rc::as_ptr(node).cast()) {
            return None;
        }
        let shared = shared || several;
        add::<T>(&mut self.all, shared);
        Some(shared)
    }

    /// Counts a node of contents, as [`Self::node`] does.
    pub(super) fn contents<T>(&mut self, node: &Rc<T>, shared: bool) -> Option<bool> {
        let shared = self.node(node, shared)?;
        add::<T>(&mut self.contents, shared);
        Some(shared)
    }
}
