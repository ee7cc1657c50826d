//! Unchecked access and uninitialised memory: bugs that a run of the program need not show.

use std::mem::MaybeUninit;

/// Returns the entry of a table of twelve days; `month` counts from 1.
pub fn days(month: u8) -> u8 {
    static DAYS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    assert!(month <= 12);
    // SAFETY: wrong. Month 0 becomes 255.
    unsafe { *DAYS.as_ptr().add(usize::from(month.wrapping_sub(1))) }
}

/// Returns the sum of the bytes that are even.
pub fn sum_of_even(bytes: &[u8; 4]) -> u32 {
    let mut even = [MaybeUninit::<u8>::uninit(); 4];
    let mut count = 0;
    for &byte in bytes {
        if byte % 2 == 0 {
            even[count].write(byte);
            count += 1;
        }
    }
    // SAFETY: `count` bytes are written.
    even[..count]
        .iter()
        .map(|byte| u32::from(unsafe { byte.assume_init() }))
        .sum()
}

/// Returns the largest of the bytes below 200.
pub fn largest_small(bytes: &[u8; 2]) -> u8 {
    let mut largest = MaybeUninit::<u8>::uninit();
    let mut found = 0;
    for &byte in bytes {
        if byte < 200 && byte >= found {
            found = byte;
            largest.write(byte);
        }
    }
    // SAFETY: wrong. Both bytes may be 200 or more.
    unsafe { largest.assume_init() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn days_of_any_month(month: u8) {
        symex::assume(month <= 12);
        std::hint::black_box(days(month));
    }

    #[symex::harness]
    fn sum_of_any_four(bytes: [u8; 4]) {
        assert!(sum_of_even(&bytes) <= 4 * 254);
    }

    #[symex::harness]
    fn largest_of_any_two(bytes: [u8; 2]) {
        if largest_small(&bytes) >= 200 {
            println!("large");
        }
    }
}
