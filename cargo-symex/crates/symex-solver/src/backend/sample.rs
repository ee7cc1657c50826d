//! Random search for an assignment that satisfies a query: where values are mixed as by a hash, one
//! input in some hundred gives the wanted bits, and trying is quicker than reasoning.
//!
//! The inputs of one hash are changed together, and the rest is left as it is: the assignments to
//! start from satisfy most of a query already. Small inputs keep to the constraints on them alone
//! (a letter stays a letter).

use crate::Query;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{Assignment, Expr, NoAddresses, Pool, Symbol, TermOperand, Var, Width, mask};
use symex_types::splitmix::Random;

/// Width of the widest input whose values are listed.
pub(super) const LISTED: Width = 8;
/// Greatest number of bits of the hashes of one group that are aimed at together.
const MAX_AIM: u32 = 14;
/// Greatest number of tries at groups for one query, in all.
const MAX_AIMS: usize = 131_072;
/// Number of times that hashes had the wanted bits in vain, after which the search ends: something
/// else matters then.
const MAX_MISSES: u32 = 16;
/// Tries at a group, as a multiple of the average number needed.
const AIMS: usize = 4;
/// Number of terms whose evaluation takes as long as one unit of Z3's work.
const TERMS_PER_WORK: u64 = 16;

/// State of the search for one query.
pub(super) struct Sampler {
    random: Random,
    /// Inputs of each hash, as variables with their widths.
    groups: Vec<Vec<(Var, Width)>>,
    /// Constraints on one variable alone.
    said: FxHashMap<Var, Vec<Expr>>,
    /// All variables of the query.
    all: Vec<(Var, Width)>,
    /// Values of small variables that satisfy the constraints on them alone.
    allowed: FxHashMap<Var, Vec<u8>>,
    /// Number of tries left at single hashes.
    aims: usize,
    /// Number of times that all hashes had the wanted bits, but the query did not hold.
    misses: u32,
    /// Work for one assignment, in Z3's unit: that of the whole query, however much of it is
    /// evaluated.
    cost: u64,
    work: u64,
}

impl Sampler {
    /// Starts a search for a query with these open terms.
    pub fn new(pool: &mut Pool, query: &Query, open: &[(Expr, u128)]) -> Sampler {
        let sized = |pool: &Pool, v: Var| (v, pool.var_info(v).width);
        let mut groups: Vec<Vec<(Var, Width)>> = Vec::new();
        for (e, _) in open {
            let vars = pool.support(*e).iter().filter_map(|s| match s {
                Symbol::Var(v) => Some(sized(pool, *v)),
                Symbol::Base(_) => None,
            });
            let group: Vec<_> = vars.collect();
            if !group.is_empty() && !groups.contains(&group) {
                groups.push(group);
            }
        }
        let all: Vec<_> = query
            .vars(pool)
            .into_iter()
            .map(|v| sized(pool, v))
            .collect();
        let mut said: FxHashMap<Var, Vec<Expr>> = FxHashMap::default();
        for e in query.constraints.iter().chain([&query.goal]) {
            if let [Symbol::Var(v)] = *pool.support(*e) {
                said.entry(v).or_default().push(*e);
            }
        }
        let mut allowed = FxHashMap::default();
        let mut at = query.hint.clone();
        for (v, terms) in &said {
            let v = *v;
            if pool.var_info(v).width > LISTED {
                continue;
            }
            let before = at.get(v);
            let mut values = Vec::new();
            for value in 0..1u128 << pool.var_info(v).width {
                at.set(v, value);
                if terms.iter().all(|e| pool.eval(*e, &at, &NoAddresses) == 1) {
                    values.push(value as u8);
                }
            }
            at.set(v, before);
            allowed.insert(v, values);
        }
        Sampler {
            // The same query gets the same answer.
            random: Random::new(all.len() as u64),
            groups,
            said,
            all,
            allowed,
            aims: MAX_AIMS,
            misses: 0,
            cost: terms(pool, query) / TERMS_PER_WORK + 1,
            work: 0,
        }
    }

    /// Returns the work since the last call, in Z3's unit.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Finds an assignment that satisfies the query, within `tries`, by changing some values of the
    /// given ones.
    pub fn find(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        near: &[&Assignment],
        tries: usize,
    ) -> Option<Assignment> {
        if self.groups.is_empty() || self.allowed.values().any(Vec::is_empty) {
            return None;
        }
        (0..tries).find_map(|round| {
            self.work += self.cost;
            let mut tried = near[round % near.len()].clone();
            self.change(&mut tried);
            query.holds(pool, &tried).then_some(tried)
        })
    }

    /// Finds an assignment that satisfies the query, within so much work: the hint with another
    /// value of one input of a hash, or of all.
    pub fn guess(&mut self, pool: &mut Pool, query: &Query, work: u64) -> Option<Assignment> {
        if self.groups.is_empty() || self.allowed.values().any(Vec::is_empty) {
            return None;
        }
        (0..work / self.cost).find_map(|round| {
            self.work += self.cost;
            let mut tried = query.hint.clone();
            let at = self.random.below(self.groups.len() as u64) as usize;
            if round % 2 == 0 {
                let inputs = self.groups[at].len() as u64;
                let input = self.groups[at][self.random.below(inputs) as usize];
                let value = self.value(&tried, input);
                tried.set(input.0, value);
            } else {
                self.change_group(&mut tried, at);
            }
            query.holds(pool, &tried).then_some(tried)
        })
    }

    /// Finds an assignment that satisfies the query and gives each hash the bits that a model
    /// wants: `targets` are the hashes, the bits, and their values. Hashes of different inputs are
    /// aimed at one by one. This takes as many tries as the bits of one hash, not of all, have
    /// values.
    pub fn aim(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        targets: &[(Expr, u128, u128)],
        model: &Assignment,
    ) -> Option<Assignment> {
        if self.misses == MAX_MISSES || self.allowed.values().any(Vec::is_empty) {
            return None;
        }
        let mut found = model.clone();
        // What stands for the values of a group in the model: equal ones stay equal.
        let mut chosen: FxHashMap<Vec<(u128, Width)>, Vec<u128>> = FxHashMap::default();
        for at in 0..self.groups.len() {
            let group = self.groups[at].clone();
            let wanted: Vec<_> = group.iter().map(|v| (model.get(v.0), v.1)).collect();
            let own = |pool: &Pool, e: Expr| {
                let support = pool.support(e).iter();
                support.eq(group
                    .iter()
                    .map(|v| Symbol::Var(v.0))
                    .collect::<Vec<_>>()
                    .iter())
            };
            let aims: Vec<(Expr, u128, u128)> =
                targets.iter().copied().filter(|t| own(pool, t.0)).collect();
            let hits = |pool: &mut Pool, tried: &Assignment| {
                aims.iter()
                    .all(|(e, bits, value)| pool.eval(*e, tried, &NoAddresses) & bits == *value)
            };
            if let Some(values) = chosen.get(&wanted) {
                for (v, value) in group.iter().zip(values) {
                    found.set(v.0, *value);
                }
                continue;
            }
            if !hits(pool, &found) {
                let bits: u32 = aims.iter().map(|t| t.1.count_ones()).sum();
                if bits > MAX_AIM {
                    return None;
                }
                let tries = self.aims.min(AIMS << bits);
                let hit = (0..tries).find_map(|_| {
                    self.aims -= 1;
                    self.work += self.cost;
                    let mut tried = found.clone();
                    self.change_group(&mut tried, at);
                    let allowed = self.keeps(pool, at, &tried) && hits(pool, &tried);
                    allowed.then_some(tried)
                });
                found = hit?;
            }
            let values = group.iter().map(|v| found.get(v.0)).collect();
            chosen.insert(wanted, values);
        }
        if query.holds(pool, &found) {
            return Some(found);
        }
        self.misses += 1;
        None
    }

    /// Reports whether an assignment satisfies the constraints on each single variable of a group.
    fn keeps(&self, pool: &mut Pool, at: usize, tried: &Assignment) -> bool {
        let mut said = self.groups[at]
            .iter()
            .filter(|v| v.1 > LISTED)
            .filter_map(|v| self.said.get(&v.0))
            .flatten();
        said.all(|e| pool.eval(*e, tried, &NoAddresses) == 1)
    }

    fn change(&mut self, tried: &mut Assignment) {
        let at = self.random.below(self.groups.len() as u64) as usize;
        match self.random.below(8) {
            // Two hashes of the same.
            0 => {
                let from = self.random.below(self.groups.len() as u64) as usize;
                if self.groups[from].len() == self.groups[at].len() {
                    for (from, to) in self.groups[from].iter().zip(&self.groups[at]) {
                        tried.set(to.0, tried.get(from.0) & mask(to.1));
                    }
                }
            }
            // One of the variables alone.
            1 => {
                let v = self.all[self.random.below(self.all.len() as u64) as usize];
                let value = self.value(tried, v);
                tried.set(v.0, value);
            }
            // Everything that is hashed.
            2 => {
                for at in 0..self.groups.len() {
                    self.change_group(tried, at);
                }
            }
            _ => self.change_group(tried, at),
        }
    }

    fn change_group(&mut self, tried: &mut Assignment, at: usize) {
        for i in 0..self.groups[at].len() {
            let v = self.groups[at][i];
            let value = self.value(tried, v);
            tried.set(v.0, value);
        }
    }

    fn value(&mut self, tried: &Assignment, (v, width): (Var, Width)) -> u128 {
        if let Some(values) = self.allowed.get(&v) {
            return u128::from(values[self.random.below(values.len() as u64) as usize]);
        }
        let value = match self.random.below(8) {
            0 => u128::from(self.random.below(4)),
            1 => {
                let other = self.all[self.random.below(self.all.len() as u64) as usize];
                tried.get(other.0)
            }
            2 => u128::from(self.random.below(1 << 8)),
            _ => u128::from(self.random.bits()) << 64 | u128::from(self.random.bits()),
        };
        value & mask(width)
    }
}

/// Returns the number of terms in a query, without those in arrays.
fn terms(pool: &Pool, query: &Query) -> u64 {
    let mut stack = query.constraints.to_vec();
    stack.push(query.goal);
    let mut seen: FxHashSet<Expr> = FxHashSet::default();
    while let Some(e) = stack.pop() {
        if seen.insert(e) {
            pool.operands(e, |operand| {
                if let TermOperand::Term(part) = operand {
                    stack.push(part);
                }
            });
        }
    }
    seen.len() as u64
}
