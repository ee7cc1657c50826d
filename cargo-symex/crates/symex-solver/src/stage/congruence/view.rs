//! Translation of conditions to formulas about the remainders of words.

use super::number_set::NumberSet;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use symex_terms::{
    ArrayKind, BinOp, Expr, Kind, Pool, Symbol, TermOperand, UnOp, Var, Width, mask,
};

/// Width of the widest word: products of its values with small numbers must fit into 128 bits.
const MAX_WIDTH: Width = 120;
/// Greatest number of nodes of a query that are searched for words.
const MAX_NODES: usize = 2_000;
/// Greatest number of inputs of a query that is searched for words. A query that reads a large
/// object has an input for each byte of it that was never written.
const MAX_INPUTS: usize = 1_000;
/// Number of elements of the longest table that is examined.
const MAX_TABLE: usize = 4_096;
/// Greatest number of terms visited below one condition, counting repetitions.
const MAX_STEPS: u32 = 400;

/// A word: one input, or a concatenation of several, of which remainders are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// Inputs, each with the position of its lowest bit and its width, lowest first.
    parts: Vec<(Var, Width, Width)>,
    width: Width,
}

impl Word {
    /// Reads a term as an input, or a concatenation of several.
    fn of(pool: &Pool, e: Expr) -> Option<Word> {
        let mut parts: Vec<(Var, Width, Width)> = Vec::new();
        let mut width = 0;
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match pool.kind(e) {
                Kind::Var(v) if parts.iter().all(|(other, ..)| *other != v) => {
                    parts.push((v, width, pool.width(e)));
                    width += pool.width(e);
                }
                Kind::Concat { hi, lo } => stack.extend([hi, lo]),
                _ => return None,
            }
        }
        (width <= MAX_WIDTH).then_some(Word { parts, width })
    }

    /// Returns the words of some conditions: the widest ones that occur, and each other input
    /// alone; none if the inputs are too many.
    pub fn all(pool: &Pool, conditions: &[Expr]) -> Vec<Word> {
        let mut candidates = Vec::new();
        let mut inputs: Vec<Var> = Vec::new();
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut stack = Vec::new();
        for c in conditions {
            let symbols = pool.support(*c).iter();
            inputs.extend(symbols.filter_map(|s| match s {
                Symbol::Var(v) => Some(*v),
                Symbol::Base(_) => None,
            }));
            if pool.support(*c).len() > 1 {
                stack.push(*c);
            }
        }
        while let Some(e) = stack.pop() {
            if pool.support(e).len() < 2 || !seen.insert(e) || seen.len() > MAX_NODES {
                continue;
            }
            if let Kind::Concat { .. } = pool.kind(e)
                && let Some(word) = Word::of(pool, e)
            {
                candidates.push(word);
            }
            pool.operands(e, |o| {
                if let TermOperand::Term(t) = o {
                    stack.push(t);
                }
            });
        }
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.len() > MAX_INPUTS {
            return Vec::new();
        }
        candidates.sort_by_key(|w| std::cmp::Reverse(w.width));
        let mut words: Vec<Word> = Vec::new();
        for word in candidates {
            if words.iter().all(|other| other.is_apart(&word)) {
                words.push(word);
            }
        }
        inputs.retain(|v| words.iter().all(|w| !w.has(*v)));
        for v in inputs {
            let width = pool.var_info(v).width;
            if width <= MAX_WIDTH {
                words.push(Word {
                    parts: vec![(v, 0, width)],
                    width,
                });
            }
        }
        words
    }

    fn has(&self, var: Var) -> bool {
        self.parts.iter().any(|p| p.0 == var)
    }

    fn is_apart(&self, other: &Word) -> bool {
        self.parts.iter().all(|p| !other.has(p.0))
    }

    /// Reports whether a condition depends on this word alone.
    pub fn decides(&self, pool: &Pool, condition: Expr) -> bool {
        let symbols = pool.support(condition);
        symbols
            .iter()
            .all(|s| matches!(s, Symbol::Var(v) if self.has(*v)))
    }

    /// Returns one more than the greatest value.
    pub fn end(&self) -> u128 {
        1 << self.width
    }

    /// Returns the value of the word for given values of the inputs.
    pub fn value(&self, of: impl Fn(Var) -> u128) -> u128 {
        self.parts
            .iter()
            .fold(0, |sum, (v, lo, _)| sum | of(*v) << lo)
    }

    /// Returns the values of the inputs for a value of the word.
    pub fn inputs(&self, value: u128) -> impl Iterator<Item = (Var, u128)> {
        let parts = self.parts.iter();
        parts.map(move |(v, lo, width)| (*v, value >> lo & mask(*width)))
    }

    /// Returns lowest bit and width of a term that is a slice of the word.
    fn segment(&self, pool: &Pool, e: Expr) -> Option<(Width, Width)> {
        let width = pool.width(e);
        match pool.kind(e) {
            Kind::Var(v) => {
                let part = self.parts.iter().find(|p| p.0 == v);
                part.map(|(_, lo, width)| (*lo, *width))
            }
            Kind::Extract { of, lo } => self.segment(pool, of).map(|at| (at.0 + lo, width)),
            Kind::Concat { hi, lo } => {
                let (low, high) = (self.segment(pool, lo)?, self.segment(pool, hi)?);
                (low.0 + low.1 == high.0).then_some((low.0, width))
            }
            _ => None,
        }
    }

    /// Translates a condition over the word's inputs to a formula about the word's remainders,
    /// which holds at least where the condition does. `None` if that is trivial.
    pub fn see(&self, pool: &Pool, condition: Expr) -> Option<Formula> {
        let view = ConditionView {
            word: self,
            pool,
            budget: Cell::new(MAX_STEPS),
        };
        let formula = view.condition(condition, true);
        (!matches!(formula, Formula::Constant(true))).then_some(formula)
    }
}

/// Lower bits of a quotient, which are all of its bits where the dividend is small.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The lower bits, zero-extended.
    term: Expr,
    quotient: Expr,
    /// Number of bits.
    width: Width,
}

impl Cut {
    /// Returns all cuts in a condition.
    pub fn all(pool: &Pool, condition: Expr) -> Vec<Cut> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut stack = vec![condition];
        while let Some(e) = stack.pop() {
            if !seen.insert(e) || seen.len() > MAX_NODES {
                continue;
            }
            if let Kind::ZExt(term) = pool.kind(e)
                && let Kind::Extract { of, lo: 0 } = pool.kind(term)
                && let Kind::Bin(BinOp::UDiv, ..) = pool.kind(of)
            {
                found.push(Cut {
                    term: e,
                    quotient: of,
                    width: pool.width(term),
                });
            }
            pool.operands(e, |o| {
                if let TermOperand::Term(t) = o {
                    stack.push(t);
                }
            });
        }
        found
    }

    /// Returns the extended lower bits, and the whole quotient in the same width, if they are equal
    /// where the word is below `end`.
    pub fn is_whole(&self, pool: &mut Pool, word: &Word, end: u128) -> Option<(Expr, Expr)> {
        let most = word.most(pool, self.quotient, end);
        let whole = most <= mask(self.width);
        whole.then(|| (self.term, pool.resize(self.quotient, pool.width(self.term))))
    }
}

impl Word {
    /// Returns an upper bound of a term where the word is below `end`.
    fn most(&self, pool: &Pool, e: Expr, end: u128) -> u128 {
        let known = pool.facts(e).max;
        let most = match (pool.kind(e), self.segment(pool, e)) {
            (_, Some((lo, width))) if lo + width == self.width => end.saturating_sub(1) >> lo,
            (Kind::Bin(BinOp::UDiv, a, c), _) => match pool.as_const(c) {
                Some(c) if c > 0 => self.most(pool, a, end) / c,
                _ => known,
            },
            (Kind::ZExt(a), _) => self.most(pool, a, end),
            _ => known,
        };
        most.min(known)
    }
}

/// Translation of one condition.
struct ConditionView<'a> {
    word: &'a Word,
    pool: &'a Pool,
    /// Number of terms that may still be visited.
    budget: Cell<u32>,
}

impl ConditionView<'_> {
    fn step(&self) -> Option<()> {
        self.budget.set(self.budget.get().checked_sub(1)?);
        Some(())
    }

    fn condition(&self, e: Expr, positive: bool) -> Formula {
        let pool = self.pool;
        if self.step().is_none() {
            return UNSEEN;
        }
        let both = |a, b| Formula::All(vec![a, b]);
        let either = |a, b| Formula::Any(vec![a, b]);
        let half = |e, positive| self.condition(e, positive);
        match pool.kind(e) {
            Kind::Un(UnOp::Not, a) => half(a, !positive),
            Kind::Bin(BinOp::And, a, b) | Kind::Bin(BinOp::Or, a, b) => {
                let is_and = matches!(pool.kind(e), Kind::Bin(BinOp::And, ..));
                match is_and == positive {
                    true => both(half(a, positive), half(b, positive)),
                    false => either(half(a, positive), half(b, positive)),
                }
            }
            Kind::Bin(BinOp::Xor, a, b) => either(
                both(half(a, true), half(b, !positive)),
                both(half(a, false), half(b, positive)),
            ),
            Kind::Ite { cond, then, other } => either(
                both(half(cond, true), half(then, positive)),
                both(half(cond, false), half(other, positive)),
            ),
            Kind::Bin(op, a, b) if op.is_predicate() && !op.is_float() => {
                match compared(pool, op, a, b) {
                    Some((of, values)) => self.is_among(of, values, positive).unwrap_or(UNSEEN),
                    None => self.order(op, a, b, positive),
                }
            }
            _ => {
                let one = NumberSet::once([(1, 2)]);
                let seen = one.and_then(|one| self.is_among(e, one, positive));
                seen.unwrap_or(UNSEEN)
            }
        }
    }

    fn is_among(&self, of: Expr, values: NumberSet, positive: bool) -> Option<Formula> {
        match positive {
            true => self.term(of, &values),
            false => self.term(of, &values.complement(end(self.pool, of)?)?),
        }
    }

    /// Translates a comparison of two terms to bounds on each: it is on the right side of the
    /// other's range.
    fn order(&self, op: BinOp, a: Expr, b: Expr, positive: bool) -> Formula {
        let (fa, fb) = (self.pool.facts(a), self.pool.facts(b));
        let width = self.pool.width(a);
        let unsigned = || fa.is_nonnegative(width) && fb.is_nonnegative(width);
        let strict = match op {
            BinOp::Eq if positive => {
                let low = self.at_most(a, b, false);
                return Formula::All(vec![low, self.at_most(b, a, false)]);
            }
            BinOp::ULt => true,
            BinOp::ULe => false,
            BinOp::SLt if unsigned() => true,
            BinOp::SLe if unsigned() => false,
            _ => return UNSEEN,
        };
        match positive {
            true => self.at_most(a, b, strict),
            false => self.at_most(b, a, !strict),
        }
    }

    fn at_most(&self, a: Expr, b: Expr, strict: bool) -> Formula {
        let (fa, fb) = (self.pool.facts(a), self.pool.facts(b));
        let low = || {
            let end = match strict {
                true => fb.max,
                false => fb.max.checked_add(1)?,
            };
            self.term(a, &NumberSet::once([(0, end)])?)
        };
        let high = || {
            let first = fa.min.checked_add(u128::from(strict))?;
            self.term(b, &NumberSet::once([(first, end(self.pool, b)?)])?)
        };
        Formula::All(vec![low().unwrap_or(UNSEEN), high().unwrap_or(UNSEEN)])
    }

    /// Translates the condition that a term's value is in a set.
    fn term(&self, e: Expr, values: &NumberSet) -> Option<Formula> {
        self.step()?;
        let pool = self.pool;
        let width = pool.width(e);
        if let Some((lo, width)) = self.word.segment(pool, e) {
            let low = match lo + width < self.word.width {
                true => values.of_remainder(1 << width)?,
                false => values.below(1 << width)?,
            };
            let all = low.of_quotient(1 << lo)?.below(self.word.end())?;
            return Some(Formula::Atom(all));
        }
        let values = &values.below(end(pool, e)?)?;
        let on = |of: Expr, values: Option<NumberSet>| {
            let values = values?;
            self.term(of, &values)
        };
        match pool.kind(e) {
            Kind::Const(v) => Some(Formula::Constant(values.at(v).0)),
            Kind::ZExt(a) => on(a, Some(values.clone())),
            Kind::SExt(a) => self.sign_extended(a, width, values),
            Kind::Extract { of, lo } => {
                let cut = modulus(lo + width).is_some_and(|m| pool.facts(of).max >= m);
                let low = match cut {
                    true => values.of_remainder(1 << width)?,
                    false => values.clone(),
                };
                on(of, low.of_quotient(1 << lo))
            }
            Kind::Concat { hi, lo } => self.concatenation(hi, lo, values),
            Kind::Un(UnOp::Not, a) => on(a, values.of_reflection(mask(width))),
            Kind::Ite { cond, then, other } => {
                let chosen = |way, of| {
                    let cond = self.condition(cond, way);
                    Some(Formula::All(vec![cond, on(of, Some(values.clone()))?]))
                };
                Some(Formula::Any(vec![
                    chosen(true, then)?,
                    chosen(false, other)?,
                ]))
            }
            Kind::Select { array, index } => {
                let ArrayKind::Table(elements) = pool.array_kind(array) else {
                    return None;
                };
                if elements.len() > MAX_TABLE {
                    return None;
                }
                let mut places = vec![(elements.len() as u128, end(pool, index)?)];
                for (i, element) in (0..).zip(elements.iter()) {
                    if values.at(pool.as_const(*element)?).0 {
                        // Neighbours are one range.
                        match places.last_mut() {
                            Some(last) if last.1 == i => last.1 = i + 1,
                            _ => places.push((i, i + 1)),
                        }
                    }
                }
                on(index, NumberSet::once(places))
            }
            Kind::Bin(op, a, b) => self.operation((op, a, b), values),
            _ => None,
        }
    }

    fn operation(&self, (op, a, b): (BinOp, Expr, Expr), values: &NumberSet) -> Option<Formula> {
        let on = |of: Expr, values: Option<NumberSet>| {
            let values = values?;
            self.term(of, &values)
        };
        let pool = self.pool;
        let width = pool.width(a);
        if width > MAX_WIDTH {
            return None;
        }
        if op == BinOp::Sub
            && let Some(c) = pool.as_const(a)
        {
            let mirrored = match pool.facts(b).max <= c {
                true => values.of_reflection(c),
                false => values.of_remainder(modulus(width)?)?.of_reflection(c),
            };
            return on(b, mirrored);
        }
        let c = pool.as_const(b)?;
        let positive = || pool.facts(a).is_nonnegative(width) && c >> (width - 1) == 0;
        match op {
            BinOp::Add => {
                let wraps = modulus(width)?.checked_sub(c)?;
                if pool.facts(a).max < wraps {
                    return on(a, values.of_sum(c));
                }
                if pool.facts(a).min >= wraps {
                    return on(a, values.of_difference(wraps));
                }
                let part = |range: (u128, u128), values: Option<NumberSet>| {
                    let range = on(a, NumberSet::once([range]))?;
                    Some(Formula::All(vec![range, on(a, values)?]))
                };
                let low = part((0, wraps), values.of_sum(c))?;
                let high = part((wraps, end(pool, a)?), values.of_difference(wraps))?;
                Some(Formula::Any(vec![low, high]))
            }
            BinOp::Mul if c > 0 => self.product(a, c, values),
            BinOp::Shl if c < u128::from(width) => self.product(a, 1 << c, values),
            BinOp::UDiv if c > 0 => on(a, values.of_quotient(c)),
            BinOp::LShr if c < u128::from(width) => on(a, values.of_quotient(1 << c)),
            BinOp::URem if c > 0 => on(a, values.of_remainder(c)),
            BinOp::SDiv if c > 0 && positive() => on(a, values.of_quotient(c)),
            BinOp::SRem if c > 0 && positive() => on(a, values.of_remainder(c)),
            BinOp::And if c & (c + 1) == 0 => on(a, values.of_remainder(c + 1)),
            // All but the lowest bits.
            BinOp::And if c + (c & c.wrapping_neg()) - 1 == mask(width) => {
                let low = c & c.wrapping_neg();
                on(a, values.of_product(low)?.of_quotient(low))
            }
            _ => None,
        }
    }

    fn product(&self, of: Expr, factor: u128, values: &NumberSet) -> Option<Formula> {
        let pool = self.pool;
        let most = pool.facts(of).max.checked_mul(factor);
        let values = match modulus(pool.width(of)) {
            Some(end) if most.is_none_or(|most| most >= end) => values.of_remainder(end)?,
            None if most.is_none() => return None,
            _ => values.clone(),
        };
        self.term(of, &values.of_product(factor)?)
    }

    fn sign_extended(&self, of: Expr, width: Width, values: &NumberSet) -> Option<Formula> {
        let pool = self.pool;
        let narrow = pool.width(of);
        if pool.facts(of).is_nonnegative(narrow) {
            return self.term(of, values);
        }
        let half = 1u128 << (narrow - 1);
        let added = mask(width) - mask(narrow);
        let part = |range, values: Option<NumberSet>| {
            let sign = self.term(of, &NumberSet::once([range])?)?;
            Some(Formula::All(vec![sign, self.term(of, &values?)?]))
        };
        Some(Formula::Any(vec![
            part((0, half), Some(values.clone()))?,
            part((half, 2 * half), values.of_sum(added))?,
        ]))
    }

    fn concatenation(&self, hi: Expr, lo: Expr, values: &NumberSet) -> Option<Formula> {
        let pool = self.pool;
        let low = 1u128.checked_shl(pool.width(lo))?;
        if let Some(c) = pool.as_const(lo) {
            return self.term(hi, &values.of_sum(c)?.of_product(low)?);
        }
        if let Some(c) = pool.as_const(hi) {
            return self.term(lo, &values.of_sum(c.checked_mul(low)?)?);
        }
        // One value is one of each half.
        let value = values.only()?;
        let is = |of, v: u128| self.term(of, &NumberSet::once([(v, v + 1)])?);
        Some(Formula::All(vec![
            is(hi, value / low)?,
            is(lo, value % low)?,
        ]))
    }
}

/// A condition about the remainders of one number.
#[derive(Clone, Debug)]
pub enum Formula {
    Constant(bool),
    Atom(NumberSet),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Formula {
    /// Returns an upper bound (exclusive) of the numbers that satisfy the formula, if one is
    /// evident.
    pub fn end(&self) -> Option<u128> {
        match self {
            Formula::Atom(set) => set.end(),
            Formula::All(parts) => parts.iter().filter_map(Formula::end).min(),
            Formula::Constant(_) | Formula::Any(_) => None,
        }
    }
}

/// Formula of a condition that cannot be translated: it may be true.
const UNSEEN: Formula = Formula::Constant(true);

/// Returns one more than the greatest value of a term.
fn end(pool: &Pool, e: Expr) -> Option<u128> {
    pool.facts(e).max.checked_add(1)
}

/// Returns the modulus at which terms of a width wrap.
fn modulus(width: Width) -> Option<u128> {
    1u128.checked_shl(width)
}

/// Reads a comparison with a constant: returns the term, and the values for which it is true.
fn compared(pool: &Pool, op: BinOp, a: Expr, b: Expr) -> Option<(Expr, NumberSet)> {
    let width = pool.width(a);
    let end = modulus(width)?;
    let half = end / 2;
    // Values of the left, or of the right operand, for which it is true.
    let (of, c, left) = match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(c)) => (a, c, true),
        (Some(c), None) => (b, c, false),
        _ => return None,
    };
    // Unsigned bounds of the values from the least to below `c`, and of those above it, for either
    // order.
    let unsigned = |below: bool, also: bool| match below {
        true => vec![(0, c + u128::from(also))],
        false => vec![(c + u128::from(!also), end)],
    };
    let signed = |below: bool, also: bool| {
        // Seen from the least number, in which order they are as unsigned ones.
        let c = (c + half) % end;
        let (lo, hi) = match below {
            true => (0, c + u128::from(also)),
            false => (c + u128::from(!also), end),
        };
        vec![
            (lo.min(half) + half, hi.min(half) + half),
            (lo.max(half) - half, hi.max(half) - half),
        ]
    };
    let ranges = match op {
        BinOp::Eq => vec![(c, c + 1)],
        BinOp::ULt => unsigned(left, false),
        BinOp::ULe => unsigned(left, true),
        BinOp::SLt => signed(left, false),
        BinOp::SLe => signed(left, true),
        BinOp::UMulO if c > 0 => vec![(end.div_ceil(c), end)],
        _ => return None,
    };
    Some((of, NumberSet::once(ranges)?))
}
