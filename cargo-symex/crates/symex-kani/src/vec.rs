//! Vectors of drawn elements.

use crate::{Arbitrary, any_where};

/// Draws a vector of at most `MAX_LENGTH` elements.
pub fn any_vec<T: Arbitrary, const MAX_LENGTH: usize>() -> Vec<T> {
    let length: usize = any_where(|length| *length <= MAX_LENGTH);
    let mut elements = exact_vec::<T, MAX_LENGTH>();
    elements.truncate(length);
    elements.shrink_to_fit();
    elements
}

/// Draws a vector of exactly `EXACT_LENGTH` elements.
pub fn exact_vec<T: Arbitrary, const EXACT_LENGTH: usize>() -> Vec<T> {
    Vec::from(<[T; EXACT_LENGTH]>::any())
}
