//! Work that a stage may do for queries that it then leaves open: so much in the long run, and little after that.
//!
//! Counted in Z3's unit of work (some 0.2 us each) and never by the clock, so that the same queries in the same order
//! have the same answers.

/// Work of one query: half a second, and ten times what any query about the hash maps of std took that was answered.
pub(super) const WORK: u64 = 2_000_000;
/// Work without an answer, less what the answers were worth, after which the stage rests.
const ADVANCE: u64 = 3_000_000;
/// Queries that are passed on unseen when it first does. After each further one in vain it is twice as many.
const REST: u64 = 32;

/// See the module.
#[derive(Default)]
pub(super) struct Allowance {
    debt: u64,
    /// Queries to be passed on unseen.
    resting: u64,
    /// How many they were the last time; 0 since the last answer.
    rest: u64,
}

impl Allowance {
    /// Is the next query to be looked at?
    pub fn admits(&mut self) -> bool {
        let admitted = self.resting == 0;
        self.resting = self.resting.saturating_sub(1);
        admitted
    }

    /// Takes note of what a query cost, and whether it was answered: an answer is worth what a query may cost.
    pub fn settle(&mut self, spent: u64, answered: bool) {
        if answered {
            self.debt = self.debt.saturating_sub(WORK);
            self.rest = 0;
            return;
        }
        // No answers can make up for more than that, so that it is never for too long.
        self.debt = (self.debt + spent).min(ADVANCE + WORK);
        if self.debt > ADVANCE && spent > 0 {
            self.rest = (2 * self.rest).max(REST);
            self.resting = self.rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut allowance = Allowance::default();
        assert_eq!(looked_at(&mut allowance, 10, |_| false), 2);
        assert_eq!(looked_at(&mut allowance, 100_000, |_| false), 11);
    }

    #[test]
    fn what_answers_is_always_asked() {
        let mut allowance = Allowance::default();
        assert_eq!(looked_at(&mut allowance, 1000, |_| true), 1000);
        // Every second one in vain is made up for.
        assert_eq!(
            looked_at(&mut allowance, 1000, |query| query % 2 == 1),
            1000
        );
    }

    #[test]
    fn what_costs_nothing_is_no_reason_to_rest() {
        let mut allowance = Allowance::default();
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
