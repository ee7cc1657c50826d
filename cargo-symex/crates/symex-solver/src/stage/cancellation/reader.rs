//! Reading terms as linear forms, and comparisons by them.

use super::super::linear_form::Range;
use super::Ranges;
use super::digits::Digits;
use super::forms::{Atom, Atoms, Dividend, Form};
use rustc_hash::FxHashMap;
use symex_terms::{Array, ArrayKind, BinOp, Expr, Kind, Pool, UnOp, Width, mask};

/// Greatest width of a term that is read, in bits.
const WIDEST: Width = 100;
/// Greatest number of elements of a table that is read as one of digits.
const LARGEST_TABLE: usize = 4096;
/// Greatest number of atoms of a form that is written as a term.
const MOST_WRITTEN: usize = 3;

/// Reader of the terms of a query.
pub(super) struct Reader {
    ranges: Ranges,
    atoms: Atoms,
    /// The forms of the values of terms.
    forms: FxHashMap<Expr, Form>,
    /// Forms that equal terms modulo a power of two.
    congruent: FxHashMap<Expr, Form>,
    truths: FxHashMap<Expr, Option<bool>>,
    tables: FxHashMap<Array, Option<Digits>>,
    steps: u64,
    most: u64,
}

impl Reader {
    /// Makes a reader of terms under constraints, which give ranges of their own terms. It may take
    /// so many steps.
    pub fn new(pool: &Pool, constraints: &[Expr], ranges: Ranges, most: u64) -> Reader {
        let truth = |constraint: &Expr| match pool.kind(*constraint) {
            Kind::Un(UnOp::Not, inner) => (inner, Some(false)),
            _ => (*constraint, Some(true)),
        };
        Reader {
            ranges,
            atoms: Atoms::default(),
            forms: FxHashMap::default(),
            congruent: FxHashMap::default(),
            truths: constraints.iter().map(truth).collect(),
            tables: FxHashMap::default(),
            steps: 0,
            most,
        }
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the truth value of a term of one bit, if it is the same wherever the constraints
    /// hold.
    pub fn truth(&mut self, pool: &mut Pool, term: Expr) -> Option<bool> {
        if let Some(known) = self.truths.get(&term) {
            return *known;
        }
        let truth = self.read_truth(pool, term);
        self.truths.insert(term, truth);
        truth
    }

    fn read_truth(&mut self, pool: &mut Pool, term: Expr) -> Option<bool> {
        self.steps += 1;
        if self.steps > self.most {
            return None;
        }
        if let Some((least, most)) = self.range_of(pool, term)
            && least == most
        {
            return Some(least == 1);
        }
        match pool.kind(term) {
            Kind::Un(UnOp::Not, a) => self.truth(pool, a).map(|truth| !truth),
            Kind::Bin(BinOp::And, a, b) => match (self.truth(pool, a), self.truth(pool, b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Kind::Bin(BinOp::Or, a, b) => match (self.truth(pool, a), self.truth(pool, b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Kind::Ite { cond, then, other } => match self.truth(pool, cond)? {
                true => self.truth(pool, then),
                false => self.truth(pool, other),
            },
            Kind::Bin(op, a, b) if op.info().is_predicate => self.compare(pool, op, a, b),
            // A bit of a number.
            Kind::Extract { .. } => {
                let form = self.form(pool, term)?;
                let (least, most) = self.atoms.range(&form)?;
                (least == most).then_some(least == 1)
            }
            _ => None,
        }
    }

    /// Decides a comparison by the range of the difference of its sides.
    fn compare(&mut self, pool: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<bool> {
        let w = pool.width(a);
        if w == 1 || w > WIDEST {
            return None;
        }
        match op {
            BinOp::Eq => {
                let (x, y) = (self.congruent(pool, a)?, self.congruent(pool, b)?);
                let (least, most) = self.atoms.range(&y.plus(&x, -1)?)?;
                let modulus = 1i128 << w;
                let is_multiple = least.rem_euclid(modulus) == 0;
                match least.div_euclid(modulus) == most.div_euclid(modulus) {
                    true if is_multiple && least == most => Some(true),
                    true if !is_multiple => Some(false),
                    _ => None,
                }
            }
            BinOp::UMulO | BinOp::SMulO if self.is_quotient_times_divisor(pool, a, b) => {
                Some(false)
            }
            BinOp::UMulO => {
                let (x, y) = (self.form(pool, a)?, self.form(pool, b)?);
                let product = match (constant(&x), constant(&y)) {
                    (Some(k), _) => y.times(k)?,
                    (_, Some(k)) => x.times(k)?,
                    _ => return None,
                };
                let (least, most) = self.atoms.range(&product)?;
                at_least(least, most, mask(w) as i128 + 1)
            }
            BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe => {
                let start = match op {
                    BinOp::ULt | BinOp::ULe => 0,
                    _ => -(1i128 << (w - 1)),
                };
                let x = self.congruent(pool, a)?;
                let y = self.congruent(pool, b)?;
                let (x, y) = (self.moved(x, w, start)?, self.moved(y, w, start)?);
                let (least, most) = self.atoms.range(&y.plus(&x, -1)?)?;
                at_least(
                    least,
                    most,
                    i128::from(matches!(op, BinOp::ULt | BinOp::SLt)),
                )
            }
            _ => None,
        }
    }

    /// Returns a goal in which the sides of comparisons are written with fewer terms, if there are
    /// any.
    pub fn rewritten(&mut self, pool: &mut Pool, goal: Expr) -> Option<Expr> {
        let new = self.write_truth(pool, goal)?;
        (new != goal).then_some(new)
    }

    fn write_truth(&mut self, pool: &mut Pool, term: Expr) -> Option<Expr> {
        if let Some(truth) = self.truth(pool, term) {
            return Some(pool.bool(truth));
        }
        match pool.kind(term) {
            Kind::Un(UnOp::Not, a) => {
                let a = self.write_truth(pool, a)?;
                Some(pool.not(a))
            }
            Kind::Bin(op @ (BinOp::And | BinOp::Or), a, b) => {
                let (x, y) = (self.write_truth(pool, a), self.write_truth(pool, b));
                if x.is_none() && y.is_none() {
                    return None;
                }
                Some(pool.bin(op, x.unwrap_or(a), y.unwrap_or(b)))
            }
            Kind::Bin(op @ (BinOp::Eq | BinOp::ULt | BinOp::ULe), a, b) if pool.width(a) > 1 => {
                let (x, y) = (self.form(pool, a)?, self.form(pool, b)?);
                let (x, y) = (self.write(pool, a, &x), self.write(pool, b, &y));
                if x.is_none() && y.is_none() {
                    return None;
                }
                Some(pool.bin(op, x.unwrap_or(a), y.unwrap_or(b)))
            }
            _ => None,
        }
    }

    /// Writes the form of a term as another term, if that has fewer operators: a sum of few
    /// quotients.
    fn write(&mut self, pool: &mut Pool, term: Expr, form: &Form) -> Option<Expr> {
        let plain = matches!(pool.kind(term), Kind::Const(_) | Kind::Var(_));
        if plain || form.terms.len() > MOST_WRITTEN || !self.is_sum(pool, term, form) {
            return None;
        }
        let width = pool.width(term);
        let modulus = 1i128.checked_shl(width)?;
        let number = |k: i128| k.rem_euclid(modulus) as u128;
        let mut sum = pool.constant(width, number(form.constant));
        for (atom, k) in form.terms.clone() {
            let part = self.write_atom(pool, atom, width)?;
            let k = pool.constant(width, number(k));
            let part = pool.bin(BinOp::Mul, part, k);
            sum = pool.bin(BinOp::Add, sum, part);
        }
        (sum != term).then_some(sum)
    }

    /// Reports whether a term is a sum, or a quotient or remainder of one, of more parts than its
    /// form has.
    fn is_sum(&self, pool: &Pool, term: Expr, form: &Form) -> bool {
        let (mut parts, mut waiting) = (0, vec![term]);
        while let Some(term) = waiting.pop() {
            match pool.kind(term) {
                Kind::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) if parts < 64 => {
                    waiting.extend([a, b]);
                }
                Kind::ZExt(a) | Kind::Bin(BinOp::UDiv | BinOp::URem, a, _) => waiting.push(a),
                Kind::Extract { of, lo: 0 } => waiting.push(of),
                Kind::Const(_) => {}
                _ => parts += 1,
            }
        }
        parts > form.terms.len()
    }

    fn write_atom(&mut self, pool: &mut Pool, atom: Atom, width: Width) -> Option<Expr> {
        let key = self.atoms.key(atom).clone();
        let Dividend::Term(term) = key.dividend else {
            return None;
        };
        let own = pool.width(term);
        let by = u128::try_from(key.by).ok().filter(|by| *by <= mask(own))?;
        let by = pool.constant(own, by);
        let quotient = pool.bin(BinOp::UDiv, term, by);
        Some(pool.resize(quotient, width))
    }

    /// Returns the form of a term's value as a number without sign.
    fn form(&mut self, pool: &mut Pool, term: Expr) -> Option<Form> {
        if let Some(known) = self.forms.get(&term) {
            return Some(known.clone());
        }
        let form = self.congruent(pool, term)?;
        let form = match self.moved(form, pool.width(term), 0) {
            Some(form) => form,
            None => self.opaque(pool, term)?,
        };
        if self.ranges.contains_key(&term)
            && form.terms.len() + usize::from(form.constant != 0) > 1
            && let Some(range) = self.range_of(pool, term)
        {
            self.atoms.narrow(&form, range);
        }
        self.forms.insert(term, form.clone());
        Some(form)
    }

    /// Returns a form that equals a term modulo `2^width`.
    fn congruent(&mut self, pool: &mut Pool, term: Expr) -> Option<Form> {
        if let Some(known) = self.congruent.get(&term) {
            return Some(known.clone());
        }
        self.steps += 1;
        if self.steps > self.most || pool.width(term) > WIDEST {
            return None;
        }
        let form = match self.read(pool, term) {
            Some(form) => form,
            None => self.opaque(pool, term)?,
        };
        self.steps += form.terms.len() as u64;
        self.congruent.insert(term, form.clone());
        Some(form)
    }

    /// Moves a form by a multiple of `2^width` so that its values are from `start` to `start +
    /// 2^width`; `None` if no single multiple does that.
    fn moved(&self, form: Form, width: Width, start: i128) -> Option<Form> {
        let range = self.atoms.range(&form)?;
        form.moved(range, width, start)
    }

    /// Makes the form of a term that is not looked into.
    fn opaque(&mut self, pool: &Pool, term: Expr) -> Option<Form> {
        let range = self.range_of(pool, term)?;
        Some(self.atoms.term(term, range))
    }

    fn range_of(&self, pool: &Pool, term: Expr) -> Option<Range> {
        let domain = match self.ranges.get(&term) {
            Some(domain) => *domain,
            None => pool.domain(term),
        };
        let least = i128::try_from(domain.min).ok()?;
        let most = i128::try_from(domain.max).ok()?;
        Some((least, most))
    }

    /// Reads a term as a form that equals it modulo a power of two, by its width.
    fn read(&mut self, pool: &mut Pool, term: Expr) -> Option<Form> {
        match pool.kind(term) {
            Kind::Const(value) => Some(Form::constant(i128::try_from(value).ok()?)),
            Kind::ZExt(a) => self.form(pool, a),
            Kind::SExt(a) => {
                let form = self.form(pool, a)?;
                let (w, half) = (pool.width(term), 1i128 << (pool.width(a) - 1));
                let (least, most) = self.atoms.range(&form)?;
                match (most < half, least >= half) {
                    (true, _) => Some(form),
                    (_, true) => form.plus(&Form::constant((1 << w) - 2 * half), 1),
                    _ => None,
                }
            }
            Kind::Concat { hi, lo } => {
                let low = self.form(pool, lo)?;
                let high = self.form(pool, hi)?;
                low.plus(&high, 1 << pool.width(lo))
            }
            Kind::Extract { of, lo } => {
                let whole = self.form(pool, of)?;
                self.atoms.quotient(&whole, 1 << lo)
            }
            Kind::Un(UnOp::Not, a) => {
                let form = self.congruent(pool, a)?;
                Form::constant(mask(pool.width(a)) as i128).plus(&form, -1)
            }
            Kind::Bin(BinOp::Add, a, b) => {
                let a = self.congruent(pool, a)?;
                let b = self.congruent(pool, b)?;
                a.plus(&b, 1)
            }
            Kind::Bin(BinOp::Sub, a, b) => {
                let a = self.congruent(pool, a)?;
                let b = self.congruent(pool, b)?;
                a.plus(&b, -1)
            }
            Kind::Bin(BinOp::Mul, a, b) => {
                let x = self.congruent(pool, a)?;
                let y = self.congruent(pool, b)?;
                match (constant(&x), constant(&y)) {
                    (_, Some(k)) => x.times(k),
                    (Some(k), _) => y.times(k),
                    _ => self
                        .multiple(pool, a, b)
                        .or_else(|| self.multiple(pool, b, a)),
                }
            }
            Kind::Bin(op @ (BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem), a, b) => {
                let by = i128::try_from(pool.as_const(b)?).ok()?;
                let form = self.form(pool, a)?;
                let half = 1i128 << (pool.width(a) - 1);
                let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
                if by == 0 || signed && (by >= half || self.atoms.range(&form)?.1 >= half) {
                    return None;
                }
                let quotient = self.atoms.quotient(&form, by)?;
                match op {
                    BinOp::UDiv | BinOp::SDiv => Some(quotient),
                    _ => form.plus(&quotient, -by),
                }
            }
            Kind::Ite { cond, then, other } => match self.truth(pool, cond)? {
                true => self.form(pool, then),
                false => self.form(pool, other),
            },
            Kind::Select { array, index } => {
                let digits = self.digits(pool, array)?;
                let index = self.form(pool, index)?;
                let (_, most) = self.atoms.range(&index)?;
                // Past the end, the value is unspecified.
                if most >= i128::from(pool.array_shape(array).1) {
                    return None;
                }
                let place = self.atoms.quotient(&index, digits.run)?;
                let digit = match digits.count {
                    None => place,
                    Some(count) => {
                        let next = self
                            .atoms
                            .quotient(&index, digits.run.checked_mul(count)?)?;
                        place.plus(&next, -count)?
                    }
                };
                Form::constant(digits.start).plus(&digit, digits.step)
            }
            _ => None,
        }
    }

    /// Reads the product of a quotient and its divisor, either of both extended: the dividend less
    /// the remainder. That holds for a divisor of 0, too, as SMT-LIB has it.
    fn multiple(&mut self, pool: &mut Pool, quotient: Expr, divisor: Expr) -> Option<Form> {
        let width = pool.width(quotient);
        let (inner, by, sign) = match (pool.kind(quotient), pool.kind(divisor)) {
            (Kind::ZExt(a), Kind::ZExt(b)) => (a, b, Some(false)),
            (Kind::SExt(a), Kind::SExt(b)) => (a, b, Some(true)),
            _ => (quotient, divisor, None),
        };
        let Kind::Bin(op @ (BinOp::UDiv | BinOp::SDiv), dividend, own) = pool.kind(inner) else {
            return None;
        };
        let signed = op == BinOp::SDiv;
        if own != by || sign.is_some_and(|sign| sign != signed) {
            return None;
        }
        // Modulo the width, the only overflow of a signed quotient does no harm.
        if sign == Some(true) && !self.cannot_overflow(pool, dividend, by) {
            return None;
        }
        let remainder = match signed {
            true => pool.bin(BinOp::SRem, dividend, by),
            false => pool.bin(BinOp::URem, dividend, by),
        };
        let [whole, rest] = [dividend, remainder].map(|part| match sign {
            Some(true) => pool.sext(part, width),
            _ => pool.zext(part, width),
        });
        if signed {
            let whole = self.congruent(pool, whole)?;
            return whole.plus(&self.congruent(pool, rest)?, -1);
        }
        let whole = self.form(pool, whole)?;
        let multiple = whole.plus(&self.form(pool, rest)?, -1)?;
        let (_, most) = self.atoms.range(&whole)?;
        self.atoms.narrow(&multiple, (0, most));
        Some(multiple)
    }

    /// Reports whether a product is that of a quotient and its divisor, which does not overflow.
    fn is_quotient_times_divisor(&mut self, pool: &mut Pool, a: Expr, b: Expr) -> bool {
        [(a, b), (b, a)].into_iter().any(|(quotient, divisor)| {
            let Kind::Bin(op, dividend, own) = pool.kind(quotient) else {
                return false;
            };
            own == divisor
                && match op {
                    BinOp::UDiv => self.never_is(pool, divisor, 0),
                    BinOp::SDiv => {
                        self.never_is(pool, divisor, 0)
                            && self.cannot_overflow(pool, dividend, divisor)
                    }
                    _ => false,
                }
        })
    }

    /// Reports whether a term never has a value.
    fn never_is(&mut self, pool: &mut Pool, term: Expr, value: u128) -> bool {
        let value = pool.constant(pool.width(term), value);
        let is = pool.eq(term, value);
        self.truth(pool, is) == Some(false)
    }

    /// Reports whether a signed quotient does not overflow: the dividend is not the least number,
    /// or the divisor not -1.
    fn cannot_overflow(&mut self, pool: &mut Pool, dividend: Expr, divisor: Expr) -> bool {
        let width = pool.width(dividend);
        let least = pool.constant(width, 1 << (width - 1));
        let minus_one = pool.constant(width, mask(width));
        let is_least = pool.eq(dividend, least);
        let is_minus_one = pool.eq(divisor, minus_one);
        let both = pool.and(is_least, is_minus_one);
        self.truth(pool, both) == Some(false)
    }

    fn digits(&mut self, pool: &Pool, array: Array) -> Option<Digits> {
        if let Some(known) = self.tables.get(&array) {
            return *known;
        }
        let digits = match pool.array_kind(array) {
            ArrayKind::Table(elements) if elements.len() <= LARGEST_TABLE => {
                self.steps += elements.len() as u64 / 8;
                let values: Option<Vec<u128>> =
                    elements.iter().map(|e| pool.as_const(*e)).collect();
                values.and_then(|values| Digits::of(&values))
            }
            _ => None,
        };
        self.tables.insert(array, digits);
        digits
    }
}

/// Returns the value of a form without atoms.
fn constant(form: &Form) -> Option<i128> {
    form.terms.is_empty().then_some(form.constant)
}

/// Decides whether a number in a range is at least so large.
fn at_least(least: i128, most: i128, bound: i128) -> Option<bool> {
    match (least >= bound, most < bound) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}
