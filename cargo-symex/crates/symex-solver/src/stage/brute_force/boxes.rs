//! Boxes of values, of which those are left out in which a condition plainly fails.
//!
//! The candidates of all inputs are a box. Boxes are halved, and the halves are looked at as the
//! box search does (`box_search`): where the range of a condition is false, none of a half's values
//! is a solution. Where halving has brought nothing a few times, the values are tried instead.

use super::candidates::Candidates;
use super::plan::Terms;
use crate::stage::box_search::{BoxCode, BoxRange};
use symex_terms::Pool;

/// Greatest number of inputs.
pub(super) const MAX_INPUTS: usize = 8;
/// Number of boxes from which on no more are made before the search.
const MANY: usize = 2048;
/// Number of combinations of values that are tried sooner than halved.
const FEW: u64 = 256;
/// Number of combinations of values in a box for which it is not halved before the search.
const SMALL: u64 = 4096;
/// Number of times that halving may bring nothing in a row during the search.
const PATIENCE: u32 = 3;

/// A box: see the module.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueBox {
    /// Numbers of the first and last candidate of each input.
    ranges: [[u64; 2]; MAX_INPUTS],
    /// Conditions that are undecided, by their numbers in the code.
    open: u64,
    /// Number of times that it and what it is a part of were halved in vain, since it last brought
    /// something.
    vain: u32,
}

impl ValueBox {
    /// Makes the box of all candidates.
    pub fn whole(inputs: &[Candidates], open: u64) -> ValueBox {
        let mut ranges = [[0; 2]; MAX_INPUTS];
        for (range, input) in ranges.iter_mut().zip(inputs) {
            *range = [0, input.count - 1];
        }
        let vain = 0;
        ValueBox { ranges, open, vain }
    }

    /// Returns the number of combinations of values of so many inputs.
    pub fn combinations(&self, inputs: usize) -> u64 {
        let count = |[first, last]: &[u64; 2]| (last - first).saturating_add(1);
        let counts = self.ranges[..inputs].iter().map(count);
        counts.fold(1, u64::saturating_mul)
    }

    /// Returns the input that has the most values, and the halves of these.
    fn halved(&self, inputs: usize) -> (usize, [[u64; 2]; 2]) {
        let spread = |at: &usize| self.ranges[*at][1] - self.ranges[*at][0];
        let widest = (0..inputs).rev().max_by_key(spread).unwrap_or(0);
        let [first, last] = self.ranges[widest];
        let middle = first + (last - first) / 2;
        (widest, [[first, middle], [middle + 1, last]])
    }

    /// Leaves the lower or the upper half of the values of the input that has the most.
    pub fn keep_half(&mut self, inputs: usize, lower: bool) {
        let (widest, [below, above]) = self.halved(inputs);
        self.ranges[widest] = if lower { below } else { above };
    }

    /// Returns the inputs, each with the numbers of its first and last candidate.
    pub fn of<'a>(
        &'a self,
        inputs: &'a [Candidates],
    ) -> impl Iterator<Item = (&'a Candidates, [u64; 2])> {
        inputs.iter().zip(self.ranges)
    }
}

/// Divider of boxes: see the module.
#[derive(Clone)]
pub(super) struct Divider {
    inputs: Vec<Candidates>,
    /// None if the ranges of the conditions cannot be computed.
    code: Option<BoxCode>,
}

impl Divider {
    pub fn new(pool: &Pool, terms: &Terms, inputs: &[Candidates]) -> Divider {
        let widths = inputs
            .iter()
            .map(|input| (input.var, input.width))
            .collect();
        Divider {
            inputs: inputs.to_vec(),
            code: BoxCode::new(pool, &terms.conditions, widths),
        }
    }

    /// Makes a divider that leaves nothing out.
    #[cfg(test)]
    pub fn without_code(inputs: &[Candidates]) -> Divider {
        Divider {
            inputs: inputs.to_vec(),
            code: None,
        }
    }

    /// Returns the box of all combinations of values.
    pub fn whole(&self) -> ValueBox {
        let open = self.code.as_ref().map_or(0, BoxCode::all);
        ValueBox::whole(&self.inputs, open)
    }

    /// Returns boxes with all combinations of values that may be solutions, in order.
    pub fn boxes(&mut self) -> Vec<ValueBox> {
        let mut boxes = vec![self.whole()];
        let count = self.inputs.len();
        let is_large = |part: &ValueBox| part.combinations(count) > SMALL;
        while boxes.len() < MANY && boxes.iter().any(is_large) {
            let mut next = Vec::with_capacity(2 * boxes.len());
            for part in &boxes {
                match is_large(part) {
                    true => next.extend(self.halves(part).into_iter().flatten()),
                    false => next.push(*part),
                }
            }
            boxes = next;
        }
        boxes
    }

    /// Returns the halves of a box, in order, without those in which a condition plainly fails.
    fn halves(&mut self, part: &ValueBox) -> [Option<ValueBox>; 2] {
        let (widest, halves) = part.halved(self.inputs.len());
        let made = halves.map(|half| {
            let mut made = *part;
            made.ranges[widest] = half;
            made.vain += 1;
            made
        });
        let Some(code) = &mut self.code else {
            return made.map(Some);
        };
        let mut ranges = [BoxRange::point(0); MAX_INPUTS];
        for (range, (input, ends)) in ranges.iter_mut().zip(part.of(&self.inputs)) {
            *range = range_of(input, ends);
        }
        let split = halves.map(|half| range_of(&self.inputs[widest], half));
        let looks = code.look(&ranges[..self.inputs.len()], (widest, split), part.open);
        let mut at = 0;
        made.map(|mut made| {
            let look = &looks[at];
            at += 1;
            if look.fails {
                return None;
            }
            if look.open != part.open || looks.iter().any(|look| look.fails) {
                made.vain = 0;
            }
            made.open = look.open;
            Some(made)
        })
    }

    /// Calls `f` for parts of a box until it returns something, in order: for all of it but what is
    /// no solution plainly. Gets the first and last value of each input.
    pub fn find<T>(
        &mut self,
        whole: ValueBox,
        mut f: impl FnMut(&[[u64; 2]]) -> Option<T>,
    ) -> Option<T> {
        let count = self.inputs.len();
        let mut parts = vec![whole];
        while let Some(part) = parts.pop() {
            let is_tried = part.vain >= PATIENCE || part.combinations(count) <= FEW;
            if is_tried || self.code.is_none() {
                let mut values = [[0; 2]; MAX_INPUTS];
                for (values, (input, ends)) in values.iter_mut().zip(part.of(&self.inputs)) {
                    *values = ends.map(|at| input.value(at));
                }
                if let Some(found) = f(&values[..count]) {
                    return Some(found);
                }
            } else {
                parts.extend(self.halves(&part).into_iter().rev().flatten());
            }
        }
        None
    }
}

/// Returns the range of an input's candidates.
fn range_of(input: &Candidates, ends: [u64; 2]) -> BoxRange {
    let [first, last] = ends.map(|at| input.value(at));
    match first <= last {
        true => BoxRange::new(first, last),
        // From negative to other numbers.
        false => BoxRange::full(input.width),
    }
}
