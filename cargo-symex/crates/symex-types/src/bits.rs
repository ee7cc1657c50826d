//! Bit masks and sign extension of the low bits of numbers: of up to 128 bits and, for speed, of
//! machine words.

/// Returns a mask with the low `width` bits set: none for 0, all for 128 or more.
#[inline]
pub const fn mask(width: u32) -> u128 {
    match width {
        0 => 0,
        1..128 => u128::MAX >> (128 - width),
        _ => u128::MAX,
    }
}

/// Sign-extends the low `width` bits of a number. Width 0 and widths above 128 leave the number as
/// it is.
#[inline]
pub const fn sign_extend(value: u128, width: u32) -> i128 {
    match width {
        1..128 => ((value << (128 - width)) as i128) >> (128 - width),
        _ => value as i128,
    }
}

/// Returns a word with the low `width` bits set, where `width` is 1 to 64.
#[inline(always)]
pub const fn word_mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Sign-extends the low `width` bits of a word, where `width` is 1 to 64.
#[inline(always)]
pub const fn word_sign_extend(value: u64, width: u32) -> i64 {
    ((value << (64 - width)) as i64) >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_wide_numbers_agree() {
        for width in 1..=64 {
            assert_eq!(u128::from(word_mask(width)), mask(width));
            for value in [0, 1, u64::MAX, 1 << (width - 1), 0x1234_5678_9abc_def0] {
                let wide = sign_extend(value.into(), width);
                assert_eq!(i128::from(word_sign_extend(value, width)), wide);
                assert_eq!(wide as u128 & mask(width), u128::from(value) & mask(width));
            }
        }
        assert_eq!(
            (mask(0), mask(128), mask(127) + 1),
            (0, u128::MAX, 1 << 127)
        );
        assert_eq!(sign_extend(u128::MAX, 128), -1);
    }
}
