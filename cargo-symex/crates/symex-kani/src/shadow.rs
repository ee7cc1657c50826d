//! Memory beside the program's, which is not supported: each access ends the path as unsupported.

use core::marker::PhantomData;

use crate::internal::unsupported;

/// Would hold a value of `T` for each byte of memory.
pub struct ShadowMem<T: Copy>(PhantomData<T>);

impl<T: Copy> ShadowMem<T> {
    /// Makes a description without contents.
    pub const fn new(_value: T) -> Self {
        ShadowMem(PhantomData)
    }

    /// Would return the value of the byte that a pointer leads to.
    pub fn get<U: ?Sized>(&self, _pointer: *const U) -> T {
        unsupported(c"kani::shadow::ShadowMem")
    }

    /// Would change the value of the byte that a pointer leads to.
    pub fn set<U: ?Sized>(&mut self, _pointer: *const U, _value: T) {
        unsupported(c"kani::shadow::ShadowMem")
    }
}
