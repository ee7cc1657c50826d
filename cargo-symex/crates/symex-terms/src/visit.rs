//! Walks over terms: operands and substitution.
//!
//! Invariant: substitution rebuilds through the smart constructors, so its result is simplified
//! like any other term. All walks are iterative: terms may be deeper than any stack. Values of
//! terms are in `eval`.

use super::assignment::AddressMap;
use super::node::*;
use super::pool::{Pool, SupportId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// A term or an array term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TermOperand {
    Term(Expr),
    Array(Array),
}

impl Pool {
    /// Calls `f` for each operand of a term, from left to right.
    pub fn operands(&self, e: Expr, mut f: impl FnMut(TermOperand)) {
        use TermOperand::{Array, Term};
        match self.kind(e) {
            Kind::Const(_) | Kind::Var(_) | Kind::Base { .. } => {}
            Kind::Un(_, a)
            | Kind::Extract { of: a, .. }
            | Kind::ZExt(a)
            | Kind::SExt(a)
            | Kind::FCast(_, a) => f(Term(a)),
            Kind::Bin(_, a, b) | Kind::Concat { hi: a, lo: b } => {
                f(Term(a));
                f(Term(b));
            }
            Kind::Ite {
                cond: a,
                then: b,
                other: c,
            }
            | Kind::Fma(a, b, c) => {
                f(Term(a));
                f(Term(b));
                f(Term(c));
            }
            Kind::Select { array, index } => {
                f(Array(array));
                f(Term(index));
            }
        }
    }

    /// Calls `f` for each operand of an array term.
    pub fn array_operands(&self, a: Array, mut f: impl FnMut(TermOperand)) {
        match self.array_kind(a) {
            ArrayKind::Table(elems) => elems.iter().for_each(|e| f(TermOperand::Term(*e))),
            ArrayKind::Store {
                array,
                index,
                value,
            } => {
                f(TermOperand::Array(*array));
                f(TermOperand::Term(*index));
                f(TermOperand::Term(*value));
            }
        }
    }

    /// Reports whether one of some terms is part of a term, or the term itself. It may fail to be
    /// found in a term of very many parts.
    pub fn mentions(&self, e: Expr, some: &[Expr]) -> bool {
        /// Greatest number of parts that are looked at.
        const MOST: usize = 4096;
        let Some(oldest) = some.iter().min() else {
            return false;
        };
        let mut seen: FxHashSet<TermOperand> = FxHashSet::default();
        let mut waiting = vec![TermOperand::Term(e)];
        while let Some(part) = waiting.pop() {
            if seen.len() == MOST || !seen.insert(part) {
                continue;
            }
            match part {
                TermOperand::Term(e) if some.contains(&e) => return true,
                // Operands are older than the terms they are in.
                TermOperand::Term(e) if e < *oldest => {}
                TermOperand::Term(e) => self.operands(e, |operand| waiting.push(operand)),
                TermOperand::Array(a) => self.array_operands(a, |operand| waiting.push(operand)),
            }
        }
        false
    }

    /// Replaces base addresses in a term by their values, as it is sent to a solver [RAM 2.2].
    pub fn substitute_addresses(&mut self, e: Expr, addresses: &dyn AddressMap) -> Expr {
        self.substitute_addresses_with(e, addresses, &mut AddressSubstitution::default())
    }

    /// Substitutes as [`Pool::substitute_addresses`] does, for many terms under one address map.
    /// `memo` must only ever be used with that map.
    pub fn substitute_addresses_with(
        &mut self,
        e: Expr,
        addresses: &dyn AddressMap,
        memo: &mut AddressSubstitution,
    ) -> Expr {
        if !self.has_base(e) {
            return e;
        }
        self.rewrite(e, &mut memo.0, |pool, operand| match operand {
            TermOperand::Term(e) if !pool.has_base(e) => Some(e),
            TermOperand::Term(e) => match pool.kind(e) {
                Kind::Base { object, .. } => {
                    Some(pool.constant(64, addresses.address(object) as u128))
                }
                _ => None,
            },
            TermOperand::Array(_) => None,
        })
    }

    /// Replaces every occurrence of a key in a term by its value, all at once. Keys and values
    /// agree in width.
    pub fn substitute(&mut self, e: Expr, map: &FxHashMap<Expr, Expr>) -> Expr {
        // Operands are older than the terms they are in.
        let Some(oldest) = map.keys().min().copied() else {
            return e;
        };
        debug_assert!(map.iter().all(|(k, v)| self.width(*k) == self.width(*v)));
        self.rewrite(e, &mut Memo::default(), |_, operand| match operand {
            TermOperand::Term(e) if e < oldest => Some(e),
            TermOperand::Term(e) => map.get(&e).copied(),
            TermOperand::Array(_) => None,
        })
    }

    /// Substitutes as [`Pool::substitute`] does, with the map of a [`Substitution`], which
    /// remembers results for subterms.
    pub fn substitute_with(&mut self, e: Expr, by: &mut Substitution) -> Expr {
        let Some(oldest) = by.oldest else {
            return e;
        };
        let map = &by.map;
        self.rewrite(e, &mut by.memo, |_, operand| match operand {
            TermOperand::Term(e) if e < oldest => Some(e),
            TermOperand::Term(e) => map.get(&e).copied(),
            TermOperand::Array(_) => None,
        })
    }

    /// Reports whether one term can be a subterm of another, as far as age and symbols tell.
    pub fn may_occur(&self, part: Expr, whole: Expr) -> bool {
        part <= whole && self.is_within(self.support_id(part), self.support_id(whole))
    }

    fn is_within(&self, small: SupportId, large: SupportId) -> bool {
        if small == large || small == SupportId::EMPTY {
            return true;
        }
        let (small, large) = (self.support_symbols(small), self.support_symbols(large));
        small.len() < large.len() && small.iter().all(|s| large.binary_search(s).is_ok())
    }

    /// Rebuilds a term bottom-up; `known` gives the new form of terms that need no descent.
    fn rewrite(
        &mut self,
        root: Expr,
        memo: &mut Memo,
        known: impl Fn(&mut Pool, TermOperand) -> Option<Expr>,
    ) -> Expr {
        let mut stack = vec![(TermOperand::Term(root), false)];
        while let Some((operand, ready)) = stack.pop() {
            match operand {
                TermOperand::Term(e) => {
                    if memo.terms.contains_key(&e) {
                        continue;
                    }
                    let new = match ready {
                        true => self.rebuild(e, memo),
                        false => match known(self, operand) {
                            Some(new) => new,
                            None => {
                                stack.push((operand, true));
                                self.operands(e, |o| stack.push((o, false)));
                                continue;
                            }
                        },
                    };
                    memo.terms.insert(e, new);
                }
                TermOperand::Array(a) => {
                    if memo.arrays.contains_key(&a) {
                        continue;
                    }
                    if self.arrays[a.index()].properties.support == SupportId::EMPTY {
                        // Constants all over, and maybe many.
                        memo.arrays.insert(a, a);
                        continue;
                    }
                    if !ready {
                        stack.push((operand, true));
                        self.array_operands(a, |o| stack.push((o, false)));
                        continue;
                    }
                    let new = self.rebuild_array(a, memo);
                    memo.arrays.insert(a, new);
                }
            }
        }
        memo.terms[&root]
    }

    /// Rebuilds the term over the new forms of its operands.
    fn rebuild(&mut self, e: Expr, memo: &Memo) -> Expr {
        let new = |x: Expr| memo.terms[&x];
        let width = self.width(e);
        match self.kind(e) {
            Kind::Const(_) | Kind::Var(_) | Kind::Base { .. } => e,
            Kind::Un(op, a) => self.un(op, new(a)),
            Kind::Bin(op, a, b) => self.bin(op, new(a), new(b)),
            Kind::Concat { hi, lo } => self.concat(new(hi), new(lo)),
            Kind::Extract { of, lo } => self.extract(new(of), lo, width),
            Kind::ZExt(a) => self.zext(new(a), width),
            Kind::SExt(a) => self.sext(new(a), width),
            Kind::Ite { cond, then, other } => self.ite(new(cond), new(then), new(other)),
            Kind::Select { array, index } => self.select(memo.arrays[&array], new(index)),
            Kind::FCast(op, a) => self.fcast(op, new(a), width),
            Kind::Fma(a, b, c) => self.fma(new(a), new(b), new(c)),
        }
    }

    fn rebuild_array(&mut self, a: Array, memo: &Memo) -> Array {
        let new = |x: &Expr| memo.terms[x];
        match self.array_kind(a).clone() {
            ArrayKind::Table(elems) if elems.iter().all(|e| new(e) == *e) => a,
            ArrayKind::Table(elems) => {
                let name = self.array_name(a);
                self.named_table(name, elems.iter().map(new).collect())
            }
            ArrayKind::Store {
                array,
                index,
                value,
            } => self.store(memo.arrays[&array], new(&index), new(&value)),
        }
    }
}

/// Results of address substitutions under one address map.
#[derive(Default)]
pub struct AddressSubstitution(Memo);

impl AddressSubstitution {
    /// Returns the number of results.
    pub fn len(&self) -> usize {
        self.0.terms.len()
    }

    /// Reports whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A map from terms to terms that only grows, with the results of substituting by it.
#[derive(Default)]
pub struct Substitution {
    map: FxHashMap<Expr, Expr>,
    /// Oldest key. Operands are older than the terms that contain them, so older terms contain no
    /// key.
    oldest: Option<Expr>,
    memo: Memo,
}

impl Substitution {
    /// Adds pairs of terms of one width. If a key has several values, the one with the least upper
    /// bound counts, or else the first: a constant says more than a term with unknown bits. Forgets
    /// the results that the new pairs may change.
    pub fn extend(&mut self, pool: &Pool, pairs: &[(Expr, Expr)]) {
        let mut added: Vec<Expr> = Vec::new();
        for (key, value) in pairs {
            debug_assert_eq!(pool.width(*key), pool.width(*value));
            match self.map.entry(*key) {
                Entry::Vacant(place) => {
                    place.insert(*value);
                }
                Entry::Occupied(mut known)
                    if pool.facts(*value).max < pool.facts(*known.get()).max =>
                {
                    known.insert(*value);
                }
                Entry::Occupied(_) => continue,
            }
            added.push(*key);
        }
        self.oldest = self.oldest.into_iter().chain(added.iter().copied()).min();
        let kept = |e: &Expr| !added.iter().any(|k| pool.may_occur(*k, *e));
        self.memo.terms.retain(|e, _| kept(e));
        let kept = |a: &Array| {
            let own = pool.arrays[a.index()].properties.support;
            !added
                .iter()
                .any(|k| pool.is_within(pool.support_id(*k), own))
        };
        self.memo.arrays.retain(|a, _| kept(a));
    }

    /// Returns the number of results remembered.
    pub fn len(&self) -> usize {
        self.memo.terms.len()
    }

    /// Reports whether no result is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Default)]
struct Memo {
    terms: FxHashMap<Expr, Expr>,
    arrays: FxHashMap<Array, Array>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;

    struct Fixed;
    impl AddressMap for Fixed {
        fn address(&self, object: ObjectId) -> u64 {
            0x1000_0000_0000 + 0x1000 * u64::from(object.0)
        }
    }

    fn var(pool: &mut Pool, name: &str, width: Width) -> Expr {
        pool.var(VarInfo {
            name: name.into(),
            width,
            origin: Origin::Input { input: 0, part: 0 },
        })
    }

    #[test]
    fn addresses_are_replaced_everywhere() {
        let p = &mut Pool::new();
        let (base, x) = (p.base(ObjectId(2), 4), var(p, "x", 64));
        let c = p.constant(64, 7);
        let table = p.table([base, c, x].into_iter().collect());
        let table = p.store(table, x, base);
        let y = var(p, "y", 64);
        let at = p.select(table, y);
        let sum = p.add(at, base);
        let new = p.substitute_addresses(sum, &Fixed);
        assert!(!p.has_base(new) && p.has_base(sum));
        let mut a = Assignment::default();
        for (vx, vy) in [(1, 0), (1, 1), (1, 2), (0, 2)] {
            for (v, value) in [(x, vx), (y, vy)] {
                let Kind::Var(v) = p.kind(v) else {
                    unreachable!()
                };
                a.set(v, value);
            }
            assert_eq!(p.eval(sum, &a, &Fixed), p.eval(new, &a, &NoAddresses));
        }
        assert_eq!(p.substitute_addresses(x, &Fixed), x);
    }

    #[test]
    fn parts_of_terms_and_arrays_are_mentioned() {
        let p = &mut Pool::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| var(p, name, 64));
        let (sum, other) = (p.add(x, y), p.sub(x, z));
        let zero = p.constant(64, 0);
        let table = p.table([zero, sum].into_iter().collect());
        let e = p.select(table, z);
        assert!(p.mentions(e, &[sum]) && p.mentions(e, &[other, x]) && p.mentions(e, &[e]));
        assert!(!p.mentions(e, &[other]) && !p.mentions(sum, &[z]) && !p.mentions(e, &[]));
    }

    #[test]
    fn substitution_is_simultaneous() {
        let p = &mut Pool::new();
        let (x, y) = (var(p, "x", 8), var(p, "y", 8));
        let e = p.sub(x, y);
        let swapped = p.substitute(e, &FxHashMap::from_iter([(x, y), (y, x)]));
        assert_eq!(swapped, p.sub(y, x));
        let same = p.substitute(e, &FxHashMap::from_iter([(x, y)]));
        let mut a = Assignment::default();
        a.set(Var(0), 3);
        a.set(Var(1), 9);
        assert_eq!(p.eval(same, &a, &NoAddresses), 0);
    }

    #[test]
    fn a_growing_substitution_forgets_what_changes() {
        let p = &mut Pool::new();
        let (x, y, z) = (var(p, "x", 8), var(p, "y", 8), var(p, "z", 8));
        let xy = p.bin(BinOp::Mul, x, y);
        let table = p.table([xy, z, x].into_iter().collect());
        let index = p.zext(z, 64);
        let entry = p.select(table, index);
        let whole = p.add(entry, xy);
        let (one, seven) = (p.constant(8, 1), p.constant(8, 7));
        let mut growing = Substitution::default();
        let mut pairs: Vec<(Expr, Expr)> = Vec::new();
        assert_eq!(p.substitute_with(whole, &mut growing), whole);
        for new in [(xy, z), (x, y), (x, seven), (z, one), (whole, x)] {
            growing.extend(p, &[new]);
            // `seven` is less than what `y` may be.
            pairs.push(new);
            let map = FxHashMap::from_iter(pairs.iter().copied());
            for e in [x, y, z, xy, entry, whole] {
                let want = p.substitute(e, &map);
                assert_eq!(p.substitute_with(e, &mut growing), want);
            }
        }
    }

    #[test]
    fn deep_terms_do_not_exhaust_the_stack() {
        let p = &mut Pool::new();
        let (x, y) = (var(p, "x", 32), var(p, "y", 32));
        let mut e = x;
        for _ in 0..200_000 {
            let m = p.bin(BinOp::Mul, e, y);
            e = p.bin(BinOp::Xor, m, x);
        }
        let mut a = Assignment::default();
        a.set(Var(0), 3);
        a.set(Var(1), 5);
        let mut want = 3u32;
        for _ in 0..200_000 {
            want = want.wrapping_mul(5) ^ 3;
        }
        assert_eq!(p.eval(e, &a, &NoAddresses), want as u128);
        let five = p.constant(32, 5);
        let s = p.substitute(e, &FxHashMap::from_iter([(y, five)]));
        assert_eq!(p.eval(s, &a, &NoAddresses), want as u128);
    }
}
