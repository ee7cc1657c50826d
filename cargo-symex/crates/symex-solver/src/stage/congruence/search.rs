//! Search for a number that satisfies conditions about its remainders.

use super::number_set::NumberSet;
use super::periodic::lcm;
use super::view::Formula;

/// Greatest number of ranges of two sets that are intersected beforehand.
const FEW: usize = 8;

/// Error: the work limit is used up.
pub struct OutOfWork;

/// A search with a work limit.
pub struct CongruenceSearch {
    /// Number of sets that may still be examined.
    work: u32,
}

/// Sets on which a condition depends within a range of numbers.
#[derive(Default)]
struct Undecided<'a> {
    sets: Vec<&'a NumberSet>,
}

impl CongruenceSearch {
    /// Makes a search that may examine this many sets.
    pub fn new(work: u32) -> CongruenceSearch {
        CongruenceSearch { work }
    }

    /// Returns the number of sets that may still be examined.
    pub fn left(&self) -> u32 {
        self.work
    }

    /// Reports whether a formula holds for a number.
    pub fn holds(formula: &Formula, number: u128) -> bool {
        match formula {
            Formula::Constant(c) => *c,
            Formula::Atom(set) => set.at(number).0,
            Formula::All(parts) => parts.iter().all(|p| CongruenceSearch::holds(p, number)),
            Formula::Any(parts) => parts.iter().any(|p| CongruenceSearch::holds(p, number)),
        }
    }

    /// Returns the least number from `lo` to below `end` that satisfies all formulas, if there is
    /// one.
    pub fn find<'a>(
        &mut self,
        formulas: impl Iterator<Item = &'a Formula>,
        lo: u128,
        end: u128,
    ) -> Result<Option<u128>, OutOfWork> {
        let mut formula = Formula::All(Vec::new());
        for f in formulas {
            formula.require(f.clone());
        }
        if let Formula::All(parts) = &mut formula {
            meet(parts, end);
        }
        self.first(&formula, lo, end)
    }

    /// Returns the least number from `lo` to below `hi` that satisfies a formula.
    ///
    /// The set with the longest period is cut at its edges, so that it is constant on each piece.
    /// The rest of the formula repeats there with the least common multiple of the other periods,
    /// and a piece need not be longer.
    fn first(
        &mut self,
        formula: &Formula,
        mut lo: u128,
        mut hi: u128,
    ) -> Result<Option<u128>, OutOfWork> {
        while lo < hi {
            let mut undecided = Undecided::default();
            let verdict = self.look(formula, lo, hi, &mut undecided)?;
            match verdict {
                Some(true) => return Ok(Some(lo)),
                Some(false) => return Ok(None),
                None => {}
            }
            if let Some(period) = undecided.common_period(lo, hi)
                && hi - lo > period
            {
                hi = lo + period;
            }
            let edge = undecided.longest(lo, hi).and_then(|set| set.cut(lo, hi));
            match edge.filter(|edge| *edge < hi) {
                None => {}
                Some(edge) => {
                    if let Some(found) = self.first(formula, lo, edge)? {
                        return Ok(Some(found));
                    }
                    lo = edge;
                }
            }
        }
        Ok(None)
    }

    /// Evaluates a formula for all numbers of a range; collects the sets on which it depends, if
    /// its value is not the same for all.
    fn look<'a>(
        &mut self,
        formula: &'a Formula,
        lo: u128,
        hi: u128,
        undecided: &mut Undecided<'a>,
    ) -> Result<Option<bool>, OutOfWork> {
        let (parts, ends) = match formula {
            Formula::Constant(c) => return Ok(Some(*c)),
            Formula::Atom(set) => {
                self.work = self.work.checked_sub(1).ok_or(OutOfWork)?;
                let (inside, edge) = set.at(lo);
                if edge.is_none_or(|edge| edge >= hi) {
                    return Ok(Some(inside));
                }
                undecided.sets.push(set);
                return Ok(None);
            }
            Formula::All(parts) => (parts, false),
            Formula::Any(parts) => (parts, true),
        };
        let before = undecided.sets.len();
        let mut open = false;
        for part in parts {
            match self.look(part, lo, hi, undecided)? {
                Some(verdict) if verdict == ends => {
                    undecided.sets.truncate(before);
                    return Ok(Some(ends));
                }
                Some(_) => {}
                None => open = true,
            }
        }
        Ok((!open).then_some(!ends))
    }
}

impl Undecided<'_> {
    /// Returns the common period of all sets in a range of numbers, if all have one.
    fn common_period(&self, lo: u128, hi: u128) -> Option<u128> {
        let mut periods = self.sets.iter().map(|set| set.period(lo, hi));
        periods.try_fold(1, |sum, period| lcm(sum, period?))
    }

    /// Returns a set without period, or else one with the longest period.
    fn longest(&self, lo: u128, hi: u128) -> Option<&NumberSet> {
        let by_period = |set: &&&NumberSet| set.period(lo, hi).unwrap_or(u128::MAX);
        self.sets.iter().max_by_key(by_period).copied()
    }
}

impl Formula {
    /// Adds a conjunct to a conjunction.
    fn require(&mut self, part: Formula) {
        let Formula::All(parts) = self else {
            return;
        };
        match part {
            Formula::All(more) => more.into_iter().for_each(|p| self.require(p)),
            part => parts.push(part),
        }
    }
}

/// Intersects sets with few numbers: their common numbers may be far apart, or none, which a walk
/// along the number line would take long to find.
fn meet(parts: &mut Vec<Formula>, end: u128) {
    let mut at = 0;
    while at < parts.len() {
        let mut other = at + 1;
        while other < parts.len() {
            let (Formula::Atom(a), Formula::Atom(b)) = (&parts[at], &parts[other]) else {
                other += 1;
                continue;
            };
            match a.intersection(b, end, FEW) {
                Some(both) => {
                    parts[at] = Formula::Atom(both);
                    parts.swap_remove(other);
                    // It may meet others now that it is another.
                    other = at + 1;
                }
                None => other += 1,
            }
        }
        at += 1;
    }
}
