//! The types of which values can be drawn.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{CString, OsString};
use std::hash::{BuildHasher, Hash};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
#[cfg(not(before_1))]
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU16,
    NonZeroU32, NonZeroU64, NonZeroU128, NonZeroUsize,
};
use std::num::{NonZeroU8, Wrapping};
use std::ops::{Bound, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Gen;
use crate::drawing::Draw;

/// A type of which values can be drawn.
pub trait Arbitrary: Clone + 'static {
    /// Draws a value.
    #[cfg(not(before_1))]
    fn arbitrary(g: &mut Gen) -> Self;

    /// Draws a value.
    #[cfg(before_1)]
    fn arbitrary<Generator: Gen>(g: &mut Generator) -> Self;

    /// Returns smaller values: there are none, since nothing is made smaller.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        empty_shrinker()
    }
}

/// Returns an iterator without elements.
pub fn empty_shrinker<A: 'static>() -> Box<dyn Iterator<Item = A>> {
    Box::new(std::iter::empty())
}

/// Returns an iterator with one element.
pub fn single_shrinker<A: 'static>(value: A) -> Box<dyn Iterator<Item = A>> {
    Box::new(std::iter::once(value))
}

/// Implements the trait for types that the runtime draws.
macro_rules! drawn {
    ($($ty:ty)*) => {$(
        impl Arbitrary for $ty {
            arbitrary!(g => g.draw());
        }
    )*};
}

drawn! {
    () bool char
    IpAddr Ipv4Addr Ipv6Addr SocketAddr SocketAddrV4 SocketAddrV6
    String PathBuf RangeFull Duration
}

#[cfg(not(before_1))]
drawn! {
    u8 u16 u32 u64 u128 usize
    i8 i16 i32 i64 i128 isize
    f32 f64
    NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroUsize
    NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128 NonZeroIsize
}

/// Implements the trait for tuples.
macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Arbitrary),*> Arbitrary for ($($name,)*) {
            arbitrary!(g => ($($name::arbitrary(g),)*));
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);

impl<const N: usize, A: Arbitrary> Arbitrary for [A; N] {
    arbitrary!(g => std::array::from_fn(|_| A::arbitrary(g)));
}

impl<A: Arbitrary> Arbitrary for Option<A> {
    arbitrary!(g => g.draw::<bool>().then(|| A::arbitrary(g)));
}

impl<A: Arbitrary, B: Arbitrary> Arbitrary for Result<A, B> {
    arbitrary!(g => match g.draw() {
        true => Ok(A::arbitrary(g)),
        false => Err(B::arbitrary(g)),
    });
}

/// Implements the trait for collections, which are made of elements.
macro_rules! collections {
    ($($ty:ty { $($generics:tt)* })*) => {$(
        impl<$($generics)*> Arbitrary for $ty {
            arbitrary!(g => {
                let length = g.length();
                (0..length).map(|_| Arbitrary::arbitrary(g)).collect()
            });
        }
    )*};
}

collections! {
    Vec<A> { A: Arbitrary }
    VecDeque<A> { A: Arbitrary }
    LinkedList<A> { A: Arbitrary }
    BinaryHeap<A> { A: Arbitrary + Ord }
    BTreeSet<A> { A: Arbitrary + Ord }
    BTreeMap<K, V> { K: Arbitrary + Ord, V: Arbitrary }
    HashSet<A, S> { A: Arbitrary + Eq + Hash, S: BuildHasher + Default + Clone + 'static }
    HashMap<K, V, S> {
        K: Arbitrary + Eq + Hash, V: Arbitrary, S: BuildHasher + Default + Clone + 'static
    }
}

impl Arbitrary for OsString {
    arbitrary!(g => String::arbitrary(g).into());
}

impl Arbitrary for CString {
    arbitrary!(g => {
        let length = g.length();
        let bytes: Vec<NonZeroU8> = (0..length).map(|_| g.draw()).collect();
        CString::from(bytes)
    });
}

/// Implements the trait for types that hold a value of another.
macro_rules! wrappers {
    ($($ty:ident $make:expr;)*) => {$(
        impl<A: Arbitrary> Arbitrary for $ty<A> {
            arbitrary!(g => $make(A::arbitrary(g)));
        }
    )*};
}

wrappers! {
    Box Box::new;
    Wrapping Wrapping;
    NoShrink |inner| NoShrink { inner };
}

impl<A: Arbitrary + Sync> Arbitrary for Arc<A> {
    arbitrary!(g => Arc::new(A::arbitrary(g)));
}

impl<A: Arbitrary> Arbitrary for Bound<A> {
    arbitrary!(g => match g.up_to(2) {
        0 => Bound::Included(A::arbitrary(g)),
        1 => Bound::Excluded(A::arbitrary(g)),
        _ => Bound::Unbounded,
    });
}

/// Implements the trait for ranges.
macro_rules! ranges {
    ($($ty:ident |$g:ident| $make:expr;)*) => {$(
        impl<A: Arbitrary + PartialOrd> Arbitrary for $ty<A> {
            arbitrary!($g => $make);
        }
    )*};
}

ranges! {
    Range |g| A::arbitrary(g)..A::arbitrary(g);
    RangeInclusive |g| A::arbitrary(g)..=A::arbitrary(g);
    RangeFrom |g| A::arbitrary(g)..;
    RangeTo |g| ..A::arbitrary(g);
    RangeToInclusive |g| ..=A::arbitrary(g);
}

impl Arbitrary for SystemTime {
    arbitrary!(g => {
        let (is_later, distance) = (g.draw(), g.draw::<Duration>());
        let time = match is_later {
            true => UNIX_EPOCH.checked_add(distance),
            false => UNIX_EPOCH.checked_sub(distance),
        };
        symex::assume(time.is_some());
        time.unwrap_or(UNIX_EPOCH)
    });
}

/// A value that quickcheck does not make smaller.
#[derive(Clone, Debug)]
pub struct NoShrink<A: Arbitrary> {
    inner: A,
}

impl<A: Arbitrary> NoShrink<A> {
    /// Returns the value.
    pub fn into_inner(self) -> A {
        self.inner
    }
}

impl<A: Arbitrary> AsRef<A> for NoShrink<A> {
    fn as_ref(&self) -> &A {
        &self.inner
    }
}
