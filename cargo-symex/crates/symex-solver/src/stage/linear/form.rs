//! Sums of terms as integers, which do not wrap, and what is known of them.

use rustc_hash::FxHashMap;
use symex_terms::{Expr, Pool};

/// Range of an integer: least and greatest value.
pub(super) type Range = (i128, i128);

/// A term's value, as an unsigned or a signed number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Atom {
    pub term: Expr,
    pub signed: bool,
}

/// Greatest factor of an atom: sums of a few such products of 64 bits fit into 128.
const MAX_FACTOR: i128 = 1 << 56;

/// Greatest number of atoms of a sum.
const MAX_ATOMS: usize = 16;

/// An integer: the sum of some atoms, each times a factor, and of a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Form {
    /// Atoms in order, with factors other than 0.
    parts: Vec<(Atom, i128)>,
    constant: i128,
}

impl Form {
    /// Makes the form of a known integer.
    pub fn constant(constant: i128) -> Form {
        Form {
            parts: Vec::new(),
            constant,
        }
    }

    /// Makes the form of an atom alone.
    pub fn atom(atom: Atom) -> Form {
        Form {
            parts: vec![(atom, 1)],
            constant: 0,
        }
    }

    /// Returns this form and another one times a factor, unless that grows too large.
    pub fn plus(&self, factor: i128, other: &Form) -> Option<Form> {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut ours, mut theirs) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let (atom, sum) = match (ours.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(a), b) if b.is_none_or(|b| a.0 < b.0) => *ours.next()?,
                (a, Some(b)) if a.is_none_or(|a| b.0 < a.0) => {
                    let (atom, of) = *theirs.next()?;
                    (atom, of.checked_mul(factor)?)
                }
                _ => {
                    let ((atom, one), (_, of)) = (*ours.next()?, *theirs.next()?);
                    (atom, one.checked_add(of.checked_mul(factor)?)?)
                }
            };
            match sum {
                0 => {}
                _ if sum.abs() > MAX_FACTOR || parts.len() == MAX_ATOMS => return None,
                _ => parts.push((atom, sum)),
            }
        }
        let constant = self
            .constant
            .checked_add(other.constant.checked_mul(factor)?)?;
        // A few windows of 64 bits away from nothing, no such sum is of use.
        (constant.abs() < 1 << 100).then_some(Form { parts, constant })
    }

    /// Returns the form times a factor, unless that grows too large.
    pub fn times(&self, factor: i128) -> Option<Form> {
        Form::default().plus(factor, self)
    }

    /// Returns a form without the constant whose factors have no common divisor, the first of them
    /// positive, and the factor by which the parts of this one are its parts; `None` of a constant.
    fn reduced(&self) -> Option<(Form, i128)> {
        let (_, first) = self.parts.first()?;
        let factors = self.parts.iter().map(|(_, factor)| *factor);
        let common = factors.fold(0, greatest_common_divisor) * first.signum();
        let parts = self.parts.iter();
        let parts = parts.map(|(atom, factor)| (*atom, factor / common));
        let form = Form {
            parts: parts.collect(),
            constant: 0,
        };
        Some((form, common))
    }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
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

fn narrower(a: Option<Range>, b: Option<Range>) -> Option<Range> {
    match (a, b) {
        (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))),
        (one, other) => one.or(other),
    }
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
    ranges: FxHashMap<Vec<(Atom, i128)>, Range>,
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
        let Some((reduced, factor)) = form.reduced() else {
            return Said::Nothing;
        };
        // The bounds of the reduced form, rounded inwards.
        let (low, high) = (wanted.0 - form.constant, wanted.1 - form.constant);
        let (low, high) = match factor > 0 {
            true => (ceiling(low, factor), high.div_euclid(factor)),
            false => (ceiling(-high, -factor), (-low).div_euclid(-factor)),
        };
        if low > high {
            return Said::Contradiction;
        }
        let alone = reduced.parts.len() == 1;
        let before = self.ranges.insert(reduced.parts.clone(), (low, high));
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
        let mut found = narrower(self.by_atoms(pool, form), self.directly(form));
        if most == 0 || form.parts.len() < 2 {
            return found;
        }
        for at in 0..self.rows.len() {
            let mut tried = [0; 2];
            for i in 0..self.rows[at].parts.len() {
                let (atom, of) = self.rows[at].parts[i];
                let mine = form.parts.iter().find(|(other, _)| *other == atom);
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
                let known = self.ranges[&row.parts];
                let Some(rest) = form.plus(-factor, row) else {
                    continue;
                };
                let known = scaled(known, factor, 0);
                let rest = self.range_by_rows(pool, &rest, most - 1);
                let both = known.zip(rest).and_then(|(known, rest)| sum(known, rest));
                found = narrower(found, both);
            }
        }
        found
    }

    /// Returns what is known of exactly this form.
    fn directly(&self, form: &Form) -> Option<Range> {
        let (reduced, factor) = form.reduced()?;
        scaled(*self.ranges.get(&reduced.parts)?, factor, form.constant)
    }

    /// Returns the range of a form by those of its atoms.
    fn by_atoms(&self, pool: &Pool, form: &Form) -> Option<Range> {
        let mut range = (form.constant, form.constant);
        for (atom, factor) in &form.parts {
            let of = match self.ranges.get([(*atom, 1)].as_slice()) {
                Some(range) => *range,
                None => full_range(pool, *atom),
            };
            range = sum(range, scaled(of, *factor, 0)?)?;
        }
        Some(range)
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
