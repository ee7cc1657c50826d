//! Random numbers: splitmix64.

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

    /// Returns the next number, of all bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((self.next() as u128 * limit as u128) >> 64) as u64
    }

    /// Reports true once in `times`, on average.
    pub(crate) fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Returns one of the values.
    pub(crate) fn of<T: Copy>(&mut self, values: &[T]) -> Option<T> {
        let at = self.below(values.len().max(1) as u64) as usize;
        values.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_draws_and_runs_differ() {
        let draw = |seed, run| Random::new(seed, run).next();
        assert_eq!(draw(3, 4), draw(3, 4));
        assert_ne!(draw(3, 4), draw(3, 5));
        assert_ne!(draw(3, 4), draw(4, 4));
    }
}
