//! Random numbers that depend on a seed alone, so that a failure of a random test can be reproduced
//! on every machine. Tests draw terms, values or programs from them.

use symex_types::splitmix;

/// A stream of pseudo-random numbers.
pub struct TestRandom(splitmix::Random);

impl TestRandom {
    /// Starts the stream of a seed.
    pub fn new(seed: u64) -> Self {
        TestRandom(splitmix::Random::new(seed))
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Returns a number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns a number from `from` to `to`, both included.
    pub fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }

    /// Returns true in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Draws a word of a kind useful to tests: corner values, small numbers, text-like, random.
    pub fn word(&mut self) -> u64 {
        match self.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << self.below(64),
            3 => (1u64 << self.below(64)).wrapping_sub(1),
            4 => self.below(300) as u64,
            5 => (self.below(20) as u64).wrapping_neg(),
            _ => self.bits(),
        }
    }

    /// Picks one of several values, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
