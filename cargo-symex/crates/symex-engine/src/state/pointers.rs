//! Decisions of a path about pointers that may refer to several objects.

use std::rc::Rc;
use symex_terms::{Expr, ObjectId, Value};

/// Number of merged accesses that are remembered, and of terms with one value, or many.
const REMEMBERED: usize = 16;

/// First and last of some objects.
pub type ObjectRange = (ObjectId, ObjectId);

/// Resolutions and merged accesses of a path. Cheap to clone.
#[derive(Clone, Default)]
pub struct Pointers {
    /// Resolutions on this path of terms that select between objects: `atom = pointer`. The path
    /// condition implies them; they are remembered so that they need not be asked again.
    resolutions: Rc<Vec<(Expr, Value)>>,
    /// Objects of merged accesses, and whether these were stores.
    merged: Rc<Vec<(ObjectRange, bool)>>,
    /// Terms that have one value on this path, although that depends on its inputs; latest last.
    determined: Rc<Vec<Expr>>,
    /// Terms that had many values on this path when they were looked at; latest last.
    left: Rc<Vec<Expr>>,
    /// Offsets whose look-ups are nested no deeper are left as they are.
    undetermined: u8,
}

impl Pointers {
    /// Returns the pointer to which a term was resolved.
    pub fn resolved(&self, atom: Expr) -> Option<Value> {
        let known = self.resolutions.iter().find(|r| r.0 == atom);
        known.map(|r| r.1)
    }

    /// Remembers the resolution of a term.
    pub fn resolve(&mut self, atom: Expr, to: Value) {
        Rc::make_mut(&mut self.resolutions).push((atom, to));
    }

    /// Forgets the resolutions that another path does not have, and leaves those offsets as they
    /// are that either path does.
    pub fn keep_common(&mut self, other: &Pointers) {
        if !Rc::ptr_eq(&self.resolutions, &other.resolutions) {
            let common = |known: &&(Expr, Value)| other.resolutions.contains(known);
            self.resolutions = Rc::new(self.resolutions.iter().filter(common).copied().collect());
        }
        // A term with one value on either path may have two on both.
        self.determined = Rc::default();
        self.undetermined = self.undetermined.max(other.undetermined);
    }

    /// Reports whether a term is known to have one value on this path.
    pub fn is_determined(&self, term: Expr) -> bool {
        self.determined.contains(&term)
    }

    /// Remembers that a term has one value on this path.
    pub fn determine(&mut self, term: Expr) {
        remember(&mut self.determined, term);
    }

    /// Reports whether a term had many values on this path.
    pub fn is_left(&self, term: Expr) -> bool {
        self.left.contains(&term)
    }

    /// Remembers that a term has many values on this path.
    pub fn leave(&mut self, term: Expr) {
        remember(&mut self.left, term);
    }

    /// Returns the depth of nested look-ups up to which offsets are left as they are.
    pub fn undetermined(&self) -> u8 {
        self.undetermined
    }

    /// Remembers that an offset had too many values whose look-ups are nested this deep. The next
    /// one to be tried is twice as deep, so that the tries cost little next to the look-ups.
    pub fn leave_undetermined(&mut self, nesting: u8) {
        self.undetermined = nesting.saturating_mul(2).saturating_sub(1);
    }

    /// Reports whether a merged access went to some of the objects between two before. Objects of
    /// other kinds that lie between may make the answer wrongly true, which costs time only.
    pub fn merged_before(&self, objects: ObjectRange) -> bool {
        self.merged.iter().any(|(merged, _)| meet(*merged, objects))
    }

    /// Reports whether a merged store went to some of the objects between two before.
    pub fn stored_before(&self, objects: ObjectRange) -> bool {
        let mut merged = self.merged.iter();
        merged.any(|(merged, store)| *store && meet(*merged, objects))
    }

    /// Records that an access to objects was merged.
    pub fn merge(&mut self, objects: ObjectRange, store: bool) {
        if !self.merged.contains(&(objects, store)) {
            remember(&mut self.merged, (objects, store));
        }
    }
}

/// Adds an item to a list, which forgets its oldest one if it is full.
fn remember<T: Clone>(list: &mut Rc<Vec<T>>, item: T) {
    let list = Rc::make_mut(list);
    if list.len() == REMEMBERED {
        list.remove(0);
    }
    list.push(item);
}

fn meet(a: ObjectRange, b: ObjectRange) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::Pool;

    #[test]
    fn what_a_term_was_resolved_to_is_kept() {
        let mut pool = Pool::new();
        let (a, b) = (pool.constant(64, 1), pool.constant(64, 2));
        let mut pointers = Pointers::default();
        pointers.resolve(a, Value::Int(3));
        assert_eq!(pointers.resolved(a), Some(Value::Int(3)));
        assert_eq!(pointers.resolved(b), None);
    }

    #[test]
    fn after_a_vain_try_offsets_are_left_until_they_are_twice_as_deep() {
        let mut pointers = Pointers::default();
        assert_eq!(pointers.undetermined(), 0);
        for (tried, next) in [(1, 2), (2, 4), (4, 8), (200, 255)] {
            pointers.leave_undetermined(tried);
            assert_eq!(pointers.undetermined().saturating_add(1), next);
        }
    }

    #[test]
    fn merged_objects_are_known_again_if_some_are_the_same() {
        let mut pointers = Pointers::default();
        let range = |a, b| (ObjectId(a), ObjectId(b));
        pointers.merge(range(10, 20), false);
        assert!(!pointers.stored_before(range(10, 20)));
        pointers.merge(range(12, 13), true);
        assert!(pointers.stored_before(range(13, 20)));
        assert!(!pointers.stored_before(range(14, 20)));
        assert!(pointers.merged_before(range(20, 30)));
        assert!(pointers.merged_before(range(12, 13)));
        assert!(!pointers.merged_before(range(21, 30)));
        for i in 0..REMEMBERED as u32 {
            pointers.merge(range(100 + i, 100 + i), true);
        }
        assert!(!pointers.merged_before(range(10, 20)));
    }
}
