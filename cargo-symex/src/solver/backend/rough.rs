//! Which terms a rough encoding leaves open.
//!
//! A hash mixes its input until no solver sees through it; but most of what is asked of a hash map is true of any hash. So a
//! query with such terms is asked first with a variable of its own in place of each of them. Then "no" is right, and "yes"
//! is a hint: what an open term is really worth is left to chance (`sample`).

use crate::expr::{BinOp, Expr, Kind, Operand, Pool};
use rustc_hash::FxHashMap;

/// When a term counts as mixed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Operators of arithmetic above the inputs from which on it does; one that occurs twice counts twice.
    pub operators: u32,
    /// Numbers below this do not, whatever they were made of: they are places in tables and the like.
    pub small: u128,
}

impl Limits {
    /// Three rounds of SipHash have thousands of operators, sums and products of some inputs tens.
    pub const USUAL: Limits = Limits {
        operators: 512,
        small: 1 << 16,
    };
}

/// What is known of a term.
#[derive(Clone, Copy, Default)]
struct Mixture {
    /// Operators of arithmetic in it, at most the limit's: not those of conditions, of places, and of small numbers.
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
}

impl Mixing {
    /// Nothing is known yet.
    pub fn new(limits: Limits) -> Self {
        Mixing {
            limits,
            known: FxHashMap::default(),
        }
    }

    /// Is a term to be left open? It is where mixed terms meet, or where one is multiplied; what is made of the result (a
    /// place in a table, a distance) is said as it is.
    pub fn opens(&mut self, pool: &Pool, e: Expr) -> bool {
        self.mixture(pool, e).open
    }

    /// Is some part of a term to be left open?
    pub fn occurs_in(&mut self, pool: &Pool, e: Expr) -> bool {
        self.mixture(pool, e).opens
    }

    fn mixture(&mut self, pool: &Pool, root: Expr) -> Mixture {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.known.contains_key(&e) {
                continue;
            }
            if ready {
                let mixture = self.mix(pool, e);
                self.known.insert(e, mixture);
                continue;
            }
            stack.push((e, true));
            pool.operands(e, |operand| {
                if let Operand::Term(part) = operand {
                    stack.push((part, false));
                }
            });
        }
        self.known[&root]
    }

    /// From what is known of the operands.
    fn mix(&self, pool: &Pool, e: Expr) -> Mixture {
        let mut all = Mixture::default();
        pool.operands(e, |operand| {
            if let Operand::Term(part) = operand {
                all.operators += self.known[&part].operators;
                all.opens |= self.known[&part].opens;
            }
        });
        match pool.kind(e) {
            Kind::Bin(op, ..) if op.is_predicate() || op.is_float() => all.operators = 0,
            Kind::Select { .. } => all.operators = 0,
            _ if pool.facts(e).max < self.limits.small => all.operators = 0,
            Kind::Bin(op, a, b) => {
                all.operators = (all.operators + 1).min(self.limits.operators);
                let [a, b] =
                    [a, b].map(|part| self.known[&part].operators >= self.limits.operators);
                let plain = matches!(
                    op,
                    BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor
                );
                all.open = a && b || (a || b) && !plain;
                all.opens |= all.open;
            }
            _ => all.operators = all.operators.min(self.limits.operators),
        }
        all
    }
}
