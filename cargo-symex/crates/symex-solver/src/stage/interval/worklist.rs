//! Worklist: a set of nodes that is swept in either direction while it changes.

/// A set of nodes, one bit per node.
#[derive(Default)]
pub(super) struct Worklist(Vec<u64>);

impl Worklist {
    /// Makes an empty set of nodes below `len`.
    pub fn new(len: usize) -> Worklist {
        Worklist(vec![0; len.div_ceil(64)])
    }

    pub fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Removes and returns the first node that is not before `from`.
    pub fn take_from(&mut self, from: usize) -> Option<usize> {
        let mut above = u64::MAX << (from % 64);
        for (word, bits) in self.0.iter_mut().enumerate().skip(from / 64) {
            let found = *bits & above;
            if found != 0 {
                *bits &= !(found & found.wrapping_neg());
                return Some(word * 64 + found.trailing_zeros() as usize);
            }
            above = u64::MAX;
        }
        None
    }

    /// Removes and returns the last node before `end`.
    pub fn take_below(&mut self, end: usize) -> Option<usize> {
        let mut below = !u64::MAX.checked_shl((end % 64) as u32).unwrap_or(0);
        let mut word = end / 64;
        loop {
            let found = self.0.get(word).map_or(0, |bits| *bits & below);
            if found != 0 {
                let bit = 63 - found.leading_zeros() as usize;
                self.0[word] &= !(1 << bit);
                return Some(word * 64 + bit);
            }
            word = word.checked_sub(1)?;
            below = u64::MAX;
        }
    }
}
