//! Random draws for `SYMEX_RANDOM`: splitmix64, with a preference for values at the edges of types.

/// A splitmix64 generator.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates the generator of run number `run` under `seed`.
    pub(crate) fn new(seed: u64, run: u64) -> Self {
        let mut start = Random(seed);
        let mixed = start.next();
        Random(mixed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        ((self.next() as u128 * limit as u128) >> 64) as u64
    }

    /// Returns an integer of `bits` bits: uniform, small, or near an edge of its type.
    pub(crate) fn int(&mut self, bits: u32) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let value = match self.below(4) {
            0 => self.below(17),
            1 => [0, 1, mask, mask >> 1, (mask >> 1) + 1][self.below(5) as usize]
                .wrapping_sub(self.below(3)),
            _ => self.next(),
        };
        value & mask
    }

    /// Returns an integer in `low..=high`, the ends more often than the rest.
    pub(crate) fn range(&mut self, low: u64, high: u64) -> u64 {
        match (self.below(8), high.wrapping_sub(low).checked_add(1)) {
            (0, _) => low,
            (1, _) => high,
            (_, Some(span)) => low + self.below(span),
            (_, None) => self.next(),
        }
    }

    /// Returns `size` bytes: of any value, printable, or few different ones.
    pub(crate) fn bytes(&mut self, size: usize) -> Vec<u8> {
        let kind = self.below(4);
        let repeated = self.next() as u8;
        (0..size)
            .map(|_| match kind {
                0 => self.next() as u8,
                1 => [0, 1, 0x7f, 0x80, 0xff, repeated][self.below(6) as usize],
                _ => 0x20 + self.below(0x5f) as u8,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_within_their_types_and_ranges() {
        for run in 0..2000 {
            let mut random = Random::new(1, run);
            for bits in [1, 7, 8, 33, 64] {
                let value = random.int(bits);
                assert!(bits == 64 || value < 1 << bits);
            }
            assert!((5..=9).contains(&random.range(5, 9)));
            assert_eq!(random.range(7, 7), 7);
            random.range(0, u64::MAX);
            assert_eq!(random.bytes(3).len(), 3);
        }
    }

    #[test]
    fn a_seed_fixes_the_draws_and_runs_differ() {
        let draw = |seed, run| Random::new(seed, run).next();
        assert_eq!(draw(3, 4), draw(3, 4));
        assert_ne!(draw(3, 4), draw(3, 5));
        assert_ne!(draw(3, 4), draw(4, 4));
    }
}
