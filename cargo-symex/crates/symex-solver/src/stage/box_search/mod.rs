//! Stage that decides queries about few input bits by searching all their values, not one by one
//! but in boxes.
//!
//! Roots by Newton's steps, roundings, and digits are chains of divisions in which every step
//! depends on every input bit again, so that neither bits nor ranges decide them; but they are
//! monotonic in one machine word, in some ten thousand pieces. So each input's range is halved
//! until the conditions have one truth value in each box (branch and prune: R. E. Moore, *Interval
//! Analysis*, 1966, ch. 4). There is no narrowing and no choice of what to halve: evaluating a box
//! takes some nanoseconds an operation (`code`, `operation`, `range`), and millions of boxes are a
//! second's work.
//!
//! Why an exhausted search is a proof: a box is dropped only where the range of a condition is
//! zero, which contains the condition's values for all inputs in the box; the two halves of a box
//! are the box; and a box of one point is evaluated exactly. `Sat` is answered only with an
//! assignment under which the query evaluates to true. Work is counted in operations, and a search
//! that has come too short a way after a part of them is given up.
//!
//! Pays on integer roots and on equations of single-precision numbers, which Z3 takes seconds for,
//! or does not decide.

mod code;
mod operation;
mod range;

use super::{QueryLimit, Stage, StageOutcome};
use crate::budget::Budget;
use crate::query::merge;
use crate::{Answer, InterruptHandle, Query};
use code::{Look, whole};
use std::time::{Duration, Instant};
use symex_terms::{Pool, Width};

pub(super) use code::BoxCode;
pub(super) use range::BoxRange;

/// Greatest number of inputs of a query.
const MAX_INPUTS: usize = 4;
/// Greatest number of bits of the inputs together.
const MAX_BITS: Width = 32;
/// Operations of one query: at most about a second.
const WORK: u64 = 200_000_000;
/// Operations after which it is first judged whether the search will end; then after twice as many
/// each time.
const FIRST_JUDGEMENT: u64 = WORK / 32;
/// How many times the operations left a search may seem to need.
const SLACK: u64 = 8;
/// All inputs, as a number that is halved with each box.
const WHOLE: u64 = 1 << 60;
/// Number of operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 40;
/// Operations without an answer, less the worth of the answers, after which the stage rests.
const BUDGET: u64 = 2 * WORK;
/// Number of boxes between two checks of the clock and of the interrupt handle.
const BREATH: u64 = 1 << 14;

/// The box search stage: see the module.
pub struct BoxSearch {
    budget: Budget,
    limit: QueryLimit,
    /// Number of operations so far.
    operations: u64,
}

impl Default for BoxSearch {
    fn default() -> Self {
        BoxSearch {
            budget: Budget::new(WORK, BUDGET),
            limit: QueryLimit::default(),
            operations: 0,
        }
    }
}

/// A box still to be searched.
#[derive(Clone, Copy)]
struct OpenBox {
    inputs: [BoxRange; MAX_INPUTS],
    look: Look,
    /// Part of the whole.
    part: u64,
}

/// Judges whether a search will end, by the part of the whole that it has done.
///
/// A box on which the range of a condition says nothing until it is a point, such as that of
/// `x - y` with an `x` near `y`, is not decided sooner for being searched longer.
struct Progress {
    /// Part of the whole that is done.
    done: u64,
    /// Part that was done, and work, at the last judgement.
    last: (u64, u64),
    /// Work at the next judgement.
    next: u64,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            done: 0,
            last: (0, 0),
            next: FIRST_JUDGEMENT,
        }
    }

    /// Reports whether the search, at the pace since the last judgement, will plainly not end
    /// within its work.
    fn is_hopeless(&mut self, work: u64) -> bool {
        if work < self.next {
            return false;
        }
        let wide = u128::from;
        let (done, spent) = (self.done - self.last.0, work - self.last.1);
        self.last = (self.done, work);
        self.next *= 2;
        let (left, more) = (WHOLE - self.done, WORK.saturating_sub(work) * SLACK);
        wide(left) * wide(spent) > wide(more) * wide(done)
    }
}

impl BoxSearch {
    fn code(pool: &Pool, query: &Query) -> Option<BoxCode> {
        let vars = query.vars(pool);
        if vars.is_empty() || vars.len() > MAX_INPUTS {
            return None;
        }
        let inputs: Vec<_> = vars
            .into_iter()
            .map(|v| (v, pool.var_info(v).width))
            .collect();
        if inputs.iter().map(|(_, width)| width).sum::<Width>() > MAX_BITS {
            return None;
        }
        let mut conditions = query.constraints.to_vec();
        conditions.push(query.goal);
        BoxCode::new(pool, &conditions, inputs)
    }

    /// Searches all boxes, and adds the number of operations that it took to `work`.
    ///
    /// A box is looked at together with its other half, when they are made. It counts only when its
    /// turn comes, so that answers and work are those of a search of one box after the other.
    fn decide(
        &self,
        pool: &mut Pool,
        query: &Query,
        code: &mut BoxCode,
        work: &mut u64,
    ) -> StageOutcome {
        let count = code.inputs.len();
        let mut inputs = [BoxRange::point(0); MAX_INPUTS];
        for (range, (_, width)) in inputs.iter_mut().zip(&code.inputs) {
            *range = whole(*width);
        }
        let [look, _] = code.look(&inputs[..count], (0, [inputs[0]; 2]), code.all());
        let mut parts = vec![OpenBox {
            inputs,
            look,
            part: WHOLE,
        }];
        let mut progress = Progress::new();
        let mut boxes = 0u64;
        let end = self.limit.end();
        while let Some(part) = parts.last_mut() {
            boxes += 1;
            if *work > WORK || boxes.is_multiple_of(BREATH) && self.limit.is_over(end) {
                return StageOutcome::Pass;
            }
            *work += part.look.work;
            if progress.is_hopeless(*work) {
                return StageOutcome::Pass;
            }
            if part.look.fails {
                progress.done += part.part;
                parts.pop();
                continue;
            }
            let open = part.look.open;
            let spread = |i: &usize| part.inputs[*i].max - part.inputs[*i].min;
            let widest = (0..count).max_by_key(spread).unwrap_or(0);
            if open == 0 || spread(&widest) == 0 {
                let values: Vec<_> = code
                    .inputs
                    .iter()
                    .zip(&part.inputs)
                    .map(|((v, _), range)| (*v, u128::from(range.min)))
                    .collect();
                let found = merge(query.hint, &values);
                return match query.holds(pool, &found) {
                    true => StageOutcome::Answer(Answer::Sat(found)),
                    false => StageOutcome::Pass,
                };
            }
            let range = part.inputs[widest];
            let middle = range.min + (range.max - range.min) / 2;
            let upper = BoxRange::new(middle + 1, range.max);
            let lower = BoxRange::new(range.min, middle);
            let halves = (widest, [upper, lower]);
            let [upper_look, lower_look] = code.look(&part.inputs[..count], halves, open);
            // The box becomes its upper half, and the lower one, whose turn is next, is put on top.
            part.part /= 2;
            let mut next = *part;
            next.inputs[widest] = lower;
            next.look = lower_look;
            part.inputs[widest] = upper;
            part.look = upper_look;
            parts.push(next);
        }
        StageOutcome::Answer(Answer::Unsat)
    }
}

impl Stage for BoxSearch {
    fn name(&self) -> &'static str {
        "box search"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let Some(mut code) = BoxSearch::code(pool, query) else {
            return StageOutcome::Pass;
        };
        if !self.budget.admits() {
            return StageOutcome::Pass;
        }
        let mut work = 0;
        let step = self.decide(pool, query, &mut code, &mut work);
        let answered = matches!(step, StageOutcome::Answer(_));
        self.operations += work;
        self.budget.settle(work, answered);
        step
    }

    fn work(&self) -> u64 {
        self.operations / OPERATIONS_PER_UNIT
    }

    fn bound(&mut self, interrupt: &InterruptHandle, deadline: Option<Instant>, timeout: Duration) {
        self.limit.set(interrupt, deadline, timeout);
    }

    fn reset(&mut self) {
        self.budget = Budget::new(WORK, BUDGET);
    }
}

#[cfg(test)]
mod tests;
