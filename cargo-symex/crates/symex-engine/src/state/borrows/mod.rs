//! References of a path, and what each may still be used for, by the rules of Tree Borrows: trees
//! of the references to each object.
//!
//! Everything here errs on one side: a reference or an access about which something is not known
//! forbids nothing.

pub mod permission;
pub mod tree;

use permission::Cause;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use symex_memory::Tag;
use symex_program::LocId;
use symex_terms::ObjectId;
use tree::{Retag, Tree, Violation};

/// References to all objects of a path. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Borrows {
    trees: Rc<BTreeMap<ObjectId, Rc<Tree>>>,
    next: Tag,
    /// Whether a pointer was exposed that may be to any object.
    any_exposed: bool,
}

impl Default for Borrows {
    fn default() -> Self {
        Borrows {
            trees: Rc::default(),
            next: Tag::FIRST,
            any_exposed: false,
        }
    }
}

impl Borrows {
    /// Returns a tag that no reference of the path has.
    pub fn fresh(&mut self) -> Tag {
        let tag = self.next;
        self.next = Tag(tag.0 + 1);
        tag
    }

    /// Returns the references to an object, if there were any.
    pub fn tree(&self, object: ObjectId) -> Option<&Tree> {
        self.trees.get(&object).map(|tree| &**tree)
    }

    fn tree_mut(&mut self, object: ObjectId) -> Option<&mut Tree> {
        // Most objects have none, and the map stays shared.
        self.trees.get(&object)?;
        let tree = Rc::make_mut(&mut self.trees).get_mut(&object)?;
        let tree = Rc::make_mut(tree);
        if self.any_exposed {
            tree.expose_any();
        }
        Some(tree)
    }

    /// Performs an access to an object.
    pub fn access(
        &mut self,
        object: ObjectId,
        tag: Tag,
        range: Range<u64>,
        cause: Cause,
    ) -> Result<(), Violation> {
        match self.tree_mut(object) {
            Some(tree) => tree.access(tag, range, cause),
            None => Ok(()),
        }
    }

    /// Makes a reference to an object of this size.
    pub fn retag(
        &mut self,
        object: ObjectId,
        size: u64,
        retag: &Retag<'_>,
    ) -> Result<(), Violation> {
        let trees = Rc::make_mut(&mut self.trees);
        let tree = trees
            .entry(object)
            .or_insert_with(|| Rc::new(Tree::new(size)));
        Rc::make_mut(tree).retag(retag)
    }

    /// Notes that the address of a reference to an object of this size was made an integer.
    pub fn expose(&mut self, object: ObjectId, size: u64, tag: Tag) {
        let trees = Rc::make_mut(&mut self.trees);
        let tree = trees
            .entry(object)
            .or_insert_with(|| Rc::new(Tree::new(size)));
        Rc::make_mut(tree).expose(tag);
    }

    /// Notes that the address of something unknown was made an integer.
    pub fn expose_any(&mut self) {
        self.any_exposed = true;
    }

    /// Ends the protection of a reference.
    pub fn release(&mut self, object: ObjectId, tag: Tag, at: LocId) -> Result<(), Violation> {
        match self.tree_mut(object) {
            Some(tree) => tree.release(tag, at),
            None => Ok(()),
        }
    }

    /// Checks that an object may be freed through a reference.
    pub fn free(&mut self, object: ObjectId, tag: Tag, at: LocId) -> Result<(), Violation> {
        match self.tree_mut(object) {
            Some(tree) => tree.free(tag, at),
            None => Ok(()),
        }
    }

    /// Forgets the references to an object that has ended, or begins anew.
    pub fn forget(&mut self, object: ObjectId) {
        if self.trees.contains_key(&object) {
            Rc::make_mut(&mut self.trees).remove(&object);
        }
    }

    /// Drops references to an object that no pointer is any more.
    pub fn clean(&mut self, object: ObjectId, is_used: impl Fn(Tag) -> bool) {
        if let Some(tree) = self.tree_mut(object) {
            tree.clean(is_used);
        }
    }
}

#[cfg(test)]
mod tests;
