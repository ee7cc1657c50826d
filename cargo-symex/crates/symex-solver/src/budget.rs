//! Budget of a stage: the work that it may spend on queries that it does not answer. Answers earn
//! it back.
//!
//! Work is counted in the stage's own unit and never by the clock, so that the same queries in the
//! same order have the same answers.

/// Number of queries that are passed on unseen when the stage first rests. After each further query
/// in vain it doubles.
const REST: u64 = 32;

/// Budget of a stage: see the module.
pub(super) struct Budget {
    /// Greatest work of one query, which is also what an answer earns back.
    per_query: u64,
    /// Work after which the stage rests.
    total: u64,
    /// Work without an answer, less the worth of the answers.
    spent: u64,
    /// Number of queries still to be passed on unseen.
    resting: u64,
    /// Length of the last rest in queries; 0 since the last answer.
    rest: u64,
}

impl Budget {
    /// Makes the budget of a stage that may do `per_query` work for a query, and `total` without an
    /// answer.
    pub fn new(per_query: u64, total: u64) -> Budget {
        Budget {
            per_query,
            total,
            spent: 0,
            resting: 0,
            rest: 0,
        }
    }

    /// Reports whether the stage may look at the next query.
    pub fn admits(&mut self) -> bool {
        let admitted = self.resting == 0;
        self.resting = self.resting.saturating_sub(1);
        admitted
    }

    /// Records the cost of a query, and whether it was answered. An answer is worth the greatest
    /// cost of a query.
    pub fn settle(&mut self, work: u64, answered: bool) {
        if answered {
            self.spent = self.spent.saturating_sub(self.per_query);
            self.rest = 0;
            return;
        }
        // No answers can make up for more than that, so that it is never for too long.
        self.spent = (self.spent + work).min(self.total + self.per_query);
        if self.spent > self.total && work > 0 {
            self.rest = (2 * self.rest).max(REST);
            self.resting = self.rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: u64 = 1000;

    /// Returns how many of `queries` are looked at if each costs as much as it may.
    fn looked_at(budget: &mut Budget, queries: u64, answered: impl Fn(u64) -> bool) -> u64 {
        let mut looked = 0;
        for query in 0..queries {
            if budget.admits() {
                looked += 1;
                budget.settle(WORK, answered(query));
            }
        }
        looked
    }

    #[test]
    fn what_never_answers_is_asked_ever_less() {
        let mut budget = Budget::new(WORK, 3 * WORK / 2);
        assert_eq!(looked_at(&mut budget, 10, |_| false), 2);
        assert_eq!(looked_at(&mut budget, 100_000, |_| false), 11);
    }

    #[test]
    fn what_answers_is_always_asked() {
        let mut budget = Budget::new(WORK, 3 * WORK / 2);
        assert_eq!(looked_at(&mut budget, 1000, |_| true), 1000);
        // Every second one in vain is made up for.
        assert_eq!(looked_at(&mut budget, 1000, |query| query % 2 == 1), 1000);
    }

    #[test]
    fn what_costs_nothing_is_no_reason_to_rest() {
        let mut budget = Budget::new(WORK, 3 * WORK / 2);
        looked_at(&mut budget, 2, |_| false);
        let mut budget = Budget {
            resting: 0,
            ..budget
        };
        for _ in 0..100 {
            assert!(budget.admits());
            budget.settle(0, false);
        }
    }
}
