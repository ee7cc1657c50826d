//! Ranges of terms on a path, as far as its condition tells without a query.

use super::stage::interval;
use rustc_hash::FxHashMap;
use symex_terms::{Expr, PathCondition, Pool};

/// Number of ranges that are kept at the same time.
const MOST: usize = 1 << 12;

/// Ranges of terms under path conditions, each found once. What is known is of one pool.
#[derive(Default)]
pub struct KnownRanges {
    /// The ranges by the part of the condition that they follow from.
    known: FxHashMap<(Vec<Expr>, Expr), (u128, u128)>,
}

impl KnownRanges {
    /// Returns the least and the greatest value that a term may have where the condition holds.
    pub fn of(&mut self, pool: &Pool, condition: &PathCondition, e: Expr) -> (u128, u128) {
        let key = (condition.slice(pool, e), e);
        if let Some(&range) = self.known.get(&key) {
            return range;
        }
        // A path whose condition has no solution is no path.
        let domain = interval::domains(pool, &key.0, &[e])
            .map_or_else(|| pool.domain(e), |domains| domains[0]);
        if self.known.len() == MOST {
            self.known.clear();
        }
        let range = (domain.min, domain.max);
        self.known.insert(key, range);
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::test_queries::input;

    #[test]
    fn a_range_follows_from_the_path_condition_alone() {
        let pool = &mut Pool::new();
        let mut condition = PathCondition::default();
        let [length, start, other] = [0, 1, 2].map(|number| input(pool, number, 8));
        let [most, least] = [26, 3].map(|v| pool.constant(8, v));
        for (a, b) in [(length, most), (start, length), (least, start)] {
            let c = pool.ule(a, b);
            condition.add(pool, c);
        }
        let [length, start] = [length, start].map(|e| pool.zext(e, 64));
        let rest = pool.sub(length, start);
        let mut ranges = KnownRanges::default();
        // Each once more, from memory.
        for _ in 0..2 {
            let mut of = |e| ranges.of(pool, &condition, e);
            assert_eq!(of(length), (3, 26));
            assert_eq!(of(start), (3, 26));
            assert_eq!(of(rest), (0, 23));
            assert_eq!(of(other), (0, 255));
        }
        // Under another condition it is another one.
        let few = pool.constant(64, 5);
        let few = pool.ule(length, few);
        condition.add(pool, few);
        assert_eq!(ranges.of(pool, &condition, length), (3, 5));
    }
}
