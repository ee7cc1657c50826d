//! Stage that decides conditions on remainders and quotients of words.
//!
//! A number that is printed, or split into digits, days or limbs, is divided by constants
//! repeatedly, and conditions ask whether the parts are in ranges. Each such condition is a
//! periodic set of numbers: `x / 100 % 10 == 7` are the numbers of [700, 800) modulo 1000. Inverse
//! images of such sets under sums, products, quotients and remainders with constants are such sets
//! again (`periodic`, `view`). Whether several sets intersect is decided by cutting the longest
//! period at its edges, and by the Chinese remainder theorem (`search`).
//!
//! Complete for conditions that depend on one word each. A condition that cannot be read as one
//! about remainders is left out: without it, `Unsat` is still an answer, and a solution is a guess
//! that is checked.
//!
//! Pays on decimal digits of wide words: trailing zeros, fractions, dates.

mod number_set;
mod periodic;
mod search;
mod view;

use super::{Stage, StageOutcome};
use crate::query::merge;
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use search::{CongruenceSearch, OutOfWork};
use std::sync::Arc;
use symex_terms::{BinOp, Expr, Kind, Pool, Width};
use view::{Cut, Formula};

pub(super) use periodic::lcm;
pub(super) use view::Word;

/// Number of sets that the search for one query may examine, some 10 ns each.
const WORK: u32 = 100_000;
/// Number of examined sets that take as long as a unit of work.
const LOOKS_PER_UNIT: u64 = 20;
/// Number of remembered conditions at which the memory is cleared.
const MAX_SEEN: usize = 100_000;
/// Greatest number of conditions of a query.
const MAX_CONDITIONS: usize = 200;

/// The congruence stage: see the module.
#[derive(Default)]
pub struct Congruence {
    seen: FxHashMap<Expr, Arc<SeenCondition>>,
    /// Number of sets examined so far.
    looks: u64,
}

/// A condition that depends on one word, as a formula about remainders.
struct SeenCondition {
    word: Word,
    /// Formula that the condition implies for the word; `None`: none was found.
    formula: Option<Formula>,
    cuts: Vec<Cut>,
}

impl Congruence {
    fn see(&mut self, pool: &Pool, word: &Word, condition: Expr) -> Arc<SeenCondition> {
        if let Some(known) = self.seen.get(&condition)
            && known.word == *word
        {
            return known.clone();
        }
        let seen = Arc::new(SeenCondition {
            word: word.clone(),
            formula: word.see(pool, condition),
            cuts: Cut::all(pool, condition),
        });
        self.seen.insert(condition, seen.clone());
        seen
    }

    /// Returns the formulas of conditions about their word. Where some bound the word, lower bits
    /// of quotients in the others are replaced by whole quotients, if that makes no difference
    /// below the bound.
    fn see_all(
        &mut self,
        pool: &mut Pool,
        word: &Word,
        conditions: &[Expr],
    ) -> Vec<Arc<SeenCondition>> {
        let mut all: Vec<Arc<SeenCondition>> = conditions
            .iter()
            .map(|c| self.see(pool, word, *c))
            .collect();
        let bounds = all.iter().filter(|s| s.cuts.is_empty());
        let bounds = bounds.filter_map(|s| s.formula.as_ref()?.end());
        let Some(end) = bounds.min() else {
            return all;
        };
        for (seen, condition) in all.iter_mut().zip(conditions) {
            let cuts = seen.cuts.iter();
            let whole: FxHashMap<Expr, Expr> =
                cuts.filter_map(|c| c.is_whole(pool, word, end)).collect();
            if !whole.is_empty() {
                let simpler = pool.substitute(*condition, &whole);
                *seen = self.see(pool, word, simpler);
            }
        }
        all
    }

    fn decide(&mut self, pool: &mut Pool, query: &Query) -> Option<Answer> {
        let mut conditions = vec![query.goal];
        conditions.extend(query.constraints);
        conditions.extend(equations_of_whole_terms(pool, query));
        let mut words = Word::all(pool, &conditions);
        let at = words.iter().position(|w| w.decides(pool, query.goal))?;
        // The goal's word first: the constraints alone were satisfied.
        words.swap(0, at);
        let mut search = CongruenceSearch::new(WORK);
        let answer = self.search(pool, query, &words, &conditions, &mut search);
        self.looks += u64::from(WORK - search.left());
        answer
    }

    /// Searches a value of each word.
    fn search(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        words: &[Word],
        conditions: &[Expr],
        search: &mut CongruenceSearch,
    ) -> Option<Answer> {
        let mut values = Vec::new();
        for (i, word) in words.iter().enumerate() {
            let own = |c: &Expr| word.decides(pool, *c);
            let own: Vec<Expr> = conditions.iter().copied().filter(own).collect();
            let seen = self.see_all(pool, word, &own);
            if i == 0 && seen[0].formula.is_none() {
                return None;
            }
            let formulas = || seen.iter().filter_map(|s| s.formula.as_ref());
            let hint = word.value(|v| query.hint.get(v));
            if formulas().all(|f| CongruenceSearch::holds(f, hint)) {
                continue;
            }
            match search.find(formulas(), 0, word.end()) {
                Ok(Some(value)) => values.extend(word.inputs(value)),
                Ok(None) => return Some(Answer::Unsat),
                Err(OutOfWork) => return None,
            }
        }
        let found = merge(query.hint, &values);
        query.holds(pool, &found).then_some(Answer::Sat(found))
    }
}

/// Returns all values of a word that satisfy the conditions depending on it alone, if they are at
/// most `most`.
pub(super) fn values(
    pool: &Pool,
    word: &Word,
    conditions: &[Expr],
    most: usize,
) -> Option<Vec<u128>> {
    let seen: Vec<Formula> = conditions
        .iter()
        .filter_map(|c| word.see(pool, *c))
        .collect();
    let mut search = CongruenceSearch::new(WORK);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(value) = search.find(seen.iter(), at, word.end()).ok()? {
        if found.len() == most {
            return None;
        }
        found.push(value);
        at = value + 1;
    }
    Some(found)
}

/// Returns the equations of whole terms that follow from a query's equations of their parts.
fn equations_of_whole_terms(pool: &mut Pool, query: &Query) -> Vec<Expr> {
    let mut parts: Vec<(Expr, Width, Expr)> = Vec::new();
    let mut stack = query.constraints.to_vec();
    stack.push(query.goal);
    while let Some(e) = stack.pop() {
        match pool.kind(e) {
            Kind::Bin(BinOp::And, a, b) => stack.extend([a, b]),
            Kind::Bin(BinOp::Eq, a, value) if pool.as_const(value).is_some() => {
                if let Kind::Extract { of, lo } = pool.kind(a)
                    && let Kind::Bin(..) = pool.kind(of)
                {
                    parts.push((of, lo, value));
                }
            }
            _ => {}
        }
    }
    parts.sort_unstable_by_key(|p| (p.0, p.1));
    let of_one_term = parts.chunk_by(|a, b| a.0 == b.0);
    let mut found = Vec::new();
    for parts in of_one_term.filter(|parts| parts.len() > 1) {
        let (term, mut value) = (parts[0].0, parts[0].2);
        for (_, lo, above) in &parts[1..] {
            // Parts that overlap, or leave some out, are not joined.
            if *lo == pool.width(value) {
                value = pool.concat(*above, value);
            }
        }
        if parts[0].1 == 0 && pool.width(value) == pool.width(term) {
            found.push(pool.eq(term, value));
        }
    }
    found
}

impl Stage for Congruence {
    fn name(&self) -> &'static str {
        "congruence"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) || query.constraints.len() > MAX_CONDITIONS {
            return StageOutcome::Pass;
        }
        if self.seen.len() > MAX_SEEN {
            self.seen.clear();
        }
        match self.decide(pool, query) {
            Some(answer) => StageOutcome::Answer(answer),
            None => StageOutcome::Pass,
        }
    }

    fn work(&self) -> u64 {
        self.looks / LOOKS_PER_UNIT
    }

    fn reset(&mut self) {
        self.seen.clear();
    }
}

#[cfg(test)]
mod tests;
