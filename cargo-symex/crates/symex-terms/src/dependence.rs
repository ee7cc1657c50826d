//! Dependence of terms on unwritten memory.

use super::node::*;
use super::pool::Pool;
use super::visit::TermOperand;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Greatest length of an array whose elements are told apart.
const LONGEST: u64 = 1 << 12;

/// What is known of terms and arrays so far.
#[derive(Default)]
struct Dependence {
    terms: FxHashMap<Expr, Expr>,
    /// Arrays with a bit for each element; `None`: any element may depend on unwritten memory.
    arrays: FxHashMap<Array, Option<Array>>,
}

impl Pool {
    /// Makes a condition that holds wherever a term's value depends on unwritten memory. It is
    /// about what is selected, by a condition or by an index, and may hold where an operator hides
    /// what it is given. It mentions no unwritten memory, but where that decides what is selected.
    pub fn reads_unwritten(&mut self, e: Expr) -> Expr {
        let mut known = Dependence::default();
        let mut stack = vec![(TermOperand::Term(e), false)];
        while let Some((operand, ready)) = stack.pop() {
            let done = match operand {
                TermOperand::Term(e) => !self.has_uninit(e) || known.terms.contains_key(&e),
                TermOperand::Array(a) => !self.is_unwritten(a) || known.arrays.contains_key(&a),
            };
            if done {
                continue;
            }
            match operand {
                TermOperand::Term(e) if ready => {
                    let condition = self.condition_of(e, &known);
                    known.terms.insert(e, condition);
                }
                TermOperand::Term(e) => {
                    stack.push((operand, true));
                    self.operands(e, |o| stack.push((o, false)));
                }
                TermOperand::Array(a) if ready => {
                    let bits = self.bits_of(a, &known);
                    known.arrays.insert(a, bits);
                }
                TermOperand::Array(a) => {
                    stack.push((operand, true));
                    if self.array_shape(a).1 <= LONGEST {
                        self.array_operands(a, |o| stack.push((o, false)));
                    }
                }
            }
        }
        self.known_condition(e, &known)
    }

    fn is_unwritten(&self, a: Array) -> bool {
        self.arrays[a.index()].properties.has_uninit
    }

    fn known_condition(&mut self, e: Expr, known: &Dependence) -> Expr {
        match self.has_uninit(e) {
            true => known.terms[&e],
            false => self.bool(false),
        }
    }

    /// Makes the condition of a term, by those of its operands.
    fn condition_of(&mut self, e: Expr, known: &Dependence) -> Expr {
        match self.kind(e) {
            Kind::Var(_) => self.bool(true),
            Kind::Ite { cond, then, other } => {
                let then = self.known_condition(then, known);
                let other = self.known_condition(other, known);
                let chosen = self.ite(cond, then, other);
                let cond = self.known_condition(cond, known);
                self.or(cond, chosen)
            }
            Kind::Select { array, index } => {
                let element = match self.is_unwritten(array) {
                    true => match known.arrays[&array] {
                        Some(bits) => self.select(bits, index),
                        None => self.bool(true),
                    },
                    false => self.bool(false),
                };
                let index = self.known_condition(index, known);
                self.or(index, element)
            }
            _ => {
                let mut operands = Vec::new();
                self.operands(e, |operand| operands.push(operand));
                let mut any = self.bool(false);
                for operand in operands {
                    if let TermOperand::Term(operand) = operand {
                        let condition = self.known_condition(operand, known);
                        any = self.or(any, condition);
                    }
                }
                any
            }
        }
    }

    /// Makes an array with the condition of each element; `None` if it would be too long, or if
    /// unwritten memory decides which element is written.
    fn bits_of(&mut self, a: Array, known: &Dependence) -> Option<Array> {
        let (_, length) = self.array_shape(a);
        if length > LONGEST {
            return None;
        }
        match self.array_kind(a).clone() {
            ArrayKind::Table(elements) => {
                let bits = elements.iter().map(|e| self.known_condition(*e, known));
                let bits: Arc<[Expr]> = bits.collect();
                Some(self.table(bits))
            }
            ArrayKind::Store {
                array,
                index,
                value,
            } => {
                if self.has_uninit(index) {
                    return None;
                }
                let below = match self.is_unwritten(array) {
                    true => known.arrays[&array]?,
                    false => {
                        let no = self.bool(false);
                        self.table(vec![no; length as usize].into())
                    }
                };
                let value = self.known_condition(value, known);
                Some(self.store(below, index, value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assignment::{Assignment, NoAddresses};
    use crate::op::BinOp;
    use symex_types::splitmix::Random;

    fn input(pool: &mut Pool, input: u32, width: Width) -> Expr {
        pool.var(VarInfo {
            name: "x".into(),
            width,
            origin: Origin::Input { input, part: 0 },
        })
    }

    fn unwritten(pool: &mut Pool, offset: u64) -> Expr {
        pool.var(VarInfo {
            name: "u".into(),
            width: 4,
            origin: Origin::Uninit {
                object: None,
                offset,
            },
        })
    }

    #[test]
    fn a_side_that_is_not_chosen_does_not_count() {
        let mut pool = Pool::new();
        let (cond, x) = (input(&mut pool, 0, 1), input(&mut pool, 1, 4));
        let u = unwritten(&mut pool, 0);
        let chosen = pool.ite(cond, x, u);
        let sum = pool.add(chosen, x);
        assert_eq!(pool.reads_unwritten(sum), pool.not(cond));
        assert_eq!(pool.reads_unwritten(x), pool.bool(false));
    }

    /// Makes a random term over some others, all of four bits.
    fn term(pool: &mut Pool, random: &mut Random, leaves: &[Expr], depth: u32) -> Expr {
        if depth == 0 || random.below(8) == 0 {
            return leaves[random.below(leaves.len() as u64) as usize];
        }
        let part = |pool: &mut Pool, random: &mut Random| term(pool, random, leaves, depth - 1);
        let (a, b) = (part(pool, random), part(pool, random));
        match random.below(5) {
            0 => pool.add(a, b),
            1 => pool.and(a, b),
            2 => {
                let c = part(pool, random);
                let less = pool.bin(BinOp::ULt, a, b);
                pool.ite(less, b, c)
            }
            3 => {
                let low = pool.extract(a, 0, 2);
                pool.zext(low, 4)
            }
            _ => {
                let others = [part(pool, random), part(pool, random)];
                let array = pool.table([a, b, others[0], others[1]].into());
                let at = pool.extract(others[0], 1, 2);
                let at = pool.zext(at, 64);
                let array = match random.below(2) {
                    0 => array,
                    _ => {
                        let low = pool.extract(b, 0, 2);
                        let index = pool.zext(low, 64);
                        pool.store(array, index, others[1])
                    }
                };
                pool.select(array, at)
            }
        }
    }

    #[test]
    fn where_the_condition_fails_nothing_depends_on_unwritten_memory() {
        let mut random = Random::new(5);
        let mut independent = 0;
        for _ in 0..2_000 {
            let mut pool = Pool::new();
            let inputs = [0, 1, 2].map(|i| input(&mut pool, i, 4));
            let unwritten = [0, 1].map(|offset| unwritten(&mut pool, offset));
            let often = inputs.into_iter().cycle().take(9);
            let leaves: Vec<Expr> = often.chain(unwritten).collect();
            let e = term(&mut pool, &mut random, &leaves, 4);
            let condition = pool.reads_unwritten(e);
            let mut assignment = Assignment::default();
            let mut set = |pool: &Pool, assignment: &mut Assignment, leaves: &[Expr]| {
                for leaf in leaves {
                    if let Kind::Var(var) = pool.kind(*leaf) {
                        assignment.set(var, u128::from(random.below(16)));
                    }
                }
            };
            set(&pool, &mut assignment, &leaves);
            if pool.eval(condition, &assignment, &NoAddresses) == 1 {
                continue;
            }
            independent += 1;
            let value = pool.eval(e, &assignment, &NoAddresses);
            for _ in 0..8 {
                set(&pool, &mut assignment, &unwritten);
                assert_eq!(pool.eval(e, &assignment, &NoAddresses), value);
            }
        }
        assert!(independent > 300, "{independent}");
    }
}
