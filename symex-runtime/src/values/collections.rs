//! `Symbolic` for collections with up to [`Cx::bound`] elements.
//!
//! A vector's memory has exactly its length, so that an access one past the end is out of bounds
//! for the engine too. Maps and sets are built from up to that many entries; equal keys drawn twice
//! make one entry.

use core::fmt::{self, Write as _};
use core::hash::Hash;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};

use crate::cx::Cx;
use crate::source::Source;
use crate::symbolic::Symbolic;

impl<T: Symbolic> Symbolic for Vec<T> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        let length = cx.length();
        let mut list = Vec::with_capacity(length);
        // SAFETY: the capacity is at least `length`, and `fill` initialises that many elements.
        unsafe {
            T::__fill(cx, list.as_mut_ptr(), length);
            list.set_len(length);
        }
        list
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("vec![")?;
        out.list(self)?;
        out.write_char(']')
    }
}

impl<T: Symbolic> Symbolic for Box<[T]> {
    #[inline]
    fn any(cx: &mut Cx) -> Self {
        Vec::any(cx).into_boxed_slice()
    }

    fn source(&self, out: &mut Source) -> fmt::Result {
        out.write_str("vec![")?;
        out.list(self.iter())?;
        out.write_str("].into_boxed_slice()")
    }
}

/// Writes `name::from([a, b])`.
fn from_list<'a, T: Symbolic + 'a>(
    out: &mut Source,
    name: &str,
    values: impl IntoIterator<Item = &'a T>,
) -> fmt::Result {
    write!(out, "std::collections::{name}::from([")?;
    out.list(values)?;
    out.write_str("])")
}

macro_rules! sequence {
    ($($t:ident: $($bound:ident)*;)*) => {$(
        impl<T: Symbolic $(+ $bound)*> Symbolic for $t<T> {
            fn any(cx: &mut Cx) -> Self {
                $t::from_iter(Vec::<T>::any(cx))
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                from_list(out, stringify!($t), self)
            }
        }
    )*};
}

sequence! {
    VecDeque: ;
    LinkedList: ;
    BinaryHeap: Ord;
    BTreeSet: Ord;
    HashSet: Eq Hash;
}

macro_rules! map {
    ($($t:ident: $($bound:ident)*;)*) => {$(
        impl<K: Symbolic $(+ $bound)*, V: Symbolic> Symbolic for $t<K, V> {
            fn any(cx: &mut Cx) -> Self {
                $t::from_iter(Vec::<(K, V)>::any(cx))
            }

            fn source(&self, out: &mut Source) -> fmt::Result {
                write!(out, "std::collections::{}::from([", stringify!($t))?;
                for (i, (key, value)) in self.iter().enumerate() {
                    out.write_str(if i > 0 { ", (" } else { "(" })?;
                    key.source(out)?;
                    out.write_str(", ")?;
                    value.source(out)?;
                    out.write_char(')')?;
                }
                out.write_str("])")
            }
        }
    )*};
}

map! {
    BTreeMap: Ord;
    HashMap: Eq Hash;
}
