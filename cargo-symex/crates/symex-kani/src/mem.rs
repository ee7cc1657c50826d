//! Questions about memory behind pointers, which the engine is not asked yet: each ends the path as
//! unsupported.

use crate::internal::unsupported;

macro_rules! questions {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: ?Sized>(_pointer: *const T) -> bool {
            unsupported(symex::__rt::name(concat!("kani::mem::", stringify!($name), "\0")))
        }
    )*};
}

questions! {
    /// Would tell whether a pointer can be read as a reference.
    can_dereference;
    /// Would tell whether a pointer can be read without being aligned.
    can_read_unaligned;
    /// Would tell whether a pointer leads into its object.
    is_inbounds;
}

macro_rules! questions_of_writing {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: ?Sized>(_pointer: *mut T) -> bool {
            unsupported(symex::__rt::name(concat!("kani::mem::", stringify!($name), "\0")))
        }
    )*};
}

questions_of_writing! {
    /// Would tell whether a pointer can be written through.
    can_write;
    /// Would tell whether a pointer can be written through without being aligned.
    can_write_unaligned;
}

/// Would tell whether two pointers lead into one object.
pub fn same_allocation<T: ?Sized, U: ?Sized>(_one: *const T, _other: *const U) -> bool {
    unsupported(c"kani::mem::same_allocation")
}
