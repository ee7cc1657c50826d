//! How many bytes the memory of states takes, with what they share counted once.

use std::collections::HashSet;
use std::rc::Rc;

/// Bytes of the counts beside what an `Rc` holds.
const COUNTS: usize = 2 * size_of::<usize>();

/// The memory of the address spaces that were added.
#[derive(Default)]
pub struct Footprint {
    /// Bytes with one holder.
    pub owned: u64,
    /// Bytes with several.
    pub shared: u64,
    seen: HashSet<*const (), rustc_hash::FxBuildHasher>,
}

impl Footprint {
    /// Counts a node unless it has been counted. `shared`: what holds it has several holders. Gives whether what the node
    /// holds is shared; `None` if that was counted, too.
    pub(super) fn node<T>(&mut self, node: &Rc<T>, shared: bool) -> Option<bool> {
        let several = Rc::strong_count(node) > 1;
        if several && !self.seen.insert(Rc::as_ptr(node).cast()) {
            return None;
        }
        let shared = shared || several;
        let sum = if shared {
            &mut self.shared
        } else {
            &mut self.owned
        };
        *sum += (size_of::<T>() + COUNTS) as u64;
        Some(shared)
    }
}
