//! Extension of the random generator for these tests.

use symex_terms::Width;
use symex_types::splitmix::Random;

pub(super) trait Draw {
    /// Returns true once in `n` times.
    fn one_in(&mut self, n: u64) -> bool;

    /// Draws a value of this width.
    fn wide(&mut self, width: Width) -> u128;
}

impl Draw for Random {
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn wide(&mut self, width: Width) -> u128 {
        let v = u128::from(self.bits()) << 64 | u128::from(self.bits());
        v >> (128 - width)
    }
}
