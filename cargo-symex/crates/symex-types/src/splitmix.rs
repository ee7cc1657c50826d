//! A small seeded random generator (SplitMix64), so that random choices are the same on every
//! machine and with every version of other crates.

/// A stream of pseudo-random numbers.
pub struct Random(u64);

impl Random {
    /// Starts the stream of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((self.bits() as u128 * n as u128) >> 64) as u64
    }
}
