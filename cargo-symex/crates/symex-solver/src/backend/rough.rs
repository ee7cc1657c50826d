//! Selection of the terms that an abstract ("rough") encoding leaves open.
//!
//! A hash mixes its input until no solver sees through it; but most queries about a hash map have
//! the same answer for any hash. So a query with such terms is asked first with a fresh variable in
//! place of each of them. Then `Unsat` is right, and `Sat` is a hint: the actual value of an open
//! term is left to random search (`sample`).

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use symex_terms::{Array, BinOp, Expr, Kind, Pool, TermOperand, mask};

/// Limits from which on a term counts as mixed.
#[derive(Clone, Copy, Debug)]
pub struct MixedLimits {
    /// Number of arithmetic operators above the inputs from which on a term is mixed. An operator
    /// that occurs twice counts twice.
    pub operators: u32,
    /// Numbers below this are never mixed, however they were computed: they are indices into tables
    /// and the like.
    pub small: u128,
}

impl MixedLimits {
    /// Usual limits. Three rounds of SipHash have thousands of operators, sums and products of some
    /// inputs tens.
    pub const USUAL: MixedLimits = MixedLimits {
        operators: 512,
        small: 1 << 16,
    };
}

/// Greatest width of numbers of which one product does not mix them.
const WIDE: u32 = 32;
/// Least number of powers of two in a factor that mixes.
const DENSE: u32 = 10;
/// `DENSE` for a factor that is multiplied by repeatedly.
const SCATTERED: u32 = 5;

/// Remembered properties of a term.
#[derive(Clone, Copy, Default)]
struct Mixture {
    /// Number of arithmetic operators in the term, at most the limit's, without those of
    /// conditions, of indices, and of small numbers.
    operators: u32,
    /// Whether the term is left open.
    open: bool,
    /// Whether the term or a subterm is left open.
    opens: bool,
}

/// Amount of arithmetic in the terms of one pool.
pub(super) struct Mixing {
    limits: MixedLimits,
    known: FxHashMap<Expr, Mixture>,
    /// For each array, whether some subterm is open.
    arrays: FxHashMap<Array, bool>,
    parts: FxHashMap<Expr, Rc<[(Expr, u128)]>>,
}

impl Mixing {
    /// Starts with nothing remembered.
    pub fn new(limits: MixedLimits) -> Self {
        Mixing {
            limits,
            known: FxHashMap::default(),
            arrays: FxHashMap::default(),
            parts: FxHashMap::default(),
        }
    }

    /// Reports whether a term is to be left open. It is where mixed terms meet, or where one is
    /// multiplied. Terms computed from the result (an index into a table, a distance) are encoded
    /// exactly.
    pub fn opens(&mut self, pool: &Pool, e: Expr) -> bool {
        self.mixture(pool, e).open
    }

    /// Reports whether a term contains so much arithmetic that it counts as mixed, open or not.
    pub fn is_mixed(&mut self, pool: &Pool, e: Expr) -> bool {
        self.mixture(pool, e).operators >= self.limits.operators
    }

    /// Returns the outermost subterms of a term that are to be left open, each with the bits of it
    /// that are used; sorted.
    pub fn open_parts(&mut self, pool: &Pool, root: Expr) -> Rc<[(Expr, u128)]> {
        if let Some(known) = self.parts.get(&root) {
            return known.clone();
        }
        let mut found: FxHashMap<Expr, u128> = FxHashMap::default();
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut seen_arrays: FxHashSet<Array> = FxHashSet::default();
        let mut stack = vec![root];
        while let Some(e) = stack.pop() {
            let mixture = self.mixture(pool, e);
            if mixture.open {
                *found.entry(e).or_default() |= mask(pool.width(e));
                continue;
            }
            if !mixture.opens || !seen.insert(e) {
                continue;
            }
            if let Kind::Extract { of, lo } = pool.kind(e)
                && self.opens(pool, of)
            {
                *found.entry(of).or_default() |= mask(pool.width(e)) << lo;
                continue;
            }
            let mut arrays: Vec<Array> = Vec::new();
            pool.operands(e, |operand| sort_out(operand, &mut stack, &mut arrays));
            while let Some(array) = arrays.pop() {
                if self.arrays[&array] && seen_arrays.insert(array) {
                    pool.array_operands(array, |part| sort_out(part, &mut stack, &mut arrays));
                }
            }
        }
        let mut found: Vec<(Expr, u128)> = found.into_iter().collect();
        found.sort_unstable();
        let found: Rc<[(Expr, u128)]> = found.into();
        self.parts.insert(root, found.clone());
        found
    }

    fn mixture(&mut self, pool: &Pool, root: Expr) -> Mixture {
        let mut stack = vec![(TermOperand::Term(root), false)];
        while let Some((item, ready)) = stack.pop() {
            let known = match item {
                TermOperand::Term(e) => self.known.contains_key(&e),
                TermOperand::Array(a) => self.arrays.contains_key(&a),
            };
            if known {
                continue;
            }
            if !ready {
                stack.push((item, true));
                each_operand(pool, item, |part| stack.push((part, false)));
                continue;
            }
            match item {
                TermOperand::Term(e) => {
                    let mixture = self.mix(pool, e);
                    self.known.insert(e, mixture);
                }
                TermOperand::Array(a) => {
                    let mut opens = false;
                    each_operand(pool, item, |part| opens |= self.opened_in(part));
                    self.arrays.insert(a, opens);
                }
            }
        }
        self.known[&root]
    }

    /// Reports whether a subterm of an operand, which is known, is to be left open.
    fn opened_in(&self, part: TermOperand) -> bool {
        match part {
            TermOperand::Term(e) => self.known[&e].opens,
            TermOperand::Array(a) => self.arrays[&a],
        }
    }

    /// Computes the properties of a term from those of its operands.
    fn mix(&self, pool: &Pool, e: Expr) -> Mixture {
        let mut all = Mixture::default();
        each_operand(pool, TermOperand::Term(e), |part| {
            all.opens |= self.opened_in(part);
            if let TermOperand::Term(e) = part {
                all.operators += self.operators(e);
            }
        });
        match pool.kind(e) {
            Kind::Bin(op, ..) if op.is_predicate() || op.is_float() => all.operators = 0,
            Kind::Select { .. } => all.operators = 0,
            _ if pool.facts(e).max < self.limits.small => all.operators = 0,
            Kind::Bin(BinOp::Mul, a, b) if is_dense(pool, a, b) => {
                all.operators = self.limits.operators;
                all.open = true;
                all.opens = true;
            }
            Kind::Bin(op, a, b) => {
                // A product is a sum in which the number occurs that often; for units and sizes it
                // is left at one.
                let times = match (op, pool.as_const(b)) {
                    (BinOp::Mul, Some(c)) if summands(c) >= SCATTERED && !is_unit(c) => summands(c),
                    _ => 1,
                };
                all.operators = all.operators.saturating_add(1).saturating_mul(times);
                all.operators = all.operators.min(self.limits.operators);
                let [a, b] = [a, b].map(|e| self.operators(e) >= self.limits.operators);
                let plain = matches!(
                    op,
                    BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor
                );
                all.open = a && b
                    || (a || b) && !plain
                    || times > 1 && all.operators == self.limits.operators;
                all.opens |= all.open;
            }
            _ => all.operators = all.operators.min(self.limits.operators),
        }
        all
    }

    /// Returns the number of operators of an operand, which is known if it is not constant.
    fn operators(&self, e: Expr) -> u32 {
        self.known.get(&e).map_or(0, |known| known.operators)
    }
}

/// Calls `f` for each operand that is not constant.
fn each_operand(pool: &Pool, item: TermOperand, mut f: impl FnMut(TermOperand)) {
    let open = |part: TermOperand| match part {
        TermOperand::Term(e) if pool.as_const(e).is_some() => {}
        part => f(part),
    };
    match item {
        TermOperand::Term(e) => pool.operands(e, open),
        TermOperand::Array(a) => pool.array_operands(a, open),
    }
}

/// Reports whether a product is one as hashes use them: of a wide number and a constant that adds
/// it up at many positions, or a full one of two words. One product of 32 bits is left to the
/// solver, which takes a millisecond for it.
fn is_dense(pool: &Pool, a: Expr, b: Expr) -> bool {
    let width = pool.width(a);
    match pool.as_const(a).or(pool.as_const(b)) {
        Some(c) => width > WIDE && summands(c) >= DENSE && !is_unit(c),
        None => {
            let word = 1u128 << WIDE;
            width >= 4 * WIDE && pool.facts(a).max >= word && pool.facts(b).max >= word
        }
    }
}

/// Returns how many powers of two must be added or subtracted to get a number: the nonzero digits
/// of its non-adjacent form.
fn summands(c: u128) -> u32 {
    (c ^ c.wrapping_mul(3)).count_ones()
}

/// Reports whether a number is a unit that people count in: a power of ten, the parts of a day, and
/// the like. Such numbers are even products of small primes, by which no hash would multiply; and
/// code that multiplies by them also divides by them.
fn is_unit(c: u128) -> bool {
    let mut rest = c >> c.trailing_zeros().min(127);
    for prime in [3, 5, 7] {
        while rest > 1 && rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    c.is_multiple_of(2) && rest == 1
}

fn sort_out(part: TermOperand, terms: &mut Vec<Expr>, arrays: &mut Vec<Array>) {
    match part {
        TermOperand::Term(e) => terms.push(e),
        TermOperand::Array(a) => arrays.push(a),
    }
}
