//! Stage that replaces what floats decide by a table, where that depends on few small integers.
//!
//! Programs count with integers and convert a count, a length or a percentage to a float. The
//! comparison that follows has few cases, while a solver takes every rounding apart, bit by bit.
//! The terms of such a float that have no floats in them, and few values together, are the index of
//! a table of constants: one bit for each case.
//!
//! What is known of a term's values are its width and the constraints that compare it with
//! constants. These stay in the query, so that the rewritten query has the same solutions.
//!
//! Pays on costs of line breaks, averages and scores.

use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symex_terms::{BatchEvaluation, Expr, Kind, Pool, TermOperand, Width, mask};

/// Greatest number of cases of a table.
const MOST_CASES: u128 = 1 << 12;
/// Greatest number of bits of the index of a table.
const MOST_BITS: Width = 14;
/// Greatest number of terms that are replaced by their operands to get few cases.
const MOST_STEPS: usize = 64;
/// Lane operations that a table may cost.
const MAX_WORK: usize = 1 << 20;
/// Number of lane operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 100;
/// Number of remembered tables and conditions at which they are forgotten.
const MAX_KNOWN: usize = 1 << 20;

/// A term of the index of a table, with its least and greatest value.
type Place = (Expr, (u128, u128));

/// The tabulation stage: see the module.
#[derive(Default)]
pub struct Tabulation {
    /// Whether a term has no floats in it, by index, as far as that is known.
    plain: FixedBitSet,
    /// Terms of floats in a condition that are no part of another, by condition.
    floats: FxHashMap<Expr, Arc<[Expr]>>,
    /// What a term of floats is, by its places; `None` if that cannot be tabulated.
    tables: FxHashMap<(Expr, Vec<Place>), Option<Expr>>,
    /// Number of lane operations so far.
    operations: usize,
}

impl Stage for Tabulation {
    fn name(&self) -> &'static str {
        "tabulation"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        self.make_room();
        let mut floats = Vec::new();
        for condition in query.constraints.iter().chain([&query.goal]) {
            if !self.is_plain(*condition) {
                floats.extend_from_slice(&self.floats(pool, *condition));
            }
        }
        if floats.is_empty() || query.has_base(pool) {
            return StageOutcome::Pass;
        }
        let bounds = query.bounds(pool);
        let mut map = FxHashMap::default();
        for float in floats {
            if let Some(table) = self.table(pool, float, &bounds) {
                map.insert(float, table);
            }
        }
        if map.is_empty() {
            return StageOutcome::Pass;
        }
        let goal = pool.substitute(query.goal, &map);
        let mut constraints = Vec::with_capacity(query.constraints.len());
        for constraint in query.constraints {
            let constraint = match self.floats(pool, *constraint).is_empty() {
                true => *constraint,
                false => pool.substitute(*constraint, &map),
            };
            match pool.as_const(constraint) {
                Some(0) => return StageOutcome::Answer(Answer::Unsat),
                Some(_) => {}
                None => constraints.push(constraint),
            }
        }
        match pool.as_const(goal) {
            Some(0) => StageOutcome::Answer(Answer::Unsat),
            // The hint satisfies the constraints, and they the goal.
            Some(_) if query.holds(pool, query.hint) => {
                StageOutcome::Answer(Answer::Sat(query.hint.clone()))
            }
            _ => StageOutcome::Rewrite(constraints, goal),
        }
    }

    fn work(&self) -> u64 {
        self.operations as u64 / OPERATIONS_PER_UNIT
    }

    fn reset(&mut self) {
        *self = Tabulation {
            operations: self.operations,
            ..Default::default()
        };
    }
}

impl Tabulation {
    fn make_room(&mut self) {
        if self.floats.len() + self.tables.len() > MAX_KNOWN {
            self.floats.clear();
            self.tables.clear();
        }
    }

    /// Reports whether a term is known to have no floats in it.
    fn is_plain(&self, term: Expr) -> bool {
        self.plain.contains(term.index())
    }

    /// Returns the terms of floats in a condition that are no part of another. What arrays hold is
    /// not looked at.
    fn floats(&mut self, pool: &Pool, condition: Expr) -> Arc<[Expr]> {
        if self.is_plain(condition) {
            return Arc::default();
        }
        if let Some(known) = self.floats.get(&condition) {
            return known.clone();
        }
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut waiting = vec![condition];
        while let Some(term) = waiting.pop() {
            if self.is_plain(term) || !seen.insert(term) {
                continue;
            }
            match pool.kind(term).is_float() {
                true => found.push(term),
                false => operands(pool, term, &mut waiting),
            }
        }
        if found.is_empty() {
            for term in seen {
                self.plain.grow_and_insert(term.index());
            }
            return Arc::default();
        }
        // In the order in which they were made, whatever that of the walk is.
        found.sort_unstable();
        let found: Arc<[Expr]> = found.into();
        self.floats.insert(condition, found.clone());
        found
    }

    /// Returns the term that takes the place of one of floats.
    fn table(
        &mut self,
        pool: &mut Pool,
        float: Expr,
        bounds: &FxHashMap<Expr, (u128, u128)>,
    ) -> Option<Expr> {
        let places = self.places(pool, float, bounds)?;
        let key = (float, places);
        if let Some(known) = self.tables.get(&key) {
            return *known;
        }
        let mut work = MAX_WORK;
        let table = tabulate(pool, float, &key.1, &mut work);
        self.operations += MAX_WORK - work;
        self.tables.insert(key, table);
        table
    }

    /// Returns terms without floats that decide one of floats, and have few values together.
    fn places(
        &mut self,
        pool: &Pool,
        float: Expr,
        bounds: &FxHashMap<Expr, (u128, u128)>,
    ) -> Option<Vec<Place>> {
        let mut places: Vec<(Expr, Option<(u128, u128)>)> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut waiting = vec![float];
        let mut steps = 0;
        loop {
            while let Some(term) = waiting.pop() {
                if pool.as_const(term).is_some() || !seen.insert(term) {
                    continue;
                }
                if !self.floats(pool, term).is_empty() || matches!(pool.kind(term), Kind::ZExt(_)) {
                    operands(pool, term, &mut waiting);
                } else {
                    places.push((term, values(pool, term, bounds)));
                }
            }
            let cases = places.iter().try_fold(1u128, |cases, place| {
                let (least, most) = place.1?;
                cases.checked_mul(most - least + 1)
            });
            if cases.is_some_and(|cases| cases <= MOST_CASES) {
                break;
            }
            // The place with most values goes first.
            let size = |place: &(Expr, Option<(u128, u128)>)| match place.1 {
                Some((least, most)) => most - least,
                None => u128::MAX,
            };
            let most = places
                .iter()
                .enumerate()
                .max_by_key(|(_, place)| size(place));
            let (at, (term, _)) = most?;
            let (at, term) = (at, *term);
            let whole = matches!(
                pool.kind(term),
                Kind::Var(_) | Kind::Base { .. } | Kind::Select { .. }
            );
            if whole || steps == MOST_STEPS {
                return None;
            }
            steps += 1;
            places.remove(at);
            operands(pool, term, &mut waiting);
        }
        let known = places
            .into_iter()
            .map(|(term, values)| Some((term, values?)));
        known.collect()
    }
}

/// Adds the operands of a term, but for arrays.
fn operands(pool: &Pool, term: Expr, to: &mut Vec<Expr>) {
    pool.operands(term, |operand| {
        if let TermOperand::Term(part) = operand {
            to.push(part);
        }
    });
}

/// Returns the least and greatest value of a term, if there are not too many between them.
fn values(pool: &Pool, term: Expr, bounds: &FxHashMap<Expr, (u128, u128)>) -> Option<(u128, u128)> {
    let widest = mask(pool.width(term));
    let (least, most) = bounds.get(&term).copied().unwrap_or((0, widest));
    let most = most.min(widest);
    // Bounds that contradict each other are left to other stages.
    let known = least <= most && most - least < MOST_CASES;
    known.then_some((least, most))
}

/// Makes the table of a term, by the values of terms that decide it.
fn tabulate(pool: &mut Pool, term: Expr, places: &[Place], work: &mut usize) -> Option<Expr> {
    let mut stride = 1;
    let mut given = Vec::new();
    let count = |(least, most): (u128, u128)| (most - least + 1) as usize;
    let cases = places.iter().map(|place| count(place.1)).product();
    for (place, (least, most)) in places {
        let values =
            (0..cases).map(|case| least + (case / stride % count((*least, *most))) as u128);
        given.push((*place, values.collect()));
        stride *= count((*least, *most));
    }
    let mut lanes = BatchEvaluation::new(pool, cases, &given);
    let results: Vec<u128> = lanes.values(pool, term, work)?.collect();
    let width = pool.width(term);
    if results.iter().all(|result| *result == results[0]) {
        return Some(pool.constant(width, results[0]));
    }
    let (places, results) = without_idle(places, results);
    if let [(place, (least, _))] = places[..]
        && width == 1
        && let Some(condition) = interval(pool, place, least, &results)
    {
        return Some(condition);
    }
    let bits: Vec<Width> = places.iter().map(|place| bits(place.1)).collect();
    if bits.iter().sum::<Width>() > MOST_BITS {
        return None;
    }
    let mut index: Option<Expr> = None;
    for ((place, (least, _)), bits) in places.iter().zip(&bits) {
        let low = pool.constant(pool.width(*place), *least);
        let above = pool.sub(*place, low);
        let part = pool.extract(above, 0, *bits);
        index = Some(match index {
            Some(lower) => pool.concat(part, lower),
            None => part,
        });
    }
    let length = 1usize << bits.iter().sum::<Width>();
    let element = |mut at: usize| {
        let (mut case, mut stride) = (0, 1);
        for ((_, range), bits) in places.iter().zip(&bits) {
            // Places beyond the greatest value are never read.
            case += (at % (1 << bits)).min(count(*range) - 1) * stride;
            stride *= count(*range);
            at >>= bits;
        }
        results[case]
    };
    let elements: Vec<u128> = (0..length).map(element).collect();
    let elements = elements
        .into_iter()
        .map(|value| pool.constant(width, value));
    let array = elements.collect();
    let array = pool.table(array);
    let index = pool.zext(index?, 64);
    Some(pool.select(array, index))
}

/// Returns the number of bits of the difference to the least of some values.
fn bits((least, most): (u128, u128)) -> Width {
    (128 - (most - least).leading_zeros()).max(1)
}

/// Returns the places on which results depend, and the results by these alone.
fn without_idle(places: &[Place], mut results: Vec<u128>) -> (Vec<Place>, Vec<u128>) {
    let mut kept = Vec::new();
    let mut stride = 1;
    for place in places {
        let count = (place.1.1 - place.1.0 + 1) as usize;
        let block = stride * count;
        let first = |case: usize| case / block * block + case % stride;
        if (0..results.len()).any(|case| results[case] != results[first(case)]) {
            kept.push(*place);
            stride = block;
            continue;
        }
        let left = results.chunks(block).flat_map(|block| &block[..stride]);
        results = left.copied().collect();
    }
    (kept, results)
}

/// Makes the condition that a term has one of the values from `least` on whose result is 1, if
/// those, or the others, are neighbours.
fn interval(pool: &mut Pool, term: Expr, least: u128, results: &[u128]) -> Option<Expr> {
    let inside = match (results[0], results[results.len() - 1]) {
        (1, 1) => 0,
        _ => 1,
    };
    let start = results.iter().position(|result| *result == inside)?;
    let end = results.iter().rposition(|result| *result == inside)?;
    if results[start..=end].iter().any(|result| *result != inside) {
        return None;
    }
    let width = pool.width(term);
    let (low, high) = (
        pool.constant(width, least + start as u128),
        pool.constant(width, least + end as u128),
    );
    let yes = pool.bool(true);
    let above = match start {
        0 => yes,
        _ => pool.ule(low, term),
    };
    let below = match end + 1 == results.len() {
        true => yes,
        false => pool.ule(term, high),
    };
    let both = pool.and(above, below);
    Some(match inside {
        1 => both,
        _ => pool.not(both),
    })
}

#[cfg(test)]
mod tests;
