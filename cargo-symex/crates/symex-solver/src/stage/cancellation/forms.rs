//! Linear forms whose atoms are terms and quotients of forms by constants.
//!
//! Invariant: an atom has the same value as what it stands for wherever the constraints hold.

use super::super::linear_form::{LinearForm, Range, gcd};
use rustc_hash::FxHashMap;
use symex_terms::Expr;

/// Handle of an atom. The order is that in which atoms were made.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Atom(u32);

/// What an atom stands for: the quotient, rounded down, of its dividend, which is not negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct AtomKey {
    pub dividend: Dividend,
    /// Divisor, at least 1.
    pub by: i128,
}

/// What is divided.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Dividend {
    Term(Expr),
    Form(Form),
}

/// A sum of atoms.
pub(super) type Form = LinearForm<Atom>;

/// The atoms of a query.
#[derive(Default)]
pub(super) struct Atoms {
    keys: Vec<AtomKey>,
    ranges: Vec<Range>,
    known: FxHashMap<AtomKey, Atom>,
    /// Ranges of forms that the constraints give, and not the atoms.
    narrowed: FxHashMap<Form, Range>,
}

impl Atoms {
    /// Returns the atom of a term in a range, which is not negative.
    pub fn term(&mut self, term: Expr, range: Range) -> Form {
        let dividend = Dividend::Term(term);
        Form::atom(self.make(AtomKey { dividend, by: 1 }, range))
    }

    /// Returns what an atom stands for.
    pub fn key(&self, atom: Atom) -> &AtomKey {
        &self.keys[atom.0 as usize]
    }

    /// Notes a range of a form that is known otherwise.
    pub fn narrow(&mut self, form: &Form, range: Range) {
        self.narrowed.insert(form.clone(), range);
    }

    fn make(&mut self, key: AtomKey, range: Range) -> Atom {
        if let Some(atom) = self.known.get(&key) {
            return *atom;
        }
        let atom = Atom(self.keys.len() as u32);
        self.keys.push(key.clone());
        self.ranges.push(range);
        self.known.insert(key, atom);
        atom
    }

    /// Returns a range in which all values of a form are; `None` if they are too large.
    ///
    /// Where quotients of one dividend make up a multiple of a remainder, they count as that.
    pub fn range(&self, form: &Form) -> Option<Range> {
        let plain = self.sum_of_ranges(form, (form.constant, form.constant));
        if form.terms.len() < 2 && self.narrowed.is_empty() {
            return plain;
        }
        let mut rest = form.clone();
        let mut taken = (0, 0);
        while let Some((pair, least, most)) = self.remainder_in(&rest) {
            rest = rest.plus(&pair, -1)?;
            taken = (
                i128::checked_add(taken.0, least)?,
                i128::checked_add(taken.1, most)?,
            );
        }
        let start = (
            rest.constant.checked_add(taken.0)?,
            rest.constant.checked_add(taken.1)?,
        );
        let other = self.sum_of_ranges(&rest, start);
        let known = [plain, other, self.narrowed.get(form).copied()];
        let all = known.into_iter().flatten();
        all.reduce(|x, y| (x.0.max(y.0), x.1.min(y.1)))
    }

    fn sum_of_ranges(&self, form: &Form, start: Range) -> Option<Range> {
        let mut sum = start;
        for (atom, k) in &form.terms {
            let (least, most) = self.ranges[atom.0 as usize];
            let (x, y) = (least.checked_mul(*k)?, most.checked_mul(*k)?);
            sum = (sum.0.checked_add(x.min(y))?, sum.1.checked_add(x.max(y))?);
        }
        Some(sum)
    }

    /// Finds a multiple of a remainder in a form: `k * (d / a - n * (d / (a * n)))`, which is from
    /// 0 to `k * (n - 1)`; with its least and greatest value.
    fn remainder_in(&self, form: &Form) -> Option<(Form, i128, i128)> {
        for (quotient, factor) in form.terms.iter().rev() {
            let AtomKey { dividend, by } = self.key(*quotient);
            let mut best: Option<(Form, i128, i128)> = None;
            // Of a form, the dividend itself is a sum.
            if let Dividend::Form(whole) = dividend
                && factor % by == 0
                && let Some(pair) = self.pair(whole, *quotient, *by, -(factor / by))
                && self.is_part(&pair.0, form)
            {
                best = Some(pair);
            }
            for (other, _) in form.terms.iter().filter(|(other, _)| other != quotient) {
                let key = self.key(*other);
                if key.dividend != *dividend || by % key.by != 0 || key.by == *by {
                    continue;
                }
                let n = by / key.by;
                if factor % n != 0 {
                    continue;
                }
                let one = Form::atom(*other);
                if let Some(pair) = self.pair(&one, *quotient, n, -(factor / n))
                    && self.is_part(&pair.0, form)
                    && best.as_ref().is_none_or(|b| pair.2 - pair.1 < b.2 - b.1)
                {
                    best = Some(pair);
                }
            }
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// Makes `k * (whole - n * quotient)`, with its least and greatest value.
    fn pair(&self, whole: &Form, quotient: Atom, n: i128, k: i128) -> Option<(Form, i128, i128)> {
        let remainder = whole.plus(&Form::atom(quotient), n.checked_neg()?)?;
        let most = k.checked_mul(n - 1)?;
        Some((remainder.times(k)?, most.min(0), most.max(0)))
    }

    /// Reports whether taking a part away leaves less of a form: no atom gets a greater
    /// coefficient, or one of the other sign.
    fn is_part(&self, part: &Form, form: &Form) -> bool {
        part.terms.iter().all(|(atom, k)| {
            let at = form.terms.binary_search_by_key(atom, |term| term.0);
            at.is_ok_and(|at| {
                let own = form.terms[at].1;
                own.signum() == k.signum() && own.unsigned_abs() >= k.unsigned_abs()
            })
        })
    }

    /// Returns the quotient of a form by a constant from 1 on, rounded down; `None` if the form may
    /// be negative, or is too large.
    pub fn quotient(&mut self, form: &Form, by: i128) -> Option<Form> {
        let (least, most) = self.range(form)?;
        if least < 0 || by < 1 {
            return None;
        }
        if by == 1 {
            return Some(form.clone());
        }
        if least / by == most / by {
            return Some(Form::constant(least / by));
        }
        // What the divisor divides comes out: (by * whole + rest) / by is whole + rest / by, also
        // of as many divisors as leave the rest not negative.
        let (mut whole, mut rest) = (Form::default(), Form::constant(form.constant));
        for (atom, k) in &form.terms {
            match k % by {
                0 => whole.terms.push((*atom, k / by)),
                _ => rest.terms.push((*atom, *k)),
            }
        }
        if !whole.terms.is_empty() {
            let (low, _) = self.range(&rest)?;
            whole.constant = low.div_euclid(by).min(0);
            rest.constant = rest.constant.checked_sub(whole.constant.checked_mul(by)?)?;
            return whole.plus(&self.quotient(&rest, by)?, 1);
        }
        if let Some((form, by)) = reduced(form, by) {
            return self.quotient(&form, by);
        }
        if let Some((form, by)) = self.by_multiplication(form, by, most) {
            return self.quotient(&form, by);
        }
        let key = match form.as_atom() {
            Some(atom) => {
                let key = self.key(atom);
                AtomKey {
                    dividend: key.dividend.clone(),
                    by: key.by.checked_mul(by)?,
                }
            }
            None => AtomKey {
                dividend: Dividend::Form(form.clone()),
                by,
            },
        };
        Some(Form::atom(self.make(key, (least / by, most / by))))
    }

    /// Reads `m * x / 2^s` as the division of `x`, at most so large, that it stands for, as it does
    /// in programs that divide by multiplying.
    fn by_multiplication(&self, form: &Form, by: i128, most: i128) -> Option<(Form, i128)> {
        let m = divisor_of(form)?;
        if m < 2 || !(by as u128).is_power_of_two() || m >= by {
            return None;
        }
        // m * d is e more than 2^s. What that adds to x / d stays below 1 / d, which changes
        // nothing where the quotient is rounded down.
        let d = by / m + 1;
        let e = m.checked_mul(d)?.checked_sub(by)?;
        let x = most / m;
        (e.checked_mul(x)? < by).then(|| (divided(form, m), d))
    }
}

/// Returns the greatest number that divides all coefficients and the constant; `None` for zero.
fn divisor_of(form: &Form) -> Option<i128> {
    let parts = form.terms.iter().map(|term| term.1).chain([form.constant]);
    let divisor = parts.fold(0, gcd);
    (divisor > 0).then_some(divisor)
}

/// Returns a form divided by what divides all of it.
fn divided(form: &Form, by: i128) -> Form {
    Form {
        terms: form.terms.iter().map(|(atom, k)| (*atom, k / by)).collect(),
        constant: form.constant / by,
    }
}

/// Takes common factors out of a fraction, if there are any.
fn reduced(form: &Form, by: i128) -> Option<(Form, i128)> {
    let common = gcd(divisor_of(form)?, by);
    (common > 1).then(|| (divided(form, common), by / common))
}
