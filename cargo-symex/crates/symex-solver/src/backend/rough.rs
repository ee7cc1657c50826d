//! Which terms a rough encoding leaves open.
//!
//! A hash mixes its input until no solver sees through it; but most of what is asked of a hash map
//! is true of any hash. So a query with such terms is asked first with a variable of its own in
//! place of each of them. Then "no" is right, and "yes" is a hint: what an open term is really
//! worth is left to chance (`sample`).

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use symex_terms::{Array, BinOp, Expr, Kind, Operand, Pool, mask};

/// When a term counts as mixed.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Operators of arithmetic above the inputs from which on it does; one that occurs twice counts
    /// twice.
    pub operators: u32,
    /// Numbers below this do not, whatever they were made of: they are places in tables and the
    /// like.
    pub small: u128,
}

impl Limits {
    /// Three rounds of SipHash have thousands of operators, sums and products of some inputs tens.
    pub const USUAL: Limits = Limits {
        operators: 512,
        small: 1 << 16,
    };
}

/// Width of numbers of which one product does not mix them; of wider ones it does.
const WIDE: u32 = 32;
/// Powers of two that a factor must consist of, at least, to mix.
const DENSE: u32 = 10;
/// Like `DENSE`, for a factor that is multiplied by again and again.
const SCATTERED: u32 = 5;

/// What is known of a term.
#[derive(Clone, Copy, Default)]
struct Mixture {
    /// Operators of arithmetic in it, at most the limit's: not those of conditions, of places, and
    /// of small numbers.
    operators: u32,
    /// Is it left open?
    open: bool,
    /// Is it, or some part of it?
    opens: bool,
}

/// How much arithmetic terms of one pool consist of.
pub(super) struct Mixing {
    limits: Limits,
    known: FxHashMap<Expr, Mixture>,
    /// For each array, whether some part is open.
    arrays: FxHashMap<Array, bool>,
    parts: FxHashMap<Expr, Rc<[(Expr, u128)]>>,
}

impl Mixing {
    /// Nothing is known yet.
    pub fn new(limits: Limits) -> Self {
        Mixing {
            limits,
            known: FxHashMap::default(),
            arrays: FxHashMap::default(),
            parts: FxHashMap::default(),
        }
    }

    /// Is a term to be left open? It is where mixed terms meet, or where one is multiplied; what is
    /// made of the result (a place in a table, a distance) is said as it is.
    pub fn opens(&mut self, pool: &Pool, e: Expr) -> bool {
        self.mixture(pool, e).open
    }

    /// Does so much arithmetic meet in a term that it counts as mixed, open or not?
    pub fn is_mixed(&mut self, pool: &Pool, e: Expr) -> bool {
        self.mixture(pool, e).operators >= self.limits.operators
    }

    /// The parts of a term that are to be left open and are not within another such part, each with
    /// the bits of it that are used; sorted.
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
        let mut stack = vec![(Operand::Term(root), false)];
        while let Some((item, ready)) = stack.pop() {
            let known = match item {
                Operand::Term(e) => self.known.contains_key(&e),
                Operand::Array(a) => self.arrays.contains_key(&a),
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
                Operand::Term(e) => {
                    let mixture = self.mix(pool, e);
                    self.known.insert(e, mixture);
                }
                Operand::Array(a) => {
                    let mut opens = false;
                    each_operand(pool, item, |part| opens |= self.opened_in(part));
                    self.arrays.insert(a, opens);
                }
            }
        }
        self.known[&root]
    }

    /// Is some part of an operand, which is known, to be left open?
    fn opened_in(&self, part: Operand) -> bool {
        match part {
            Operand::Term(e) => self.known[&e].opens,
            Operand::Array(a) => self.arrays[&a],
        }
    }

    /// From what is known of the operands.
    fn mix(&self, pool: &Pool, e: Expr) -> Mixture {
        let mut all = Mixture::default();
        each_operand(pool, Operand::Term(e), |part| {
            all.opens |= self.opened_in(part);
            if let Operand::Term(e) = part {
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

    /// The operators of an operand, which is known if it is no constant.
    fn operators(&self, e: Expr) -> u32 {
        self.known.get(&e).map_or(0, |known| known.operators)
    }
}

/// Calls `f` for each operand that is no constant.
fn each_operand(pool: &Pool, item: Operand, mut f: impl FnMut(Operand)) {
    let open = |part: Operand| match part {
        Operand::Term(e) if pool.as_const(e).is_some() => {}
        part => f(part),
    };
    match item {
        Operand::Term(e) => pool.operands(e, open),
        Operand::Array(a) => pool.array_operands(a, open),
    }
}

/// Is a product one as hashes use them: of a wide number and a constant that adds it up at many
/// places, or a full one of two words? One product of 32 bits is left to the solver, which takes a
/// millisecond for it.
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

/// How many powers of two must be added or subtracted to get a number: the digits of its
/// non-adjacent form that are not zero.
fn summands(c: u128) -> u32 {
    (c ^ c.wrapping_mul(3)).count_ones()
}

/// Is a number one of the units that people count in: a power of ten, the parts of a day, and the
/// like? Such are products of small primes and even, so that no hash would multiply by them; and
/// what does also divides by them.
fn is_unit(c: u128) -> bool {
    let mut rest = c >> c.trailing_zeros().min(127);
    for prime in [3, 5, 7] {
        while rest > 1 && rest.is_multiple_of(prime) {
            rest /= prime;
        }
    }
    c.is_multiple_of(2) && rest == 1
}

fn sort_out(part: Operand, terms: &mut Vec<Expr>, arrays: &mut Vec<Array>) {
    match part {
        Operand::Term(e) => terms.push(e),
        Operand::Array(a) => arrays.push(a),
    }
}
