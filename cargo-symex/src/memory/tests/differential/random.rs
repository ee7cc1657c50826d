//! Random numbers (xorshift).

use crate::expr::Width;

pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(super) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub(super) fn wide(&mut self, width: Width) -> u128 {
        let v = u128::from(self.next()) << 64 | u128::from(self.next());
        v >> (128 - width)
    }
}
