//! The trait of collections that can be drawn up to a length.

use core::hash::{BuildHasherDefault, Hash};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::DefaultHasher;

use crate::{Arbitrary, any_where};

/// A type whose values can be drawn by [`bounded_any`](crate::bounded_any).
pub trait BoundedArbitrary: Sized {
    /// Draws a value in which every collection has at most `N` elements.
    fn bounded_any<const N: usize>() -> Self;
}

impl<T: BoundedArbitrary> BoundedArbitrary for Option<T> {
    fn bounded_any<const N: usize>() -> Self {
        bool::any().then(T::bounded_any::<N>)
    }
}

impl<T: BoundedArbitrary, E: BoundedArbitrary> BoundedArbitrary for Result<T, E> {
    fn bounded_any<const N: usize>() -> Self {
        match bool::any() {
            true => Ok(T::bounded_any::<N>()),
            false => Err(E::bounded_any::<N>()),
        }
    }
}

impl<T: BoundedArbitrary> BoundedArbitrary for Box<T> {
    fn bounded_any<const N: usize>() -> Self {
        Box::new(T::bounded_any::<N>())
    }
}

impl<T: Arbitrary> BoundedArbitrary for Vec<T> {
    fn bounded_any<const N: usize>() -> Self {
        let length = any_where(|length| *length <= N);
        let mut elements = Vec::from(<[T; N]>::any());
        elements.truncate(length);
        elements
    }
}

impl<T: Arbitrary> BoundedArbitrary for Box<[T]> {
    fn bounded_any<const N: usize>() -> Self {
        Vec::bounded_any::<N>().into()
    }
}

impl<T: Arbitrary> BoundedArbitrary for VecDeque<T> {
    fn bounded_any<const N: usize>() -> Self {
        Vec::bounded_any::<N>().into()
    }
}

impl BoundedArbitrary for String {
    /// Draws bytes, and takes what is UTF-8 at their beginning.
    fn bounded_any<const N: usize>() -> Self {
        let bytes: [u8; N] = Arbitrary::any();
        let first = bytes.utf8_chunks().next();
        first.map_or_else(String::new, |chunk| chunk.valid().into())
    }
}

impl<K: Arbitrary + Eq + Hash, V: Arbitrary> BoundedArbitrary
    for HashMap<K, V, BuildHasherDefault<DefaultHasher>>
{
    fn bounded_any<const N: usize>() -> Self {
        entries::<(K, V), N>().collect()
    }
}

impl<V: Arbitrary + Eq + Hash> BoundedArbitrary for HashSet<V, BuildHasherDefault<DefaultHasher>> {
    fn bounded_any<const N: usize>() -> Self {
        entries::<V, N>().collect()
    }
}

impl<K: Arbitrary + Ord, V: Arbitrary> BoundedArbitrary for BTreeMap<K, V> {
    fn bounded_any<const N: usize>() -> Self {
        entries::<(K, V), N>().collect()
    }
}

impl<V: Arbitrary + Ord> BoundedArbitrary for BTreeSet<V> {
    fn bounded_any<const N: usize>() -> Self {
        entries::<V, N>().collect()
    }
}

/// Draws up to `N` values.
fn entries<T: Arbitrary, const N: usize>() -> impl Iterator<Item = T> {
    (0..N).filter_map(|_| bool::any().then(T::any))
}
