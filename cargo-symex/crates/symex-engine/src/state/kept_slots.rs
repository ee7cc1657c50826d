//! Slots of a frame that waits, in parts that paths share where they are equal.
//!
//! A parser of thousands of instructions has a frame of as many slots, and a path that was forked
//! off differs from the other in a few of them. While it runs, a path has its slots to itself;
//! while it waits, it holds those parts alone in which it differs.

use std::rc::Rc;
use symex_terms::Value;

/// Number of slots that are shared together.
const PART: usize = 32;
/// Number of slots from which on a frame is kept in parts: below, a copy is as small.
const LARGE: usize = 2 * PART;

type Part = Rc<[Value; PART]>;

/// Slots in parts: see the module.
#[derive(Clone, Debug)]
pub struct KeptSlots {
    parts: Rc<[Part]>,
    len: usize,
}

impl KeptSlots {
    /// Reports whether so many slots are worth to be kept in parts.
    pub fn suits(len: usize) -> bool {
        len >= LARGE
    }

    /// Makes the parts of slots, and shares those that are equal to the parts of `like`.
    pub fn new(slots: &[Value], like: Option<&KeptSlots>) -> KeptSlots {
        let like = like.filter(|like| like.len == slots.len());
        let parts = slots.chunks(PART).enumerate().map(|(i, values)| {
            let known = like.map(|like| &like.parts[i]);
            let known = known.filter(|known| known[..values.len()] == *values);
            known.cloned().unwrap_or_else(|| part(values))
        });
        let Some(like) = like else {
            return KeptSlots {
                parts: parts.collect(),
                len: slots.len(),
            };
        };
        let parts: Vec<Part> = parts.collect();
        let same = parts
            .iter()
            .zip(&*like.parts)
            .all(|(a, b)| Rc::ptr_eq(a, b));
        KeptSlots {
            parts: match same {
                true => like.parts.clone(),
                false => parts.into(),
            },
            len: slots.len(),
        }
    }

    /// Iterates over the slots.
    pub fn iter(&self) -> impl Iterator<Item = Value> {
        let values = self.parts.iter().flat_map(|part| part.iter().copied());
        values.take(self.len)
    }

    /// Returns a copy of the slots.
    pub fn to_vec(&self) -> Vec<Value> {
        let mut slots = Vec::with_capacity(self.parts.len() * PART);
        for part in &*self.parts {
            slots.extend_from_slice(&**part);
        }
        slots.truncate(self.len);
        slots
    }
}

fn part(values: &[Value]) -> Part {
    let mut part = [Value::Undef; PART];
    part[..values.len()].copy_from_slice(values);
    Rc::new(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(len: u64) -> Vec<Value> {
        (0..len).map(Value::Int).collect()
    }

    #[test]
    fn parts_hold_the_slots() {
        for len in [0, 1, 31, 32, 33, 64, 100] {
            let kept = KeptSlots::new(&slots(len), None);
            assert_eq!(kept.to_vec(), slots(len));
            assert!(kept.iter().eq(slots(len)));
        }
    }

    #[test]
    fn equal_parts_are_shared() {
        let mut values = slots(100);
        let first = KeptSlots::new(&values, None);
        let same = KeptSlots::new(&values, Some(&first));
        assert!(Rc::ptr_eq(&first.parts, &same.parts));
        values[40] = Value::Undef;
        let other = KeptSlots::new(&values, Some(&first));
        let shared: Vec<bool> = (0..4)
            .map(|i| Rc::ptr_eq(&first.parts[i], &other.parts[i]))
            .collect();
        assert_eq!(shared, [true, false, true, true]);
        assert_eq!(other.to_vec(), values);
        assert_eq!(first.to_vec(), slots(100));
    }

    #[test]
    fn slots_of_another_frame_share_nothing() {
        let first = KeptSlots::new(&slots(100), None);
        let other = KeptSlots::new(&slots(70), Some(&first));
        assert_eq!(other.to_vec(), slots(70));
    }
}
