//! Slices of arrays, with drawn ends.

use crate::{any, assume};

/// Returns any part of an array.
pub fn any_slice_of_array<T, const LENGTH: usize>(array: &[T; LENGTH]) -> &[T] {
    let (from, to) = any_range::<LENGTH>();
    &array[from..to]
}

/// Returns any part of an array, to be changed.
pub fn any_slice_of_array_mut<T, const LENGTH: usize>(array: &mut [T; LENGTH]) -> &mut [T] {
    let (from, to) = any_range::<LENGTH>();
    &mut array[from..to]
}

fn any_range<const LENGTH: usize>() -> (usize, usize) {
    let from: usize = any();
    let to: usize = any();
    assume(to <= LENGTH);
    assume(from <= to);
    (from, to)
}
