//! [`Cx`], through which [`Symbolic::any`] draws inputs.
//!
//! A `Cx` carries a name for the draws (only reports show it; order is what identifies a draw), the
//! bound on lengths and the current depth in a recursive type. Its methods are thin wrappers of the
//! hooks: they run inside the engine, so they allocate and format nothing.

use core::ffi::CStr;

use crate::hooks;
use crate::symbolic::Symbolic;

/// The largest length of collections and strings where nothing else is said.
///
/// Larger lengths are not explored and a result over them is reported as bounded. Raise it by
/// `#[symex::harness(bound = 8)]`, `bound(data = 16)`, `#[symex(bound = 8)]` on a field, or
/// [`any_bounded`](crate::any_bounded).
///
/// ```
/// // A recorded length beyond the bound is none of the harness's inputs.
/// let draws: &[&[u8]] = &[&[symex::DEFAULT_BOUND as u8 + 1]];
/// let too_long = || symex::with_inputs(draws, || symex::any::<Vec<u8>>());
/// assert!(std::panic::catch_unwind(too_long).is_err());
/// ```
pub const DEFAULT_BOUND: u64 = 4;

/// The default limit on how often a derived type may contain itself.
///
/// `#[symex(depth = 5)]` on the type says otherwise. Deeper values are not explored and a result
/// over them is reported as bounded.
///
/// ```
/// #[derive(symex::Symbolic)]
/// enum List {
///     End,
///     More(Box<List>),
/// }
///
/// // Which variant is drawn first, and then again for each list in a list.
/// let List::More(rest) = symex::value::<List>(&[&[1], &[0]]) else {
///     panic!()
/// };
/// assert!(matches!(*rest, List::End));
/// let deep = [&[1_u8][..]; symex::DEFAULT_DEPTH as usize + 1];
/// assert!(std::panic::catch_unwind(|| symex::value::<List>(&deep)).is_err());
/// ```
pub const DEFAULT_DEPTH: u32 = 3;

/// Maximal nesting of derived types in total, as a guard for types that contain each other.
const NESTING_LIMIT: u32 = 32;

/// The hand that draws inputs, which [`Symbolic::any`] is given.
///
/// It has a name for the draws, which reports show, and a bound on lengths.
///
/// ```
/// use symex::{Cx, Symbolic};
///
/// #[derive(Debug, PartialEq)]
/// struct Packet {
///     kind: u8,
///     body: Vec<u8>,
/// }
///
/// impl Symbolic for Packet {
///     fn any(cx: &mut Cx) -> Self {
///         let kind = cx.named(c"kind").range(1, 3) as u8;
///         let length = cx.bounded(2).length();
///         let body = (0..length).map(|_| cx.int(8) as u8).collect();
///         if kind == 3 && length == 0 {
///             cx.reject(c"a packet of kind 3 has a body");
///         }
///         Packet { kind, body }
///     }
/// }
///
/// let packet: Packet = symex::value(&[&[3], &[1], &[0xff]]);
/// assert_eq!(packet, Packet { kind: 3, body: vec![0xff] });
/// ```
#[derive(Clone, Copy)]
pub struct Cx {
    name: &'static CStr,
    bound: u64,
    depth: u32,
    nesting: u32,
}

impl Cx {
    /// Creates a `Cx` that draws under the given name, with lengths up to `bound`.
    #[inline]
    pub const fn new(name: &'static CStr, bound: u64) -> Self {
        Cx {
            name,
            bound,
            depth: 0,
            nesting: 0,
        }
    }

    /// Returns the name of the draws.
    #[inline]
    pub const fn name(&self) -> &'static CStr {
        self.name
    }

    /// Returns the largest length of a collection.
    #[inline]
    pub const fn bound(&self) -> u64 {
        self.bound
    }

    /// Replaces the name, for a part of a value.
    #[inline]
    pub const fn named(self, name: &'static CStr) -> Self {
        Cx { name, ..self }
    }

    /// Replaces the bound on lengths.
    #[inline]
    pub const fn bounded(self, bound: u64) -> Self {
        Cx { bound, ..self }
    }

    /// Descends one level into a value of a derived type. `recursion` is given if the type mentions
    /// itself: it limits how often it may.
    ///
    /// Leaves the path where types are nested deeper.
    #[doc(hidden)]
    #[inline]
    pub fn deeper(self, recursion: Option<u32>) -> Self {
        let (depth, limit) = match recursion {
            Some(limit) => (self.depth + 1, limit),
            None => (self.depth, self.depth),
        };
        // The outermost value contains nothing yet.
        if depth > limit + 1 || self.nesting >= NESTING_LIMIT {
            // SAFETY: a C string literal.
            unsafe { hooks::symex_cut(c"depth of a recursive type".as_ptr()) }
        }
        Cx {
            depth,
            nesting: self.nesting + 1,
            ..self
        }
    }

    /// Draws a value.
    #[inline]
    pub fn any<T: Symbolic>(&mut self) -> T {
        T::any(self)
    }

    /// Draws an integer of `bits` bits (1 to 64), zero-extended.
    #[inline]
    pub fn int(&self, bits: u32) -> u64 {
        // SAFETY: the name is a C string.
        unsafe { hooks::symex_any_int(bits, self.name.as_ptr()) }
    }

    /// Draws an integer in `low..=high`.
    #[inline]
    pub fn range(&self, low: u64, high: u64) -> u64 {
        // SAFETY: the name is a C string.
        unsafe { hooks::symex_any_range(low, high, self.name.as_ptr()) }
    }

    /// Draws a length up to the bound.
    #[inline]
    pub fn length(&self) -> usize {
        // SAFETY: the name is a C string.
        unsafe { hooks::symex_any_len(self.bound, self.name.as_ptr()) as usize }
    }

    /// Draws the bytes of `count` values of `T` at `at`, in one draw.
    ///
    /// # Safety
    /// `at` is valid for writes of `count` values, and every bit pattern is a `T`.
    #[inline]
    pub(crate) unsafe fn plain<T>(&self, at: *mut T, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { hooks::symex_make_symbolic(at.cast(), count * size_of::<T>(), self.name.as_ptr()) }
    }

    /// Leaves this path, because no value can be built from what was drawn.
    ///
    /// It is `assume(false)` with a reason.
    #[inline]
    pub fn reject(&self, reason: &'static CStr) -> ! {
        // SAFETY: a C string.
        unsafe { hooks::symex_reject(reason.as_ptr()) }
    }
}
