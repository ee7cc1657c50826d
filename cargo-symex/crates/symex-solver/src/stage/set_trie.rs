//! Set trie: sets of terms with values, found by subset or superset [Hoffmann and Koehler, "A new
//! method to index and query sets", IJCAI 1999], as in KLEE's counterexample cache.
//!
//! The path from the root to the node of a set has its terms, newest first: the newest
//! distinguishes sets best, since most sets of a path share its first constraints.

use std::collections::BTreeMap;
use symex_terms::Expr;

/// A set trie: see the module. Sets are given sorted, without duplicates.
pub(super) struct SetTrie<T> {
    nodes: Vec<TrieNode<T>>,
    len: usize,
}

struct TrieNode<T> {
    below: BTreeMap<Expr, u32>,
    value: Option<T>,
}

impl<T> Default for SetTrie<T> {
    fn default() -> Self {
        SetTrie {
            nodes: vec![TrieNode::new()],
            len: 0,
        }
    }
}

impl<T> TrieNode<T> {
    fn new() -> Self {
        TrieNode {
            below: BTreeMap::new(),
            value: None,
        }
    }
}

impl<T> SetTrie<T> {
    /// Returns the number of sets.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Sets the value of a set, replacing an earlier one.
    pub fn insert(&mut self, set: &[Expr], value: T) {
        let mut at = 0;
        for e in set.iter().rev() {
            let next = self.nodes.len() as u32;
            at = *self.nodes[at].below.entry(*e).or_insert(next) as usize;
            if at == self.nodes.len() {
                self.nodes.push(TrieNode::new());
            }
        }
        self.len += usize::from(self.nodes[at].value.replace(value).is_none());
    }

    /// Returns the value of a subset of this set. Gives up after `nodes` nodes.
    pub fn subset_of(&self, set: &[Expr], mut nodes: usize) -> Option<&T> {
        // A node, and how many of the oldest terms may still come.
        let mut stack = vec![(0usize, set.len())];
        while let Some((at, rest)) = stack.pop() {
            let node = &self.nodes[at];
            if node.value.is_some() {
                return node.value.as_ref();
            }
            nodes = nodes.checked_sub(1)?;
            if node.below.len() < rest {
                for (e, next) in &node.below {
                    if let Ok(place) = set[..rest].binary_search(e) {
                        stack.push((*next as usize, place));
                    }
                }
            } else {
                for (place, e) in set[..rest].iter().enumerate() {
                    if let Some(next) = node.below.get(e) {
                        stack.push((*next as usize, place));
                    }
                }
            }
        }
        None
    }

    /// Returns the value of a superset of this set. Gives up after `nodes` nodes.
    pub fn superset_of(&self, set: &[Expr], mut nodes: usize) -> Option<&T> {
        let mut stack = vec![(0usize, set.len())];
        while let Some((at, rest)) = stack.pop() {
            let node = &self.nodes[at];
            nodes = nodes.checked_sub(1)?;
            let Some(needed) = set[..rest].last() else {
                if node.value.is_some() {
                    return node.value.as_ref();
                }
                // Every end below has what was needed.
                stack.extend(node.below.values().next().map(|next| (*next as usize, 0)));
                continue;
            };
            // Terms older than the one needed lead to sets without it. The one needed is tried
            // first.
            for (e, next) in node.below.range(needed..).rev() {
                stack.push((*next as usize, rest - usize::from(e == needed)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symex_terms::Pool;
    use symex_types::splitmix::Random;

    fn terms(n: usize) -> Vec<Expr> {
        let pool = &mut Pool::new();
        (0..n).map(|v| pool.constant(64, v as u128)).collect()
    }

    fn pick(random: &mut Random, from: &[Expr], share: u64) -> Vec<Expr> {
        let chosen = from.iter().filter(|_| random.below(8) < share);
        chosen.copied().collect()
    }

    #[test]
    fn what_is_found_is_what_a_scan_finds() {
        let all = terms(12);
        let random = &mut Random::new(5);
        let mut trie = SetTrie::default();
        let mut sets: Vec<Vec<Expr>> = Vec::new();
        let is_subset = |a: &[Expr], b: &[Expr]| a.iter().all(|e| b.contains(e));
        let (mut subsets, mut supersets) = (0, 0);
        for round in 0..400 {
            let asked = pick(random, &all, 1 + round % 6);
            let found = trie.subset_of(&asked, usize::MAX);
            let scanned = sets.iter().any(|s| is_subset(s, &asked));
            assert_eq!(found.is_some(), scanned);
            assert!(found.is_none_or(|at: &usize| is_subset(&sets[*at], &asked)));
            subsets += usize::from(scanned);
            let found = trie.superset_of(&asked, usize::MAX);
            let scanned = sets.iter().any(|s| is_subset(&asked, s));
            assert_eq!(found.is_some(), scanned);
            assert!(found.is_none_or(|at: &usize| is_subset(&asked, &sets[*at])));
            supersets += usize::from(scanned);
            if round % 20 == 0 {
                let new = pick(random, &all, 5);
                if !new.is_empty() && !sets.contains(&new) {
                    trie.insert(&new, sets.len());
                    sets.push(new);
                }
            }
        }
        assert_eq!(trie.len(), sets.len());
        assert!(subsets > 20 && supersets > 20, "{subsets} {supersets}");
    }

    #[test]
    fn searches_end_when_they_may_not_go_on() {
        let all = terms(16);
        let mut trie = SetTrie::default();
        for i in 0..all.len() {
            for j in i + 1..all.len() {
                trie.insert(&[all[i], all[j]], ());
            }
        }
        assert!(trie.superset_of(&all[..1], 1).is_none());
        assert!(trie.superset_of(&all[..1], usize::MAX).is_some());
        assert!(trie.subset_of(&all[3..5], 100).is_some());
        assert!(trie.subset_of(&all[3..4], 100).is_none());
    }
}
