//! The shape of the tree of paths, as far as it was explored, and an estimate of its size.

use serde::{Deserialize, Serialize};

/// Greatest depth that is told apart from greater ones.
const DEEPEST: usize = 4095;

/// Number of paths from which on more make no difference.
const MOST: f64 = 1e300;

/// Numbers of forks and ends of paths by depth, the number of forks that led to them.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tree {
    /// Number of paths from which all others fork, of the whole tree; 0 counts as 1.
    pub roots: u64,
    pub forks: Vec<u64>,
    pub ends: Vec<u64>,
}

impl Tree {
    /// Counts a fork of a path that had this many before.
    pub fn note_fork(&mut self, depth: u32) {
        count(&mut self.forks, depth, 1);
    }

    /// Counts the end of a path with this many forks.
    pub fn note_end(&mut self, depth: u32) {
        count(&mut self.ends, depth, 1);
    }

    /// Takes back the count of a fork, which will happen once more.
    pub fn undo_fork(&mut self, depth: u32) {
        uncount(&mut self.forks, depth);
    }

    /// Takes back the count of an end.
    pub fn undo_end(&mut self, depth: u32) {
        uncount(&mut self.ends, depth);
    }

    /// Adds what was explored of another part of the tree.
    pub fn add(&mut self, other: &Tree) {
        self.roots = self.roots.max(other.roots);
        for (own, others) in [
            (&mut self.forks, &other.forks),
            (&mut self.ends, &other.ends),
        ] {
            for (depth, number) in others.iter().enumerate() {
                count(own, depth as u32, *number);
            }
        }
    }

    /// Estimates the number of ends in the whole tree: of the paths that come to a depth, as many
    /// fork there as of those that were explored [after Chen 1992, "Heuristic sampling: a method
    /// for predicting the performance of tree searching programs", with the depth as the stratum].
    ///
    /// It is the number of ends where the whole tree was explored, and finite.
    pub fn estimated_ends(&self) -> f64 {
        let depths = self.forks.len().max(self.ends.len());
        let at = |counts: &[u64], depth| counts.get(depth).copied().unwrap_or(0) as f64;
        let (mut there, mut ends) = (self.roots.max(1) as f64, 0.0);
        for depth in 0..depths {
            let (forked, ended) = (at(&self.forks, depth), at(&self.ends, depth));
            if forked + ended == 0.0 || there > MOST {
                break;
            }
            let forks = there * forked / (forked + ended);
            ends += there - forks;
            there = 2.0 * forks;
        }
        // Nothing was explored below what is there now.
        ends + there
    }
}

fn count(counts: &mut Vec<u64>, depth: u32, number: u64) {
    let depth = (depth as usize).min(DEEPEST);
    if counts.len() <= depth {
        counts.resize(depth + 1, 0);
    }
    counts[depth] += number;
}

fn uncount(counts: &mut [u64], depth: u32) {
    if let Some(count) = counts.get_mut((depth as usize).min(DEEPEST)) {
        *count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_of_a_whole_tree_is_exact() {
        let mut tree = Tree::default();
        assert_eq!(tree.estimated_ends(), 1.0);
        // One side of each fork ends, but for the last.
        for depth in 0..10 {
            tree.note_fork(depth);
            tree.note_end(depth + 1);
        }
        tree.note_end(10);
        assert_eq!(tree.estimated_ends(), 11.0);
    }

    #[test]
    fn the_estimate_of_a_tree_that_is_deep_everywhere_is_finite() {
        let mut tree = Tree::default();
        (0..3000).for_each(|depth| tree.note_fork(depth));
        assert!((1e300..1e308).contains(&tree.estimated_ends()));
    }

    #[test]
    fn a_sample_of_a_regular_tree_tells_its_size() {
        // All paths fork ten times; a tenth of them was explored, of each depth the same part.
        let mut tree = Tree::default();
        for depth in 0..10 {
            (0..(1 << depth) / 10 + 1).for_each(|_| tree.note_fork(depth));
        }
        (0..103).for_each(|_| tree.note_end(10));
        assert_eq!(tree.estimated_ends(), 1024.0);
    }

    #[test]
    fn parts_add_up() {
        let (mut one, mut other) = (Tree::default(), Tree::default());
        one.note_fork(0);
        one.note_end(1);
        other.note_fork(1);
        other.note_end(2);
        other.note_end(u32::MAX);
        one.add(&other);
        assert_eq!(one.forks, [1, 1]);
        assert_eq!(one.ends[..3], [0, 1, 1]);
        assert_eq!(one.ends[DEEPEST], 1);
    }
}
