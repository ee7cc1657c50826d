//! What is known of sums of terms: ranges of linear forms.

use super::super::linear_form::{LinearForm, Range, gcd};
use rustc_hash::FxHashMap;
use symex_terms::{Expr, Pool};

/// Greatest number of a range: beyond that, no sum of numbers of 64 bits is of use, and differences
/// of those below do not overflow.
const GREATEST: i128 = 1 << 100;

/// A term's value, as an unsigned or a signed number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Atom {
    pub term: Expr,
    pub signed: bool,
}

/// A sum of such values.
pub(super) type Form = LinearForm<Atom>;

/// Returns a form without the constant whose coefficients have no common divisor, the first of them
/// positive, and the factor by which those of the given form are theirs; `None` of a constant.
fn reduced(form: &Form) -> Option<(Form, i128)> {
    let (_, first) = form.terms.first()?;
    let factors = form.terms.iter().map(|(_, factor)| *factor);
    let common = factors.fold(0, gcd) * first.signum();
    let terms = form.terms.iter();
    let terms = terms.map(|(atom, factor)| (*atom, factor / common));
    let reduced = Form {
        terms: terms.collect(),
        constant: 0,
    };
    Some((reduced, common))
}

/// Returns a range times a factor, and a constant.
fn scaled((low, high): Range, factor: i128, constant: i128) -> Option<Range> {
    let (a, b) = (low.checked_mul(factor)?, high.checked_mul(factor)?);
    Some((
        a.min(b).checked_add(constant)?,
        a.max(b).checked_add(constant)?,
    ))
}

fn sum(a: Range, b: Range) -> Option<Range> {
    Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
}

/// Returns what is in a range and in another one, if that is known.
fn narrower(a: Range, b: Option<Range>) -> Range {
    b.map_or(a, |b| (a.0.max(b.0), a.1.min(b.1)))
}

/// What a comparison says, beside what is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Said {
    Nothing,
    New,
    /// No values of the atoms satisfy it.
    Contradiction,
}

/// What is known of integers: ranges of reduced forms, those of one atom among them.
#[derive(Default)]
pub(super) struct Known {
    ranges: FxHashMap<Form, Range>,
    /// The reduced forms of more than one atom, in the order in which they became known.
    rows: Vec<Form>,
    /// Steps that may still be taken.
    steps: u32,
}

impl Known {
    /// Knows nothing, and takes so many steps at most to add forms up.
    pub fn new(steps: u32) -> Self {
        Known {
            steps,
            ..Known::default()
        }
    }

    /// Notes a range of a form.
    pub fn note(&mut self, pool: &Pool, form: &Form, range: Range) -> Said {
        let Some(possible) = self.range(pool, form) else {
            return Said::Nothing;
        };
        let wanted = (range.0.max(possible.0), range.1.min(possible.1));
        if wanted.0 > wanted.1 {
            return Said::Contradiction;
        }
        let Some((reduced, factor)) = reduced(form) else {
            return Said::Nothing;
        };
        // The bounds of the reduced form, rounded inwards.
        let without = |bound: i128| bound.checked_sub(form.constant);
        let (Some(low), Some(high)) = (without(wanted.0), without(wanted.1)) else {
            return Said::Nothing;
        };
        let (low, high) = match factor > 0 {
            true => (ceiling(low, factor), high.div_euclid(factor)),
            false => (ceiling(-high, -factor), (-low).div_euclid(-factor)),
        };
        if low > high {
            return Said::Contradiction;
        }
        let alone = reduced.terms.len() == 1;
        let before = self.ranges.insert(reduced.clone(), (low, high));
        if before.is_none() && !alone {
            self.rows.push(reduced);
        }
        match before == Some((low, high)) {
            true => Said::Nothing,
            false => Said::New,
        }
    }

    /// Returns the range of a form, as far as that is known; `None` if it is too great.
    pub fn range(&mut self, pool: &Pool, form: &Form) -> Option<Range> {
        self.range_by_rows(pool, form, 2)
    }

    /// Returns the range of a form by what is known of it, of its atoms, and of forms of which it
    /// is the sum with others: by so many of these.
    fn range_by_rows(&mut self, pool: &Pool, form: &Form, most: u32) -> Option<Range> {
        let mut found = narrower(self.by_atoms(pool, form)?, self.directly(form));
        if most == 0 || form.terms.len() < 2 {
            return Some(found);
        }
        for at in 0..self.rows.len() {
            let mut tried = [0; 2];
            for i in 0..self.rows[at].terms.len() {
                let (atom, of) = self.rows[at].terms[i];
                let mine = form.terms.iter().find(|(other, _)| *other == atom);
                let Some((_, mine)) = mine.filter(|(_, mine)| mine % of == 0) else {
                    continue;
                };
                let factor = mine / of;
                if tried.contains(&factor) || self.steps == 0 {
                    continue;
                }
                tried.rotate_right(1);
                tried[0] = factor;
                self.steps -= 1;
                let row = &self.rows[at];
                let known = self.ranges[row];
                let Some(rest) = form.plus(row, -factor) else {
                    continue;
                };
                let known = scaled(known, factor, 0);
                let rest = self.range_by_rows(pool, &rest, most - 1);
                let both = known.zip(rest).and_then(|(known, rest)| sum(known, rest));
                found = narrower(found, both);
            }
        }
        Some(found)
    }

    /// Returns what is known of exactly this form.
    fn directly(&self, form: &Form) -> Option<Range> {
        let (reduced, factor) = reduced(form)?;
        scaled(*self.ranges.get(&reduced)?, factor, form.constant)
    }

    /// Returns the range of a form by those of its atoms.
    fn by_atoms(&self, pool: &Pool, form: &Form) -> Option<Range> {
        let mut range = (form.constant, form.constant);
        for (atom, factor) in &form.terms {
            let of = match self.ranges.get(&Form::atom(*atom)) {
                Some(range) => *range,
                None => full_range(pool, *atom),
            };
            range = sum(range, scaled(of, *factor, 0)?)?;
        }
        (-GREATEST <= range.0 && range.1 <= GREATEST).then_some(range)
    }
}

/// Divides by a positive number, and rounds up.
pub(super) fn ceiling(a: i128, b: i128) -> i128 {
    a.div_euclid(b) + i128::from(a.rem_euclid(b) != 0)
}

/// Returns the range that an atom has in any case.
fn full_range(pool: &Pool, atom: Atom) -> Range {
    let facts = pool.facts(atom.term);
    let width = pool.width(atom.term);
    let half = 1i128 << (width - 1);
    let (low, high) = (facts.min as i128, facts.max as i128);
    match atom.signed {
        false => (low, high),
        true if high < half => (low, high),
        true if low >= half => (low - 2 * half, high - 2 * half),
        true => (-half, half - 1),
    }
}
