//! Work that a stage may do for queries that it then leaves open: so much in the long run, and little after that.
//!
//! Counted in whatever unit the stage counts in and never by the clock, so that the same queries in the same order have the
//! same answers.

/// Queries that are passed on unseen when it first does. After each further one in vain it is twice as many.
const REST: u64 = 32;

/// See the module.
pub(super) struct Allowance {
    /// What one query may cost.
    work: u64,
    /// Work without an answer, less what the answers were worth, after which the stage rests.
    advance: u64,
    debt: u64,
    /// Queries to be passed on unseen.
    resting: u64,
    /// How many they were the last time; 0 since the last answer.
    rest: u64,
}

impl Allowance {
    /// For a stage that may do so much work for one query, and so much in vain.
    pub fn new(work: u64, advance: u64) -> Allowance {
        Allowance {
            work,
            advance,
            debt: 0,
            resting: 0,
            rest: 0,
        }
    }

    /// Is the next query to be looked at?
    pub fn admits(&mut self) -> bool {
        let admitted = self.resting == 0;
        self.resting = self.resting.saturating_sub(1);
        admitted
    }

    /// Takes note of what a query cost, and whether it was answered: an answer is worth what a query may cost.
    pub fn settle(&mut self, spent: u64, answered: bool) {
        if answered {
            self.debt = self.debt.saturating_sub(self.work);
            self.rest = 0;
            return;
        }
        // No answers can make up for more than that, so that it is never for too long.
        self.debt = (self.debt + spent).min(self.advance + self.work);
        if self.debt > self.advance && spent > 0 {
            self.rest = (2 * self.rest).max(REST);
            self.resting = self.rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: u64 = 1000;

    /// How many of so many queries are looked at if each costs all it may.
    fn looked_at(allowance: &mut Allowance, queries: u64, answered: impl Fn(u64) -> bool) -> u64 {
        let mut looked = 0;
        for query in 0..queries {
            if allowance.admits() {
                looked += 1;
                allowance.settle(WORK, answered(query));
            }
        }
        looked
    }

    #[test]
    fn what_never_answers_is_asked_ever_less() {
        let mut allowance = Allowance::new(WORK, 3 * WORK / 2);
        assert_eq!(looked_at(&mut allowance, 10, |_| false), 2);
        assert_eq!(looked_at(&mut allowance, 100_000, |_| false), 11);
    }

    #[test]
    fn what_answers_is_always_asked() {
        let mut allowance = Allowance::new(WORK, 3 * WORK / 2);
        assert_eq!(looked_at(&mut allowance, 1000, |_| true), 1000);
        // Every second one in vain is made up for.
        assert_eq!(
            looked_at(&mut allowance, 1000, |query| query % 2 == 1),
            1000
        );
    }

    #[test]
    fn what_costs_nothing_is_no_reason_to_rest() {
        let mut allowance = Allowance::new(WORK, 3 * WORK / 2);
        looked_at(&mut allowance, 2, |_| false);
        let mut allowance = Allowance {
            resting: 0,
            ..allowance
        };
        for _ in 0..100 {
            assert!(allowance.admits());
            allowance.settle(0, false);
        }
    }
}
