//! Sets of object numbers: a sorted list while they are small, then a bit set.
//!
//! Half of all sets have one member; nearly all the others have either a dozen or most of what
//! escapes. The former must not cost a bit for each object of the program, and for the latter
//! inclusion and union, which is all that a wave does, are a few words at a time. (Compressed
//! bitmaps keep sets of some thousand members as lists: five times slower here.)

use fixedbitset::FixedBitSet;
use smallvec::SmallVec;

/// Greatest length of a list.
const MOST_LISTED: usize = 24;

#[derive(Clone, Debug)]
pub struct ObjectSet(SetForm);

#[derive(Clone, Debug)]
enum SetForm {
    /// Numbers in ascending order.
    List(SmallVec<[u32; 4]>),
    Bits(FixedBitSet),
}

impl Default for ObjectSet {
    fn default() -> Self {
        ObjectSet(SetForm::List(SmallVec::new()))
    }
}

impl ObjectSet {
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            SetForm::List(list) => list.is_empty(),
            SetForm::Bits(bits) => bits.is_clear(),
        }
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            SetForm::List(list) => list.len(),
            SetForm::Bits(bits) => bits.count_ones(..),
        }
    }

    pub fn contains(&self, n: u32) -> bool {
        match &self.0 {
            SetForm::List(list) => list.binary_search(&n).is_ok(),
            SetForm::Bits(bits) => bits.contains(n as usize),
        }
    }

    /// Iterates in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (list, bits) = match &self.0 {
            SetForm::List(list) => (&list[..], None),
            SetForm::Bits(bits) => (&[][..], Some(bits)),
        };
        let bits = bits.into_iter().flat_map(|bits| bits.ones());
        list.iter().copied().chain(bits.map(|n| n as u32))
    }

    /// Inserts a number, and reports whether it is a new member.
    pub fn insert(&mut self, n: u32) -> bool {
        match &mut self.0 {
            SetForm::List(list) => {
                let Err(at) = list.binary_search(&n) else {
                    return false;
                };
                if list.len() < MOST_LISTED {
                    list.insert(at, n);
                    return true;
                }
                self.make_bits().insert(n)
            }
            SetForm::Bits(bits) => {
                bits.grow(n as usize + 1);
                !bits.put(n as usize)
            }
        }
    }

    fn make_bits(&mut self) -> &mut Self {
        if let SetForm::List(list) = &self.0 {
            self.0 = SetForm::Bits(list.iter().map(|n| *n as usize).collect());
        }
        self
    }

    pub fn is_subset(&self, other: &ObjectSet) -> bool {
        match (&self.0, &other.0) {
            (SetForm::Bits(a), SetForm::Bits(b)) => a.is_subset(b),
            (SetForm::List(list), _) => list.iter().all(|n| other.contains(*n)),
            (SetForm::Bits(_), SetForm::List(_)) => self.iter().all(|n| other.contains(n)),
        }
    }

    pub fn union_with(&mut self, other: &ObjectSet) {
        match &other.0 {
            SetForm::List(list) => {
                for n in list {
                    self.insert(*n);
                }
            }
            SetForm::Bits(theirs) => {
                if let SetForm::Bits(bits) = &mut self.make_bits().0 {
                    bits.union_with(theirs);
                }
            }
        }
    }

    /// Returns the members of this set that the other does not have.
    pub fn without(&self, other: &ObjectSet) -> ObjectSet {
        match (&self.0, &other.0) {
            (SetForm::Bits(a), SetForm::Bits(b)) => {
                let mut bits = a.clone();
                bits.difference_with(b);
                ObjectSet(SetForm::Bits(bits)).shortened()
            }
            _ => self.iter().filter(|n| !other.contains(*n)).collect(),
        }
    }

    /// Converts to a list if there are few members.
    fn shortened(self) -> ObjectSet {
        match &self.0 {
            SetForm::Bits(bits) if bits.count_ones(..) <= MOST_LISTED => {
                ObjectSet(SetForm::List(bits.ones().map(|n| n as u32).collect()))
            }
            _ => self,
        }
    }
}

impl FromIterator<u32> for ObjectSet {
    fn from_iter<I: IntoIterator<Item = u32>>(members: I) -> Self {
        let mut set = ObjectSet::default();
        for n in members {
            set.insert(n);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn members() -> impl Strategy<Value = BTreeSet<u32>> {
        let few = proptest::collection::btree_set(0u32..300, 0..6);
        let many = proptest::collection::btree_set(0u32..300, 0..200);
        prop_oneof![few, many]
    }

    proptest! {
        #[test]
        fn a_set_is_what_the_library_calls_one(a in members(), b in members(), n in 0u32..310) {
            let list = |set: &ObjectSet| set.iter().collect::<Vec<u32>>();
            let set: ObjectSet = a.iter().copied().collect();
            let other: ObjectSet = b.iter().copied().collect();
            prop_assert_eq!(list(&set), a.iter().copied().collect::<Vec<u32>>());
            prop_assert_eq!(set.len(), a.len());
            prop_assert_eq!(set.is_empty(), a.is_empty());
            prop_assert_eq!(set.contains(n), a.contains(&n));
            prop_assert_eq!(set.is_subset(&other), a.is_subset(&b));
            let without = set.without(&other);
            prop_assert_eq!(list(&without), a.difference(&b).copied().collect::<Vec<u32>>());
            prop_assert!(without.is_subset(&set));
            let mut both = set.clone();
            both.union_with(&other);
            prop_assert_eq!(list(&both), a.union(&b).copied().collect::<Vec<u32>>());
            prop_assert!(set.is_subset(&both) && other.is_subset(&both));
            prop_assert_eq!(both.insert(n), !a.contains(&n) && !b.contains(&n));
            prop_assert!(both.contains(n));
        }
    }
}
